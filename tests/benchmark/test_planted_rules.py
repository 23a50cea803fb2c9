"""Wrong rules, planted one at a time: ``instances_check`` reports a difference for each and ends with exit code 1.

Each is a mistake that somebody would make in good faith. They are planted where one question of each task is asked of
an Org put together by hand, where many are asked of Orgs made by chance, and where those of a generated Org are asked.
The last have passed the gates: no reading of "past" changes them. There it is the numbers that give a wrong rule away.
"""

from __future__ import annotations

import datetime
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from study.benchmark.flows import register_instances
from study.benchmark.rules import agents, answer_by_rule, patterns, quotes, routing, sales, windows
from study.benchmark.rules.answer import Answer, Working
from study.generator.build import build
from study.generator.flows import write_built
from study.generator.instances import make_instances
from study.generator.recipe import Recipe
from study.generator.truth import read_truth
from study.sandbox.engine.queryspec import And, Compare, Having
from study.sandbox.engine.snapshot import Snapshot, SnapshotInfo, open_snapshot
from study.sandbox.opened import snapshot_of
from study.sandbox.orgs import register_org
from tests.benchmark.any_params import SELLING, SERVICE, any_params
from tests.benchmark.hand_deals import DealsOrg, random_deals
from tests.benchmark.hand_org import TODAY, HandOrg, random_org
from tests.sandbox.fixtures.atlas import instances as atlas_instances
from tests.sandbox.fixtures.atlas.desk import load_atlas

pytestmark = pytest.mark.django_db
Plant = Callable[[pytest.MonkeyPatch], None]


def the_last_day_left_out(patch: pytest.MonkeyPatch) -> None:
    right = windows.window

    def wrong(params: Mapping[str, Any], today: datetime.date) -> windows.Window:
        found = right(params, today)
        return windows.Window(found.first, found.end - datetime.timedelta(days=1))

    for module in (agents, patterns, sales):
        patch.setattr(module, "window", wrong)


def the_day_of_closing(patch: pytest.MonkeyPatch) -> None:
    right = windows.window

    class Wrong(windows.Window):
        def condition(self, field: str, zone: str = "UTC") -> Compare | And:
            return super().condition("ClosedDate" if field == "CreatedDate" else field, zone)

    def wrong(params: Mapping[str, Any], today: datetime.date) -> windows.Window:
        found = right(params, today)
        return Wrong(found.first, found.end)

    patch.setattr(patterns, "window", wrong)


def a_tie_taken_by_order(patch: pytest.MonkeyPatch) -> None:
    right = Working.best

    def wrong(self: Working, values: Mapping[str, float], *, highest: bool, **more: Any) -> Answer:
        found = right(self, values, highest=highest, **more)
        if not found.tie:
            return found
        best = max(values.values()) if highest else min(values.values())
        first = min(key for key in values if values[key] == best)
        return Answer((first,), found.steps)

    patch.setattr(Working, "best", wrong)


def the_unassigned_counted(patch: pytest.MonkeyPatch) -> None:
    _without(patch, patterns, lambda field, op: op == "not_null" and field == "Account.ShippingState")


