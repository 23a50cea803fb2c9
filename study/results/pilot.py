"""What the people of the pilot show before the study begins, beside the protocol's limits (M14).

They count nowhere else. Of their ratings only "can't judge" is read, never a value (M13).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import get_args

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.accounts.models import Study
from study.assignment.models import Visit
from study.assignment.overview import protocol_to_show
from study.benchmark.tasks import task_label
from study.fieldwork.models import Attempt, HelpRequest, Outcome, Rating
from study.fieldwork.orienting import check_done, check_of, passed
from study.fieldwork.ratings import CANNOT_JUDGE, OVERALL, RATED, name_of
from study.people.models import Participant
from study.people.protocol import file_of
from study.protocols.design import Limit, PilotMeasure
from study.protocols.parts import RATHER_NOT
from study.protocols.schema import ProtocolFile

ENDED = (Outcome.ANSWERED, Outcome.NONE, Outcome.WITHHELD, Outcome.SKIPPED)
LABELS: dict[PilotMeasure, Promise] = {
    "task_minutes": gettext_lazy("Active minutes at a question, median"),
    "card_minutes": gettext_lazy("Minutes at a rating card, median"),
    "reached_3": gettext_lazy("Came to the third question"),
    "reached_4": gettext_lazy("Came to the fourth question"),
    "reached_5": gettext_lazy("Came to the fifth question"),
    "cannot_judge": gettext_lazy("“Can't judge”, at the object where it is most"),
    "comprehension": gettext_lazy("Passed the check of the orientation"),
    "help": gettext_lazy("Asked for help, times per person"),
    "unclear": gettext_lazy("Questions said to have no one clear answer"),
}
MINUTES = ("task_minutes", "card_minutes")
SHARES = ("reached_3", "reached_4", "reached_5", "cannot_judge", "comprehension", "unclear")


@dataclass(frozen=True)
class Measured:
    """One measure: its value, what it rests on, or why there is none; with the protocol's limit if it has one."""

    code: PilotMeasure
    value: float | None
    n: int
    missing: str = ""
    limit: Limit | None = None

    @property
    def label(self) -> str:
        return str(LABELS[self.code])

    @property
    def verdict(self) -> str:
        """ "go", "no go", "can't tell", or empty without a limit."""
        if self.limit is None:
            return ""
        if self.value is None:
            return "can't tell"
        low, high = self.limit.at_least, self.limit.at_most
        inside = (low is None or self.value >= low) and (high is None or self.value <= high)
        return "go" if inside else "no go"

    @property
    def shown(self) -> str:
        return "–" if self.value is None else written(self.code, self.value)

    @property
    def limit_words(self) -> str:
        if self.limit is None:
            return ""
        low, high = self.limit.at_least, self.limit.at_most
        said = [_("at least %s") % written(self.code, low)] if low is not None else []
        said += [_("at most %s") % written(self.code, high)] if high is not None else []
        return ", ".join(said)


@dataclass(frozen=True)
class Line:
    """One kind of question, object or instance: a value and what it rests on."""

    label: str
    value: str
    n: int


@dataclass(frozen=True)
class PilotReport:
    file: ProtocolFile | None
    people: int
    begun: int
    """Of them, how many opened the first question."""
    measures: tuple[Measured, ...]
    tasks: tuple[Line, ...]
    cards: tuple[Line, ...]
    unclear: tuple[Line, ...]

    @property
    def wanted(self) -> int:
        return self.file.pilot.people if self.file and self.file.pilot else 0

    @property
    def against(self) -> list[Measured]:
        return [one for one in self.measures if one.verdict == "no go"]

    @property
    def open(self) -> list[Measured]:
        return [one for one in self.measures if one.verdict == "can't tell"]

    @property
    def verdict(self) -> str:
        """ "no go" as soon as one limit is not kept; "go" when all are, with the people the protocol asks for."""
        if not any(one.limit for one in self.measures):
            return "no limits"
        if self.against:
            return "no go"
        return "go" if not self.open and self.begun >= self.wanted else "not yet"


def written(code: PilotMeasure, value: float) -> str:
    return f"{100 * value:.0f} %" if code in SHARES else f"{value:.1f}" + (" min" if code in MINUTES else "")


def pilot_report(study: Study) -> PilotReport:
    _protocol, file = protocol_to_show(study)
    people = Participant.objects.people().filter(study=study, pilot=True)
    visits = list(
        Visit.objects.filter(participant__in=people).select_related("participant", "protocol", "org").order_by("pk")
    )
    attempts = list(Attempt.objects.filter(visit__in=visits).select_related("place__instance"))
    ratings = list(
        Rating.objects.filter(visit__in=visits, kind__in=RATED, dimension=OVERALL)
        .select_related("visit__protocol")
        .prefetch_related("rationales")
    )
    first = [visit for visit in visits if visit.period == 1]
    begun = [visit for visit in first if visit.work_started_at]
    limits = {limit.measure: limit for limit in file.pilot.limits} if file and file.pilot else {}
    found = {
        "task_minutes": _median([a.active_seconds / 60 for a in attempts if a.outcome in ENDED]),
        "card_minutes": _median(card_minutes(ratings)),
        **{f"reached_{n}": reached(begun, attempts, n) for n in (3, 4, 5)},
        "cannot_judge": most_cannot_judge(ratings),
        "comprehension": comprehension(first),
        "help": help_asked(visits, begun),
        "unclear": unclear(attempts),
    }
    measures = tuple(Measured(code, *found[code], limits.get(code)) for code in get_args(PilotMeasure))
    return PilotReport(
        file, people.count(), len(begun), measures, task_lines(attempts), card_lines(ratings), unclear_lines(attempts)
    )


