"""What cases can be about, and the rules of customer care: issues.yaml and policies.yaml of a world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate

from study.generator.groundwork.material import Material, lines
from study.generator.groundwork.things import Item

PARTS = ("subject", "problem", "detail", "ask", "steps", "result", "fix")
USED = (8, 500)
"""Shortest and longest age of an order, in days, where an issue says nothing else: it takes use to show."""
_OK = "(ok)"


@dataclass(frozen=True)
class Issue:
    """``weight`` by category; ``only`` names beginnings of product codes where not all of a category are concerned, and
    ``never`` words in the names of products that are not.

    ``hours`` is the median time to solve, ``hard`` the share that is handed on, ``urgent`` that of high priority.
    A ``fresh`` issue is so new that nobody has closed a case of it.
    """

    code: str
    name: str
    fresh: bool
    weight: Mapping[str, float]
    only: Mapping[str, tuple[str, ...]]
    hours: float
    hard: float
    urgent: float
    ages: tuple[int, int]
    never: tuple[str, ...] = ()

    def share_of(self, item: Item) -> float:
        """How often this is what is wrong with a product, beside other issues."""
        share = float(self.weight.get(item.category, 0.0))
        beginnings = self.only.get(item.category)
        if any(word in item.name for word in self.never):
            return 0.0
        return share if beginnings is None or item.code.startswith(beginnings) else 0.0


@dataclass(frozen=True)
class Policy:
    """A rule of customer care: its article, and the issues it comes up with."""

    code: str
    issues: tuple[str, ...]
    categories: tuple[str, ...] = ()

    def concerns(self, item: Item) -> bool:
        """Whether it comes up with a product; without categories with any."""
        return not self.categories or item.category in self.categories


class Matters:
    """Issues and policies of one world, and their phrases as rules of a grammar.

    The rules are called ``<issue code> <part>``; results and fixes have one for a good end (``ok``) and one for any
    other (``no``). Those of policies are ``<policy code> kept`` and ``<policy code> broken``.
    """

    def __init__(self, material: Material) -> None:
        entries = material.yaml("issues.yaml")
        self.issues = tuple(_issue(entry) for entry in entries)
        self.rules: dict[str, tuple[str, ...]] = {}
        for entry in entries:
            for part in PARTS:
                self._add(entry["code"], part, lines(entry.get(part, "")))
        self.policies: dict[str, list[Policy]] = {issue.code: [] for issue in self.issues}
        for entry in _if_there(material, "policies.yaml"):
            policy = Policy(entry["code"], tuple(entry["issues"]), tuple(entry.get("categories", ())))
            for code in policy.issues:
                self.policies[code].append(policy)
            self.rules[f"{policy.code} kept"] = lines(entry["kept"])
            self.rules[f"{policy.code} broken"] = lines(entry["broken"])
        self._of_item: dict[int, tuple[list[Issue], list[float]]] = {}

    def _add(self, code: str, part: str, phrases: Iterable[str]) -> None:
        found = tuple(phrases)
        if part in ("result", "fix"):
            self.rules[f"{code} {part} ok"] = tuple(p.removeprefix(_OK).strip() for p in found if p.startswith(_OK))
            self.rules[f"{code} {part} no"] = tuple(p for p in found if not p.startswith(_OK))
        else:
            self.rules[f"{code} {part}"] = found

    def of(self, item: Item) -> tuple[list[Issue], list[float]]:
        """Everyday issues of a product with running sums of their weights; none for what never fails.

        A category that no issue speaks of can have any of them.
        """
        found = self._of_item.get(item.place)
        if found is None:
            usual = [issue for issue in self.issues if not issue.fresh]
            some = [(issue, share) for issue in usual if (share := issue.share_of(item)) > 0]
            if not some and not any(item.category in issue.weight for issue in self.issues):
                some = [(issue, 1.0) for issue in usual]
            found = [issue for issue, _ in some], list(accumulate(share for _, share in some))
            self._of_item[item.place] = found
        return found

    def policies_for(self, issue: Issue, item: Item) -> list[Policy]:
        """The rules that come up with an issue of a product."""
        return [policy for policy in self.policies[issue.code] if policy.concerns(item)]

    def fresh(self) -> list[Issue]:
        return [issue for issue in self.issues if issue.fresh]


def _if_there(material: Material, name: str) -> list[dict[str, str]]:
    try:
        return list(material.yaml(name))
    except FileNotFoundError:
        return []


def _issue(entry: Mapping[str, object]) -> Issue:
    def table(name: str) -> Mapping[str, object]:
        found = entry.get(name, {})
        return found if isinstance(found, Mapping) else {}

    ages = entry.get("ages", USED)
    first, last = ages if isinstance(ages, (list, tuple)) else USED
    return Issue(
        str(entry["code"]),
        str(entry["name"]),
        bool(entry.get("fresh", False)),
        {category: float(str(share)) for category, share in table("weight").items()},
        {category: tuple(map(str, codes)) for category, codes in table("only").items() if isinstance(codes, list)},
        float(str(entry.get("hours", 24))),
        float(str(entry.get("hard", 0.1))),
        float(str(entry.get("urgent", 0.1))),
        (int(first), int(last)),
        tuple(map(str, never)) if isinstance(never := entry.get("never", ()), (list, tuple)) else (),
    )
