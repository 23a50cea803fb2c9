// The dock: folding, F6 between CRM and question, saving as it is typed, the name behind an Id.
import { Saver, flushWhenLeaving, newId, savedLine } from "./saving.js";

const dock = document.querySelector("[data-dock]");
const form = dock.querySelector("form");
const rail = dock.querySelector("[data-unfold]");
const fold = dock.querySelector("[data-fold]");
const KEY = `dock:${dock.dataset.key}`;
const narrow = matchMedia("(max-width: 720px)");

function setState(state, remember) {
  dock.dataset.state = state;
  rail.hidden = state === "open";
  fold.setAttribute("aria-expanded", String(state === "open"));
  rail.setAttribute("aria-expanded", String(state === "open"));
  if (remember) sessionStorage.setItem(KEY, state);
}
fold.hidden = false;
setState(sessionStorage.getItem(KEY) ?? (narrow.matches ? "folded" : "open"), false);
fold.addEventListener("click", () => { setState("folded", true); rail.focus(); });
rail.addEventListener("click", () => { setState("open", true); fold.focus(); });
document.addEventListener("keydown", (event) => {
  if (event.key !== "F6") return;
  event.preventDefault();
  if (dock.contains(document.activeElement)) { document.getElementById("main")?.focus(); return; }
  if (dock.dataset.state === "folded") setState("open", true);
  dock.focus();
});

if (form && dock.dataset.field) work();

function work() {
  const words = { saving: dock.dataset.saySaving, saved: dock.dataset.saySaved, offline: dock.dataset.sayOffline, ago: dock.dataset.sayAgo, minutes: dock.dataset.sayMinutes };
  const version = form.elements.namedItem("version");
  const tell = savedLine(dock.querySelector("[data-saved]"), words);
  const names = dock.querySelector("#answer-names");
  const problem = dock.querySelector("#answer-problem");
  const conflict = dock.querySelector("[data-conflict]");
  const fields = () => [...form.querySelectorAll("[name=answer]")];
  const isId = fields().some((f) => f.hasAttribute("data-id"));

  function read() {
    const data = new FormData(form);
    let answer = data.getAll("answer").filter((text) => text.trim());
    if (isId) answer = answer.flatMap((text) => text.trim().split(fields()[0].tagName === "TEXTAREA" ? /[\s,;]+/ : /$^/));
    const marks = data.getAll("mark");
    return { answer, none: marks.includes("none"), withheld: marks.includes("withheld"), confidence: data.get("confidence") };
  }

  function write(value) {
    const draft = value ?? { answer: [] };
    for (const field of fields()) {
      if (field.type === "checkbox") field.checked = draft.answer.includes(field.value);
      else field.value = draft.answer.join(isId ? "\n" : " ");
    }
    for (const mark of form.querySelectorAll("[name=mark]")) mark.checked = Boolean(draft[mark.value]);
    for (const step of form.querySelectorAll("[name=confidence]")) step.checked = String(draft.confidence) === step.value;
    version.value = saver.version;
    if (isId) resolve();
  }

  const saver = new Saver({
    url: dock.dataset.save, participant: dock.dataset.participant, field: dock.dataset.field, version: Number(dock.dataset.version), read,
    tell: (state, answer) => { version.value = saver.version; tell(state, answer); },
    conflict: (answer) => {
      const draft = answer.value ?? {};
      conflict.querySelector("[data-theirs]").textContent = draft.none ? form.querySelector("[name=mark][value=none]").closest("label").textContent.trim() : (draft.answer ?? []).map((text) => form.querySelector(`#answer option[value="${CSS.escape(text)}"]`)?.textContent ?? text).join("\n");
      conflict.hidden = false;
    },
  });
  conflict.querySelector("[data-take-theirs]").addEventListener("click", () => { saver.takeTheirs(write); conflict.hidden = true; });
  conflict.querySelector("[data-keep-mine]").addEventListener("click", () => { saver.keepMine(); conflict.hidden = true; });

  function showProblem(text) {
    problem.hidden = !text;
    problem.querySelector("span").textContent = text;
    for (const field of fields()) field.toggleAttribute("aria-invalid", false);
    if (text) for (const field of fields()) field.setAttribute("aria-invalid", "true");
  }

  let asked = 0;
  async function resolve() {
    const text = fields()[0].value.trim();
    const mine = ++asked;
    if (!text) { names.replaceChildren(); showProblem(""); return; }
    const found = await fetch(`${dock.dataset.resolve}?id=${encodeURIComponent(text)}`, { headers: { Accept: "application/json" } })
      .then((r) => (r.ok ? r.json() : null)).catch(() => null);
    if (!found || mine !== asked) return;
    names.replaceChildren(...found.records.filter((r) => !r.problem).map((r) => {
      const line = document.createElement("li");
      const link = document.createElement("a");
      link.href = dock.dataset.record + r.id + "/";
      link.dir = "auto";
      link.textContent = r.name;
      line.append(dock.querySelector("[data-tick]").content.cloneNode(true), link, ` ${r.object}`);
      return line;
    }));
    showProblem(found.records.find((r) => r.problem)?.problem ?? "");
  }

  let typing = 0;
  form.addEventListener("input", (event) => {
    const field = event.target;
    if (field.name === "reason") return;
    if (field.name === "answer") {
      for (const mark of form.querySelectorAll("[name=mark]")) mark.checked = false;
      showProblem("");
      if (isId) { clearTimeout(typing); typing = setTimeout(resolve, 500); }
    }
    if (field.name === "mark" && field.checked) for (const other of form.querySelectorAll("[name=mark]")) other.checked = other === field;
    saver.touch(field.type === "radio" || field.type === "checkbox" || field.tagName === "SELECT" ? 0 : undefined);
  });
  form.addEventListener("focusout", () => saver.flush());
  form.addEventListener("paste", () => { clearTimeout(typing); typing = setTimeout(() => isId && resolve(), 50); });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.submitter;
    if (button?.dataset.use) {
      const several = fields()[0].tagName === "TEXTAREA";
      const have = several ? fields()[0].value.split(/[\s,;]+/).filter(Boolean) : [];
      fields()[0].value = [...new Set([...have, button.dataset.use])].join("\n");
      for (const mark of form.querySelectorAll("[name=mark]")) mark.checked = false;
      saver.touch(0);
      resolve();
      return;
    }
    if (button?.value === "keep") { saver.touch(0); return; }
    if (form.dataset.sending) return;
    form.dataset.sending = "yes";
    button?.setAttribute("aria-busy", "true");
    try {
      if (!(await saver.flush())) return;
      version.value = saver.version;
      form.elements.namedItem("save_id").value = newId();
      const data = new FormData(form, button);
      const response = await fetch(form.action, { method: "POST", body: data, headers: { Accept: "application/json" } });
      const answer = await response.json();
      if (answer.next) { window.location.assign(answer.next); return; }
      if (response.redirected) { window.location.assign(response.url); return; }
      showProblem(answer.message ?? "");
      problem.scrollIntoView({ block: "nearest" });
      (fields()[0] ?? problem).focus();
    } catch {
      // No answer, or a page instead of one: the plain form says what happened.
      if (!navigator.onLine) { tell("offline"); return; }
      const act = document.createElement("input");
      Object.assign(act, { type: "hidden", name: "act", value: button?.value ?? "next" });
      form.append(act);
      form.submit();
    } finally {
      delete form.dataset.sending;
      button?.removeAttribute("aria-busy");
    }
  });

  flushWhenLeaving(() => [saver]);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) saver.refresh(write); });
  window.addEventListener("pageshow", (event) => { if (event.persisted) saver.refresh(write); });
}
