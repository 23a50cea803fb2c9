// The dock: folding, its side, F6 between CRM and question. What is on it lives in modules of its own.
import { answering } from "./dock-answer.js";
import { keeping } from "./dock-kept.js";
import { orienting } from "./dock-orientation.js";

const dock = document.querySelector("[data-dock]");
const rail = dock.querySelector("[data-unfold]");
const fold = dock.querySelector("[data-fold]");
const side = dock.querySelector("[data-other-side]");

function remember(name, value) {
  try { localStorage.setItem(name, value); } catch { /* The dock then stands as it always stands. */ }
}

function show() {
  const open = dock.dataset.state !== "folded";
  rail.hidden = open;
  for (const button of [fold, rail]) button.setAttribute("aria-expanded", String(open));
}

function setState(state) {
  dock.dataset.state = state;
  remember("dock", state);
  show();
}

fold.hidden = false;
if (side) side.hidden = false;
show();
fold.addEventListener("click", () => { setState("folded"); rail.focus(); });
rail.addEventListener("click", () => { setState("open"); fold.focus(); });
side?.addEventListener("click", () => {
  const start = dock.dataset.side !== "start";
  if (start) dock.dataset.side = "start"; else delete dock.dataset.side;
  remember("dock:side", start ? "start" : "");
});
// The other tabs follow.
window.addEventListener("storage", (event) => {
  if (event.key === "dock" && event.newValue) { dock.dataset.state = event.newValue; show(); }
  if (event.key === "dock:side") { if (event.newValue) dock.dataset.side = event.newValue; else delete dock.dataset.side; }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "F6") return;
  event.preventDefault();
  if (dock.contains(document.activeElement)) { document.getElementById("main")?.focus(); return; }
  if (dock.dataset.state === "folded") setState("open");
  dock.focus();
});

// What was unfolded in the dock stays so from page to page of this tab.
for (const part of dock.querySelectorAll("details[data-part]")) {
  const key = `dock:part:${part.dataset.part}`;
  const was = sessionStorage.getItem(key);
  if (was !== null) part.open = was === "open";
  part.addEventListener("toggle", () => sessionStorage.setItem(key, part.open ? "open" : ""));
}
for (const words of dock.querySelectorAll("[data-needs-script]")) words.hidden = false;
// Reasons that open below the edge come into sight.
const skip = dock.querySelector(".dk-skip");
skip?.addEventListener("toggle", () => { if (skip.open) skip.scrollIntoView({ block: "nearest" }); });
// Lists change their address without a new page: forms lead back to where one is now.
dock.addEventListener("submit", (event) => {
  const back = event.target.querySelector("[data-back]");
  if (back) back.value = location.pathname + location.search;
}, true);

// A record that a list shows beside it stands open too: what the dock offers for it comes along.
document.getElementById("main")?.setAttribute("hx-select-oob", "#dock-use-record,#dock-pin-record,#note-record,#note-hint");

const form = dock.querySelector("form.dk-form");
if (form && dock.dataset.field) {
  const kept = keeping(dock, form);
  answering(dock, form, kept);
}
if (dock.dataset.now) orienting(dock);
