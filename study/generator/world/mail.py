"""Letters about a case: customer and agent take turns, and each answer quotes the one before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from study.generator.world.cases import Case
from study.generator.world.catalogue import Row
from study.generator.world.identifiers import Ids
from study.generator.world.material import company
from study.generator.world.people import Agent
from study.generator.world.timing import NOW, in_office
from study.generator.world.writing import Hand, slots_of


@dataclass(frozen=True)
class Letter:
    """``agent`` is None when the customer wrote."""

    agent: Agent | None
    at: datetime
    text: str


def make_mail(seed: int, cases: list[Case]) -> list[Row]:
    hand, ids = Hand(seed, "mail"), Ids(seed, "EmailMessage")
    rows = []
    for case in cases:
        before: Letter | None = None
        for place, letter in enumerate(_thread(hand, case)):
            rows.append(_row(hand, ids, case, letter, before, place))
            before = letter
    return rows


def _thread(hand: Hand, case: Case) -> list[Letter]:
    """The letters in order, all between opening and closing and none after the last day."""
    turns, solved = _plan(hand, case), hand.draw.chance(0.4)
    if not any(kind == "result" for _who, kind in turns):
        solved = False
    ends = case.closed or NOW
    letters: list[Letter] = []
    length = ends - case.created
    for place, (who, kind) in enumerate(turns):
        share = (place + 0.3 + 0.5 * hand.draw.share()) / (len(turns) + 0.3)
        share = 0.0 if who == "customer" and place == 0 else share
        at = case.created + timedelta(seconds=round(length.total_seconds() * share))
        if place and letters:
            at = max(at, letters[-1].at + timedelta(minutes=hand.draw.whole(3, 40)))
        if who == "agent":
            at = max(in_office(at, hand.draw), case.hands[0].since + timedelta(minutes=2))
        if at >= ends:
            at = ends - timedelta(seconds=hand.draw.whole(20, 100))
            if (letters and at <= letters[-1].at) or at <= case.created:
                break
        agent = next(h.agent for h in reversed(case.hands) if h.since <= at or h is case.hands[0])
        moved = letters and agent is not case.hands[0].agent and all(letter.agent is not agent for letter in letters)
        if who == "customer":
            letters.append(Letter(None, at, _from_customer(hand, case, kind, agent, at.date(), solved)))
        else:
            again = any(letter.agent is None for letter in letters[1:])
            text = _from_agent(hand, case, kind, agent, at.date(), bool(moved), again, solved)
            letters.append(Letter(agent, at, text))
    return letters


def _plan(hand: Hand, case: Case) -> list[tuple[str, str]]:
    turns: list[tuple[str, str]] = [("customer", "trouble")] if case.origin == "Email" else []
    if case.origin == "Chat" or case.status == "New" or (case.origin == "Phone" and hand.draw.chance(0.5)):
        return turns
    if case.closed is None:
        answered = [*turns, ("agent", "steps")]
        return answered if case.status != "Working" or hand.draw.chance(0.5) else [*answered, ("customer", "result")]
    if case.origin == "Phone" or hand.draw.chance(0.40):
        return [*turns, ("agent", "fix")]
    turns += [("agent", "steps"), ("customer", "result")]
    return [*turns, ("agent", "fix")] if hand.draw.chance(0.85) else turns


def _from_customer(hand: Hand, case: Case, kind: str, agent: Agent, on: date, solved: bool) -> str:
    customer, draw = case.line.customer, hand.draw
    slots = slots_of(case, draw, agent, on)
    if kind == "trouble":
        body = case.description
        greeting = "" if customer.manner in ("terse", "hasty") else hand.line("hello_customer", slots)
    else:
        said = [hand.line("customer_thanks", slots), hand.result(case, slots, solved=solved)]
        if not solved and draw.chance(0.6):
            said.append(hand.line("customer_tail", slots))
        body = hand.as_typed(" ".join(said), customer.manner)
        greeting = f"Hi {agent.first}," if draw.chance(0.5) else ""
    bye = hand.line("bye_customer", slots) if customer.manner != "hasty" else ""
    name = customer.first if customer.manner in ("terse", "hasty") else f"{customer.first} {customer.last}"
    return "\n\n".join(part for part in (greeting, body, f"{bye}\n{name}".strip()) if part)


def _from_agent(
    hand: Hand, case: Case, kind: str, agent: Agent, on: date, moved: bool, again: bool, solved: bool
) -> str:
    slots = slots_of(case, hand.draw, agent, on)
    opening = "transfer_note" if moved else "agent_thanks" if again else "agent_open"
    said = [hand.line(opening, slots)]
    if kind == "steps":
        said += [hand.steps(case, slots), hand.line("agent_close", slots)]
    else:
        said += [hand.fix(case, slots, solved=solved), hand.line("agent_end", slots)]
    signature = f"{hand.line('bye_agent', slots)}\n{agent.first} {agent.last}\n{company()[0]} Customer Care"
    return "\n\n".join((hand.line("hello_agent", slots), "\n\n".join(said), signature))


def _row(hand: Hand, ids: Ids, case: Case, letter: Letter, before: Letter | None, place: int) -> Row:
    customer, agent = case.line.customer, letter.agent
    subject = case.subject if place == 0 and agent is None else f"Re: {case.subject} [{case.number}]"
    text = letter.text
    if before is not None and hand.draw.chance(0.8):
        name = f"{before.agent.first} {before.agent.last}" if before.agent else f"{customer.first} {customer.last}"
        quoted = "\n".join(f"> {line}" if line else ">" for line in before.text.splitlines())
        text += f"\n\nOn {before.at.strftime('%a, %b')} {before.at.day}, {before.at.year} at "
        text += f"{before.at.strftime('%H:%M')}, {name} wrote:\n{quoted}"
    desk = f"care@{company()[1]}"
    receiver = next(h.agent for h in reversed(case.hands) if h.since <= letter.at or h is case.hands[0])
    return {
        "Id": ids.next(),
        "Subject": subject,
        "TextBody": text,
        "MessageDate": letter.at,
        "ParentId": case.id,
        "RelatedToId": case.id,
        "FromAddress": agent.email if agent else customer.email,
        "ToAddress": customer.email if agent else desk if place == 0 else receiver.email,
        "ToIds": customer.contact_id if agent else receiver.id,
    }
