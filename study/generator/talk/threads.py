"""Which letters a deal has: threads along its life, each a turn of letters, and when they are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.things import STAGES, Deal, Stage
from study.generator.talk.courses import COURSES, MORE, WHEN

# So long after a deal was decided there may still be letters about it.
_AFTERWARDS = timedelta(days=12)


@dataclass
class Planned:
    """One letter to be written. ``kind`` is a rule of the letters; ``place`` its place in its thread."""

    at: datetime
    kind: str
    about: str
    thread: int
    place: int

    @property
    def inbound(self) -> bool:
        return self.kind.endswith("_in")


@dataclass(frozen=True)
class _Thread:
    about: str
    course: tuple[str, ...]
    at: datetime


class Threads:
    """Plans the letters of deals, exactly as many as are asked for."""

    def __init__(self, branch: Branch) -> None:
        self.draw, self.calendar = branch.draw("threads"), Calendar(branch.plan)
        self.quoting = branch.plan.ingredients.quoting
        self.latest = branch.now - timedelta(minutes=9)
        self._pairs: set[tuple[str, str]] = set()

    def plan(self, deal: Deal, n: int) -> list[Planned]:
        """``n`` letters of a deal in the order of time, none before it began or long after it was decided."""
        ends = max(min(deal.ended or self.latest, self.latest), deal.created + timedelta(minutes=40))
        limit = max(min(ends + _AFTERWARDS, self.latest), deal.created + timedelta(minutes=40))
        found: list[Planned] = []
        for number, thread in enumerate(self._threads(deal, n, ends)):
            letters = self._letters(thread, number)
            found += within(letters, deal.created + timedelta(minutes=2), limit)
        return sorted(found, key=lambda letter: (letter.at, letter.thread, letter.place))

    def _threads(self, deal: Deal, n: int, ends: datetime) -> list[_Thread]:
        """The threads a deal usually has, the most telling first, and more; cut so that there are ``n`` letters."""
        draw, chosen, left = self.draw, list[_Thread](), n
        usual = [(about, at) for _weight, _place, about, at in sorted(self._usual(deal, ends))]
        while left > 0:
            if usual:
                about, at = usual.pop(0)
            else:
                about = draw.pick(MORE[reached(deal)])
                at = self._part(deal, ends, about)
            course = draw.pick(COURSES[about])[: left if self.quoting else 1]
            chosen.append(_Thread(about, course, at))
            left -= len(course)
        return chosen

    def _part(self, deal: Deal, ends: datetime, about: str) -> datetime:
        return deal.created + (ends - deal.created) * self.draw.between(*WHEN[about], 4)

    def _usual(self, deal: Deal, ends: datetime) -> list[tuple[float, int, str, datetime]]:
        """(weight, place, subject, beginning) of the threads that a deal of this course has."""
        draw, found = self.draw, list[tuple[float, int, str, datetime]]()

        def add(about: str, at: datetime, weight: float) -> None:
            found.append((round(weight + draw.share(), 3), len(found), about, at))

        opening = "again" if self._met(deal) else "intro"
        add(opening, self._part(deal, ends, opening), 0.5)
        if deal.won is False:
            add("lost", ends + timedelta(hours=draw.whole(1, 30)), 0.4)
        for quote in deal.quotes:
            at = max(quote.created, deal.created) + timedelta(minutes=draw.whole(4, 300))
            if at < ends:
                add("quote", at, 0.0 if quote is deal.quotes[-1] else 0.9)
        if deal.contract is not None:
            add("contract", self._papers(deal, ends), 0.2)
            if deal.contract.order_number:
                add("order", ends + timedelta(hours=draw.whole(1, 40)), 0.1)
        place = STAGES.index(reached(deal))
        for about, stage in (("meeting", 0), ("question", 1), ("terms", 3), ("nudge", 1)):
            if place >= stage:
                add(about, self._part(deal, ends, about), 1.0)
        return found

    def _met(self, deal: Deal) -> bool:
        """Whether our member and the customer have had a deal before; asked once for each deal, in their order."""
        pair = (deal.owner.id, deal.person.id)
        if pair in self._pairs:
            return True
        self._pairs.add(pair)
        return False

    def _papers(self, deal: Deal, ends: datetime) -> datetime:
        """Papers go out after the last quote and before the customer signs."""
        begins = max((quote.created for quote in deal.quotes), default=deal.created)
        return begins + (ends - begins) * self.draw.between(0.5, 0.8, 4)

    def _letters(self, thread: _Thread, number: int) -> list[Planned]:
        found, at = list[Planned](), thread.at
        for place, kind in enumerate(thread.course):
            if place and kind == "away_in":
                at = at + timedelta(seconds=self.draw.whole(4, 50))
            elif place:
                hours = min((60 if kind.startswith(("nudge", "late")) else 9) * self.draw.lognormal(1.1), 400)
                at = at + timedelta(hours=hours, minutes=self.draw.whole(1, 59), seconds=self.draw.whole(0, 59))
            if kind != "away_in" and (kind.endswith("_out") or self.draw.chance(0.75)):
                at = self.calendar.in_office(at, self.draw)
            found.append(Planned(at.replace(microsecond=0), kind, thread.about, number, place))
        return found


def reached(deal: Deal) -> Stage:
    """The furthest stage that was worked on, the end apart for a deal that was lost."""
    if deal.won is False:
        return "Negotiation" if deal.quotes else "Discovery"
    return deal.true_stage


def within(letters: list[Planned], begins: datetime, limit: datetime) -> list[Planned]:
    """A thread moved or drawn together so that it lies between two moments, in its order."""
    n = len(letters)
    if letters[-1].at < limit and letters[0].at >= begins:
        return letters
    first = max(begins, min(letters[0].at, limit - min((limit - begins) / 2, timedelta(hours=3 * n))))
    span, room = letters[-1].at - letters[0].at, (limit - first) * 0.9
    factor = 1.0 if span <= room else round(room / span, 6)
    zero = letters[0].at
    for place, letter in enumerate(letters):
        at = first + (letter.at - zero) * factor + timedelta(seconds=7 * place)
        letter.at = at.replace(microsecond=0)
    return letters


def readiness(deals: Sequence[Deal], draw: Draw, even: bool) -> list[float]:
    """How many letters a deal makes beside others: the more has happened in it, the more."""
    if even:
        return [1.0] * len(deals)
    weight = {"Qualification": 1.0, "Discovery": 2.0, "Quote": 3.0, "Negotiation": 4.0, "Closed": 4.5}
    return [
        round((weight[deal.true_stage] + 0.8 * len(deal.quotes) + 2.0 * (deal.won is True)) * draw.lognormal(0.5), 4)
        for deal in deals
    ]
