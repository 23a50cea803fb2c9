// Values of a condition while one types: records of a lookup with their Ids, a picklist's values, Yes and No.
// One list serves every box. Focus stays in the box; without it a name or an Id is typed in full.
const TYPES = ["reference", "picklist", "boolean"];
const WAIT = 150;

const list = document.createElement("div");
list.className = "suggested values";
list.id = "values";
list.setAttribute("role", "listbox");
let box = null;
let asked = 0;
let timer = 0;

const choices = () => [...list.querySelectorAll("[role='option']")];
const chosen = () => list.querySelector("[aria-selected='true']");

function close() {
  asked += 1;
  clearTimeout(timer);
  list.removeAttribute("data-open");
  box?.setAttribute("aria-expanded", "false");
  box?.removeAttribute("aria-activedescendant");
}

function choose(option) {
  chosen()?.setAttribute("aria-selected", "false");
  if (!option) return box.removeAttribute("aria-activedescendant");
  option.setAttribute("aria-selected", "true");
  option.scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", option.id);
}

// Of several values the one behind the last semicolon is being typed.
const parts = (input) => (input.asks().several ? input.value.split(";") : [input.value]);
const typed = (input) => parts(input).at(-1).trim();

function place() {
  const at = box.getBoundingClientRect();
  const room = document.documentElement.clientWidth;
  const width = Math.min(Math.max(at.width, 360), room - 16);
  const left = Math.max(8, Math.min(at.left, room - width - 8));
  const origin = list.offsetParent.getBoundingClientRect();
  Object.assign(list.style, { left: `${left - origin.left}px`, width: `${width}px` });
  // Above the box where there is more room.
  const height = list.offsetHeight;
  const above = at.bottom + height + 2 > innerHeight && at.top > innerHeight - at.bottom;
  list.style.top = `${(above ? at.top - height - 2 : at.bottom + 2) - origin.top}px`;
}

function take(option) {
  const { several, named } = box.asks();
  const said = parts(box).slice(0, -1).map((part) => part.trim());
  const value = named ? option.dataset.words : option.dataset.value;
  box.value = several ? [...said, value].join("; ") : value;
  mean(option.dataset.words, value);
  box.dispatchEvent(new Event("change", { bubbles: true }));
  close();
}

// Whom an Id stands for, under the box that holds it.
function mean(words, value) {
  const known = (box.known ??= {});
  if (words && words !== value) known[value] = words;
  const said = parts(box).map((part) => known[part.trim()]).filter(Boolean);
  let note = box.nextElementSibling;
  if (!note?.matches(".meant")) {
    if (!said.length) return;
    note = document.createElement("output");
    note.className = "meant";
    box.after(note);
  }
  note.textContent = said.join("; ");
  note.hidden = !said.length;
}

async function ask(input) {
  const mine = ++asked;
  const { base, path } = input.asks();
  const text = typed(input);
  const answer = await fetch(`${base}?${new URLSearchParams({ path, q: text })}`).catch(() => null);
  const html = answer?.ok ? await answer.text() : "";
  if (mine !== asked || document.activeElement !== input) return;
  list.innerHTML = html;
  const found = choices();
  const same = (one) => [one.dataset.words, one.dataset.value].some((word) => word.toLocaleLowerCase() === text.toLocaleLowerCase());
  if (found.length === 1 && same(found[0])) {
    // There is nothing left to choose; an Id says whom it means.
    if (found[0].dataset.value === text) mean(found[0].dataset.words, text);
    return close();
  }
  if (!found.length) return close();
  list.setAttribute("aria-label", document.getElementById("suggested").getAttribute("aria-label"));
  list.setAttribute("data-open", "");
  place();
  document.getElementById("said").textContent = document.getElementById("suggested").dataset.some.replace("{n}", found.length);
  input.setAttribute("aria-expanded", "true");
}

function begin(input, wait) {
  clearTimeout(timer);
  const { type, path, base } = input.asks();
  // Of a related record's field only the server knows the type.
  if ((type && !TYPES.includes(type)) || !path || !base) return close();
  timer = setTimeout(() => ask(input), wait);
}

function move(by) {
  const stops = [null, ...choices()];
  choose(stops[(stops.indexOf(chosen()) + by + stops.length) % stops.length]);
}

function keys(event) {
  const open = list.hasAttribute("data-open");
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    if (!open) return begin(box, 0);
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter" && open && chosen()) {
    event.preventDefault();
    take(chosen());
  } else if (event.key === "Escape" && open) {
    event.preventDefault();
    event.stopPropagation();
    close();
  }
}

// ``asks`` says what the box is compared with now: base, path, type, and whether several values or a name are meant.
export function suggestValues(input, asks) {
  if (!list.isConnected) (document.getElementById("main") ?? document.body).append(list);
  input.asks = asks;
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "values" })) {
    input.setAttribute(name, value);
  }
  input.addEventListener("focus", () => {
    box = input;
    if (!input.value) begin(input, 0);
  });
  input.addEventListener("input", () => {
    box = input;
    mean("", "");
    begin(input, WAIT);
  });
  input.addEventListener("keydown", keys);
  input.addEventListener("blur", close);
}

// A press on a suggestion must not take the focus away before its click arrives.
list.addEventListener("mousedown", (event) => event.preventDefault());
list.addEventListener("click", (event) => {
  const option = event.target.closest("[role='option']");
  if (option && box) take(option);
});
list.addEventListener("mousemove", (event) => {
  const option = event.target.closest("[role='option']");
  if (option && option !== chosen()) choose(option);
});
