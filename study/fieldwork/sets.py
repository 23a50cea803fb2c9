"""Analysis sets as rules (M17): eligible ⊇ started ⊇ exposed ⊇ analysed. Flags move nobody (M22)."""

from __future__ import annotations

from dataclasses import dataclass

from study.protocols.design import Sets as Limits

ENDED_BY_PERSON = {"answered", "none", "withheld", "skipped"}


@dataclass(frozen=True)
class Course:
    """What one visit's rows say, as far as the sets need it."""

    eligible: bool
    started: bool
    work_active_seconds: int
    outcomes: tuple[str, ...]
    settled: bool
    """The ratings are locked, or the participation has ended: nothing changes any more."""
    org_rated: bool
    cards: int
    cards_answered: int
    end: str
    taken_out: bool
    left_out: bool = False
    """For a reason that the protocol lists, whatever the end was."""


@dataclass(frozen=True)
class Sets:
    started: bool
    exposed: bool
    analysed: bool


def sets(course: Course, limits: Limits) -> Sets:
    """The sets of one visit by the protocol's limits.

    *exposed*: started, and enough active minutes in the sandbox or enough
    attempts ended by an answer or a skip. *analysed*: exposed, the Org rated,
    and the protocol's share of the cards answered, "can't judge" included; not
    excluded, and not taken out after the debrief.
    """
    ended = sum(outcome in ENDED_BY_PERSON for outcome in course.outcomes)
    started = course.eligible and course.started
    long_enough = course.work_active_seconds >= 60 * limits.exposed_minutes
    exposed = started and (long_enough or ended >= limits.exposed_attempts)
    answered = course.cards > 0 and course.cards_answered >= limits.analysed_cards_share * course.cards
    usable = course.end != "excluded" and not course.taken_out and not course.left_out
    return Sets(started, exposed, exposed and course.settled and course.org_rated and answered and usable)
