"""The short texts of selling: names and descriptions of deals, quotes, contracts, tasks and events."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.phrases import Phrases, Slots, sentence_case, with_slips
from study.generator.groundwork.things import Activity, Contract, Deal, Quote
from study.generator.sales.pipeline import Life
from study.generator.sales.telling import tell_said
from study.generator.sales.words import Words

_ENDINGS = (" Inc.", " LLC", " Co.", " Corp.", " Group", " Partners", " & Sons", " USA", " Holdings", " Company")
_NAMES = {
    False: (
        "{short} - {project}", "{short} - {project}", "{short}: {project}", "{short} / {project}",
        "{short} {city} - {project}", "{project} {short}", "{short}, {project} {year}", "{short} - {project} ({city})",
    ),
    True: (
        "{short} - {project}", "{short}, {project}", "{first} {short} - {project}", "{short} family - {project}",
        "{project} {short}", "{short} ({city}) {project}", "{first} {short}, {project} {year}", "{short}: {project}",
    ),
}  # fmt: skip
_SUBJECTS = (
    "{p}", "{p}", "{p}", "{p} - {short}", "{p} - {short}", "{p} ({first})", "{p} for {project}", "{p}: {product}",
    "{p}, {city}", "{p} with {first}", "{short}: {p}", "{p} by {day}", "to do: {p}", "{p} / {me}", "{p} - {project}",
    "{first} {last}: {p}", "{p}!", "{short} / {p}", "{p} ({project})", "next: {p}", "{project}: {p}", "{p} ({short})",
    "{p} - {first} {last}", "{p} asap", "{p} - {day}", "{p}, {quantity} {product}",
)  # fmt: skip
_QUOTES = (
    "{name}", "{name} - quote", "Quote {project}", "{short} {project} - offer", "{project} for {first} {last}",
    "{short} - {product} and more", "Quotation {short}", "{name} ({city})", "Offer {project}, {short}",
)  # fmt: skip


_SLOT = re.compile(r"\{(\w+)\}")
# What may be named in every sentence of a note: the people it is about.
_AGAIN = {"first", "short", "me"}
_HOURS = ("8:30", "9", "9:30", "10", "10:45", "11", "1", "1:30", "2", "2:15", "3", "3:30", "4", "4:30")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


def day_text(day: date) -> str:
    """As people write it: March 14."""
    return f"{day:%B} {day.day}"


def money(amount: float) -> str:
    return f"${amount:,.0f}"


@dataclass(frozen=True)
class Cast:
    """What the texts of one deal have in common: who is spoken of beside the contact and the owner, where, and what
    about."""

    people: tuple[str, ...]
    mate: str
    spots: tuple[str, ...]
    matters: tuple[str, ...]


class Sentences:
    """Writes with one stream of chance; what a deal is about stands in its slots."""

    def __init__(self, branch: Branch, words: Words) -> None:
        self.branch, self.words, self.draw = branch, words, branch.draw("sales sentences")
        self.consumer, self.gaps = branch.plan.consumer, branch.plan.ingredients.gaps
        self._phrases: dict[tuple[bool, bool], Phrases] = {}
        self._taken: set[str] = set()
        self._casts: dict[str, Cast] = {}

    def name(self, life: Life) -> str:
        """The name of a deal, unlike any other of the branch."""
        slots = self.slots(life, life.deal.created.date())
        name = ""
        for _ in range(6):
            name = self.draw.pick(_NAMES[self.consumer]).format_map(slots)
            if name not in self._taken:
                break
        while name in self._taken:
            name = f"{name.split(' #')[0]} #{self.draw.whole(2, 99)}"
        self._taken.add(name)
        return name

    def deal(self, life: Life) -> str:
        if self.gaps and self.draw.chance(0.1):
            return ""
        slots, phrases = self.slots(life, life.deal.closes), self._writer(life.deal, quote=False)
        more = self.draw.weighted((0, 1, 2, 3), (0.1, 3.5, 5, 2))
        parts = self._row(phrases, ["deal", *["deal_more"] * more])
        return self._told("Opportunity", life.deal.id, parts, slots)

    def quote(self, life: Life, quote: Quote, place: int) -> tuple[str, str]:
        """Name and description of a quote; ``place`` counts the versions of a deal from 0."""
        draw, slots = self.draw, self.slots(life, quote.expires.date())
        name = draw.pick(_QUOTES).format_map(slots)
        if place:
            name += draw.pick((" v{n}", " rev {n}", " ({n}. version)", " - version {n}")).format(n=place + 1)
        if self.gaps and draw.chance(0.2):
            return name, ""
        phrases = self._writer(life.deal, quote=False)
        parts = self._row(phrases, ["quote", *["quote_more"] * draw.weighted((0, 1, 2), (2, 4, 2))])
        return name, self._told("Quote", quote.id, parts, slots)

    def contract(self, life: Life, contract: Contract) -> str:
        slots, phrases = self.slots(life, contract.start), self._writer(life.deal, quote=True)
        parts = self._row(phrases, ["contract", *["contract_more"] * self.draw.whole(0, 2)])
        return self._told("Contract", contract.id, parts, slots)

    def activity(self, life: Life, activity: Activity, slots: Slots) -> tuple[str, str]:
        """Subject (with the phrase of the guide, once) and description of a task or an event."""
        draw, kind = self.draw, activity.kind
        form = draw.pick(_SUBJECTS)
        if not form.startswith("{p}"):
            kind = kind[0].lower() + kind[1:] if draw.chance(0.6) else kind
        elif draw.chance(0.08):
            kind = kind.lower()
        subject = form.replace("{p}", kind).format_map(slots)
        if self.gaps and draw.chance(0.1):
            return subject, ""
        phrases = self._writer(life.deal, quote=bool(life.deal.quotes))
        more, rules = draw.share(), [activity.kind]
        if more < 0.55:
            rules.append("detail")
        if 0.32 < more < 0.9:
            rules.append("done" if activity.status == "Completed" else "open")
        parts = self._row(phrases, rules)
        text = self._told("Event" if activity.start else "Task", activity.id, parts, slots)
        return subject, text

    def slots(self, life: Life, day: date) -> dict[str, str]:
        """What can be said about a deal, with one day in it."""
        deal, cast = life.deal, self._cast(life.deal)
        lines = deal.lines
        place = int(self.draw.share() * len(lines))
        line = lines[place] if lines else None
        other = lines[(place + 1) % len(lines)] if lines else None
        quote = deal.quotes[-1].number if deal.quotes else ""
        return {
            "first": deal.person.first, "last": deal.person.last, "full": deal.person.name,
            "title": deal.person.title, "short": short_name(deal, self.consumer), "city": deal.party.city,
            "need": deal.need, "project": life.project.name, "product": line.item.short if line else deal.need,
            "quantity": str(line.quantity) if line else "2", "amount": money(rough(deal.amount)),
            "day": day_text(day), "me": deal.owner.first, "rival": next(iter(deal.competitors), ""), "quote": quote,
            "year": str(deal.created.year), "name": deal.name, "n": str(self.draw.whole(2, 19)),
            "hour": self.draw.pick(_HOURS), "weekday": self.draw.pick(_WEEKDAYS),
            "person": self.draw.pick(cast.people), "mate": cast.mate,
            "spot": self.draw.pick(cast.spots), "matter": self.draw.pick(cast.matters),
            "product2": other.item.short if other else deal.need, "quantity2": str(other.quantity) if other else "2",
        }  # fmt: skip

    def _cast(self, deal: Deal) -> Cast:
        """Drawn once for a deal; in a company the people are its contacts where it has more than one."""
        found = self._casts.get(deal.id)
        if found is None:
            draw, names = self.draw, self.branch.plan.material.first_names
            others = [person.first for person in deal.party.contacts if person.first != deal.person.first]
            people = draw.some(others, 2) if others and not self.consumer else [draw.pick(names)]
            day = deal.created.date()
            mates = [
                member.first
                for member in self.branch.members
                if member.works_on(day) and member.first not in (deal.owner.first, deal.person.first)
            ]
            found = self._casts[deal.id] = Cast(
                tuple(people), draw.pick(mates or names), tuple(draw.some(self.words.spots, 3)),
                tuple(draw.some(self.words.matters, 4)),
            )  # fmt: skip
        return found

    def _writer(self, deal: Deal, *, quote: bool) -> Phrases:
        key = bool(deal.competitors), quote
        if key not in self._phrases:
            self._phrases[key] = Phrases(self.draw, self.words.grammar(rival=key[0], quote=key[1]))
        return self._phrases[key]

    def _row(self, phrases: Phrases, rules: Sequence[str]) -> list[str]:
        """One sentence of each rule, slots still open; what one has named the next does not name again if it can be
        helped."""
        phrases.begin()
        named: set[str] = set()
        row: list[str] = []
        for rule in rules:
            for _ in range(5):
                sentence = phrases.skeleton(rule)
                slots = set(_SLOT.findall(sentence)) - _AGAIN
                if not slots & named:
                    break
            named |= slots
            row.append(sentence)
        return row

    def _told(self, object_name: str, record_id: str, parts: list[str], slots: Slots) -> str:
        """The sentences as one text, some with slips of the typist; what stands in it is told."""
        text = sentence_case(" ".join(parts).format_map(slots))
        if self.gaps and self.draw.chance(0.12):
            text = with_slips(text, self.draw, 0.02)
        tell_said(self.branch, object_name, record_id, text, slots)
        return text


def short_name(deal: Deal, consumer: bool) -> str:
    """What colleagues call an account: the family's name, or the company's without its legal form."""
    if consumer:
        return deal.person.last
    name = deal.party.name.split(",")[0]
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name


def rough(amount: float) -> float:
    """An amount as people say it: to the hundred, or to the thousand where it is large."""
    step = 1000 if amount >= 20000 else 100 if amount >= 1000 else 10
    return max(float(round(amount / step) * step), 10.0)
