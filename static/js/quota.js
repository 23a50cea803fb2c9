// The grid of targets: its sum beside it while it is typed, and arrow keys from cell to cell.

const table = document.querySelector(".quota-edit");
const said = document.querySelector("[data-total]");

function sum() {
  const texts = [...table.querySelectorAll("input")].map((input) => input.value.trim());
  const total = texts.reduce((n, text) => n + (/^\d+$/.test(text) ? Number(text) : 0), 0);
  const target = Number(table.dataset.target);
  const open = texts.some((text) => text === "");
  const words = open ? said.dataset.open : total < target ? said.dataset.less : said.dataset.some;
  said.textContent = words.replaceAll("%n", total).replaceAll("%t", target);
}

function neighbour(input, rows, columns) {
  const cell = input.closest("td");
  const row = cell.parentElement.rowIndex + rows;
  return table.rows[row]?.cells[cell.cellIndex + columns]?.querySelector("input");
}

function moved(event) {
  const { target, key } = event;
  const forward = getComputedStyle(table).direction === "rtl" ? -1 : 1;
  let next = null;
  if (key === "ArrowUp") next = neighbour(target, -1, 0);
  if (key === "ArrowDown") next = neighbour(target, 1, 0);
  if (key === "ArrowRight" && target.selectionEnd === target.value.length) next = neighbour(target, 0, forward);
  if (key === "ArrowLeft" && target.selectionStart === 0) next = neighbour(target, 0, -forward);
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.select();
}

if (table && said) {
  table.addEventListener("input", sum);
  table.addEventListener("keydown", moved);
  sum();
}
