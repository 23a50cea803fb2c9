"""A key changes on purpose only, with a reason, and leaves a trace; one that does not fit the data is found."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from study.accounts.models import AuditRow
from study.benchmark import key_check
from study.benchmark.flows import register_instances
from study.benchmark.key_check import misfits
from study.benchmark.keys import KeyRefused, change_key
from study.benchmark.models import Instance, KeyChange, Unchangeable
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.models import Org
from tests.benchmark.conftest import handle_time_record as record
from tests.benchmark.hand_org import agent, issue, record_id

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(hand_org: Org) -> Instance:
    register_instances(hand_org, [record(1)], "by hand")
    return Instance.objects.get()


def instances_key(*arguments: str) -> str:
    out = StringIO()
    call_command("instances_key", *arguments, stdout=out, no_color=True)
    return out.getvalue()


def test_a_change_is_written_down(asked: Instance, ada: Any) -> None:
    change = change_key(asked, [agent("bob")[:15]], by=ada, reason="  The rule counted an open case.  ")
    asked.refresh_from_db()
    assert (asked.answer, asked.key_version) == ([agent("bob")], 2)
    assert (change.old, change.new, change.by) == ([agent("ann")], [agent("bob")], ada)
    assert (change.version, change.reason) == (2, "The rule counted an open case.")
    assert AuditRow.objects.get(act="instance.key_changed").actor == ada
    change_key(asked, [None], by=None, reason="Nobody fits after all.")
    assert [(row.version, row.new) for row in KeyChange.objects.all()] == [(2, [agent("bob")]), (3, [None])]


def test_a_row_of_the_log_stays_as_it_is(asked: Instance) -> None:
    change = change_key(asked, [agent("bob")], by=None, reason="A reason.")
    change.reason = "Another."
    with pytest.raises(Unchangeable):
        change.save()
    with pytest.raises(Unchangeable):
        change.delete()
    assert KeyChange.objects.get().reason == "A reason."


@pytest.mark.parametrize(
    ("answer", "reason", "said"),
    [
        ([agent("bob")], "  ", "for a reason"),
        ([agent("ann")[:15]], "Why not.", "the key already"),
        ([record_id("User", 77)], "Why not.", "no record"),
        ([issue(0)], "Why not.", "asks for User"),
        (["Bob"], "Why not.", "no record Bob"),
        ([agent("bob"), agent("cat")], "Why not.", "one value"),
        ([agent("bob"), None], "Why not.", "None alone"),
    ],
)
def test_what_cannot_be_a_key_is_refused(asked: Instance, answer: list[Any], reason: str, said: str) -> None:
    with pytest.raises(KeyRefused, match=said):
        change_key(asked, answer, by=None, reason=reason)
    asked.refresh_from_db()
    assert (asked.answer, asked.key_version, KeyChange.objects.count()) == ([agent("ann")], 1, 0)


@pytest.mark.parametrize(
    ("task", "typed", "kept"),
    [
        ("monthly_trend_analysis", "nov", "November"),
        ("best_region_identification", "california", "CA"),
        ("wrong_stage_rectification", "negotiation", "Negotiation"),
        ("lead_qualification", "need, budget", "Need, Budget"),
        ("knowledge_qa", " every 24 months ", "every 24 months"),
    ],
)
def test_a_key_is_kept_in_one_spelling(hand_org: Org, task: str, typed: str, kept: str) -> None:
    register_instances(hand_org, [record(1, task=task, rule="", answer=[None], params={})], "by hand")
    assert f"{task} 1: {kept}" in instances_key("by-hand", "1", "--answer", typed, "--reason", "Found in the text.")
    with pytest.raises(CommandError, match=r"none of|None"):
        instances_key("by-hand", "1", "--answer", "Movember", "--answer", "None", "--reason", "Nonsense.")


def test_the_command_shows_what_changed(asked: Instance, ada: Any) -> None:
    assert "version 1" in instances_key("by-hand", "1")
    changed = ("by-hand", "1", "--answer", agent("bob"), "--reason", "Counted again.", "--by", ada.email)
    assert "version 2" in instances_key(*changed)
    shown = instances_key("by-hand", asked.key)
    assert f"2: {agent('ann')} became {agent('bob')}" in shown
    assert f"user {ada.pk}: Counted again." in shown


def test_the_command_refuses_what_it_cannot_do(asked: Instance) -> None:
    for arguments, said in [
        (("by-hand", "9"), "no instance '9'"),
        (("by-foot", "1"), "No Org"),
        (("by-hand", "1", "--answer", agent("bob")), "--reason"),
        (("by-hand", "1", "--answer", agent("bob"), "--reason", "x", "--by", "no@body.example"), "Nobody here"),
    ]:
        with pytest.raises(CommandError, match=said):
            instances_key(*arguments)


def test_a_number_that_names_two_is_said(asked: Instance, hand_org: Org) -> None:
    register_instances(hand_org, [record(1, query="The same number, other words?")], "again")
    with pytest.raises(CommandError, match=f"several .* {asked.key} "):
        instances_key("by-hand", "1")


def test_an_import_never_changes_a_key_in_silence(asked: Instance, hand_org: Org, ada: Any) -> None:
    report = register_instances(hand_org, [record(1, answer=[agent("bob")])], "newer.json")
    asked.refresh_from_db()
    assert (list(report.changed.values()), asked.answer, KeyChange.objects.count()) == ([["answer"]], [agent("ann")], 0)
    register_instances(hand_org, [record(1, answer=[agent("bob")])], "newer.json", replace=True, by=ada)
    asked.refresh_from_db()
    assert (asked.answer, asked.key_version) == ([agent("bob")], 2)
    assert (KeyChange.objects.get().reason, KeyChange.objects.get().by) == ("import of newer.json", ada)
    register_instances(hand_org, [record(1, answer=[agent("bob")], role="agent")], "newer.json", replace=True)
    assert KeyChange.objects.count() == 1  # other content is no change of the key


# Whether keys fit.


def problems(org: Org) -> list[str]:
    return [found.problem for found in misfits(org, Instance.objects.filter(org=org).order_by("pk"))]


def test_a_key_that_fits_is_worked_out_once(asked: Instance, hand_org: Org, monkeypatch: pytest.MonkeyPatch) -> None:
    assert problems(hand_org) == []
    monkeypatch.setattr(key_check, "snapshot_of", lambda org: pytest.fail("was known"))
    assert problems(hand_org) == []


def test_a_key_the_rule_does_not_give(asked: Instance, hand_org: Org) -> None:
    change_key(asked, [agent("bob")], by=None, reason="By mistake.")
    assert problems(hand_org) == [f"the key is {agent('bob')}, its rule gives {agent('ann')}"]
    change_key(asked, [agent("ann")], by=None, reason="Back again.")
    assert problems(hand_org) == []


def test_a_record_that_is_not_in_the_org(asked: Instance, hand_org: Org) -> None:
    lost = record_id("User", 77)
    Instance.objects.update(rule="", answer=[agent("ann"), lost], answer_type="records")
    assert problems(hand_org) == [f"the Org has no record {lost}"]


@pytest.mark.parametrize(("change", "said"), [({"params": {}}, "cannot be applied"), ({"rule": "guess"}, "no rule")])
def test_a_rule_that_cannot_be_asked(asked: Instance, hand_org: Org, change: dict[str, Any], said: str) -> None:
    Instance.objects.update(**change)
    (problem,) = problems(hand_org)
    assert said in problem


def test_a_rule_that_has_changed_is_asked_again(
    asked: Instance, hand_org: Org, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert problems(hand_org) == []
    monkeypatch.setattr(key_check, "_rules_text", lambda: "other")
    monkeypatch.setattr(key_check, "problem_of", lambda *_: "is wrong now")
    assert problems(hand_org) == ["is wrong now"]


def test_text_without_a_rule_has_nothing_to_check(hand_org: Org) -> None:
    question = record(4, task="knowledge_qa", reward_metric="fuzzy_match", answer=["blue"], rule="", params={})
    register_instances(hand_org, [question], "by hand")
    Org.objects.update(file="gone.sqlite")
    hand_org.refresh_from_db()
    assert problems(hand_org) == []
    Instance.objects.update(rule="handle_time")
    with pytest.raises(SnapshotError):
        problems(hand_org)
