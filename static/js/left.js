// On pages without fields: what was left unsent goes out as soon as its owner is back.
import { heardElsewhere, outboxOf } from "./outbox.js";

const here = document.querySelector("meta[name=save-to]");
const outbox = outboxOf(here.content, here.dataset.participant);
const go = () => outbox.sendLeft(() => false, (slot, save, status, answer) => heardElsewhere(outbox, slot, save, status, answer));
// A page with fields does this itself, and knows where a text belongs.
document.addEventListener("DOMContentLoaded", () => {
  if (outbox.fields) return;
  go();
  window.addEventListener("online", go);
});
