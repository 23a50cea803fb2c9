"""The words calls and letters are made of: rules that all worlds share and those of the trade, read as one grammar."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path

import yaml

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.material import lines, listed, table
from study.generator.groundwork.phrases import Grammar, Phrases
from study.generator.groundwork.things import DealLine, Item, QuoteLine

NUMBERS = (
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
)  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# How often a line is looked for that needs no slot which is not there.
_TRIES = 14
SEASONS = ("winter", "spring", "summer", "fall")


@lru_cache(maxsize=8)
def _grammar(folders: tuple[Path, ...], names: tuple[str, ...]) -> Grammar:
    rules: dict[str, tuple[str, ...]] = {}
    for name in names:
        path = next((folder / name for folder in folders if (folder / name).is_file()), None)
        if path is None:
            raise FileNotFoundError(f"There is no {name} in {', '.join(folder.name for folder in folders)}.")
        for rule, text in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            rules[rule] = rules.get(rule, ()) + lines(text)
    return Grammar(rules)


def grammar_of(branch: Branch, *names: str) -> Grammar:
    """The rules of some files of a world, later ones added to earlier ones of the same name."""
    return _grammar(branch.plan.material.folders, names)


_SERVICE = re.compile(r"\b(?:Installation|Visit|Consultation|Plan|Study|Seat|Day|License|Pack|Manager)\b")


@lru_cache(maxsize=8192)
def is_service(name: str) -> bool:
    """Whether a product is work or software, which has no color and stands in no room."""
    return _SERVICE.search(name) is not None


class _NotThereError(Exception):
    """A slot for which there is nothing to say."""


class _Filled(dict[str, str]):
    def __missing__(self, slot: str) -> str:
        raise _NotThereError(slot)


class Wording:
    """One writer: chance, phrases, and what the company has to say about itself and its competitors."""

    def __init__(self, branch: Branch, purpose: str, *names: str) -> None:
        self.branch, self.plan = branch, branch.plan
        self.draw: Draw = branch.draw(purpose)
        self.phrases = Phrases(self.draw, grammar_of(branch, *names))
        self.sites = [(rule[5:], rule) for rule in self.phrases.grammar.rules if rule.startswith("site_")]
        self.by_short = {item.short: item for item in branch.shared.items}
        self.things = [item for item in branch.shared.items if not is_service(item.name)] or list(branch.shared.items)
        self._known: dict[tuple[str, str], tuple[str, str]] = {}
        for rival in branch.plan.material.selling.competitors:
            strong, weak = self._subtopics(rival.name)
            for topic, strength in zip(strong, rival.strengths, strict=False):
                self._known[rival.name, topic] = ("strength", strength)
            for topic, weakness in zip(weak, rival.weaknesses, strict=False):
                self._known[rival.name, topic] = ("weakness", weakness)

    def _subtopics(self, rival: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        try:
            raw = self.plan.material.yaml("sales_words.yaml")
        except FileNotFoundError:
            return (), ()
        for name, strong, weak in table(raw.get("rivals", "")):
            if name == rival:
                return listed(strong), listed(weak)
        return (), ()

    def known_for(self, rival: str, subtopic: str) -> tuple[str, str] | None:
        """("strength" or "weakness", what it is) of a competitor in a subtopic, if it is known for any."""
        return self._known.get((rival, subtopic))

    def has(self, rule: str) -> bool:
        return self.phrases.has(rule)

    def say(self, rule: str, slots: Mapping[str, str]) -> str:
        """A line of a rule that needs no slot which is not there; empty if none of some is such a line."""
        for _ in range(_TRIES):
            try:
                return self.phrases.skeleton(rule).format_map(_Filled(slots))
            except _NotThereError:
                continue
        return ""

    def line(self, text: str, slots: Mapping[str, str]) -> str:
        """One phrase put together by a part; its slots have to be there."""
        return self.phrases.one_of((text,), slots)


def rule_of(subtopic: str) -> str:
    """A subtopic as it stands in the name of a rule."""
    return re.sub(r"\W+", "_", subtopic.lower()).strip("_")


def money(amount: float) -> str:
    """$1,250 or $1,250.50: cents only where there are any."""
    return f"${amount:,.0f}" if round(amount, 2) == int(round(amount, 2)) else f"${amount:,.2f}"


def day_text(day: date) -> str:
    """March 14, as people say it."""
    return f"{MONTHS[day.month - 1]} {day.day}"


@lru_cache(maxsize=4096)
def working_days(after: date) -> tuple[date, ...]:
    """The ten working days that follow a day."""
    days = (after + timedelta(days=n) for n in range(1, 15))
    return tuple(day for day in days if day.weekday() < 5)[:10]


def month_text(day: date, months: int) -> str:
    """The name of a month so many months later; with its year if that is another one."""
    at = day.year * 12 + day.month - 1 + months
    name = MONTHS[at % 12]
    return name if at // 12 == day.year else f"{name} {at // 12}"


def season_of(day: date) -> str:
    return SEASONS[day.month % 12 // 3]


def count_of(n: int, short: str) -> str:
    """So many of a product: "one ThermaDot", "12 ThermaDots", "3 of the PM24"."""
    if n == 1:
        return f"one {short}"
    number = NUMBERS[n] if n < 13 else f"{n:,}"
    if short[-1].isdigit() or short[-1] == "s":
        return f"{number} of the {short}"
    if short.endswith(("ch", "sh", "x")):
        return f"{number} {short}es"
    if short[-1] == "y" and short[-2] not in "aeiou":
        return f"{number} {short[:-1]}ies"
    return f"{number} {short}s"


def line_slots(first: DealLine | QuoteLine, second: DealLine | QuoteLine | None) -> dict[str, str]:
    """The products of two lines as words; with only one line there is nothing to say of a second."""
    slots = {
        "product": first.item.name, "short": first.item.short, "qty": str(first.quantity),
        "count": count_of(first.quantity, first.item.short), "unit": money(first.unit_price),
        "hint": hint_of(first.item), "wrong_n": NUMBERS[min(18, first.quantity + 1)],
        "wrong_count": count_of(first.quantity + 1, first.item.short), "line_total": money(first.total),
    }  # fmt: skip
    if second is not None:
        slots |= {
            "product2": second.item.name, "short2": second.item.short, "qty2": str(second.quantity),
            "count2": count_of(second.quantity, second.item.short), "hint2": hint_of(second.item),
            "unit2": money(second.unit_price),
        }  # fmt: skip
    return slots


def item_slots(first: Item, second: Item, quantity: int) -> dict[str, str]:
    """As ``line_slots`` where nothing is on a line yet: two products somebody thinks of."""
    return {
        "product": first.name, "short": first.short, "qty": str(quantity), "count": count_of(quantity, first.short),
        "unit": money(first.price), "hint": hint_of(first), "wrong_n": NUMBERS[min(18, quantity + 1)],
        "wrong_count": count_of(quantity + 1, first.short),
        "product2": second.name, "short2": second.short, "qty2": "2", "count2": count_of(2, second.short),
        "hint2": hint_of(second), "unit2": money(second.price),
    }  # fmt: skip


def hint_of(item: Item) -> str:
    return item.hints[0] if item.hints else item.category.lower()
