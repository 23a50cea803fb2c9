"""Rows of the bundle's tables about one visit. Reading only; column names are those of ``analysis.tables``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from study.assignment.models import Visit
from study.fieldwork.models import Attempt, Rating, RatingKind
from study.fieldwork.requesting import measures_of
from study.people.models import End, Participant, Stage
from study.people.protocol import file_of
from study.results.sets import Course, Sets, sets
from study.sandbox.models import Desk
from study.sandbox.seen import Seen, future_records_opened, seen_by_object

Row = dict[str, Any]
ANSWERED = {"1", "2", "3", "4", "5", "cannot_judge", "rather_not_say"}
POINTS = {"1", "2", "3", "4", "5"}
ORG = "Org"
TAKE_OUT = "take_out"


@dataclass
class VisitRows:
    """A visit with everything that belongs to it, read once."""

    visit: Visit
    attempts: list[Attempt] = field(default_factory=list)
    ratings: dict[str, Rating] = field(default_factory=dict)

    @classmethod
    def of(cls, visit: Visit) -> VisitRows:
        return cls(visit, list(visit.attempts.all()), {r.target: r for r in visit.ratings.all()})

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
    def work_active_seconds(self) -> int:
        return next((clock.active_seconds for clock in self.visit.clocks.all() if clock.part == "work"), 0)

    def finals(self) -> dict[str, str]:
        return {target: rating.final for target, rating in self.ratings.items()}

    def sets(self, eligible: bool) -> Sets:
        finals = self.finals()
        org = next((r.final for r in self.ratings.values() if r.kind == RatingKind.ORG), "")
        course = Course(
            eligible=eligible,
            started=self.visit.work_started_at is not None,
            work_active_seconds=self.work_active_seconds,
            outcomes=tuple(attempt.outcome for attempt in self.attempts),
            settled=self.visit.locked_at is not None or bool(self.person.end),
            org_rated=org in POINTS,
            cards=len(self.visit.object_order),
            cards_answered=sum(finals.get(target, "") in ANSWERED for target in self.visit.object_order),
            end=self.person.end,
            taken_out=self.taken_out,
        )
        return sets(course, file_of(self.visit.protocol).analysis.sets)


def visit_row(rows: VisitRows, own: Sets) -> Row:
    visit = rows.visit
    elapsed = None
    if visit.work_started_at and visit.work_ended_at:
        elapsed = max(0, round((visit.work_ended_at - visit.work_started_at).total_seconds()))
    return {
        "id": rows.name,
        "participant": rows.person.code,
        "arm": visit.arm,
        "allocation": visit.allocation,
        "block": visit.block,
        "period": visit.period,
        "org_hash": visit.org.hash,
        "protocol_sha256": visit.protocol.sha256,
        "language": visit.language,
        "device": visit.device,
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
    }


def attempt_rows(rows: VisitRows) -> Iterator[Row]:
    """Attempts that ended; those of somebody who is still at work are not rows yet."""
    for attempt in rows.attempts:
        outcome = attempt.outcome or ("not_reached" if rows.person.end else "")
        if not outcome:
            continue
        desk = [attempt.desk] if attempt.desk else []
        instance = attempt.place.instance
        yield {
            "visit": rows.name,
            "position": attempt.position,
            "instance": instance.key,
            "task": attempt.place.task,
            "stratum": attempt.place.stratum,
            "today": attempt.desk.today if attempt.desk else instance.today or rows.visit.org.last_day,
            "withhold": attempt.withhold,
            "style": attempt.style,
            **_answer(rows, attempt, outcome),
            "outcome": outcome,
            "reason": attempt.reason,
            "correct": attempt.correct,
            "score": attempt.score,
            "graded_by": attempt.graded_by,
            "mark": attempt.mark,
            "key_version": attempt.key_version,
            "confidence": attempt.confidence,
            "frequency_at_work": attempt.frequency_at_work,
            "one_clear_answer": attempt.one_clear_answer,
            "active_s": attempt.active_seconds,
            "records_opened": sum(len(seen.records) for seen in seen_by_object(desk).values()),
            "future_records_opened": len(future_records_opened(desk)),
            **measures_of(attempt),
        }


def _answer(rows: VisitRows, attempt: Attempt, outcome: str) -> Row:
    if rows.taken_out:
        return {"answer": None, "answer_blank": "removed"}
    if outcome == "not_reached":
        return {"answer": None, "answer_blank": "not_reached"}
    answer = attempt.answer
    return {"answer": answer if answer is None or isinstance(answer, list) else [answer]}


def _choice(rows: VisitRows, value: str, name: str) -> Row:
    if value in POINTS:
        return {name: int(value)}
    if rows.taken_out:
        return {f"{name}_blank": "removed"}
    return {f"{name}_blank": value or "not_reached"}


def rating_rows(rows: VisitRows) -> Iterator[Row]:
    """One row per target the visit was to rate, also where it was not reached."""
    targets = [(ORG, RatingKind.ORG), *((name, RatingKind.OBJECT) for name in rows.visit.object_order)]
    for position, (target, kind) in enumerate(targets, start=1):
        rating = rows.ratings.get(target) or next(
            (r for r in rows.ratings.values() if kind == RatingKind.ORG and r.kind == kind), None
        )
        row: Row = {"visit": rows.name, "kind": str(kind), "target": target, "dimension": "overall"}
        if rating is None:
            blank = "removed" if rows.taken_out else "not_reached"
            yield row | {"position": position, "first_blank": blank, "final_blank": blank}
            continue
        yield (
            row
            | _choice(rows, rating.first, "first")
            | _choice(rows, rating.final, "final")
            | {
                "position": rating.position or position,
                "changes": rating.changes,
                "shown_at": rating.shown_at,
                "first_at": rating.first_at,
                "final_at": rating.final_at,
                "cant_judge_reason": rating.cannot_judge_reason,
                "opened_work": rating.opened_work,
                "opened_look": rating.opened_look,
                "look_ids": rating.look_ids or None,
                "needed_by": rating.needed_by or None,
                "look_seconds": rating.look_seconds,
                "locked_at": rating.locked_at,
            }
        )


def rationale_rows(rows: VisitRows) -> Iterator[Row]:
    for rating in sorted(rows.ratings.values(), key=lambda r: (r.position, r.target)):
        target = ORG if rating.kind == RatingKind.ORG else rating.target
        for rationale in sorted(rating.rationales.all(), key=lambda r: r.side):
            if not rationale.text and not rationale.tags:
                continue
            yield {
                "visit": rows.name,
                "kind": rating.kind,
                "target": target,
                "side": rationale.side,
                "text": rationale.text,
                "tags": rationale.tags or None,
                "redacted": rationale.redacted,
                "pasted_share": rationale.pasted_share,
            }


def opened_rows(rows: VisitRows) -> Iterator[Row]:
    work = [attempt.desk for attempt in rows.attempts if attempt.desk]
    look = [link.desk for link in rows.visit.desks.all() if link.purpose == "rating"]
    for desks, in_look in ((work, False), (look, True)):
        yield from _opened(rows.name, desks, in_look)


def _opened(name: str, desks: list[Desk], in_look: bool) -> Iterator[Row]:
    for thing, seen in sorted(seen_by_object(desks).items()):
        if seen != Seen():
            yield {
                "visit": name,
                "object": thing,
                "records": len(seen.records),
                "active_seconds": round(seen.active_seconds),
                "in_look": in_look,
            }


def closing_rows(rows: VisitRows) -> Iterator[Row]:
    """Every item of the protocol, answered or not, in the protocol's order."""
    kept = {answer.item: answer for answer in rows.visit.closing.all()}
    asked = [i.id for m in file_of(rows.visit.protocol).modules_at("after_ratings") for i in m.items]
    for item in [*asked, *sorted(set(kept) - set(asked))]:
        answer = kept.get(item)
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
