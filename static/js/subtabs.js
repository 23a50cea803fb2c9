// On a phone the pages of a study run off the side: the one that is open comes into sight.
const here = document.querySelector(".subtabs [aria-current]");
if (here) {
  const nav = here.closest(".subtabs");
  const [inner, outer] = [here.getBoundingClientRect(), nav.getBoundingClientRect()];
  nav.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
}
