"""Questions about sellers: amounts sold, days to close, shares of leads converted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np

from study.generator.instances.making import Asked, Maker
from study.generator.instances.periods import Period
from study.generator.instances.scanning import Found, Scan, period_said
from study.generator.instances.source import DAY, Source
from study.generator.instances.tallies import (
    Board,
    Measure,
    Timed,
    counts,
    days,
    means,
    readings,
    rows,
    totals,
    verdict,
)
from study.generator.instances.words import Said

Counting = Callable[[Period], Board]
ENDS: dict[str, dict[str, str]] = {
    "sales_amount_understanding": {"max": "highest sales amount", "min": "lowest sales amount above nothing"},
    "sales_cycle_understanding": {"min": "shortest mean sales cycle", "max": "longest mean sales cycle"},
    "conversion_rate_comprehension": {"max": "highest conversion rate", "min": "lowest conversion rate"},
}
MEASURES: dict[str, Measure] = {
    "sales_amount_understanding": "sum",
    "sales_cycle_understanding": "mean",
    "conversion_rate_comprehension": "share",
}


class Selling:
    """Signed order lines, signed deals and leads of an Org, by owner."""

    def __init__(self, source: Source) -> None:
        self.source = source
        (self.sellers,) = source.columns("User", "Id")
        self.place = {seller: n for n, seller in enumerate(self.sellers)}
        self.signed = source.mapping("Contract", "Id", "CompanySignedDate")

    def amounts(self) -> Counting:
        owners, contracts, status = (
            self.source.mapping("Order", "Id", name) for name in ("OwnerId", "ContractId", "Status")
        )
        orders, quantities, prices = self.source.columns("OrderItem", "OrderId", "Quantity", "UnitPrice")
        kept = [
            (self.signed[contracts[order]], self.place[owners[order]], (quantities[n] or 0) * (prices[n] or 0))
            for n, order in enumerate(orders)
            if status.get(order) == "Activated"
            and self.signed.get(contracts.get(order) or "")
            and owners.get(order) in self.place
        ]
        lines = Timed.of(days([one[0] for one in kept]), [one[1] for one in kept], [one[2] for one in kept], dated=True)
        return lambda period: totals(lines, len(self.sellers), rows(period, lines))

    def cycles(self) -> Counting:
        created, contracts, owners = self.source.columns("Opportunity", "CreatedDate", "ContractID__c", "OwnerId")
        kept = [
            n for n, contract in enumerate(contracts)
            if self.signed.get(contract or "") and created[n] and owners[n] in self.place
        ]  # fmt: skip
        at = days([self.signed[contracts[n]] for n in kept])
        key = [self.place[owners[n]] for n in kept]
        exact = Timed.of(at, key, [day - created[n] / DAY for day, n in zip(at, kept, strict=True)], dated=True)
        # Somebody may count from the day of creation instead of its hour; the winner has to be the same.
        whole = Timed.of(at, key, [day - created[n] // DAY for day, n in zip(at, kept, strict=True)], dated=True)

        def board(period: Period) -> Board:
            found = rows(period, exact)
            other = means(whole, len(self.sellers), [("reading", spans) for _kind, spans in found])
            return means(exact, len(self.sellers), found).beside(other)

        return board

    def conversions(self) -> Counting:
        created, converted, when, owners = self.source.columns(
            "Lead", "CreatedDate", "IsConverted", "ConvertedDate", "OwnerId"
        )
        kept = [n for n, owner in enumerate(owners) if created[n] and owner in self.place]
        kept.sort(key=lambda n: created[n])
        day = np.array(days([when[n] if converted[n] else None for n in kept]), dtype=np.int64)
        leads = Timed.of([created[n] for n in kept], [self.place[owners[n]] for n in kept])

        def board(period: Period) -> Board:
            found: dict[tuple[int, int, int, int], str] = {}
            read = readings(period)
            for kind, span, first, after in zip(
                read.kinds, leads.spans(period), read.firsts.tolist(), read.afters.tolist(), strict=True
            ):
                found.setdefault((*span, first, after), kind)
            made = counts(leads, len(self.sellers), [(kind, ((key[0], key[1]),)) for key, kind in found.items()])
            for row, (start, end, first, after) in enumerate(found):
                inside = (day[start:end] >= first) & (day[start:end] < after)
                won = np.bincount(leads.key[start:end], weights=inside, minlength=len(self.sellers))
                made.values[row] = won / np.maximum(made.behind[row], 1)
            return made

        return board


def ask_about_sellers(maker: Maker) -> None:
    """The three questions about sellers, as far as they are wanted."""
    selling = Selling(maker.source)
    countings = {
        "sales_amount_understanding": selling.amounts,
        "sales_cycle_understanding": selling.cycles,
        "conversion_rate_comprehension": selling.conversions,
    }
    for task, counting in countings.items():
        if task in maker.quotas:
            _scan(maker, selling, task, counting()).run()


def _scan(maker: Maker, selling: Selling, task: str, counting: Counting) -> Scan:
    extremes: tuple[Literal["min", "max"], ...] = ("min", "max")

    def offers(period: Period) -> Iterator[Found]:
        board = counting(period)
        for extremum in extremes:
            found = verdict(board, highest=extremum == "max", measure=MEASURES[task])
            yield Found((extremum,), found, board.silent)

    def put(period: Period, key: tuple[str, ...], winner: int | None) -> bool:
        when = period.words(maker.draw(f"{task} words"))
        end = ENDS[task][key[0]]
        facts = [
            period_said(period, when),
            Said("direction", f"The {end} is asked for.", f"The {end.split()[0]}.", "", "definitions"),
        ]
        return maker.ask(
            Asked(
                task,
                [None] if winner is None else [str(selling.sellers[winner])],
                {**period.params, "extremum": key[0]},
                today=period.today,
                wording=key[0],
                slots={"when": when},
                facts=facts,
            )
        )

    return Scan(maker, task, offers, put)
