"""What people write about a case: subject, description, letters and chats share its facts and their manners."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from study.generator.care.case import Case
from study.generator.care.cases import LONG
from study.generator.care.matters import Matters
from study.generator.care.orders import initials
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.material import Material, lines
from study.generator.groundwork.phrases import Grammar, Phrases, sentence_case, with_slips
from study.generator.groundwork.things import Member

SLIPS = {"hasty": 0.05, "terse": 0.02, "plain": 0.008, "polite": 0.003}
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WORD_SLOTS: dict[str, tuple[str, ...]] = {
    "days": ("three", "four", "five", "six", "seven", "nine", "ten"),
    "minutes": ("five", "ten", "fifteen", "twenty", "thirty", "forty"),
    "percent": ("35", "48", "55", "62", "70", "80", "95", "99"),
    "inches": ("two", "three", "1.5", "2.5", "two and a half"),
    "count": ("three", "four", "five", "six", "eight", "twelve"),
    "rate": ("20", "25", "30", "35", "40"),
    "small": ("five", "eight", "ten"),
}
SAID = ("order", "product", "order_date", "amount", "part", "case")
"""Particulars told as facts where they stand in a text."""
MOST_SAID = 6


def spoken(day: date) -> str:
    return f"{MONTHS[day.month - 1]} {day.day}"


def _season(day: date) -> str:
    return ("winter", "spring", "summer", "fall")[day.month % 12 // 3]


def in_small_letters(text: str) -> str:
    """As people type in a hurry; codes and numbers stay as they are."""
    return " ".join(word if any(c.isdigit() for c in word) else word.lower() for word in text.split(" "))


def grammar_of(material: Material, matters: Matters) -> Grammar:
    """The shared rules with those of the world: added to those of the same name, or in their place with ``=``."""
    rules = dict(material.grammar("care_grammar.yaml"))
    for name, text in material.yaml("care_words.yaml").items():
        rule = str(name).removeprefix("=")
        rules[rule] = lines(text) if name != rule else rules.get(rule, ()) + lines(text)
    return Grammar(rules | matters.rules)


def stands(value: str, text: str) -> bool:
    """Whether a particular stands in a text as a whole: "$24" does not stand in "$240"."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if (not at or not text[at - 1].isalnum()) and (end == len(text) or not text[end].isalnum()):
            return True
        at = text.find(value, end)
    return False