Found = tuple[float | None, int, str]


def _median(values: Sequence[float]) -> Found:
    return (median(values), len(values), "") if values else (None, 0, _("none yet"))


def _share(hits: Iterable[bool]) -> Found:
    values = list(hits)
    return (fmean(values), len(values), "") if values else (None, 0, _("none yet"))


def minutes_at(rating: Rating) -> float | None:
    """From when a card was first shown to the last change of its choice or its words, breaks included.

    None where that is not known: a card not shown yet, or the matrix, which shows all at once.
    """
    if rating.shown_at is None or file_of(rating.visit.protocol).rating.layout == "matrix":
        return None
    moments = [rating.final_at, *(row.changed_at for row in rating.rationales.all() if row.text)]
    last = max((at for at in moments if at), default=None)
    return None if last is None else max(0.0, (last - rating.shown_at).total_seconds() / 60)


def card_minutes(ratings: Iterable[Rating]) -> list[float]:
    return [minutes for rating in ratings if (minutes := minutes_at(rating)) is not None]


def reached(begun: Sequence[Visit], attempts: Iterable[Attempt], position: int) -> Found:
    """Of those who opened the first question: who opened this one."""
    opened = {a.visit_id for a in attempts if a.position == position and a.started_at}
    return _share(visit.pk in opened for visit in begun)


def cannot_judge_shares(ratings: Iterable[Rating]) -> dict[str, tuple[float, int]]:
    """By object: the share of "can't judge" among all who chose anything but to say nothing."""
    said: dict[str, list[bool]] = defaultdict(list)
    for rating in ratings:
        if rating.final and rating.final != RATHER_NOT:
            said[name_of(rating)].append(rating.final == CANNOT_JUDGE)
    return {name: (fmean(values), len(values)) for name, values in said.items()}


def most_cannot_judge(ratings: Iterable[Rating]) -> Found:
    shares = cannot_judge_shares(ratings)
    return (*max(shares.values()), "") if shares else (None, 0, _("none yet"))


def comprehension(first: Sequence[Visit]) -> Found:
    if first and not any(check_of(visit) for visit in first):
        return None, 0, _("the protocol has no check")
    return _share(passed(visit) for visit in first if check_of(visit) and check_done(visit))


def help_asked(visits: Sequence[Visit], begun: Sequence[Visit]) -> Found:
    if not begun:
        return None, 0, _("none yet")
    asked = HelpRequest.objects.filter(visit__in=visits).count()
    return asked / len(begun), len(begun), ""


def was_unclear(attempt: Attempt) -> bool | None:
    """None where it was not asked or not said."""
    said = attempt.one_clear_answer
    return None if said in ("", RATHER_NOT) else said != "yes"


def unclear(attempts: Sequence[Attempt]) -> Found:
    return _share(said for a in attempts if (said := was_unclear(a)) is not None)


def task_lines(attempts: Iterable[Attempt]) -> tuple[Line, ...]:
    """Median minutes by kind of question, beside what was estimated."""
    minutes: dict[str, list[float]] = defaultdict(list)
    planned: dict[str, float] = {}
    for attempt in attempts:
        if attempt.outcome in ENDED:
            minutes[attempt.place.task].append(attempt.active_seconds / 60)
            planned[attempt.place.task] = float(attempt.place.instance.minutes_by_hand)
    words = _("%(n).1f min, estimated %(planned).1f")
    return tuple(
        Line(str(task_label(task)), words % {"n": median(values), "planned": planned[task]}, len(values))
        for task, values in sorted(minutes.items())
    )


def card_lines(ratings: Sequence[Rating]) -> tuple[Line, ...]:
    """Median minutes and "can't judge" by what is rated."""
    shares = cannot_judge_shares(ratings)
    minutes: dict[str, list[float]] = defaultdict(list)
    for rating in ratings:
        if (spent := minutes_at(rating)) is not None:
            minutes[name_of(rating)].append(spent)
    found = []
    for name, (share, n) in sorted(shares.items()):
        time = f"{median(minutes[name]):.1f} min" if name in minutes else _("minutes not known")
        found.append(Line(name, _("%(time)s, can't judge %(share).0f %%") % {"time": time, "share": 100 * share}, n))
    return tuple(found)


def unclear_lines(attempts: Iterable[Attempt]) -> tuple[Line, ...]:
    """Instances that anybody called unclear, the most often called first."""
    said: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for attempt in attempts:
        if (is_unclear := was_unclear(attempt)) is not None:
            asked[attempt.place.instance.key] += 1
            said[attempt.place.instance.key] += is_unclear
    words = _("%(n)d said so")
    return tuple(Line(key, words % {"n": n}, asked[key]) for key, n in said.most_common() if n)
