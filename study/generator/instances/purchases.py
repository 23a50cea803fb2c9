"""Customers who mean a product they bought on a certain day, without its name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from study.generator.groundwork.draw import Draw
from study.generator.instances.making import Asked, Maker
from study.generator.instances.periods import sayable, spoken_days
from study.generator.instances.source import Source
from study.generator.instances.words import Said

TASK = "named_entity_disambiguation"
NEAR = 3
LATEST = 14
# What follows the noun of a description, and nouns that are said without "a".
AFTER_NOUN = re.compile(r",|\s(?:above|at|beside|between|by|for|from|in|of|on|over|that|to|under|who|with)\s")
BARE = frozenset(
    {"advice", "applewood", "charcoal", "fatwood", "kindling", "paint", "paper", "protection", "rock", "software",
     "someone"}
)  # fmt: skip


class Line(NamedTuple):
    account: str
    day: date
    product: str


class Purchases:
    """What each account bought when, its contacts, and which products a description fits."""

    def __init__(self, source: Source) -> None:
        self.contacts: dict[str, list[tuple[str, str]]] = defaultdict(list)
        first, last, mail = (source.mapping("Contact", "Id", name) for name in ("FirstName", "LastName", "Email"))
        for contact, account in source.mapping("Contact", "Id", "AccountId").items():
            if account:
                name = " ".join(filter(None, (first.get(contact), last.get(contact))))
                self.contacts[account].append((contact, f"{name}, {mail[contact]}" if mail.get(contact) else name))
        self.hints: dict[str, list[str]] = defaultdict(list)
        self.fitting: dict[str, list[str]] = defaultdict(list)
        by_name = source.mapping("Product2", "Name", "Id")
        for product in source.material.product_lines:
            if (known := by_name.get(product.name)) is None:
                continue
            for hint in product.hints:
                self.hints[known].append(hint)
                self.fitting[hint].append(known)
        orders = {
            order: (account, date.fromisoformat(day), status)
            for order, account, day, status in zip(
                *source.columns("Order", "Id", "AccountId", "EffectiveDate", "Status"), strict=True
            )
            if day
        }
        self.lines: list[Line] = []
        self.of: dict[str, list[Line]] = defaultdict(list)
        for order, product in zip(*source.columns("OrderItem", "OrderId", "Product2Id"), strict=True):
            account, day, status = orders.get(order, (None, None, None))
            if account and day and status == "Activated" and product:
                self.of[account].append(Line(account, day, product))
                self.lines.append(self.of[account][-1])

    def near(self, account: str, hint: str, day: date, *, but: Line | None) -> bool:
        """Whether the account bought something that fits within a few days of the day named."""
        return any(
            line != but and line.product in self.fitting[hint] and abs((line.day - day).days) <= NEAR
            for line in self.of[account]
        )


def ask_which_product(maker: Maker) -> None:
    """TASK, for people and for agents."""
    purchases, draw = Purchases(maker.source), maker.draw(TASK)
    for people in (True, False):
        for silent in (False, True):
            _fill(maker, purchases, draw, people=people, silent=silent)
    for silent in (False, True):
        maker.quotas[TASK].move(silent=silent, to_people=False)
        _fill(maker, purchases, draw, people=False, silent=silent)


def _fill(maker: Maker, purchases: Purchases, draw: Draw, *, people: bool, silent: bool) -> None:
    for most in (1, 3):
        for line, hint, days in _candidates(purchases, draw, maker.source.today, people=people, silent=silent):
            if not maker.wants(TASK, silent=silent, people=people):
                return
            contacts = purchases.contacts.get(line.account)
            if not contacts or maker.times(TASK, line.account) >= most:
                continue
            if purchases.near(line.account, hint, line.day, but=None if silent else line):
                maker.refuse(TASK, "near")
                continue
            contact = draw.pick(contacts)
            if _ask(maker, purchases, line, hint, days, contact, silent=silent):
                maker.used(TASK, line.account)


def _candidates(
    purchases: Purchases, draw: Draw, last: date, *, people: bool, silent: bool
) -> Iterator[tuple[Line, str, int]]:
    """A line with a description (of it, or of something bought on another day) and the days since."""
    for line in draw.shuffled(purchases.lines):
        if people:
            days = (last - line.day).days
        else:
            days = draw.pick(SAYABLE)
            if line.day + timedelta(days=days + LATEST) > last:
                continue
        if not sayable(days):
            continue
        meant = line.product
        if silent:
            others = [other.product for other in purchases.of[line.account] if other.day != line.day]
            if not others:
                continue
            meant = draw.pick(others)
        if purchases.hints.get(meant):
            yield line, draw.pick(purchases.hints[meant]), days


SAYABLE = [days for days in range(2, 200) if sayable(days)]


def _ask(
    maker: Maker, purchases: Purchases, line: Line, hint: str, days: int, contact: tuple[str, str], *, silent: bool
) -> bool:
    when = spoken_days(days)
    a_hint = with_article(hint)
    facts = [
        Said("kind", f"It was {a_hint}.", hint, "", "diagnosis"),
        Said("day", f"I bought it {when}.", when, f"I bought it {spoken_days(days + 7)}.", "diagnosis", 2),
    ]
    return maker.ask(
        Asked(
            TASK,
            [None] if silent else [line.product],
            {"contact_id": contact[0], "days_ago": days, "product_ids": list(purchases.fitting[hint])},
            today=line.day + timedelta(days=days),
            slots={"hint": hint, "a_hint": a_hint, "when": when},
            about=[("Contact Id interacting", *contact)],
            facts=facts,
        )
    )


def with_article(hint: str) -> str:
    """ "a fire table", "an oven cart"; several things, and what is not counted, have no article."""
    noun = AFTER_NOUN.split(hint)[0].split()[-1]
    if noun in BARE or (noun.endswith("s") and not noun.endswith("ss")):
        return hint
    return f"an {hint}" if hint[0].lower() in "aeiou" or hint.startswith("LED") else f"a {hint}"
