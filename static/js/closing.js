// Closing questions are saved as they are given; the last page's code is copied with one click.
import { askWhich, savedLine, submitSaved } from "./saved.js";
import { Saver, flushWhenLeaving } from "./saving.js";

const form = document.querySelector("[data-closing]");
const copy = document.querySelector("[data-copy-code]");

if (form) closing();

function closing() {
  const { participant, save: url } = document.body.dataset;
  const words = JSON.parse(document.getElementById("saved-words").textContent);
  const tell = savedLine(document.querySelector("[data-saved]"), words);
  const savers = [...form.querySelectorAll("[data-item]")].map((place) => {
    const item = place.dataset.item;
    const version = form.elements.namedItem(`version_${item}`);
    const fields = () => [...place.querySelectorAll("input, textarea, select")].filter(({ name }) => name === item || name.startsWith(`${item}.`));

    function read() {
      const data = new FormData(form);
      const names = [...data.keys()].filter((name) => name === item || name.startsWith(`${item}.`));
      return Object.fromEntries([...new Set(names)].map((name) => [name, data.getAll(name).filter(Boolean)]));
    }

    // What is stored (a text, a code, a list, or a choice with what it asked for) back into the form's fields.
    // What this page sent itself ({field name: values}) is put back as it is.
    function write(value) {
      const sent = value && !("asked" in Object(value)) && !Array.isArray(value) && typeof value === "object" ? value : null;
      const choice = value?.asked ? value.choice : value;
      const chosen = (sent ? sent[item] ?? [] : [choice ?? []].flat()).map(String);
      for (const field of fields()) {
        const own = sent?.[field.name] ?? value?.asked?.[field.name] ?? [];
        if (field.type === "radio" || field.type === "checkbox") field.checked = chosen.includes(field.value);
        else if (field.name !== item) field.value = sent || value?.asked ? [own].flat()[0] ?? "" : chosen[Number(field.name.slice(item.length + 1)) - 1] ?? "";
        else field.value = fields().some((one) => one.type === "checkbox" && one.checked) ? "" : chosen[0] ?? "";
      }
      version.value = saver.version;
    }

    // The same in words: labels of what is ticked, and what is typed.
    function said() {
      return fields().map((field) => {
        if (field.type !== "radio" && field.type !== "checkbox") return field.value.trim();
        return field.checked ? field.closest("label")?.textContent.trim() ?? field.value : "";
      }).filter(Boolean).join("\n");
    }

    // Both are read off the fields, so that the person sees their own words for either.
    function conflict(answer) {
      const mine = read();
      const here = said();
      write(answer.value);
      const theirs = said();
      write(mine);
      askWhich(place, saver, theirs, here, words);
    }

    const saver = new Saver({
      url, participant, field: `closing/${item}`, version: Number(version.value), read, write, conflict,
      tell: (state, answer) => { version.value = saver.version; tell(state, answer); },
    });
    place.addEventListener("input", (event) => saver.touch(event.target.type === "radio" || event.target.type === "checkbox" ? 0 : undefined));
    place.addEventListener("focusout", () => saver.flush());
    return saver;
  });
  submitSaved(form, savers);
  flushWhenLeaving(() => (form.dataset.sending ? [] : savers));
}

if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.querySelector("[data-code]").textContent.trim());
    copy.querySelector("span").textContent = copy.dataset.copied;
  });
}
