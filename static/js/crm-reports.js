// The report builder: only the menus that fit, measures and conditions added and taken away without a reload.
import { fitConditions } from "./crm-conditions.js";

const NUMBERS = ["number", "integer"];
const DATES = ["date", "datetime"];

const within = (line, role) => line.querySelector(`[data-role=${role}]`);
const typeOf = (menu) => menu.selectedOptions[0]?.dataset.type ?? "";

function allow(menu, fits) {
  for (const option of menu.querySelectorAll("option[data-type]")) {
    option.hidden = option.disabled = !fits(option.dataset.type);
  }
  for (const group of menu.querySelectorAll("optgroup")) {
    group.hidden = [...group.children].every((option) => option.hidden);
  }
}

// Which parts of a measure make sense for its function and for what is measured.
function fitMeasure(line, first = false) {
  const [m, mf, mk, ms, mn] = ["m", "mf", "mk", "ms", "mn"].map((role) => within(line, role));
  const plain = ["", "count", "share"].includes(m.value);
  const numeric = ["avg", "sum"].includes(m.value);
  allow(mf, (type) => type === "difference" ? m.value !== "count_distinct" : !numeric || [...NUMBERS, ...DATES].includes(type));
  if (first && line.querySelector("[aria-invalid]")) return;
  if (mf.selectedOptions[0]?.disabled) mf.value = "";
  const type = typeOf(mf);
  const whole = type === "difference";
  const parts = !plain && !whole && m.value !== "count_distinct" && [...NUMBERS, ...DATES].includes(type);
  for (const option of mk.options) {
    const fits = !option.value || (option.value === "~" ? DATES.includes(type) : NUMBERS.includes(type));
    option.hidden = option.disabled = !fits;
  }
  if (!parts || mk.selectedOptions[0]?.disabled) mk.value = "";
  // A date alone has no average: it takes a second one.
  if (parts && numeric && DATES.includes(type)) mk.value = "~";
  allow(ms, (kind) => (mk.value === "~" ? DATES : NUMBERS).includes(kind));
  if (ms.selectedOptions[0]?.disabled) ms.value = "";
  if (!mk.value) ms.value = mn.value = "";
  if (mk.value === "~" || ms.value) mn.value = "";
  if (["", "share"].includes(m.value)) mf.value = "";
  const states = {
    count: plain && m.value !== "",
    over: !plain || Boolean(mf.value),
    sign: parts,
    second: Boolean(mk.value),
    number: Boolean(mk.value) && mk.value !== "~" && !ms.value,
    time: !plain && m.value !== "count_distinct" && (whole || mk.value === "~"),
  };
  for (const part of line.querySelectorAll("[data-when]")) part.hidden = !states[part.dataset.when];
  const where = line.querySelector(".where");
  where.hidden = m.value === "";
  if (m.value === "share") open(where);
}

// Parts that are rarely needed stand behind a word until they are asked for or say something.
function fold(part) {
  const said = [...part.querySelectorAll("select")].some((menu) => menu.value && !menu.matches("[data-period], [name^=mo]"));
  const wrong = part.querySelector("[aria-invalid]");
  const opener = document.createElement("button");
  opener.type = "button";
  opener.className = "plain";
  opener.textContent = part.dataset.optional;
  opener.dataset.opener = "";
  part.before(opener);
  part.dataset.folded = said || wrong ? "" : "1";
  show(part);
  opener.addEventListener("click", () => {
    open(part);
    part.querySelector("select")?.focus();
  });
}

function show(part) {
  const folded = part.dataset.folded === "1";
  part.classList.toggle("away", folded);
  part.previousElementSibling.hidden = !folded;
}

function open(part) {
  if (part.dataset.folded !== "1") return;
  part.dataset.folded = "";
  show(part);
}

function fitPeriod(menu) {
  const period = menu.parentElement.querySelector(`[data-period][name=${{ g: "by", g2: "by2", x: "xby" }[menu.name]}]`);
  const type = typeOf(menu);
  period.hidden = !DATES.includes(type);
  for (const option of period.options) option.hidden = option.disabled = option.value === "hour_of_day" && type === "date";
  if (period.selectedOptions[0]?.disabled) period.value = "month";
}

function ready(line) {
  line.addEventListener("change", (event) => {
    if (event.target === within(line, "m") && event.target.value === "count") within(line, "mf").value = "";
    fitMeasure(line);
  });
  for (const part of line.querySelectorAll("[data-optional]")) fold(part);
  const drop = line.querySelector("[data-drop]");
  drop?.addEventListener("click", (event) => {
    event.preventDefault();
    const next = line.parentElement.querySelector("[data-add]");
    for (const control of line.querySelectorAll("select, input")) control.disabled = true;
    line.hidden = true;
    next.hidden = false;
    next.focus();
  });
  // What was typed and is wrong stays as it was until it is changed.
  fitMeasure(line, true);
}

function start(form) {
  const lines = () => [...form.querySelectorAll("[data-measure]")];
  const blank = lines().find((line) => line.dataset.blank !== undefined);
  const pattern = blank?.cloneNode(true);
  const add = form.querySelector("[data-add=measure]");
  if (blank) blank.remove();
  for (const line of lines()) ready(line);
  add.hidden = !pattern;
  add.addEventListener("click", () => {
    const taken = lines().filter((line) => !line.hidden).map((line) => Number(line.dataset.line));
    const place = [2, 3, 4].find((n) => !taken.includes(n));
    if (!place) return;
    lines().find((line) => line.hidden && Number(line.dataset.line) === place)?.remove();
    const line = pattern.cloneNode(true);
    line.dataset.line = place;
    for (const control of line.querySelectorAll("[name]")) control.name = control.name.replace(/\d*$/, place);
    const m = within(line, "m");
    m.value = "avg";
    form.querySelector(".more-lines").before(line);
    ready(line);
    fitConditions(form);
    add.hidden = taken.length >= 3;
    m.focus();
  });
  for (const part of form.querySelectorAll(".line:not(.measure) > [data-optional]")) fold(part);
  for (const menu of form.querySelectorAll("[data-group]")) {
    menu.addEventListener("change", () => fitPeriod(menu));
    fitPeriod(menu);
  }
  // Another measure or other rows bring their own order, unless somebody chooses one.
  const order = form.querySelector("select[name=sort]");
  form.addEventListener("change", ({ target }) => {
    if (target === order) delete order.dataset.usual;
    else if (target.matches("[name=m], [name=g]") && ["-n", "-value", "group"].includes(order.value)) order.dataset.usual = "";
  });
  // Empty controls say nothing: they stay out of the address.
  form.addEventListener("submit", () => {
    if (order.dataset.usual !== undefined) order.disabled = true;
    for (const control of form.querySelectorAll("select, input")) {
      if (control.hidden || control.closest("[hidden], .away")) control.disabled = control.type !== "hidden";
    }
  });
  // Coming back by the browser's button finds every control alive.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  // On a phone the answer comes before the conditions.
  const folds = form.querySelector("[data-folds]");
  if (matchMedia("(max-width: 720px)").matches && !folds.querySelector(".problem")) folds.open = false;
  form.querySelector(".report-problem")?.focus();
}

for (const form of document.querySelectorAll("[data-builder]")) start(form);
