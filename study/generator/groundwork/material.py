"""The words and lists a world is made of, read from the files beside its world file.

``worlds/<name>/`` holds what is the world's own, ``worlds/shared/`` what all have in common (names, places). A table
is a text of lines whose cells are divided by ``|``; ``#`` begins a comment. A list of phrases is a text with one phrase
a line: ``[a|b]`` picks one, ``{slot}`` is filled in, ``<name>`` is another rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

WORLDS = Path(__file__).resolve().parent.parent / "worlds"
SHARED = WORLDS / "shared"


@dataclass(frozen=True)
class ProductLine:
    """A product as products.yaml names it. ``hints`` describe it without its name, ``short`` is what people call it,
    ``failing`` and ``popular`` say how often it fails and is bought."""

    place: int
    name: str
    short: str
    category: str
    code: str
    price: float
    since: date
    failing: float
    popular: float
    hints: tuple[str, ...]
    description: str


@dataclass(frozen=True)
class PriceList:
    name: str
    description: str
    discount: float
    since: date
    share: float


@dataclass(frozen=True)
class Place:
    city: str
    state: str
    area: str
    weight: float


@dataclass(frozen=True)
class Step:
    """From ``least`` pieces of one product on a line, a discount of up to ``percent``."""

    least: int
    percent: float


@dataclass(frozen=True)
class Competitor:
    """Strengths (and weaknesses) are latent; they show in calls and in the article on the competitor."""

    name: str
    strengths: tuple[str, ...]
    weaknesses: tuple[str, ...]


@dataclass(frozen=True)
class SellingRules:
    """selling.yaml. Products by code; each rule names its article in knowledge.yaml by code (``articles``).

    ``limits``: product, most pieces on one quote. ``exclusions``: two products that never stand on one quote.
    ``requirements``: product, what it needs, and for how many pieces of it one of those. ``steps``: volume discounts.
    ``stages``: for each stage the phrases of its kinds of task, one of which stands in the subject of each task.
    """

    limits: Mapping[str, int]
    exclusions: tuple[tuple[str, str], ...]
    requirements: tuple[tuple[str, str, int], ...]
    steps: tuple[Step, ...]
    articles: Mapping[str, str]
    stages: Mapping[str, tuple[str, ...]]
    competitors: tuple[Competitor, ...]
    subtopics: tuple[str, ...]
    territories: Mapping[str, tuple[str, ...]]
    raw: Mapping[str, Any]

    def allowed(self, quantity: float) -> float:
        """The highest discount, in percent, for so many pieces."""
        return max((step.percent for step in self.steps if quantity >= step.least), default=0.0)


def lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))


def table(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in lines(text)]


def listed(text: str) -> tuple[str, ...]:
    """The parts of a cell that are divided by semicolons."""
    return tuple(part.strip() for part in text.split(";") if part.strip())


class Material:
    """The files of one world; each is read once. Those in ``folder``, if there are any, come before its own."""

    def __init__(self, world: str, folder: Path | None = None) -> None:
        self.world = world
        self.folders = tuple(dict.fromkeys((*([folder] if folder else []), WORLDS / world, SHARED)))
        self._read: dict[str, Any] = {}

    def text(self, name: str) -> str:
        """A file of the world, or else the shared one. FileNotFoundError naming both."""
        for folder in self.folders:
            if (folder / name).is_file():
                return (folder / name).read_text(encoding="utf-8")
        raise FileNotFoundError(f"There is no {name} in worlds/{self.world} or worlds/shared.")

    def yaml(self, name: str) -> Any:
        if name not in self._read:
            self._read[name] = yaml.safe_load(self.text(name))
        return self._read[name]

    def grammar(self, name: str) -> dict[str, tuple[str, ...]]:
        """A file of rules: name to phrases."""
        return {rule: lines(text) for rule, text in self.yaml(name).items()}

    @cached_property
    def product_lines(self) -> tuple[ProductLine, ...]:
        """``categories: {name: table of name | short | code | price | YYYY-MM | failing | popular | hints | text}``."""
        found: list[ProductLine] = []
        for category, text in self.yaml("products.yaml")["categories"].items():
            for name, short, code, price, since, failing, popular, hints, description in table(text):
                first = date.fromisoformat(since + "-01")
                found.append(
                    ProductLine(
                        len(found), name, short or name, category, code, float(price), first, float(failing),
                        float(popular), listed(hints), description,
                    )
                )  # fmt: skip
        return tuple(found)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        return tuple(self.yaml("products.yaml")["categories"])

    @cached_property
    def price_lists(self) -> tuple[PriceList, ...]:
        """``pricebooks``: table of name | text | discount | YYYY-MM-DD | share of orders."""
        return tuple(
            PriceList(name, text, float(discount), date.fromisoformat(since), float(share))
            for name, text, discount, since, share in table(self.yaml("products.yaml")["pricebooks"])
        )

    @cached_property
    def selling(self) -> SellingRules:
        raw = self.yaml("selling.yaml")
        return SellingRules(
            {code: int(most) for code, most in table(raw["quantity_limits"])},
            tuple((one, other) for one, other in table(raw["exclusions"])),
            tuple((code, needs, int(each)) for code, needs, each in table(raw["requirements"])),
            tuple(Step(int(least), float(percent)) for least, percent in table(raw["volume_discounts"])),
            dict(raw["articles"]),
            {stage: lines(text) for stage, text in raw["stages"].items()},
            tuple(Competitor(name, listed(strong), listed(weak)) for name, strong, weak in table(raw["competitors"])),
            lines(raw["subtopics"]),
            {name: tuple(states.split(",")) for name, states in table(raw["territories"])},
            raw,
        )

    @cached_property
    def places(self) -> tuple[Place, ...]:
        return tuple(
            Place(city, state, area, float(weight)) for city, state, area, weight in table(self.text("places.txt"))
        )

    @cached_property
    def first_names(self) -> tuple[str, ...]:
        return tuple(self.text("first_names.txt").split())

    @cached_property
    def last_names(self) -> tuple[str, ...]:
        return tuple(self.text("last_names.txt").split())

    @cached_property
    def mail_hosts(self) -> tuple[tuple[str, ...], tuple[float, ...]]:
        rows = table(self.text("mail_hosts.txt"))
        return tuple(host for host, _ in rows), tuple(float(weight) for _, weight in rows)
