"""Quotes: rules kept or broken exactly as the facts say, worked out again from the rows and selling.yaml."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from math import ceil
from typing import Any

import pytest

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.things import Sales
from study.generator.sales.sharing import chosen, scattered

Sold = Callable[..., tuple[Branch, Sales]]
WORLDS = ("b2b", "b2c")


def cells(text: str) -> Iterator[list[str]]:
    """The lines of a table of selling.yaml."""
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield [cell.strip() for cell in line.split("|")]


def quotes_of(branch: Branch) -> dict[str, list[dict[str, Any]]]:
    codes = {item.id: item.code for item in branch.shared.items}
    found: dict[str, list[dict[str, Any]]] = {str(row["Id"]): [] for row in branch.tables["Quote"]}
    for line in branch.tables["QuoteLineItem"]:
        found[str(line["QuoteId"])].append({**line, "code": codes[str(line["Product2Id"])]})
    return found


def broken(branch: Branch, lines: list[dict[str, Any]]) -> list[str]:
    """Kinds of rules that the lines of a quote break, one entry a rule."""
    raw, pieces = branch.plan.material.selling.raw, Counter[str]()
    for line in lines:
        pieces[line["code"]] += int(line["Quantity"])
    found = ["limits" for code, most in cells(raw["quantity_limits"]) if pieces[code] > int(most)]
    found += ["exclusions" for one, other in cells(raw["exclusions"]) if pieces[one] and pieces[other]]
    found += [
        "requirements"
        for code, needs, each in cells(raw["requirements"])
        if pieces[needs] < ceil(pieces[code] / int(each))
    ]
    steps = [(int(least), float(percent)) for least, percent in cells(raw["volume_discounts"])]
    for line in lines:
        if line["Discount"] > max((percent for least, percent in steps if line["Quantity"] >= least), default=0):
            return [*found, "steps"]
    return found


@pytest.mark.parametrize("world", WORLDS)
def test_a_quote_breaks_at_most_one_rule_and_the_facts_say_which(sold: Sold, world: str) -> None:
    branch, _ = sold(world)
    articles = branch.plan.material.selling.articles
    told = {
        kind: {fact.of: fact for fact in branch.facts if fact.kind == kind} for kind in ("configuration", "discount")
    }
    kinds: Counter[str | None] = Counter()
    for quote, lines in quotes_of(branch).items():
        found = broken(branch, lines)
        assert len(found) <= 1, quote
        kind = found[0] if found else None
        kinds[kind] += 1
        set_up = branch.shared.articles[articles[kind]] if kind and kind != "steps" else None
        price = branch.shared.articles[articles["steps"]] if kind == "steps" else None
        assert told["configuration"][quote].values["article"] == set_up
        assert told["discount"][quote].values["article"] == price
        evidence = {("QuoteLineItem", line["Id"]) for line in lines}
        assert set(told["configuration"][quote].evidence) == set(told["discount"][quote].evidence) == evidence
    total = branch.counts["Quote"]
    parts = [kinds[kind] / total for kind in ("limits", "exclusions", "requirements")]
    assert min(parts) > 0.03
    assert max(parts) < 2 * min(parts)
    assert 0.09 <= kinds["steps"] / total <= 0.14
    # Enough to ask eighty questions of each kind in a branch of full size.
    assert kinds["steps"] >= 85
    assert sum(parts) * total >= 85


@pytest.mark.parametrize("world", WORLDS)
def test_some_quotes_keep_a_rule_only_just(sold: Sold, world: str) -> None:
    branch, _ = sold(world)
    limits = {code: int(most) for code, most in cells(branch.plan.material.selling.raw["quantity_limits"])}
    allowed = branch.plan.material.selling.allowed
    at_limit, at_step = set(), set()
    for quote, lines in quotes_of(branch).items():
        if broken(branch, lines):
            continue
        at_limit |= {quote for line in lines if line["Quantity"] == limits.get(line["code"])}
        at_step |= {quote for line in lines if line["Discount"] and line["Discount"] == allowed(line["Quantity"])}
    assert len(at_limit) > 0.05 * branch.counts["Quote"]
    assert len(at_step) > 0.1 * branch.counts["Quote"]


@pytest.mark.parametrize("world", WORLDS)
def test_statuses_agree_with_the_deal(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    accepted = Counter(quote.status for deal in sales.deals for quote in deal.quotes)["Accepted"]
    assert accepted == branch.counts["Contract"]
    revised = 0
    for deal in sales.deals:
        statuses = [quote.status for quote in deal.quotes]
        assert ("Accepted" in statuses) == (deal.won is True)
        assert statuses.count("Accepted") <= 1
        if deal.won:
            assert statuses[-1] == "Accepted"
        if deal.won is False:
            assert not {"Draft", "Needs Review", "In Review", "Approved"} & set(statuses)
        made = [quote.created for quote in deal.quotes]
        assert made == sorted(made)
        assert len({quote.number for quote in deal.quotes}) == len(deal.quotes)
        for first, second in zip(deal.quotes, deal.quotes[1:], strict=False):
            revised += [line.quantity for line in first.lines] != [line.quantity for line in second.lines]
        assert all(timedelta(days=13) < quote.expires - quote.created < timedelta(days=92) for quote in deal.quotes)
    assert revised > 20


def test_without_broken_rules_there_is_none(sold: Sold) -> None:
    """What a quote breaks comes from its settings alone, so the tests above can fail."""
    branch, _ = sold("b2b", 0.1)
    lines = next(lines for lines in quotes_of(branch).values() if not broken(branch, lines))
    assert broken(branch, [{**lines[0], "Discount": 60.0}])[-1] == "steps"
    assert broken(branch, [{"code": "TC-C800", "Quantity": 5.0, "Discount": 0.0}]) == ["limits"]
    assert broken(branch, [{"code": c, "Quantity": 1.0, "Discount": 0.0} for c in ("TC-S100", "TC-S110")]) == [
        "exclusions"
    ]
    assert broken(branch, [{"code": "TC-G210", "Quantity": 3.0, "Discount": 0.0}]) == ["requirements"]


def test_scattered_numbers_sum_to_the_total() -> None:
    draw = Draw(1, "scattered")
    found = scattered(draw, 500, [1.0] * 100, least=1, most=9)
    assert sum(found) == 500
    assert min(found) >= 1
    assert max(found) <= 9
    with pytest.raises(ValueError, match="cannot be shared out"):
        scattered(draw, 10, [1.0] * 3, most=3)


def test_chosen_are_different_and_the_heavy_ones_mostly() -> None:
    draw = Draw(1, "chosen")
    found = chosen(draw, range(100), 10, [9.0] * 20 + [0.1] * 80)
    assert len(set(found)) == 10
    assert sum(place < 20 for place in found) >= 7
    assert chosen(draw, [1, 2], 5, [1.0, 0.0]) == [1, 2]
    assert sorted(chosen(draw, [1, 2, 3], 2, [0.0, 0.0, 0.0])) == [1, 2]