class Hand:
    """Writes in the manner of one customer or agent."""

    def __init__(self, branch: Branch, grammar: Grammar, purpose: str) -> None:
        self.branch, self.draw = branch, branch.draw(purpose)
        self.phrases = Phrases(self.draw, grammar)
        self.grammar, self.gaps = grammar, branch.plan.ingredients.gaps

    def say(self, rule: str, slots: Mapping[str, str]) -> str:
        return sentence_case(self.phrases.say(rule, slots))

    def slots(self, case: Case, agent: Member | None = None, at: datetime | None = None) -> dict[str, str]:
        """The facts of a case as words for a text of the moment ``at``, written by or to ``agent``."""
        at, draw = at or case.created, self.draw
        day = at.date()
        ahead = draw.whole(1, 3)
        if day.weekday() + ahead > 4:
            ahead += 2
        agent = agent or case.hands[0].member
        short = case.line.item.short if draw.chance(0.5) else case.line.item.name
        return case.slots | {
            "agent_first": agent.first,
            "weekday": DAYS[(day.weekday() + ahead) % 7],
            "full": case.slots["product"],
            "product": short,
            "photo": str(draw.whole(1000, 9899)),
            "daytime": "morning" if at.hour < 12 else "afternoon" if at.hour < 18 else "evening",
            "rest": "day" if at.hour < 15 else "evening",
        }

    def typed(self, text: str, case: Case) -> str:
        """As the customer types: with slips, and in a hurry in small letters."""
        manner = case.line.person.manner
        text = sentence_case(text)
        if not self.gaps:
            return text
        text = with_slips(text, self.draw, SLIPS[manner])
        return in_small_letters(text) if manner == "hasty" and self.draw.chance(0.5) else text

    def subject(self, case: Case) -> str:
        slots = case.slots | {"weekday": case.slots["lastday"], "first": case.line.person.first}
        return self.typed(self.phrases.say(f"{case.matter} subject", slots), case)

    def trouble(self, case: Case, *, short: bool = False) -> str:
        """What happened, in two to seven sentences, as many as the customer's habit makes of it."""
        self.phrases.begin()
        draw, code, manner = self.draw, case.matter, case.line.person.manner
        slots = self.slots(case) | {"product": case.slots["product"]}
        said = [self.phrases.say(f"{code} problem", slots)]
        slots["product"] = case.line.item.short if draw.chance(0.6) else case.line.item.name
        length = 0.8 if short or manner in ("terse", "hasty") else 1.6 * case.line.party.complaints.length
        extras = min(4, int(length * draw.lognormal(0.45)))
        leads = draw.chance(0.35 if short else 0.65)
        if not leads and not extras:
            extras = 1
        said += self.details(case, slots, extras)
        if draw.chance(0.25 if short else 0.45):
            said.append(self.context(case, slots))
        if leads:
            said.insert(draw.whole(0, 1) or len(said), self.phrases.say("lead_in", slots))
        if draw.chance(0.04 if manner == "terse" else 0.3):
            said.append(self.phrases.say("mood", slots))
        said.append(self.phrases.say(f"{code} ask", slots))
        return self.typed(" ".join(said), case)

    def next(self, case: Case, part: str, slots: Mapping[str, str]) -> str:
        """A phrase of a part of the issue that nobody has used in this case; empty when all are used."""
        rule = f"{case.matter} {part}"
        left = case.unsaid.get(rule)
        if left is None:
            left = case.unsaid[rule] = self.draw.shuffled(self.grammar.rules.get(rule, ()))
        while left:
            chosen = left.pop()
            if chosen not in case.told:
                case.told.append(chosen)
                return self.phrases.one_of([chosen], slots)
        return ""

    def details(self, case: Case, slots: Mapping[str, str], n: int) -> list[str]:
        """Up to ``n`` things the customer has not told yet."""
        return [told for _ in range(n) if (told := self.next(case, "detail", slots))]

    def context(self, case: Case, slots: Mapping[str, str]) -> str:
        """Circumstances: of something in use, or of anything."""
        used = case.issue.ages[1] >= LONG and self.draw.chance(0.5)
        return self.phrases.say("context_used" if used else "context", slots)

    def steps(self, case: Case, slots: Mapping[str, str]) -> str:
        """What to try: one thing, or two in order."""
        case.asked = []
        first, second = self._step(case, slots), ""
        if self.draw.chance(0.6):
            second = self._step(case, slots, again=False)
        return self.say("agent_steps" if second else "step_one", {**slots, "step1": first, "step2": second})

    def _step(self, case: Case, slots: Mapping[str, str], *, again: bool = True) -> str:
        """A step nobody asked for in this case, or any if all were and it may be asked ``again``; else empty."""
        steps = self.grammar.rules.get(f"{case.matter} steps", ())
        left = case.unsaid.get("steps")
        if left is None or (again and not left):
            left = case.unsaid["steps"] = self.draw.shuffled(steps)
        if not left:
            return ""
        chosen = left.pop()
        case.asked.append(self.grammar.rules[f"{case.matter} step numbers"][steps.index(chosen)])
        return self.phrases.one_of([chosen], slots)

    def result(self, case: Case, slots: Mapping[str, str], *, solved: bool) -> str:
        """What came of the steps asked for last, one after the other; a good end is told once."""
        end = "ok" if solved else "no"
        told: list[str] = []
        for step in case.asked:
            text = self.next(case, f"result {end} {step}", slots)
            if text and (not told or self.draw.chance(0.7)):
                told.append(sentence_case(text))
            if solved and told:
                break
        if told:
            return " ".join(told)
        general = self.next(case, f"result {end}", slots) if self.draw.chance(0.8) else ""
        return sentence_case(general) or self.say(f"result_{end}", slots)

    def fix(self, case: Case, slots: Mapping[str, str], *, solved: bool) -> str:
        """How the agent ends it: with what was sent or done, or glad that nothing is needed."""
        if solved and (not self.grammar.rules.get(f"{case.matter} fix ok") or self.draw.chance(0.3)):
            return self.say("agent_glad", slots)
        return self._either(f"{case.matter} fix", slots, solved=solved)

    def _either(self, rule: str, slots: Mapping[str, str], *, solved: bool) -> str:
        wanted, other = (f"{rule} ok", f"{rule} no") if solved else (f"{rule} no", f"{rule} ok")
        return self.say(wanted if self.grammar.rules.get(wanted) else other, slots)

    def tell_said(self, record_id: str, field: tuple[str, str], text: str, about: Mapping[str, str]) -> None:
        """The particulars that stand word for word in a text."""
        told = 0
        for slot, value in about.items():
            if told < MOST_SAID and value and stands(value, text):
                self.branch.tell("said", record_id, object=field[0], field=field[1], slot=slot, text=value)
                told += 1


def particulars(case: Case, names: Mapping[str, str]) -> dict[str, str]:
    """What may be told of a text about a case."""
    return {slot: case.slots[slot] for slot in SAID} | dict(names)


def facts_of(case: Case, branch: Branch, draw: Draw, grammar: Grammar) -> dict[str, str]:
    """What stays the same in everything said about a case: dates as recorded, small numbers drawn once."""
    line, day = case.line, case.created.date()
    age = (day - line.day).days
    facts = {
        "lastday": DAYS[(day - timedelta(days=draw.whole(1, 3))).weekday()],
        "product": line.item.name,
        "order": line.order_number,
        "order_date": spoken(line.day),
        "order_month": f"{MONTHS[line.day.month - 1]} {line.day.year}" if age > 60 else f"this {_season(line.day)}",
        "opened": spoken(day),
        "company": branch.plan.company,
        "case": case.number,
        "city": line.party.city,
        "first": line.person.first,
        "old_first": case.hands[0].member.first,
        "new_first": case.owner.first,
        "months": str(max(2, age // 30)),
        "step": str(draw.whole(3, 14)),
        "part": f"{initials(branch.plan.company)}-P{draw.whole(1000, 9899)}",
        "serial": str(draw.whole(1000, 9999)),
        "two": f"{draw.whole(10, 99)}",
    }
    for slot, options in _WORD_SLOTS.items():
        facts[slot] = draw.pick(options)
    for slot in ("temp", "cool", "diff", "amount", "gesture", "large"):
        facts[slot] = draw.pick(grammar.rules[slot])
    return facts
