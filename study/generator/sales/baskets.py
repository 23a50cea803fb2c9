"""What a deal is made of: fitting products in fitting numbers, by the rules unless a quote is to break one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.things import Item
from study.generator.sales.pipeline import Life
from study.generator.sales.rulebook import Rulebook

# Pieces of a product by its price: (below this price, usual number for a company, for a household).
_PIECES = ((60.0, 40, 5.0), (130.0, 24, 3.4), (300.0, 12, 2.4), (800.0, 5.5, 1.5), (2000.0, 2.8, 1.1), (1e9, 1.8, 1.0))
_MAIN = 8.0
_BOOK = 15


@dataclass
class Flaw:
    """The rule a quote of a deal is to break, or to keep only just."""

    kind: str
    near: bool = False
    # Of a requirement: what is needed is missing, instead of there being too few of it.
    absent: bool = False


@dataclass
class Basket:
    """Pieces by product code, in the order they were put in. ``banned`` codes never come in."""

    pieces: dict[str, int] = field(default_factory=dict)
    banned: set[str] = field(default_factory=set)
    # Numbers that a rule is broken or just kept with; they stay as they are.
    fixed: set[str] = field(default_factory=set)


class Baskets:
    def __init__(self, branch: Branch, rules: Rulebook) -> None:
        self.branch, self.rules, self.draw = branch, rules, branch.draw("baskets")
        self.items = branch.shared.by_code
        self.consumer = branch.plan.consumer
        ingredients = branch.plan.ingredients
        self.skew, self.causes = ingredients.skew, ingredients.causes
        self._shelves: dict[tuple[int, str], tuple[list[Item], list[float]]] = {}
        lists = branch.plan.material.price_lists
        held = [
            sum(1 for item in branch.shared.items if book in item.entries) for book in range(len(branch.shared.books))
        ]
        usable = [book for book, n in enumerate(held) if n >= min(_BOOK, max(held, default=0))]
        self.books = usable or [0]
        self._shares = [lists[book].share if book < len(lists) else 1.0 for book in self.books]

    def choose_book(self) -> int:
        return self.draw.weighted(self.books, self._shares)

    def fill(self, life: Life, n: int, flaw: Flaw | None) -> Basket:
        """``n`` different products (fewer if no more fit) of the deal's price book."""
        basket = Basket()
        if flaw is not None:
            self._seed(basket, life, n, flaw)
        if self.causes:
            for code in life.project.codes:
                if code in self.items and len(basket.pieces) < n:
                    self._put(basket, self.items[code], life, n)
        shelf, sums = self._shelf(life)
        for _ in range(12 * n):
            if len(basket.pieces) >= n:
                break
            self._put(basket, self.draw.summed(shelf, sums), life, n)
        if len(basket.pieces) < n:
            for item in self.draw.shuffled(shelf):
                if len(basket.pieces) < n:
                    self._put(basket, item, life, n)
        self.mend(basket)
        return basket

    def _put(self, basket: Basket, item: Item, life: Life, n: int) -> None:
        """One more product with what it needs, if there is room and no rule against it."""
        if item.code in basket.pieces or item.code in basket.banned:
            return
        more = [item.code, *(code for code, _ in self._chain(item.code) if code not in basket.pieces)]
        if len(basket.pieces) + len(more) > n:
            return
        for code in more:
            if code in basket.banned or self.rules.excluded(code, [*basket.pieces, *more]):
                return
            if life.book not in self.items[code].entries or self.items[code].since > life.deal.created.date():
                return
        for code in more:
            basket.pieces[code] = self.number(self.items[code], life)

    def _chain(self, code: str) -> Iterator[tuple[str, int]]:
        for needs, each in self.rules.needs(code):
            yield needs, each
            yield from self._chain(needs)

    def number(self, item: Item, life: Life) -> int:
        """How many pieces: many of what is cheap, few of what is dear, more for those who buy much."""
        usual = next(
            household if self.consumer else company for below, company, household in _PIECES if item.price < below
        )
        habit = life.deal.party.shopping.basket if self.causes else 1.0
        return max(1, round(usual * life.size * habit * self.draw.lognormal(0.45) * 0.8))

    def mend(self, basket: Basket) -> None:
        """Numbers within limits, and enough of what is needed; numbers that are fixed stay."""
        pieces = basket.pieces
        for code, most in self.rules.limits.items():
            if code in pieces and code not in basket.fixed:
                pieces[code] = min(pieces[code], most)
        for code, needs, each in self.rules.requirements:
            if code not in pieces or needs not in pieces:
                continue
            if needs in basket.fixed:
                if code not in basket.fixed:
                    pieces[code] = min(pieces[code], pieces[needs] * each)
                continue
            wanted, top = -(-pieces[code] // each), self.rules.limits.get(needs)
            if top is not None and wanted > top and code not in basket.fixed:
                pieces[code] = top * each
                wanted = top
            pieces[needs] = max(pieces[needs], wanted)

    def _seed(self, basket: Basket, life: Life, n: int, flaw: Flaw) -> None:
        """The products that break a rule, or keep it only just."""
        if flaw.kind == "limits":
            self._at_limit(basket, life, n, flaw.near)
        elif flaw.kind == "exclusions" and n >= 2:
            pairs = [pair for pair in self.rules.exclusions if self._sold(pair, life) and not self._needy(pair)]
            if pairs:
                for code in self.draw.shuffled(self.draw.pick(pairs)):
                    basket.pieces[code] = self._within(code, life)
        elif flaw.kind == "requirements":
            self._short(basket, life, n, flaw)

    def _at_limit(self, basket: Basket, life: Life, n: int, near: bool) -> None:
        codes = [
            code for code in self.rules.limits
            if self._sold((code,), life) and len(list(self._chain(code))) < n
        ]  # fmt: skip
        if not codes:
            return
        code = self.draw.pick(codes)
        most = self.rules.limits[code]
        over = 0 if near else self.draw.whole(1, max(1, min(4, most // 3)))
        basket.pieces[code] = most + over
        basket.fixed.add(code)
        for needs, each in self._chain(code):
            basket.pieces[needs] = -(-(most + over) // each)

    def _short(self, basket: Basket, life: Life, n: int, flaw: Flaw) -> None:
        """Too few of what is needed, none of it, or (near) exactly enough."""
        few = not flaw.absent
        rules = [
            rule for rule in self.rules.requirements
            if self._sold(rule[:2], life) and not self.rules.needs(rule[1]) and len(self.rules.needs(rule[0])) == 1
        ]  # fmt: skip
        if not rules or (few and n < 2):
            return
        code, needs, each = self.draw.pick(rules)
        if not few:
            basket.pieces[code] = self._within(code, life)
            basket.banned.add(needs)
            # Whatever else needs it would break a rule of its own.
            basket.banned.update(rule[0] for rule in self.rules.requirements if rule[1] == needs)
            return
        limit = self.rules.limits.get(needs)
        most = min(self.rules.limits.get(code, 10**6), limit * each if limit else 10**6)
        number = min(max(self._within(code, life), each + 1), most)
        basket.pieces[code] = number
        wanted = -(-number // each)
        basket.pieces[needs] = wanted if flaw.near or wanted < 2 else self.draw.whole(max(1, wanted - 2), wanted - 1)
        basket.fixed.update((code, needs))
        basket.banned.update(rule[0] for rule in self.rules.requirements if rule[1] == needs)

    def _within(self, code: str, life: Life) -> int:
        return min(self.number(self.items[code], life), self.rules.limits.get(code, 10**6))

    def _needy(self, codes: tuple[str, ...]) -> bool:
        return any(self.rules.needs(code) for code in codes)

    def _sold(self, codes: tuple[str, ...], life: Life) -> bool:
        day = life.deal.created.date()
        return all(life.book in self.items[code].entries and self.items[code].since <= day for code in codes)

    def _shelf(self, life: Life) -> tuple[list[Item], list[float]]:
        """The products of a price book, those of the deal's category before others."""
        key = life.book, life.project.category
        if key not in self._shelves:
            shelf = [item for item in self.branch.shared.items if life.book in item.entries]
            weights = [
                (item.popular if self.skew else 1.0) * (_MAIN if item.category == life.project.category else 1.0)
                for item in shelf
            ]
            self._shelves[key] = shelf, list(accumulate(weights))
        return self._shelves[key]
