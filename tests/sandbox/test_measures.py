"""The rules of what a course of events says, on events written by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from study.sandbox.measures import OfObject, course_of, terms_of

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
CLOSED = {"object": "Case", "where": {"field": "Status", "op": "eq", "value": "Closed"}}


@dataclass
class Event:
    sequence: int
    kind: str
    object: str = ""
    record: str = ""
    query: Any = None
    seconds: float = 0

    @property
    def at(self) -> datetime:
        return START + timedelta(seconds=self.seconds)


@dataclass
class Fact:
    visible_ms: int = 0
    focused_ms: int = 0
    idle_ms: int = 0
    copied: list[str] = field(default_factory=list)
    odd: bool = False


def events(*rows: tuple[Any, ...]) -> list[Event]:
    return [Event(n, *row) for n, row in enumerate(rows, start=1)]


def search(text: str) -> tuple[str, str, str, dict[str, str]]:
    return ("search", "", "", {"text": text, "only": ""})


def listed(**changes: Any) -> tuple[str, str, str, dict[str, Any]]:
    return ("list", "Case", "", CLOSED | changes)


def test_a_reformulation_follows_with_other_terms_before_a_record_was_opened() -> None:
    record = ("record", "Case", "500a")
    plain = ("list", "Case", "", {"object": "Case"})
    assert course_of(events(search("a"), search("b"))).reformulations == 1
    assert course_of(events(search("a"), ("home",), plain, listed())).reformulations == 1
    assert course_of(events(search("a"), record, search("b"))).reformulations == 0
    thread = ("thread", "EmailMessage", "500a", {"shown": ["02sa"]})
    assert course_of(events(listed(), thread, search("b"))).reformulations == 0
    # The next page, another order, other capitals: the same question.
    same = course_of(
        events(search("A  b"), search("a B"), listed(), listed(offset=50, order=[{"key": "Id"}]), listed())
    )
    assert (same.searches, same.filters, same.reformulations) == (1, 1, 1)
    # Back to a question asked before is asked anew.
    assert course_of(events(search("a"), search("b"), search("a"))).searches == 3
    assert course_of(events(("console", "", "", {"text": "SELECT Id FROM Case"}), search("b"))).reformulations == 1


def test_what_asks_nothing_has_no_terms() -> None:
    for row in (
        ("home",),
        ("list", "Case", "", {"object": "Case"}),
        search(" "),
        ("console",),
        ("suggest", "", "", {"text": "a"}),
    ):
        assert terms_of(Event(1, *row)) == ""


def test_time_counts_up_to_the_next_event_and_five_minutes_at_most() -> None:
    rows = events(
        ("record", "Case", "500a"), ("record", "Case", "500a"), ("list", "Account"), ("record", "Case", "500b")
    )
    for event, seconds in zip(rows, (0, 30, 40, 4000), strict=True):
        event.seconds = seconds
    course = course_of(rows)
    assert course.of("Case").active_seconds == 40
    assert course.of("Account").active_seconds == 300
    assert (course.of("Case").records, course.of("Case").openings) == ({"500a", "500b"}, 3)
    assert course.opened == {("Case", "500a"), ("Case", "500b")}
    # A clock that was set back never makes time negative.
    rows[1].seconds = -50
    assert course_of(rows).of("Case").active_seconds == 90


def test_client_facts_add_up_where_they_are_plausible() -> None:
    """P-19: odd times are left out; the Ids that were copied stay."""
    rows = events(("record", "Case", "500a"), ("record", "Case", "500b"), ("home",))
    told = {1: Fact(900, 800, 100, ["500a"]), 2: Fact(9e9, 9e9, 0, ["500b"], odd=True), 3: Fact(50)}  # type: ignore[arg-type]
    case = course_of(rows, told).of("Case")
    assert (case.visible_ms, case.focused_ms, case.idle_ms, case.copied) == (900, 800, 100, {"500a", "500b"})
    other = OfObject({"500c"}, 1, 5.0, 0, 100, 100, 0, True, {"500a"})
    other.add(case)
    assert (other.openings, other.visible_ms, len(other.records), len(other.copied)) == (3, 1000, 3, 2)
