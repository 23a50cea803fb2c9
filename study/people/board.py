"""What coordinators see: how far each cohort's people came, and where each of them is. Reading only."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from study.accounts.models import Study
from study.people.models import Cohort, End, Letter, Participant, Stage

AFTER_SCREENER = (Stage.ELIGIBLE, Stage.CONSENTED, Stage.WORKING, Stage.RATING, Stage.LOCKED, Stage.DONE)
BEGUN = (Stage.WORKING, Stage.RATING, Stage.LOCKED, Stage.DONE)


@dataclass(frozen=True)
class Step:
    """One bar of the funnel: how many came this far, their share of those invited (0 to 100), and words beside it."""

    label: str
    n: int
    percent: float
    note: str
    shade: int


@dataclass(frozen=True)
class CohortRow:
    cohort: Cohort
    steps: tuple[Step, ...]
    completed: int
    going: int
    """Joined and not ended."""
    holding: int
    """Places taken: what the target limits."""


def funnel(cohort: Cohort) -> CohortRow:
    """Counts rows of participants, previews left out (P-14). A pilot's people are shown here, and only here (M14)."""
    people = cohort.participants.people()
    # Before a second visit the stage goes back; somebody who has worked has begun.
    again = set(people.filter(stage_events__stage=Stage.WORKING).values_list("pk", flat=True))
    rows = [
        (Stage.WORKING if pk in again and stage not in BEGUN else stage, end, at)
        for pk, stage, end, at in people.values_list("pk", "stage", "end", "joined_at")
    ]
    ends = Counter(end for _stage, end, _joined in rows)
    joined = [(stage, end) for stage, end, at in rows if at]
    eligible = [(stage, end) for stage, end in joined if stage in AFTER_SCREENER]
    begun = [(stage, end) for stage, end in joined if stage in BEGUN]
    waiting = sum(1 for stage, end, at in rows if not at and not end)
    said_no = sum(1 for stage, end, at in rows if not at and end)
    answering = sum(1 for stage, end in joined if stage == Stage.JOINED and not end)
    not_begun = sum(1 for stage, end in eligible if stage not in BEGUN and not end)
    left = sum(1 for _stage, end in begun if end and end != End.COMPLETE)
    working = sum(1 for _stage, end in begun if not end)
    complete = ends[End.COMPLETE]
    # Each step's words say where those are who did not come further.
    plan = (
        (
            _("Invited or arrived"),
            len(rows),
            [
                ngettext("%d waiting", "%d waiting", waiting) % waiting if waiting else "",
                _("%d said no") % said_no if said_no else "",
            ],
        ),
        (
            _("Confirmed"),
            len(joined),
            [
                _("%d screened out") % ends[End.SCREENED_OUT] if ends[End.SCREENED_OUT] else "",
                _("%d found it full") % ends[End.FULL] if ends[End.FULL] else "",
                _("%d at the questions") % answering if answering else "",
            ],
        ),
        (
            _("Eligible"),
            len(eligible),
            [
                _("%d without consent") % ends[End.NO_CONSENT] if ends[End.NO_CONSENT] else "",
                _("%d not begun") % not_begun if not_begun else "",
            ],
        ),
        (_("Started"), len(begun), [_("%d left") % left if left else "", _("%d working") % working if working else ""]),
        (_("Completed"), complete, [_("target %d") % cohort.target]),
    )
    steps = tuple(
        Step(label, n, round(100 * n / len(rows), 1) if rows else 0.0, ", ".join(w for w in words if w), shade)
        for shade, (label, n, words) in enumerate(plan, start=1)
    )
    going = sum(1 for _stage, end in joined if not end)
    return CohortRow(cohort, steps, complete, going, cohort.participants.holding_a_place().count())


def board(study: Study) -> list[CohortRow]:
    return [funnel(cohort) for cohort in study.cohorts.all()]


def people_of(cohort: Cohort) -> list[Participant]:
    """The cohort's people with contact and letters, those who moved last first."""
    return list(
        cohort.participants.people()
        .select_related("contact", "invitation", "user")
        .prefetch_related("letters")
        .order_by(F("last_seen_at").desc(nulls_last=True), "-pk")
    )


def letter_words(letter: Letter) -> str:
    words = {
        "due": _("waits to be sent"),
        "sending": _("being sent"),
        "sent": _("sent"),
        "failed": _("not sent"),
        "dropped": _("no longer needed"),
        "bounced": _("came back"),
    }[letter.state]
    return f"{words} ({letter.error})" if letter.error else words
