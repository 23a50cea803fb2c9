// Saves that are acknowledged. One Saver per field: value, base version, save id; the server says what became of it.
import { ask, heardElsewhere, inWords, newId, outboxOf, send } from "./outbox.js";

export { newId, token } from "./outbox.js";
const WAIT = 600;
const AGAIN = 5000;
const SELDOM = 60_000;
const savers = new Set();
// Only field and version are told to other tabs; each asks the server itself, as whoever is signed in there.
const channel = "BroadcastChannel" in window ? new BroadcastChannel("saved") : null;

export class Saver {
  // options: url, participant, field, version, read() -> value, tell(state, answer), conflict(answer), write(value)?
  constructor(options) {
    Object.assign(this, options);
    Object.assign(this, { typed: false, pending: null, timer: 0, wait: AGAIN, ids: new Set(), slot: newId(), kept: false, failing: false });
    this.outbox = outboxOf(this.url, this.participant);
    this.outbox.fields = true;
    savers.add(this);
    begin();
  }

  touch(wait = this.failing ? WAIT / 4 : WAIT) {
    this.typed = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), wait);
  }

  async flush() {
    clearTimeout(this.timer);
    while (this.pending) await this.pending;
    if (!this.typed || this.stopped) return !this.stopped;
    this.pending = this.#save();
    const done = await this.pending;
    this.pending = null;
    return done;
  }

  async #save() {
    const value = this.read();
    if (value === undefined) { this.typed = false; return true; }
    const text = JSON.stringify(value);
    // An unanswered save goes out again under its old id, so it can never count twice.
    if (!this.unsent || this.unsent.text !== text) this.unsent = { text, id: newId() };
    this.ids.add(this.unsent.id);
    if (!this.failing) this.tell("saving");
    const body = { field: this.field, value, base: this.version, save_id: this.unsent.id, participant: this.participant };
    const kept = this.outbox.keep(this.slot, body);
    try {
      const [status, answer] = await send(this.url, body);
      return this.#heard(status, answer, text, kept);
    } catch {
      return this.#later(kept, null);
    }
  }

  // Not heard, or by nobody who may take it: the text stays, is kept aside if the browser can, and goes out again.
  async #later(kept, words) {
    this.failing = true;
    this.kept = await kept;
    const say = this.outbox.say;
    const where = this.kept ? (navigator.onLine ? say?.unreached : say?.offline) : this.outbox.key ? say?.full : say?.page;
    this.tell("offline", { message: words ?? where });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), this.wait);
    this.wait = Math.min(this.wait * 2, SELDOM);
    return false;
  }

  #heard(status, answer, text, kept) {
    if (status === 200 && answer.version) {
      this.#settled(answer);
      const now = this.read();
      this.typed = now !== undefined && JSON.stringify(now) !== text;
      this.tell("saved", answer);
      channel?.postMessage({ participant: this.participant, field: this.field, version: answer.version });
      if (this.typed) this.touch();
      if (answer.next) window.location.assign(answer.next);
      return true;
    }
    const words = { signin: "signed_out", other_participant: "other" }[answer.error];
    if (words || status === 200 || status === 403 || status === 408 || status === 429 || status >= 500) return this.#later(kept, this.outbox.say?.[words] ?? answer.message);
    this.failing = false;
    if (answer.error === "stale" && this.ids.has(answer.by)) {
      // The version in the way is an earlier save of this very field whose answer was lost on the way.
      this.version = answer.version;
      this.unsent = null;
      return this.#save();
    }
    this.unsent = null;
    if (answer.error === "stale") this.#refused(answer, text);
    else {
      this.typed = false;
      this.tell("refused", answer);
      if (answer.error === "closed") this.outbox.drop(this.slot);
      if (answer.error === "closed" && answer.next) window.location.assign(answer.next);
    }
    return false;
  }

  #settled(answer) {
    Object.assign(this, { version: answer.version, unsent: null, failing: false, kept: false, wait: AGAIN });
    this.outbox.drop(this.slot);
  }

  #refused(answer, text) {
    Object.assign(this, { stopped: true, theirs: answer, seen: text });
    this.tell("stale", answer);
    this.conflict(answer);
  }

  // A text of an earlier page that found another version: it stands in the field again, and its owner chooses.
  offer(slot, save, answer) {
    this.outbox.drop(this.slot);
    this.slot = slot;
    this.write(save.value);
    this.typed = true;
    this.#refused({ ...answer, message: this.outbox.say.stale }, JSON.stringify(save.value));
  }

  // After a conflict the person chooses; both texts stay with the server either way.
  keepMine() {
    this.version = this.theirs.version;
    this.stopped = false;
    this.touch(0);
  }

  async takeTheirs(write = this.write) {
    const value = this.read();
    // What was typed after the server refused has to become a revision too, before it leaves the screen.
    if (value !== undefined && JSON.stringify(value) !== this.seen) {
      const body = { field: this.field, value, base: this.version, save_id: newId(), participant: this.participant };
      const [status, answer] = await send(this.url, body).catch(() => [0, {}]);
      if (status === 200) this.theirs = answer;
      else if (answer.error === "stale") this.theirs = answer;
      else { this.tell("offline", { message: this.outbox.say?.unreached }); this.conflict(this.theirs); return; }
    }
    this.stopped = false;
    this.typed = false;
    write(this.theirs.value);
    this.#settled(this.theirs);
    this.tell("saved", this.theirs);
  }

  get idle() { return !this.typed && !this.pending && !this.stopped; }

  // A tab that comes into view takes over what another one has saved, unless something unsaved stands here.
  take(stored, write = this.write) {
    if (!write || !stored || !(stored.version > this.version) || !this.idle) return;
    this.version = stored.version;
    write(stored.value);
  }

  async refresh(write = this.write) {
    if (!this.idle) return;
    const stored = await ask(`${this.url}?field=${encodeURIComponent(this.field)}`).catch(() => null);
    if (stored?.participant === this.participant) this.take(stored, write);
  }
}

