// Menus of conditions: only comparisons that fit the chosen field, values to choose from, several new ones at once.
import { suggestValues } from "./crm-values.js";

const named = (op) => ["contains", "starts"].includes(op);
const several = (op) => ["in", "not_in"].includes(op);

function fit(box) {
  const [field, op] = box.querySelectorAll("select");
  const value = box.querySelector("input");
  const allowed = JSON.parse(box.dataset.ops);
  const words = value.placeholder;
  const typeOf = () => field.selectedOptions[0]?.dataset.type;

  function update() {
    const type = typeOf();
    const fitting = allowed[type];
    for (const option of op.options) option.hidden = option.disabled = Boolean(fitting) && !fitting.includes(option.value);
    if (op.selectedOptions[0]?.disabled) op.value = fitting[0];
    const needs = op.selectedOptions[0]?.dataset.type;
    const needsNumber = needs === "n";
    const word = op.selectedOptions[0]?.closest("optgroup") !== op.querySelector("optgroup");
    value.hidden = ["null", "not_null"].includes(op.value) || (word && !needs);
    const date = !word && ["date", "datetime"].includes(type);
    value.inputMode = needsNumber || ["number", "integer"].includes(type) ? "decimal" : "text";
    const hints = [[needsNumber, "number"], [needs === "p", "period"], [date, "date"], [several(op.value), "several"], [type === "boolean", "yes"]];
    const hint = hints.find(([fits]) => fits)?.[1];
    value.placeholder = hint ? value.dataset[hint] : words;
  }
  field.addEventListener("change", update);
  op.addEventListener("change", update);
  suggestValues(value, () => ({ base: box.dataset.values, path: field.value, type: typeOf(), several: several(op.value), named: named(op.value) }));
  update();
}

// The fields of related records are those of the chosen kind.
function fitRelated(box) {
  const kind = box.querySelector("[name=rc]");
  const field = box.querySelector("[name=rf]");
  if (!field) return;
  const child = () => kind.value.split(".")[0];
  const update = () => {
    for (const option of field.querySelectorAll("option[data-type]")) {
      const other = option.dataset.type !== child();
      option.hidden = option.disabled = other;
      option.parentElement.hidden = other;
    }
    if (field.selectedOptions[0]?.disabled) field.value = "";
  };
  kind.addEventListener("change", update);
  const op = box.querySelector("[name=rp]");
  suggestValues(box.querySelector("[name=rv]"), () => ({
    base: child() && `${box.dataset.values}${child()}/`,
    path: field.value,
    several: several(op.value),
    named: named(op.value),
  }));
  update();
}

// One more new condition: the first row again, empty.
function another(box, button) {
  const rows = box.querySelectorAll("[data-condition]");
  const place = rows.length + 1;
  const row = rows[0].cloneNode(true);
  delete row.dataset.fitted;
  row.querySelector(".meant")?.remove();
  for (const part of row.querySelectorAll("[id], [for]")) {
    for (const name of ["id", "for"]) if (part.getAttribute(name)) part.setAttribute(name, `${part.getAttribute(name).replace(/-\d+$/, "")}-${place}`);
    if (part.matches("label")) part.textContent = `${part.textContent.replace(/ \d+$/, "")} ${place}`;
  }
  for (const control of row.querySelectorAll("select, input")) {
    for (const name of ["aria-invalid", "aria-describedby", "autofocus"]) control.removeAttribute(name);
    control.value = "";
    control.hidden = false;
    if (control.matches("select")) control.selectedIndex = 0;
  }
  button.before(row);
  fitConditions(box);
  row.querySelector("select").focus();
}

function readyForMore(box) {
  // With scripts the spare row is not needed; a swapped page holds it as if there were none.
  for (const spare of box.querySelectorAll("noscript")) spare.remove();
  const button = box.querySelector("[data-another]");
  button.hidden = false;
  button.addEventListener("click", () => another(box, button));
}

export function fitConditions(root) {
  for (const box of root.querySelectorAll("[data-conds]:not([data-fitted])")) {
    box.dataset.fitted = "";
    readyForMore(box);
  }
  for (const box of root.querySelectorAll("[data-condition]:not([data-fitted])")) {
    box.dataset.fitted = "";
    fit(box);
  }
  for (const box of root.querySelectorAll("[data-related]:not([data-fitted])")) {
    box.dataset.fitted = "";
    fitRelated(box);
  }
}
