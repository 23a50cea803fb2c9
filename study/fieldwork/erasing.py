"""What a participant typed, chose and looked for in the hour, and where it is kept besides the answers (P-43).

The answers themselves go as "take my answers out" removes them (``taking_out.py``), so that counts stay honest; who it
was goes with what nobody analyses: the private pad, texts that were replaced, words to the team, what was kept in the
CRM under names of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet

from study.accounts.erasing import Eraser, identifiers, keeps, register
from study.accounts.models import Study
from study.assignment.models import Visit
from study.fieldwork import models as hour
from study.people import withdrawal
from study.people.models import Participant
from study.people.privacy.erasing import subject
from study.protocols.models import Deviation
from study.sandbox.models import Desk, Favourite, PageFact, SavedView, TraceEvent


def visits_of(study: Study, code: str) -> QuerySet[Visit]:
    return Visit.objects.filter(participant__in=subject(study, code))


def desks_of(study: Study, code: str) -> QuerySet[Desk]:
    visits = visits_of(study, code)
    keys = Desk.objects.filter(Q(attempt__visit__in=visits) | Q(visit_desk__visit__in=visits)).values("pk")
    return Desk.objects.filter(pk__in=keys)


# With the identity: what only its person had use for.


def _pads(study: Study, code: str) -> QuerySet[hour.Attempt]:
    return hour.Attempt.objects.filter(visit__in=visits_of(study, code)).exclude(scratch="")


def _saves(study: Study, code: str) -> QuerySet[hour.Save]:
    return hour.Save.objects.filter(visit__in=visits_of(study, code)).exclude(value=None)


def _help(study: Study, code: str) -> QuerySet[hour.HelpRequest]:
    rows = hour.HelpRequest.objects.filter(visit__in=visits_of(study, code))
    return rows.exclude(words="", reply="", page="")


def _kept(study: Study, code: str) -> tuple[QuerySet[SavedView], QuerySet[Favourite]]:
    """Views and favourites in the Orgs of these visits, unless the same person still needs them in another study."""
    desks = desks_of(study, code).exclude(user=None)
    users, orgs = list(desks.values_list("user", flat=True)), set(desks.values_list("org", flat=True))
    others = Desk.objects.filter(user__in=users).exclude(pk__in=desks.values("pk"))
    orgs -= set(others.values_list("org", flat=True))
    return (
        SavedView.objects.filter(user__in=users, org__in=orgs),
        Favourite.objects.filter(user__in=users, org__in=orgs),
    )


def _erase_kept(study: Study, code: str) -> int:
    return sum(rows.delete()[0] for rows in _kept(study, code))


def _signed(study: Study, code: str) -> QuerySet[Desk]:
    return desks_of(study, code).exclude(user=None)


# The answers.


def _answers(study: Study, code: str) -> int:
    """Rows that still hold something which was typed, chosen or looked for."""
    visits, desks = visits_of(study, code), desks_of(study, code).values("pk")
    mine = Q(visit__in=visits)
    left: list[QuerySet[object]] = [  # type: ignore[type-var]
        hour.Rationale.objects.filter(rating__visit__in=visits),
        hour.Rating.objects.filter(mine).exclude(first="", final="", cannot_judge_reason=""),
        hour.Pin.objects.filter(mine),
        hour.Note.objects.filter(mine),
        hour.Attempt.objects.filter(mine).exclude(draft={}, answer=None, reason="", confidence=None, score=None,
                                                  frequency_at_work="", one_clear_answer="", correct=None, mark=""),
        hour.Mark.objects.filter(attempt__visit__in=visits),
        hour.RequesterTurn.objects.filter(attempt__visit__in=visits).exclude(asked="", reply=""),
        hour.ClosingAnswer.objects.filter(mine).exclude(value=None),
        visits.exclude(comprehension={}),
        TraceEvent.objects.filter(desk__in=desks).exclude(query=None, record="", address=""),
        PageFact.objects.filter(desk__in=desks).exclude(copied=[]),
    ]  # fmt: skip
    return sum(rows.count() for rows in left)


def _erase_answers(study: Study, code: str) -> int:
    n = _answers(study, code)
    for row in subject(study, code).select_related("user"):
        Participant.objects.filter(pk=row.pk).update(data_choice=withdrawal.TAKE_OUT)
        withdrawal.run_taken_out(row)
    return n


# The ledger and the truth of simulations: files that name only simulated people, by their code.


def _ledgers(study: Study, code: str) -> Iterator[tuple[Path, list[str], int]]:
    path = settings.REALIA_VAR / f"ledger-{study.code}.jsonl"
    if path.is_file():
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        stay = [line for line in lines if json.loads(line).get("participant") != code]
        if len(stay) < len(lines):
            yield path, stay, len(lines) - len(stay)


def _erase_ledger(study: Study, code: str) -> int:
    removed = 0
    for path, stay, n in _ledgers(study, code):
        shorter = path.with_name(path.name + ".part")
        shorter.write_text("".join(stay), encoding="utf-8")
        shorter.replace(path)
        removed += n
    return removed


HELP = tuple(f"fieldwork.HelpRequest.{name}" for name in ("words", "reply", "page"))
ATTEMPT = tuple(
    f"fieldwork.Attempt.{name}"
    for name in ("draft", "answer", "reason", "frequency_at_work", "one_clear_answer", "graded_by", "mark")
)

for eraser in (
    Eraser("private pad", "The private pad of each question", "identity", lambda s, c: _pads(s, c).count(),
           lambda s, c: _pads(s, c).update(scratch=""), 45, ("fieldwork.Attempt.scratch",)),
    Eraser("earlier texts", "Every state of a text that was saved on the way", "identity",
           lambda s, c: _saves(s, c).count(), lambda s, c: _saves(s, c).update(value=None), 45,
           ("fieldwork.Save.value",)),
    Eraser("words to the team", "Help that was asked for, in words, and the replies", "identity",
           lambda s, c: _help(s, c).count(), lambda s, c: _help(s, c).update(words="", reply="", page=""), 45, HELP),
    Eraser("browser", "The mark of the browser an hour was begun in", "identity",
           lambda s, c: visits_of(s, c).exclude(seat="").count(),
           lambda s, c: visits_of(s, c).exclude(seat="").update(seat=""), 45, ("assignment.Visit.seat",)),
    Eraser("views and favourites", "Lists and records kept in the CRM", "identity",
           lambda s, c: sum(rows.count() for rows in _kept(s, c)), _erase_kept, 55,
           ("sandbox.SavedView.*", "sandbox.Favourite.*")),
    Eraser("desks", "Desks in the CRM that name the account", "identity", lambda s, c: _signed(s, c).count(),
           lambda s, c: _signed(s, c).update(user=None), 80),
    Eraser("answers", "Answers, ratings, texts, notes, pins, searches and what was opened", "everything", _answers,
           _erase_answers, 50,
           (*ATTEMPT, "fieldwork.Rationale.*", "fieldwork.Rating.first", "fieldwork.Rating.final",
            "fieldwork.Rating.cannot_judge_reason", "fieldwork.Pin.*", "fieldwork.Note.*", "fieldwork.Mark.*",
            "fieldwork.RequesterTurn.*", "fieldwork.ClosingAnswer.value", "assignment.Visit.comprehension",
            "sandbox.TraceEvent.query", "sandbox.TraceEvent.record", "sandbox.TraceEvent.address",
            "sandbox.PageFact.copied", "sandbox.LongAddress.*")),
    Eraser("ledger", "Lines of a simulation's ledger", "everything",
           lambda s, c: sum(n for *_rest, n in _ledgers(s, c)), _erase_ledger, 70),
):  # fmt: skip
    register(eraser)

VISIT = "assignment.Visit."
keeps("what was drawn or decided for the visit, by the program", VISIT + "arm", VISIT + "condition",
      VISIT + "allocation", VISIT + "block", VISIT + "object_order", VISIT + "box_order", VISIT + "language",
      VISIT + "device", VISIT + "skin", VISIT + "moderator", VISIT + "incident", VISIT + "paused_for",
      "assignment.Allocation.*", "assignment.Place.*", "assignment.AssignmentEvent.*", "fieldwork.CardShown.*",
      "fieldwork.FluencyMove.*", "fieldwork.VisitDesk.*", "fieldwork.Clock.*", "fieldwork.Rating.kind",
      "fieldwork.Rating.target", "fieldwork.Rating.dimension", "fieldwork.Rating.look_ids",
      "fieldwork.Rating.needed_by", "fieldwork.Attempt.style", "fieldwork.Attempt.withhold",
      "fieldwork.Attempt.outcome", "fieldwork.ClosingAnswer.item", "fieldwork.Save.field", "fieldwork.Save.save_id",
      "fieldwork.HelpRequest.kind", "sandbox.Desk.*", "sandbox.TraceEvent.kind",
      "sandbox.TraceEvent.object")  # fmt: skip
keeps("the material of the study, the same for everybody", "sandbox.Org.*", "sandbox.StudyOrg.*", "benchmark.*.*",
      "fieldwork.Card.*", "fieldwork.CardSet.*", "fieldwork.MarkingPlan.*")  # fmt: skip


# What staff wrote about the study as a whole: if it names somebody, the name goes and the rest stays.

BY_STAFF = ((hour.Incident, ("what", "told")), (Deviation, ("what", "why")))


def without(text: str, wanted: list[str]) -> str:
    """The text with each of these names, whole and in any case, as ``[…]``."""
    if not wanted:
        return text
    names = "|".join(re.escape(one) for one in sorted(wanted, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{names})(?!\w)", "[…]", text, flags=re.IGNORECASE)


def _named(study: Study, code: str) -> Iterator[tuple[Any, int, dict[str, str]]]:
    wanted = identifiers(study, code)
    for model, names in BY_STAFF if wanted else ():
        # Lines of the log of deviations are never written again, but for this.
        rows: Any = model._base_manager
        for row in rows.filter(study=study):
            told = {name: without(getattr(row, name), wanted) for name in names}
            if any(getattr(row, name) != said for name, said in told.items()):
                yield rows, row.pk, told


def _erase_named(study: Study, code: str) -> int:
    found = list(_named(study, code))
    return sum(rows.filter(pk=pk).update(**told) for rows, pk, told in found)


register(
    Eraser("words of staff", "Incidents and deviations that name the person", "identity",
           lambda s, c: sum(1 for _row in _named(s, c)), _erase_named, 60,
           ("fieldwork.Incident.what", "fieldwork.Incident.told", "protocols.Deviation.what",
            "protocols.Deviation.why"))
)  # fmt: skip
keeps("a number in the study", "fieldwork.Incident.code")
