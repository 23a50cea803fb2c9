"""Letters about deals: who writes what to whom, with the letter before quoted below, and what can be found again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import apportioned
from study.generator.groundwork.phrases import sentence_case, with_slips
from study.generator.groundwork.things import Deal, Letter, Row, Sales
from study.generator.talk.particulars import Topic, letter_slots, topic_of
from study.generator.talk.threads import Planned, Threads, readiness
from study.generator.talk.wording import MONTHS, WEEKDAYS, Wording

_OBJECT, _FIELD = "EmailMessage", "TextBody"
_FILES = ("talk_calls.yaml", "calls.yaml", "talk_letters.yaml", "letters.yaml")
SLIPS = {"hasty": 0.05, "terse": 0.02, "plain": 0.008, "polite": 0.003}
# Slots whose text is told of a letter if it stands in it, most telling first.
_TOLD = {
    "quote": "quote", "quote_total": "amount", "order": "order", "expiry": "valid_until", "competitor": "competitor",
    "offer": "offer", "meet_day": "meeting", "back_day": "back", "short": "product", "weekday": "weekday",
}  # fmt: skip
_AT_MOST = 6
# How many letters before the last are quoted at most.
_DEPTH = 3


def write_letters(branch: Branch, sales: Sales, n: int) -> None:
    """Write exactly ``n`` letters about the deals of a branch, none if it has no deals; rows, words and facts."""
    if not sales.deals or n <= 0:
        return
    writer = _Writer(branch)
    weights = readiness(sales.deals, branch.draw("letters each"), not branch.plan.ingredients.skew)
    written: list[_Written] = []
    for deal, count in zip(sales.deals, apportioned(n, weights), strict=True):
        written += writer.deal(deal, count)
    written.sort(key=lambda one: (one.letter.at, one.deal.id, one.letter.place))
    for one in written:
        one.letter.id = branch.new_id(_OBJECT)
    branch.add(_OBJECT, (one.row() for one in written))
    for one in written:
        for slot, text in one.letter.facts.items():
            said: dict[str, Any] = {"object": _OBJECT, "field": _FIELD, "slot": slot, "text": text}
            branch.tell("said", one.letter.id, **said)


@dataclass
class _Written:
    """A letter with the deal it is about; ``own`` is its text without what it quotes."""

    letter: Letter
    deal: Deal
    own: str

    def row(self) -> Row:
        letter, member, person = self.letter, self.letter.member, self.letter.person
        return {
            "Id": letter.id,
            "Subject": letter.subject,
            "TextBody": letter.body,
            "MessageDate": letter.at,
            "ParentId": None,
            "RelatedToId": self.deal.id,
            "FromAddress": person.email if letter.inbound else member.email,
            "ToAddress": member.email if letter.inbound else person.email,
            "ToIds": member.id if letter.inbound else person.id,
        }


class _Writer:
    def __init__(self, branch: Branch) -> None:
        self.branch = branch
        self.wording = Wording(branch, "words of letters", *_FILES)
        self.draw, self.threads = self.wording.draw, Threads(branch)
        self.gaps, self.quoting = branch.plan.ingredients.gaps, branch.plan.ingredients.quoting

    def deal(self, deal: Deal, n: int) -> list[_Written]:
        if not n:
            return []
        topic = topic_of(self.wording, deal)
        before: dict[int, _Written] = {}
        lasting: dict[int, dict[str, str]] = {}
        found: list[_Written] = []
        for planned in self.threads.plan(deal, n):
            kept = lasting.setdefault(planned.thread, {})
            one = self._letter(deal, topic, planned, before.get(planned.thread), kept)
            before[planned.thread] = one
            found.append(one)
        deal.letters += [one.letter for one in found]
        return found

    def _letter(
        self, deal: Deal, topic: Topic, planned: Planned, before: _Written | None, kept: dict[str, str]
    ) -> _Written:
        member = deal.owner
        slots = letter_slots(self.wording, topic, member, planned.at, planned.about == "quote")
        self._keep(kept, slots, planned.kind)
        slots |= kept
        if not planned.inbound:
            slots["boss"] = slots["your_boss"]
        thread = f"{deal.id} {planned.thread}"
        letter = Letter("", planned.at, planned.inbound, planned.kind, thread, planned.place, member, deal.person)
        self.wording.phrases.begin()
        letter.subject = self._subject(planned, before, slots)
        own = self._worded(planned, topic, slots)
        letter.facts = _told(own, slots)
        letter.body = own + (self._quoted(before) if before and self.quoting and planned.kind != "away_in" else "")
        return _Written(letter, deal, own)

    def _keep(self, kept: dict[str, str], slots: dict[str, str], kind: str) -> None:
        """What stays the same in a thread: its products, the day of a meeting, the question that was asked."""
        if not kept:
            for name in _IN_THREAD:
                if name in slots:
                    kept[name] = slots[name]
        if kind in ("question_in", "followup_in") or (kind == "answer_out" and "answer" not in kept):
            question, _, answer = self.wording.say("qa", slots | kept).partition(" ~ ")
            kept["question"], kept["answer"] = question, answer or question

    def _subject(self, planned: Planned, before: _Written | None, slots: dict[str, str]) -> str:
        if before is not None:
            subject = before.letter.subject
            if planned.kind == "away_in":
                return f"Automatic reply: {subject.removeprefix('Re: ')}"
            subject = subject.removeprefix("Automatic reply: ")
            return subject if subject.startswith("Re: ") else f"Re: {subject}"
        about = "intro" if planned.about == "again" else planned.about
        subject = self.wording.say(f"subject_{about}", slots) or slots["need"]
        return subject[0].upper() + subject[1:]

    def _worded(self, planned: Planned, topic: Topic, slots: dict[str, str]) -> str:
        """Greeting, paragraphs and signature in the manner of whoever writes."""
        say, draw = self.wording.say, self.draw
        body = say(planned.kind, slots)
        if not planned.inbound:
            text = "\n\n".join((say("hello_out", slots), *body.split(" // "), say("bye_out", slots)))
            return f"{sentence_case(text)}\n{self._signature(slots)}"
        if planned.kind == "away_in":
            return sentence_case(body) + f"\n{topic.name}"
        manner = topic.manner
        brief = manner in ("terse", "hasty")
        parts = [" ".join(body.split(" // "))] if brief else body.split(" // ")
        if not brief or draw.chance(0.3):
            parts.insert(0, say("hello_in", slots))
        text = "\n\n".join(parts)
        ending = say("bye_short" if brief else "bye_in", slots) if not brief or draw.chance(0.4) else ""
        if manner != "hasty" or draw.chance(0.5):
            text, ending = sentence_case(text), sentence_case(ending)
        if self.gaps:
            text = with_slips(text, draw, SLIPS[manner])
        return f"{text}\n\n{ending}\n{self._from(topic, brief)}" if ending else f"{text}\n\n{self._from(topic, brief)}"

    def _from(self, topic: Topic, brief: bool) -> str:
        if brief or self.branch.plan.consumer:
            return topic.first if brief or self.draw.chance(0.4) else topic.name
        return "\n".join(part for part in (topic.name, topic.title, topic.account) if part)

    def _signature(self, slots: dict[str, str]) -> str:
        return f"{slots['me_full']}\n{slots['me_title']}\n{self.branch.plan.company}"

    def _quoted(self, before: _Written) -> str:
        """The letter before with what it quotes, down to a certain depth; some people cut it off."""
        if self.draw.chance(0.15):
            return ""
        letter, text = before.letter, before.letter.body if self.draw.chance(0.6) else before.own
        if text.count("\n> > ") > 0 and text.count("> " * _DEPTH):
            text = before.own
        writer = letter.person.name if letter.inbound else letter.member.name
        below = "\n".join([f"> {line}" if line else ">" for line in text.split("\n")])
        return f"\n\n{_head(letter.at, writer)}\n{below}"


_IN_THREAD = (
    "product", "short", "qty", "count", "unit", "hint", "product2", "short2", "qty2", "count2", "hint2", "unit2",
    "meet_day", "clock", "back_day", "wrong_n", "wrong_count", "line_total",
)  # fmt: skip


def _head(at: datetime, name: str) -> str:
    return (
        f"On {WEEKDAYS[at.weekday()][:3]}, {MONTHS[at.month - 1][:3]} {at.day}, {at.year} at {at:%H:%M}, {name} wrote:"
    )


def _told(own: str, slots: dict[str, str]) -> dict[str, str]:
    """Particulars that stand in a letter word for word, six at most."""
    found = {name: slots[slot] for slot, name in _TOLD.items() if slot in slots and _stands(slots[slot], own)}
    return dict(list(found.items())[:_AT_MOST])


def _stands(said: str, own: str) -> bool:
    """August 2 does not stand in August 23, nor $390 in $390.40."""
    at = own.find(said)
    while at >= 0:
        after = own[at + len(said) : at + len(said) + 2].lstrip(".,") if said[-1].isdigit() else ""
        if not after[:1].isdigit():
            return True
        at = own.find(said, at + 1)
    return False
