"""The words and lists the world is made of, read from the files beside it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parent.parent / "data"


@dataclass(frozen=True)
class Product:
    """A product of the catalogue; ``hints`` describe it without its name."""

    place: int
    name: str
    category: str
    code: str
    price: float
    since: date
    failing: float
    hints: tuple[str, ...]
    description: str

    @property
    def burns_gas(self) -> bool:
        return self.category == "Gas Grills" or " Gas " in self.name


@dataclass(frozen=True)
class Issue:
    """A kind of trouble: where it occurs, how hard it is, and the phrases people use for it."""

    place: int
    name: str
    description: str
    weight: dict[str, float]
    hours: float
    hard: float
    urgent: float
    phrases: dict[str, tuple[str, ...]]
    fresh: bool = False
    only: tuple[str, ...] = ()

    def concerns(self, product: Product) -> bool:
        """Whether a product can have it: by its shelf, and by name on shelves where only some can."""
        if not self.weight.get(product.category):
            return False
        return product.name in self.only or all(other.category != product.category for other in _named(self.only))

    def lines(self, part: str, product: Product, *, solved: bool | None = None) -> tuple[str, ...]:
        """The phrases of a part that suit a product; with ``solved`` those of a good end, or of any other."""
        found = []
        for line in self.phrases[part]:
            tag, _blank, rest = line.partition(") ") if line.startswith("(") else ("", "", line)
            good = "(ok" in tag or rest.startswith("(ok) ")
            rest = rest.removeprefix("(ok) ")
            if tag == "(ok" and rest.startswith("(gas) "):
                tag, rest = "(gas", rest.removeprefix("(gas) ")
            if (tag != "(gas" or product.burns_gas) and (solved is None or solved == good):
                found.append(rest)
        return tuple(found)


@dataclass(frozen=True)
class Place:
    city: str
    state: str
    area: str
    weight: float


@dataclass(frozen=True)
class Article:
    """A knowledge article; ``questions`` pairs a question with the short answer that stands in the body."""

    title: str
    summary: str
    body: str
    questions: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Pricebook:
    name: str
    description: str
    discount: float
    since: date
    share: float


def lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def table(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in lines(text)]


def _yaml(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def company() -> tuple[str, str]:
    """Its name and the domain of its mail."""
    found = _yaml("catalogue.yaml")
    return found["company"], found["mail_domain"]


@cache
def categories() -> tuple[str, ...]:
    return tuple(_yaml("catalogue.yaml")["categories"])


@cache
def products() -> tuple[Product, ...]:
    found: list[Product] = []
    for category, text in _yaml("catalogue.yaml")["categories"].items():
        for name, code, price, since, failing, hints, description in table(text):
            first = date.fromisoformat(since + "-01")
            named = tuple(hint.strip() for hint in hints.split(";"))
            found.append(
                Product(len(found), name, category, code, float(price), first, float(failing), named, description)
            )
    return tuple(found)


@cache
def _named(names: tuple[str, ...]) -> tuple[Product, ...]:
    return tuple(product for product in products() if product.name in names)


@cache
def pricebooks() -> tuple[Pricebook, ...]:
    rows = table(_yaml("catalogue.yaml")["pricebooks"])
    return tuple(
        Pricebook(name, text, float(discount), date.fromisoformat(since), float(share))
        for name, text, discount, since, _until, share in rows
    )


@cache
def issues() -> tuple[Issue, ...]:
    parts = ("subject", "problem", "detail", "ask", "steps", "result", "fix")
    return tuple(
        Issue(
            place,
            row["name"],
            row["description"],
            {k: float(v) for k, v in row["weight"].items()},
            float(row["hours"]),
            float(row["hard"]),
            float(row["urgent"]),
            {part: lines(row[part]) for part in parts},
            bool(row.get("fresh")),
            tuple(row.get("only", ())),
        )
        for place, row in enumerate(_yaml("issues.yaml"))
    )


@cache
def grammar() -> dict[str, tuple[str, ...]]:
    return {name: lines(text) for name, text in _yaml("grammar.yaml").items()}


@cache
def articles() -> tuple[Article, ...]:
    found = []
    for row in _yaml("knowledge.yaml"):
        pairs = tuple((question, answer) for question, answer in table(row["qa"]))
        found.append(Article(row["title"], row["summary"], row["body"].strip(), pairs))
    return tuple(found)


@cache
def places() -> tuple[Place, ...]:
    return tuple(Place(city, state, area, float(weight)) for city, state, area, weight in table(_text("places.txt")))


@cache
def names() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """First names and last names."""
    return tuple(_text("first_names.txt").split()), tuple(_text("last_names.txt").split())


@cache
def mail_hosts() -> tuple[tuple[str, ...], tuple[float, ...]]:
    rows = table(_text("mail_hosts.txt"))
    return tuple(host for host, _ in rows), tuple(float(weight) for _, weight in rows)
