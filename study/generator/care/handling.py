"""Who takes a case, who hands it on to whom, when it is closed; its history, with exactly as many rows as counted."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from math import sqrt

from study.generator.care.case import Case, Handling
from study.generator.care.cases import LATELY
from study.generator.care.choosing import chosen
from study.generator.care.roster import Roster
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.things import Member, Row

OPEN_SHARE, MOVED_SHARE = 0.08, 0.27
"""Shares of cases that are open on the last day and, roughly, of hand-overs per case."""
ROUTED = 0.82
"""Share of cases that are routed to somebody who knows the issue; the rest goes to whoever works most."""
ELSEWHERE = 0.05
"""Share of cases that somebody takes who rarely does."""
SECOND = 0.12
LEAST_HOURS = 0.4
_SLOWER = 1.35
"""What a hand-over costs: everything takes longer by this factor."""
_REGIONS = (0.5, 0.8, 0.9, 1.0, 1.0, 1.1, 1.3, 1.7)
_SOON = timedelta(minutes=5)


class Desk:
    """The few who handle most cases, and how they do it."""

    def __init__(self, branch: Branch, n: int) -> None:
        self.branch, self.draw, self.calendar = branch, branch.draw("handling"), Calendar(branch.plan)
        self.causes = branch.plan.ingredients.causes
        carers = branch.carers() or branch.members
        size = min(len(carers), max(5, round(7 + 0.55 * sqrt(n)))) if branch.plan.ingredients.skew else len(carers)
        busiest = sorted(carers, key=lambda member: (-member.activity, member.id))
        self.roster = Roster(busiest[:size], self._fit)
        self.others = Roster(carers, lambda member, _: member.activity)
        self.regions = self._regions()
        self._farewells: dict[str, datetime] = {}

    def _fit(self, member: Member, code: str) -> float:
        if not code:
            return member.activity
        skill = round(member.skill.get(code, 0.5), 3)
        fourth = skill * skill * skill * skill
        return round(member.activity * (0.004 + fourth * fourth), 6)

    def _regions(self) -> dict[str, float]:
        """How much longer things take in a state: carriers and technicians are near in some and far away in others."""
        draw = self.branch.draw("regions")
        states = sorted({party.state for party in self.branch.parties})
        return {state: draw.pick(_REGIONS) if self.causes else 1.0 for state in states}

    def _purpose(self, case: Case) -> str:
        return case.issue.code if self.causes and self.draw.chance(ROUTED) else ""

    def take(self, case: Case) -> None:
        """The first owner: at once in a chat, else some minutes after the case came in."""
        seconds = self.draw.whole(2, 7) if case.origin == "Chat" else self.draw.whole(60, 1100)
        taken = case.created + timedelta(seconds=seconds)
        day = taken.date()
        few = None if self.draw.chance(ELSEWHERE) else self.roster.one(self.draw, day, self._purpose(case))
        member = few or self.others.one(self.draw, day, "")
        case.hands = [Handling(member or self.roster.members[0], taken)]

    def ends(self, case: Case, factor: float) -> datetime:
        """When it would be closed, left to its owner: issue, agent, state and chance, in office hours."""
        owner, hours = case.owner, case.issue.hours * self.branch.plan.timing.pace
        hours *= factor * self.draw.lognormal(self.branch.plan.timing.sigma)
        if self.causes:
            skill = owner.skill.get(case.issue.code, 0.5)
            hours *= owner.response * self.regions.get(case.line.party.state, 1.0) * (1.25 - 0.5 * skill)
        if self.draw.chance(0.03):
            hours *= 4
        end = case.created + timedelta(seconds=round(3600 * max(hours, LEAST_HOURS)))
        return max(self.calendar.in_office(end, self.draw), case.hands[-1].since + timedelta(minutes=12))

    def leaves_before(self, case: Case, end: datetime) -> datetime | None:
        """The moment at which the owner's cases are shared out, if they leave before the end."""
        until = case.owner.until
        if until is None or end.date() < until:
            return None
        at = self._farewells.get(case.owner.id)
        if at is None:
            at = datetime.combine(until, time(self.calendar.opens), UTC)
            at += timedelta(minutes=self.draw.whole(5, 90), seconds=self.draw.whole(0, 59))
            self._farewells[case.owner.id] = at
        return at if case.hands[-1].since < at < end - _SOON else None

    def stays(self, case: Case, at: datetime, end: datetime) -> Member | None:
        """Who takes over and stays to the end."""
        found = self.roster.staying(self.draw, at.date(), end.date(), self._purpose(case), but=[case.owner])
        return found or self.others.staying(self.draw, at.date(), end.date(), "", but=[case.owner])


