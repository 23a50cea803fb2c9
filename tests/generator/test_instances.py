"""The questions of a generated Org: enough of each, by rule and again without it, past every gate, in every form."""

from __future__ import annotations

import json
import shutil
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from study.benchmark.flows import import_instances, register_instances
from study.benchmark.gates import passes
from study.benchmark.grading import answer_keys
from study.benchmark.models import Instance
from study.benchmark.published import crmarena_pro
from study.benchmark.recheck.answers import RECHECKS
from study.benchmark.recheck.tables import read_tables
from study.benchmark.requester import STYLES, Style, reply, topics, withheld
from study.benchmark.requester.talking import ENOUGH, Lines, Talk, Telling
from study.benchmark.rules import RULES, answer_by_rule
from study.benchmark.table_files import write_tables
from study.benchmark.tasks import ORIGINAL_TASKS, TASKS
from study.generator.build import build
from study.generator.groundwork.facts import Truth
from study.generator.groundwork.world_file import read_plan
from study.generator.instances import Made, make_instances, wanted
from study.generator.instances.words import personas, words
from study.sandbox.engine.snapshot import Snapshot, SnapshotInfo, open_snapshot, write_snapshot
from study.sandbox.orgs import register_org

SEED = 5
LAST_DAY_ONLY = [
    "case_routing", "lead_routing", "invalid_config", "quote_approval", "policy_violation_identification",
    "lead_qualification", "knowledge_qa", "sales_insight_mining", "wrong_stage_rectification", "activity_priority",
]  # fmt: skip
Record = dict[str, Any]


@dataclass
class Asked:
    info: SnapshotInfo
    snapshot: Snapshot
    truth: Truth
    made: Made

    @property
    def records(self) -> list[Record]:
        return self.made.records

    def of(self, task: str) -> list[Record]:
        return [record for record in self.records if record["task"] == task]


def org_of(folder: Path, world: str, scale: float) -> tuple[SnapshotInfo, Truth]:
    built = build(read_plan(world), SEED, scale)
    info = write_snapshot(folder / f"{world}.sqlite", built.registry, built.tables, today=built.plan.today)
    return info, Truth.of(built.facts)


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    info, truth = org_of(Path(tmp_path_factory.mktemp("asked")), "b2b", 1.0)
    snapshot = open_snapshot(info.path)
    return Asked(info, snapshot, truth, make_instances(snapshot, truth, world="b2b", seed=SEED))


