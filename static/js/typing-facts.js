// How a text came about: characters pasted, pastes, seconds with the focus. Only for people who agreed to it.
// The numbers stand in a hidden field of the form and move only when something happens, so that a save can end.

export function typingFacts(box, field) {
  if (!field) return { value: () => undefined };
  const kept = field.value.split(",").map(Number);
  let since = 0;
  let seconds = kept[2];
  const note = () => {
    if (since) seconds += (performance.now() - since) / 1000;
    if (since) since = performance.now();
    field.value = [kept[0], kept[1], Math.round(seconds)].join(",");
  };
  box.addEventListener("focus", () => { since = performance.now(); });
  box.addEventListener("blur", () => { note(); since = 0; });
  box.addEventListener("input", note);
  box.addEventListener("paste", (event) => {
    kept[0] += [...(event.clipboardData?.getData("text/plain") ?? "")].length;
    kept[1] += 1;
    note();
  });
  if (document.activeElement === box) since = performance.now();
  return { value: () => field.value.split(",").map(Number) };
}
