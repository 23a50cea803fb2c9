// The answer under way and the scratch pad: saved as typed, the name behind an Id, sending without leaving the page.
import { calculate } from "./calculator.js";
import { savedLine } from "./saved.js";
import { Saver, flushWhenLeaving, newId } from "./saving.js";

export function answering(dock, form, kept) {
  const words = { saving: dock.dataset.saySaving, saved: dock.dataset.saySaved, offline: dock.dataset.sayOffline, ago: dock.dataset.sayAgo, minutes: dock.dataset.sayMinutes };
  const version = form.elements.namedItem("version");
  const tell = savedLine(dock.querySelector("[data-saved]"), words);
  const names = dock.querySelector("#answer-names");
  const problem = dock.querySelector("#answer-problem");
  const conflict = dock.querySelector("[data-conflict]");
  const fields = () => [...form.querySelectorAll("[name=answer]")];
  const isId = fields().some((f) => f.hasAttribute("data-id"));
  const several = isId && fields()[0].tagName === "TEXTAREA";
  const ids = () => fields()[0].value.split(/[\s,;]+/).filter(Boolean);

  function read() {
    const data = new FormData(form);
    let answer = data.getAll("answer").filter((text) => text.trim());
    if (isId) answer = several ? ids() : answer.map((text) => text.trim());
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

  function said(draft) {
    const mark = draft.none ? "none" : draft.withheld ? "withheld" : "";
    if (mark) return form.querySelector(`[name=mark][value=${mark}]`).closest("label").textContent.trim();
    return (draft.answer ?? []).map((text) => form.querySelector(`#answer option[value="${CSS.escape(text)}"]`)?.textContent ?? text).join("\n");
  }

  const common = { url: dock.dataset.save, participant: dock.dataset.participant };
  const saver = new Saver({
    ...common, field: dock.dataset.field, version: Number(dock.dataset.version), read, write,
    tell: (state, answer) => { version.value = saver.version; tell(state, answer); },
    conflict: (answer) => choose(conflict, saver, write, said(answer.value ?? {})),
  });
  const savers = [saver];
  const pad = scratch();

  // Two tabs typed different things: both are shown, one is chosen, the other stays with the server.
  function choose(box, own, writes, theirs) {
    box.querySelector("[data-theirs]").textContent = theirs;
    box.hidden = false;
    box.querySelector("[data-take-theirs]").onclick = () => { own.takeTheirs(writes); box.hidden = true; };
    box.querySelector("[data-keep-mine]").onclick = () => { own.keepMine(); box.hidden = true; };
  }

  function scratch() {
    const area = form.querySelector("[data-pad]");
    if (!area) return null;
    const held = form.elements.namedItem("scratch_version");
    const box = form.querySelector("[data-pad-conflict]");
    const writes = (value) => { area.value = value ?? ""; held.value = own.version; if (area.value) area.closest("details").open = true; };
    const own = new Saver({
      ...common, field: area.dataset.field, version: Number(held.value), read: () => area.value, write: writes,
      tell: (state, answer) => { held.value = own.version; tell(state, answer); },
      conflict: (answer) => { area.closest("details").open = true; choose(box, own, writes, answer.value ?? ""); },
    });
    savers.push(own);
    const result = form.querySelector("[data-worked-out]");
    calculate(area, (text) => { result.textContent = text; }, result.dataset.days);
    return { area, own, writes };
  }

  function showProblem(text) {
    problem.hidden = !text;
    problem.querySelector("span").textContent = text;
    for (const field of fields()) field.toggleAttribute("aria-invalid", false);
    if (text) for (const field of fields()) field.setAttribute("aria-invalid", "true");
  }

  function chip(record) {
    const line = dock.querySelector("[data-tick]").content.firstElementChild.cloneNode(true);
    const link = line.querySelector("a");
    link.href = `${dock.dataset.record}${record.id}/`;
    link.textContent = record.name;
    line.querySelector("span").textContent = record.object;
    const remove = line.querySelector("button");
    remove.value = remove.dataset.remove = record.id;
    remove.setAttribute("aria-label", remove.dataset.say.replace("{name}", record.name));
    return line;
  }

  let asked = 0;
  async function resolve() {
    const text = fields()[0].value.trim();
    const mine = ++asked;
    if (!text) { names.replaceChildren(); showProblem(""); return; }
    const found = await fetch(`${dock.dataset.resolve}?id=${encodeURIComponent(text)}`, { headers: { Accept: "application/json" } })
      .then((r) => (r.ok ? r.json() : null)).catch(() => null);
    if (!found || mine !== asked) return;
    names.replaceChildren(...found.records.filter((r) => !r.problem).map(chip));
    showProblem(found.records.find((r) => r.problem)?.problem ?? "");
  }

  function setIds(list) {
    fields()[0].value = [...new Set(list)].join("\n");
    saver.touch(0);
    resolve();
  }

  let typing = 0;
  form.addEventListener("input", (event) => {
    const field = event.target;
    if (field === pad?.area) { pad.own.touch(); return; }
    if (!["answer", "mark", "confidence"].includes(field.name)) return;
    if (field.name === "answer") {
      for (const mark of form.querySelectorAll("[name=mark]")) mark.checked = false;
      showProblem("");
      if (isId) { clearTimeout(typing); typing = setTimeout(resolve, 500); }
    }
    if (field.name === "mark" && field.checked) for (const other of form.querySelectorAll("[name=mark]")) other.checked = other === field;
    saver.touch(field.type === "radio" || field.type === "checkbox" || field.tagName === "SELECT" ? 0 : undefined);
  });
  form.addEventListener("focusout", () => savers.forEach((one) => one.flush()));
  form.addEventListener("paste", () => { clearTimeout(typing); typing = setTimeout(() => isId && resolve(), 50); });

  form.addEventListener("submit", async (event) => {
    const button = event.submitter;
    // Acts of other parts of the dock, with an address of their own, are theirs.
    if (event.defaultPrevented) return;
    event.preventDefault();
    if (kept.pressed(button)) return;
    if (button?.dataset.use) {
      for (const mark of form.querySelectorAll("[name=mark]")) mark.checked = false;
      setIds(several ? [...ids(), button.dataset.use] : [button.dataset.use]);
      return;
    }
    if (button?.dataset.remove) { setIds(ids().filter((one) => one !== button.dataset.remove)); fields()[0].focus(); return; }
    if (button?.value === "keep") { savers.forEach((one) => one.touch(0)); return; }
    await send(button);
  });

  async function send(button) {
    if (form.dataset.sending) return;
    form.dataset.sending = "yes";
    button?.setAttribute("aria-busy", "true");
    try {
      for (const one of savers) if (!(await one.flush())) return;
      version.value = saver.version;
      form.elements.namedItem("save_id").value = newId();
      const data = new FormData(form, button);
      // The pad has just been saved by itself.
      for (const name of ["scratch", "scratch_version"]) data.delete(name);
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
      if (!form.querySelector("input[name=act]")) delete form.dataset.sending;
      button?.removeAttribute("aria-busy");
    }
  }

  flushWhenLeaving(() => savers);
}