def transferred_cases_included(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(agents, "Related", lambda *_args: And())


def more_than_read_as_at_least(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(agents, "Having", lambda alias, _op, value: Having(alias, "ge", value))


def the_customer_s_signature(patch: pytest.MonkeyPatch) -> None:
    right = windows.Window.dated
    patch.setattr(
        windows.Window, "dated", lambda self, field: right(self, field.replace("CompanySigned", "CustomerSigned"))
    )


def open_cases_counted_as_experience(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(routing, "CLOSED", And())


def all_leads_counted_as_load(patch: pytest.MonkeyPatch) -> None:
    _without(patch, routing, lambda field, _op: field == "IsConverted")


def converted_by_now(patch: pytest.MonkeyPatch) -> None:
    right = windows.Window.dated
    whenever = Compare("ConvertedDate", "not_null")
    patch.setattr(
        windows.Window, "dated", lambda self, field: whenever if field == "ConvertedDate" else right(self, field)
    )


def the_next_step_s_discount(patch: pytest.MonkeyPatch) -> None:
    def wrong(steps: Sequence[Sequence[float]], quantity: float) -> float:
        ahead = [percent for least, percent in sorted(steps) if quantity < least]
        return float(ahead[0] if ahead else max(steps)[1])

    patch.setattr(quotes, "allowed", wrong)


def _without(patch: pytest.MonkeyPatch, module: Any, unwanted: Callable[[str, str], bool]) -> None:
    """The comparisons of a module without some of them."""

    def fewer(field: str, op: str, value: Any = None) -> Any:
        return And() if unwanted(field, op) else Compare(field, op, value)

    patch.setattr(module, "Compare", fewer)


# What is planted, and the task that shows it: of the Org by hand (empty where its few questions do not turn on it), and
# of an Org made by chance.
PLANTED: tuple[tuple[Plant, str, str], ...] = (
    (the_last_day_left_out, "conversion_rate_comprehension", "handle_time"),
    (the_day_of_closing, "", "monthly_trend_analysis"),
    (a_tie_taken_by_order, "case_routing", "best_region_identification"),
    (the_unassigned_counted, "best_region_identification", "best_region_identification"),
    (transferred_cases_included, "handle_time", "handle_time"),
    (more_than_read_as_at_least, "transfer_count", "transfer_count"),
    (the_customer_s_signature, "sales_cycle_understanding", "sales_amount_understanding"),
    (all_leads_counted_as_load, "lead_routing", ""),
    (converted_by_now, "conversion_rate_comprehension", "conversion_rate_comprehension"),
    (the_next_step_s_discount, "quote_approval", "quote_approval"),
)


def checked(name: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("instances_check", name, stdout=out, no_color=True)
    except SystemExit as left:
        return int(str(left.code)), out.getvalue()
    return 0, out.getvalue()


def assert_caught(name: str, plant: Plant, task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code, said = checked(name)
    assert (code, " 0 differ," in said) == (0, True)
    plant(monkeypatch)
    code, said = checked(name)
    assert code == 1
    assert f"differs: {task} " in said


def each(place: int) -> Any:
    """The plants that one kind of Org shows, each with the task, named by the plant."""
    shown = [(row[0], row[place]) for row in PLANTED if row[place]]
    return pytest.mark.parametrize(("plant", "task"), shown, ids=[plant.__name__ for plant, _task in shown])


@each(1)
def test_a_wrong_rule_is_caught(
    plant: Plant, task: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any
) -> None:
    settings.REALIA_VAR = tmp_path
    register_instances(load_atlas(), atlas_instances(), "by hand")
    assert_caught("atlas", plant, task, monkeypatch)


PER_RULE = 24


def asked_by_chance(rules: Sequence[str], snapshot: Snapshot) -> list[dict[str, Any]]:
    """Some questions of each rule, with the answer of the rule as it is."""
    draw, records = random.Random(3), []
    for rule in rules:
        for n in range(PER_RULE):
            params = any_params(rule, draw)
            answer = answer_by_rule(rule, snapshot, params, TODAY).as_list()
            question = {"query": f"Question {n} of {rule}?", "today": TODAY.isoformat(), "params": params}
            records.append({"idx": len(records), "task": rule, "rule": rule, "answer": answer, **question})
    return records


@each(2)
def test_a_wrong_rule_is_caught_in_an_org_made_by_chance(
    plant: Plant, task: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rules = SERVICE if task in SERVICE else SELLING
    made: HandOrg | DealsOrg = random_org(2) if rules is SERVICE else random_deals(2)
    org = register_org(made.write(tmp_path), "by-chance")
    register_instances(org, asked_by_chance((task,), snapshot_of(org)), "by chance")
    assert_caught("by-chance", plant, task, monkeypatch)


# A generated Org: its questions have clear winners by whichever reading. No case lacks an owner, an issue or a state.

GENERATED = (
    (the_last_day_left_out, "best_region_identification"),
    (the_day_of_closing, "top_issue_identification"),
    (a_tie_taken_by_order, "case_routing"),
    (open_cases_counted_as_experience, "case_routing"),
    (transferred_cases_included, "handle_time"),
    (more_than_read_as_at_least, "transfer_count"),
)
EACH = 40


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> tuple[SnapshotInfo, list[dict[str, Any]]]:
    """A small service Org with the questions that have a rule, some of each."""
    recipe = Recipe("service", 7, 0.1)
    built = build(recipe.plan, recipe.seed, recipe.scale)
    folder = tmp_path_factory.mktemp("generated")
    info = write_built(folder / "org.sqlite", built, recipe, None)
    built.write_truth(folder / "truth.jsonl.gz")
    truth = read_truth(folder / "truth.jsonl.gz")
    made = make_instances(open_snapshot(info.path), truth, world=recipe.plan.material.world, seed=recipe.seed)
    by_task: dict[str, list[dict[str, Any]]] = {}
    for record in made.records:
        if record["rule"]:
            by_task.setdefault(record["task"], []).append(dict(record))
    return info, [record for records in by_task.values() for record in records[:EACH]]


@pytest.mark.parametrize(("plant", "task"), GENERATED, ids=[plant.__name__ for plant, _task in GENERATED])
def test_a_wrong_rule_is_caught_in_a_generated_org(
    plant: Plant,
    task: str,
    monkeypatch: pytest.MonkeyPatch,
    generated: tuple[SnapshotInfo, list[dict[str, Any]]],
    tmp_path: Path,
) -> None:
    info, records = generated
    # Registering moves the file into the data folder.
    org = register_org(replace(info, path=Path(shutil.copy(info.path, tmp_path))), "generated")
    register_instances(org, [record for record in records if record["task"] == task], "generated")
    assert_caught("generated", plant, task, monkeypatch)
