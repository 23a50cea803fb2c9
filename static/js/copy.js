// Buttons that copy a text and say so. Without a clipboard they stay hidden; the text can be selected.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const label = button.querySelector("span");
    const before = label.textContent;
    button.hidden = false;
    label.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      label.textContent = button.dataset.copied;
      setTimeout(() => { label.textContent = before; }, 2000);
    });
  }
}
