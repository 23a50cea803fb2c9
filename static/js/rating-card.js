// One card, or one row of the matrix: saves each part as it is typed and says what is still open.
import { Saver } from "./saving.js";
import { typingFacts } from "./typing-facts.js";

export const pageWords = JSON.parse(document.getElementById("page-words").textContent);
const savedWords = JSON.parse(document.getElementById("saved-words").textContent);
const { participant, save: url } = document.body.dataset;

export class Card {
  constructor(root, tell, changed) {
    this.root = root;
    this.target = root.dataset.card;
    this.name = root.dataset.name ?? "";
    this.prefix = root.dataset.prefix ?? "";
    this.tell = tell;
    this.changed = changed;
    this.byKeys = false;
    root.addEventListener("keydown", (event) => { this.byKeys = event.key.startsWith("Arrow"); });
    root.addEventListener("pointerdown", () => { this.byKeys = false; });
    this.savers = [this.#choice(), ...this.#dimensions()];
    this.boxes = [...root.querySelectorAll("[data-box]")].map((box) => this.#box(box));
    this.savers.push(...this.boxes.map((one) => one.saver));
  }

  field(name) { return this.root.querySelector(`[name="${CSS.escape(this.prefix + name)}"]`); }
  all(name) { return [...this.root.querySelectorAll(`[name="${CSS.escape(this.prefix + name)}"]`)]; }
  chosen(name = "choice") { return this.all(name).find((one) => one.checked)?.value ?? ""; }

  // Which part is open, by the same rule as the server's.
  open() {
    const value = this.chosen();
    if (!value) return "choice";
    if (value === "rather_not_say") return "";
    if (value === "cannot_judge") return this.chosen("reason") ? "" : "reason";
    return this.boxes.some(({ box }) => box.value.trim()) ? "" : "why";
  }

  // Where to go for what is open: the first thing that can be answered there.
  place(part) {
    if (part === "why") return this.boxes[0].box;
    if (part === "reason") return this.all("reason")[0];
    const look = this.root.querySelector("[data-scale]:disabled") && this.root.querySelector("[data-look]");
    return look || this.all("choice").find((one) => !one.matches(":disabled") && !one.closest("fieldset:disabled")) || this.root;
  }

  #saver(field, hidden, options) {
    const saver = new Saver({
      url, participant, field, version: Number(hidden.value), ...options,
      tell: (state, answer) => {
        hidden.value = saver.version;
        options.told?.(state, answer);
        this.tell(state, answer);
      },
    });
    // A tab that comes into view stands where the person was last, if nothing unsaved stands here.
    saver.write = (value) => { if (value) { options.write(value); hidden.value = saver.version; this.changed(); } };
    return saver;
  }

  #choice() {
    const write = (value) => {
      for (const radio of this.all("choice")) radio.checked = radio.value === value.choice;
      for (const radio of this.all("reason")) radio.checked = radio.value === value.reason;
    };
    const saver = this.#saver(`rating/${this.target}`, this.field("version"), {
      write,
      read: () => (this.chosen() ? { choice: this.chosen(), reason: this.chosen() === "cannot_judge" ? this.chosen("reason") : "" } : undefined),
      conflict: (answer) => this.#ask(this.field("choice").closest("section, .m-row"), saver, this.#label(answer.value?.choice), write),
    });
    for (const radio of [...this.all("choice"), ...this.all("reason")]) {
      radio.addEventListener("change", () => {
        if (radio.name === `${this.prefix}choice` && radio.value !== "cannot_judge") for (const one of this.all("reason")) one.checked = false;
        // Arrow keys pass over options on the way; a choice by keys is one when they rest on it.
        if (this.byKeys) saver.touch(); else saver.touch(0);
        this.changed();
      });
    }
    return saver;
  }

  #dimensions() {
    return [...this.root.querySelectorAll("[data-dimension]")].map((place) => {
      const name = place.dataset.dimension;
      const write = (value) => { for (const radio of this.all(name)) radio.checked = radio.value === value.choice; };
      const saver = this.#saver(`rating/${this.target}/${name.replace("dimension_", "")}`, this.field(`version_${name}`), {
        write,
        read: () => (this.chosen(name) ? { choice: this.chosen(name), reason: "" } : undefined),
        conflict: (answer) => this.#ask(place, saver, this.#label(answer.value?.choice), write),
      });
      place.addEventListener("change", () => saver.touch(0));
      return saver;
    });
  }

  #box(box) {
    const side = box.dataset.box;
    const place = box.closest(".box");
    const tags = () => [...place.querySelectorAll("[type=checkbox]")];
    const facts = typingFacts(box, place.querySelector("[data-facts]"));
    const said = place.querySelector("[data-left-out]");
    const write = (value) => {
      box.value = value.text;
      for (const tag of tags()) tag.checked = value.tags.includes(tag.value);
    };
    let sent = "";
    const saver = this.#saver(`rationale/${this.target}/${side}`, this.field(`version_${side}`), {
      write,
      read: () => {
        sent = box.value;
        return { text: box.value, tags: tags().filter((t) => t.checked).map((t) => t.value), ...(facts.value() && { facts: facts.value() }) };
      },
      told: (state, answer) => {
        if (state !== "saved" || typeof answer?.value?.text !== "string" || box.value !== sent || answer.value.text === sent) return;
        // What nobody can see was left out by the server; the box shows what is kept, and says so.
        const from = box.selectionStart;
        box.value = answer.value.text;
        box.setSelectionRange(from, from);
        said.textContent = pageWords.left_out;
      },
      conflict: (answer) => this.#ask(place, saver, answer.value?.text ?? "", write),
    });
    box.addEventListener("input", () => { said.textContent = ""; saver.touch(); this.changed(); });
    box.addEventListener("blur", () => saver.flush());
    for (const tag of tags()) tag.addEventListener("change", () => saver.touch(0));
    return { box, side, saver };
  }

  #label(value) {
    return this.all("choice").find((one) => one.value === value)?.closest("label").querySelector("b, span")?.textContent ?? "";
  }

  #ask(place, saver, text, write) {
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
    note.append(savedWords.conflict, theirs, button(savedWords.theirs, () => saver.takeTheirs((value) => { write(value); this.changed(); })), button(savedWords.mine, () => saver.keepMine()));
    place.append(note);
  }
}
