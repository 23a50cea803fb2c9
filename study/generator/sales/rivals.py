"""Competitors: which deals have one, what they offer, and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import accumulate

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import zipf_weights
from study.generator.groundwork.things import STAGES
from study.generator.sales.pipeline import Life
from study.generator.sales.words import Words

# How much more often a competitor is met in a quarter that is theirs.
_SURGE = 3.0


class Rivals:
    """OpportunitiesCompetitors, CompetingOffers and Strengths of a branch."""

    def __init__(self, branch: Branch, words: Words) -> None:
        self.branch, self.draw = branch, branch.draw("competitors")
        plan = branch.plan
        self.names = [competitor.name for competitor in plan.material.selling.competitors]
        self.one = float(plan.latent("OpportunitiesCompetitors", "one", 0.5))
        self.two = float(plan.latent("OpportunitiesCompetitors", "two", 0.15))
        self.offers: Sequence[float] = plan.latent("CompetingOffers", "range", (0.82, 1.12))
        spread = float(plan.latent("Competitors", "spread", 0.8))
        n = len(self.names)
        self.weights = zipf_weights(n, spread) if plan.ingredients.skew else [1.0] * n
        self._surge = [self.draw.whole(0, n - 1) for _ in range(4 * (branch.today.year - branch.first_day.year + 1))]
        self._words = words

    def meet(self, life: Life) -> None:
        """Who else is asked for an offer, the first one the most serious, and what they offer (once there is one)."""
        if not self.names or not self.draw.chance(self.one):
            return
        deal, draw = life.deal, self.draw
        sums = self._sums(deal.created.date())
        low, high = self.offers
        for _ in range(2 if draw.chance(self.two) else 1):
            name = draw.summed(self.names, sums)
            offer = round(deal.amount * draw.between(low, high, 3) / 10) * 10.0
            deal.competitors.setdefault(name, offer if STAGES.index(deal.true_stage) >= 2 else 0.0)

    def _sums(self, day: date) -> list[float]:
        weights = list(self.weights)
        if self.branch.plan.ingredients.cycles:
            quarter = 4 * (day.year - self.branch.first_day.year) + (day.month - 1) // 3
            weights[self._surge[min(quarter, len(self._surge) - 1)]] *= _SURGE
        return list(accumulate(weights))

    def known_for(self, name: str, subtopic: str) -> int:
        """1 where a competitor is strong in a subtopic, -1 where weak, 0 where neither or where causes are off."""
        if not self.branch.plan.ingredients.causes:
            return 0
        strong, weak = self._words.rivals.get(name, (frozenset(), frozenset()))
        return (subtopic in strong) - (subtopic in weak)

    def topics(self, name: str) -> list[str]:
        """The subtopics a competitor is known for, in the order of the guide."""
        strong, weak = self._words.rivals.get(name, (frozenset(), frozenset()))
        subtopics = self.branch.plan.material.selling.subtopics
        return [subtopic for subtopic in subtopics if subtopic in strong or subtopic in weak]

    def tell(self, life: Life) -> None:
        """Latent facts of a deal with competitors."""
        deal = life.deal
        if not deal.competitors:
            return
        names = list(deal.competitors)
        self.branch.tell("latent", deal.id, name="OpportunitiesCompetitors", competitors=names)
        offers = {name: amount for name, amount in deal.competitors.items() if amount}
        if offers:
            self.branch.tell("latent", deal.id, name="CompetingOffers", offers=offers)
