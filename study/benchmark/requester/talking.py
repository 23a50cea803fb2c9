"""A talk with the requester of one attempt: what a question is answered with, and how it counts (M19).

Rules, in this order; docs/requester.md says them in words.

- What is asked for and was held back is told. Everything of one stage has to be told, in whatever manner, before
  the next stage begins, and one turn never tells of two stages: who asks ahead hears what comes first.
- Where nothing held back is asked for, what is known already is said again in full, and what nobody needs is told.
- Who asks for more without a topic hears the next thing: first what was told by half, then what was not told.
- The style decides the first telling; the second is always the full text. A mistake is made once in a talk.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from study.benchmark.requester import Style, reply, withheld
from study.benchmark.requester.hearing import hear

Kind = Literal["needed", "given", "not_needed", "other"]
Manner = Literal["full", "short", "vague", "wrong", "unknown"]
ENOUGH = frozenset({"full", "short"})
"""Manners after which somebody has the fact."""
_MANNER: Mapping[Style, Manner] = {
    "full": "full", "terse": "short", "vague": "vague", "mistaken": "wrong", "unknowing": "unknown",
}  # fmt: skip
Forms = Mapping[str, Any]


@dataclass(frozen=True)
class Telling:
    """One fact told: its place in ``forms["facts"]`` and in which manner."""

    place: int
    manner: str


@dataclass(frozen=True)
class Turn:
    """What a question was: its kind and topics, what was told, and the words of the reply."""

    kind: Kind
    topics: tuple[str, ...]
    tellings: tuple[Telling, ...]
    reply: str


@dataclass(frozen=True)
class Lines:
    """What the protocol lets the requester say beside facts."""

    not_understood: str
    nothing_more: str


def has_form(forms: Forms, withhold: str) -> bool:
    """Whether an instance is written so that this is withheld, with something to withhold."""
    form = (forms.get("forms") or {}).get(withhold)
    return bool(form and form["withheld"])


class Talk:
    """The requester of one attempt, with everything told so far."""

    def __init__(self, forms: Forms, withhold: str, style: Style, earlier: Iterable[Telling] = ()) -> None:
        self.style = style
        self.facts: Sequence[Mapping[str, Any]] = forms["facts"]
        order = {id(fact): place for place, fact in enumerate(self.facts)}
        self.withheld = [order[id(fact)] for fact in withheld(forms, withhold)]
        self.told = set(forms["forms"][withhold]["told"])
        self.earlier = tuple(earlier)

    def ask(self, question: str, lines: Lines) -> Turn:
        """The reply to a question, whatever it says. Nothing is changed: the caller keeps the turn."""
        heard = hear(question, (str(fact["topic"]) for fact in self.facts))
        asked = [place for topic in heard.topics for place, fact in enumerate(self.facts) if fact["topic"] == topic]
        if heard.more:
            following = self._next()
            return self._turn("other", (), following, "" if following else lines.nothing_more)
        if not asked:
            return Turn("other", (), (), lines.not_understood)
        hidden = [place for place in asked if place in self.withheld]
        told = self._in_turn(hidden) or asked
        return self._turn(self._kind(hidden, asked), heard.topics, told, "")

    def _kind(self, hidden: Sequence[int], asked: Sequence[int]) -> Kind:
        had = {one.place for one in self.earlier if one.manner in ENOUGH} | self.told
        if any(place not in had for place in hidden):
            return "needed"
        return "given" if any(place in had for place in asked) else "not_needed"

    def _stage(self) -> int:
        """The stage that may be told now: the first with something not told in any manner."""
        begun = {one.place for one in self.earlier}
        stages = [int(self.facts[place]["stage"]) for place in self.withheld if place not in begun]
        return min(stages, default=max((int(self.facts[p]["stage"]) for p in self.withheld), default=1))

    def _in_turn(self, hidden: Sequence[int]) -> list[int]:
        """Those asked for whose turn has come; where none has, the first that has to come before."""
        stage = self._stage()
        open_now = [place for place in hidden if self.facts[place]["stage"] <= stage]
        # One turn tells of one stage: what is asked for again from before waits if there is something new.
        new = [place for place in open_now if self.facts[place]["stage"] == stage]
        if hidden and not open_now:
            begun = {one.place for one in self.earlier}
            return [p for p in self.withheld if self.facts[p]["stage"] == stage and p not in begun][:1]
        earliest = [p for p in open_now if self.facts[p]["stage"] == self.facts[open_now[0]]["stage"]]
        return new or earliest

    def _next(self) -> list[int]:
        """What comes next when more is asked for: told by half before not told, one at a time."""
        had = {one.place for one in self.earlier if one.manner in ENOUGH}
        begun = [one.place for one in self.earlier if one.place not in had]
        stage = self._stage()
        fresh = [p for p in self.withheld if p not in had and p not in begun and self.facts[p]["stage"] == stage]
        return [*begun, *fresh][:1]

    def _turn(self, kind: Kind, topics: tuple[str, ...], places: Iterable[int], instead: str) -> Turn:
        begun = {one.place for one in self.earlier} | self.told
        mistaken = any(one.manner == "wrong" for one in self.earlier)
        said, tellings = [], []
        for place in dict.fromkeys(places):
            fact = self.facts[place]
            # Only what was held back is told by half: what nobody needs is no test of patience.
            known = place in begun or place not in self.withheld
            words = reply(fact, self.style, asked_before=known, mistaken_before=mistaken)
            manner: str = "full" if words == str(fact["text"]) else _MANNER[self.style]
            mistaken = mistaken or manner == "wrong"
            said.append(words)
            tellings.append(Telling(place, manner))
        return Turn(kind, topics, tuple(tellings), " ".join(said) or instead)
