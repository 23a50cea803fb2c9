"""Chats: short turns with the time of each, as a chat tool exports them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from study.generator.care.breaches import Conduct
from study.generator.care.case import Case
from study.generator.care.wording import Hand, particulars
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.ids import foreign_id
from study.generator.groundwork.things import Member, Row

TRIES_LATER = 0.6
"""Share of chats in which what is to be tried has to wait, where letters follow."""
LEAVES = 0.1
"""Share of chats in which somebody leaves without a word."""
_QUICK_HOURS = 26
"""Issues that take less than this can be tried while one chats."""
_LATEST = timedelta(minutes=11)
_ENOUGH = 18
"""Words after which somebody who chats presses return before the question."""

Said = tuple[Member | None, str]
"""Who (None for the customer) and what."""


@dataclass
class Chat:
    """One chat before it has its Id."""

    case: Case
    body: str
    end: datetime
    owner: Member
    breaks: bool


def hand_over_in_chat(branch: Branch, hand: Hand, cases: list[Case]) -> None:
    """Some hand-overs take place while the customer is still there: the next agent joins after a few minutes."""
    for case in cases:
        if case.origin != "Chat" or len(case.hands) < 2 or not hand.draw.chance(0.4):
            continue
        at = case.created + timedelta(seconds=hand.draw.whole(300, 560))
        end = case.hands[2].since if len(case.hands) > 2 else case.closed or branch.now
        joins = case.hands[1]
        soon = case.hands[0].since < at < min(joins.since, end - timedelta(minutes=15))
        if soon and joins.member.works_on(at.date()):
            joins.since = at


class ChatDesk:
    """Writes the chats of a branch."""

    def __init__(self, branch: Branch, hand: Hand) -> None:
        self.branch, self.hand, self.draw = branch, hand, hand.draw

    def chat(self, case: Case, conduct: Conduct, *, here: bool, last: bool) -> Chat:
        """The chat a case began with. ``last``: no letter follows. ``here``: the breach, if any, shows in it."""
        self.hand.phrases.begin()
        joins = case.hands[1] if len(case.hands) > 1 else None
        joined = joins.member if joins and joins.since - case.created <= _LATEST else None
        rules = [f"{conduct.broken.code} broken"] if here and conduct.broken else []
        rules += [f"{policy.code} kept" for policy in conduct.kept] if last else []
        if self.branch.plan.ingredients.quoting:
            said = self._turns(case, rules, joined, last=last)
        else:
            said = self._single(case, rules, last=last)
        end, body = self._timed(case, said, joins.since if joins and joined else None)
        return Chat(case, body, end, joined or case.hands[0].member, here and conduct.broken is not None)

    def _single(self, case: Case, rules: list[str], *, last: bool) -> list[Said]:
        agent = case.hands[0].member
        slots = self.hand.slots(case, agent)
        text = [self._ending(case, slots, last=last, solved=False), *(self.hand.say(rule, slots) for rule in rules)]
        return [(None, case.description), (agent, " ".join(text))]

    def _turns(self, case: Case, rules: list[str], joined: Member | None, *, last: bool) -> list[Said]:
        hand, draw, agent = self.hand, self.draw, case.hands[0].member
        slots = hand.slots(case, agent)
        turns = self._beginning(case, agent, slots)
        turns += self._looked_up(case, agent, slots)
        tried = case.issue.hours <= _QUICK_HOURS or draw.chance(0.3)
        solved = tried and last and case.solved and case.closed is not None
        later = tried and not last and draw.chance(TRIES_LATER)
        turns += self._looked_into(case, agent, slots, tried=tried, solved=None if later else solved)
        if joined is not None:
            turns += [(agent, hand.say("chat_handover", slots | {"new_first": joined.first}))]
            turns += [(joined, hand.say("chat_took_over", slots | {"new_first": joined.first}))]
            agent = joined
            slots |= {"agent_first": joined.first}
        end = hand.say("chat_try_end", slots) if later else self._ending(case, slots, last=last, solved=solved)
        closing = [(agent, end)]
        for rule in rules:
            closing.insert(draw.whole(0, len(closing)), (agent, hand.say(rule, slots)))
        turns += closing
        if draw.chance(0.35):
            asked = draw.pick(("time", "mail", "home"))
            turns += [
                (None, self._typed(case, f"chat_{asked}", slots)),
                (agent, hand.say(f"chat_{asked}_answer", slots)),
            ]
        if not draw.chance(LEAVES):
            turns.append((None, self._typed(case, "chat_end_customer", slots)))
            turns.append((agent, hand.say("chat_end_agent", slots)))
        return turns

    def _beginning(self, case: Case, agent: Member, slots: dict[str, str]) -> list[Said]:
        hello = (agent, self.hand.say("chat_hello", slots))
        told: list[Said] = [(None, case.description)]
        first, _, asked = case.description.rpartition(". ")
        if len(first.split()) >= _ENOUGH and self.draw.chance(0.5):
            told = [(None, f"{first}."), (None, asked)]
        style = self.draw.weighted((0, 1, 2), (5, 3, 2))
        if style == 0:
            return [told[0], (agent, self.hand.say("chat_hello_after", slots)), *told[1:]]
        if style == 1:
            return [hello, *told]
        return [(None, self._typed(case, "chat_open", slots)), hello, *told]

    def _looked_up(self, case: Case, agent: Member, slots: dict[str, str]) -> list[Said]:
        """The order the customer has named, or is asked for."""
        say, draw = self.hand.phrases.say, self.draw
        if case.line.order_number in case.description:
            turns: list[Said] = [(agent, self.hand.say("chat_seen", slots))]
        else:
            turns = [(agent, self.hand.say("chat_ack", slots)), (None, say("chat_order", slots))]
        if draw.chance(0.8):
            turns.append((agent, self.hand.say("chat_found", slots | {"product": slots["full"]})))
            turns.append((None, say("chat_yes", slots)))
        return turns

    def _looked_into(
        self, case: Case, agent: Member, slots: dict[str, str], *, tried: bool, solved: bool | None
    ) -> list[Said]:
        """What is asked and tried. ``solved`` is None if the customer will try it later."""
        hand, draw = self.hand, self.draw
        turns: list[Said] = []
        if draw.chance(0.55) and (told := hand.details(case, slots, 1)):
            turns += [(agent, hand.say("ask_info", slots)), (None, hand.typed(told[0], case))]
        if draw.chance(0.4):
            turns += [(agent, hand.say("chat_hold", slots)), (None, hand.phrases.say("chat_held", slots))]
        if tried:
            turns.append((agent, hand.steps(case, slots)))
        if tried and solved is None:
            turns.append((None, self._typed(case, "chat_try", slots)))
        elif tried:
            for _ in range(draw.whole(0, 2)):
                turns += [(None, hand.phrases.say("chat_wait", slots)), (agent, hand.say("chat_check", slots))]
            turns.append((None, hand.typed(hand.result(case, slots, solved=bool(solved)), case)))
        return turns

    def _typed(self, case: Case, rule: str, slots: dict[str, str]) -> str:
        return self.hand.typed(self.hand.phrases.say(rule, slots), case)

    def _ending(self, case: Case, slots: dict[str, str], *, last: bool, solved: bool) -> str:
        if last and case.closed is not None:
            return self.hand.fix(case, slots, solved=solved)
        return self.hand.say("chat_later", slots)

    def _timed(self, case: Case, turns: list[Said], joins: datetime | None) -> tuple[datetime, str]:
        """The end of the chat and its text; chats begin when the case is opened and end before it is closed."""
        person, at = case.line.person, case.created
        seconds = [self.draw.whole(6, 25) + min(len(text) // 4, 60) for _, text in turns]
        room = ((case.closed or self.branch.now) - at).total_seconds() - 15
        scale = min(1.0, room / (sum(seconds) + 1))
        mine = {member.first for member, _ in turns if member is not None}
        name = person.name if person.first in mine else person.first
        written = []
        for (member, text), gap in zip(turns, seconds, strict=True):
            at += timedelta(seconds=max(1, int(gap * scale)))
            if joins is not None and member is not None and member is not case.hands[0].member and at < joins:
                at = joins + timedelta(seconds=2)
            said = " ".join(text.split())
            written.append(f"[{at.hour:02d}:{at.minute:02d}] {member.first if member else name}: {said}")
        return at, "\n".join(written)

    def row(self, chat: Chat, record_id: str) -> Row:
        line = chat.case.line
        return {
            "Id": record_id, "Body": chat.body, "EndTime": chat.end, "CaseId": chat.case.id,
            "AccountId": line.party.id, "ContactId": line.person.id, "OwnerId": chat.owner.id,
            "LiveChatVisitorId": foreign_id(self.draw, "5LW"),
        }  # fmt: skip

    def tell(self, chat: Chat, record_id: str) -> None:
        names = {"agent": chat.owner.first}
        self.hand.tell_said(record_id, ("LiveChatTranscript", "Body"), chat.body, particulars(chat.case, names))
