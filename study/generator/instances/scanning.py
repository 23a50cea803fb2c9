"""Questions about periods: walks through todays and periods in random order until enough of them have a winner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from study.generator.groundwork.draw import Draw
from study.generator.instances.making import Maker
from study.generator.instances.periods import Period, before, more, named, number, past
from study.generator.instances.tallies import Verdict
from study.generator.instances.words import Said

# An answer makes up at most these shares of a task's questions; the later ones are for when the earlier leave gaps.
SHARES = (0.08, 0.2, 0.5)
MOST_DAYS = 300
A_YEAR = 365
# So many periods in a row without a question, and the rest of a round is left alone.
PATIENCE = 500


class Found(NamedTuple):
    """What a period offers: how the question is asked (``key``), the verdict, and whether nobody takes part."""

    key: tuple[str, ...]
    verdict: Verdict
    silent: bool


@dataclass
class Scan:
    """One task. ``offers`` looks at a period; ``put`` asks a question of it with its answer, None for no record."""

    maker: Maker
    task: str
    offers: Callable[[Period], Iterable[Found]]
    put: Callable[[Period, tuple[str, ...], int | None], bool]
    # Periods people cannot be asked about, or only these.
    fits: Callable[[Period], bool] = lambda _period: True

    def run(self) -> None:
        """People first, then agents; what one side lacks is made up for by the other."""
        quota = self.maker.quotas[self.task]
        self._side(people=True)
        quota.give_people_silent()
        self._side(people=True)
        self._side(people=False)
        for silent in (False, True):
            quota.move(silent=silent, to_people=True)
            self._fill(people=True, silent=silent)
            if quota.left(silent=silent, people=True):
                quota.move(silent=silent, to_people=False)
                self._fill(people=False, silent=silent)
                quota.move(silent=silent, to_people=True)

    def _side(self, *, people: bool) -> None:
        for silent in (False, True):
            self._fill(people=people, silent=silent)

    def _fill(self, *, people: bool, silent: bool) -> None:
        if not self.maker.wants(self.task, silent=silent, people=people):
            return
        for share in SHARES:
            draw, vain = self.maker.draw(f"{self.task} periods {people} {silent} {share}"), 0
            for period in self._periods(draw, share, people=people, silent=silent):
                had = len(self.maker.records[self.task])
                self._try(draw, period, share, people=people, silent=silent)
                if not self.maker.wants(self.task, silent=silent, people=people):
                    return
                vain = 0 if len(self.maker.records[self.task]) > had else vain + 1
                if vain > PATIENCE:
                    break

    def _try(self, draw: Draw, period: Period, share: float, *, people: bool, silent: bool) -> None:
        most = 2 if people else 1
        total = len(self.maker.records[self.task]) + self.maker.quotas[self.task].missing
        cap = max(2, round(share * total))
        for found in draw.shuffled(list(self.offers(period))):
            if not most or not self.maker.wants(self.task, silent=silent, people=people):
                return
            if silent:
                if found.silent and self.put(period, found.key, None):
                    most -= 1
                continue
            winner = found.verdict.winner
            if winner is None:
                if share == SHARES[0] and found.verdict.reason != "nobody":
                    self.maker.refuse(self.task, found.verdict.reason)
                continue
            if self.maker.times(self.task, str(winner)) < cap and self.put(period, found.key, winner):
                self.maker.used(self.task, str(winner))
                most -= 1

    def _periods(self, draw: Draw, share: float, *, people: bool, silent: bool) -> Iterator[Period]:
        source = self.maker.source
        for today in [source.today] if people else _days(draw, source.first_day, source.today):
            periods = list(past(today)) + ([] if silent else list(named(source.first_day, today)))
            periods = [period for period in periods if self.fits(period)]
            if share > SHARES[0] and not silent:
                periods += [period for period in more(source.first_day, today) if self.fits(period)]
            if people:
                early = [period for period in before(source.first_day, today) if self.fits(period)] if silent else []
                yield from draw.shuffled([*periods, *early])
            elif periods:
                # Most questions of agents look back from their today; data after it then play no part.
                wide = 1 if share == SHARES[0] else 6
                yield from draw.some([period for period in periods if period.relative], 2 * wide)
                yield from draw.some(periods, wide)


def _days(draw: Draw, first: date, today: date) -> Iterator[date]:
    """Different days, a fortnight or more before the last day of the Org and half a year or more after the first."""
    span = (today - first).days
    low, high = min(A_YEAR // 2, span // 3), span - 14
    if high <= low:
        return
    for ahead in draw.some(range(low, high), MOST_DAYS):
        yield first + timedelta(days=ahead)


def period_said(period: Period, when: str) -> Said:
    """What the requester knows about the period; somebody who is mistaken has another in mind."""
    wrong = "The past seven months."
    if period.relative:
        wrong = f"The past {number(int(period.value) + 2)} {period.kind.removeprefix('past_')}."
    return Said("period", period.meaning, f"{when[0].upper()}{when[1:]}.", wrong, "definitions")
