"""The board of a study's cohorts: how far their people came, what of the quota is filled, when it may be finished."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from study.accounts.models import Study
from study.people.models import Cohort, CohortState, End, Stage
from study.people.sample.cohorts import not_opened
from study.people.sample.consort import Course, courses
from study.people.sample.forecast import Forecast, forecast
from study.people.sample.moments import Told, told
from study.people.sample.places import Places, holders, places
from study.people.sample.quotas import Grid, grid


@dataclass(frozen=True)
class Bar:
    """One bar of the funnel: how many came this far, their share of those invited (0 to 100), and words beside it."""

    label: str
    n: int
    percent: float
    note: str
    shade: int


@dataclass(frozen=True)
class CohortRow:
    cohort: Cohort
    steps: tuple[Bar, ...]
    completed: int
    going: int
    """Joined and not ended."""
    places: Places
    grid: Grid | None
    forecast: Forecast | None
    """None while the cohort has not opened."""
    opening: Told | None
    closing: Told | None
    not_opened: list[str]

    @property
    def is_full(self) -> bool:
        return self.places.free == 0

    @property
    def most_reached(self) -> bool:
        """Full although the target is not: so many have started that nobody replaces those who were lost (M17)."""
        return self.places.begun >= self.places.most and self.places.taken < self.places.target

    @property
    def late(self) -> bool:
        """At this pace the closing moment comes before the target is reached."""
        seen = self.forecast
        return bool(self.closing and seen and seen.middle and seen.middle > self.closing.at)


def bars(people: list[Course], target: int) -> tuple[Bar, ...]:
    """Each bar's words say where those are who did not come further."""
    ends = Counter(one.end for one in people)
    joined = [one for one in people if one.assessed]
    eligible = [one for one in joined if one.reached(Stage.ELIGIBLE)]
    begun = [one for one in eligible if one.reached(Stage.WORKING)]
    waiting = sum(1 for one in people if not one.assessed and not one.end)
    said_no = len(people) - len(joined) - waiting
    answering = sum(1 for one in joined if not one.reached(Stage.ELIGIBLE) and not one.end)
    not_begun = sum(1 for one in eligible if not one.reached(Stage.WORKING) and not one.end)
    left = sum(1 for one in begun if one.end and one.end != End.COMPLETE)
    working = sum(1 for one in begun if not one.end)
    plan: tuple[tuple[str, int, list[str]], ...] = (
        (
            _("Invited or arrived"),
            len(people),
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
        (_("Completed"), ends[End.COMPLETE], [_("target %d") % target]),
    )
    return tuple(
        Bar(label, n, round(100 * n / len(people), 1) if people else 0.0, ", ".join(w for w in words if w), shade)
        for shade, (label, n, words) in enumerate(plan, start=1)
    )


def row_of(cohort: Cohort) -> CohortRow:
    """Counts rows of participants, previews left out (P-14). A pilot's people are shown here, and only here (M14)."""
    people = courses(cohort.participants.people())
    return CohortRow(
        cohort=cohort,
        steps=bars(people, cohort.target),
        completed=sum(1 for one in people if one.end == End.COMPLETE),
        going=sum(1 for one in people if one.assessed and not one.end),
        places=places(cohort),
        grid=grid(cohort),
        forecast=finishing(cohort),
        opening=told(cohort.opens_at, cohort.zone) if cohort.opens_at else None,
        closing=told(cohort.closes_at, cohort.zone) if cohort.closes_at else None,
        not_opened=not_opened(cohort),
    )


def finishing(cohort: Cohort) -> Forecast | None:
    """The forecast of an open or paused cohort, by those who are complete and count."""
    if cohort.opened_at is None or cohort.state not in (CohortState.OPEN, CohortState.PAUSED):
        return None
    done = holders(cohort).filter(end=End.COMPLETE).count()
    return forecast(done, target=cohort.target, opened=cohort.opened_at, now=timezone.now())


def board(study: Study) -> list[CohortRow]:
    return [row_of(cohort) for cohort in study.cohorts.all()]
