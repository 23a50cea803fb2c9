"""Questions about what happens to cases: the most frequent issue, the busiest month, the fastest region."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np

from study.benchmark.gates import least_others
from study.generator.instances.making import Asked, Maker
from study.generator.instances.periods import MONTHS, Period
from study.generator.instances.scanning import Found, Scan, period_said
from study.generator.instances.source import Source
from study.generator.instances.tallies import (
    HOUR,
    HOURS,
    ZONES,
    Board,
    Rows,
    Timed,
    counts,
    means,
    readings,
    rows,
    verdict,
)
from study.generator.instances.words import Said

FEWEST_CASES = 4


class Products:
    """Cases by product, for those products people write about often enough."""

    def __init__(self, source: Source) -> None:
        self.issues, self.issue_names = source.columns("Issue__c", "Id", "Name")
        self.names = source.mapping("Product2", "Id", "Name")
        product_of = source.mapping("OrderItem", "Id", "Product2Id")
        opened, items, issues = source.columns("Case", "CreatedDate", "OrderItemId__c", "IssueId__c")
        issue_place = {issue: n for n, issue in enumerate(self.issues)}
        found: dict[str, list[tuple[int, int]]] = {}
        for at, item, issue in zip(opened, items, issues, strict=True):
            if at and (product := product_of.get(item)) in self.names:
                found.setdefault(str(product), []).append((at, issue_place.get(issue, -1)))
        told = [name for name in self.names.values() if name]
        self.products = sorted(
            product
            for product, cases in found.items()
            if len(cases) >= FEWEST_CASES and told.count(self.names[product]) == 1
        )
        self.opened = {product: Timed.of(*_columns(found[product])) for product in self.products}
        self.with_issue = {
            product: Timed.of(*_columns([pair for pair in found[product] if pair[1] >= 0])) for product in self.products
        }

        self._months = {
            product: {hours: _months(timed.at - hours * HOUR) for hours in ZONES}
            for product, timed in self.opened.items()
        }

    def issue_board(self, product: str, period: Period) -> Board:
        timed = self.with_issue[product]
        return counts(timed, len(self.issues), rows(period, timed))

    def month_board(self, product: str, period: Period) -> Board:
        """Each reading with the months its zone shows."""
        timed = self.opened[product]
        found: dict[tuple[int, ...], str] = {}
        for kind, hours, span in zip(readings(period).kinds, HOURS.tolist(), timed.spans(period), strict=True):
            months = self._months[product][hours][slice(*span)]
            found.setdefault(tuple(np.bincount(months, minlength=12).tolist()), kind)
        behind = np.array(list(found), dtype=np.int64)
        return Board(behind.astype(np.float64), behind, list(found.values()))


def _columns(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [at for at, _key in pairs], [key for _at, key in pairs]


def _months(at: np.ndarray) -> np.ndarray:
    return np.array([datetime.fromtimestamp(ms / 1000, UTC).month - 1 for ms in at.tolist()], dtype=np.int64)


def ask_about_products(maker: Maker) -> None:
    """``top_issue_identification`` and ``monthly_trend_analysis``, as far as they are wanted."""
    products = Products(maker.source)
    for task in ("top_issue_identification", "monthly_trend_analysis"):
        if task in maker.quotas:
            _scan_products(maker, products, task).run()


def _scan_products(maker: Maker, products: Products, task: str) -> Scan:
    by_month = task == "monthly_trend_analysis"

    least = least_others(task)

    def offers(period: Period) -> Iterator[Found]:
        for product in products.products:
            board = (products.month_board if by_month else products.issue_board)(product, period)
            yield Found((product,), verdict(board, highest=True, measure="count", others=least), board.silent)

    def put(period: Period, key: tuple[str, ...], winner: int | None) -> bool:
        product = key[0]
        name, when = str(products.names[product]), period.words(maker.draw(f"{task} words"))
        answer: list[str | None] = [None]
        if winner is not None:
            answer = [MONTHS[winner] if by_month else str(products.issues[winner])]
        facts = [
            period_said(period, when),
            Said("product", f"It is about the {name}.", f"The {name}.", "", "definitions"),
        ]
        return maker.ask(
            Asked(
                task,
                answer,
                {**period.params, "product_id": product},
                today=period.today,
                slots={"when": when, "product": name},
                about=[("Product Id", product, name)],
                facts=facts,
            )
        )

    def fits(period: Period) -> bool:
        # Up to eleven months, so that no month occurs twice in a period.
        found = period.window
        return not by_month or 75 <= (found.end - found.first).days <= 340

    return Scan(maker, task, offers, put, fits)


class Regions:
    """Closed cases by the state of their account."""

    def __init__(self, source: Source) -> None:
        states = source.mapping("Account", "Id", "ShippingState")
        self.states = sorted({state for state in states.values() if state})
        place = {state: n for n, state in enumerate(self.states)}
        opened, closed, accounts, status = source.columns("Case", "CreatedDate", "ClosedDate", "AccountId", "Status")
        kept = [
            n for n, account in enumerate(accounts)
            if status[n] == "Closed" and opened[n] and closed[n] and states.get(account) in place
        ]  # fmt: skip
        self.closed = Timed.of(
            [opened[n] for n in kept],
            [place[states[accounts[n]]] for n in kept],
            [(closed[n] - opened[n]) / HOUR for n in kept],
        )

    def board(self, period: Period) -> Board:
        found: Rows = rows(period, self.closed)
        return means(self.closed, len(self.states), found)


def ask_best_region(maker: Maker) -> None:
    task = "best_region_identification"
    regions = Regions(maker.source)

    def offers(period: Period) -> Iterator[Found]:
        board = regions.board(period)
        for extremum in ("min", "min", "max"):
            found = verdict(board, highest=extremum == "max", measure="mean")
            yield Found((extremum,), found, board.silent)

    def put(period: Period, key: tuple[str, ...], winner: int | None) -> bool:
        when = period.words(maker.draw(f"{task} words"))
        end = "longest" if key[0] == "max" else "shortest"
        facts = [
            period_said(period, when),
            Said("direction", f"The state with the {end} mean time is asked for.", f"The {end}.", "", "definitions"),
        ]
        return maker.ask(
            Asked(
                task,
                [None] if winner is None else [regions.states[winner]],
                {**period.params, "extremum": key[0]},
                today=period.today,
                wording=key[0],
                slots={"when": when},
                facts=facts,
            )
        )

    Scan(maker, task, offers, put).run()
