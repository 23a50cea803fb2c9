// Menus of conditions: only comparisons that fit the chosen field.

function fit(box) {
  const [field, op] = box.querySelectorAll("select");
  const value = box.querySelector("input");
  const allowed = JSON.parse(box.dataset.ops);
  const words = value.placeholder;

  function update() {
    const type = field.selectedOptions[0]?.dataset.type;
    const fitting = allowed[type];
    for (const option of op.options) option.hidden = option.disabled = Boolean(fitting) && !fitting.includes(option.value);
    if (op.selectedOptions[0]?.disabled) op.value = fitting[0];
    const needs = op.selectedOptions[0]?.dataset.type;
    const needsNumber = needs === "n";
    const word = op.selectedOptions[0]?.closest("optgroup") !== op.querySelector("optgroup");
    value.hidden = ["null", "not_null"].includes(op.value) || (word && !needs);
    const date = !word && ["date", "datetime"].includes(type);
    value.type = date ? "date" : "text";
    value.inputMode = needsNumber || ["number", "integer"].includes(type) ? "decimal" : "text";
    value.placeholder = needsNumber ? value.dataset.number : needs === "p" ? value.dataset.period : op.value.endsWith("in") ? value.dataset.several : words;
  }
  field.addEventListener("change", update);
  op.addEventListener("change", update);
  update();
}

// The fields of related records are those of the chosen kind.
function fitRelated(box) {
  const kind = box.querySelector("[name=rc]");
  const field = box.querySelector("[name=rf]");
  if (!field) return;
  const update = () => {
    const child = kind.value.split(".")[0];
    for (const option of field.querySelectorAll("option[data-type]")) {
      const other = option.dataset.type !== child;
      option.hidden = option.disabled = other;
      option.parentElement.hidden = other;
    }
    if (field.selectedOptions[0]?.disabled) field.value = "";
  };
  kind.addEventListener("change", update);
  update();
}

export function fitConditions(root) {
  for (const box of root.querySelectorAll("[data-condition]:not([data-fitted])")) {
    box.dataset.fitted = "";
    fit(box);
  }
  for (const box of root.querySelectorAll("[data-related]:not([data-fitted])")) {
    box.dataset.fitted = "";
    fitRelated(box);
  }
}
