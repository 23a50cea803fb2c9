// The choice on a card is saved the moment it is made; the button sends the same once more and goes on.
import { askWhich, savedLine, submitSaved } from "./saved.js";
import { Saver, flushWhenLeaving } from "./saving.js";

const form = document.querySelector("[data-shown-card]");

if (form) {
  const { participant, save: url } = document.body.dataset;
  const version = form.elements.namedItem("version");
  const words = JSON.parse(document.getElementById("saved-words").textContent);
  const tell = savedLine(document.querySelector("[data-saved]"), words);
  const radios = [...form.querySelectorAll("input[name=choice]")];
  const said = () => radios.find((one) => one.checked)?.closest("label").textContent.trim() ?? "";

  function read() {
    const choice = new FormData(form).get("choice");
    return choice ? { choice } : undefined;
  }

  function write(value) {
    for (const one of radios) one.checked = one.value === value?.choice;
    version.value = saver.version;
  }

  const saver = new Saver({
    url, participant, field: `card/${form.dataset.shownCard}`, version: Number(version.value), read, write,
    tell: (state, answer) => { version.value = saver.version; tell(state, answer); },
    conflict: (answer) => {
      const mine = read();
      const here = said();
      write(answer.value);
      const theirs = said();
      write(mine);
      askWhich(form, saver, theirs, here, words);
    },
  });
  form.addEventListener("change", () => saver.touch(0));
  submitSaved(form, [saver]);
  flushWhenLeaving(() => (form.dataset.sending ? [] : [saver]));
}
