"""Rows about the work: attempts with how their answers were looked for, and what was opened of each object."""

from __future__ import annotations

from collections.abc import Iterator

from study.fieldwork.models import Attempt
from study.fieldwork.requesting import measures_of
from study.results.rows import Row, VisitRows
from study.sandbox.measures import DeskCourse
from study.sandbox.models import Desk
from study.sandbox.seen import is_after, joined


def attempt_rows(rows: VisitRows) -> Iterator[Row]:
    """Attempts that ended; those of somebody who is still at work are not rows yet."""
    for attempt in rows.attempts:
        outcome = attempt.outcome or ("not_reached" if rows.person.end else "")
        if not outcome:
            continue
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
            "outcome": _outcome(rows, outcome),
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
            **_done_at(rows, attempt),
            # What was said is taken out with the answers, and with it what could be counted.
            **({} if rows.taken_out else measures_of(attempt)),
        }


def _done_at(rows: VisitRows, attempt: Attempt) -> Row:
    """What was done at the desk of an attempt, and how much of what its answer rests on was opened."""
    course = rows.courses[attempt.desk.pk] if attempt.desk else DeskCourse()
    needed = {(str(name), str(one)) for name, one in attempt.place.instance.evidence}
    desk = attempt.desk
    if rows.taken_out:
        # Which records and words is gone, so what rests on them cannot be counted: none is not nought.
        return {"searches": course.searches, "filters": course.filters, "evidence_needed": len(needed) or None}
    return {
        "records_opened": sum(len(found.records) for found in course.objects.values()),
        "future_records_opened": sum(is_after(desk, name, one) for name, one in course.opened) if desk else 0,
        "searches": course.searches,
        "filters": course.filters,
        "reformulations": course.reformulations,
        "evidence_needed": len(needed) or None,
        "evidence_reached": len(needed & course.opened) if needed else None,
    }


def _outcome(rows: VisitRows, outcome: str) -> str:
    """That no record fits, or that it should not be told, is an answer too: it goes with the others."""
    return "answered" if rows.taken_out and outcome in ("none", "withheld") else outcome


def _answer(rows: VisitRows, attempt: Attempt, outcome: str) -> Row:
    if rows.taken_out:
        return {"answer": None, "answer_blank": "removed"}
    if outcome == "not_reached":
        return {"answer": None, "answer_blank": "not_reached"}
    answer = attempt.answer
    return {"answer": answer if answer is None or isinstance(answer, list) else [answer]}


def opened_rows(rows: VisitRows) -> Iterator[Row]:
    work = [attempt.desk for attempt in rows.attempts if attempt.desk]
    look = [link.desk for link in rows.visit.desks.all() if link.purpose == "rating"]
    for desks, in_look in ((work, False), (look, True)):
        yield from _opened(rows, desks, in_look)


def _opened(rows: VisitRows, desks: list[Desk], in_look: bool) -> Iterator[Row]:
    later = {(name, one) for desk in desks for name, one in rows.courses[desk.pk].opened if is_after(desk, name, one)}
    for name, found in sorted(joined(rows.courses[desk.pk] for desk in desks).items()):
        if not found.records and not found.active_seconds and not found.reported:
            continue
        yield {
            "visit": rows.name,
            "object": name,
            "records": None if rows.taken_out else len(found.records),
            "active_seconds": round(found.active_seconds),
            "in_look": in_look,
            "openings": found.openings,
            "filters": found.filters,
            "future_records": None if rows.taken_out else len({one for thing, one in later if thing == name}),
            "visible_s": round(found.visible_ms / 1000) if found.reported else None,
            "focused_s": round(found.focused_ms / 1000) if found.reported else None,
            "idle_s": round(found.idle_ms / 1000) if found.reported else None,
            "ids_copied": len(found.copied),
        }
