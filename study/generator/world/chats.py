"""Chats: short turns with the time of each, from greeting to good-bye."""

from __future__ import annotations

from datetime import datetime, timedelta

from study.generator.world.cases import Case
from study.generator.world.catalogue import Row
from study.generator.world.identifiers import Ids, foreign_id
from study.generator.world.phrases import with_slips
from study.generator.world.timing import NOW
from study.generator.world.writing import SLIPS, Hand, slots_of

Said = tuple[str, str]
# What can be tried while one chats; everything else is settled without.
AT_ONCE = {
    "Ignition fault", "Temperature reading wrong", "App connection problem", "Assembly question", "Gas smell or leak",
}  # fmt: skip


def make_chats(seed: int, cases: list[Case]) -> list[Row]:
    """One transcript per case that came in by chat."""
    hand, ids = Hand(seed, "chats"), Ids(seed, "LiveChatTranscript")
    rows = []
    for case in cases:
        if case.origin != "Chat":
            continue
        ends, body = _timed(hand, case, _conversation(hand, case))
        customer = case.line.customer
        rows.append(
            {
                "Id": ids.next(),
                "Body": body,
                "EndTime": ends,
                "CaseId": case.id,
                "AccountId": customer.account_id,
                "ContactId": customer.contact_id,
                "OwnerId": case.hands[0].agent.id,
                "LiveChatVisitorId": foreign_id(hand.draw, "5LW"),
            }
        )
    return rows


def _conversation(hand: Hand, case: Case) -> list[Said]:
    agent, draw = case.hands[0].agent, hand.draw
    slots = slots_of(case, draw, agent)
    turns: list[Said] = [("agent", hand.line("chat_hello_agent", slots)), ("customer", case.description)]
    turns += [
        ("agent", hand.line("chat_ack", slots)),
        ("customer", hand.line("chat_order", slots)),
        ("agent", hand.line("chat_found", slots)),
        ("customer", hand.line("chat_yes", slots)),
    ]
    solved = case.issue.name in AT_ONCE and draw.chance(0.5)
    if case.issue.name in AT_ONCE:
        turns.append(("agent", hand.steps(case, slots)))
        for _ in range(draw.whole(0, 2)):
            turns += [("customer", hand.line("chat_wait", slots)), ("agent", hand.line("chat_check", slots))]
        turns.append(("customer", hand.result(case, slots, solved=solved)))
    if len(case.hands) > 1 or case.closed is None:
        turns.append(("agent", hand.line("chat_later", slots)))
    else:
        turns.append(("agent", hand.fix(case, slots, solved=solved)))
    if draw.chance(0.35):
        asked = draw.pick(("time", "mail", "home", "price"))
        turns += [("customer", hand.line(f"chat_{asked}", slots)), ("agent", hand.line(f"chat_{asked}_answer", slots))]
    turns += [("customer", hand.line("chat_end_customer", slots)), ("agent", hand.line("chat_end_agent", slots))]
    if draw.chance(0.12):
        turns = turns[: draw.whole(7, len(turns) - 1)]  # people leave without a word
    return turns


def _timed(hand: Hand, case: Case, turns: list[Said]) -> tuple[datetime, str]:
    """The end of the chat and its text; chats begin when the case is opened and end before it is closed."""
    customer, agent = case.line.customer, case.hands[0].agent
    at, seconds = case.created, [hand.draw.whole(8, 25) + min(len(text) // 4, 60) for _who, text in turns]
    room = ((case.closed or NOW) - at).total_seconds() - 10
    scale = min(1.0, room / (sum(seconds) + 1))
    written = []
    for (who, text), gap in zip(turns, seconds, strict=True):
        at += timedelta(seconds=max(1, int(gap * scale)))
        name = f"{agent.first} {agent.last}" if who == "agent" else f"{customer.first} {customer.last}"
        said = text if who == "agent" else with_slips(text, hand.draw, SLIPS[customer.manner])
        written.append(f"[{at.strftime('%H:%M:%S')}] {name}: {said.replace(chr(10), ' ')}")
    return at, "\n".join(written)
