"""What people write about a case: subject, description, letters and chats share these facts and manners."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from study.generator.world.cases import Case
from study.generator.world.draw import Draw
from study.generator.world.material import Product
from study.generator.world.people import Agent
from study.generator.world.phrases import Phrases, sentence_case, with_slips

SLIPS = {"hasty": 0.05, "terse": 0.02, "plain": 0.008, "polite": 0.003}


def slots_of(case: Case, draw: Draw, agent: Agent | None = None, on: date | None = None) -> dict[str, str]:
    """The facts of a case as words for a text of the day ``on``, written by or to ``agent``."""
    ahead = _working_days(on or case.created.date())
    agent = agent or case.hands[0].agent
    return case.facts | {"case": case.number, "agent_first": agent.first, "weekday": draw.pick(ahead).strftime("%A")}


def _working_days(after: date) -> list[date]:
    """The three working days that follow."""
    days = [after + timedelta(days=n) for n in range(1, 6)]
    return [day for day in days if day.weekday() < 5][:3]


def facts_of(case: Case, draw: Draw) -> dict[str, str]:
    """What stays the same in everything said about a case: dates as recorded, small numbers drawn once."""
    customer, line, day = case.line.customer, case.line, case.created.date()
    age = (day - line.day).days
    return {
        "product": line.product.name,
        "order": line.order_number,
        "order_date": spoken(line.day),
        "order_month": line.day.strftime("%B %Y") if age > 60 else "this " + season(line.day),
        "city": customer.place.city,
        "first": customer.first,
        "old_first": case.hands[0].agent.first,
        "days": draw.pick(("three", "four", "five", "six", "nine", "ten")),
        "minutes": draw.pick(("five", "ten", "fifteen", "twenty", "thirty", "forty")),
        "months": str(max(2, age // 30)),
        "temp": draw.pick(("250", "280", "310", "340", "400")),
        "cool": draw.pick(("52", "55", "58", "61", "64")),
        "diff": draw.pick(("15", "20", "25", "30", "40", "60")),
        "step": str(draw.whole(3, 14)),
        "percent": draw.pick(("35", "48", "62", "80", "99")),
        "amount": draw.pick(("24", "38", "49", "65", "79", "95")),
        "part": f"HE-{draw.whole(1000, 9899)}",
        "serial": f"{draw.whole(1000, 9999)}",
    }


def spoken(day: date) -> str:
    return f"{day.strftime('%B')} {day.day}"


def season(day: date) -> str:
    return ("winter", "spring", "summer", "fall")[day.month % 12 // 3]


def short_name(product: Product) -> str:
    """A product as customers call it once it is clear which: without the make-up of the catalogue."""
    words = product.name.split()
    if any(c.isdigit() for c in words[1]):
        return " ".join(words[:2])
    return f"{words[0]} {words[-1]}" if words[-1].isdigit() else product.name


def in_small_letters(text: str) -> str:
    """As people type in a hurry; codes and numbers stay as they are."""
    return " ".join(word if any(c.isdigit() for c in word) else word.lower() for word in text.split(" "))


class Hand:
    """Writes in the manner of one customer or agent."""

    def __init__(self, seed: int, purpose: str) -> None:
        self.draw = Draw(seed, purpose)
        self.phrases = Phrases(self.draw)

    def subject(self, case: Case) -> str:
        text = self.phrases.one_of(case.issue.phrases["subject"], slots_of(case, self.draw))
        manner = case.line.customer.manner
        return with_slips(text, self.draw, SLIPS[manner]) if manner != "hasty" else in_small_letters(text)

    def trouble(self, case: Case, *, short: bool = False) -> str:
        """What happened, in two to six sentences."""
        slots = slots_of(case, self.draw)
        issue, product, manner = case.issue, case.line.product, case.line.customer.manner
        said = [self.phrases.one_of(issue.lines("problem", product), slots)]
        brief = slots | {"product": self.draw.pick((short_name(case.line.product), case.line.product.name))}
        extras = 1 if short or manner in ("terse", "hasty") else self.draw.whole(1, 3)
        details = self.draw.some(issue.lines("detail", product), extras)
        said += [self.phrases.one_of([detail], brief) for detail in details]
        if self.draw.chance(0.6):
            said.insert(self.draw.whole(0, 1) or len(said), self.phrases.say("lead_in", brief))
        if self.draw.chance(0.3 if manner != "terse" else 0.05):
            said.append(self.phrases.say("mood", brief))
        said.append(self.phrases.one_of(issue.lines("ask", product), brief))
        return self.as_typed(" ".join(said), manner)

    def as_typed(self, text: str, manner: str) -> str:
        text = with_slips(sentence_case(text), self.draw, SLIPS[manner])
        return in_small_letters(text) if manner == "hasty" and self.draw.chance(0.5) else text

    def steps(self, case: Case, slots: dict[str, str]) -> str:
        first, second = self.draw.some(case.issue.lines("steps", case.line.product), 2)
        written = {"step1": self.phrases.one_of([first], slots), "step2": self.phrases.one_of([second], slots)}
        return sentence_case(self.phrases.say("agent_steps", slots | written))

    def line(self, options: Sequence[str] | str, slots: dict[str, str]) -> str:
        """One sentence of a rule (by its name) or of a list of phrases."""
        if isinstance(options, str):
            return sentence_case(self.phrases.say(options, slots))
        return sentence_case(self.phrases.one_of(options, slots))

    def result(self, case: Case, slots: dict[str, str], *, solved: bool) -> str:
        """What came of the steps; an issue without such an end on record gets another."""
        issue, product = case.issue, case.line.product
        return self.line(issue.lines("result", product, solved=solved) or issue.lines("result", product), slots)

    def fix(self, case: Case, slots: dict[str, str], *, solved: bool) -> str:
        """How the agent ends it: with what was sent or paid, or glad that nothing is needed."""
        found = case.issue.lines("fix", case.line.product, solved=solved)
        return self.line(found or "agent_glad", slots)
