// Pins and notes: set and taken away without leaving the page, the same in every tab.
import { token } from "./saving.js";

const LEFT = "dock:note-left";

export function keeping(dock, form) {
  const channel = "BroadcastChannel" in window ? new BroadcastChannel(`kept:${dock.dataset.participant}:${dock.dataset.field}`) : null;
  const note = form.querySelector("[name=note]");
  const problem = dock.querySelector("#answer-problem");

  async function show() {
    const response = await fetch(dock.dataset.keptAt, { headers: { Accept: "text/html" } }).catch(() => null);
    if (!response?.ok || response.redirected) return;
    const fresh = document.createElement("template");
    fresh.innerHTML = await response.text();
    for (const part of fresh.content.querySelectorAll("[data-kept]")) {
      const here = form.querySelector(`[data-kept="${part.dataset.kept}"]`);
      if (!here) continue;
      here.replaceChildren(...part.childNodes);
      const count = form.querySelector(`[data-count="${part.dataset.kept}"]`);
      if (count) count.textContent = part.dataset.n;
    }
    mark();
  }

  function sent(fields, keepalive = false) {
    const body = new FormData();
    body.set("csrfmiddlewaretoken", token());
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return { method: "POST", body, headers: { Accept: "application/json" }, keepalive };
  }

  async function act(address, fields = {}) {
    const response = await fetch(address, sent(fields)).catch(() => null);
    // The part is over: the page says what comes next.
    if (response?.redirected) { window.location.assign(response.url); return false; }
    const answer = response ? await response.json().catch(() => null) : null;
    if (answer?.kept) {
      await show();
      channel?.postMessage("changed");
      return true;
    }
    problem.hidden = false;
    problem.querySelector("span").textContent = answer?.message ?? dock.dataset.sayOffline;
    return false;
  }

  // A small button beside each field of the record, filled in once the field is pinned.
  function mark() {
    for (const button of document.querySelectorAll(".pin-field")) {
      const held = form.querySelector(`[data-pinned="${dock.dataset.recordId} ${button.dataset.of}"]`);
      button.setAttribute("aria-pressed", String(Boolean(held)));
    }
  }

  const template = dock.querySelector("[data-pin-button]");
  if (template && dock.dataset.recordId) {
    for (const row of document.querySelectorAll("#main .dl [data-field]")) {
      const button = template.content.firstElementChild.cloneNode(true);
      button.dataset.of = row.dataset.field;
      button.querySelector(".visually-hidden").textContent = button.dataset.say.replace("{field}", row.querySelector("dt").textContent.trim());
      button.title = button.querySelector(".visually-hidden").textContent;
      row.classList.add("with-pin");
      row.querySelector("dd").append(button);
    }
    document.getElementById("main").addEventListener("click", (event) => {
      const button = event.target.closest(".pin-field");
      if (!button) return;
      const held = form.querySelector(`[data-pinned="${dock.dataset.recordId} ${button.dataset.of}"] [data-kept-act]`);
      if (held) act(held.formAction);
      else act(dock.dataset.pinAt, { pin: dock.dataset.recordId, pin_field: button.dataset.of });
      const part = form.querySelector("[data-part=pins]");
      if (part) part.open = true;
    });
    mark();
  }

  // The dock's own buttons; true when the press was for here.
  function pressed(button) {
    if (!button) return false;
    if (button.matches("[data-pin]")) act(button.formAction, { pin: button.value, pin_field: form.elements.namedItem("pin_field").value });
    else if (button.matches("[data-note]")) keepNote();
    else if (button.matches("[data-kept-act]")) {
      const opener = button.closest("details").querySelector("summary");
      act(button.formAction).then(() => opener.focus());
    }
    else return false;
    return true;
  }

  async function keepNote() {
    const words = note.value;
    const done = await act(dock.dataset.noteAt, { note: words, note_record: form.elements.namedItem("note_record").value });
    if (done && note.value === words && words.trim()) note.value = "";
    note.focus();
  }

  // Words in the box when the page is left are a note: nothing typed is lost.
  window.addEventListener("pagehide", () => {
    if (!note?.value.trim() || form.dataset.sending) return;
    fetch(dock.dataset.noteAt, sent({ note: note.value, note_record: form.elements.namedItem("note_record").value }, true)).catch(() => null);
    note.value = "";
    sessionStorage.setItem(LEFT, "yes");
  });
  if (sessionStorage.getItem(LEFT)) {
    // It went off as this page was asked for and may have come in after it.
    sessionStorage.removeItem(LEFT);
    for (const wait of [400, 2500]) setTimeout(show, wait);
  }
  channel?.addEventListener("message", show);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) show(); });
  window.addEventListener("pageshow", (event) => { if (event.persisted) show(); });
  return { pressed };
}
