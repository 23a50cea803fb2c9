// Words selected in the text go into the list of what is masked.
const form = document.querySelector("[data-redaction]");
const text = document.querySelector("[data-words]");

if (form && text) {
  const take = form.querySelector("[data-take]");
  const words = form.querySelector("textarea");
  const selected = () => {
    const selection = document.getSelection();
    const inside = selection.rangeCount && text.contains(selection.anchorNode) && text.contains(selection.focusNode);
    return inside ? selection.toString().trim() : "";
  };
  take.hidden = false;
  // Pressing the button must not clear the selection first.
  take.addEventListener("mousedown", (event) => event.preventDefault());
  take.addEventListener("click", () => {
    const chosen = selected();
    if (chosen) words.value = [words.value.trimEnd(), ...chosen.split("\n")].filter(Boolean).join("\n");
    words.focus();
  });
}
