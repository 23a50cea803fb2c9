"""The 22 ways by hand on generated Orgs: each ends with the answer that is stored with the instance."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from study.accounts.models import User
from study.benchmark.tasks import ORIGINAL_TASKS, TASKS
from study.generator.flows import build_recipe, write_built
from study.generator.groundwork.facts import Truth
from study.generator.instances import make_instances
from study.generator.recipe import Recipe
from study.sandbox.desks import open_desk
from study.sandbox.engine.connections import plain_reader
from study.sandbox.engine.snapshot import open_snapshot
from study.sandbox.engine.snapshot_write import SnapshotInfo
from study.sandbox.orgs import register_org
from tests.browser.clicking import LINES, Walk
from tests.browser.generated_walks import GENERATED, UNITS, Asked
from tests.browser.test_atlas_tasks import tab  # noqa: F401 - a fixture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# Of the published size, where every task has its questions; REALIA_WALK_SCALE makes them smaller.
SCALE = float(os.environ.get("REALIA_WALK_SCALE", "1"))
PERIODS = {*UNITS, "month", "quarter", "year"}


@dataclass
class Made:
    """A generated Org on disk with its questions."""

    info: SnapshotInfo
    truth: Truth
    records: list[dict[str, Any]]
    names: dict[str, str] = field(default_factory=dict)

    def asked(self, task: str) -> Asked:
        """The first question of a task for people that a record fits, in a period that one filter can say."""
        for record in self.records:
            window = record["params"].get("window", {"year": 0})
            answered = TASKS[task].answer_type == "refusal" or record["answer"] != [None]
            if record["task"] == task and answered and PERIODS.issuperset(window) and self.fits(record):
                return Asked(record, self.truth, self.names)
        raise LookupError(f"no question of {task}")

    def fits(self, record: dict[str, Any]) -> bool:
        """Asked on the last day; of insights those about a competitor that alone is spoken of in those calls."""
        if record["today"] != self.info.last_day.isoformat():
            return False
        calls = {found for _object, found in record["evidence"]}
        spoken_of = {
            fact.values["competitor"] for fact in self.truth.of_kind("insight") if fact.values["call"] in calls
        }
        return record["task"] != "sales_insight_mining" or spoken_of - {None} == set(record["answer"])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Made]:
    """Generated Orgs by world, each built once."""
    built: dict[str, Made] = {}

    def make(world: str) -> Made:
        if world not in built:
            folder = Path(tmp_path_factory.mktemp(world))
            recipe = Recipe(world, 1, SCALE)
            whole = build_recipe(recipe, folder)
            info = write_built(folder / "org.sqlite", whole, recipe)
            truth = Truth.of(whole.facts)
            records = make_instances(open_snapshot(info.path), truth, world=world, seed=1).records
            built[world] = Made(info, truth, records, names_in(info.path))
        return built[world]

    return make


def names_in(path: Path) -> dict[str, str]:
    """What records are called that a question or its definitions call by name; of a contact, its account's name."""
    names: dict[str, str] = {}
    with plain_reader(path) as connection:
        for name, title in (("Product2", "Name"), ("Knowledge__kav", "Title")):
            names.update(connection.execute(f'SELECT "Id", "{title}" FROM "{name}"'))
        columns = [row[1] for row in connection.execute('PRAGMA table_info("Account")')]
        account = '"Name"' if "Name" in columns else '"FirstName" || \' \' || "LastName"'
        accounts = dict(connection.execute(f'SELECT "Id", {account} FROM "Account"'))
        for key, parent, first, last in connection.execute(
            'SELECT "Id", "AccountId", "FirstName", "LastName" FROM "Contact"'
        ):
            names[key], names[f"{key} name"] = accounts.get(parent, ""), f"{first} {last}"
        for name, text in (("EmailMessage", "TextBody"), ("LiveChatTranscript", "Body")):
            written = connection.execute(f'SELECT "Id", "{text}" FROM "{name}"')
            names.update((f"{key} text", body or "") for key, body in written)
    return names


@pytest.fixture
def walk_in(tab: Any, ben: User, settings: Any) -> Callable[[Made, Asked], Walk]:  # noqa: F811
    """A desk of Ben's in a generated Org, with the question's today."""

    def open_walk(made: Made, asked: Asked) -> Walk:
        settings.REALIA_VAR = made.info.path.parent
        client = Client()
        client.force_login(ben, backend="django.contrib.auth.backends.ModelBackend")
        # The file of a registered Org is moved to its place, and the next walk needs it again.
        copy = Path(shutil.copy(made.info.path, made.info.path.with_name("copy.sqlite")))
        org = register_org(replace(made.info, path=copy), "generated")
        walked: Walk = tab(client, open_desk(org=org, user=ben, purpose="orientation", today=asked.today))
        return walked

    return open_walk


# All 22 ways are walked on the hand-made Org; here every third, of the world that has them all.
# REALIA_WALK_WORLDS=b2b walks all of one world, REALIA_WALK_WORLDS=all all of every world.
CHOSEN = os.environ.get("REALIA_WALK_WORLDS", "")
WORLDS = ("b2b", "b2c", "service") if CHOSEN == "all" else (CHOSEN or "b2b",)
CASES = [(world, task) for world in WORLDS for task in (ORIGINAL_TASKS if world == "service" else TASKS)]
CASES = CASES if CHOSEN else CASES[::3]


def test_there_is_a_walk_for_each_task() -> None:
    assert set(GENERATED) == set(TASKS)


@pytest.mark.parametrize(("world", "task"), CASES)
def test_by_hand(world: str, task: str, made: Callable[[str], Made], walk_in: Callable[[Made, Asked], Walk]) -> None:
    org = made(world)
    asked = org.asked(task)
    w = walk_in(org, asked)
    answer = GENERATED[task](w, asked)
    w.done(f"{world}-{task}", f"{asked.record['question']} {asked.record['definitions']}")
    LINES.append(w.line(f"{world} {task}"))
    assert sorted(map(str, answer)) == sorted(map(str, asked.record["answer"]))
