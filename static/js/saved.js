// What a person sees of the saves of a page: the line of the saved state, both texts of a conflict, a form that waits.
import { button, element } from "./outbox.js";

export function savedLine(line, words) {
  let since = 0;
  const say = (text, warning = false) => {
    line.hidden = false;
    line.classList.toggle("is-warning", warning);
    // Only what needs to be known is spoken; the rest would talk over the person's typing.
    line.setAttribute("aria-live", warning ? "polite" : "off");
    const span = line.querySelector("span");
    if (span.textContent !== text) span.textContent = text;
  };
  setInterval(() => {
    if (!since) return;
    const seconds = Math.round((Date.now() - since) / 1000);
    if (seconds >= 120) say(words.minutes.replace("{n}", Math.floor(seconds / 60)));
    else if (seconds >= 3) say(words.ago.replace("{n}", seconds));
  }, 1000);
  return (state, answer) => {
    since = state === "saved" ? Date.now() : 0;
    if (state === "saving") say(words.saving);
    else if (state === "saved") say(words.saved);
    else say(answer?.message || words.offline, true);
  };
}

// Both texts of one field, side by side in words, and the two ways out. `place` gets the note.
export function askWhich(place, saver, theirs, mine, words) {
  const say = { ...words, ...saver.outbox.say };
  place.querySelector(":scope > .unsent")?.remove();
  const note = element("div", "", "unsent");
  note.setAttribute("role", "alert");
  const shown = (label, text) => {
    const line = element("p", text || say.nothing || "–", "unsent-text");
    line.dir = "auto";
    note.append(element("b", label), line);
  };
  note.append(element("p", saver.theirs?.message || say.conflict));
  shown(say.theirs_is ?? "", theirs);
  shown(say.mine_is ?? "", mine);
  const acts = element("div", "", "unsent-acts");
  acts.append(
    button(say.theirs, () => { note.remove(); saver.takeTheirs(); }),
    button(say.mine, () => { note.remove(); saver.keepMine(); }),
  );
  note.append(acts);
  place.append(note);
}

// A form that carries everything itself goes out after its saves; while one can't be sent, or asks, it stays here.
export async function goAfterSaves(event, form, all) {
  if (form.dataset.sending) { event.preventDefault(); return; }
  if (form.dataset.ready) { delete form.dataset.ready; form.dataset.sending = "yes"; return; }
  event.preventDefault();
  const pressed = event.submitter;
  pressed?.setAttribute("aria-busy", "true");
  await Promise.all(all.map((saver) => saver.flush()));
  // Within the very event that asked for it a form can't be submitted again.
  await new Promise((resolve) => setTimeout(resolve));
  pressed?.removeAttribute("aria-busy");
  if (form.dataset.sending || form.dataset.ready || all.some((saver) => saver.stopped || saver.failing)) return;
  form.dataset.ready = "yes";
  form.requestSubmit(pressed);
}

export function submitSaved(form, all) {
  form.addEventListener("submit", (event) => goAfterSaves(event, form, all));
  window.addEventListener("pageshow", () => { delete form.dataset.sending; });
}
