"""The rules of selling by product code, and which of them a set of lines breaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from study.generator.groundwork.branch import Shared
from study.generator.groundwork.material import SellingRules
from study.generator.groundwork.things import QuoteLine

KINDS = ("limits", "exclusions", "requirements", "steps")
LATENT = {
    "limits": "QuantityLimits", "exclusions": "ExclusionConstraints", "requirements": "ProductRequirements",
    "steps": "VolumeDiscounts",
}  # fmt: skip


@dataclass(frozen=True)
class Breach:
    kind: str
    rule: str


class Rulebook:
    """The four kinds of rules, as far as the products they name are sold."""

    def __init__(self, selling: SellingRules, shared: Shared) -> None:
        sold = {item.code for item in shared.items if item.entries}
        self.limits = {code: most for code, most in selling.limits.items() if code in sold}
        self.exclusions = tuple(pair for pair in selling.exclusions if sold.issuperset(pair))
        self.requirements = tuple(rule for rule in selling.requirements if sold.issuperset(rule[:2]))
        self.steps = tuple(sorted(selling.steps, key=lambda step: step.least))
        self.articles = {kind: shared.articles.get(selling.articles.get(kind, "")) for kind in KINDS}
        self._against: dict[str, set[str]] = {}
        for one, other in self.exclusions:
            self._against.setdefault(one, set()).add(other)
            self._against.setdefault(other, set()).add(one)
        self._needs: dict[str, list[tuple[str, int]]] = {}
        for code, needs, each in self.requirements:
            self._needs.setdefault(code, []).append((needs, each))

    def allowed(self, quantity: int) -> float:
        """The highest discount, in percent, for so many pieces on a line."""
        return max((step.percent for step in self.steps if quantity >= step.least), default=0.0)

    def next_percent(self, quantity: int) -> float | None:
        """What the next step up would allow, if there is one."""
        return next((step.percent for step in self.steps if step.least > quantity), None)

    def excluded(self, code: str, there: Iterable[str]) -> bool:
        against = self._against.get(code)
        return against is not None and not against.isdisjoint(there)

    def needs(self, code: str) -> list[tuple[str, int]]:
        """What a product needs: the other product and for how many pieces of it one of those."""
        return self._needs.get(code, [])

    def breaches(self, pieces: Mapping[str, int]) -> list[Breach]:
        """Rules of configuration that so many pieces by product break."""
        found = [
            Breach("limits", f"{code} at most {most}")
            for code, most in self.limits.items()
            if pieces.get(code, 0) > most
        ]
        found += [
            Breach("exclusions", f"{one} without {other}")
            for one, other in self.exclusions
            if pieces.get(one) and pieces.get(other)
        ]
        found += [
            Breach("requirements", f"{code} needs {needs}, one for {each}")
            for code, needs, each in self.requirements
            if pieces.get(needs, 0) < -(-pieces.get(code, 0) // each)
        ]
        return found

    def too_high(self, lines: Iterable[QuoteLine]) -> list[QuoteLine]:
        """Lines with more off than their quantity allows."""
        return [line for line in lines if line.discount > self.allowed(line.quantity)]
