// The rating pages: a card of its own or the matrix. Keeps "Still missing" true and opens the options after a look.
import { Card, pageWords } from "./rating-card.js";
import { evidence } from "./evidence.js";
import { goAfterSaves, savedLine } from "./saved.js";
import { flushWhenLeaving } from "./saving.js";

const form = document.querySelector(".card-form, .matrix-form");
const tell = savedLine(document.querySelector("[data-saved]"), JSON.parse(document.getElementById("saved-words").textContent));
const roots = form.matches("[data-card]") ? [form] : [...form.querySelectorAll("[data-card]")];
const cards = roots.map((root) => new Card(root, tell, () => missing()));
const savers = cards.flatMap((card) => card.savers);
const single = cards[0].root === form;

const list = form.querySelector("[data-missing]");
let shown = null;
let problem = null;
function missing() {
  const open = cards.filter((card) => card.open());
  const now = open.map((card) => `${card.target}:${card.open()}`).join(" ");
  clearProblem();
  if (now === shown) return;
  shown = now;
  if (open.length) list.replaceChildren(...open.map(line));
  else {
    const done = document.createElement("li");
    done.textContent = list.dataset.none;
    list.replaceChildren(done);
  }
}

function line(card) {
  const [words, hint] = pageWords.missing[card.open()];
  const item = document.createElement("li");
  const mark = document.createElement("i");
  mark.className = "o";
  mark.setAttribute("aria-hidden", "true");
  const text = document.createElement("span");
  const link = document.createElement("a");
  link.href = single ? `#${card.open()}` : `#row-${card.target}`;
  link.textContent = single ? words : card.name;
  const small = document.createElement("small");
  small.textContent = single ? hint : words;
  text.append(link, small);
  item.append(mark, text);
  return item;
}
missing();

// Pressing on with something open: said beside the first open thing, and the focus goes there.
function clearProblem() {
  if (!problem) return;
  problem.words.remove();
  problem.place.removeAttribute("aria-invalid");
  problem.place.removeAttribute("aria-errormessage");
  problem = null;
}

function show(card) {
  clearProblem();
  const part = card.open();
  const place = card.place(part);
  const group = place.closest("[role=radiogroup], .seen") ?? place;
  const words = document.createElement("p");
  words.className = "field-error";
  words.id = "first-missing";
  words.setAttribute("role", "alert");
  group.before(words);
  const [what, hint] = pageWords.missing[part];
  words.textContent = `${single ? pageWords.still : card.name}: ${what}. ${hint}`;
  if (group.matches("[role=radiogroup], textarea")) {
    group.setAttribute("aria-invalid", "true");
    group.setAttribute("aria-errormessage", words.id);
  }
  problem = { words, place: group };
  place.focus();
}

form.addEventListener("submit", (event) => {
  const button = event.submitter;
  const open = cards.find((card) => card.open());
  if (open && button?.value === "next") { event.preventDefault(); savers.forEach((saver) => saver.flush()); show(open); return; }
  goAfterSaves(event, form, savers);
});
window.addEventListener("pageshow", () => { delete form.dataset.sending; });
flushWhenLeaving(() => (form.dataset.sending ? [] : savers));

evidence(form);
for (const button of form.querySelectorAll("[data-copy-to]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const { box } = cards[0].boxes.find((one) => one.side === button.dataset.copyTo);
    const text = button.closest("li").querySelector("[data-note]").textContent;
    box.value = box.value.trim() ? `${box.value.trimEnd()}\n${text}` : text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    form.querySelector("[data-copied]").textContent = pageWords.copied;
  });
}

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
(document.querySelector("#card-problem") ?? document.querySelector("[data-asked]"))?.focus();
