// The outbox: saves the server has not acknowledged, kept in this browser, encrypted under a key that the server gives to
// one participant and that is held in memory only. Nothing stored tells whose a save is; the next person can't read it.

const DATABASE = "unsent";
const STORE = "saves";
const MOST = 200;
const LARGEST = 2_000_000;
const OLD = 30 * 24 * 3600 * 1000;
const boxes = new Map();

export const token = () => document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");

function setToken(value) {
  for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = value;
}

export async function ask(url) {
  const response = await fetch(url, { headers: { Accept: "application/json" } });
  return response.ok ? response.json() : null;
}

// One save to the server: [status, answer]. A refused token is renewed and the save repeated, once (P-06).
export async function send(url, body, mayRenew = true) {
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
    const renewed = await fetch(url, { headers: { Accept: "application/json" } });
    const fresh = await renewed.json().catch(() => ({ error: "unreadable" }));
    // Nobody is signed in, or somebody else: the answer says so.
    if (!renewed.ok) return [renewed.status, fresh];
    if (fresh.participant !== body.participant) return [403, { error: "other_participant" }];
    setToken(fresh.csrf);
    return send(url, body, false);
  }
  return [response.status, answer];
}

const promised = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

async function store(mode) {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "slot" });
  const database = await promised(request);
  const transaction = database.transaction(STORE, mode);
  transaction.oncomplete = transaction.onabort = () => database.close();
  return transaction.objectStore(STORE);
}

class Outbox {
  constructor(url, participant) {
    Object.assign(this, { url, participant, say: null, key: null, order: Promise.resolve(), able: Boolean(globalThis.crypto?.subtle && globalThis.indexedDB) });
  }

  // The key and the words, asked for once; again after a failure.
  ready() {
    this.opening ??= this.#open().catch(() => null).then((key) => { if (!key) this.opening = null; return key; });
    return this.opening;
  }

  async #open() {
    const given = await ask(this.url);
    if (!given || given.participant !== this.participant) return null;
    this.say = given.say;
    if (!this.able) return null;
    const bytes = Uint8Array.from(atob(given.key), (c) => c.charCodeAt(0));
    this.key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
    return this.key;
  }

  // Acts on one slot wait for each other, or a late write would bring back what has just been sent.
  #next(act) {
    this.order = this.order.then(act, act);
    return this.order;
  }

  // Whether the save is kept now. Refused when the browser has no storage, or too much stands in it already.
  keep(slot, save) {
    return this.#next(async () => {
      try {
        const key = this.able && (await this.ready());
        if (!key) return false;
        const iv = crypto.getRandomValues(new Uint8Array(12));
        const box = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(JSON.stringify(save)));
        const kept = await promised((await store("readonly")).getAll());
        const others = kept.filter((row) => row.slot !== slot);
        const size = others.reduce((sum, row) => sum + row.box.byteLength, box.byteLength);
        if (others.length >= MOST || size > LARGEST) return false;
        const place = await store("readwrite");
        for (const row of others) if (Date.now() - row.at > OLD) place.delete(row.slot);
        await promised(place.put({ slot, iv, box, at: Date.now() }));
        return true;
      } catch {
        return false;
      }
    });
  }

  drop(slot) {
    return this.#next(async () => {
      try { await promised((await store("readwrite")).delete(slot)); } catch { /* nothing was kept */ }
    });
  }

  // Whether anything at all is kept here, by whomever: only then is the key asked for on a page without fields.
  async any() {
    try { return this.able && (await promised((await store("readonly")).count())) > 0; } catch { return false; }
  }

  // What this participant left unsent: [{slot, save}], oldest first. What the key does not open is somebody else's.
  async mine() {
    const key = (await this.any()) && (await this.ready());
    if (!key) return [];
    const found = [];
    for (const row of (await promised((await store("readonly")).getAll())).sort((a, b) => a.at - b.at)) {
      try {
        const text = await crypto.subtle.decrypt({ name: "AES-GCM", iv: row.iv }, key, row.box);
        const save = JSON.parse(new TextDecoder().decode(text));
        if (save.participant === this.participant) found.push({ slot: row.slot, save });
      } catch { /* not ours */ }
    }
    return found;
  }

  // Send what was left, each under its old id and base; heard(slot, save, status, answer) says what became of it.
  async sendLeft(isOpenHere, heard) {
    for (const { slot, save } of await this.mine()) {
      if (isOpenHere(slot)) continue;
      let status, answer;
      try { [status, answer] = await send(this.url, save); } catch { return; }
      if (status === 200) await this.drop(slot);
      heard(slot, save, status, answer);
    }
  }
}

export function outboxOf(url, participant) {
  const name = `${url} ${participant}`;
  if (!boxes.has(name)) boxes.set(name, new Outbox(url, participant));
  return boxes.get(name);
}

// A value as words, whatever kind of field it is of.
export function inWords(value) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(inWords).filter(Boolean).join("\n");
  if (typeof value !== "object") return String(value);
  if ("text" in value) return [value.text, ...(value.tags ?? [])].filter(Boolean).join("\n");
  if ("answer" in value) return inWords(value.answer);
  return Object.values(value).map(inWords).filter(Boolean).join("\n");
}

export function element(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

export function button(label, act) {
  const made = element("button", label, "btn quiet small");
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

// A note about a text that did not arrive: what happened, the text itself, where to go, and a way to be rid of it.
export function noteLeft(outbox, slot, save, answer, words) {
  const note = element("div", "", "unsent");
  note.setAttribute("role", "status");
  const text = element("p", inWords(save.value), "unsent-text");
  text.dir = "auto";
  const acts = element("div", "", "unsent-acts");
  if (answer.page) {
    const link = element("a", outbox.say.open, "btn quiet small");
    link.href = answer.page;
    acts.append(link);
  }
  acts.append(button(outbox.say.dismiss, () => { outbox.drop(slot); note.remove(); }));
  note.append(element("p", words), text, acts);
  (document.querySelector("[data-unsent]") ?? document.getElementById("main")).prepend(note);
}

// What becomes of a text whose field is not on this page. It stays kept until its owner removes it.
export function heardElsewhere(outbox, slot, save, status, answer) {
  if (answer.error === "stale") noteLeft(outbox, slot, save, answer, outbox.say.elsewhere);
  else if (answer.error === "closed") noteLeft(outbox, slot, save, answer, outbox.say.closed);
  else if (status === 422 || (status === 404 && answer.error !== "other_participant")) noteLeft(outbox, slot, save, answer, [outbox.say.refused, answer.message].filter(Boolean).join(" "));
}