def sample(records: list[Record], each: int) -> list[Record]:
    """So many of each task, from all over its list."""
    by_task: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_task[record["task"]].append(record)
    return [one for found in by_task.values() for one in found[:: max(1, len(found) // each)][:each]]


def test_as_many_as_published(asked: Asked) -> None:
    counts = Counter(record["task"] for record in asked.records)
    assert wanted(sells=True) == {name: 80 if task.skill == "CONFIDENTIALITY" else 100 for name, task in TASKS.items()}
    told = " ".join(asked.made.short)
    for task, n in wanted(sells=True).items():
        # What a seed does not carry is said; it is little.
        assert counts[task] == n or (counts[task] >= 0.9 * n and f"{task} {counts[task]} of {n}" in told)
    assert [record["idx"] for record in asked.records] == list(range(len(asked.records)))
    assert all(line.startswith("refused: ") for line in asked.made.refused)


def test_as_many_without_an_answer_as_published(asked: Asked) -> None:
    for name, task in TASKS.items():
        found = asked.of(name)
        share = sum(record["answer"] == [None] for record in found) / len(found)
        if task.answer_type == "refusal":
            assert share == 1
        elif name == "policy_violation_identification":
            assert 0.72 <= share <= 0.82
        elif name in ("case_routing", "lead_routing", "knowledge_qa", "sales_insight_mining", "monthly_trend_analysis"):
            assert share == 0
        else:
            assert 0.15 <= share <= 0.25, name


def test_questions_for_people_are_asked_on_the_last_day(asked: Asked) -> None:
    last = asked.snapshot.last_day.isoformat()
    for name in TASKS:
        found = asked.of(name)
        people = [record for record in found if record["audience"] == "all"]
        assert {record["today"] for record in people} <= {last}
        assert all(record["today"] < last for record in found if record["audience"] == "agents")
        assert len(people) >= 30 or f"short: {name} {len(people)} for people" in " ".join(asked.made.short)
        if name in LAST_DAY_ONLY:
            assert people == found
    back = [r for r in asked.records if r["audience"] == "agents" and "window" in r["params"]]
    relative = [record for record in back if next(iter(record["params"]["window"])).startswith("past_")]
    assert len(relative) > 0.5 * len(back)


def test_every_answer_is_its_rules(asked: Asked, tmp_path: Path) -> None:
    write_tables(asked.snapshot, tmp_path)
    tables = read_tables(tmp_path)
    assert {record["task"] for record in asked.records if record["rule"]} == set(RULES)
    for record in sample([record for record in asked.records if record["rule"]], 6):
        today = date.fromisoformat(record["today"])
        found = answer_by_rule(record["rule"], asked.snapshot, record["params"], today)
        again = RECHECKS[record["rule"]](tables, record["params"], pd.Timestamp(today), asked.snapshot.zone)
        keys = {str(answer_keys(one, record["task"])) for one in (record["answer"], found.as_list(), again)}
        assert len(keys) == 1, record["query"]
        assert found.clear


def test_every_question_passes_the_gates(asked: Asked) -> None:
    """The gates ask the rule itself for every reading; the generator looked at tallies."""
    for record in sample(asked.records, 6):
        if record["task"] == "activity_priority":  # its guide lists what all tasks may be called
            record = {**record, "definitions": ""}
        evidence = [record_id for _name, record_id in record["evidence"]]
        others = ["one", "two"] if not record["rule"] else []
        assert passes(record, asked.snapshot, evidence=evidence, others=others) == [], record["query"]


def test_evidence_is_in_the_org_and_few_records_are_opened(asked: Asked) -> None:
    for record in sample(asked.records, 25):
        for name, record_id in record["evidence"]:
            assert asked.snapshot.record(name, record_id) is not None
        assert record["evidence"] or "window" in record["params"]
        assert 0 < record["minutes_by_hand"] <= 15
        if record["task"] in LAST_DAY_ONLY and record["task"] not in ("case_routing", "lead_routing"):
            assert len(record["evidence"]) <= 13


def test_no_two_questions_are_the_same(asked: Asked) -> None:
    keys = Counter((r["task"], r["query"], r["metadata"]["required"]) for r in asked.records)
    assert max(keys.values()) == 1
    for name in TASKS:
        assert len({record["query"] for record in asked.of(name)}) >= 0.85 * len(asked.of(name)), name


def test_wordings_and_personas_are_many() -> None:
    for name in TASKS:
        if name != "internal_operation_data":  # in the words of all the others
            assert sum(map(len, words(name).wordings.values())) >= 10, name
    pools = [personas(pool) for pool in ("employees", "consumers", "buyers")]
    assert [len(pool) for pool in pools] == [16, 16, 16]
    assert len({persona for pool in pools for persona in pool}) == 48


def test_personas_go_with_who_asks(asked: Asked) -> None:
    for record in asked.records:
        external = TASKS[record["task"]].stance == "external" and record["task"] != "internal_operation_data"
        pool = "consumers" if external else "employees"
        pool = "buyers" if record["task"] == "named_entity_disambiguation" else pool
        assert record["persona"] in personas(pool)


def test_texts_are_whole(asked: Asked) -> None:
    for record in asked.records:
        text = record["question"]
        assert not set("{}[]|<>") & set(text), text
        assert text == text.strip()
        assert text[0].isupper() or not text[0].isalpha()
        assert "  " not in text
        assert record["query"] != record["question"] or TASKS[record["task"]].answer_type == "refusal"


def test_products_are_never_named_by_who_means_one(asked: Asked) -> None:
    names = {row["Id"]: row["Name"].casefold() for row in asked.snapshot.records("Product2")}
    for record in asked.of("named_entity_disambiguation"):
        for product in record["params"]["product_ids"]:
            assert names[product] not in record["query"].casefold()


FORMS = {
    "handle_time": {"policy", "definitions"}, "transfer_count": {"policy", "definitions"},
    "top_issue_identification": {"policy", "definitions"}, "monthly_trend_analysis": {"policy", "definitions"},
    "best_region_identification": {"policy", "definitions"}, "sales_amount_understanding": {"policy", "definitions"},
    "sales_cycle_understanding": {"policy", "definitions"}, "conversion_rate_comprehension": {"policy", "definitions"},
    "case_routing": {"policy", "diagnosis"}, "lead_routing": {"policy", "diagnosis"},
    "named_entity_disambiguation": {"policy", "diagnosis"},
    "invalid_config": {"policy"}, "quote_approval": {"policy"}, "wrong_stage_rectification": {"policy"},
    "activity_priority": {"policy"}, "policy_violation_identification": {"policy"}, "lead_qualification": {"policy"},
    "sales_insight_mining": {"policy"}, "knowledge_qa": {"policy"},
}  # fmt: skip


def test_forms_are_complete(asked: Asked) -> None:
    for record in asked.records:
        if TASKS[record["task"]].answer_type == "refusal":
            assert record["forms"] == {}
            continue
        forms, facts = record["forms"]["forms"], record["forms"]["facts"]
        assert set(forms) == {"none", *FORMS[record["task"]]}, record["task"]
        needed = [place for place, fact in enumerate(facts) if fact["needed"]]
        assert len(facts) > len(needed)
        for name, form in forms.items():
            assert form["opening"].strip()
            assert sorted([*form["told"], *form["withheld"]]) == needed
            assert bool(form["withheld"]) == (name != "none")
            assert not [fact for fact in withheld(record["forms"], name) if fact["text"] in form["opening"]]


def test_requesters_of_every_style_say_all_they_know(asked: Asked) -> None:
    for record in sample(asked.records, 4):
        for fact in record["forms"].get("facts", ()):
            assert topics()[fact["topic"]]["cues"]
            assert all(reply(fact, style) for style in STYLES)
            assert {reply(fact, style, asked_before=True) for style in STYLES} == {fact["text"]}


def test_the_same_seed_asks_the_same(asked: Asked) -> None:
    few = {"handle_time": 4, "lead_routing": 3, "sales_insight_mining": 4, "invalid_config": 5, "knowledge_qa": 3}
    made = [
        make_instances(asked.snapshot, asked.truth, world="b2b", seed=seed, per_task=few).records for seed in (1, 1, 2)
    ]
    assert json.dumps(made[0]) == json.dumps(made[1]) != json.dumps(made[2])
    assert Counter(record["task"] for record in made[0]) == few


def test_without_the_truth_only_what_can_be_counted_is_asked(asked: Asked) -> None:
    few = {"handle_time": 4, "invalid_config": 4, "wrong_stage_rectification": 4, "lead_qualification": 4}
    made = make_instances(asked.snapshot, Truth(), world="b2b", seed=1, per_task=few)
    assert {record["task"] for record in made.records} == {"handle_time"}
    assert "short: invalid_config 0 of 4 (the truth file has no rules of selling)" in made.short


@pytest.mark.django_db
@pytest.mark.parametrize("split", ["single", "interactive"])
def test_they_go_out_and_in_again_unchanged(asked: Asked, split: Any, tmp_path: Path) -> None:
    org = register_org(replace(asked.info, path=Path(shutil.copy(asked.info.path, tmp_path))), "asked")
    report = register_instances(org, sample(asked.records, 3), "asked")
    assert report.problems == []
    assert report.new == len(TASKS) * 3
    agents = Instance.objects.filter(org=org, audience="agents")
    assert agents.count() > 5
    assert not agents.filter(assignable=True).exists()
    assert not Instance.objects.filter(org=org, audience="all", assignable=False).exists()
    found = crmarena_pro(Instance.objects.filter(org=org).order_by("pk"), split)
    assert {tuple(record) for record in found} == {
        ("idx", "answer", "task", "persona", "metadata", "reward_metric", "query")
    }
    Instance.objects.all().delete()
    import_instances(json.dumps(found), org, source="again")
    assert crmarena_pro(Instance.objects.filter(org=org).order_by("pk"), split) == found


def test_a_small_service_org_says_what_is_short(tmp_path: Path) -> None:
    info, truth = org_of(tmp_path, "service", 0.1)
    few = dict.fromkeys(ORIGINAL_TASKS, 60)
    made = make_instances(open_snapshot(info.path), truth, world="service", seed=1, per_task=few)
    counts = Counter(record["task"] for record in made.records)
    assert set(counts) <= set(ORIGINAL_TASKS)
    assert counts["case_routing"] == 60
    for task in ORIGINAL_TASKS:
        short = [line for line in made.short if line.startswith(f"short: {task} {counts[task]} of 60")]
        assert bool(short) == (counts[task] < 60)
        answers = [record["answer"] for record in made.records if record["task"] == task]
        assert answers.count([None]) <= 0.36 * len(answers) + 1


def test_whatever_is_withheld_can_be_asked_for_plainly(asked: Asked) -> None:
    """In every form of a task, from every style: each fact by its first words, again where that was no answer."""
    facts_of = {(record["task"], *(fact["topic"] for fact in record["forms"]["facts"])): record["forms"]
                for record in asked.records if record["forms"]}  # fmt: skip
    assert len({key[0] for key in facts_of}) == 19
    for task, forms in ((key[0], forms) for key, forms in facts_of.items()):
        for name, form in forms["forms"].items():
            for style in STYLES if form["withheld"] else ():
                assert told_to_whom_asks(forms, name, style) >= set(form["withheld"]), (task, name, style)


def told_to_whom_asks(forms: Record, withhold: str, style: Style) -> set[int]:
    told: list[Telling] = []
    for place in forms["forms"][withhold]["withheld"] * 2:
        question = topics()[forms["facts"][place]["topic"]]["cues"][0]
        for _again in range(2):
            told += Talk(forms, withhold, style, told).ask(question, Lines("?", "!")).tellings
    return {one.place for one in told if one.manner in ENOUGH}
