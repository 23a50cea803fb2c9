// The choice on a card is saved the moment it is made; the button sends the same once more and goes on.
import { Saver, flushWhenLeaving, savedLine } from "./saving.js";

const form = document.querySelector("[data-shown-card]");

if (form) {
  const { participant, save: url } = document.body.dataset;
  const version = form.elements.namedItem("version");
  const tell = savedLine(document.querySelector("[data-saved]"), JSON.parse(document.getElementById("saved-words").textContent));
  const saver = new Saver({
    url, participant, field: `card/${form.dataset.shownCard}`, version: Number(version.value),
    read: () => {
      const choice = new FormData(form).get("choice");
      return choice ? { choice } : undefined;
    },
    tell: (state, answer) => { version.value = saver.version; tell(state, answer); },
    // What another tab has saved is asked about when the page is sent.
    conflict: () => {},
  });
  form.addEventListener("change", () => saver.touch(0));
  form.addEventListener("submit", (event) => {
    if (form.dataset.sending) { event.preventDefault(); return; }
    clearTimeout(saver.timer);
    if (!saver.pending) { form.dataset.sending = "yes"; return; }
    event.preventDefault();
    const button = event.submitter;
    saver.pending.finally(() => form.requestSubmit(button));
  });
  window.addEventListener("pageshow", () => { delete form.dataset.sending; });
  flushWhenLeaving(() => (form.dataset.sending ? [] : [saver]));
}
