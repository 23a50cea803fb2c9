"""Which deals get quotes, how many versions, which of them break a rule, and how many lines each has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import Draw
from study.generator.sales.baskets import Flaw
from study.generator.sales.pipeline import QUOTE, Life
from study.generator.sales.rulebook import KINDS, LATENT
from study.generator.sales.sharing import scattered

# Shares of quotes that break a rule where a world says nothing; enough of them to ask about in a branch of scale 1.
_BROKEN = {"limits": 0.045, "exclusions": 0.04, "requirements": 0.045, "steps": 0.10}
_STEPS_AT_LEAST, _STEPS_AT_MOST = 92, 0.13
# Of all quotes the part that is the first of its deal; the others are revisions.
_FIRST_QUOTES = 0.85
# Quotes that keep a rule only just.
_NEAR = 0.16
_MOST_LINES = 11


@dataclass
class Version:
    """One quote of a deal; the last version of a won deal is the accepted one."""

    life: Life
    place: int
    last: bool
    flaw: Flaw | None = None
    dropped: int = 0

    @property
    def accepted(self) -> bool:
        return self.last and bool(self.life.deal.won)


@dataclass
class QuotePlan:
    """Versions by the place of their deal, and for every deal the number of its lines."""

    versions: dict[int, list[Version]]
    lines: list[int]

    def flaw(self, place: int) -> Flaw | None:
        """The flaw that the products of a deal must make possible."""
        return next((v.flaw for v in self.versions.get(place, []) if v.flaw and v.flaw.kind != "steps"), None)


def plan_quotes(branch: Branch, lives: Sequence[Life]) -> QuotePlan:
    """Exactly as many quotes, quote lines, deal lines and order lines as the branch is to have.

    Counts of lines that cannot be met at once (in a branch of very few records) are met as nearly as they can be.
    """
    draw = branch.draw("quote plans")
    versions = _versions(draw, lives, branch.counts.get("Quote", 0))
    _flaws(branch, draw, versions)
    return QuotePlan(versions, _Lines(branch, draw, lives, versions).settled())


def _versions(draw: Draw, lives: Sequence[Life], n: int) -> dict[int, list[Version]]:
    """Deals that came as far get one; what is left are second and third versions, mostly of late deals."""
    won = [place for place, life in enumerate(lives) if life.deal.won]
    far = [place for place, life in enumerate(lives) if not life.deal.won and life.reached >= QUOTE]
    rest = [place for place, life in enumerate(lives) if not life.deal.won and life.reached < QUOTE]
    far = sorted(draw.shuffled(far), key=lambda place: lives[place].lost and draw.share() < 0.5)
    chosen = won + far[: max(round(_FIRST_QUOTES * n) - len(won), 0)]
    if not chosen:
        chosen = rest
    chosen = chosen[:n]
    if not chosen:
        return {}
    weights = [round((2.0 if lives[place].reached > QUOTE else 1.0) * draw.lognormal(0.5), 4) for place in chosen]
    counts = scattered(draw, n, weights, least=1, most=max(3, -(-n // len(chosen)) + 1))
    return {
        place: [Version(lives[place], at, at == many - 1) for at in range(many)]
        for place, many in sorted(zip(chosen, counts, strict=True))
    }


def _flaws(branch: Branch, draw: Draw, versions: dict[int, list[Version]]) -> None:
    """A flaw in the products stands on deals with a single quote; accepted quotes are rarely wrong."""
    every = [version for found in versions.values() for version in found]
    single = [found[0] for found in versions.values() if len(found) == 1]
    order = sorted(draw.shuffled(single), key=lambda v: v.accepted and draw.share() < 0.8)
    at = 0
    for kind in KINDS[:3]:
        n = round(_share(branch, kind) * len(every))
        for version in order[at : at + n]:
            version.flaw = Flaw(kind, absent=draw.chance(0.4))
        at += n
    rest = [version for version in every if version.flaw is None]
    share = _share(branch, "steps")
    n = max(round(share * len(every)), min(_STEPS_AT_LEAST, round(_STEPS_AT_MOST * len(every)))) if share else 0
    for version in sorted(draw.shuffled(rest), key=lambda v: v.accepted and draw.share() < 0.8)[:n]:
        version.flaw = Flaw("steps")
    near = round(_NEAR * len(every))
    for version in order[at:]:
        if version.flaw is None and near > 0:
            version.flaw = Flaw(draw.pick(("limits", "requirements")), near=True)
            near -= 1


def _share(branch: Branch, kind: str) -> float:
    return float(branch.plan.latent(LATENT[kind], "broken", _BROKEN[kind]))


class _Lines:
    """How many lines each deal has, so that all sums come out."""

    def __init__(
        self, branch: Branch, draw: Draw, lives: Sequence[Life], versions: dict[int, list[Version]],
    ) -> None:  # fmt: skip
        self.branch, self.draw, self.lives, self.versions = branch, draw, lives, versions
        self.lines = [1] * len(lives)

    def settled(self) -> list[int]:
        counts = self.branch.counts
        won = [place for place, life in enumerate(self.lives) if life.deal.won]
        rest = [place for place, life in enumerate(self.lives) if not life.deal.won]
        ordered = counts.get("OrderItem", 0) if won else 0
        self._share(won, ordered)
        self._share(rest, counts.get("OpportunityLineItem", 0) - ordered)
        self._fit(rest, counts.get("QuoteLineItem", 0) - ordered)
        return self.lines

    def _share(self, places: list[int], total: int) -> None:
        if not places:
            return
        n = len(places)
        least = 2 if total >= 2 * n else 1
        weights = [round(self._wish(place), 4) for place in places]
        found = scattered(self.draw, max(total, n), weights, least=least, most=max(_MOST_LINES, -(-total // n) + 2))
        for place, lines in zip(places, found, strict=True):
            self.lines[place] = lines

    def _wish(self, place: int) -> float:
        plan, party = self.branch.plan, self.lives[place].deal.party
        habit = party.shopping.basket if plan.ingredients.causes else 1.0
        return (0.3 + self.draw.lognormal(0.5)) * habit

    def _fit(self, rest: list[int], wanted: int) -> None:
        """Move lines between deals with and without quotes until the quotes can have as many as they should; then
        leave the few that are too many off single quotes."""
        quoted = [place for place in rest if place in self.versions]
        bare = [place for place in rest if place not in self.versions]
        open_versions = [v for found in self.versions.values() for v in found if not v.accepted]
        place_of = {id(life): place for place, life in enumerate(self.lives)}
        have = sum(self.lines[place_of[id(version.life)]] for version in open_versions)
        spare = max(len(open_versions) // 12, 1)
        have = self._move(bare, quoted, have, wanted, up=True)
        have = self._move(quoted, bare, have, wanted + spare, up=False)
        surplus = have - wanted
        for _ in range(8):
            for version in self.draw.shuffled(open_versions):
                left = self.lines[place_of[id(version.life)]] - version.dropped
                flawed = version.flaw is not None and version.flaw.kind != "steps"
                if surplus > 0 and left > 2 and not flawed:
                    version.dropped += 1
                    surplus -= 1

    def _move(self, givers: list[int], takers: list[int], have: int, wanted: int, *, up: bool) -> int:
        """Take lines from one group and give them to the other, one at a time in turn."""
        if not givers or not takers:
            return have
        givers, takers = self.draw.shuffled(givers), self.draw.shuffled(takers)
        for turn in range(20 * len(self.lines)):
            if (have >= wanted) if up else (have <= wanted):
                break
            giver = givers[turn % len(givers)]
            taker = takers[(turn + turn // len(takers)) % len(takers)]
            if self.lines[giver] <= 2 or self.lines[taker] >= _MOST_LINES:
                continue
            change = len(self.versions[taker if up else giver])
            self.lines[giver] -= 1
            self.lines[taker] += 1
            have += change if up else -change
        return have