export function flushWhenLeaving(wanted) {
  const all = () => wanted().forEach((saver) => saver.flush());
  document.addEventListener("visibilitychange", () => { if (document.hidden) all(); });
  window.addEventListener("pagehide", all);
}

// What the whole page does for its fields, once there is one.
let begun = false;
function begin() {
  if (begun) return;
  begun = true;
  setTimeout(sendLeft);
  channel?.addEventListener("message", ({ data }) => {
    for (const saver of savers) if (saver.field === data.field && saver.participant === data.participant && data.version > saver.version) saver.refresh();
  });
  const back = () => { again(); sendLeft(); };
  window.addEventListener("online", back);
  window.addEventListener("focus", again);
  window.addEventListener("pageshow", (event) => { if (event.persisted) takeOver(); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) { again(); takeOver(); } });
  window.addEventListener("beforeunload", (event) => {
    if ([...savers].some((saver) => saver.failing && saver.typed && !saver.kept)) event.preventDefault();
  });
}

// Whoever could not be reached is tried at once when there is a sign that it may work again.
function again() {
  for (const saver of savers) if (saver.failing) { saver.wait = AGAIN; saver.flush(); }
}

// All fields of the page in one question.
async function takeOver() {
  const [first] = savers;
  const wanted = [...savers].filter((saver) => saver.idle && saver.write);
  if (!wanted.length) return;
  const stored = await ask(`${first.url}?${new URLSearchParams(wanted.map((saver) => ["field", saver.field]))}`).catch(() => null);
  if (stored?.participant !== first.participant) return;
  for (const saver of wanted) saver.take(stored.fields?.[saver.field]);
}

let sending = false;
async function sendLeft() {
  if (sending) return;
  sending = true;
  try { await sendLeftHere(); } finally { sending = false; }
}

async function sendLeftHere() {
  const [first] = savers;
  const { outbox } = first;
  // The key is asked for now, while there is a connection: without it nothing can be kept later.
  if (!(await outbox.ready())) return;
  const open = (slot) => [...savers].some((saver) => saver.slot === slot);
  await outbox.sendLeft(open, (slot, save, status, answer) => {
    const here = [...savers].find((saver) => saver.field === save.field && saver.write);
    if (!here) heardElsewhere(outbox, slot, save, status, answer);
    else if (status === 200) { if (here.idle) here.refresh(); }
    else if (answer.error === "stale" && here.idle && inWords(answer.value) !== inWords(save.value)) here.offer(slot, save, answer);
    else heardElsewhere(outbox, slot, save, status, answer);
  });
}