def handle(branch: Branch, cases: list[Case]) -> int:
    """Give every case its owners, its end and its status. Returns how many hand-overs there are."""
    desk = Desk(branch, len(cases))
    for case in cases:
        desk.take(case)
    ends = [desk.ends(case, 1.0) for case in cases]
    open_ = _left_open(branch, desk, cases, ends)
    limits = [branch.now if place in open_ else end for place, end in enumerate(ends)]
    least, most = _room(branch, len(cases), len(open_))
    forced = _leavers(desk, cases, limits, most)
    wanted = min(max(round(MOVED_SHARE * len(cases)), least, sum(forced)), most)
    moves = _moves(desk, cases, limits, forced, wanted)
    for place, case in enumerate(cases):
        end = limits[place]
        if moves[place]:
            end = _handed_on(desk, case, end, moves[place], longer=place not in open_)
        _finished(desk, case, None if place in open_ else end)
    return sum(len(case.hands) - 1 for case in cases)


def _room(branch: Branch, n: int, open_: int) -> tuple[int, int]:
    """Fewest and most hand-overs that the count of history rows leaves, creation rows making up the rest."""
    most = branch.counts["CaseHistory__c"] - n - (n - open_)
    return max(0, most - n), max(0, most)


def _left_open(branch: Branch, desk: Desk, cases: list[Case], ends: list[datetime]) -> dict[int, None]:
    """Who is not done by the last moment, and others of the last weeks until there is as much open work as usual."""
    latest = branch.now - _SOON
    open_ = dict.fromkeys(place for place, case in enumerate(cases) if case.issue.fresh or ends[place] >= latest)
    rows = branch.counts["CaseHistory__c"]
    wanted = max(round(OPEN_SHARE * len(cases)), 2 * len(cases) - rows) - len(open_)
    if wanted > 0:
        ages = [(branch.today - case.created.date()).days for case in cases]
        weights = [
            0.0 if place in open_ else 6.0 if age < LATELY else 1.5 if age < 60 else 0.1 if age < 150 else 0.0
            for place, age in enumerate(ages)
        ]
        free = sum(weight > 0 for weight in weights)
        more = chosen(desk.draw, weights, min(wanted, free))
        if free < wanted:
            rest = [place for place in range(len(cases) - 1, -1, -1) if place not in open_ and not weights[place]]
            more += rest[: wanted - free]
        open_ |= dict.fromkeys(more)
    return open_


def _leavers(desk: Desk, cases: list[Case], limits: list[datetime], most: int) -> list[int]:
    """For each case 1 if its owner leaves before the end; where there is no room for that, somebody else has it."""
    forced, left = [0] * len(cases), most
    for place, case in enumerate(cases):
        until = case.owner.until
        if until is None or limits[place].date() < until:
            continue
        if left > 0 and desk.leaves_before(case, limits[place]) is not None:
            forced[place], left = 1, left - 1
        else:
            member = desk.stays(case, case.hands[0].since, limits[place])
            case.hands[0].member = member or case.owner
    return forced


