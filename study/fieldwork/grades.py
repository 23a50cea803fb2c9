"""The grade of an attempt: by the metric of its instance, and by people where a text is not plainly right.

Grades are stored. They are worked out when the ratings are locked, when a mark is given or undone, and by ``regrade``
after a key has changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F, QuerySet

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.benchmark.grading import grade, needs_marking
from study.fieldwork.models import Attempt, Outcome, Verdict
from study.people.models import counted

GIVEN = (Outcome.ANSWERED, Outcome.NONE, Outcome.WITHHELD)
MARKED = "mark"
TAKE_OUT = "take_out"


@dataclass(frozen=True)
class Graded:
    """What is stored of a grade."""

    correct: bool | None
    score: float | None
    graded_by: str
    mark: str = ""
    key_version: int | None = None

    @classmethod
    def of(cls, attempt: Attempt) -> Graded:
        return cls(attempt.correct, attempt.score, attempt.graded_by, attempt.mark, attempt.key_version)

    def __str__(self) -> str:
        said = {True: "right", False: "wrong", None: "not graded"}[self.correct]
        return f"{self.mark or said} by {self.graded_by or 'nobody'}, score {self.score or 0:.2f}"


def grade_attempt(attempt: Attempt, *, markers: int = 1) -> Graded:
    """Grade one attempt by the newest key and store it. ``markers`` is how many people must mark a text."""
    instance = attempt.place.instance
    if attempt.outcome not in GIVEN:
        return Graded.of(attempt)
    found = grade(attempt.answer, instance.answer, instance.metric, instance.task, outcome=attempt.outcome)
    new = Graded(found.correct, found.score, found.how, "", instance.key_version)
    if needs_marking(found):
        marks = attempt.marks.filter(undone_at__isnull=True, key_version=instance.key_version)
        if mark := verdict(list(marks.values_list("verdict", flat=True)), markers):
            new = Graded(mark == Verdict.RIGHT, found.score, MARKED, mark, instance.key_version)
    Attempt.objects.filter(pk=attempt.pk).update(
        correct=new.correct, score=new.score, graded_by=new.graded_by, mark=new.mark, key_version=new.key_version
    )
    return new


def verdict(marks: Sequence[str], needed: int) -> str:
    """What holds of several marks: the one that more than half of them give; empty while too few, or none has more.

    >>> verdict(["right"], 1), verdict(["right"], 2), verdict(["right", "right"], 2)
    ('right', '', 'right')
    >>> verdict(["right", "wrong"], 2), verdict(["right", "wrong", "wrong"], 2)
    ('', 'wrong')
    """
    if len(marks) < needed:
        return ""
    ((first, n),) = Counter(marks).most_common(1)
    return first if 2 * n > len(marks) else ""


def markers_needed(study: Study) -> int:
    plan = getattr(study, "marking_plan", None)
    return plan.markers if plan else 1


def graded_attempts(study: Study) -> QuerySet[Attempt]:
    """Attempts with an answer, of people who count, whose ratings are locked."""
    return (
        Attempt.objects.filter(visit__participant__study=study, **counted("visit__participant"))
        .filter(visit__locked_at__isnull=False, outcome__in=GIVEN)
        .exclude(visit__participant__data_choice=TAKE_OUT)
    )


def outdated(study: Study) -> int:
    """Attempts graded by a key that has changed since."""
    return graded_attempts(study).filter(key_version__lt=F("place__instance__key_version")).count()


@dataclass(frozen=True)
class Change:
    """One attempt whose grade is another one now."""

    visit: str
    position: int
    task: str
    before: Graded
    after: Graded

    def __str__(self) -> str:
        keys = f"key {self.before.key_version or 1} to {self.after.key_version}"
        return f"{self.visit} question {self.position}, {self.task}: {self.before}; now {self.after} ({keys})"


@transaction.atomic
def regrade(study: Study, *, by: User | None) -> list[Change]:
    """Grade every attempt of a study again, from the stored answers and the newest keys; tells which grades changed.

    Marks given by an older key hold no longer: those texts wait in the queue again.
    """
    needed, changes = markers_needed(study), []
    rows = (
        graded_attempts(study)
        .select_related("place__instance", "visit__participant")
        .select_for_update(of=("self",), no_key=True)
    )
    for attempt in rows.order_by("visit__participant__code", "visit__period", "position"):
        before = Graded.of(attempt)
        after = grade_attempt(attempt, markers=needed)
        if (before.correct, before.score, before.mark) != (after.correct, after.score, after.mark):
            name = f"{attempt.visit.participant.code}-{attempt.visit.period}"
            changes.append(Change(name, attempt.position, attempt.place.task, before, after))
    audit("study.regraded", by=by, study=study, target=study.code, changed=len(changes))
    return changes
