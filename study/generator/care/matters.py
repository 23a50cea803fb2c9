"""What cases can be about, and the rules of customer care: issues.yaml and policies.yaml of a world."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate

from study.generator.groundwork.material import Material, lines
from study.generator.groundwork.things import Item

PARTS = ("subject", "problem", "detail", "ask", "steps", "result", "fix")
USED = (8, 500)
"""Shortest and longest age of an order, in days, where an issue says nothing else: it takes use to show."""
_OK = "(ok)"
_SIDES = re.compile(r"([a-d]+)\)\s+")
_MARK = re.compile(r"\((?P<ok>ok)?\s*(?P<steps>[\d,]*)\)\s*")


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
    other (``no``). A result marked with numbers, ``(1,3)`` or ``(ok 2)``, answers those of the steps only and stands
    in rules of theirs, ``<issue code> result ok 2``. Where an issue has sides (who wants to give something back is told
    other things than who waits for the money), their letters stand before the phrases, ``a) ``, ``bc) ``; those without
    belong to all. Each side has rules like an issue, ``<issue code>/a <part>``, and ``<issue code> sides`` are the
    letters, one for each problem. Those of policies are ``<policy code> kept`` and ``<policy code> broken``.
    """

    def __init__(self, material: Material) -> None:
        entries = material.yaml("issues.yaml")
        self.issues = tuple(_issue(entry) for entry in entries)
        self.rules: dict[str, tuple[str, ...]] = {}
        for entry in entries:
            self._add_parts(entry["code"], {part: lines(entry.get(part, "")) for part in PARTS})
        self.policies: dict[str, list[Policy]] = {issue.code: [] for issue in self.issues}
        for entry in _if_there(material, "policies.yaml"):
            policy = Policy(entry["code"], tuple(entry["issues"]), tuple(entry.get("categories", ())))
            for code in policy.issues:
                self.policies[code].append(policy)
            self.rules[f"{policy.code} kept"] = lines(entry["kept"])
            self.rules[f"{policy.code} broken"] = lines(entry["broken"])
        self._of_item: dict[int, tuple[list[Issue], list[float]]] = {}

    def _add_parts(self, code: str, parts: Mapping[str, tuple[str, ...]]) -> None:
        sides = tuple(letters[0] for phrase in parts["problem"] if (letters := _side_of(phrase)[0]))
        self.rules[f"{code} sides"] = sides
        for side in sorted(set(sides)) or [""]:
            for part, phrases in parts.items():
                self._add(f"{code}/{side}" if side else code, part, side, phrases)

    def _add(self, matter: str, part: str, side: str, phrases: Iterable[str]) -> None:
        numbered = [(n, *_side_of(phrase)) for n, phrase in enumerate(phrases, 1)]
        kept = [(n, text) for n, letters, text in numbered if not letters or side in letters]
        found = tuple(text for _, text in kept)
        if part == "result":
            self._add_results(matter, found)
        elif part == "fix":
            self.rules[f"{matter} fix ok"] = tuple(p.removeprefix(_OK).strip() for p in found if p.startswith(_OK))
            self.rules[f"{matter} fix no"] = tuple(p for p in found if not p.startswith(_OK))
        else:
            self.rules[f"{matter} {part}"] = found
        if part == "steps":
            self.rules[f"{matter} step numbers"] = tuple(str(n) for n, _ in kept)

    def _add_results(self, matter: str, phrases: Iterable[str]) -> None:
        found: dict[str, list[str]] = {f"{matter} result ok": [], f"{matter} result no": []}
        for phrase in phrases:
            mark = _MARK.match(phrase)
            rule = f"{matter} result {'ok' if mark and mark['ok'] else 'no'}"
            text = phrase[mark.end() :] if mark else phrase
            for step in mark["steps"].split(",") if mark else [""]:
                found.setdefault(f"{rule} {step}".strip(), []).append(text)
        self.rules |= {rule: tuple(texts) for rule, texts in found.items()}

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


def _side_of(phrase: str) -> tuple[str, str]:
    """The letters of the sides a phrase belongs to, none for all, and its text."""
    mark = _SIDES.match(phrase)
    return (mark[1], phrase[mark.end() :]) if mark else ("", phrase)


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
