"""Who sells where and how well: the sellers of each territory, the few who do most, their pace and their form."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from itertools import accumulate

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import Draw, zipf_weights
from study.generator.groundwork.things import Member

# How much more the first of a territory gets than the second: the exponent of Zipf's law. Leads go to hardly anybody
# else, so that what somebody makes of them can be compared.
_DEALS, _LEADS = 1.8, 3.2
# In each half-year a few of the first sellers are in form and do most; the others do little.
_IN_FORM, _FIRST, _OTHERS = 8.0, 0.6, 0.3
_SHARE_IN_FORM = 0.35
# How long the deals of the first seller of each territory take, beside the others'.
_PACES = (0.45, 0.54, 0.64, 0.76, 0.88, 1.12, 1.3, 1.52, 1.78, 2.05)
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
        first = [member for member in sellers if not self._rank.get(member.id, 1)]
        in_form = [
            {member.id for member in draw.some(first, max(1, round(_SHARE_IN_FORM * len(first))))}
            for _ in range(halves)
        ]
        self._form = {
            member.id: [
                _IN_FORM if member.id in now else _FIRST if not self._rank.get(member.id, 1) else _OTHERS
                for now in in_form
            ]
            for member in sellers
        }
        paces = draw.shuffled(_PACES)
        self._pace = {member.id: paces[place % len(paces)] for place, member in enumerate(first)}
        self._choices: dict[tuple[int, int, int, float], tuple[list[Member], list[float]]] = {}

    def territory(self, state: str) -> int:
        """The territory that lists a state; the first one for a state that none lists."""
        return self._states.get(state, 0)

    def states(self, territory: int) -> tuple[str, ...]:
        found = self.branch.shared.territories
        return found[territory][1] if found else ()

    def team(self, territory: int) -> list[Member]:
        return self._teams[territory] if territory < len(self._teams) else []

    def owner(self, draw: Draw, territory: int, day: date, *, lead: bool = False) -> Member:
        """Who gets a new deal (or lead) in a territory on a day, and will be there for the months it takes."""
        members, sums = self._on(territory, day.year, day.month, _LEADS if lead else _DEALS)
        return draw.summed(members, sums)

    def successor(self, draw: Draw, territory: int, since: date) -> Member:
        """Who works today and did so then: takes over what somebody left behind."""
        today = self.branch.today
        for group in (self.team(territory), self._all):
            there = [member for member in group if member.works_on(today) and member.since <= since]
            if there:
                return draw.summed(there, self._sums(there, _DEALS))
        return draw.pick(self._all)

    def skill(self, member: Member, day: date) -> float:
        """How likely a sale is beside others': selling skill and the form of the half-year."""
        if not self.causes:
            return 1.0
        half = min(2 * (day.year - self.branch.first_day.year) + (day.month > 6), len(self._form[member.id]) - 1)
        return round((0.4 + member.selling) * self._form[member.id][max(half, 0)], 4)

    def converts(self, member: Member) -> float:
        """Share of a member's leads that become customers."""
        if not self.causes:
            return 0.25
        rank = self._rank.get(member.id, 9)
        return round(max(0.75 * member.selling - 0.2, 0.08), 3) if rank < 1 else round(0.01 + 0.08 * member.selling, 3)

    def pace(self, member: Member) -> float:
        """Multiplies the days a deal takes."""
        return self._pace.get(member.id, 1.0) if self.causes else 1.0

    def size(self, member: Member) -> float:
        """Multiplies quantities: good sellers sell more at a time."""
        return round(0.75 + 0.6 * member.selling, 3) if self.causes else 1.0

    def _on(self, territory: int, year: int, month: int, spread: float) -> tuple[list[Member], list[float]]:
        key = (territory, year, month, spread)
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
            self._choices[key] = found, self._sums(found, spread)
        return self._choices[key]

    def _sums(self, members: list[Member], spread: float) -> list[float]:
        weights = zipf_weights(len(members), spread) if self.skew else [1.0] * len(members)
        return list(accumulate(weights))
