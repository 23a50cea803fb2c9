// The query console: Ctrl+Enter, the place of a fault, names that go where the cursor is, filters. It works without.
const text = document.getElementById("q");

function insert(name) {
  const start = text.selectionStart;
  const before = text.value.slice(0, start);
  const glued = before && !/[\s(.,]$/.test(before) ? " " : "";
  text.focus();
  // setRangeText would be quicker; execCommand keeps the browser's own undo.
  if (!document.execCommand("insertText", false, glued + name)) text.setRangeText(glued + name, start, text.selectionEnd, "end");
}

function filter(field) {
  const box = document.querySelector(field.dataset.filter);
  const wanted = field.value.trim().toLowerCase();
  let shown = 0;
  for (const row of box.querySelectorAll("[data-words]")) {
    // An object is shown for a field of its own as well, and all of its fields for its own name.
    const words = `${row.dataset.words} ${row.dataset.fields ?? ""}`.toLowerCase();
    const owner = row.parentElement.closest("[data-words]")?.dataset.words.toLowerCase() ?? "";
    row.hidden = !words.includes(wanted) && !(wanted && owner.includes(wanted));
    if (!row.hidden) shown += 1;
  }
  const nothing = box.closest(".card").querySelector("[data-nothing]");
  if (nothing) nothing.hidden = shown > 0;
}

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-filter]")) filter(event.target);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const field of document.querySelectorAll("[data-filter]")) filter(field);
});
document.addEventListener("click", (event) => {
  const name = event.target.closest("[data-insert]");
  if (name && text) insert(name.dataset.insert);
  if (event.target.closest("[data-clear]")) {
    text.focus();
    text.select();
    document.execCommand("delete");
  }
});

if (text) {
  const form = text.form;
  const clear = form.querySelector("[data-clear]");
  const offerClear = () => (clear.hidden = text.value === "");
  offerClear();
  text.addEventListener("input", offerClear);
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  // What no server takes as an address is kept first, and its page opened by a key.
  form.addEventListener("submit", (event) => {
    const query = new URLSearchParams(new FormData(form)).toString();
    const long = document.getElementById("long");
    if (query.length <= Number(form.dataset.longest) || !long) return;
    event.preventDefault();
    long.elements.to.value = new URL(form.action).pathname;
    long.elements.query.value = query;
    long.submit();
  });
  if (text.dataset.at) {
    const at = Number(text.dataset.at);
    text.focus();
    text.setSelectionRange(at, at);
  }
}
