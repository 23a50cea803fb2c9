"""Participant flow: how many came how far, where the others went, in counts that add up. Never a rating."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Exists, Max, Min, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.accounts.models import Study
from study.assignment.exposure import benched
from study.assignment.models import Place, Visit
from study.benchmark.models import Instance
from study.fieldwork.models import Attempt, Outcome, Rating, RatingKind
from study.people.models import End, Participant, Stage, counted
from study.people.sample.consort import courses

QUIET_AFTER = timedelta(hours=2)
STEPS = (
    ("invited", gettext_lazy("Invited"), Stage.INVITED),
    ("joined", gettext_lazy("Confirmed"), Stage.JOINED),
    ("eligible", gettext_lazy("Eligible"), Stage.ELIGIBLE),
    ("consented", gettext_lazy("Consented"), Stage.CONSENTED),
    ("working", gettext_lazy("Started"), Stage.WORKING),
    ("rating", gettext_lazy("Rating"), Stage.RATING),
    ("done", gettext_lazy("Completed"), None),
)


@dataclass(frozen=True)
class FlowStep:
    """One step: ``n`` came this far, ``lost`` ended here by reason, ``here`` are at it now.

    n = (n of the next step) + here + all lost; a test holds it.
    """

    code: str
    label: str
    n: int
    here: int
    lost: dict[str, int]
    percent: float

    @property
    def words(self) -> str:
        ends = dict(End.choices)
        parts = [f"{n} {ends[end]}" for end, n in sorted(self.lost.items())]
        if self.here and self.code != "done":
            parts.append(_("%(n)d here now") % {"n": self.here})
        return ", ".join(str(part) for part in parts)


def participant_flow(study: Study) -> list[FlowStep]:
    """The flow of a study's people, previews left out."""
    people = Participant.objects.counted().filter(study=study)
    rows = courses(people)
    order = list(Stage.values)
    depth = [6 if one.end == End.COMPLETE else _depth(order, one.furthest) for one in rows]
    steps = []
    for index, (code, label, _stage) in enumerate(STEPS):
        n = sum(d >= index for d in depth)
        at = [rows[i].end for i, d in enumerate(depth) if d == index]
        lost = Counter(end for end in at if end and end != End.COMPLETE)
        here = sum(not end for end in at) if code != "done" else n
        steps.append(FlowStep(code, str(label), n, here, dict(lost), round(100 * n / len(rows), 1) if rows else 0.0))
    return steps


def _depth(order: list[str], stage: str) -> int:
    """Index of the furthest step of STEPS that a stage has reached; locked people are still "rating"."""
    position = order.index(stage)
    return max(i for i, (_code, _label, at) in enumerate(STEPS) if at is not None and order.index(at) <= position)


@dataclass(frozen=True)
class Quality:
    """What may be known about the data while blind."""

    raters: int
    analysed_target: int | None
    exposure: tuple[int, int] | None
    outcomes: dict[str, int]
    cards: int
    rated_unopened: int
    unclear: int
    minutes_median: float | None


def quality(study: Study, *, target: int | None = None) -> Quality:
    """Counts only; no level, no distribution of ratings (M13)."""
    mine = Q(visit__participant__study=study, **counted("visit__participant"))
    mine &= ~Q(visit__participant__data_choice="take_out")
    attempts = Attempt.objects.filter(mine).exclude(outcome="")
    outcomes = dict(attempts.order_by().values_list("outcome").annotate(n=Count("pk")))
    locked = Rating.objects.filter(mine, kind=RatingKind.OBJECT, locked_at__isnull=False)
    scored = locked.filter(final__in=["1", "2", "3", "4", "5"])
    unopened = scored.filter(opened_work=0, opened_look=0).count()
    unclear = (
        attempts.filter(one_clear_answer__startswith="no").order_by().values("place__instance").annotate(n=Count("pk"))
    )
    return Quality(
        raters=locked.order_by().values("visit").distinct().count(),
        analysed_target=target,
        exposure=_exposure(study),
        outcomes={str(Outcome(code).label): n for code, n in sorted(outcomes.items())},
        cards=scored.count(),
        rated_unopened=unopened,
        unclear=sum(row["n"] >= 2 for row in unclear),
        minutes_median=_median_minutes(study),
    )


def _exposure(study: Study) -> tuple[int, int] | None:
    """Fewest and most uses of any assignable instance of the Orgs in use."""
    places = Place.objects.filter(visit__participant__study=study, **counted("visit__participant"))
    orgs = list(places.order_by().values_list("visit__org", flat=True).distinct())
    if not orgs:
        return None
    in_use = Q(places__visit__participant__study=study, **counted("places__visit__participant"))
    in_use &= Q(places__state__in=["active", "completed"])
    tasks = places.order_by().values_list("task", flat=True).distinct()
    uses = Instance.objects.filter(org__in=orgs, assignable=True, benched=False, task__in=list(tasks))
    uses = uses.exclude(pk__in=benched(study))
    found = uses.annotate(n=Count("places", filter=in_use)).aggregate(low=Min("n"), high=Max("n"))
    return (found["low"], found["high"]) if found["low"] is not None else None


def _median_minutes(study: Study) -> float | None:
    seconds = sorted(
        Participant.objects.counted()
        .filter(study=study, visits__clocks__part="work")
        .values_list("visits__clocks__active_seconds", flat=True)
    )
    return round(seconds[len(seconds) // 2] / 60, 1) if seconds else None


def gone_quiet(study: Study) -> list[Participant]:
    """People in the middle of the hour who were not seen for two hours."""
    since = timezone.now() - QUIET_AFTER
    inside = Participant.objects.counted().active().filter(study=study, last_seen_at__lt=since)
    # Between two visits there is nothing to do.
    at_work = Visit.objects.filter(participant=OuterRef("pk"), done_at=None)
    inside = inside.exclude(Q(stage=Stage.LOCKED) & ~Exists(at_work))
    return list(inside.exclude(stage=Stage.INVITED).order_by("last_seen_at")[:20])
