// What every sandbox page does: keys, copying, menus that fit their field. Pages work without it.
import { fitConditions } from "./crm-conditions.js";
import "./crm-search.js";

const said = document.getElementById("said");

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(text);
  }
  button.dataset.done = "";
  said.textContent = said.dataset.copied;
  setTimeout(() => {
    delete button.dataset.done;
    said.textContent = "";
  }, 1500);
}

// Clipboards are closed to pages that are not served over https; a selection is not.
function copyBySelection(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy], [data-copy-link], [data-back]");
  if (button?.dataset.copy !== undefined) copy(button, button.dataset.copy);
  else if (button?.dataset.copyLink !== undefined) copy(button, location.href);
  else if (button?.dataset.back !== undefined) history.back();
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

const help = document.getElementById("help");

document.addEventListener("click", (event) => {
  if (!help || !event.target.closest("[data-help]")) return;
  event.preventDefault();
  help.showModal();
});
// A click beside the box closes it.
help?.addEventListener("click", (event) => {
  if (event.target === help) help.close();
});

// Keys never act while somebody types.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  const plain = !typing && !event.ctrlKey && !event.metaKey && !event.altKey && !document.querySelector("dialog[open]");
  if (event.key === "/" && plain) {
    event.preventDefault();
    document.getElementById("find").focus();
  } else if (event.key === "?" && plain && help) {
    event.preventDefault();
    help.showModal();
  } else if (event.key === "Escape") {
    const menu = event.target.closest("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// A tick or a window takes effect at once; conditions wait for Apply.
document.addEventListener("change", (event) => {
  if (event.target.closest("[data-auto]")) event.target.form.requestSubmit();
  if (event.target.closest("[data-fold]")) remember(event.target);
});

// The filter panel stays as it was left, from page to page of this tab.
function remember(box) {
  sessionStorage.setItem("crm-filters", box.checked ? "1" : "");
}

function restore() {
  const box = document.querySelector("[data-fold]");
  if (box) box.checked = sessionStorage.getItem("crm-filters") === "1";
}

restore();
fitConditions(document);
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id === "suggested") return;
  restore();
  fitConditions(document);
});
// A live region that arrives with a swap is not read out: its words go to the one that was there before.
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id === "suggested") return;
  const fresh = document.getElementById(event.target.id) ?? event.target;
  const count = fresh.querySelector("[data-say], [role='status']");
  if (count) said.textContent = count.textContent.trim().replace(/\s+/g, " ");
});
