"""Opportunities as they go: who has them, how long they take, which are won, lost or still open, at which stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.draw import apportioned
from study.generator.groundwork.things import STAGES, Deal, Lead, Stage
from study.generator.sales.buyers import Buyers
from study.generator.sales.hours import Hours
from study.generator.sales.owners import Owners
from study.generator.sales.sharing import chosen
from study.generator.sales.words import Project, Words

QUOTE = STAGES.index("Quote")
CLOSED = STAGES.index("Closed")
# Median days from a first talk to a signature: companies take longer than households.
_DAYS = {True: 34, False: 72}
_SPREAD = 0.18
# Part of the deals that came in during the last fifteen months beyond their share: open deals are mostly young.
_RECENT, _RECENT_DAYS = 0.22, 450
# Where the deals that are not decided stand.
_OPEN = (20, 27, 28, 25)
_LOST = (18, 28, 30, 24)
_PROBABLE: dict[Stage, tuple[int, ...]] = {
    "Qualification": (10, 10, 10, 15, 20), "Discovery": (25, 30, 30, 35), "Quote": (50, 50, 55, 60),
    "Negotiation": (70, 75, 75, 80, 90), "Closed": (100,),
}  # fmt: skip


@dataclass
class Life:
    """A deal with what only its making needs. ``reached`` is the place of the furthest stage that was worked on,
    leaving the end apart; ``end`` is when it was decided or, of an open one, today."""

    deal: Deal
    project: Project
    territory: int
    days: int
    planned: datetime
    lead: Lead | None = None
    reached: int = 0
    end: datetime = field(default=datetime.min)
    book: int = 0
    size: float = 1.0
    # The recorded stage is not the true one; tasks not started do not fit the recorded one.
    wrong: bool = False
    unfit: bool = False

    @property
    def lost(self) -> bool:
        return self.deal.won is False

    @property
    def open(self) -> bool:
        return self.deal.won is None


class Pipeline:
    """Makes the deals of a branch, in the order of their creation."""

    def __init__(
        self, branch: Branch, calendar: Calendar, owners: Owners, words: Words, leads: Sequence[Lead],
    ) -> None:  # fmt: skip
        self.branch, self.calendar, self.owners, self.words = branch, calendar, owners, words
        self.hours = Hours(branch, calendar)
        self.draw = branch.draw("deals")
        self.leads = sorted((lead for lead in leads if lead.converted), key=lambda lead: lead.created)
        self.buyers = Buyers(branch, list(leads))

    def made(self) -> list[Life]:
        lives = sorted(self._begun(), key=lambda life: life.deal.created)
        self._decide(lives)
        for life in lives:
            self._pass_through(life)
        mark_wrong(self.branch, lives)
        for life in lives:
            deal = life.deal
            decided = 100 if deal.won else 0
            deal.probability = self.draw.pick(_PROBABLE[deal.stage]) if life.open else decided
        return lives

    def _begun(self) -> list[Life]:
        n = self.branch.counts.get("Opportunity", 0)
        first = [self._from_lead(lead) for lead in self.leads[: int(n * 0.45)]]
        found = [life for life in first if life is not None]
        rest = n - len(found)
        recent = 0
        if self.branch.plan.ingredients.cycles:
            recent = int(rest * _RECENT)
        since = max(self.branch.first_day, self.branch.today - timedelta(days=_RECENT_DAYS))
        last = self.branch.today - timedelta(days=1)
        moments = self.calendar.arrivals(self.draw, rest - recent, last=last)
        moments += self.calendar.arrivals(self.draw, recent, since, last)
        found += [self._one(at) for at in moments]
        return found

    def _from_lead(self, lead: Lead) -> Life | None:
        """The deal that a conversion opens, the same day or within the week."""
        if lead.converted is None or lead.party is None or lead.person is None:
            return None
        day = self.hours.day(lead.converted + timedelta(days=self.draw.whole(1, 6)))
        if day >= self.branch.today:
            return None
        at = self.calendar.at_work(day, self.draw)
        project = next((p for p in self.words.projects if p.need == lead.need), self.words.projects[0])
        deal = Deal(
            "", "", lead.party, lead.person, lead.owner, at, day, "Qualification", "Qualification", None, lead.need
        )
        life = self._life(deal, project)
        life.lead = lead
        return life

    def _one(self, at: datetime) -> Life:
        at = self.hours.near(at, self.draw)
        if at.date() < self.branch.first_day:
            at = self.calendar.at_work(self.hours.day(self.branch.first_day), self.draw)
        party, person = self.buyers.on(at)
        if party.since > at:  # nobody was there yet: the first account brings its first deal
            at = min(self.hours.after(party.since + timedelta(days=1), party.since, self.draw), self.hours.latest)
        project = self.draw.pick(self.words.projects)
        owner = self.owners.owner(self.draw, self.owners.territory(party.state), at.date())
        deal = Deal(
            "", "", party, person, owner, at, at.date(), "Qualification", "Qualification", None, project.need
        )  # fmt: skip
        return self._life(deal, project)

    def _life(self, deal: Deal, project: Project) -> Life:
        plan = self.branch.plan
        pace = self.owners.pace(deal.owner)
        days = max(6, round(_DAYS[plan.consumer] * pace * plan.timing.pace * self.draw.lognormal(_SPREAD)))
        planned = self.hours.about(deal.created + timedelta(days=days), self.draw)
        size = self.draw.lognormal(0.35) * self.owners.size(deal.owner)
        return Life(deal, project, self.owners.territory(deal.party.state), days, planned, size=round(size, 3))

    def _decide(self, lives: list[Life]) -> None:
        """Which deals are won (as many as there are contracts), which are open, and which are lost."""
        counts, now = self.branch.counts, self.branch.now
        wins = min(counts.get("Contract", 0), counts.get("Order", 0), counts.get("Quote", 0), len(lives))
        ripe = [life for life in lives if life.planned + timedelta(hours=4) <= now]
        if len(ripe) < wins:  # a very small branch: the oldest deals are decided early
            for life in lives[:wins]:
                life.planned = min(life.planned, life.deal.created + (now - life.deal.created) * 0.9)
            ripe = lives[:wins] + [life for life in ripe if life not in lives[:wins]]
        for life in self._winners(ripe, wins):
            life.deal.won, life.end = True, life.planned
        rest = [life for life in ripe if life.deal.won is None]
        wanted = open_share(len(lives)) - (len(lives) - len(ripe))
        waiting = chosen(self.draw, rest, max(wanted, 0), [self._chance_to_wait(life) for life in rest])
        still = {id(life) for life in waiting}
        for life in rest:
            if id(life) not in still:
                life.deal.won, life.end = False, self._given_up(life)
        for life in lives:
            if life.deal.won is None:
                life.end = now

    def _winners(self, ripe: list[Life], wins: int) -> list[Life]:
        """Of each half-year as large a part, mostly those of sellers who are good and in form."""
        halves: dict[tuple[int, bool], list[Life]] = {}
        for life in ripe:
            halves.setdefault((life.planned.year, life.planned.month > 6), []).append(life)
        groups = [halves[key] for key in sorted(halves)]
        parts = apportioned(wins, [len(group) for group in groups]) if groups else []
        return [
            life
            for group, part in zip(groups, parts, strict=True)
            for life in chosen(self.draw, group, part, [self._chance_to_win(life) for life in group])
        ]

    def _given_up(self, life: Life) -> datetime:
        """Lost deals end a little earlier or later than they would have been won."""
        day = self.hours.day(
            life.deal.created.date() + timedelta(days=max(4, round(life.days * self.draw.between(0.5, 1.3))))
        )
        return min(self.calendar.at_work(day, self.draw), self.branch.now - timedelta(hours=2))

    def _chance_to_win(self, life: Life) -> float:
        return self.owners.skill(life.deal.owner, life.planned.date())

    def _chance_to_wait(self, life: Life) -> float:
        """The younger a deal, the more likely it is open still."""
        part = (self.branch.now - life.deal.created).days / 230
        return round(1 / (1 + part * part), 6)

    def _pass_through(self, life: Life) -> None:
        """When each stage began; the stage it is at; a leaver's open deals go to somebody else."""
        deal, draw, now = life.deal, self.draw, self.branch.now
        if deal.won:
            life.reached = CLOSED - 1
        elif life.lost:
            life.reached = draw.weighted(range(4), _LOST)
        else:
            life.reached = self._standing(life)
            if not deal.owner.works_on(self.branch.today):
                deal.owner = self.owners.successor(draw, life.territory, deal.created.date())
        worked = life.end
        if life.open:
            worked = min(now - timedelta(hours=3), deal.created + timedelta(days=life.days))
        stages = STAGES[: life.reached + 1]
        cuts = sorted(draw.between(0.08, 0.9, 3) for _ in stages[1:])
        deal.entered = {"Qualification": deal.created}
        for stage, cut in zip(stages[1:], cuts, strict=True):
            deal.entered[stage] = deal.created + (worked - deal.created) * cut
        if life.open:
            deal.true_stage = stages[-1]
        else:
            deal.true_stage, deal.ended = "Closed", life.end
            deal.entered["Closed"] = life.end
        deal.stage = deal.true_stage
        deal.closes = self._closing_day(life)

    def _standing(self, life: Life) -> int:
        """How far an open deal is: by its age where it is young, somewhere where it was left behind."""
        part = (self.branch.now - life.deal.created) / timedelta(days=life.days)
        if part < 1:
            return min(int(part * 4 + self.draw.between(-0.4, 0.4)), 3) if part > 0.1 else 0
        return self.draw.weighted(range(4), _OPEN)

    def _closing_day(self, life: Life) -> date:
        """Of open deals what the owner hopes for: soon, or a day that has passed and was never moved."""
        deal, today = life.deal, self.branch.today
        if deal.ended is not None:
            return deal.ended.date()
        if life.planned.date() > today:
            return life.planned.date()
        if self.draw.chance(0.35):
            return life.planned.date()
        return self.hours.day(today + timedelta(days=self.draw.whole(4, 100)))


