// Saves that are acknowledged. One Saver per field: value, base version, save id; the server says what became of it.

export const token = () => document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
const WAIT = 600;
const AGAIN = 5000;

function setToken(value) {
  for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = value;
}

async function send(url, body, mayRenew = true) {
  const text = JSON.stringify(body);
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": token() },
    body: text,
    // A request that may outlive its page may hold 64 kB; longer texts are sent the plain way.
    keepalive: new Blob([text]).size < 60_000,
  });
  const answer = await response.json().catch(() => ({ error: "unreadable" }));
  if (response.status === 403 && answer.error === "csrf" && mayRenew) {
    // Signing in again elsewhere changed the token: get the new one and repeat, once.
    const fresh = await fetch(url, { headers: { Accept: "application/json" } }).then((r) => r.json());
    if (fresh.participant !== body.participant) return [403, { error: "other_participant", message: "" }];
    setToken(fresh.csrf);
    return send(url, body, false);
  }
  return [response.status, answer];
}

export class Saver {
  // options: url, participant, field, version, read() -> value, tell(state, answer), conflict(answer)
  constructor(options) {
    Object.assign(this, options);
    this.typed = false;
    this.pending = null;
    this.timer = 0;
  }

  touch(wait = WAIT) {
    this.typed = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), wait);
  }

  async flush() {
    clearTimeout(this.timer);
    if (this.pending) await this.pending;
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
    this.tell("saving");
    const body = { field: this.field, value, base: this.version, save_id: this.unsent.id, participant: this.participant };
    try {
      const [status, answer] = await send(this.url, body);
      return this.#heard(status, answer, text);
    } catch {
      this.tell("offline");
      this.timer = setTimeout(() => this.flush(), AGAIN);
      return false;
    }
  }

  #heard(status, answer, text) {
    if (status === 200) {
      this.version = answer.version;
      this.unsent = null;
      this.typed = JSON.stringify(this.read()) !== text && this.read() !== undefined;
      this.tell("saved", answer);
      if (this.typed) this.touch();
      if (answer.next) window.location.assign(answer.next);
      return true;
    }
    this.unsent = null;
    if (answer.error === "stale") {
      this.stopped = true;
      this.theirs = answer;
      this.tell("stale", answer);
      this.conflict(answer);
    } else {
      this.typed = false;
      this.tell("refused", answer);
      if (answer.error === "closed" && answer.next) window.location.assign(answer.next);
    }
    return false;
  }

  // After a conflict the person chooses; both texts stay with the server either way.
  keepMine() {
    this.version = this.theirs.version;
    this.stopped = false;
    this.touch(0);
  }

  takeTheirs(write) {
    this.version = this.theirs.version;
    this.stopped = false;
    this.typed = false;
    write(this.theirs.value);
    this.tell("saved", this.theirs);
  }

  // A tab that comes into view takes over what another one has saved, unless something unsaved stands here.
  async refresh(write) {
    if (this.typed || this.pending || this.stopped) return;
    const stored = await fetch(`${this.url}?field=${encodeURIComponent(this.field)}`, { headers: { Accept: "application/json" } })
      .then((r) => (r.ok ? r.json() : null)).catch(() => null);
    if (stored && stored.participant === this.participant && stored.version > this.version && !this.typed) {
      this.version = stored.version;
      write(stored.value);
    }
  }
}

export function savedLine(line, words) {
  let since = 0;
  const say = (text, warning = false) => {
    line.hidden = false;
    line.classList.toggle("is-warning", warning);
    const span = line.querySelector("span");
    if (span.textContent !== text) span.textContent = text;
  };
  line.setAttribute("aria-live", "off");
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
    else if (state === "offline") say(words.offline, true);
    else say(answer?.message || words.offline, true);
  };
}

export function flushWhenLeaving(savers) {
  const all = () => savers().forEach((saver) => saver.flush());
  document.addEventListener("visibilitychange", () => { if (document.hidden) all(); });
  window.addEventListener("pagehide", all);
  window.addEventListener("online", all);
}
