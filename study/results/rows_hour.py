"""Rows about what else a visit left: pins, notes, timed moves, help, and the cards shown after the lock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings

from study.accounts.models import Study
from study.assignment.models import Visit
from study.fieldwork.models import CardShown, HelpRequest, Incident, RatingKind
from study.results.rows import ORG, Row, VisitRows

CONTROL = "control"


def evidence_rows(rows: VisitRows, *, blind: bool) -> Iterator[Row]:
    """Pins of attempts, and of ratings once these are open: which side one stands on says what was thought of it."""
    position = {attempt.pk: attempt.position for attempt in rows.attempts}
    rated = {rating.pk: rating for rating in rows.visit.ratings.all()}
    for pin in rows.visit.pins.all():
        row = {"visit": rows.name, "object": pin.object, "record": pin.record, "field": pin.field, "at": pin.at}
        if pin.attempt_id in position:
            yield row | {"of": "attempt", "target": str(position[pin.attempt_id])}
        elif pin.rating_id in rated and not blind:
            rating = rated[pin.rating_id]
            target = ORG if rating.kind == RatingKind.ORG else rating.target
            yield row | {"of": "rating", "target": target, "side": pin.side}


def note_rows(rows: VisitRows) -> Iterator[Row]:
    """Notes in the order they were taken; what was taken out is gone."""
    if rows.taken_out:
        return
    position = {attempt.pk: attempt.position for attempt in rows.attempts}
    for number, note in enumerate(rows.visit.notes.all(), start=1):
        yield {
            "visit": rows.name,
            "number": number,
            "attempt": position.get(note.attempt_id) if note.attempt_id else None,
            "object": note.object,
            "record": note.record,
            "text": note.text,
            "at": note.at,
        }


def move_rows(rows: VisitRows) -> Iterator[Row]:
    for move in sorted(rows.visit.moves.all(), key=lambda m: m.pk):
        took = None
        if move.started_at and move.done_at:
            took = max(0.0, round((move.done_at - move.started_at).total_seconds(), 3))
        yield {
            "visit": rows.name,
            "move": move.move,
            "started_at": move.started_at,
            "done_at": move.done_at,
            "left_at": move.left_at,
            "seconds": took,
            "helped": move.helped,
        }


def help_rows(rows: VisitRows) -> Iterator[Row]:
    """When and where help was needed. The words are for the coordinator: they may name somebody."""
    for number, asked in enumerate(rows.visit.help_requests.all(), start=1):
        waited = None
        if asked.went_on_at:
            waited = max(0, round((asked.went_on_at - asked.at).total_seconds()))
        yield {
            "visit": rows.name,
            "number": number,
            "kind": asked.kind,
            "page": page_of(asked),
            "at": asked.at,
            "went_on_at": asked.went_on_at,
            "waited_s": waited,
            "replied": asked.replied_at is not None,
        }


def page_of(asked: HelpRequest) -> str:
    """The page, without codes of people and desks, nor what was searched for: ``hour/ratings/Case``."""
    parts = [part for part in asked.page.partition("?")[0].split("/") if part]
    return "/".join([*parts[:1], *parts[2:]])


def card_rows(rows: VisitRows) -> Iterator[Row]:
    for card in sorted(rows.visit.cards_shown.all(), key=lambda c: (c.module, c.position)):
        row = {
            "visit": rows.name,
            "module": card.module,
            "position": card.position,
            "target": card.target,
            "kind": card.kind,
            "shown_at": card.shown_at,
        }
        for side, detail in _sides(card):
            yield row | {"side": side} | _behind(detail)


def _sides(card: CardShown) -> list[tuple[str, dict[str, Any]]]:
    pair = [(side, card.detail[side]) for side in ("first", "second") if side in card.detail]
    return pair or [("", card.detail)]


def _behind(detail: dict[str, Any]) -> Row:
    """What stands behind a card: a record of an Org or its control, or a card of a set."""
    origin = detail.get("origin")
    return {
        "card_set": detail.get("card_set", ""),
        "card": detail.get("card", ""),
        "object": detail.get("object", ""),
        "record": detail.get("record", ""),
        "org_hash": detail.get("org", ""),
        "control": None if origin is None else origin == CONTROL,
        "grade": detail.get("grade"),
        "fault": detail.get("fault", ""),
    }


def incident_rows(study: Study, visits: Sequence[Visit]) -> list[Row]:
    """Incidents with the visits among these that stood for them: a pilot's are not counted, as in every table."""
    stood = Counter(code for visit in visits for code in visit.incident.split())
    return [
        {"code": row.code, "began": row.began_at, "over": row.over_at, "visits": stood[row.code], "what": row.what}
        for row in Incident.objects.using(settings.READER_ALIAS).filter(study=study).order_by("began_at", "pk")
    ]
