// A rating card: saves each part as it is typed, keeps "Still missing" true, opens the options after a look.
import { Saver, flushWhenLeaving, savedLine } from "./saving.js";

const form = document.querySelector("[data-card]");
const { participant, save: url } = document.body.dataset;
const target = form.dataset.card;
const line = document.querySelector("[data-saved]");
const tell = savedLine(line, JSON.parse(document.getElementById("saved-words").textContent));
const chosen = () => form.querySelector("[name=choice]:checked")?.value ?? "";
const hiddenVersion = (name) => form.elements.namedItem(name);

const choice = new Saver({
  url, participant, field: `rating/${target}`, version: Number(hiddenVersion("version").value),
  read: () => (chosen() ? { choice: chosen(), reason: chosen() === "cannot_judge" ? form.querySelector("[name=reason]:checked")?.value ?? "" : "" } : undefined),
  tell: (state, answer) => { hiddenVersion("version").value = choice.version; tell(state, answer); },
  conflict: (answer) => ask(form.querySelector(".scale-part"), choice, labelOf(answer.value?.choice), (value) => {
    for (const radio of form.querySelectorAll("[name=choice]")) radio.checked = radio.value === value.choice;
    for (const radio of form.querySelectorAll("[name=reason]")) radio.checked = radio.value === value.reason;
    missing();
  }),
});

const boxes = [...form.querySelectorAll("[data-box]")].map((box) => {
  const side = box.dataset.box;
  const tags = () => [...form.querySelectorAll("[name=tags]")].filter((t) => box.parentElement.contains(t));
  const hidden = hiddenVersion(`version_${side}`);
  const saver = new Saver({
    url, participant, field: `rationale/${target}/${side}`, version: Number(hidden.value),
    read: () => ({ text: box.value, tags: tags().filter((t) => t.checked).map((t) => t.value) }),
    tell: (state, answer) => { hidden.value = saver.version; tell(state, answer); },
    conflict: (answer) => ask(box.parentElement, saver, answer.value?.text ?? "", (value) => {
      box.value = value.text;
      for (const tag of tags()) tag.checked = value.tags.includes(tag.value);
      missing();
    }),
  });
  box.addEventListener("input", () => { saver.touch(); missing(); });
  box.addEventListener("blur", () => saver.flush());
  for (const tag of tags()) tag.addEventListener("change", () => saver.touch(0));
  return { box, saver };
});

function labelOf(value) {
  return form.querySelector(`[name=choice][value="${value}"]`)?.closest("label").querySelector("b, span")?.textContent ?? "";
}

function ask(place, saver, text, write) {
  const words = JSON.parse(document.getElementById("saved-words").textContent);
  const note = document.createElement("div");
  note.className = "conflict";
  note.setAttribute("role", "alert");
  const theirs = document.createElement("p");
  theirs.dir = "auto";
  theirs.textContent = text;
  const button = (label, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "btn quiet small";
    made.textContent = label;
    made.addEventListener("click", () => { act(); note.remove(); });
    return made;
  };
  note.append(words.conflict, theirs, button(words.theirs, () => saver.takeTheirs(write)), button(words.mine, () => saver.keepMine()));
  place.append(note);
}

// Which parts are open, by the same rule as the server's.
function openPart() {
  const value = chosen();
  if (!value) return "choice";
  if (value === "rather_not_say") return "";
  if (value === "cannot_judge") return form.querySelector("[name=reason]:checked") ? "" : "reason";
  return boxes.some(({ box }) => box.value.trim()) ? "" : "why";
}

const list = form.querySelector("[data-missing]");
const templates = JSON.parse(document.getElementById("missing-words").textContent);
let shown = null;
function missing() {
  const part = openPart();
  if (part === shown) return;
  shown = part;
  const item = document.createElement("li");
  if (part) {
    const mark = document.createElement("i");
    mark.className = "o";
    mark.setAttribute("aria-hidden", "true");
    const words = document.createElement("span");
    const link = document.createElement("a");
    link.href = `#${part}`;
    link.textContent = templates[part][0];
    const small = document.createElement("small");
    small.textContent = templates[part][1];
    words.append(link, small);
    item.append(mark, words);
  } else item.textContent = list.dataset.none;
  list.replaceChildren(item);
}

form.addEventListener("change", (event) => {
  if (event.target.name !== "choice" && event.target.name !== "reason") return;
  if (event.target.name === "choice" && event.target.value !== "cannot_judge") for (const r of form.querySelectorAll("[name=reason]")) r.checked = false;
  choice.touch(0);
  missing();
});
missing();

async function look() {
  const answer = await fetch(form.dataset.seen, { headers: { Accept: "application/json" } }).then((r) => (r.ok ? r.json() : null)).catch(() => null);
  if (!answer) return;
  for (const card of form.querySelectorAll("[data-look]")) {
    const state = card.querySelector("[data-state]");
    if (answer.opened.includes(card.dataset.look)) state.textContent = state.dataset.opened;
  }
  if (!answer.may_rate) return;
  form.querySelector("[data-scale]").disabled = false;
  for (const note of form.querySelectorAll("[data-closed]")) note.remove();
}
if (form.dataset.seen) {
  document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
  window.addEventListener("focus", look);
  // With two windows side by side neither event comes: after a click we ask until the options are open.
  let asking = 0;
  for (const card of form.querySelectorAll("[data-look]")) {
    card.addEventListener("click", () => {
      asking ||= setInterval(() => (form.querySelector("[data-scale]").disabled ? look() : clearInterval(asking)), 2000);
    });
  }
}

form.addEventListener("submit", (event) => {
  if (form.dataset.sending) { event.preventDefault(); return; }
  // The form carries everything itself; a save still on its way must not run against it.
  for (const saver of [choice, ...boxes.map((b) => b.saver)]) clearTimeout(saver.timer);
  const waiting = [choice, ...boxes.map((b) => b.saver)].some((saver) => saver.pending);
  if (!waiting) { form.dataset.sending = "yes"; return; }
  event.preventDefault();
  const button = event.submitter;
  Promise.all([choice, ...boxes.map((b) => b.saver)].map((saver) => saver.pending)).finally(() => form.requestSubmit(button));
});
window.addEventListener("pageshow", () => { delete form.dataset.sending; });
flushWhenLeaving(() => (form.dataset.sending ? [] : [choice, ...boxes.map((b) => b.saver)]));
document.querySelector("#card-problem")?.focus();
