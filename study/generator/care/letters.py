"""Letters about a case: customer and agents write in turn, and most answers quote the letter before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from study.generator.care.breaches import Conduct
from study.generator.care.case import Case
from study.generator.care.threads import Turn
from study.generator.care.wording import DAYS, MONTHS, Hand, particulars
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.things import Member, Row

QUOTED = 0.78
ATTACHED = 0.12
SHOWN = 0.5
"""Share of letters with a line on attachments where they speak of pictures."""
_PICTURED = re.compile(r"\b(?:photos?|pictures?|attached)\b", re.IGNORECASE)
_ROOM_FOR_RULES = ("steps", "ask", "update", "more", "fix", "check")
_APART = ("received", "away", "adds")
"""Letters out of the thread: they answer nothing and quote nothing."""


@dataclass
class Draft:
    """A letter before it has its Id. ``own`` is what its writer wrote; ``agent`` has or gets the case."""

    case: Case
    turn: Turn
    agent: Member
    subject: str
    own: str
    body: str
    breaks: bool = False


class Correspondence:
    """Writes the threads of a branch, one case after the other."""

    def __init__(self, branch: Branch, hand: Hand) -> None:
        self.branch, self.hand, self.draw = branch, hand, hand.draw
        self.consumer = branch.plan.consumer
        self.quoting = branch.plan.ingredients.quoting
        desk = hand.grammar.rules.get("desk") or ("care",)
        self.desk = f"{desk[0]}@{branch.plan.mail_domain}"

    def thread(self, case: Case, turns: list[Turn], conduct: Conduct, *, here: bool) -> list[Draft]:
        """The letters of one case. ``here``: the breach, if there is one, shows in a letter and not in the chat."""
        drafts: list[Draft] = []
        rules = self._places(turns, conduct, here=here)
        solves = _solving(turns) if case.solved else -1
        for place, turn in enumerate(turns):
            agent = case.hand_at(turn.at)
            solved = 0 <= solves <= place <= solves + 1
            before = drafts[-1] if drafts else None
            if turn.inbound:
                own = self._from_customer(case, turn, agent, solved=solved)
            elif turn.kind == "received":
                own = self._from_desk(case, turn)
            else:
                own = self._from_agent(case, turn, agent, drafts, rules.get(place, []), solved=solved)
            body = own + self._quoted(turn, before)
            broken = conduct.broken is not None and f"{conduct.broken.code} broken" in rules.get(place, [])
            drafts.append(Draft(case, turn, agent, self._subject(case, turn, before), own, body, broken))
        return drafts

    def _places(self, turns: list[Turn], conduct: Conduct, *, here: bool) -> dict[int, list[str]]:
        """Which rule is spoken of in which letter, by the rules of the grammar for it."""
        places = [place for place, turn in enumerate(turns) if turn.kind in _ROOM_FOR_RULES]
        found: dict[int, list[str]] = {}
        if not places:
            return found
        last = [place for place in places if turns[place].kind == "fix"] or places[-1:]
        if here and conduct.broken is not None:
            found.setdefault(last[0] if self.draw.chance(0.5) else self.draw.pick(places), []).append(
                f"{conduct.broken.code} broken"
            )
        for policy in conduct.kept:
            found.setdefault(self.draw.pick(places), []).append(f"{policy.code} kept")
        return found

    def _from_customer(self, case: Case, turn: Turn, agent: Member, *, solved: bool) -> str:
        hand, draw, person = self.hand, self.draw, case.line.person
        hand.phrases.begin()
        slots = hand.slots(case, agent, turn.at)
        if turn.kind == "trouble":
            body = case.description
        else:
            body = hand.typed(" ".join(self._said(case, turn, slots, solved=solved)), case)
        shown = turn.kind == "trouble" or _PICTURED.search(body)
        if shown and draw.chance(ATTACHED if turn.kind == "trouble" else SHOWN):
            body += "\n\n" + hand.say("attachment", slots)
        curt = person.manner in ("terse", "hasty")
        if turn.kind == "trouble":
            greeting = "" if curt else hand.say("hello_customer", slots)
        else:
            greeting = hand.say("hello_known", slots) if draw.chance(0.25 if curt else 0.6) else ""
        bye = hand.say("bye_customer", slots) if person.manner != "hasty" and turn.kind != "away" else ""
        return "\n\n".join(part for part in (greeting, body, f"{bye}\n{self._name(case, turn)}".strip()) if part)

    def _name(self, case: Case, turn: Turn) -> str:
        person = case.line.person
        if person.manner in ("terse", "hasty") and (self.consumer or turn.kind != "trouble"):
            return person.first
        if self.consumer or self.draw.chance(0.3):
            return person.name
        title = f"\n{person.title}" if person.title else ""
        return f"{person.name}{title}\n{person.party.name}"

    def _said(self, case: Case, turn: Turn, slots: dict[str, str], *, solved: bool) -> list[str]:
        hand, draw, code = self.hand, self.draw, case.matter
        say = hand.phrases.say
        length = 0.8 * case.line.party.complaints.length
        more = hand.details(case, slots, min(3, int(length * draw.lognormal(0.6))))
        if turn.kind == "result":
            said = [hand.result(case, slots, solved=solved)]
            if draw.chance(0.7):
                said.insert(0, say("customer_tried", slots))
            if solved:
                return said + ([say("good_end", slots)] if draw.chance(0.7) else [])
            return said + more + ([say("customer_tail", slots)] if draw.chance(0.6) else [])
        if turn.kind == "details":
            said = [say("customer_thanks", slots)] if draw.chance(0.6) else []
            said += more or hand.details(case, slots, 1) or [hand.context(case, slots)]
            return said + ([say(f"{code} ask", slots)] if draw.chance(0.5) else [say("customer_tail", slots)])
        if turn.kind == "nudge":
            return [say("nudge", slots)] + ([say(f"{code} ask", slots)] if draw.chance(0.5) else more[:1])
        if turn.kind == "adds":
            told = more or hand.details(case, slots, 1)
            return [say("adds", slots), *(told or [hand.context(case, slots), say("mood", slots)])]
        if turn.kind == "away":
            return [say("away", slots)]
        # "thanks"
        return [say("thanks_after", slots)] + [
            say("thanks_more", slots) for _ in range(draw.weighted((0, 1, 2), (2, 5, 2)))
        ]

    def _from_desk(self, case: Case, turn: Turn) -> str:
        slots = self.hand.slots(case, None, turn.at) | {"subject": case.subject}
        self.hand.phrases.begin()
        said = [self.hand.say("received", slots)]
        said += [self.hand.say("received_more", slots) for _ in range(self.draw.whole(1, 2))]
        return " ".join(said) + f"\n\n{self.branch.plan.company}\n{self.desk}"

    def _from_agent(
        self, case: Case, turn: Turn, agent: Member, drafts: list[Draft], rules: list[str], *, solved: bool
    ) -> str:
        hand, draw = self.hand, self.draw
        hand.phrases.begin()
        slots = hand.slots(case, agent, turn.at) | {"old_first": self._former(case, agent)}
        parts = []
        if (opening := self._opening(case, turn, agent, drafts)) is not None:
            parts.append(hand.say(opening, slots | ({"product": slots["full"]} if draw.chance(0.5) else {})))
        first = not any(not draft.turn.inbound and draft.turn.kind != "received" for draft in drafts)
        parts.append(self._matter(case, turn, slots, solved=solved, first=first))
        for rule in rules:
            parts.insert(draw.whole(1, len(parts)), hand.say(rule, slots))
        if turn.kind in ("steps", "more", "ask", "update") and draw.chance(0.55):
            parts.append(hand.say("agent_close", slots))
        elif turn.kind == "fix" and draw.chance(0.8):
            parts.append(hand.say("agent_end", slots))
        glue = "\n\n" if draw.chance(0.6) else " "
        body = glue.join(parts) + (self._note(case, turn, slots) if turn.kind == "forwarded" else "")
        bye = hand.say("bye_agent", slots)
        return "\n\n".join((hand.say("hello_agent", slots), *self._signed(body, bye, agent)))

    def _signed(self, body: str, bye: str, agent: Member) -> tuple[str, ...]:
        """An agent signs in the same way each time; what is forwarded stands below the signature."""
        style = (len(agent.last) + len(agent.first)) % 3
        company = self.branch.plan.company
        below = ("", f"\n{company} Customer Care", f"\n{agent.title}\n{company}")[style]
        text, mark, note = body.partition("\n\n---")
        return (text, f"{bye}\n{agent.name}{below}", *((f"---{note}",) if mark else ()))

    def _former(self, case: Case, agent: Member) -> str:
        before = case.hands[0].member
        for hand in case.hands:
            if hand.member is agent:
                break
            before = hand.member
        return before.first

    def _opening(self, case: Case, turn: Turn, agent: Member, drafts: list[Draft]) -> str | None:
        mine = [draft for draft in drafts if not draft.turn.inbound and draft.turn.kind != "received"]
        wrote = any(draft.agent is agent for draft in mine)
        if not wrote and agent is not case.hands[0].member:
            return "transfer_note"
        if not mine:
            return "agent_open"
        if turn.kind in ("check", "after", "forwarded"):
            return None
        if turn.kind == "update" and drafts[-1].turn.kind != "nudge":
            return None
        if not drafts or not drafts[-1].turn.inbound or not self.draw.chance(0.8):
            return None
        return {"result": "agent_tried", "nudge": "agent_sorry"}.get(drafts[-1].turn.kind, "agent_again")

    def _matter(self, case: Case, turn: Turn, slots: dict[str, str], *, solved: bool, first: bool) -> str:
        hand, draw = self.hand, self.draw
        if turn.kind in ("steps", "more"):
            return hand.steps(case, slots)
        if turn.kind == "ask":
            asked = [hand.say("ask_info", slots)]
            return " ".join([*asked, hand.say("ask_info", slots)] if draw.chance(0.5) else asked)
        if turn.kind == "fix":
            fixed = hand.fix(case, slots, solved=solved)
            return f"{fixed} {hand.say('fix_more', slots)}" if not solved and draw.chance(0.65) else fixed
        update = "update_first" if first else "update"
        kinds = {"update": update, "check": "check_in", "after": "after_fix"}
        return hand.say(kinds.get(turn.kind, "forwarded"), slots)

    def _note(self, case: Case, turn: Turn, slots: dict[str, str]) -> str:
        """A note of somebody in the house, forwarded below the letter."""
        who = self.draw.pick(("Workshop", "Warehouse", "Dispatch", "Technical desk"))
        note = self.hand.say("note_body", slots | {"product": slots["full"]})
        address = f"{who.split()[0].lower()}@{self.branch.plan.mail_domain}"
        return f"\n\n---- Forwarded Message ----\nFrom: {who} <{address}>\nSubject: {case.number}\n\n{note}"

    def _subject(self, case: Case, turn: Turn, before: Draft | None) -> str:
        if turn.kind == "trouble" or not self.quoting:
            return case.subject
        if turn.kind == "away":
            return f"Automatic reply: Re: {case.subject} [{case.number}]"
        if turn.kind == "received":
            return f"We have your message [{case.number}]"
        if turn.kind == "adds" and self.draw.chance(0.5):
            return f"{case.line.item.short}, {case.line.order_number}"
        if turn.kind == "forwarded":
            return f"Fwd: {case.subject} [{case.number}]"
        return f"Re: {case.subject} [{case.number}]" if before or case.origin != "Phone" else case.subject

    def _quoted(self, turn: Turn, before: Draft | None) -> str:
        if before is None or not self.quoting or turn.kind in (*_APART, "forwarded") or not self.draw.chance(QUOTED):
            return ""
        name = before.case.line.person.name if before.turn.inbound else before.agent.name
        if before.turn.kind == "received":
            name = self.branch.plan.company
        lines = "\n".join(f"> {line}" if line else ">" for line in before.own.splitlines())
        return f"\n\nOn {_stamp(before.turn.at)}, {name} wrote:\n{lines}"

    def row(self, draft: Draft, record_id: str, *, first: bool) -> Row:
        """The record of a letter; the first one goes to the desk, later ones to whoever has the case."""
        case, turn, agent = draft.case, draft.turn, draft.agent
        person = case.line.person
        sender = person.email if turn.inbound else self.desk if turn.kind == "received" else agent.email
        return {
            "Id": record_id, "Subject": draft.subject, "TextBody": draft.body, "MessageDate": turn.at,
            "ParentId": case.id, "RelatedToId": case.id, "FromAddress": sender,
            "ToAddress": (self.desk if first else agent.email) if turn.inbound else person.email,
            "ToIds": agent.id if turn.inbound else person.id,
        }  # fmt: skip

    def tell(self, draft: Draft, record_id: str) -> None:
        """What stands in a letter that was not only quoted."""
        own = draft.own.partition("\n\n---- Forwarded")[0]
        agent = draft.turn.kind != "received" and not draft.turn.inbound
        names = {"agent": draft.agent.name} if agent else {}
        self.hand.tell_said(record_id, ("EmailMessage", "TextBody"), own, particulars(draft.case, names))


def _solving(turns: list[Turn]) -> int:
    """The place of a result that is followed by the end of the matter, so that it can be a good one; -1 for none."""
    for place in range(len(turns) - 1):
        if turns[place].kind == "result" and turns[place + 1].kind == "fix":
            return place
    return -1


def _stamp(at: datetime) -> str:
    day, month = DAYS[at.weekday()][:3], MONTHS[at.month - 1][:3]
    return f"{day}, {month} {at.day}, {at.year} at {at.hour:02d}:{at.minute:02d}"
