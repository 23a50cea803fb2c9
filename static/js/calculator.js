// The calculator of the scratch pad: numbers, + - * / ^ ( ), percent, and days between dates. It reads, it never runs code.
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAY = 86_400_000;
const WORD = /\s*(?:(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)|(\d{1,2})\s+([a-z]{3,9})\.?\s+(\d{4})(?!\d)|(\d[\d,]*(?:\.\d+)?|\.\d+)|(of|days?)\b|([-+*/^()%×÷−–]))/iy;

// Pieces of a line: numbers, dates (in days), words and signs. Undefined for anything else.
function pieces(text) {
  const found = [];
  WORD.lastIndex = 0;
  while (WORD.lastIndex < text.length && text.slice(WORD.lastIndex).trim()) {
    const part = WORD.exec(text);
    if (!part) return undefined;
    const [, year, month, day, dayOf, named, yearOf, number, word, sign] = part;
    if (year) found.push(dated(year, month - 1, day));
    else if (dayOf) found.push(dated(yearOf, MONTHS.indexOf(named.slice(0, 3).toLowerCase()), dayOf));
    else if (number) {
      if (/,/.test(number) && !/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(number)) return undefined;
      found.push({ number: Number(number.replaceAll(",", "")) });
    } else if (word) found.push({ word: word.toLowerCase().replace(/s$/, "") });
    else found.push({ sign: { "×": "*", "÷": "/", "−": "-", "–": "-" }[sign] ?? sign });
    if (found.at(-1) === undefined) return undefined;
  }
  return found;
}

function dated(year, month, day) {
  const at = new Date(Date.UTC(year, month, day));
  return month >= 0 && at.getUTCMonth() === month && at.getUTCDate() === Number(day) ? { date: at.getTime() / DAY } : undefined;
}

class Reader {
  constructor(found) { this.found = found; this.at = 0; }

  takes(sign) { if (this.found[this.at]?.sign !== sign) return false; this.at += 1; return true; }

  says(word) { if (this.found[this.at]?.word !== word) return false; this.at += 1; return true; }

  // Sums. "200 + 10%" adds ten percent of 200; a date and a number give a date, two dates give days.
  sum() {
    let left = this.product();
    for (;;) {
      const plus = this.takes("+");
      if (!plus && !this.takes("-")) return left;
      left = added(left, this.product(), plus ? 1 : -1);
    }
  }

  product() {
    let left = this.signed();
    for (;;) {
      if (this.takes("*") || this.says("of")) left = { number: plain(left) * plain(this.signed()) };
      else if (this.takes("/")) left = { number: plain(left) / plain(this.signed()) };
      else return left;
    }
  }

  signed() {
    if (this.takes("-")) return { number: -plain(this.signed()) };
    this.takes("+");
    return this.power();
  }

  power() {
    const base = this.value();
    return this.takes("^") ? { number: plain(base) ** plain(this.signed()) } : base;
  }

  value() {
    let one;
    if (this.takes("(")) {
      one = this.sum();
      if (!this.takes(")")) throw new Error("a bracket is open");
    } else {
      one = this.found[this.at];
      if (one?.number === undefined && one?.date === undefined) throw new Error("a number is missing");
      this.at += 1;
    }
    if (this.takes("%")) one = { number: plain(one) / 100, percent: true };
    if (this.says("day")) one = { number: plain(one), days: true };
    return one;
  }
}

function plain(one) {
  if (one.number === undefined) throw new Error("a date is no number");
  return one.number;
}

function added(left, right, way) {
  if (left.date !== undefined && right.date !== undefined) {
    if (way > 0) throw new Error("dates do not add up");
    return { number: left.date - right.date, days: true };
  }
  if (left.date !== undefined) return { date: left.date + way * plain(right) };
  if (right.date !== undefined) {
    if (way < 0) throw new Error("a date cannot be taken from a number");
    return { date: right.date + plain(left) };
  }
  const more = right.percent && !left.percent ? left.number * right.number : right.number;
  return { number: left.number + way * more, days: left.days || right.days, percent: left.percent && right.percent };
}

// The result of a line as it is written behind its "=", or "" where it says nothing that can be worked out.
export function workOut(line, days = "days") {
  const found = pieces(line);
  if (!found || found.length < 2) return "";
  try {
    const reader = new Reader(found);
    const result = reader.sum();
    if (reader.at < found.length) return "";
    if (result.date !== undefined) return Math.abs(result.date) < 3_000_000 ? new Date(Math.round(result.date) * DAY).toISOString().slice(0, 10) : "";
    if (!Number.isFinite(result.number)) return "";
    const shown = Number(result.number.toPrecision(12)).toLocaleString("en", { maximumFractionDigits: 6 });
    return result.days ? `${shown} ${days}` : shown;
  } catch {
    return "";
  }
}

// A pad whose lines are worked out as soon as they end in "=", by key alone. `tell` says the result to those who listen.
export function calculate(pad, tell, days) {
  pad.addEventListener("input", (event) => {
    if (event.data !== "=" || event.isComposing) return;
    const end = pad.selectionStart;
    const begin = pad.value.lastIndexOf("\n", end - 1) + 1;
    // Words before a colon are a label, and a result can be worked on: "both: 3 + 4 = 7 * 2 =".
    const line = pad.value.slice(begin, end - 1).split(/[:=]/).at(-1);
    const rest = pad.value.slice(end).match(/^[^\n]*/)[0];
    const result = rest.trim() ? "" : workOut(line, days);
    if (!result) return;
    pad.setRangeText(` ${result}`, end, end + rest.length, "end");
    tell(result);
  });
}