def open_share(n: int) -> int:
    """How many of ``n`` deals are open: less of a larger pipeline."""
    return max(round(0.3 * n), min(round(0.38 * n), 450))


def mark_wrong(branch: Branch, lives: Sequence[Life]) -> None:
    """WrongStage and WrongPriority: open deals whose owner forgot to move them on, or to clear their list of tasks.

    Enough of them to ask about, even where a branch is small; never both on one deal.
    """
    draw, plan = branch.draw("wrong stages"), branch.plan
    still = [life for life in lives if life.open]
    for name, most, mark in (("WrongStage", 0.34, "wrong"), ("WrongPriority", 0.34, "unfit")):
        share = float(plan.latent(name, "share", 0.12))
        if share <= 0:
            continue
        n = max(round(share * len(still)), min(round(most * len(still)), 150))
        fit = [life for life in still if not life.wrong and not life.unfit]
        for life in draw.some(fit, min(n, len(fit))):
            setattr(life, mark, True)
    for life in still:
        if life.wrong:
            _misplace(life, draw.share(), draw.share(), branch)


def _misplace(life: Life, way: float, step: float, branch: Branch) -> None:
    """Mostly the record stands at an earlier stage than the work; sometimes at a later one."""
    deal = life.deal
    place = STAGES.index(deal.true_stage)
    if place == 3 and way < 0.25:  # nobody wrote down that it was over
        place = CLOSED
        deal.true_stage = "Closed"
        worked = max(deal.entered.values())
        deal.entered["Closed"] = worked + (branch.now - worked) * 0.4
    if place and (way < 0.78 or place >= 3):
        recorded = place - 1 if step < 0.6 or place == 1 else int(step * 10) % place
    else:
        recorded = place + 1 if step < 0.7 or place == 2 else place + 2
    stage: Stage = STAGES[min(recorded, 3)]
    deal.stage = stage
