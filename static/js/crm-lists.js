// Lists and menus: finding in a menu, tabs that fit, columns in order, keys in tables. Pages work without it.
const LONGEST = 3000;

// Finding in a menu: entries whose words do not hold what was typed step aside.
document.addEventListener("input", (event) => {
  if (event.target.dataset?.filter === undefined) return;
  const box = event.target.closest("[data-filtered]");
  const wanted = event.target.value.trim().toLocaleLowerCase().split(/\s+/);
  let shown = 0;
  for (const entry of box.querySelectorAll("[data-words]")) {
    const words = entry.dataset.words.toLocaleLowerCase();
    entry.hidden = !wanted.every((word) => words.includes(word));
    shown += !entry.hidden;
  }
  for (const group of box.querySelectorAll("fieldset")) {
    group.hidden = Boolean(group.querySelector("[data-words]")) && !group.querySelector("[data-words]:not([hidden])");
  }
  const none = box.querySelector("[data-none]");
  if (none) none.hidden = shown > 0;
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.target.dataset?.filter === undefined) return;
  event.preventDefault();
  const box = event.target.closest("[data-filtered]");
  const phrase = event.target.value.trim().toLocaleLowerCase();
  const shown = [...box.querySelectorAll("[data-words]")].filter((entry) => !entry.hidden);
  const first = shown.find((entry) => entry.dataset.words.toLocaleLowerCase().includes(phrase)) ?? shown[0];
  const stop = first?.matches("label") ? first.querySelector("input") : first?.querySelector("a");
  if (event.target.value && stop) stop.click();
});

// A menu that opens takes the focus to where one types.
document.addEventListener(
  "toggle",
  (event) => {
    if (event.target.open && event.target.matches?.("details.menu")) event.target.querySelector(".pop input:not([type=hidden])")?.focus();
  },
  true,
);

// Tabs that do not fit move into "More"; the one on screen always stays.
function fitTabs() {
  const tabs = document.querySelector("[data-tabs]");
  if (!tabs) return;
  const all = [...tabs.querySelectorAll("[data-tab]")];
  const spare = (tab) => document.querySelector(`[data-spare="${CSS.escape(tab.dataset.tab)}"]`);
  const show = (tab, yes) => {
    tab.hidden = !yes;
    if (spare(tab)) spare(tab).hidden = yes;
  };
  for (const tab of all) show(tab, true);
  for (const tab of all.reverse()) {
    if (tabs.scrollWidth <= tabs.clientWidth) break;
    if (!tab.hasAttribute("aria-current") && spare(tab)) show(tab, false);
  }
}
fitTabs();
new ResizeObserver(fitTabs).observe(document.querySelector(".tabs-row") ?? document.body);

// The order of columns, without a way to the server for each step.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-columns] .move");
  if (!button) return;
  event.preventDefault();
  const entry = button.closest("li");
  const other = button.name === "up" ? entry.previousElementSibling : entry.nextElementSibling;
  if (!other) return;
  other[button.name === "up" ? "before" : "after"](entry);
  button.focus();
});

