// Keys for marking: 1, 2 and 3 choose while nothing is being typed, Enter on a choice saves.
const form = document.querySelector("[data-marking]");

if (form) {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("textarea, select, input:not([type=radio])");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const choice = form.querySelector(`input[data-key="${CSS.escape(event.key)}"]`);
    if (choice) {
      choice.checked = true;
      choice.focus();
      event.preventDefault();
    }
  });
}
