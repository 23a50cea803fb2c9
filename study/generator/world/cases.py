"""Cases: who writes when about what, who takes it, hands it on, and closes it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from study.generator.world.draw import Draw
from study.generator.world.material import Issue, issues, places
from study.generator.world.orders import Bought
from study.generator.world.people import Agent
from study.generator.world.timing import (
    CASE_SEASON,
    CLOSES,
    FIRST_DAY,
    NOW,
    OPENS,
    TODAY,
    day_weights,
    days,
    in_office,
    moment,
)

# Issues that show at once; the others need use and time. Shortest and longest age of the order in days.
AGES = {
    "Late delivery": (4, 24),
    "Damaged on delivery": (3, 16),
    "Missing parts": (3, 30),
    "Wrong item delivered": (3, 20),
    "Assembly question": (3, 40),
    "Billing error": (1, 40),
    "Return and refund": (5, 50),
    "Rust or coating failure": (90, 700),
}
USED = (8, 500)
RECALL_DAYS = 3
# The last days before the Org was taken down, from which most open cases come.
LATELY = 12
ENOUGH_LINES = 800


@dataclass
class Handling:
    """Who had the case from when on."""

    agent: Agent
    since: datetime


@dataclass
class Case:
    """One case before it becomes records. ``closed`` is None while it is open on the last day."""

    line: Bought
    issue: Issue
    created: datetime
    origin: str
    priority: str
    hands: list[Handling] = field(default_factory=list)
    closed: datetime | None = None
    status: str = "New"
    id: str = ""
    number: str = ""
    subject: str = ""
    description: str = ""
    facts: dict[str, str] = field(default_factory=dict)

    @property
    def owner(self) -> Agent:
        return self.hands[-1].agent


def make_cases(seed: int, n: int, bought: list[Bought], agents: list[Agent]) -> list[Case]:
    """``n`` cases in the order they came in."""
    draw = Draw(seed, "cases")
    live = [line for line in bought if line.activated]
    planned = _bursts(draw, n, live) + _recall(draw, live, max(4, n // 120))
    everyday, late = max(n - len(planned), 1), n // 16
    span = days(FIRST_DAY + timedelta(days=20))
    weights = day_weights(span, CASE_SEASON, 0.7)
    usual = [issue for issue in issues() if not issue.fresh]
    written: dict[str, int] = {}
    for _line, _issue, _day in planned:
        written[_line.id] = written.get(_line.id, 0) + 1
    while everyday:
        begin = -LATELY if everyday <= late else 0
        day = draw.weighted(span[begin:], weights[begin:])
        found = _anyone(draw, live, usual, day, written)
        if found is not None:
            planned.append((*found, day))
            everyday -= 1
    cases = [_opened(draw, line, issue, day) for line, issue, day in planned]
    cases.sort(key=lambda case: (case.created, case.line.id))
    region = _regions(seed)
    for case in cases:
        _handle(draw, case, agents, region[case.line.customer.place.state])
    return cases


def _anyone(
    draw: Draw, live: list[Bought], usual: list[Issue], day: date, written: dict[str, int]
) -> tuple[Bought, Issue] | None:
    """A line of an order and what went wrong with it, by how often each fails and each customer writes."""
    choice, weights = [], []
    for line in _lately(draw, live, day):
        age = (day - line.day).days
        for issue in usual:
            first, last = AGES.get(issue.name, USED)
            if first <= age <= last and issue.concerns(line.product):
                share = issue.weight[line.product.category]
                fades = 1.0 if last < 100 else round(90 / (90 + age), 3)
                again = 0.12 if written.get(line.id) else 1.0
                choice.append((line, issue))
                weights.append(share * line.product.failing * line.customer.complains * fades * again)
    if not choice:
        return None
    found = draw.weighted(choice, weights)
    written[found[0].id] = written.get(found[0].id, 0) + 1
    return found


def _regions(seed: int) -> dict[str, float]:
    """How much longer things take in a state: carriers and technicians are quick in some and far away in others."""
    draw = Draw(seed, "regions")
    states = dict.fromkeys(place.state for place in places())
    return {state: draw.pick((0.5, 0.8, 0.9, 1.0, 1.0, 1.1, 1.3, 1.7)) for state in states}


def _lately(draw: Draw, live: list[Bought], day: date) -> list[Bought]:
    """Lines ordered in the two years before; of very many, as many as it takes. ``live`` is in order of days."""
    first = bisect_left(live, day - timedelta(days=700), key=lambda line: line.day)
    last = bisect_left(live, day, key=lambda line: line.day)
    if last - first <= ENOUGH_LINES:
        return live[first:last]
    return [live[draw.whole(first, last - 1)] for _ in range(ENOUGH_LINES)]


def _bursts(draw: Draw, n: int, live: list[Bought]) -> list[tuple[Bought, Issue, date]]:
    """Bad batches: in one month many customers have the same trouble with one product."""
    planned = []
    starts = [FIRST_DAY.replace(day=1) + timedelta(days=31 * step) for step in range(5, 30)]
    for start in draw.some(starts, 14):
        month = date(start.year, start.month, 1)
        lines = [line for line in live if 8 <= (month - line.day).days <= 300]
        counts: dict[int, int] = {}
        for line in lines:
            counts[line.product.place] = counts.get(line.product.place, 0) + 1
        many = [place for place, count in sorted(counts.items()) if count >= 6]
        if not many:
            continue
        place = draw.pick(many)
        affected = [line for line in lines if line.product.place == place]
        fitting = [
            i for i in issues() if not i.fresh and AGES.get(i.name, USED) == USED and i.concerns(affected[0].product)
        ]
        if not fitting:
            continue
        issue = draw.weighted(fitting, [i.weight[affected[0].product.category] for i in fitting])
        size = min(max(round(n / 75) + draw.whole(-1, 2), 2), len(affected))
        last = min(27, (TODAY - month).days)
        planned += [(line, issue, month + timedelta(days=draw.whole(0, last))) for line in draw.some(affected, size)]
    return planned


def _recall(draw: Draw, live: list[Bought], n: int) -> list[tuple[Bought, Issue, date]]:
    """The newest trouble: so far nobody has closed a case about it."""
    fresh = [issue for issue in issues() if issue.fresh]
    planned = []
    for issue in fresh:
        lines = [line for line in live if issue.concerns(line.product) and (TODAY - line.day).days > 20]
        planned += [
            (line, issue, TODAY - timedelta(days=draw.whole(0, RECALL_DAYS - 1)))
            for line in draw.some(lines, min(n, len(lines)))
        ]
    return planned


def _opened(draw: Draw, line: Bought, issue: Issue, day: date) -> Case:
    created = min(moment(day, draw), NOW - timedelta(minutes=draw.whole(20, 200)))
    office = created.weekday() != 6 and OPENS <= created.hour < CLOSES
    # Chat and phone are staffed in office hours only.
    origin = draw.weighted(("Email", "Chat", "Web", "Phone"), (40, 34, 12, 18) if office else (75, 0, 25, 0))
    high = draw.chance(issue.urgent)
    return Case(line, issue, created, origin, "High" if high else draw.weighted(("Medium", "Low"), (3, 2)))


def _handle(draw: Draw, case: Case, agents: list[Agent], region: float) -> None:
    taken = case.created + timedelta(minutes=draw.whole(1, 45), seconds=draw.whole(1, 59))
    case.hands = [Handling(_taker(draw, case, agents, taken.date(), None), taken)]
    hours = case.issue.hours * case.owner.pace * region * draw.lognormal(0.5)
    knows = case.issue.place in case.owner.specialties
    hours *= 0.8 if knows else 1.0
    if draw.chance(min(case.issue.hard * case.owner.hands_on * (0.5 if knows else 1.8), 0.9)):
        hours += _hand_on(draw, case, agents)
        if draw.chance(0.18):
            hours += _hand_on(draw, case, agents)
    if draw.chance(0.03):
        hours *= 4
    ends = in_office(case.created + timedelta(seconds=round(3600 * max(hours, 0.4))), draw)
    ends = max(ends, case.hands[-1].since + timedelta(minutes=draw.whole(12, 90)))
    _leaver(draw, case, agents, ends)
    age = (NOW - case.created).days
    stuck = case.issue.fresh or draw.chance(0.45 if age < LATELY else 0.12 if age < 60 else 0.0)
    case.hands = [hand for hand in case.hands if hand.since < NOW] or case.hands[:1]
    if ends < NOW - timedelta(minutes=5) and not stuck:
        case.closed, case.status = max(ends, case.hands[-1].since + timedelta(minutes=5)), "Closed"
    elif len(case.hands) > 1 or (case.priority == "High" and draw.chance(0.4)):
        case.status = "Escalated"
    else:
        recent = NOW - case.created < timedelta(hours=8)
        case.status = draw.weighted(("New", "Working", "Waiting on Customer"), (6, 3, 0) if recent else (1, 6, 4))


def _taker(draw: Draw, case: Case, agents: list[Agent], day: date, leaver: Agent | None) -> Agent:
    """Half of the cases are routed to someone who knows the issue, the rest to whoever works most."""
    there = [agent for agent in agents if agent.works_on(day) and agent is not leaver]
    knowing = [agent for agent in there if case.issue.place in agent.specialties]
    if knowing and draw.chance(0.9 if leaver else 0.5):
        return draw.weighted(knowing, [agent.activity for agent in knowing])
    return draw.weighted(there, [agent.activity for agent in there])


def _hand_on(draw: Draw, case: Case, agents: list[Agent]) -> float:
    """The next owner; returns the hours this took."""
    waited = case.issue.hours * (0.15 + 0.35 * draw.share())
    at = in_office(case.hands[-1].since + timedelta(seconds=round(3600 * waited)), draw)
    case.hands.append(Handling(_taker(draw, case, agents, at.date(), case.owner), at))
    return waited + 3


def _leaver(draw: Draw, case: Case, agents: list[Agent], ends: datetime) -> None:
    """Nobody closes a case after their last day: it is shared out on the day they leave."""
    until = case.owner.until
    if until is None or ends.date() < until:
        return
    at = in_office(moment(until, draw), draw)
    at = max(at, case.hands[-1].since + timedelta(minutes=30))
    if at < ends:
        case.hands.append(Handling(_taker(draw, case, agents, max(at.date(), until), case.owner), at))
    else:
        case.hands[-1] = Handling(_taker(draw, case, agents, until, case.owner), case.hands[-1].since)