def _moves(desk: Desk, cases: list[Case], limits: list[datetime], forced: list[int], wanted: int) -> list[int]:
    """How often each case changes hands: hard issues, agents who hand on, and who does not know the issue."""
    moves, left = list(forced), wanted - sum(forced)
    weights = []
    for place, case in enumerate(cases):
        weight = case.issue.hard if desk.causes else 0.1
        if desk.causes:
            weight *= case.owner.hands_on * (1.6 - case.owner.skill.get(case.issue.code, 0.5))
        room = limits[place] - case.hands[0].since
        weights.append(round(weight, 6) if room > timedelta(minutes=40) else 0.0)
    first = chosen(desk.draw, weights, min(left, sum(weight > 0 for weight in weights)))
    again = min(round(left * SECOND), len(first))
    if left <= len(first):
        first = desk.draw.some(first, left - again)
        for place in first:
            moves[place] += 1
        for place in desk.draw.some(sorted(first), min(again, len(first))):
            moves[place] += 1
        left -= len(first) + min(again, len(first))
    order = [place for place in range(len(cases)) if weights[place] > 0] or list(range(len(cases)))
    at = 0
    while left > 0:
        moves[order[at % len(order)]] += 1
        at, left = at + 1, left - 1
    return moves


def _handed_on(desk: Desk, case: Case, end: datetime, moves: int, *, longer: bool) -> datetime:
    """The next owners, in order of time; returns when the case ends, which now takes longer."""
    if longer:
        later = desk.calendar.in_office(case.created + (end - case.created) * _SLOWER, desk.draw)
        if later < desk.branch.now - _SOON and desk.leaves_before(case, end) == desk.leaves_before(case, later):
            end = later
    begin, forced = case.hands[0].since, desk.leaves_before(case, end)
    times = [] if forced is None else [forced]
    begin = forced or begin
    room = (end - begin).total_seconds()
    shares = sorted(0.12 + 0.6 * desk.draw.share() for _ in range(moves - len(times)))
    for place, share in enumerate(shares):
        raw = begin + timedelta(seconds=int(room * share) + place)
        at = desk.calendar.in_office(raw, desk.draw)
        times.append(at if at < end - 2 * _SOON else raw)
    times.sort()
    gap = timedelta(seconds=max(1, min(150, int(room / (3 * len(times) + 3)))))
    for moment in times:
        # Two that fall on one moment follow each other.
        at = max(moment, case.hands[-1].since + gap)
        member = desk.stays(case, at, end)
        case.hands.append(Handling(member or desk.roster.members[0], at))
    return max(end, case.hands[-1].since + timedelta(minutes=2))


def _finished(desk: Desk, case: Case, end: datetime | None) -> None:
    if end is not None:
        case.closed, case.status = end, "Closed"
        return
    draw, now = desk.draw, desk.branch.now
    if len(case.hands) > 1 or (case.priority == "High" and draw.chance(0.4)):
        case.status = "Escalated"
        return
    recent = now - case.created < timedelta(hours=8)
    case.status = draw.weighted(("New", "Working", "Waiting on Customer"), (6, 3, 0) if recent else (1, 6, 4))


def history(branch: Branch, cases: list[Case]) -> list[Row]:
    """Creation, every owner, closing, in the order things happened, exactly as many rows as counted.

    Creation is on record only from the moment on at which history for it was switched on.
    """
    steps: list[tuple[datetime, int, int, str, str | None, str | None]] = []
    for at, case in enumerate(cases):
        before: str | None = None
        for place, hand in enumerate(case.hands):
            steps.append((hand.since, at, place + 1, "Owner Assignment", before, hand.member.id))
            before = hand.member.id
        if case.closed is not None:
            steps.append((case.closed, at, len(case.hands) + 1, "Case Closed", None, None))
    missing = branch.counts["CaseHistory__c"] - len(steps)
    first = max(0, len(cases) - max(0, missing))
    steps += [(case.created, first + at, 0, "Case Creation", None, None) for at, case in enumerate(cases[first:])]
    steps.sort(key=lambda step: step[:3])
    if missing < 0:
        steps = steps[-missing:]
    return [
        {
            "Id": branch.new_id("CaseHistory__c"), "CaseId__c": cases[at].id, "Field__c": what, "OldValue__c": old,
            "NewValue__c": new, "CreatedDate": moment,
        }
        for moment, at, _, what, old, new in steps
    ]  # fmt: skip
