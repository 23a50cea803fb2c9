"""Which cases come when, about which order line and which issue."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import date, timedelta
from itertools import accumulate

from study.generator.care.choosing import Days
from study.generator.care.matters import USED, Issue, Matters
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.things import Bought, Item

BURST_SHARE = 0.52
"""Share of cases that belong to a bad batch: a month in which many have the same trouble with one product."""
BURST_SIZE = (4, 9)
WEAK_SPOT = 4.0
"""How much more often a product has the one fault that its make is prone to."""
LATELY = 12
"""The last days, from which most open cases come."""
RECALL_DAYS = 3
WEEKEND = 0.65
"""Trouble that shows on a weekend is often written about on Monday."""
AGAIN = 0.12
"""How much less often somebody writes once more about the same order line."""
_TRIES = 400
LONG = 100
"""Ages from here on fade: most of what fails, fails early."""

Planned = tuple[Bought, Issue, date]


class Planner:
    """Chooses order lines by how often products fail and customers write, and days by how long things take to fail."""

    def __init__(self, branch: Branch, bought: list[Bought], matters: Matters) -> None:
        self.branch, self.matters = branch, matters
        self.draw = branch.draw("cases")
        self.days = Days(Calendar(branch.plan), weekend=WEEKEND if branch.plan.ingredients.cycles else 1.0)
        live = [line for line in bought if line.activated] or list(bought)
        self.live = sorted(live, key=lambda line: (line.day, line.id))
        self.bought_on = [line.day for line in self.live]
        self.sums = list(accumulate(self._weight(line) for line in self.live))
        self.written: dict[str, int] = {}
        self._fading: dict[tuple[int, int], list[float]] = {}
        self._usual: dict[int, tuple[list[Issue], list[float]]] = {}

    def usual(self, item: Item) -> tuple[list[Issue], list[float]]:
        """Issues of a product with running sums; one of them is what its make is prone to."""
        found = self._usual.get(item.place)
        if found is None:
            issues, sums = self.matters.of(item)
            if issues and self.branch.plan.ingredients.causes:
                weak = self.draw.summed(range(len(issues)), sums)
                shares = [b - a for a, b in zip([0.0, *sums], sums, strict=False)]
                shares[weak] *= WEAK_SPOT
                sums = list(accumulate(shares))
            found = self._usual[item.place] = issues, sums
        return found

    def _weight(self, line: Bought) -> float:
        """Chance alone, or failing products and complaining customers, each with what they mind most."""
        if not self.matters.of(line.item)[0]:
            return 0.0
        if not self.branch.plan.ingredients.causes:
            return 1.0
        habit = line.party.complaints
        return round(line.item.failing * habit.rate * habit.minds.get(line.item.category, 1.0), 6)

    def make(self, n: int) -> list[Planned]:
        """``n`` cases: bad batches, the newest trouble, open work of the last days, and everyday ones."""
        found = self._bursts(round(n * BURST_SHARE)) if self.branch.plan.ingredients.causes else []
        found = found[:n] + self._recall(n)
        late = min(n // 16, max(0, n - len(found)))
        found += self._lately(late)
        found += [self._everyday() for _ in range(n - len(found))]
        return found[:n]

    def _issue(self, line: Bought) -> Issue:
        issues, sums = self.usual(line.item)
        minds = line.party.complaints.minds
        if not issues:
            return self.draw.pick([issue for issue in self.matters.issues if not issue.fresh])
        if self.branch.plan.ingredients.causes and any(issue.code in minds for issue in issues):
            shares = [b - a for a, b in zip([0.0, *sums], sums, strict=False)]
            return self.draw.weighted(issues, [s * minds.get(i.code, 1.0) for i, s in zip(issues, shares, strict=True)])
        return self.draw.summed(issues, sums)

    def _age(self, ages: tuple[int, int]) -> int:
        first, last = ages
        if last < LONG:
            return self.draw.whole(first, last)
        sums = self._fading.get(ages)
        if sums is None:
            sums = list(accumulate(round(90 / (90 + age), 6) for age in range(first, last + 1)))
            self._fading[ages] = sums
        return first + self.draw.summed(range(len(sums)), sums)

    def _everyday(self) -> Planned:
        for _ in range(_TRIES):
            line = self.live[min(bisect_right(self.sums, self.draw.share() * self.sums[-1]), len(self.live) - 1)]
            if self.written.get(line.id) and not self.draw.chance(AGAIN):
                continue
            issue = self._issue(line)
            day = line.day + timedelta(days=self._age(issue.ages))
            if day <= self.branch.today and self.draw.chance(self.days.weight(day)):
                return self._noted(line, issue, day)
        return self._somehow()

    def _somehow(self) -> Planned:
        """In a world so small that nothing fits: the earliest day at which something can be wrong, or today."""
        line = self.draw.pick(self.live)
        issue = self._issue(line)
        day = min(line.day + timedelta(days=self._age(issue.ages)), self.branch.today)
        return self._noted(line, issue, day)

    def _noted(self, line: Bought, issue: Issue, day: date) -> Planned:
        self.written[line.id] = self.written.get(line.id, 0) + 1
        return line, issue, day

    def _range(self, first: date, last: date) -> tuple[int, int]:
        """Places of the lines bought from ``first`` to ``last``."""
        return bisect_left(self.bought_on, first), bisect_right(self.bought_on, last)

    def _lately(self, n: int) -> list[Planned]:
        found: list[Planned] = []
        today = self.branch.today
        for _ in range(n * 60):
            if len(found) == n:
                break
            day = self.days.between(self.draw, today - timedelta(days=LATELY - 1), today)
            low, high = self._range(day - timedelta(days=400), day - timedelta(days=2))
            begin = self.sums[low - 1] if low else 0.0
            if high <= low or self.sums[high - 1] <= begin:
                continue
            place = bisect_right(self.sums, begin + self.draw.share() * (self.sums[high - 1] - begin))
            line = self.live[min(place, high - 1)]
            issue = self._issue(line)
            if issue.ages[0] <= (day - line.day).days <= issue.ages[1]:
                found.append(self._noted(line, issue, day))
        return found

    def _bursts(self, n: int) -> list[Planned]:
        by_item: dict[int, list[Bought]] = {}
        for line in self.live:
            by_item.setdefault(line.item.place, []).append(line)
        many = [lines for _, lines in sorted(by_item.items()) if len(lines) >= 4 and self.matters.of(lines[0].item)[0]]
        if not many:
            return []
        weights = [round(len(lines) * lines[0].item.failing, 6) for lines in many]
        found: list[Planned] = []
        for _ in range(4 * n):
            if len(found) >= n:
                break
            place = self.draw.weighted(range(len(many)), weights)
            batch = self._burst(many[place], n - len(found))
            found += batch
            # One bad batch of a product is plenty, as long as there are others.
            weights[place] = round(weights[place] * (0.02 if batch else 0.5), 6) or 1e-6
        return found

    def _burst(self, lines: list[Bought], most: int) -> list[Planned]:
        """One month of trouble with one product; nothing where too few had bought it by then."""
        usual, sums = self.usual(lines[0].item)
        shares = [b - a for a, b in zip([0.0, *sums], sums, strict=False)]
        issue = usual[shares.index(max(shares))]
        first, last = issue.ages if issue.ages[1] < LONG else (USED[0], 400)
        start = self.draw.pick(lines[len(lines) // 4 :]).day + timedelta(days=first + self.draw.whole(0, 60))
        month = start.replace(day=1)
        ends = min(month + timedelta(days=27), self.branch.today - timedelta(days=1))
        fitting = [line for line in lines if (ends - line.day).days >= first and (month - line.day).days <= last]
        if len(fitting) < 3 or ends <= month:
            return []
        size = min(self.draw.whole(*BURST_SIZE), 2 * len(fitting), max(most, 2))
        found = []
        # Where few have bought it, some write about more than one piece of their order.
        for line in self.draw.some(fitting * 2 if size > len(fitting) else fitting, size):
            low = max(month, line.day + timedelta(days=first))
            high = min(ends, line.day + timedelta(days=last))
            if low <= high:
                found.append(self._noted(line, issue, self.days.between(self.draw, low, high)))
        return found + self._beside(lines, issue, usual)

    def _beside(self, lines: list[Bought], issue: Issue, usual: list[Issue]) -> list[Planned]:
        """One or two who write about the same product for another reason, at another time."""
        others = [other for other in usual if other is not issue]
        found: list[Planned] = []
        if not others:
            return found
        for _ in range(self.draw.whole(1, 2)):
            line, other = self.draw.pick(lines), self.draw.pick(others)
            day = line.day + timedelta(days=self._age(other.ages))
            if day <= self.branch.today:
                found.append(self._noted(line, other, day))
        return found

    def _recall(self, n: int) -> list[Planned]:
        """The newest trouble: so far nobody has closed a case about it."""
        found: list[Planned] = []
        for issue in self.matters.fresh():
            latest = self.branch.today - timedelta(days=USED[0] + 1)
            lines = [line for line in self.live if line.day <= latest and issue.share_of(line.item)]
            size = min(max(2, n // 80), len(lines)) if n >= 12 else 0
            for line in self.draw.some(lines, size):
                day = self.branch.today - timedelta(days=self.draw.whole(0, RECALL_DAYS - 1))
                found.append(self._noted(line, issue, day))
        return found
