// The requester in the dock: Enter sends, the reply is added and announced; what could not be sent stays in the field.
const box = document.querySelector("[data-requester]");
const field = box.querySelector("[name=question]");
const id = box.querySelector("[name=question_id]");
const button = box.querySelector("[data-ask]");
const problem = box.querySelector("#rq-problem");
const list = box.querySelector("[data-turns]");
// A question half typed comes along to the next page of the CRM with its id, in this tab and for this person only: sent
// again from there it still counts once.
const KEY = `requester:${box.dataset.key}`;
const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");

const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
if (kept && !field.value) [field.value, id.value] = [kept.text, kept.id];
list.scrollTop = list.scrollHeight;
grow();

function grow() {
  field.style.removeProperty("height");
  field.rows = Math.min(6, Math.max(1, Math.round((field.scrollHeight - 14) / 21)));
}

function say(text) {
  problem.hidden = !text;
  problem.textContent = text;
  field.toggleAttribute("aria-invalid", Boolean(text));
  if (text) field.setAttribute("aria-invalid", "true");
}

function line(kind, label, text) {
  const made = document.createElement("p");
  made.className = kind;
  const hidden = document.createElement("span");
  hidden.className = "visually-hidden";
  hidden.textContent = `${label}: `;
  // The words keep their own direction beside a label in another language.
  const words = document.createElement("bdi");
  words.textContent = text;
  made.append(hidden, words);
  return made;
}

async function post(mayRenew = true) {
  const token = document.querySelector("[name=csrfmiddlewaretoken]");
  const body = new URLSearchParams({ question: field.value, question_id: id.value });
  const response = await fetch(box.dataset.url, { method: "POST", body, headers: { Accept: "application/json", "X-CSRFToken": token.value } });
  const answer = await response.json().catch(() => ({}));
  if (response.status === 403 && answer.error === "csrf" && mayRenew) {
    // Signing in again elsewhere changed the token: get the new one and repeat, once.
    const dock = document.querySelector("[data-save]");
    const fresh = dock && await fetch(dock.dataset.save, { headers: { Accept: "application/json" } }).then((r) => r.json());
    if (!fresh || fresh.participant !== dock.dataset.participant) return [403, {}];
    for (const one of document.querySelectorAll("[name=csrfmiddlewaretoken]")) one.value = fresh.csrf;
    return post(false);
  }
  if (response.redirected) window.location.assign(response.url);
  return [response.status, answer];
}

async function ask() {
  if (!field.value.trim() || box.getAttribute("aria-busy") === "true") { field.focus(); return; }
  box.setAttribute("aria-busy", "true");
  try {
    const [status, answer] = await post();
    if (status !== 200 || !answer.reply) { say(answer.message || box.dataset.sayLost); return; }
    const turn = document.createElement("li");
    turn.append(line("rq-asked", box.dataset.sayYou, answer.asked), line("rq-reply", box.dataset.sayReply, answer.reply));
    list.hidden = false;
    turn.dataset.turn = answer.number;
    // One that had arrived before its reply was lost stands here already.
    list.querySelector(`[data-turn="${answer.number}"]`)?.remove();
    list.querySelector("ol").append(turn);
    list.scrollTop = list.scrollHeight;
    field.value = "";
    id.value = newId();
    sessionStorage.removeItem(KEY);
    say("");
    grow();
  } catch {
    // No answer: the same id goes out again, so the question can't count twice.
    say(box.dataset.sayLost);
  } finally {
    box.removeAttribute("aria-busy");
    field.focus();
  }
}

button.addEventListener("click", (event) => { event.preventDefault(); ask(); });
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  ask();
});
field.addEventListener("input", (event) => {
  // The form around it saves answers as they are typed; this is none.
  event.stopPropagation();
  sessionStorage.setItem(KEY, JSON.stringify({ text: field.value, id: id.value }));
  say("");
  grow();
});
