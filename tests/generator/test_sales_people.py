"""Sellers: few do most, some are quicker, some convert more, and in most territories somebody leads."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from statistics import mean

import pytest

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.things import Sales

Sold = Callable[..., tuple[Branch, Sales]]
WORLDS = ("b2b", "b2c")


@pytest.mark.parametrize("world", WORLDS)
def test_a_handful_wins_most_in_every_year(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    by_year: dict[int, Counter[str]] = defaultdict(Counter)
    for deal in sales.deals:
        if deal.won and deal.ended:
            by_year[deal.ended.year][deal.owner.id] += 1
    for year in range(branch.first_day.year + 1, branch.today.year + 1):
        won = by_year[year]
        assert len(won) >= 4
        assert sum(count for _, count in won.most_common(6)) > 0.6 * won.total()


@pytest.mark.parametrize("world", WORLDS)
def test_somebody_leads_by_accepted_quotes_in_most_territories(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    accepted = Counter(deal.owner.id for deal in sales.deals if deal.won)
    clear = 0
    for place in range(len(branch.shared.territories)):
        members = [member for member in branch.sellers() if place in member.territories]
        best = [*sorted((accepted[member.id] for member in members), reverse=True), 0, 0]
        clear += best[0] > best[1]
    assert clear >= 7


@pytest.mark.parametrize("world", WORLDS)
def test_owners_are_of_the_territory_of_the_state(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    places = {state: place for place, (_, states) in enumerate(branch.shared.territories) for state in states}
    owned = [(lead.owner, lead.state) for lead in sales.leads] + [(d.owner, d.party.state) for d in sales.deals]
    at_home = sum(places[state] in owner.territories for owner, state in owned)
    assert at_home > 0.97 * len(owned)


def test_quick_and_slow_sellers_differ_unless_causes_are_off(sold: Sold) -> None:
    def spread(sales: Sales) -> float:
        days: dict[str, list[int]] = defaultdict(list)
        for deal in sales.deals:
            if deal.won and deal.ended:
                days[deal.owner.id].append((deal.ended - deal.created).days)
        means = sorted(mean(found) for found in days.values() if len(found) >= 4)
        return means[-1] / means[0]

    assert spread(sold("b2b")[1]) > 2
    assert spread(sold("b2b", 1.0, causes=False)[1]) < 1.5


def test_conversion_differs_between_owners_unless_causes_are_off(sold: Sold) -> None:
    def shares(sales: Sales) -> list[float]:
        made, won = Counter[str](), Counter[str]()
        for lead in sales.leads:
            made[lead.owner.id] += 1
            won[lead.owner.id] += lead.converted is not None
        return sorted(won[owner] / n for owner, n in made.items() if n >= 25)

    usual, flat = shares(sold("b2b")[1]), shares(sold("b2b", 1.0, causes=False)[1])
    assert usual[-1] - usual[0] > 0.25
    assert flat[-1] - flat[0] < usual[-1] - usual[0]
