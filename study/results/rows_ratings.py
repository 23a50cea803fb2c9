"""Rows about ratings and their rationales: cards, short dimensions, and what was rated after the lock."""

from __future__ import annotations

from collections.abc import Iterator

from study.fieldwork.models import Rating, RatingKind
from study.people.protocol import file_of
from study.results.rows import ORG, OVERALL, POINTS, RATED, Row, VisitRows


def rating_rows(rows: VisitRows) -> Iterator[Row]:
    """One row per target of the visit, also where it was not reached, or not asked of this person (M15)."""
    targets = [(ORG, RatingKind.ORG), *((name, RatingKind.OBJECT) for name in rows.visit.object_order)]
    for position, (target, kind) in enumerate(targets, start=1):
        rating = rows.ratings.get(target) or next(
            (r for r in rows.ratings.values() if kind == RatingKind.ORG and r.kind == kind), None
        )
        if rating is not None:
            yield _rating_row(rows, rating, target, rating.position or position)
            continue
        blank = "removed" if rows.taken_out else "not_reached"
        yield _blank_row(rows, kind, target, blank) | {"position": position}
    rated = file_of(rows.visit.protocol).rated(rows.visit.arm, rows.visit.condition)
    for text in rated if rows.visit.object_order else ():
        if text.api not in rows.visit.object_order:
            yield _blank_row(rows, RatingKind.OBJECT, text.api, "not_asked")
    for rating in sorted(rows.further, key=lambda r: (r.kind, r.position, r.target, r.dimension)):
        yield _rating_row(rows, rating, rating.target, rating.position)


def _blank_row(rows: VisitRows, kind: str, target: str, blank: str) -> Row:
    found = {"visit": rows.name, "kind": str(kind), "target": target, "dimension": OVERALL}
    return found | {"first_blank": blank, "final_blank": blank}


def _rating_row(rows: VisitRows, rating: Rating, target: str, position: int) -> Row:
    row: Row = {
        "visit": rows.name, "kind": rating.kind, "target": target, "dimension": rating.dimension or OVERALL,
        "position": position,
    }  # fmt: skip
    row |= _choice(rows, rating.first, "first") | _choice(rows, rating.final, "final")
    row |= {
        "changes": rating.changes,
        "shown_at": rating.shown_at,
        "first_at": rating.first_at,
        "final_at": rating.final_at,
        "cant_judge_reason": rating.cannot_judge_reason,
        "locked_at": rating.locked_at,
    }
    if rating.kind not in RATED or rating.dimension not in ("", OVERALL):
        return row
    return row | {
        "opened_work": rating.opened_work,
        "opened_look": rating.opened_look,
        "look_ids": rating.look_ids or None,
        "needed_by": rating.needed_by or None,
        "look_seconds": rating.look_seconds,
        "unopened": rating.final in POINTS and not rating.opened_work and not rating.opened_look,
    }


def _choice(rows: VisitRows, value: str, name: str) -> Row:
    if value in POINTS:
        return {name: int(value)}
    if rows.taken_out:
        return {f"{name}_blank": "removed"}
    return {f"{name}_blank": value or "not_reached"}


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
                "pastes": rationale.pastes,
                "focus_seconds": rationale.focus_seconds,
            }
