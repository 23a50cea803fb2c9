"""Names, addresses and phone numbers that are unlike any other of the same branch and of every other."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from study.generator.groundwork.draw import Draw
from study.generator.groundwork.material import Place, listed, table
from study.generator.groundwork.plan import Plan

# Branches beyond the first put their number into every address.
_FIRST_NUMBER = 100


@dataclass
class Naming:
    """Draws people and the addresses they are reached at."""

    plan: Plan
    draw: Draw
    branch: int
    _taken: set[str] = field(default_factory=set)
    _sums: list[float] = field(default_factory=list)

    def person(self) -> tuple[str, str]:
        return self.draw.pick(self.plan.material.first_names), self.draw.pick(self.plan.material.last_names)

    def place(self) -> Place:
        places = self.plan.material.places
        if not self._sums:
            self._sums = list(accumulate(place.weight for place in places))
        return places[min(bisect_right(self._sums, self.draw.share() * self._sums[-1]), len(places) - 1)]

    def phone(self, area: str) -> str:
        return f"({area}) 555-01{self.draw.whole(0, 99):02d}"

    def private_address(self, first: str, last: str) -> str:
        """At a mail host, in one of the ways people make such addresses."""
        a, b = first.lower(), last.lower()
        ways = (f"{a}.{b}", f"{a[0]}{b}", f"{a}{b[0]}", f"{a}_{b}", f"{b}.{a}")
        hosts, weights = self.plan.material.mail_hosts
        return self._unlike(self.draw.weighted(ways, (6, 4, 2, 2, 1)), self.draw.weighted(hosts, weights))

    def work_address(self, first: str, last: str, domain: str) -> str:
        return self._unlike(f"{first}.{last}".lower(), domain)

    def _unlike(self, local: str, domain: str) -> str:
        if self.branch:
            local = f"{local}{_FIRST_NUMBER + self.branch}"
        address = f"{local}@{domain}"
        while address in self._taken:
            address = f"{local}{self.draw.whole(21, 99)}@{domain}"
        self._taken.add(address)
        return address


@dataclass(frozen=True)
class Business:
    """A line of business: how such companies call themselves, how many work there, what they do."""

    industry: str
    weight: float
    least: int
    most: int
    nouns: tuple[str, ...]
    about: tuple[str, ...]


@dataclass(frozen=True)
class Role:
    title: str
    weight: float
    signs: float


def businesses(plan: Plan) -> tuple[Business, ...]:
    """``industries`` of companies.yaml: industry | weight | least | most employees | nouns | what they do."""
    return tuple(
        Business(name, float(weight), int(least), int(most), listed(nouns), listed(about))
        for name, weight, least, most, nouns, about in table(_companies(plan)["industries"])
    )


def roles(plan: Plan) -> tuple[Role, ...]:
    """``titles`` of companies.yaml: title | weight | how readily they sign."""
    return tuple(Role(title, float(weight), float(signs)) for title, weight, signs in table(_companies(plan)["titles"]))


def company_stems(plan: Plan) -> tuple[str, ...]:
    return tuple(stem.strip() for stem in str(_companies(plan)["stems"]).split(",") if stem.strip())


def _companies(plan: Plan) -> Any:
    return plan.material.yaml("companies.yaml")


TAILS = ("", " Co.", " Inc.", " LLC", " Group", " Partners", " & Sons", " USA", " Holdings", " Works", " Company")


class CompanyNames:
    """Company names, none twice in a world: each branch takes its own stretch of one long shuffled list."""

    def __init__(self, plan: Plan, seed: int, branch: int, per_branch: int) -> None:
        self._businesses = businesses(plan)
        draw, stems = Draw(seed, f"{plan.name} company names"), company_stems(plan)
        most = max(business.weight for business in self._businesses)
        # A line of business has as many names as its weight allows, so that all are met as often as they should be.
        pairs = [
            (stem, place)
            for place, business in enumerate(self._businesses)
            for stem in draw.some(stems, max(1, round(len(stems) * business.weight / most)))
        ]
        self._pairs = draw.shuffled(pairs)
        self._n = branch * per_branch

    def next(self, draw: Draw) -> tuple[str, Business, str]:
        """Name, line of business and mail domain."""
        rounds, at = divmod(self._n, len(self._pairs))
        stem, place = self._pairs[at]
        business = self._businesses[place]
        noun = business.nouns[rounds % len(business.nouns)]
        tail = TAILS[(rounds // len(business.nouns)) % len(TAILS)] if rounds >= len(business.nouns) else ""
        if not tail and draw.chance(0.35):
            # Companies with their legal form never meet one that has it from the list above.
            tail = draw.pick((", Inc.", ", LLC", " Corp."))
        self._n += 1
        name = f"{stem} {noun}{tail}"
        letters = "".join(c for c in f"{stem}{noun}".lower() if c.isalnum())
        number = "" if rounds < len(business.nouns) else str(rounds // len(business.nouns) + 1)
        return name, business, f"{letters}{number}.example"
