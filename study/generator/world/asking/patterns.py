"""Questions about what happens to cases: the most frequent issue, the busiest month, the fastest region."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from study.generator.world.asking.counting import Counter, always_empty, issues_of, months_of, regions, steady_winner
from study.generator.world.asking.making import ANSWERED, NO_RECORD, Maker, Wordings, spread
from study.generator.world.asking.periods import Period, before_the_data, past_months, past_quarters, usual_periods
from study.generator.world.draw import Draw
from study.generator.world.material import Product, products
from study.generator.world.service import World

ABOUT = "A case is about a product if its order product is one. Count cases by the day they were opened. "
TOP_ISSUE = (
    "What did customers report most often about the {product} {when}?",
    "{when}, which issue came up most with the {product}?",
    "I am writing to the product team. Which problem with the {product} led to the most cases {when}?",
    "Which kind of trouble was most frequent for the {product} {when}?",
)
BUSY_MONTH = (
    "In which month did we get the most cases about the {product} {when}?",
    "{when}, which month stands out for the {product} because of its number of cases?",
    "Did cases about the {product} pile up in one month {when}? Which one?",
    "Which month had the highest number of cases on the {product} {when}?",
)
FAST_STATE = (
    "{when}, for customers in which state did we close cases fastest on average?",
    "Which state had the shortest average time from opening to closing a case {when}?",
    "I'd like to see where service was quickest. In which state did closing a case take least time on average {when}?",
)
SLOW_STATE = (
    "{when}, for customers in which state did closing a case take longest on average?",
    "Which state had the longest average time from opening to closing a case {when}?",
    "Where did customers wait longest for their case to be closed, on average by state, {when}?",
)
REGION = (
    "The state is the one in the account's shipping address. Take cases opened in the period that are closed, and the "
    "time from opening to closing. "
)
Counting = Callable[[World, int], Counter]


class AskedProduct(NamedTuple):
    product: Product
    period: Period

    def params(self, world: World) -> dict[str, Any]:
        return {**self.period.params, "product_id": world.catalogue.products[self.product.place]}


def ask_top_issue(maker: Maker) -> None:
    _ask_product(maker, "top_issue_identification", issues_of, TOP_ISSUE, usual_periods(maker.world.today))


def ask_busiest_month(maker: Maker) -> None:
    # Up to eleven months, so that no month occurs twice in a period.
    today = maker.world.today
    periods = [past_months(n, today) for n in range(4, 12)] + [past_quarters(n, today) for n in (2, 3)]
    periods += [p for p in usual_periods(today) if p.given[0] in ("year", "quarter", "season")]
    _ask_product(maker, "monthly_trend_analysis", months_of, BUSY_MONTH, periods)


def _ask_product(maker: Maker, task: str, counting: Counting, wordings: tuple[str, ...], periods: list[Period]) -> None:
    draw, world = maker.draw(task), maker.world
    said = Wordings(draw, wordings)
    asked = [AskedProduct(product, period) for product in products() for period in periods]
    asked = draw.some(asked, len(asked))
    kept = spread(_leading(maker, task, counting, asked), ANSWERED, 2)
    kept += spread(_silent(maker, task, counting, draw), NO_RECORD, 1)
    for one, answer in draw.some(kept, len(kept)):
        maker.add(
            task,
            question=said.next(product=one.product.name, when=one.period.words),
            definitions=ABOUT + one.period.meaning,
            answer=answer,
            params=one.params(world),
            required=f"- Product Id: {world.catalogue.products[one.product.place]}",
        )


def _leading(
    maker: Maker, task: str, counting: Counting, asked: list[AskedProduct]
) -> Iterator[tuple[str, tuple[AskedProduct, list[str | None]]]]:
    for one in asked:
        winner = steady_winner(counting(maker.world, one.product.place), one.period, highest=True, means=False)
        if winner is not None and maker.by_rule(task, one.params(maker.world)) == [winner]:
            yield one.product.name, (one, [winner])


def _silent(
    maker: Maker, task: str, counting: Counting, draw: Draw
) -> Iterator[tuple[str, tuple[AskedProduct, list[str | None]]]]:
    """Products that people wrote about, but not lately."""
    world = maker.world
    known = [p for p in products() if any(case.line.product is p for case in world.cases)]
    for product in draw.some(known, len(known)):
        one = AskedProduct(product, past_months(draw.whole(2, 4), world.today))
        silent = always_empty(counting(world, product.place), one.period)
        if silent and maker.by_rule(task, one.params(world)) == [None]:
            yield product.name, (one, [None])


def ask_best_region(maker: Maker) -> None:
    task = "best_region_identification"
    draw, world = maker.draw(task), maker.world
    said = {"min": Wordings(draw, FAST_STATE), "max": Wordings(draw, SLOW_STATE)}
    kept = spread(_fastest(maker, task, draw), ANSWERED, 4)
    for period in draw.some(before_the_data(world.today), NO_RECORD):
        if always_empty(regions(world), period) and maker.by_rule(task, period.params) == [None]:
            kept.append((period, "min", [None]))
    for period, extremum, answer in draw.some(kept, len(kept)):
        maker.add(
            task,
            question=said[extremum].next(when=period.words),
            definitions=REGION + period.meaning,
            answer=answer,
            params={**period.params, "extremum": extremum},
        )


def _fastest(maker: Maker, task: str, draw: Draw) -> Iterator[tuple[str, tuple[Period, str, list[str | None]]]]:
    asked = [(period, extremum) for period in usual_periods(maker.world.today) for extremum in ("min", "min", "max")]
    for period, extremum in dict.fromkeys(draw.some(asked, len(asked))):
        winner = steady_winner(regions(maker.world), period, highest=extremum == "max", means=True)
        if winner is not None and maker.by_rule(task, {**period.params, "extremum": extremum}) == [winner]:
            yield winner, (period, extremum, [winner])
