"""Orders over the counter, in worlds that do not sell by quote: who buys what, when and from which price book."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate

from study.generator.care.choosing import Days
from study.generator.care.roster import Roster
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.material import PriceList
from study.generator.groundwork.things import Bought, Item, Party, Row

MAIN_SHARE = 0.72
"""Share of baskets that begin with one of the larger things; the rest is small things only."""
MOST_LINES = 14
OFFER_DAYS = 75
_YEAR = re.compile(r"\b20\d\d$")
_APART = 40_000
"""Running numbers between two branches; more than a branch of scale 1 uses up."""


@dataclass(frozen=True)
class _Shelf:
    """Products of one price book in the order they came, with running sums of how popular they are."""

    items: list[Item]
    since: list[date]
    sums: list[float]

    @classmethod
    def of(cls, items: list[Item], *, skewed: bool) -> _Shelf:
        ordered = sorted(items, key=lambda item: (item.since, item.place))
        weights = [round(item.popular, 6) if skewed else 1.0 for item in ordered]
        return cls(ordered, [item.since for item in ordered], list(accumulate(weights)))

    def one(self, draw: Draw, day: date) -> Item | None:
        """A product that is sold by that day."""
        n = bisect_right(self.since, day)
        if not n or self.sums[n - 1] <= 0:
            return None
        return self.items[min(bisect_right(self.sums, draw.share() * self.sums[n - 1]), n - 1)]


class _Shop:
    """The price books with their shelves, and which of them may be used when."""

    def __init__(self, branch: Branch) -> None:
        items, skewed = branch.shared.items, branch.plan.ingredients.skew
        prices = sorted(item.price for item in items)
        middle = prices[len(prices) * 2 // 3] if prices else 0.0
        self.ids, self.lists = branch.shared.books, branch.plan.material.price_lists
        self.shelves: list[tuple[_Shelf, _Shelf]] = []
        for book in range(len(self.ids)):
            listed = [item for item in items if book in item.entries]
            self.shelves.append(
                (
                    _Shelf.of([item for item in listed if item.price >= middle], skewed=skewed),
                    _Shelf.of([item for item in listed if item.price < middle], skewed=skewed),
                )
            )
        self._open: dict[date, tuple[list[int], list[float], list[float]]] = {}

    def book(self, draw: Draw, day: date, bargain: float) -> int:
        """A price book that is valid on a day; who likes bargains looks for offers."""
        found = self._open.get(day)
        if found is None:
            found = self._open[day] = self._valid(day)
        books, plain, keen = found
        return draw.summed(books, keen if draw.chance(bargain) else plain)

    def _valid(self, day: date) -> tuple[list[int], list[float], list[float]]:
        books = [
            book
            for book, listed in enumerate(self.lists[: len(self.ids)])
            if _open_on(listed, day) and all(shelf.since and shelf.since[0] <= day for shelf in self.shelves[book])
        ] or [0]
        plain = [self.lists[book].share for book in books]
        keen = [
            round(share * (1 + 12 * self.lists[book].discount), 6) for book, share in zip(books, plain, strict=True)
        ]
        return books, list(accumulate(plain)), list(accumulate(keen))

    def basket(self, draw: Draw, day: date, book: int, lines: int) -> list[Item]:
        """So many different products, as far as the shelves hold them."""
        large, small = self.shelves[book]
        found: list[Item] = []
        for tries in range(6 * lines + 20):
            if len(found) == lines:
                break
            main = draw.chance(MAIN_SHARE) if not tries else draw.chance(0.12)
            item = (large if main else small).one(draw, day) or (small if main else large).one(draw, day)
            if item is not None and item not in found:
                found.append(item)
        return found


def _open_on(listed: PriceList, day: date) -> bool:
    """Offers of one year end after some weeks; other lists stay."""
    if day < listed.since:
        return False
    return not _YEAR.search(listed.name) or day <= listed.since + timedelta(days=OFFER_DAYS)


def make_orders(branch: Branch) -> list[Bought]:
    """Exactly as many orders and order lines as counted; the lines in the order of days.

    ValueError if nobody could have ordered: no party, or fewer lines than orders.
    """
    n, lines = branch.counts["Order"], branch.counts["OrderItem"]
    if not branch.parties or lines < n:
        raise ValueError(f"{lines} order lines of {len(branch.parties)} customers cannot fill {n} orders.")
    draw, shop = branch.draw("orders"), _Shop(branch)
    placed = _placed(branch, draw, n)
    sizes = _sizes(draw, [party for _, party in placed], lines)
    roster = Roster(branch.sellers() or branch.carers() or branch.members, lambda member, _: member.activity)
    number = 20_100 + _APART * branch.number + draw.whole(0, 9_000)
    orders: list[Row] = []
    rows: list[Row] = []
    bought: list[Bought] = []
    for (day, party), size in zip(placed, sizes, strict=True):
        number += draw.whole(1, 9)
        made = _order(branch, draw, shop, roster, (day, party, size), number_of(branch.plan.company, number))
        orders.append(made[0])
        rows += made[1]
        bought += made[2]
    branch.add("Order", orders)
    branch.add("OrderItem", rows)
    return bought


def number_of(company: str, number: int) -> str:
    """A running number with the initials of the company."""
    return f"{initials(company)}-{number}"


def initials(company: str) -> str:
    return "".join(word[0] for word in re.findall(r"[A-Z]\w*", company))[:2].upper() or "NO"


def _placed(branch: Branch, draw: Draw, n: int) -> list[tuple[date, Party]]:
    """Who orders on which day: by habit and season, never before they were customers."""
    calendar, parties = Calendar(branch.plan), branch.parties
    sums = list(accumulate(max(party.shopping.rate, 0.0) for party in parties))
    if sums[-1] <= 0:
        sums = list(range(1, len(parties) + 1))
    by_habit: dict[tuple[float, ...], Days] = {}
    found: list[tuple[date, int]] = []
    for _ in range(n):
        at = min(bisect_right(sums, draw.share() * sums[-1]), len(parties) - 1)
        party = parties[at]
        months = party.shopping.months
        if months not in by_habit:
            by_habit[months] = Days(calendar, _combined(branch, months))
        first = min(max(party.since.date(), branch.first_day), branch.today)
        found.append((by_habit[months].between(draw, first, branch.today), at))
    return [(day, parties[at]) for day, at in sorted(found)]


def _combined(branch: Branch, months: tuple[float, ...]) -> tuple[float, ...]:
    """Seasons of the trade times those of a habit, halfway to what is usual."""
    return tuple(round(a * (0.5 + b / 2), 6) for a, b in zip(branch.plan.timing.seasons, months, strict=True))


def _sizes(draw: Draw, parties: list[Party], lines: int) -> list[int]:
    """Lines of each order: few have many; their sum is exact."""
    most = max(MOST_LINES, -(-lines // len(parties)))
    mean = lines / len(parties) - 1
    sizes = [min(most, 1 + int(mean * party.shopping.basket * draw.lognormal(0.7) * 0.85)) for party in parties]
    left = lines - sum(sizes)
    while left:
        at, step = draw.whole(0, len(sizes) - 1), 1 if left > 0 else -1
        if 1 <= sizes[at] + step <= most:
            sizes[at] += step
            left -= step
    return sizes


def _order(
    branch: Branch, draw: Draw, shop: _Shop, roster: Roster, about: tuple[date, Party, int], number: str
) -> tuple[Row, list[Row], list[Bought]]:
    day, party, size = about
    book = shop.book(draw, day, party.shopping.bargain)
    activated = not draw.chance(0.25 if (branch.today - day).days < 6 else 0.03)
    owner = roster.one(draw, day, "") or roster.members[0]
    person = party.contacts[0] if len(party.contacts) == 1 else draw.pick(party.contacts)
    basket = shop.basket(draw, day, book, size)
    # A shelf can be shorter than a large order: what is left is bought in another piece.
    listed = basket or [item for item in branch.shared.items if book in item.entries]
    basket += [draw.pick(listed) for _ in range(size - len(basket))]
    order_id, total = branch.new_id("Order"), 0.0
    lines: list[Row] = []
    bought: list[Bought] = []
    for item in basket:
        entry, price = item.entries[book]
        quantity = draw.weighted((1, 2, 3), (90, 8, 2)) if price < 100 else 1
        line_id = branch.new_id("OrderItem")
        lines.append(
            {
                "Id": line_id, "OrderId": order_id, "Product2Id": item.id, "PriceBookEntryId": entry,
                "Quantity": float(quantity), "UnitPrice": price,
            }
        )  # fmt: skip
        total += quantity * price
        bought.append(Bought(line_id, order_id, number, day, item, party, person, activated))
    row: Row = {
        "Id": order_id, "OrderNumber": number, "AccountId": party.id, "Pricebook2Id": shop.ids[book],
        "Status": "Activated" if activated else "Draft", "EffectiveDate": day, "OwnerId": owner.id,
        "TotalAmount": round(total, 2),
    }  # fmt: skip
    return row, lines, bought
