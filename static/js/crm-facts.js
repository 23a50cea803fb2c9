// How long a page stood in view, and which record Ids were copied from it. Nothing else is noted, and nothing waits
// for it: a page without this script is the same page.
const mark = document.querySelector('meta[name="page-event"]');
const IDLE_AFTER = 60_000;
const AN_ID = /\b(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?\b/g;

// performance.now() only runs forward, whatever somebody does to the computer's clock.
let facts = fresh(mark?.content ?? "");
let last = performance.now();
let touched = last;
let visible = !document.hidden;
let focused = visible && document.hasFocus();

function fresh(sequence) {
  return { sequence, visible: 0, focused: 0, idle: 0, copied: new Set(), sent: "" };
}

// Adds what has passed since the last look, as things stood then.
function count() {
  const now = performance.now();
  if (visible) {
    facts.visible += now - last;
    if (focused) facts.focused += now - last;
    facts.idle += Math.max(0, now - Math.max(last, touched + IDLE_AFTER));
  }
  last = now;
  visible = !document.hidden;
  focused = visible && document.hasFocus();
}

function touch() {
  if (performance.now() - touched < 1000) return;
  count();
  touched = last;
}

function send() {
  count();
  if (!facts.sequence) return;
  const body = new URLSearchParams({
    sequence: facts.sequence,
    visible: Math.round(facts.visible),
    focused: Math.min(Math.round(facts.focused), Math.round(facts.visible)),
    idle: Math.min(Math.round(facts.idle), Math.round(facts.visible)),
    copied: [...facts.copied].slice(0, 200).join(" "),
    width: window.innerWidth,
    csrfmiddlewaretoken: mark.dataset.token,
  });
  if (facts.sent === `${body}`) return;
  facts.sent = `${body}`;
  if (!navigator.sendBeacon?.(mark.dataset.to, body)) {
    fetch(mark.dataset.to, { method: "POST", body, keepalive: true }).catch(() => {});
  }
}

function copied(text) {
  for (const one of text.match(AN_ID) ?? []) facts.copied.add(one);
}

if (mark) {
  for (const name of ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchstart"]) {
    addEventListener(name, touch, { passive: true, capture: true });
  }
  addEventListener("focus", count);
  addEventListener("blur", count);
  document.addEventListener("copy", () => copied(String(document.getSelection())));
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (button) copied(button.dataset.copy ?? "");
  });
  document.addEventListener("visibilitychange", () => (document.hidden ? send() : count()));
  addEventListener("pagehide", send);
  addEventListener("pageshow", (event) => event.persisted && count());
  // A part that was exchanged answers an event of its own: what came before belongs to the page before.
  document.addEventListener("htmx:afterRequest", (event) => {
    const number = event.detail.xhr?.getResponseHeader("X-Page-Event");
    if (!number) return;
    send();
    facts = fresh(number);
  });
}
