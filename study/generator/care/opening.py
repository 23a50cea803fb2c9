"""Cases as they are opened: at which moment, through which channel, how urgent."""

from __future__ import annotations

from datetime import datetime, timedelta

from study.generator.care.case import Case
from study.generator.care.cases import Planned, Planner
from study.generator.care.choosing import chosen
from study.generator.care.matters import Matters
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.things import Bought


def plan_cases(branch: Branch, bought: list[Bought], matters: Matters) -> list[Case]:
    """As many cases as counted, in the order they came in, with exactly as many by chat as there are transcripts.

    ValueError if there is nothing that a case could be about.
    """
    n = branch.counts["Case"]
    if n and not bought:
        raise ValueError("A case is about something bought, and nothing was.")
    planner = Planner(branch, bought, matters)
    planned = sorted(planner.make(n), key=lambda found: (found[2], found[0].id, found[1].code))
    calendar, draw = Calendar(branch.plan), planner.draw
    latest = branch.now - timedelta(minutes=25)
    created = [min(calendar.moment(day, draw), latest - timedelta(minutes=draw.whole(0, 170))) for _, _, day in planned]
    staffed = [_staffed(calendar, at) for at in created]
    chats = dict.fromkeys(
        chosen(
            draw,
            [
                (3.0 if line.party.complaints.channel == "Chat" else 1.0)
                * (1.0 if open_ else 0.1)
                * (0.2 if issue.fresh else 1.0)
                for (line, issue, _), open_ in zip(planned, staffed, strict=True)
            ],
            branch.counts["LiveChatTranscript"],
        )
    )
    cases = [
        _opened(branch, draw, calendar, found, (at, open_, place in chats))
        for place, (found, at, open_) in enumerate(zip(planned, created, staffed, strict=True))
    ]
    cases.sort(key=lambda case: (case.created, case.line.id))
    return cases


def _staffed(calendar: Calendar, at: datetime) -> bool:
    return at.weekday() not in calendar.rests and calendar.opens <= at.hour < calendar.closes


def _opened(branch: Branch, draw: Draw, calendar: Calendar, found: Planned, about: tuple[datetime, bool, bool]) -> Case:
    """Chat and phone are staffed in office hours only: a chat at another time is one of the next office hours."""
    line, issue, _ = found
    created, staffed, chat = about
    if chat:
        created, origin = _in_hours(branch, draw, calendar, created), "Chat"
    else:
        prefers = line.party.complaints.channel
        options = ("Email", "Web", "Phone")
        weights = [w * (2.5 if o == prefers else 1.0) for o, w in zip(options, (58, 18, 24), strict=True)]
        origin = draw.weighted(options, weights if staffed else (*weights[:2], 0.0))
    high = draw.chance(issue.urgent)
    return Case(line, issue, created, origin, "High" if high else draw.weighted(("Medium", "Low"), (3, 2)))


def _in_hours(branch: Branch, draw: Draw, calendar: Calendar, at: datetime) -> datetime:
    moved = at if _staffed(calendar, at) else calendar.in_office(at, draw)
    latest = branch.now - timedelta(minutes=45)
    return moved if moved < latest else min(at, latest - timedelta(minutes=draw.whole(0, 240)))
