"""What can be said about a deal or a lead at some moment, as words for the slots of phrases.

A slot is there only if it is true by then: no quote before it was made, no competitor before one is known. What nobody
records (a room, a boss, a deadline) is drawn once for each deal or lead, so that its calls and letters agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from study.generator.groundwork.draw import Draw
from study.generator.groundwork.things import Call, Deal, DealLine, Lead, Manner, Member, Person, Quote, QuoteLine
from study.generator.talk.wording import (
    MONTHS,
    NUMBERS,
    WEEKDAYS,
    Wording,
    day_text,
    is_service,
    item_slots,
    line_slots,
    money,
    month_text,
    season_of,
    working_days,
)

PERSONAS = ("talkative", "brisk", "technical", "hesitant", "cheerful", "plain")
_BY_MANNER = {
    "plain": (3, 2, 2, 2, 2, 4), "polite": (4, 1, 2, 3, 3, 2), "terse": (0, 5, 3, 1, 0, 2), "hasty": (3, 4, 0, 2, 3, 1),
}  # fmt: skip


@dataclass
class Topic:
    """A deal or a lead as something to talk about, with what is drawn once for all of its texts."""

    first: str
    last: str
    title: str
    manner: Manner
    account: str
    persona: str
    lasting: dict[str, str]
    deal: Deal | None = None
    lead: Lead | None = None
    # Where in its lines the texts begin, so that not all speak of the same two.
    place: int = 0
    said: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"


def topic_of(wording: Wording, of: Deal | Lead) -> Topic:
    """The lasting particulars of a deal or lead; the same for calls and letters."""
    person: Person | Lead = of.person if isinstance(of, Deal) else of
    draw = wording.branch.draw(f"talk {of.id}")
    account = of.party.name if isinstance(of, Deal) else of.company or of.name
    persona = draw.weighted(PERSONAS, _BY_MANNER[person.manner])
    city = of.party.city if isinstance(of, Deal) else ""
    topic = Topic(person.first, person.last, person.title, person.manner, account, persona, {}, place=draw.whole(0, 99))
    topic.lasting = _lasting(wording, of.need, draw) | {
        "first": person.first, "last": person.last, "full": person.name, "need": of.need, "topic_word": of.need,
        "city": city or of.party.city if isinstance(of, Deal) else _state_city(wording, of, draw),
    }  # fmt: skip
    if isinstance(of, Lead) and "Need" in (of.missing or ()):
        topic.lasting["topic_word"] = "our products"
    if account != person.name:
        topic.lasting["account"] = account
    if isinstance(of, Deal):
        topic.deal = of
    else:
        topic.lead = of
    return topic


def _lasting(wording: Wording, need: str, draw: Draw) -> dict[str, str]:
    rules, material = wording.phrases.grammar.rules, wording.plan.material
    found = {"spouse": draw.pick(("wife", "husband")), "n_word": NUMBERS[draw.whole(2, 9)]}
    for rule in ("relative", "season_goal", "on_place", "our_city", "papers", "boss"):
        found[rule] = draw.pick(rules[rule]).format_map(found)
    fitting = next((rule for word, rule in wording.sites if word in need.lower()), "site")
    found["site"] = draw.pick(rules[fitting]).format_map(found)
    found["your_boss"] = re.sub(r"^(my|our) ", "your ", found["boss"])
    found["n"], found["n2"] = str(draw.whole(8, 19)), str(draw.whole(7, 14))
    found["percent"] = draw.pick(("8 percent", "10 percent", "12 percent", "15 percent", "20 percent"))
    found["lead_time"] = draw.pick(("three weeks", "four weeks", "five weeks", "six weeks", "two weeks"))
    found["signer"] = f"{draw.pick(material.first_names)} {draw.pick(material.last_names)}"
    found["company"] = wording.plan.company
    return found


def _state_city(wording: Wording, lead: Lead, draw: Draw) -> str:
    places = [place.city for place in wording.plan.material.places if place.state == lead.state]
    return draw.pick(places) if places else wording.plan.material.places[0].city


def _moment_slots(at: datetime, draw: Draw) -> dict[str, str]:
    """Words for days and times around a moment."""
    today = at.date()
    day, other = draw.some(working_days(today)[:4], 2)
    back = today - timedelta(days=draw.whole(1, 3))
    while back.weekday() >= 5:
        back -= timedelta(days=1)
    return {
        "weekday": WEEKDAYS[day.weekday()], "weekday2": WEEKDAYS[other.weekday()],
        "last_weekday": WEEKDAYS[back.weekday()], "this_weekday": WEEKDAYS[today.weekday()],
        "season": season_of(today), "month": month_text(today, draw.whole(1, 3)), "month_now": MONTHS[today.month - 1],
        "last_month": MONTHS[today.month - 2],
        "daypart": "morning" if at.hour < 12 else "afternoon" if at.hour < 17 else "evening",
        "daypart2": draw.pick(("morning", "afternoon")), "today_or": draw.pick(("today", "tonight", "tomorrow")),
        "clock": draw.pick(("9", "9:30", "10", "10:15", "11", "1:30", "2", "2:30", "3", "3:15", "4")),
    }  # fmt: skip


def quote_at(deal: Deal, at: datetime) -> Quote | None:
    """The newest quote there is at a moment."""
    made = [quote for quote in deal.quotes if quote.created <= at]
    return max(made, key=lambda quote: quote.created) if made else None


def _goods(topic: Topic, quote: Quote | None, wording: Wording) -> dict[str, str]:
    """Two products: of the quote, else of the deal, else two that somebody might think of."""
    deal = topic.deal
    lines: Sequence[QuoteLine | DealLine] = quote.lines if quote and quote.lines else deal.lines if deal else ()
    if not lines:
        items = wording.things
        first, second = items[topic.place % len(items)], items[(topic.place * 7 + 3) % len(items)]
        return item_slots(first, second, 2 + topic.place % 7)
    # People talk about things; a service is named where there is nothing else.
    found = [line for line in lines if not is_service(line.item.name)] or lines
    at = topic.place % len(found)
    topic.place += 1
    return line_slots(found[at], found[(at + 1) % len(found)] if len(found) > 1 else None)


def slots_at(wording: Wording, topic: Topic, member: Member, at: datetime) -> dict[str, str]:
    """Everything that can be said of a deal or lead at a moment by ``member`` or to them."""
    deal, draw = topic.deal, wording.draw
    quote = quote_at(deal, at) if deal else None
    slots = topic.lasting | _moment_slots(at, draw) | _goods(topic, quote, wording)
    slots |= {"me": member.first, "me_full": member.name}
    if quote:
        discount = max((line.discount for line in quote.lines), default=0.0)
        slots |= {
            "quote": quote.number or quote.name, "quote_date": day_text(quote.created.date()),
            "expiry": day_text(quote.expires.date()), "quote_total": money(quote.total),
            "lines": NUMBERS[len(quote.lines)] if len(quote.lines) < 13 else str(len(quote.lines)),
        }  # fmt: skip
        if discount:
            slots["discount"] = f"{discount:g} percent"
    amount = quote.total if quote else deal.amount if deal else 0.0
    if amount:
        slots["total"] = money(max(100, round(amount / 100) * 100))
    return slots


def letter_slots(wording: Wording, topic: Topic, member: Member, at: datetime, by_size: bool = False) -> dict[str, str]:
    """The same for a letter: with the day of a meeting, titles, and what is signed and ordered by then.

    ``by_size``: the two products are those of the biggest lines.
    """
    slots, draw, deal = slots_at(wording, topic, member, at), wording.draw, topic.deal
    day = draw.pick(working_days(at.date())[1:7])
    slots |= {
        "me_title": member.title, "meet_day": f"{WEEKDAYS[day.weekday()]}, {day_text(day)}",
        "back_day": day_text(draw.pick(working_days(at.date())[3:])),
    }  # fmt: skip
    if deal is None:
        return slots
    contract = deal.contract
    if contract and contract.company_signed and deal.ended and at >= deal.ended:
        slots["signed_day"] = day_text(contract.company_signed)
        if contract.order_number:
            slots["order"] = contract.order_number
    quote = quote_at(deal, at)
    if quote and by_size:
        lines = sorted(quote.lines, key=lambda line: -line.total)
        slots |= line_slots(lines[0], lines[1] if len(lines) > 1 else None)
    if quote:
        for name, offer in deal.competitors.items():
            if offer:
                slots |= {"competitor": name, "offer": money(offer)}
                break
    return slots


def call_slots(wording: Wording, topic: Topic, call: Call) -> dict[str, str]:
    """The same for a call, whose plan has particulars of its own."""
    slots, facts = slots_at(wording, topic, call.member, call.start), call.facts
    for name, slot in (("quote", "quote"), ("amount", "quote_total"), ("valid_until", "expiry"), ("offer", "offer")):
        if name in facts:
            slots[slot] = facts[name]
    if "discount" in facts:
        slots["discount"] = f"{facts['discount']} percent"
    if "product" in facts and facts.get("quantity", "").isdigit():
        slots |= _of_facts(wording, facts["product"], int(facts["quantity"]))
    slots |= _next_day(call, wording)
    slots["amount"] = slots["below"] = facts.get("budget", "")
    months = int(facts.get("months", "3"))
    slots |= {
        "months_word": NUMBERS[months] + (" month" if months == 1 else " months"),
        "by_month": month_text(call.start.date(), months), "late_month": month_text(call.start.date(), months),
        "late_word": "a year" if months == 12 else f"{NUMBERS[min(months, 18)]} months",
    }  # fmt: skip
    return slots


def _of_facts(wording: Wording, short: str, quantity: int) -> dict[str, str]:
    item = wording.by_short.get(short)
    if item is None or is_service(item.name):
        return {}
    made = item_slots(item, item, quantity)
    return {name: made[name] for name in ("product", "short", "qty", "count", "unit", "hint", "wrong_n", "wrong_count")}


def _next_day(call: Call, wording: Wording) -> dict[str, str]:
    """The day of the next step: as planned ("March 14"), or within the week."""
    draw, text = wording.draw, call.facts.get("next_day")
    day = _read_day(text, call.end.date()) if text else None
    if day is None:
        day = draw.pick(working_days(call.end.date())[:6])
        text = day_text(day)
    weekday = WEEKDAYS[day.weekday()]
    return {
        "next_weekday": weekday, "next_day": text or day_text(day),
        "on_day": draw.pick(
            (f"on {weekday}, {text}", f"on {text}", f"on {weekday}, that's {text}", f"{weekday}, {text}")
        ),
        "by_day": draw.pick((f"by {weekday}, {text}", f"by {text}", f"before {weekday}, {text}")),
    }  # fmt: skip


def _read_day(text: str, after: date) -> date | None:
    """The first such day on or after another; None for what is no day."""
    month, _, number = text.partition(" ")
    if month not in MONTHS or not number.isdigit():
        return None
    for year in (after.year, after.year + 1):
        try:
            day = date(year, MONTHS.index(month) + 1, int(number))
        except ValueError:
            continue
        if day >= after:
            return day
    return None
