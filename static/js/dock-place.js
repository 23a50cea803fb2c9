// Runs before anything is painted: the dock stands where and as it was left, so nothing moves once it is seen.
(() => {
  const dock = document.currentScript.parentElement;
  const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  dock.dataset.state = kept("dock") ?? (matchMedia("(max-width: 720px)").matches ? "folded" : "open");
  if (kept("dock:side") === "start") dock.dataset.side = "start";
})();