// A field chosen further away: into the menu of the condition, or among the columns.
document.addEventListener("click", (event) => {
  const chosen = event.target.closest("form [data-pick]");
  if (!chosen || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { pick, label, type } = chosen.dataset;
  const columns = chosen.closest("[data-columns]");
  const menus = columns ? [] : [...(chosen.closest("[data-conds]")?.querySelectorAll("select[name=c]") ?? [])];
  const menu = menus.find((one) => !one.value) ?? menus.at(-1);
  if (!columns && !menu) return;
  event.preventDefault();
  if (columns) addColumn(columns, pick, label);
  else {
    if (![...menu.options].some((option) => option.value === pick)) {
      const option = new Option(label, pick);
      option.dataset.type = type;
      menu.options[0].after(option);
    }
    menu.value = pick;
    menu.dispatchEvent(new Event("change", { bubbles: true }));
  }
  chosen.closest("details.further").open = false;
  (menu ?? columns.querySelector(".shown li:last-child input")).focus();
});

function addColumn(form, path, label) {
  const list = form.querySelector(".shown");
  if ([...list.querySelectorAll("input")].some((box) => box.value === path)) return;
  const entry = list.querySelector("li").cloneNode(true);
  entry.querySelector("input").value = path;
  entry.querySelector("input").checked = true;
  entry.querySelector("label span").textContent = label;
  for (const button of entry.querySelectorAll("button")) {
    button.value = path;
    button.setAttribute("aria-label", `${label}: ${button.title}`);
  }
  list.append(entry);
}

// What would make too long an address is stored and linked instead.
document.addEventListener(
  "submit",
  (event) => {
    const form = event.target;
    if (form.dataset.long === undefined) return;
    const said = new URLSearchParams([...new FormData(form)].filter(([name, value]) => value !== "" || name[1] === "."));
    for (const name of ["c", "o", "v", "rc", "ro", "rn", "rf", "rp", "rv", "g"]) {
      // Parallel lists keep their empty places.
      said.delete(name);
      for (const value of new FormData(form).getAll(name)) said.append(name, value);
    }
    const long = document.getElementById("long");
    if (!long || said.toString().length <= LONGEST) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    long.elements.to.value = new URL(form.action).pathname;
    long.elements.query.value = said.toString();
    long.submit();
  },
  true,
);

// What the filters cannot take is said beside the button, and everything typed is still there.
document.addEventListener("htmx:responseError", (event) => {
  const form = event.target;
  if (form.id !== "filters") return;
  const page = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
  const words = page.querySelector("[data-problem]")?.textContent;
  if (event.detail.xhr.status === 400 && words) complain(form, words);
  else location.assign(event.detail.xhr.responseURL);
});

// A request that never arrived keeps what was typed, too.
document.addEventListener("htmx:sendError", (event) => {
  const list = document.getElementById("list");
  if (!list?.contains(event.target)) return;
  const form = document.getElementById("filters");
  if (form) complain(form, list.dataset.offline);
});

function complain(form, words) {
  form.querySelector("[data-complaint]")?.remove();
  const said = document.createElement("p");
  Object.assign(said, { className: "problem complaint", textContent: words, tabIndex: -1 });
  said.dataset.complaint = "";
  said.setAttribute("role", "alert");
  form.querySelector(".apply").before(said);
  said.focus();
}

// Keys in tables: arrows move over the rows, Enter opens, Esc leaves. The links in a row stay as they are.
function fitGrids() {
  for (const table of document.querySelectorAll("table[data-grid]")) {
    const rows = [...table.tBodies[0].rows];
    if (rows.some((row) => row.tabIndex === 0)) continue;
    for (const [place, row] of rows.entries()) row.tabIndex = place === 0 ? 0 : -1;
  }
}

document.addEventListener("focusin", (event) => {
  const row = event.target.closest?.("table[data-grid] tbody tr");
  if (!row) return;
  for (const other of row.parentElement.rows) other.tabIndex = other === row ? 0 : -1;
});

const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || document.querySelector("dialog[open]")) return;
  const row = event.target.closest("table[data-grid] tbody tr");
  if (!row) {
    const idle = event.target === document.body || event.target.id === "main";
    const first = document.querySelector("table[data-grid] tbody tr[tabindex='0']");
    if (event.key === "ArrowDown" && idle && first) {
      event.preventDefault();
      first.focus();
    }
    return;
  }
  if (event.key in STEPS) {
    const rows = [...row.parentElement.rows];
    const there = Math.min(rows.length - 1, Math.max(0, rows.indexOf(row) + STEPS[event.key]));
    event.preventDefault();
    rows[there].focus();
  } else if (event.key === "Enter" && event.target === row) {
    event.preventDefault();
    const preview = row.querySelector("a[data-preview]");
    if (preview) preview.click();
    else location.assign(row.dataset.url);
  } else if (event.key === "Escape") {
    document.getElementById("main").focus();
  }
});

fitGrids();
document.addEventListener("htmx:afterSwap", (event) => {
  fitGrids();
  // What a menu fetched when it opened: the focus goes where one types.
  const menu = event.target.closest?.("details.menu[open]");
  if (menu?.querySelector("summary") === document.activeElement) menu.querySelector(".pop input:not([type=hidden])")?.focus();
});
