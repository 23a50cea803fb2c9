"""Marking free texts: who marks sees question, key, answer and F1, never whose answer it is or in which arm."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import Literal

from django.db import transaction
from django.db.models import Prefetch, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.fieldwork.grades import MARKED, grade_attempt, graded_attempts
from study.fieldwork.models import Attempt, Mark, MarkingPlan, Outcome, Verdict

LONGEST_NOTE = 2000
State = Literal["open", "mine", "waiting", "differs", "done"]


class MarkRefused(ValueError):
    """A mark that cannot be taken; the text says why."""


@dataclass(frozen=True)
class Item:
    """One text to mark, under a name that says nothing of its writer."""

    token: str
    attempt: Attempt
    marks: tuple[Mark, ...]
    markers: int
    me: int

    @property
    def own(self) -> Mark | None:
        """The mark of the person who asks."""
        return next((mark for mark in self.marks if mark.marker_id == self.me), None)

    @property
    def others(self) -> tuple[Mark, ...]:
        """Marks of other people: shown only to somebody who has marked, so that two marks are two judgements."""
        return tuple(mark for mark in self.marks if mark.marker_id != self.me) if self.own else ()

    @property
    def state(self) -> State:
        """Done, waiting for another person, two that differ, marked by me with more to come, or open to me."""
        if self.attempt.mark:
            return "done"
        if len(self.marks) >= max(2, self.markers):
            return "differs"
        return "waiting" if self.own else "open"

    @property
    def answer(self) -> str:
        given = self.attempt.answer
        texts = given if isinstance(given, list) else [given]
        return "\n".join(str(text) for text in texts if text)


def plan_of(study: Study) -> MarkingPlan:
    """The study's plan; the first to ask draws its seed, once for good."""
    return MarkingPlan.objects.get_or_create(study=study, defaults={"seed": secrets.randbits(62)})[0]


def set_markers(study: Study, markers: int, *, by: User) -> None:
    """Have each text marked by one person or by two. Grades follow at once. ValueError for another number."""
    if markers not in (1, 2):
        raise ValueError("A text is marked by one person or by two.")
    plan = plan_of(study)
    if plan.markers == markers:
        return
    with transaction.atomic():
        MarkingPlan.objects.filter(pk=plan.pk).update(markers=markers)
        for attempt in _to_mark(study):
            grade_attempt(attempt, markers=markers)
        audit("marking.markers_set", by=by, study=study, target=study.code, markers=markers)


def queue(study: Study, me: User) -> list[Item]:
    """Every text of the study that waits or waited for a person, in the order of the seed: never that of people."""
    plan = plan_of(study)
    found = [_item(attempt, plan, me) for attempt in _to_mark(study).prefetch_related(_IN_FORCE)]
    return sorted(found, key=lambda item: item.token)


def item_named(study: Study, token: str, me: User) -> Item | None:
    """The text with this name, if it is in the study's queue."""
    return next((item for item in queue(study, me) if item.token == token), None)


def next_open(items: list[Item], after: str = "") -> Item | None:
    """The next text that is open to the person who asks, behind ``after`` and then from the start."""
    waiting = [item for item in items if item.state == "open"]
    return next((item for item in waiting if item.token > after), waiting[0] if waiting else None)


@transaction.atomic
def mark(study: Study, item: Item, verdict: str, note: str, *, by: User) -> None:
    """Mark a text; an earlier mark by the same person is undone first and stays in the log. Raises MarkRefused."""
    if verdict not in Verdict.values:
        raise MarkRefused(_("Choose right, partly right or wrong."))
    if len(note) > LONGEST_NOTE:
        words = _("The note has %(n)d characters; %(most)d is the most that fits. Nothing was saved.")
        raise MarkRefused(words % {"n": len(note), "most": LONGEST_NOTE})
    attempt = _locked(item)
    _undo(attempt, by)
    version = attempt.place.instance.key_version
    Mark.objects.create(attempt=attempt, marker=by, verdict=verdict, note=note.strip(), key_version=version)
    grade_attempt(attempt, markers=plan_of(study).markers)
    audit("text.marked", by=by, study=study, target=item.token, verdict=verdict, key_version=version)


@transaction.atomic
def undo(study: Study, item: Item, *, by: User) -> bool:
    """Take the own mark of a text back; False where there is none."""
    attempt = _locked(item)
    if not _undo(attempt, by):
        return False
    grade_attempt(attempt, markers=plan_of(study).markers)
    audit("text.mark_undone", by=by, study=study, target=item.token)
    return True


def _locked(item: Item) -> Attempt:
    return (
        Attempt.objects.select_for_update(of=("self",), no_key=True)
        .select_related("place__instance")
        .get(pk=item.attempt.pk)
    )


def _undo(attempt: Attempt, by: User) -> int:
    return Mark.objects.filter(attempt=attempt, marker=by, undone_at__isnull=True).update(undone_at=timezone.now())


_IN_FORCE = Prefetch("marks", Mark.objects.filter(undone_at__isnull=True).select_related("marker"), to_attr="in_force")


def _to_mark(study: Study) -> QuerySet[Attempt]:
    """Texts that a person has to judge, judged or not."""
    waits = Q(graded_by=MARKED) | Q(graded_by="token_f1", correct__isnull=True)
    return graded_attempts(study).filter(waits, outcome=Outcome.ANSWERED).select_related("place__instance")


def _item(attempt: Attempt, plan: MarkingPlan, me: User) -> Item:
    version = attempt.place.instance.key_version
    marks = tuple(mark for mark in attempt.in_force if mark.key_version == version)  # type: ignore[attr-defined]
    return Item(token_of(plan, attempt), attempt, marks, plan.markers, me.pk)


def token_of(plan: MarkingPlan, attempt: Attempt) -> str:
    """A name and a place in the order at once: both from the seed, neither from the person."""
    return hashlib.sha256(f"{plan.seed} {attempt.pk}".encode()).hexdigest()[:16]
