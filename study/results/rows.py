"""Rows of the bundle's tables about one visit. Reading only; column names are those of ``analysis.tables``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from study.assignment.models import Visit
from study.fieldwork.analysed import POINTS as POINTS
from study.fieldwork.analysed import sets_of
from study.fieldwork.models import Attempt, Rating, RatingKind
from study.fieldwork.modules import items_of, possible_items
from study.fieldwork.sets import Sets
from study.people.models import End, Participant, Stage
from study.people.protocol import file_of
from study.sandbox.measures import DeskCourse
from study.sandbox.models import Desk
from study.sandbox.page_facts import device_class
from study.sandbox.seen import courses, window_width

Row = dict[str, Any]
ORG = "Org"
TAKE_OUT = "take_out"
RATED = (RatingKind.ORG, RatingKind.OBJECT)
OVERALL = "overall"


@dataclass
class VisitRows:
    """A visit with everything that belongs to it, read once."""

    visit: Visit
    attempts: list[Attempt] = field(default_factory=list)
    ratings: dict[str, Rating] = field(default_factory=dict)
    # Rows beyond the cards of the Org and its objects: short dimensions, and cards after the lock.
    further: list[Rating] = field(default_factory=list)

    @classmethod
    def of(cls, visit: Visit) -> VisitRows:
        made = cls(visit, list(visit.attempts.all()))
        for rating in visit.ratings.all():
            if rating.kind in RATED and rating.dimension in ("", OVERALL):
                made.ratings[rating.target] = rating
            else:
                made.further.append(rating)
        return made

    @property
    def name(self) -> str:
        return f"{self.person.code}-{self.visit.period}"

    @property
    def person(self) -> Participant:
        return self.visit.participant

    @property
    def taken_out(self) -> bool:
        return self.person.data_choice == TAKE_OUT

    @property
    def desks(self) -> list[Desk]:
        """Every desk of the visit: orientation and rating, and one for each question that was opened."""
        return [link.desk for link in self.visit.desks.all()] + [one.desk for one in self.attempts if one.desk]

    @cached_property
    def courses(self) -> dict[int, DeskCourse]:
        """What was done at each desk."""
        return courses(self.desks)

    @property
    def work_active_seconds(self) -> int:
        return next((clock.active_seconds for clock in self.visit.clocks.all() if clock.part == "work"), 0)

    def finals(self) -> dict[str, str]:
        return {target: rating.final for target, rating in self.ratings.items()}

    def sets(self, eligible: bool) -> Sets:
        return sets_of(self.visit, self.attempts, self.ratings, self.work_active_seconds, eligible=eligible)


def visit_row(rows: VisitRows, own: Sets) -> Row:
    visit = rows.visit
    width = window_width(rows.desks)
    elapsed = None
    if visit.work_started_at and visit.work_ended_at:
        elapsed = max(0, round((visit.work_ended_at - visit.work_started_at).total_seconds()))
    return {
        "id": rows.name,
        "participant": rows.person.code,
        "arm": visit.arm,
        "allocation": visit.allocation,
        # Its name holds the cell, and with it answers to the screener.
        "block": "" if rows.taken_out else visit.block,
        "period": visit.period,
        "org_hash": visit.org.hash,
        "protocol_sha256": visit.protocol.sha256,
        "language": visit.language,
        "device": visit.device or device_class(width),
        "skin": visit.skin,
        "moderator": visit.moderator,
        "begun": visit.begun_at,
        "work_active_s": rows.work_active_seconds,
        "work_elapsed_s": elapsed,
        "split": visit.split,
        "incident": visit.incident,
        "fluency_s": visit.fluency_seconds,
        "comprehension_tries": visit.comprehension_tries,
        "end_state": visit.reached,
        "exposed": own.exposed,
        "analysed": own.analysed,
        "locked_at": visit.locked_at,
        "condition": visit.condition,
        "window_width": width,
        **_stood_still(rows),
    }


def _stood_still(rows: VisitRows) -> Row:
    """Silences, pauses and requests for help: what no clock counts."""
    every = [one for clock in rows.visit.clocks.all() for one in clock.breaks]
    silent = [one for one in every if not one.get("for")]
    stood = [one for one in every if one.get("for")]
    return {
        "breaks": len(silent),
        "break_s": sum(one["seconds"] for one in silent),
        "pauses": sum(one["for"] == "pause" for one in stood),
        "paused_s": sum(one["seconds"] for one in stood),
        "help_requests": len(rows.visit.help_requests.all()),
    }


def closing_rows(rows: VisitRows) -> Iterator[Row]:
    """Every item of the protocol, answered, not reached or not asked of this visit, in the protocol's order."""
    kept = {answer.item: answer for answer in rows.visit.closing.all()}
    asked = items_of(rows.visit)
    possible = [item.id for item in possible_items(file_of(rows.visit.protocol))]
    for item in dict.fromkeys([*possible, *asked, *sorted(kept)]):
        answer = kept.get(item)
        if answer is None and item not in asked:
            yield {"visit": rows.name, "item": item, "value_blank": "removed" if rows.taken_out else "not_asked"}
            continue
        yield {
            "visit": rows.name,
            "item": item,
            **_closing_value(rows, answer.value if answer else None, reached=bool(answer and answer.saved_at)),
            "shown_at": answer.shown_at if answer else None,
        }


def _closing_value(rows: VisitRows, value: Any, *, reached: bool) -> Row:
    if rows.taken_out:
        return {"value_blank": "removed"}
    if value == "rather_not_say":
        return {"value_blank": "rather_not_say"}
    if value in (None, "", []):
        return {} if reached else {"value_blank": "not_reached"}
    told = _joined(value) if isinstance(value, dict) else value
    # The column holds text: more than one value is a JSON list in it.
    return {"value": json.dumps(told, ensure_ascii=False) if isinstance(told, list) else str(told)}


def _joined(value: dict[str, Any]) -> list[str]:
    """Choices with their "which one?" texts: {"choice": …, "asked": {…}} becomes a list, choices first."""
    choice = value.get("choice")
    chosen = choice if isinstance(choice, list) else [choice or ""]
    return [str(text) for text in (*chosen, *(value.get("asked") or {}).values())]


def reached(participant: Participant, stage: str) -> bool:
    """Whether a participant came at least as far as ``stage``."""
    order = list(Stage.values)
    return order.index(participant.stage) >= order.index(stage)


def is_complete(participant: Participant) -> bool:
    return participant.end == End.COMPLETE
