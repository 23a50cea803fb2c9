"""Leads: who asks, who takes care of them, how far they come, and who becomes a customer."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.things import FACTORS, Lead, Person, Prospect
from study.generator.sales.hours import Hours
from study.generator.sales.owners import Owners
from study.generator.sales.prospects import Prospects
from study.generator.sales.words import Words

STATUSES = ("New", "Contacted", "Qualified", "Proposal", "Negotiation", "Closed")
_UNFIT = {"Budget": 0.32, "Authority": 0.27, "Need": 0.13, "Timeline": 0.28}
_JUNK, _AGAIN, _UNTOUCHED = 0.02, 0.035, 0.09
# Of all calls those with leads take at most this part, so that deals have some.
_CALLS = 0.5


@dataclass
class Progress:
    """What happens to a lead: the last day anybody works on it, and how many calls there are."""

    lead: Lead
    until: datetime
    wanted: float = 1.0
    calls: int = 0
    junk: bool = field(default=False)


class LeadBook:
    """Makes the leads of a branch in the order they come in."""

    def __init__(self, branch: Branch, calendar: Calendar, owners: Owners, words: Words) -> None:
        self.branch, self.calendar, self.owners, self.words = branch, calendar, owners, words
        self.hours = Hours(branch, calendar)
        self.draw = branch.draw("leads")
        self.prospects = Prospects(branch, branch.draw("prospects"))
        self.gaps = branch.plan.ingredients.gaps
        self._free: dict[int, list[Person]] = {}
        people = [person for party in branch.parties for person in party.contacts]
        for person in self.draw.shuffled(people):
            self._free.setdefault(owners.territory(person.party.state), []).append(person)

    def made(self) -> list[Progress]:
        n = self.branch.counts.get("Lead", 0)
        found: list[Progress] = []
        for at in self.calendar.arrivals(self.draw, n):
            found.append(self._one(at, found))
        self._share_calls(found)
        return found

    def _one(self, at: datetime, before: list[Progress]) -> Progress:
        draw = self.draw
        place = self.prospects.place()
        odd = draw.share() if self.gaps else 1.0
        if odd < _JUNK:
            return self._unworked(self._lead(at, self.prospects.junk(place)), junk=True)
        if odd < _JUNK + _AGAIN and before:
            earlier = before[-draw.whole(1, min(12, len(before)))]
            if not earlier.junk:
                return self._unworked(self._lead(at, self.prospects.again(earlier.lead), earlier.lead))
        territory = self.owners.territory(place.state)
        owner = self.owners.owner(draw, territory, at.date(), lead=True)
        if draw.chance(self.owners.converts(owner)):
            won = self._converted(at, territory, owner.id)
            if won is not None:
                won.lead.owner = owner
                return won
        lead = self._lead(at, self.prospects.stranger(place))
        lead.owner = owner
        return self._worked(lead)

    def _lead(self, at: datetime, who: Prospect, like: Lead | None = None) -> Lead:
        draw = self.draw
        owner = like.owner if like else self.owners.owner(draw, self.owners.territory(who.state), at.date(), lead=True)
        need = like.need if like else self.words.need(draw)
        return Lead(
            **vars(who), id="", need=need, owner=owner, created=at, status="New", missing=None,
            source=self.words.source(draw),
        )  # fmt: skip

    def _unworked(self, lead: Lead, junk: bool = False) -> Progress:
        """Junk and people who wrote twice: nobody calls; after a while somebody closes it, mostly."""
        if (self.branch.now - lead.created).days > 20 and self.draw.chance(0.6):
            lead.status = "New" if not junk else "Closed"
        return Progress(lead, lead.created, 0.0, junk=junk)

    def _worked(self, lead: Lead) -> Progress:
        """Somebody calls, finds out, and goes on or gives up."""
        draw, now = self.draw, self.branch.now
        answered = lead.created + timedelta(hours=draw.whole(3, 70))
        if answered > now - timedelta(hours=20) or draw.chance(_UNTOUCHED):
            return Progress(lead, lead.created, 0.0)
        span = max(2, round(26 * draw.lognormal(0.7)))
        until = min(lead.created + timedelta(days=span), now)
        lead.missing = self._missing()
        over = (now - lead.created).days > 2 * span
        if over and draw.chance(0.7):
            lead.status = "Closed"
        elif lead.missing:
            lead.status = draw.weighted(STATUSES[1:5], (5, 3, 1, 0.5))
        else:
            lead.status = draw.weighted(STATUSES[1:5], (2, 4, 3, 2))
        return Progress(lead, until, draw.weighted((1.0, 1.7, 2.6, 4.0), (5, 4, 2, 1)))

    def _missing(self) -> tuple[str, ...]:
        """Which factors fail: none of one lead in four."""
        n = self.draw.weighted((0, 1, 2, 3), (25, 46, 23, 6))
        left, found = dict(_UNFIT), set[str]()
        for _ in range(n):
            factor = self.draw.weighted(list(left), list(left.values()))
            left.pop(factor)
            found.add(factor)
        return tuple(factor for factor in FACTORS if factor in found)

    def _converted(self, at: datetime, territory: int, owner: str) -> Progress | None:
        """Somebody who is in the books today; None where nobody is left who could have come this way."""
        draw = self.draw
        days = max(3, round(19 * draw.lognormal(0.55)))
        last = self.hours.day(at.date() + timedelta(days=days))
        if last > self.branch.today - timedelta(days=1):
            return None
        person = self._newcomer(territory, at.date(), last)
        if person is None:
            return None
        lead = self._lead(at, self.prospects.known(person))
        lead.party, lead.person, lead.converted = person.party, person, last
        lead.status, lead.missing = "Closed", ()
        until = self.calendar.at_work(last, draw)
        return Progress(lead, until, draw.weighted((1.0, 1.7, 2.6, 4.0), (2, 4, 3, 2)))

    def _newcomer(self, territory: int, first: date, last: date) -> Person | None:
        """Somebody whose account came into the books while the lead was open, or had been there before."""
        free = self._free.get(territory, [])
        fit = None
        for place, person in enumerate(free[:40]):
            since = person.party.since.date()
            if first <= since <= last:
                return free.pop(place)
            if since <= last and fit is None:
                fit = place
        return free.pop(fit) if fit is not None else None

    def _share_calls(self, found: list[Progress]) -> None:
        """How many calls each lead gets: one to five, all of them a little less than half of the calls there are."""
        total = int(self.branch.counts.get("VoiceCallTranscript__c", 0) * _CALLS)
        worked = [progress for progress in found if progress.lead.missing is not None]
        for progress in worked[max(total, 0) :]:
            _untouched(progress)
        worked = worked[:total]
        even = not self.branch.plan.ingredients.skew
        left = total - len(worked)
        for progress in worked:
            wish = 1.6 if even else progress.wanted
            more = min(int(wish - 1 + self.draw.share()), 4, left)
            progress.calls = 1 + more
            left -= more


def _untouched(progress: Progress) -> None:
    """There is no call left for it: nobody has worked on it."""
    lead = progress.lead
    lead.status, lead.missing, lead.converted, lead.party, lead.person = "New", None, None, None, None
    progress.until = lead.created
