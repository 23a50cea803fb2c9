"""Questions about quotes and about the stage of deals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from study.benchmark.tasks import STAGES
from study.generator.groundwork.facts import Fact
from study.generator.instances.making import Asked, Maker
from study.generator.instances.source import Source

KINDS = {"invalid_config": "configuration", "quote_approval": "discount"}


def ask_about_quotes(maker: Maker) -> None:
    """``invalid_config`` and ``quote_approval``, as far as they are wanted."""
    source = maker.source
    rules = source.settings.get("rules")
    names = called(source, "Quote", ("QuoteNumber", "Name"), "quote")
    for task, kind in KINDS.items():
        if task not in maker.quotas:
            continue
        if not rules:
            maker.short[task] = "the truth file has no rules of selling"
            continue
        facts = maker.draw(task).shuffled(source.facts(kind))
        for fact in spread(maker, task, facts, lambda fact: str(fact.values.get("article"))):
            maker.ask(
                Asked(
                    task,
                    [fact.values.get("article")],
                    {"quote_id": fact.of, "rules": rules},
                    slots={"quote": names.get(fact.of, "this quote")},
                    about=[("Quote Id to be considered", fact.of, "")],
                    opened=1 + len(fact.evidence),
                )
            )


def ask_about_stages(maker: Maker) -> None:
    """``wrong_stage_rectification`` and ``activity_priority``, as far as they are wanted."""
    source = maker.source
    stages = source.settings.get("stages")
    names = called(source, "Opportunity", ("Name",), "opportunity")
    tasks = source.grouped("Task", "WhatId", "Id")
    for task, kind in (("wrong_stage_rectification", "stage"), ("activity_priority", "priority")):
        if task not in maker.quotas:
            continue
        if not stages:
            maker.short[task] = "the truth file has no stage guide"
            continue
        for fact in spread(maker, task, maker.draw(task).shuffled(source.facts(kind)), _stage):
            maker.ask(
                Asked(
                    task,
                    _expected(task, fact),
                    {"opportunity_id": fact.of, "stages": stages},
                    slots={"deal": names.get(fact.of, "this opportunity")},
                    about=[("Opportunity Id to be considered", fact.of, "")],
                    policy={"guide": guide(stages)},
                    opened=1 + len(tasks.get(fact.of, ())),
                )
            )


def _expected(task: str, fact: Fact) -> list[str | None]:
    if task == "activity_priority":
        return sorted(fact.values["unfit"]) or [None]
    right, recorded = fact.values["true"], fact.values["recorded"]
    return [None if right == recorded else right]


def _stage(fact: Fact) -> str:
    if "unfit" in fact.values:
        return str(bool(fact.values["unfit"]))
    return "None" if fact.values["true"] == fact.values["recorded"] else str(fact.values["true"])


def spread(maker: Maker, task: str, facts: list[Fact], key: Any) -> Iterator[Fact]:
    """Facts in turn by what they answer, so that no answer is much more frequent than it has to be."""
    groups: dict[str, list[Fact]] = {}
    for fact in facts:
        groups.setdefault(key(fact), []).append(fact)
    turns = [groups[name] for name in sorted(groups)]
    for n in range(max(map(len, turns), default=0)):
        for group in turns:
            if n < len(group):
                silent = key(group[n]) in ("None", "False")
                if maker.wants(task, silent=silent):
                    yield group[n]


def guide(stages: Mapping[str, list[str]]) -> str:
    """The stage guide in one paragraph."""
    parts = [f"{stage}: {', '.join(stages[stage])}" for stage in STAGES if stage in stages]
    return f"The stage of a task is told by its subject. {'. '.join(parts)}."


def called(source: Source, name: str, fields: tuple[str, ...], noun: str) -> dict[str, str]:
    """What people call the records of an object, such as "quote Q-00123", without the Id."""
    found: dict[str, str] = {}
    for record_id, *values in zip(*source.columns(name, "Id", *fields), strict=True):
        value = next((value for value in values if value), None)
        if value:
            found[record_id] = (
                f"the {noun} {value}" if value[-1].isdigit() and " " not in value else f'the {noun} "{value}"'
            )
    return found
