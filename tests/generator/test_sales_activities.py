"""Tasks and events: subjects by the stage guide, stages and priorities as the facts say, texts that vary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.things import STAGES, Sales
from study.generator.verify.likeness import Likeness
from study.generator.verify.wording import opening, sentences, skeleton, words

Sold = Callable[..., tuple[Branch, Sales]]
WORLDS = ("b2b", "b2c")
BEGUN = ("In Progress", "Completed")


def stage_by(guide: dict[str, tuple[str, ...]], subject: str) -> str:
    found = [stage for stage, phrases in guide.items() for phrase in phrases if phrase.lower() in subject.lower()]
    assert len(found) == 1, subject
    return found[0]


def tasks_of(branch: Branch) -> dict[str, list[dict[str, Any]]]:
    guide = dict(branch.plan.material.selling.stages)
    found: dict[str, list[dict[str, Any]]] = {str(row["Id"]): [] for row in branch.tables["Opportunity"]}
    for task in branch.tables["Task"]:
        found[str(task["WhatId"])].append({**task, "stage": stage_by(guide, str(task["Subject"]))})
    return found


@pytest.mark.parametrize("world", WORLDS)
def test_stage_and_priority_facts_follow_from_the_tasks(sold: Sold, world: str) -> None:
    branch, _ = sold(world)
    recorded = {str(row["Id"]): str(row["StageName"]) for row in branch.tables["Opportunity"]}
    told = {kind: {fact.of: fact for fact in branch.facts if fact.kind == kind} for kind in ("stage", "priority")}
    wrong, unfit_deals, tidy = 0, 0, 0
    for deal, tasks in tasks_of(branch).items():
        begun = [task["stage"] for task in tasks if task["Status"] in BEGUN]
        true = max(begun, key=STAGES.index) if begun else recorded[deal]
        assert told["stage"][deal].values == {"true": true, "recorded": recorded[deal]}
        unfit = [task["Id"] for task in tasks if task["Status"] == "Not Started" and task["stage"] != recorded[deal]]
        assert told["priority"][deal].values["unfit"] == unfit
        assert not unfit or 4 <= len(unfit) <= 7
        assert not (unfit and true != recorded[deal])
        wrong += true != recorded[deal]
        unfit_deals += bool(unfit)
        tidy += true == recorded[deal] and not unfit and len(tasks) > 2
    assert wrong >= 130
    assert unfit_deals >= 130
    assert tidy >= 80


@pytest.mark.parametrize("world", WORLDS)
def test_events_agree_with_the_stage_that_the_tasks_say(sold: Sold, world: str) -> None:
    branch, _ = sold(world)
    guide = dict(branch.plan.material.selling.stages)
    true = {fact.of: fact.values["true"] for fact in branch.facts if fact.kind == "stage"}
    for event in branch.tables["Event"]:
        stage = stage_by(guide, str(event["Subject"]))
        assert STAGES.index(stage) <= STAGES.index(true[str(event["WhatId"])])  # type: ignore[arg-type]
        assert 15 <= int(str(event["DurationInMinutes"])) <= 1440
        assert event["IsAllDayEvent"] == (event["DurationInMinutes"] == 1440)
    ahead = [event for event in branch.tables["Event"] if event["StartDateTime"] > branch.now]  # type: ignore[operator]
    assert 0 < len(ahead) < 0.4 * branch.counts["Event"]


@pytest.mark.parametrize("world", WORLDS)
def test_tasks_of_past_stages_are_done_and_the_latent_stage_is_the_one_they_say(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    for deal in sales.deals:
        said = {task.stage for task in deal.activities if task.status in BEGUN}
        if said:
            assert max(said, key=STAGES.index) == deal.true_stage
        if deal.won is not None:
            assert {task.status for task in deal.activities} <= {"Completed", "Deferred"}
    latent = {fact.of for fact in branch.facts if fact.kind == "latent" and fact.values["name"] == "WrongStage"}
    assert latent == {deal.id for deal in sales.deals if deal.stage != deal.true_stage}
    statuses = Counter(task.status for deal in sales.deals for task in deal.activities)
    assert set(statuses) == {"Not Started", "In Progress", "Completed", "Waiting", "Deferred"}
    assert statuses.most_common(1)[0][0] == "Completed"
    assert {task.priority for deal in sales.deals for task in deal.activities} == {"Low", "Medium", "High", "Urgent"}


@pytest.mark.parametrize(("name", "field"), [
    ("Task", "Description"), ("Opportunity", "Description"), ("Quote", "Description"), ("Contract", "Description"),
    ("Event", "Description"),
])  # fmt: skip
@pytest.mark.parametrize("world", WORLDS)
def test_short_texts_vary(sold: Sold, world: str, name: str, field: str) -> None:
    branch, _ = sold(world)
    texts = [(str(row["Id"]), str(row[field])) for row in branch.tables[name] if row[field]]
    alike, openings, skeletons, judged = Likeness(), Counter[str](), set[str](), 0
    for record_id, text in texts:
        assert not set("{}[]<>|") & set(text)
        said = words(text)
        if len(said) <= 8:
            continue
        judged += 1
        alike.add(record_id, said)
        found = sentences([text])
        openings[opening(found)] += 1
        skeletons.update(skeleton(sentence, ()) for sentence in found)
    assert len(alike.alike) <= 0.02 * judged
    assert openings.most_common(1)[0][1] <= max(0.02 * judged, 3)
    assert len(skeletons) >= 0.5 * judged


@pytest.mark.parametrize("world", WORLDS)
def test_what_is_told_of_a_text_stands_in_it(sold: Sold, world: str) -> None:
    branch, _ = sold(world)
    texts = {
        (name, row["Id"]): str(row["Description"])
        for name in ("Task", "Event", "Opportunity", "Quote", "Contract")
        for row in branch.tables[name]
    }
    told = [fact for fact in branch.facts if fact.kind == "said"]
    assert len(told) > 0.5 * branch.counts["Task"]
    for fact in told:
        assert fact.values["text"] in texts[fact.values["object"], fact.of]


def test_a_competitor_is_named_only_where_there_is_one(sold: Sold) -> None:
    branch, sales = sold("b2b")
    names = [competitor.name for competitor in branch.plan.material.selling.competitors]
    for deal in sales.deals:
        text = " ".join([deal.description, *(task.description for task in deal.activities)])
        assert {name for name in names if name in text} <= set(deal.competitors)
