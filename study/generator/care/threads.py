"""How many letters a case has, and what each is for, before anybody writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate

from study.generator.care.case import Case
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.draw import Draw

FROM_CUSTOMER = ("trouble", "result", "details", "nudge", "adds", "away", "thanks")
LETTERS_A_CASE = 2.6
"""About so many in a world that sells, where most letters are about something else."""
_MOST = 14
HOURS_A_LETTER = 7.0
"""So many hours of its life for each letter of a case, beyond the first two."""
_NUDGES_AFTER = timedelta(hours=5)
"""Nobody asks for news sooner."""
_ASKS_AFTER = timedelta(hours=20)
"""An agent asks whether all is well no sooner; before that there is something to add at most."""
_TRIES_FOR = 1500.0
"""Median seconds until somebody has tried what was asked for, where there is time."""
_SINGLES = ("update", "forwarded", "nudge", "adds", "away", "more")
_SINGLE_SUMS = list(accumulate((5.0, 2.0, 2.0, 1.6, 0.6, 2.0)))


@dataclass(frozen=True)
class Turn:
    """One letter to be written: what for, and when."""

    kind: str
    at: datetime

    @property
    def inbound(self) -> bool:
        return self.kind in FROM_CUSTOMER


def letter_counts(branch: Branch, draw: Draw, cases: Sequence[Case]) -> list[int]:
    """Letters of each case: exactly as many as there are in a world that does not sell, else about 2.6 a case."""
    total = branch.counts["EmailMessage"]
    if branch.plan.sells:
        total = min(total, round(LETTERS_A_CASE * len(cases)))
    if not cases:
        return []
    wished = [_wish(draw, case) for case in cases]
    least = [1 if case.origin == "Email" or (case.closed and case.origin != "Chat") else 0 for case in cases]
    factor = total / max(sum(wished), 1.0)
    tops = [max(low, min(_MOST, _room(branch, case))) for case, low in zip(cases, least, strict=True)]
    counts = [
        min(top, max(low, int(wish * factor + draw.share())))
        for wish, low, top in zip(wished, least, tops, strict=True)
    ]
    _balance(draw, counts, (least, tops), total)
    return counts


def _wish(draw: Draw, case: Case) -> float:
    length = 0.6 + 0.4 * case.line.party.complaints.length
    spread = draw.lognormal(0.5) * length
    if case.status == "New":
        return 1.0 if case.origin == "Email" else 0.0
    wish = {"Email": 4.2, "Web": 3.4, "Phone": 2.2, "Chat": 0.0 if draw.chance(0.45) else 2.2}[case.origin] * spread
    wish += 0.8 * (len(case.hands) - 1) if wish else 0.0
    return wish if case.closed else 0.7 * wish


def _room(branch: Branch, case: Case) -> int:
    """The most letters a case has time for: nobody writes five times within one morning."""
    hours = ((case.closed or branch.now) - case.created).total_seconds() / 3600
    return 2 + int(hours / HOURS_A_LETTER)


def _balance(draw: Draw, counts: list[int], bounds: tuple[list[int], list[int]], total: int) -> None:
    """One letter more or less here and there until the sum is right; bounds give way where they must."""
    left, tries = total - sum(counts), 0
    while left:
        place, step = draw.whole(0, len(counts) - 1), 1 if left > 0 else -1
        strict = tries < 40 * len(counts)
        top = bounds[1][place] if strict else total
        low = bounds[0][place] if strict else 0
        tries += 1
        # A case that has letters gets another one sooner than one that has none.
        if step > 0 and strict and not counts[place] and not draw.chance(0.1):
            continue
        if low <= counts[place] + step <= top:
            counts[place] += step
            left -= step


def kinds_of(draw: Draw, case: Case, n: int) -> list[str]:
    """What ``n`` letters are for, in order."""
    kinds = ["trouble"] if case.origin == "Email" and n else []
    left = n - len(kinds)
    if case.closed is None:
        return kinds + _middle(draw, left, email=bool(kinds))
    if not left:
        return kinds
    tail = []
    if left >= 2 and draw.chance(0.4):
        tail = ["thanks"]
    if left >= 5 and draw.chance(0.35):
        tail = ["check", "thanks"] if draw.chance(0.6) else ["thanks", "check"]
    return kinds + _middle(draw, left - 1 - len(tail), email=bool(kinds)) + ["fix", *tail]


def _middle(draw: Draw, n: int, *, email: bool) -> list[str]:
    """Exchanges and single letters between the first and the last."""
    found: list[str] = []
    if email and n >= 2 and draw.chance(0.05):
        found.append("received")
    tried = 0
    while len(found) < n:
        left = n - len(found)
        if left >= 2 and (not tried or draw.chance(0.5)):
            tried += 1
            if tried == 1 and draw.chance(0.85):
                found += ["steps", "result"]
            else:
                found += draw.weighted((("steps", "result"), ("ask", "details"), ("nudge", "update")), (2, 3, 2))
        elif not tried:
            tried = 1
            found.append(draw.weighted(("steps", "ask", "update"), (4, 2, 2)))
        else:
            single = draw.summed(_SINGLES, _SINGLE_SUMS)
            if single == "away" and (not found or found[-1] in FROM_CUSTOMER):
                single = "update"
            found.append(single)
    return found


def turns_of(
    branch: Branch, calendar: Calendar, draw: Draw, case: Case, about: tuple[Sequence[str], datetime]
) -> list[Turn]:
    """The letters in time: after ``about[1]`` and before the case is closed; agents mostly in office hours."""
    kinds, begin = about
    ends = case.closed or branch.now - timedelta(minutes=3)
    gaps = [draw.lognormal(0.7) for _ in range(len(kinds) + 1)]
    if case.closed is not None:
        gaps[-1] *= 0.15
    whole, at = sum(gaps), begin
    length = (ends - begin).total_seconds()
    turns: list[Turn] = []
    passed = 0.0
    for place, kind in enumerate(kinds):
        if not place and kind == "trouble":
            gaps[0] = 0.0
            turns.append(Turn(kind, case.created))
            continue
        passed += gaps[place]
        wished = begin + timedelta(seconds=int(length * min(passed / whole, 0.98)))
        if kind in ("received", "away"):
            wished = at + timedelta(seconds=draw.whole(4, 50))
        elif kind not in FROM_CUSTOMER:
            wished = calendar.in_office(max(wished, case.hands[0].since + timedelta(minutes=2)), draw)
        room = (ends - at).total_seconds()
        behind = len(kinds) - place
        pause = (_TRIES_FOR if kind in FROM_CUSTOMER else 700.0) * draw.lognormal(0.9)
        soonest = at + timedelta(seconds=1 + int(min(pause, room / (behind + 1.5))))
        latest = ends - timedelta(seconds=int(min(0.2 * room * behind / (behind + 1), 420.0 * behind)))
        if wished > latest and kind not in FROM_CUSTOMER:
            wished = calendar.office_before(latest, draw)
        at = max(soonest, min(wished, latest))
        if kind not in FROM_CUSTOMER and at > wished:
            # It can wait for the next office hour if there is one before the end.
            at = max(at, min(calendar.in_office(at, draw), latest))
        if kind not in FROM_CUSTOMER and kind != "received":
            at = max(at, case.hands[0].since + timedelta(seconds=30))
        if kind == "nudge" and turns and at - turns[-1].at < _NUDGES_AFTER:
            kind = "adds" if turns[-1].inbound else "details"
        if kind == "check" and turns and at - turns[-1].at < _ASKS_AFTER:
            kind = "after"
        turns.append(Turn(kind, at))
    return turns
