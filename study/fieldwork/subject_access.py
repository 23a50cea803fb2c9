"""What the tables of the hour tell somebody about themselves. Coordinators never see any of it."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from study.accounts.models import Study
from study.accounts.subject_access import Told, Words, tells
from study.assignment.models import Allocation, Place, Visit
from study.fieldwork import models as hour
from study.fieldwork.erasing import desks_of, visits_of
from study.people.privacy.subject_access import TEAM, WITH_DATA, mine
from study.sandbox.models import Favourite, PageFact, SavedView, TraceEvent

ANSWERS, USE = _("what the study is about"), _("to know what was seen before it was rated")
YOURS = _("for you alone, in the hour")
NOBODY = _("nobody; the study team could")


def _of_visit(model: type[Any], path: str = "visit") -> Any:
    return lambda study, code: model.objects.filter(**{f"{path}__in": visits_of(study, code)}).order_by("pk")


def _at_desk(model: type[Any]) -> Any:
    return lambda study, code: model.objects.filter(desk__in=desks_of(study, code)).order_by("pk")


def _kept(model: type[Any]) -> Any:
    def rows(study: Study, code: str) -> Any:
        desks = desks_of(study, code).exclude(user=None)
        return model.objects.filter(user__in=desks.values("user"), org__in=desks.values("org")).order_by("pk")

    return rows


def _table(label: str, title: Words, purpose: Words, rows: Any, recipients: Words = TEAM, **more: Any) -> None:
    tells(Told(label, title, purpose, recipients, WITH_DATA, rows, answers=True, **more))


# Drawn for the visit, and which group it belongs to: told at the end, when it can colour nothing any more.
_table("assignment.Allocation", _("Which group you were given"), ANSWERS, mine(Allocation),
       later=("cell", "number", "block", "kind", "arm", "order", "seed"))  # fmt: skip
_table("assignment.Visit", _("Visits"), ANSWERS, _of_visit(Visit, "pk"),
       later=("arm", "condition", "allocation", "block", "seed", "object_order", "box_order", "skin",
              "moderator"))  # fmt: skip
_table("assignment.Place", _("Questions you were given"), ANSWERS, _of_visit(Place), later=("task", "stratum"))
_table("fieldwork.Attempt", _("Your work on each question"), ANSWERS, _of_visit(hour.Attempt),
       later=("style", "withhold", "correct", "score", "graded_by", "mark", "key_version"))  # fmt: skip
_table("fieldwork.RequesterTurn", _("What you asked, and the replies"), ANSWERS,
       _of_visit(hour.RequesterTurn, "attempt__visit"), later=("kind", "topics", "given"))  # fmt: skip
_table("fieldwork.Rating", _("Ratings"), ANSWERS, _of_visit(hour.Rating), later=("needed_by",))
_table("fieldwork.Rationale", _("Reasons for ratings"), ANSWERS, _of_visit(hour.Rationale, "rating__visit"))
_table("fieldwork.CardShown", _("Cards you were shown"), ANSWERS, _of_visit(hour.CardShown),
       later=("module", "kind", "detail"))  # fmt: skip
_table("fieldwork.Pin", _("Records you pinned"), ANSWERS, _of_visit(hour.Pin))
_table("fieldwork.Note", _("Notes"), ANSWERS, _of_visit(hour.Note))
_table("fieldwork.ClosingAnswer", _("Closing questions"), ANSWERS, _of_visit(hour.ClosingAnswer))
_table("fieldwork.FluencyMove", _("First moves in the CRM"), USE, _of_visit(hour.FluencyMove))
_table("fieldwork.Clock", _("Times"), USE, _of_visit(hour.Clock))
_table("fieldwork.Save", _("Each saved state of a text"), _("so that nothing typed is lost"), _of_visit(hour.Save))
_table("fieldwork.HelpRequest", _("Help you asked for"), _("to help"), _of_visit(hour.HelpRequest))
_table("fieldwork.Mark", _("How your texts were marked"), ANSWERS, _of_visit(hour.Mark, "attempt__visit"),
       later=("verdict", "note", "key_version"))  # fmt: skip
_table("sandbox.TraceEvent", _("Pages you opened in the CRM"), USE, _at_desk(TraceEvent))
_table("sandbox.PageFact", _("How long pages were in view"), USE, _at_desk(PageFact))
_table("sandbox.SavedView", _("Lists and reports you kept"), YOURS, _kept(SavedView), NOBODY)
_table("sandbox.Favourite", _("Records you marked"), YOURS, _kept(Favourite), NOBODY)
