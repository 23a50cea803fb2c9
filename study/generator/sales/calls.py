"""Call plans: who talks with whom when, about what, and the particulars that can be said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.things import FACTORS, STAGES, Call, Quote
from study.generator.sales.hours import Hours
from study.generator.sales.leads import STATUSES, Progress
from study.generator.sales.pipeline import Life
from study.generator.sales.sentences import day_text, money
from study.generator.sales.sharing import scattered

# Calls of an open deal by the place of its stage; won and lost ones have weights of their own.
_WEIGHTS = (0.7, 1.5, 2.4, 3.2)
_WON, _LOST = 4.0, 1.3


class CallPlans:
    """Plans the calls of leads and deals; together there are exactly as many as the branch is to have."""

    def __init__(self, branch: Branch, calendar: Calendar) -> None:
        self.branch, self.draw = branch, branch.draw("calls")
        self.minutes = float(branch.plan.latent("SalesConversation", "minutes", 14))
        self.sigma = float(branch.plan.latent("SalesConversation", "sigma", 0.45))
        raw = branch.plan.material.selling.raw.get("bant", {})
        self.amount, self.months = float(raw.get("amount", 10000)), int(raw.get("months", 6))
        self.hours = Hours(branch, calendar)
        self.latest = branch.now - timedelta(minutes=75)

    def plan_leads(self, found: Sequence[Progress]) -> int:
        """The calls with leads; tells how many."""
        for progress in found:
            if progress.calls:
                self._lead(progress)
        return sum(progress.calls for progress in found)

    def plan_deals(self, lives: Sequence[Life], total: int) -> None:
        """``total`` calls about deals, more of those that came further."""
        if not lives or total <= 0:
            return
        even = not self.branch.plan.ingredients.skew
        weights = [1.0 if even else round(self._weight(life) * self.draw.lognormal(0.6), 4) for life in lives]
        counts = scattered(self.draw, total, weights, most=max(14, -(-total // len(lives)) + 1))
        for life, n in zip(lives, counts, strict=True):
            if n:
                self._deal(life, n)

    @staticmethod
    def _weight(life: Life) -> float:
        if life.deal.won:
            return _WON
        return _LOST * (1 + 0.4 * life.reached) if life.lost else _WEIGHTS[life.reached]

    def _moments(self, first: datetime, last: datetime, n: int) -> list[datetime]:
        """``n`` moments in office hours between two, no two at the same time."""
        draw, found = self.draw, list[datetime]()
        span = last - first
        bound = max(min(last, self.latest), first + timedelta(minutes=5))
        for share in sorted(draw.between(0.0, 0.97, 4) for _ in range(n)):
            found.append(min(self.hours.after(first + span * share, first, draw), bound))
        found.sort()
        for place in range(1, n):
            found[place] = max(found[place], found[place - 1] + timedelta(minutes=draw.whole(61, 90)))
        for place in range(n - 1, -1, -1):  # too many for the last hours: the ones before move back
            found[place] = max(min(found[place], bound), first)
            bound = found[place] - timedelta(minutes=draw.whole(61, 90))
        return found

    def _call(self, start: datetime, life: Life | None, progress: Progress | None, topic: str) -> Call:
        minutes = min(max(3, round(self.minutes * self.draw.lognormal(self.sigma))), 55)
        end = start + timedelta(minutes=minutes, seconds=self.draw.whole(0, 59))
        member = life.deal.owner if life else progress.lead.owner if progress else self.branch.members[0]
        return Call("", start, end, member, topic)

    def _lead(self, progress: Progress) -> None:
        lead, n = progress.lead, progress.calls
        first = lead.created + timedelta(minutes=20)
        moments = self._moments(first, max(progress.until, first + timedelta(hours=2)), n)
        # Where the lead stands at the time of a call; what it comes to in the end is reached in the last one.
        last = STATUSES.index(lead.status) if lead.status != "Closed" else 4 if lead.converted else 2
        for place, at in enumerate(moments):
            step = 1 + round((last - 1) * place / max(n - 1, 1)) if n > 1 else max(last, 1)
            lead.calls.append(self._call(at, None, progress, STATUSES[min(step, 4)]))
        settle(self.draw, lead.calls, lead.missing or ())
        for call in lead.calls:
            call.facts = self._lead_facts(progress, call)

    def _lead_facts(self, progress: Progress, call: Call) -> dict[str, str]:
        """What is said of budget and time fits whether the factor is met in this call."""
        lead, draw = progress.lead, self.draw
        facts = {
            "contact": lead.name, "company": lead.company or lead.name, "member": call.member.name, "need": lead.need,
        }  # fmt: skip
        if "Budget" in call.settles:
            met, part = call.settles["Budget"], draw.between(0.05, 0.95, 2)
            low, high = (1.0, 3.5) if met else (0.15, 0.9)
            facts["budget"] = money(round(self.amount * (low + (high - low) * part * part) / 250) * 250)
        if "Timeline" in call.settles:
            met = call.settles["Timeline"]
            facts["months"] = str(draw.whole(1, self.months - 1) if met else draw.whole(self.months + 3, 18))
        later = self.hours.day(call.end.date() + timedelta(days=draw.whole(2, 15)))
        facts["next_day"] = day_text(later)
        return facts

    def _deal(self, life: Life, n: int) -> None:
        deal = life.deal
        first = deal.created + timedelta(minutes=10)
        last = life.end if not life.open else min(life.end, deal.created + timedelta(days=max(life.days, 12)))
        for at in self._moments(first, max(last - timedelta(minutes=70), first + timedelta(minutes=30)), n):
            topic = max((stage for stage, begun in deal.entered.items() if begun <= at), key=STAGES.index)
            call = self._call(at, life, None, topic)
            call.facts = self._deal_facts(life, call)
            deal.calls.append(call)

    def _deal_facts(self, life: Life, call: Call) -> dict[str, str]:
        deal, draw = life.deal, self.draw
        facts = {
            "contact": deal.person.name, "company": deal.party.name, "member": call.member.name, "need": deal.need,
        }  # fmt: skip
        if deal.lines:
            line = draw.pick(deal.lines)
            facts["product"], facts["quantity"] = line.item.short, str(line.quantity)
        quotes: list[Quote] = [quote for quote in deal.quotes if quote.created <= call.start]
        if quotes:
            quote = quotes[-1]
            facts["quote"], facts["amount"] = quote.number, money(quote.total)
            facts["valid_until"] = day_text(quote.expires.date())
            discount = max((line.discount for line in quote.lines), default=0.0)
            if discount:
                facts["discount"] = f"{discount:g}"
        elif call.topic != "Qualification":
            facts["budget"] = money(max(round(deal.amount / 500) * 500, 500))
        if call.topic in ("Quote", "Negotiation"):
            offered = [(name, offer) for name, offer in deal.competitors.items() if offer]
            if offered:
                facts["competitor"], facts["offer"] = offered[0][0], money(offered[0][1])
        if deal.contract and deal.contract.company_signed and call.topic == "Closed":
            facts["signed"] = day_text(deal.contract.company_signed)
        later = self.hours.day(call.end.date() + timedelta(days=draw.whole(2, 15)))
        facts["next_day"] = day_text(later)
        return facts


def settle(draw: Draw, calls: Sequence[Call], missing: Sequence[str]) -> None:
    """BANT: every factor is spoken of in one of the calls at least. What was said earlier may be the other way round
    (a budget that is granted later, a signature that turns out to be somebody else's); what was said last holds."""
    if not calls:
        return
    for factor in FACTORS:
        met = factor not in missing
        last = draw.whole(0, len(calls) - 1)
        calls[last].settles[factor] = met
        if last and draw.chance(0.3):
            before = draw.whole(0, last - 1)
            calls[before].settles[factor] = met if draw.chance(0.45) else not met
