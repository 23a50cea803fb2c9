"""Who sells where and how well: the sellers of each territory, the few who do most, their pace and their form."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from itertools import accumulate

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import Draw, zipf_weights
from study.generator.groundwork.things import Member

# How much more the first of a territory gets than the second: the exponent of Zipf's law.
_SPREAD = 1.7
# What half a year can do to somebody's luck.
_FORMS = (0.3, 0.6, 1.0, 1.0, 2.4)
_LASTING = timedelta(days=240)


class Owners:
    """Sellers by territory. Without ``skew`` all get as much, without ``causes`` all are as good and as quick."""

    def __init__(self, branch: Branch) -> None:
        self.branch = branch
        self.skew, self.causes = branch.plan.ingredients.skew, branch.plan.ingredients.causes
        sellers = branch.sellers() or list(branch.members)
        self._all = sellers
        self._states = {state: place for place, (_, states) in enumerate(branch.shared.territories) for state in states}
        self._teams = [
            sorted(
                (member for member in sellers if place in member.territories),
                key=lambda member: (member.until is not None, -member.selling, member.id),
            )
            for place in range(len(branch.shared.territories))
        ]
        self._rank: dict[str, int] = {}
        for team in self._teams:
            for rank, member in enumerate(team):
                self._rank[member.id] = min(rank, self._rank.get(member.id, rank))
        draw = branch.draw("sales form")
        halves = 2 * (branch.today.year - branch.first_day.year + 1)
        self._form = {member.id: [draw.pick(_FORMS) for _ in range(halves)] for member in sellers}
        self._pace = {member.id: draw.pick((0.55, 0.7, 0.85, 1.0, 1.25, 1.6)) for member in sellers}
        self._choices: dict[tuple[int, int, int], tuple[list[Member], list[float]]] = {}

    def territory(self, state: str) -> int:
        """The territory that lists a state; the first one for a state that none lists."""
        return self._states.get(state, 0)

    def states(self, territory: int) -> tuple[str, ...]:
        found = self.branch.shared.territories
        return found[territory][1] if found else ()

    def team(self, territory: int) -> list[Member]:
        return self._teams[territory] if territory < len(self._teams) else []

    def owner(self, draw: Draw, territory: int, day: date) -> Member:
        """Who gets something new in a territory on a day, and will be there for the months it takes."""
        members, sums = self._on(territory, day.year, day.month)
        return draw.summed(members, sums)

    def successor(self, draw: Draw, territory: int, since: date) -> Member:
        """Who works today and did so then: takes over what somebody left behind."""
        today = self.branch.today
        for group in (self.team(territory), self._all):
            there = [member for member in group if member.works_on(today) and member.since <= since]
            if there:
                return draw.summed(there, self._sums(there))
        return draw.pick(self._all)

    def skill(self, member: Member, day: date) -> float:
        """How likely a sale is beside others': selling skill, place in the territory, form of the half-year."""
        if not self.causes:
            return 1.0
        half = min(2 * (day.year - self.branch.first_day.year) + (day.month > 6), len(self._form[member.id]) - 1)
        place = 1.0 if self._rank.get(member.id, 9) < 2 else 0.35
        return round((0.1 + member.selling) ** 2 * place * self._form[member.id][max(half, 0)], 4)

    def converts(self, member: Member) -> float:
        """Share of a member's leads that become customers."""
        if not self.causes:
            return 0.25
        rank = self._rank.get(member.id, 9)
        return round(0.10 + 0.5 * member.selling, 3) if rank < 2 else round(0.02 + 0.10 * member.selling, 3)

    def pace(self, member: Member) -> float:
        """Multiplies the days a deal takes."""
        return self._pace[member.id] if self.causes else 1.0

    def size(self, member: Member) -> float:
        """Multiplies quantities: good sellers sell more at a time."""
        return round(0.75 + 0.6 * member.selling, 3) if self.causes else 1.0

    def _on(self, territory: int, year: int, month: int) -> tuple[list[Member], list[float]]:
        key = (territory, year, month)
        if key not in self._choices:
            first = date(year, month, 1)
            groups: Iterable[list[Member]] = (self.team(territory), self._all)
            found: list[Member] = []
            for lasting in (_LASTING, timedelta(days=31)):
                for group in groups:
                    found = found or [
                        m for m in group if m.since <= first and (m.until is None or m.until > first + lasting)
                    ]
            found = found or self._all
            self._choices[key] = found, self._sums(found)
        return self._choices[key]

    def _sums(self, members: list[Member]) -> list[float]:
        weights = zipf_weights(len(members), _SPREAD) if self.skew else [1.0] * len(members)
        return list(accumulate(weights))
