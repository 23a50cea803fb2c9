// Closing questions are saved as they are given; the last page's code is copied with one click.
import { Saver, flushWhenLeaving, savedLine } from "./saving.js";

const form = document.querySelector("[data-closing]");
const copy = document.querySelector("[data-copy-code]");

if (form) {
  const { participant, save: url } = document.body.dataset;
  const tell = savedLine(document.querySelector("[data-saved]"), JSON.parse(document.getElementById("saved-words").textContent));
  const savers = [...form.querySelectorAll("[data-item]")].map((place) => {
    const item = place.dataset.item;
    const version = form.elements.namedItem(`version_${item}`);
    const names = (data) => [...data.keys()].filter((name) => name === item || name.startsWith(`${item}.`));
    const saver = new Saver({
      url, participant, field: `closing/${item}`, version: Number(version.value),
      read: () => {
        const data = new FormData(form);
        return Object.fromEntries([...new Set(names(data))].map((name) => [name, data.getAll(name).filter(Boolean)]));
      },
      tell: (state, answer) => { version.value = saver.version; tell(state, answer); },
      // What was saved elsewhere shows after a reload; what stands here is sent with the page and asked about there.
      conflict: () => {},
    });
    place.addEventListener("input", (event) => saver.touch(event.target.type === "radio" || event.target.type === "checkbox" ? 0 : undefined));
    place.addEventListener("focusout", () => saver.flush());
    return saver;
  });
  form.addEventListener("submit", (event) => {
    if (form.dataset.sending) { event.preventDefault(); return; }
    for (const saver of savers) clearTimeout(saver.timer);
    const waiting = savers.filter((saver) => saver.pending);
    if (!waiting.length) { form.dataset.sending = "yes"; return; }
    event.preventDefault();
    const button = event.submitter;
    Promise.all(waiting.map((saver) => saver.pending)).finally(() => form.requestSubmit(button));
  });
  window.addEventListener("pageshow", () => { delete form.dataset.sending; });
  flushWhenLeaving(() => (form.dataset.sending ? [] : savers));
}

if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.querySelector("[data-code]").textContent.trim());
    copy.querySelector("span").textContent = copy.dataset.copied;
  });
}
