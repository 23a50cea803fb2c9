// The arrow keys turn the pages of a visit; the links do the same without it.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const way = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  if (way) document.querySelector(`a[rel="${way}"]`)?.click();
});
