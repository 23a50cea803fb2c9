"""Orientation: what was looked at, a practice question with feedback, and a check of what was explained (M18).

Nobody fails it. In a second visit a person knows all this: story, notes and the look are all there is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from study.accounts.typed_text import visible_text
from study.assignment.models import Visit
from study.fieldwork import moves
from study.fieldwork.models import VisitDesk
from study.people.protocol import file_of
from study.protocols.design import ObjectText
from study.protocols.hour import CheckItem, Comprehension, Practice
from study.protocols.markup import fill
from study.sandbox.models import Purpose, TraceEvent
from study.sandbox.opened import snapshot_of

WORDS = {"true": True, "false": False}


@dataclass(frozen=True)
class Looked:
    """One kind of record of the guided look, and whether a list or record of it has been opened."""

    text: ObjectText
    opened: bool


def looked(visit: Visit) -> list[Looked]:
    """Every kind of record the orientation names, with what the trace of its desk says. Nobody has to open any."""
    desks = VisitDesk.objects.filter(visit=visit, purpose=Purpose.ORIENTATION).values("desk")
    seen = set(TraceEvent.objects.filter(desk__in=desks).exclude(object="").values_list("object", flat=True).distinct())
    return [Looked(text, text.api in seen) for text in file_of(visit.protocol).oriented(visit.arm, visit.condition)]


def practice_of(visit: Visit) -> Practice | None:
    """The practice question; only a person's first visit has one."""
    return file_of(visit.protocol).orientation.practice if visit.period == 1 else None


def check_of(visit: Visit) -> Comprehension | None:
    """The check; only a person's first visit has one."""
    return file_of(visit.protocol).orientation.check if visit.period == 1 else None


def items_of(visit: Visit) -> tuple[CheckItem, ...]:
    """The lines of the check; none where the visit has no check."""
    check = check_of(visit)
    return check.items if check else ()


def tries_of(visit: Visit) -> int:
    check = check_of(visit)
    return check.tries if check else 0


def practice_feedback(visit: Visit) -> str:
    """What is said to the practice answer given last; it counts for nothing. Empty before there is one."""
    practice, typed = practice_of(visit), visit.comprehension.get("practice")
    if practice is None or typed is None:
        return ""
    digits = re.sub(r"[,.\s]", "", typed)
    count = snapshot_of(visit.org).counts.get(practice.object, 0)
    if digits.isdecimal() and int(digits[:9]) == count:
        return practice.right
    return fill(practice.other, count=f"{count:,}")


@transaction.atomic
def try_practice(visit: Visit, typed: str) -> None:
    """Keep the latest practice answer."""
    row = Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
    row.comprehension = row.comprehension | {"practice": visible_text(typed)}
    row.save(update_fields=["comprehension"])
    visit.comprehension = row.comprehension


@transaction.atomic
def try_check(visit: Visit, answers: dict[str, str], *, tried: int | None = None) -> None:
    """Count one try of the check, the one after ``tried``. Any other, and those after a right one, change nothing."""
    row = Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
    if not check_done(row) and tried in (None, row.comprehension_tries):
        tries = [*row.comprehension.get("tries", []), answers]
        row.comprehension = row.comprehension | {"tries": tries}
        row.comprehension_tries = len(tries)
        row.save(update_fields=["comprehension", "comprehension_tries"])
    visit.comprehension, visit.comprehension_tries = row.comprehension, row.comprehension_tries


def last_try(visit: Visit) -> dict[str, str]:
    tries = visit.comprehension.get("tries") or [{}]
    return dict(tries[-1])


def is_right(item: CheckItem, answers: dict[str, str]) -> bool:
    return WORDS.get(answers.get(item.id, "")) is item.answer


def passed(visit: Visit) -> bool:
    answers = last_try(visit)
    return all(is_right(item, answers) for item in items_of(visit))


def check_done(visit: Visit) -> bool:
    """Passed, or the tries are used up: then the right answers are shown and the person goes on."""
    return passed(visit) or visit.comprehension_tries >= tries_of(visit)


def check_lines(visit: Visit, typed: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """Each line of the check with its explanation once the check is over or it was right.

    ``keep`` is what stands ticked: an answer of this person that was right, or one just ``typed``.
    """
    answers, over = last_try(visit), check_done(visit)
    lines = []
    for item in items_of(visit):
        right = is_right(item, answers)
        keep = typed.get(item.id, "") if typed else answers.get(item.id, "") if right else ""
        lines.append({"item": item, "keep": keep, "explain": item.explain if over or right else ""})
    return lines


def still_open(visit: Visit) -> list[tuple[str, str]]:
    """What orientation still asks before the work: (part of the page, words)."""
    found = []
    if any(not step.over for step in moves.steps_of(visit)):
        found.append(("moves", _("The short moves in the CRM. Each can be left.")))
    if practice_of(visit) and "practice" not in visit.comprehension:
        found.append(("practice", _("The practice question. One try is enough.")))
    if not check_done(visit):
        found.append(("check", _("The lines to answer with true or false.")))
    return found
