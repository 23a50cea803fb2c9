// Evidence without leaving the card: attach, remove, narrow, and a fresh list when the person comes back from a record.
import { token } from "./saving.js";
import { pageWords } from "./rating-card.js";

const PART = { "X-Part": "box" };

function put(place, html, words, focus) {
  const opened = place.querySelector(".point").open;
  place.innerHTML = html;
  place.querySelector(".point").open = opened;
  place.querySelector("[data-attached]").textContent = words;
  if (focus) place.querySelector(focus)?.focus();
}

async function act(place, button) {
  const body = new URLSearchParams({ [button.name]: button.value, csrfmiddlewaretoken: token() });
  const response = await fetch(button.formAction, { method: "POST", headers: PART, body }).catch(() => null);
  if (response?.redirected) { window.location.assign(response.url); return; }
  const text = await response?.text();
  if (response?.ok) put(place, text, button.name === "detach" ? pageWords.removed : pageWords.attached, ".point summary");
  else if (response?.status === 422) place.querySelector("[data-attached]").textContent = text;
  // Anything else (a refused token, no network) goes the plain way, which saves the whole card and says what is wrong.
  else button.form.requestSubmit(button);
}

export function evidence(root) {
  for (const place of root.querySelectorAll("[data-evidence]")) {
    place.addEventListener("click", (event) => {
      const button = event.target.closest("button[formaction]");
      if (!button || place.dataset.plain) return;
      event.preventDefault();
      if (place.dataset.busy) return;
      place.dataset.busy = "yes";
      act(place, button).finally(() => { delete place.dataset.busy; });
    });
    document.addEventListener("visibilitychange", async () => {
      if (document.hidden || place.dataset.busy || place.contains(document.activeElement)) return;
      const response = await fetch(place.dataset.evidence, { headers: PART }).catch(() => null);
      if (response?.ok && !response.redirected) put(place, await response.text(), "");
    });
  }
}
