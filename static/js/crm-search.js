// The search box as a combobox: arrows move through the suggestions, Enter opens one, Esc closes them.
// Focus stays in the box all the time; what was typed last wins, however late an answer comes.
const box = document.getElementById("find");
const list = document.getElementById("suggested");
const said = document.getElementById("said");

const choices = () => [...list.querySelectorAll("[role='option']:not([aria-disabled])")];
const chosen = () => list.querySelector("[aria-selected='true']");

function show(open) {
  const shown = open && list.childElementCount > 0;
  list.toggleAttribute("data-open", shown);
  box.setAttribute("aria-expanded", String(shown));
  if (!shown) choose(null);
}

function choose(option) {
  chosen()?.setAttribute("aria-selected", "false");
  if (!option) {
    box.removeAttribute("aria-activedescendant");
    return;
  }
  option.setAttribute("aria-selected", "true");
  option.scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", option.id);
}

function move(by) {
  const options = choices();
  if (!options.length) return;
  const stops = [null, ...options];
  choose(stops[(stops.indexOf(chosen()) + by + stops.length) % stops.length]);
}

box.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    if (!list.hasAttribute("data-open")) show(true);
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter" && chosen()) {
    event.preventDefault();
    chosen().click();
  } else if (event.key === "Escape") {
    if (list.hasAttribute("data-open")) {
      event.preventDefault();
      show(false);
    } else if (box.value) {
      event.preventDefault();
      clear();
    } else {
      box.blur();
    }
  }
});

function clear() {
  box.value = "";
  box.dispatchEvent(new Event("input", { bubbles: true }));
  box.focus();
}

box.closest("form").querySelector("[data-clear-find]").addEventListener("click", clear);
box.addEventListener("focus", () => show(true));
box.closest("form").addEventListener("focusout", (event) => {
  if (!box.closest("form").contains(event.relatedTarget)) show(false);
});
// A press on a suggestion must not take the focus away before its click arrives.
list.addEventListener("mousedown", (event) => event.preventDefault());
list.addEventListener("mousemove", (event) => {
  const option = event.target.closest("[role='option']:not([aria-disabled])");
  if (option && option !== chosen()) choose(option);
});

list.addEventListener("htmx:afterSwap", () => {
  show(document.activeElement === box);
  const n = choices().length;
  said.textContent = box.value && n ? list.dataset.some.replace("{n}", n) : "";
});
