// The orientation's slip: a page is in the trace once it is shown, so what it did is asked for right after.
export function orienting(dock) {
  const place = dock.querySelector("[data-now-here]");
  const said = dock.querySelector("[data-say-now]");
  let asked = 0;

  async function ask() {
    const mine = ++asked;
    const response = await fetch(dock.dataset.now, { headers: { Accept: "text/html" } }).catch(() => null);
    if (!response?.ok || response.redirected || mine !== asked) return;
    const fresh = document.createElement("template");
    fresh.innerHTML = await response.text();
    const move = (part) => part.querySelector("[data-move]")?.dataset.move;
    const ticks = (part) => part.querySelectorAll(".dk-opened").length;
    if (move(place) === move(fresh.content) && ticks(place) === ticks(fresh.content)) return;
    const changed = move(place) !== move(fresh.content);
    // What is being typed is never taken away.
    if (place.contains(document.activeElement) && document.activeElement.matches("input")) return;
    const held = place.contains(document.activeElement);
    place.replaceChildren(fresh.content);
    if (changed) said.textContent = place.querySelector("[data-move-words]")?.textContent.trim() ?? "";
    if (held) dock.focus();
  }

  ask();
  document.addEventListener("htmx:afterSettle", (event) => { if (!dock.contains(event.target)) ask(); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) ask(); });
}
