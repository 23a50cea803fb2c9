// A reply to a request for help appears by itself; without this script a reload shows it.
const place = document.querySelector("[data-replies]");
place.setAttribute("aria-live", "polite");

async function look() {
  const page = await fetch(place.dataset.replies).then((r) => (r.ok ? r.text() : "")).catch(() => "");
  const fresh = new DOMParser().parseFromString(page, "text/html").querySelector("[data-replies]");
  if (fresh && fresh.innerHTML !== place.innerHTML) place.replaceChildren(...fresh.childNodes);
}
setInterval(() => { if (!document.hidden) look(); }, 15_000);
document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
