"""Who buys when: the shopping habits of the accounts, and which of their people take part."""

from __future__ import annotations

from datetime import date, datetime
from itertools import accumulate

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import zipf_weights
from study.generator.groundwork.things import Lead, Party, Person

# Of an account's people the first ones do most of the buying.
_PEOPLE = 1.1


class Buyers:
    """Accounts by month; people who came as leads buy only after they were converted."""

    def __init__(self, branch: Branch, leads: list[Lead]) -> None:
        self.branch, self.draw = branch, branch.draw("buyers")
        plan = branch.plan
        self.skew, self.causes = plan.ingredients.skew, plan.ingredients.causes
        self._parties = [party for party in branch.parties if party.contacts]
        self._from: dict[str, date] = {
            lead.person.id: lead.converted for lead in leads if lead.person is not None and lead.converted is not None
        }
        self._months: dict[tuple[int, int], tuple[list[Party], list[float]]] = {}
        self._people: dict[int, list[float]] = {}

    def on(self, at: datetime) -> tuple[Party, Person]:
        """An account and its contact for a deal that begins at a moment."""
        for _ in range(12):
            parties, sums = self._month(at)
            party = self.draw.summed(parties, sums)
            person = self._person(party, at.date())
            if person is not None and (party.since <= at or party is parties[0]):
                return party, person
        return self._anybody(at)

    def _anybody(self, at: datetime) -> tuple[Party, Person]:
        """Whoever was there; the oldest account where nobody was."""
        for party in sorted(self._parties, key=lambda party: (party.since, party.id)):
            for person in party.contacts:
                if self._from.get(person.id, at.date()) <= at.date():
                    return party, person
        return self._parties[0], self._parties[0].contacts[0]

    def _person(self, party: Party, day: date) -> Person | None:
        there = [person for person in party.contacts if self._from.get(person.id, day) <= day]
        if not there:
            return None
        n = len(there)
        if n not in self._people:
            weights = zipf_weights(n, _PEOPLE) if self.skew else [1.0] * n
            self._people[n] = list(accumulate(weights))
        return self.draw.summed(there, self._people[n])

    def _month(self, at: datetime) -> tuple[list[Party], list[float]]:
        key = at.year, at.month
        if key not in self._months:
            there = [p for p in self._parties if (p.since.year, p.since.month) <= key] or self._parties[:1]
            weights = [
                (party.shopping.rate if self.skew else 1.0)
                * (party.shopping.months[at.month - 1] if self.causes and self.branch.plan.ingredients.cycles else 1.0)
                for party in there
            ]
            if not sum(weights):
                weights = [1.0] * len(there)
            self._months[key] = there, list(accumulate(weights))
        return self._months[key]
