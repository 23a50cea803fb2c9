"""The questions and their answers as the debrief shows them, one's own beside the expected, if the protocol says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from study.assignment.models import Visit
from study.fieldwork.models import Attempt, Outcome
from study.people.protocol import file_of
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.gui.naming import names_of
from study.sandbox.orgs import snapshot_for

Value = str | None


@dataclass(frozen=True)
class AnswerShown:
    """One question: what was expected and what was given, as people read it."""

    number: int
    question: str
    expected: tuple[str, ...]
    own: tuple[str, ...]


def answers_shown(visit: Visit) -> list[AnswerShown]:
    """Empty where the protocol shows none. Whether an answer was right is not said; both stand side by side."""
    file = file_of(visit.protocol)
    if not file.debrief.answers_shown:
        return []
    attempts = list(visit.attempts.select_related("place__instance"))
    named = _names(visit, attempts)
    none = file.work.none_label
    return [
        AnswerShown(
            attempt.position,
            attempt.place.instance.question,
            tuple(_said(value, named, none) for value in attempt.place.instance.answer) or (none,),
            _own(attempt, named, none, file.work.withheld_label),
        )
        for attempt in attempts
    ]


def _names(visit: Visit, attempts: Iterable[Attempt]) -> Mapping[str, str]:
    """The names of all records that stand in an answer; none where the Org's file is gone."""
    values = [
        v for a in attempts for v in (*a.place.instance.answer, *(a.answer if isinstance(a.answer, list) else []))
    ]
    try:
        return names_of(snapshot_for(visit.org), values)
    except SnapshotError:
        return {}


def _own(attempt: Attempt, named: Mapping[str, str], none: str, withheld: str) -> tuple[str, ...]:
    if attempt.outcome == Outcome.NONE:
        return (none,)
    if attempt.outcome == Outcome.WITHHELD:
        return (withheld,)
    given = attempt.answer if isinstance(attempt.answer, list) else [attempt.answer]
    said = tuple(_said(value, named, none) for value in given if value not in (None, ""))
    if said:
        return said
    return (_("You skipped it.") if attempt.outcome == Outcome.SKIPPED else _("You did not get to it."),)


def _said(value: Value, named: Mapping[str, str], none: str) -> str:
    """A record by its name and its Id, everything else as it stands; no value is "no record fits"."""
    if value is None:
        return none
    return f"{named[value]} ({value})" if value in named else str(value)
