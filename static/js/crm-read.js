// Find on a page that is read: the ways to the other hits move on the page instead of loading it again.
const form = document.querySelector("[data-find]");
const marks = [...document.querySelectorAll("mark[id^='hit-']")];
let at = marks.findIndex((mark) => `#${mark.id}` === location.hash);

function stand(place) {
  marks[at]?.classList.remove("at");
  at = (place + marks.length) % marks.length;
  const mark = marks[at];
  mark.classList.add("at");
  const quoted = mark.closest("details");
  if (quoted) quoted.open = true;
  mark.scrollIntoView({ block: "center" });
  const said = form.querySelector("[data-found]");
  said.textContent = said.dataset.of.replace("{n}", at + 1).replace("{all}", marks.length);
}

if (form && marks.length) {
  if (at < 0) at = 0;
  const field = form.querySelector("#find-here");
  const looked = field.value;
  form.addEventListener("click", (event) => {
    const way = event.target.closest("[data-hit]");
    if (!way) return;
    event.preventDefault();
    stand(at + Number(way.dataset.hit));
  });
  // Enter goes on to the next hit as long as the words stay the same; with Shift to the one before.
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || field.value !== looked) return;
    event.preventDefault();
    stand(at + (event.shiftKey ? -1 : 1));
  });
}
