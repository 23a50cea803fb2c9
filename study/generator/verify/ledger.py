"""Facts that follow from records, worked out again from the records and the rules of the world."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from study.generator.groundwork.facts import Fact
from study.generator.groundwork.things import STAGES
from study.generator.verify.outcome import Check, Tally, left_out
from study.generator.verify.source import Source

_ABOUT = {
    "facts.stages": "true stages follow from tasks by the guide",
    "facts.priorities": "tasks of another stage than the recorded one",
    "facts.configurations": "broken configurations follow from quote lines",
    "facts.discounts": "discounts beyond the steps follow from quote lines",
    "facts.guide": "every subject of a task or event holds one phrase of the stage guide",
}
_DONE = ("In Progress", "Completed")
_KINDS = {
    "stage": "facts.stages",
    "priority": "facts.priorities",
    "configuration": "facts.configurations",
    "discount": "facts.discounts",
}


def check_ledger(source: Source, facts: Iterable[Fact]) -> Iterator[Check]:
    tallies = {name: Tally(name, about) for name, about in _ABOUT.items()}
    stages = {str(stage): tuple(phrases) for stage, phrases in dict(source.world.get("stages") or {}).items()}
    rules = _rules(source.world)
    for fact in facts:
        tally = tallies[_KINDS[fact.kind]]
        tally.seen()
        if fact.kind in ("stage", "priority"):
            fault = _activity_fault(source, fact, stages) if stages else ""
        else:
            fault = _quote_fault(source, fact, rules) if rules else ""
        if fault:
            tally.fault(fact.of, fault)
    if stages and source.has("Task.Subject"):
        _guide(source, stages, tallies["facts.guide"])
    why = "no truth file" if source.truth is None else "no such facts"
    for name, tally in tallies.items():
        yield tally.check() if tally.looked_at else left_out(name, _ABOUT[name], why)


def stage_of(subject: str, stages: Mapping[str, tuple[str, ...]]) -> str | None:
    """The stage whose phrase stands in a subject; None if there is none, or more than one stage's."""
    small = subject.casefold()
    hits = [stage for stage, phrases in stages.items() if any(phrase.casefold() in small for phrase in phrases)]
    return hits[0] if len(hits) == 1 else None


def _guide(source: Source, stages: Mapping[str, tuple[str, ...]], tally: Tally) -> None:
    for name in ("Task", "Event"):
        if not source.has(f"{name}.Subject"):
            continue
        for record_id, subject in source.rows(f"SELECT Id, Subject FROM {name} WHERE Subject IS NOT NULL"):
            tally.seen()
            if stage_of(subject, stages) is None:
                tally.fault(record_id, f"{name}: {subject[:80]!r}")


def _activity_fault(source: Source, fact: Fact, stages: Mapping[str, tuple[str, ...]]) -> str:
    order = [*(stage for stage in STAGES if stage in stages), *(stage for stage in stages if stage not in STAGES)]
    recorded = source.one("SELECT StageName FROM Opportunity WHERE Id = :of", {"of": fact.of})
    if recorded is None:
        return "no such opportunity"
    rows = list(source.rows("SELECT Id, Subject, Status FROM Task WHERE WhatId = :of", {"of": fact.of}))
    known = [(record_id, stage_of(subject or "", stages), status) for record_id, subject, status in rows]
    if fact.kind == "priority":
        unfit = {i for i, stage, status in known if status == "Not Started" and stage != recorded}
        told = set(fact.values.get("unfit") or ())
        return "" if unfit == told else f"{len(unfit)} tasks do not fit the stage, {len(told)} are told"
    reached = [order.index(stage) for _, stage, status in known if stage in order and status in _DONE]
    true = order[max(reached)] if reached else recorded
    if fact.values.get("recorded") != recorded:
        return f"recorded {recorded}, told {fact.values.get('recorded')}"
    # A deal can be lost before anything else was done about it.
    if recorded == order[-1] and fact.values.get("true") == recorded:
        return ""
    return "" if fact.values.get("true") == true else f"tasks say {true}, told {fact.values.get('true')}"


def _rules(world: Mapping[str, Any]) -> Mapping[str, Any]:
    found = world.get("rules")
    return found if isinstance(found, Mapping) else {}


def _quote_fault(source: Source, fact: Fact, rules: Mapping[str, Any]) -> str:
    sql = "SELECT Product2Id, Quantity, coalesce(Discount, 0) FROM QuoteLineItem WHERE QuoteId = :of"
    lines = [(str(p), float(q or 0), float(d)) for p, q, d in source.rows(sql, {"of": fact.of})]
    if not lines:
        return "no such quote, or no lines"
    found = _broken(lines, rules) if fact.kind == "configuration" else _too_much(lines, rules)
    told = {article for article in (fact.values.get("article"),) if article}
    return "" if found == told else f"the lines break {sorted(found) or 'nothing'}, told {sorted(told) or 'nothing'}"


def _broken(lines: list[tuple[str, float, float]], rules: Mapping[str, Any]) -> set[str]:
    pieces: Counter[str] = Counter()
    for product, quantity, _ in lines:
        pieces[product] += int(quantity)
    found = {r["article"] for r in rules.get("limits", ()) if pieces[r["product"]] > r["most"]}
    found |= {r["article"] for r in rules.get("exclusions", ()) if pieces[r["one"]] and pieces[r["other"]]}
    for rule in rules.get("requirements", ()):
        if pieces[rule["needs"]] < math.ceil(pieces[rule["product"]] / rule["each"]):
            found.add(rule["article"])
    return found


def _too_much(lines: list[tuple[str, float, float]], rules: Mapping[str, Any]) -> set[str]:
    steps = rules.get("steps") or {}
    for _, quantity, discount in lines:
        allowed = max((percent for least, percent in steps.get("steps", ()) if quantity >= least), default=0)
        if discount > allowed + 1e-9:
            return {steps["article"]}
    return set()
