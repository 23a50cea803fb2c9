"""Each of the 22 tasks by hand on the atlas Org: its shortest path in a real browser, and what it takes a person.

Every walk (``atlas_walks.py``) begins at the desk's home page, uses what can be seen only, and reads its answer off
the last page. Clicks, seconds and an estimate of minutes are printed after the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from study.accounts.models import User
from study.sandbox.desks import open_desk
from study.sandbox.models import Desk, Org, TraceEvent
from study.sandbox.orgs import register_org
from tests.browser.atlas_walks import WALKS
from tests.browser.clicking import LINES, Walk
from tests.browser.ways import measured, number, report_by
from tests.sandbox.fixtures.atlas import ATLAS_TODAY, Tables, write_atlas
from tests.sandbox.fixtures.atlas.by_hand import BY_HAND
from tests.sandbox.fixtures.atlas.questions import INSTANCES
from tests.sandbox.test_atlas_answers import DAMAGE, changed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
BY_TASK = {instance.task: instance for instance in INSTANCES}
SHOTS = Path(__file__).resolve().parents[2] / "var" / "screens" / "tasks"
# Typing on, or Enter, takes back the suggestions under way, and htmx writes that down.
TAKEN_BACK = ("htmx:sendAbort", "htmx:afterRequest")


@pytest.fixture
def tab(chromium: Any, live_server: Any) -> Iterator[Callable[[Client, Desk], Walk]]:
    """Opens the home page of a desk at 1280; what the console complains about fails the test."""
    contexts, complaints = [], []

    def open_walk(client: Client, desk: Desk) -> Walk:
        context = chromium.new_context(viewport={"width": 1280, "height": 900}, base_url=live_server.url)
        contexts.append(context)
        cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
        context.add_cookies([cookie])
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        walked = Walk(page, SHOTS)
        walked.start(f"/crm/{desk.code}/")
        return walked

    yield open_walk
    # Closing breaks off what is still under way, and the page complains about that: it is not what is tested.
    heard = list(complaints)
    for context in contexts:
        context.close()
    assert [said for said in heard if not said.startswith(TAKEN_BACK)] == []


@pytest.fixture
def atlas(tab: Any, ben: User, tmp_path: Path, settings: Any) -> Callable[..., Walk]:
    """Opens a desk of Ben's in the atlas Org, whole or damaged."""
    settings.REALIA_VAR = tmp_path

    def open_atlas(tables: Tables | None = None) -> Walk:
        client = Client()
        client.force_login(ben, backend="django.contrib.auth.backends.ModelBackend")
        return tab(client, open_desk(org=atlas_org(tmp_path, tables), user=ben, purpose="orientation"))

    return open_atlas


def atlas_org(folder: Path, tables: Tables | None = None) -> Org:
    return register_org(write_atlas(folder, tables), "atlas")


def question(task: str) -> str:
    said = BY_TASK[task].record()
    return f"{said['question']} {said['definitions']}"


# Tasks whose question an ordinary report cannot ask: the condition on related records that the trace must hold.
RELATED = {
    "handle_time": {
        "object": "CaseHistory__c",
        "field": "CaseId__c",
        "op": "exactly",
        "n": 1,
        "where": {"field": "Field__c", "op": "eq", "value": "Owner Assignment"},
    },
}


def test_there_is_a_walk_for_each_task() -> None:
    assert set(WALKS) == set(BY_TASK)


@pytest.mark.parametrize("task", BY_TASK)
def test_by_hand(task: str, atlas: Callable[..., Walk]) -> None:
    w = atlas()
    answer = WALKS[task](w)
    w.done(task, question(task))
    LINES.append(w.line(task))
    assert answer == BY_TASK[task].values
    if task in RELATED:
        asked = TraceEvent.objects.filter(kind="report", object="Case").latest("sequence").query
        assert {"related": RELATED[task]} in asked["where"]["and"]


# One row of the Org changed as in the tests of the answers: the same walk ends with the answer of that Org.
@pytest.mark.parametrize("task", ["handle_time", "quote_approval", "wrong_stage_rectification", "knowledge_qa"])
def test_a_walk_on_a_damaged_org_ends_elsewhere(task: str, atlas: Callable[..., Walk]) -> None:
    tables = changed(DAMAGE[task])
    answer = WALKS[task](atlas(tables))
    assert answer != BY_TASK[task].values
    assert answer == replace(BY_TASK[task], answer=BY_HAND[task](tables) or ()).values


def test_another_measure_brings_its_own_order_unless_one_is_chosen(atlas: Callable[..., Walk]) -> None:
    w = atlas()
    w.object("Cases")
    w.follow("Report")
    order = w.main.get_by_role("combobox", name="Order", exact=True).locator("option:checked")
    measured(w, "average of", "Closed minus Created", "hours")
    averages = [number(row) for row in report_by(w, "Owner", under="Case")]
    assert averages == sorted(averages, reverse=True)
    assert order.inner_text().startswith("highest first: Average of")
    w.choose("Order", "lowest first: number of Cases")
    w.press("Run")
    w.choose("Measure", "highest of")
    w.press("Run")
    assert order.inner_text() == "lowest first: number of Cases"


@pytest.mark.parametrize("task", [task for task, instance in BY_TASK.items() if instance.answer is None])
def test_what_could_be_told_is_withheld_in_the_dock(
    task: str, tab: Any, study: Any, ben: User, client: Client, tmp_path: Path, settings: Any
) -> None:
    """In an hour whose protocol offers it: the question beside the record that would give it away, and the refusal."""
    settings.REALIA_VAR = tmp_path
    hour = begun_hour(study, ben, client)
    attempt = hour.attempt(1)
    asked = BY_TASK[task]
    stored = attempt.place.instance
    stored.task, stored.question, stored.definitions = task, question(task), ""
    stored.answer, stored.answer_type, stored.answer_object, stored.metric = [None], asked.kind, "", "privacy_rejection"
    stored.save()
    Desk.objects.filter(pk=attempt.desk_id).update(org=atlas_org(tmp_path), today=ATLAS_TODAY)
    w = tab(client, attempt.desk)
    assert WALKS[task](w) == [None]
    dock = w.page.get_by_role("complementary", name="The question")
    assert asked.question.split("{")[0].strip() in w.reads(dock)
    w.click(dock.get_by_label("This should not be disclosed"))
    w.page.get_by_text("All saved").first.wait_for()
    w.done(f"{task}-dock", "")
    w.press("Next question", within=dock)
    attempt.refresh_from_db()
    assert attempt.outcome == "withheld"


def begun_hour(study: Any, ben: User, client: Client) -> Any:
    """Ben before his first question, under a protocol that lets people withhold."""
    from study.assignment.flows import open_cohort
    from study.people.sample.cohorts import create_cohort
    from study.protocols.library import builtin_text
    from tests.fieldwork.hour import Hour, make_small_org
    from tests.people.walk import freeze

    make_small_org()
    freeze(study, builtin_text("realia-hour").replace("confidentiality: false", "confidentiality: true"))
    cohort = create_cohort(
        study, code="north", name="Panel North", arm="main", target=10, contact_email="noor@example.test", by=None
    )
    open_cohort(cohort, by=None)
    hour = Hour.begin(cohort, ben, client)
    hour.orient()
    hour.open_question()
    return hour
