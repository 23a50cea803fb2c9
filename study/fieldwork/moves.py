"""The timed moves of the orientation: find a record, filter a list, follow a related list (M10).

What is looked for is drawn from the visit's seed. That a move is done, and when,
is read from the trace of the orientation desk, so only the server's times count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from study.assignment.models import Visit
from study.fieldwork import clock, working
from study.fieldwork.models import FluencyMove
from study.people.protocol import file_of
from study.protocols.hour import Move
from study.protocols.markup import fill
from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.queryspec import And, Compare, Condition, Group, Measure, Order, QuerySpec, from_json
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.models import Purpose, TraceEvent
from study.sandbox.opened import snapshot_of

TRIES = 12
LEAST = 2
"""A list to follow holds at least so many records, and so does a list filtered for a value."""
UNTOUCHED, UNDER_WAY, DONE, LEFT = "untouched", "under_way", "done", "left"


@dataclass(frozen=True)
class Step:
    """One move as the person meets it. Only the first that is neither done nor left can be ``next``."""

    move: Move
    row: FluencyMove
    name: str
    number: int
    next: bool = False

    @property
    def state(self) -> str:
        if self.row.done_at:
            return DONE
        if self.row.left_at:
            return LEFT
        return UNDER_WAY if self.row.started_at else UNTOUCHED

    @property
    def over(self) -> bool:
        return self.state in (DONE, LEFT)

    @property
    def text(self) -> str:
        return fill(self.move.text, record=self.name, value=self.row.value)

    @property
    def help(self) -> str:
        return fill(self.move.help, record=self.name, value=self.row.value) if self.row.helped else ""


def has_moves(visit: Visit) -> bool:
    """Whether this visit has timed moves: where the protocol has them, and only in a person's first visit."""
    return visit.period == 1 and file_of(visit.protocol).orientation.moves is not None


def steps_of(visit: Visit) -> list[Step]:
    """The moves in order with what became of them; what was done since the last look at the trace is stored first."""
    rows = _recognised(visit)
    names = snapshot_of(visit.org).names([row.record for row in rows.values() if row.record])
    steps: list[Step] = []
    for move in _items(visit):
        row = rows.get(move.id)
        if row is None or not (row.record or row.value):
            # This Org has nothing to draw from: the move is not asked.
            continue
        name = names.get(row.record, ("", ""))[1]
        steps.append(Step(move, row, name, len(steps) + 1, next=all(step.over for step in steps)))
    return steps


def start(visit: Visit, code: str) -> bool:
    """Start the clock of a move; False when it ran already or another one comes first."""
    step = _next(visit, code)
    if step is None or step.state != UNTOUCHED:
        return False
    return bool(_still_open(step).filter(started_at=None).update(started_at=timezone.now()))


def leave(visit: Visit, code: str) -> bool:
    """Leave a move undone, begun or not; False when it was over already."""
    step = _find(visit, code)
    return step is not None and bool(_still_open(step).update(left_at=timezone.now()))


def help_with(visit: Visit, code: str) -> None:
    """Show the help of a move under way, and keep that it was asked for."""
    step = _find(visit, code)
    if step is not None and step.state == UNDER_WAY:
        _still_open(step).update(helped=True)


def _items(visit: Visit) -> tuple[Move, ...]:
    moves = file_of(visit.protocol).orientation.moves
    return moves.items if moves and visit.period == 1 else ()


def _find(visit: Visit, code: str) -> Step | None:
    return next((step for step in steps_of(visit) if step.move.id == code), None)


def _next(visit: Visit, code: str) -> Step | None:
    step = _find(visit, code)
    return step if step and step.next else None


def _still_open(step: Step) -> QuerySet[FluencyMove]:
    return FluencyMove.objects.filter(pk=step.row.pk, done_at=None, left_at=None)


def _rows(visit: Visit) -> dict[str, FluencyMove]:
    """A row for each move, drawn and stored at the first need."""
    rows = {row.move: row for row in visit.moves.all()}
    for move in _items(visit):
        if move.id not in rows:
            record, value = draw(visit, move)
            rows[move.id] = FluencyMove.objects.get_or_create(
                visit=visit, move=move.id, defaults={"record": record, "value": value}
            )[0]
    return rows


def _recognised(visit: Visit) -> dict[str, FluencyMove]:
    """The rows, with those under way that the trace shows to be done marked as done."""
    rows = _rows(visit)
    newly = False
    for move in _items(visit):
        row = rows[move.id]
        if row.started_at is None or row.done_at or row.left_at:
            continue
        desk = working.desk_for_part(visit, Purpose.ORIENTATION)
        events = TraceEvent.objects.filter(desk=desk, at__gte=row.started_at).order_by("sequence")
        done = next((event for event in events if shows(visit, move, row, event)), None)
        if done is not None:
            newly |= bool(FluencyMove.objects.filter(pk=row.pk, done_at=None, left_at=None).update(done_at=done.at))
            row.refresh_from_db()
    if newly:
        _sum_up(visit)
    return rows


@transaction.atomic
def _sum_up(visit: Visit) -> None:
    """Once every move is done, their seconds together are the visit's fluency; a move that was left leaves none."""
    rows = list(FluencyMove.objects.filter(visit=visit))
    asked = [row for row in rows if row.record or row.value]
    if not asked or any(row.done_at is None or row.started_at is None for row in asked):
        return
    seconds = sum(seconds_of(visit, row) for row in asked)
    visit.fluency_seconds = round(seconds)
    Visit.objects.filter(pk=visit.pk, fluency_seconds=None).update(fluency_seconds=visit.fluency_seconds)


def seconds_of(visit: Visit, row: FluencyMove) -> float:
    """How long a move took: from its start until it was done, without pauses and breaks; 0 while it is not done."""
    if row.done_at is None or row.started_at is None:
        return 0.0
    took = (row.done_at - row.started_at).total_seconds()
    return max(0.0, took - clock.stood_between(visit, "orientation", row.started_at, row.done_at))


def shows(visit: Visit, move: Move, row: FluencyMove, event: TraceEvent) -> bool:
    """Whether this event of the orientation desk shows that the move is done."""
    if move.kind == "find":
        return event.kind == "record" and event.record == row.record
    if move.kind == "follow":
        if event.kind == "related":
            return event.object == move.related and event.record == row.record
        return event.kind == "list" and event.object == move.related and row.record in _kept(event, _links(visit, move))
    values = {str(value).casefold() for value in _kept(event, [move.field or ""])} if event.kind == "list" else set()
    return event.object == move.object and values == {row.value.casefold()}


def _kept(event: TraceEvent, fields: Iterable[str]) -> set[object]:
    """Values that every record of a traced list has in one of these fields, by the list's own conditions."""
    try:
        where = from_json(event.query or {}).where
    except (QueryError, KeyError, TypeError):
        return set()
    wanted = set(fields)
    return {value for compared in _all_of(where) if compared.field in wanted for value in _values(compared)}


def _values(compared: Compare) -> tuple[object, ...]:
    if compared.op == "eq":
        return (compared.value,)
    return tuple(compared.value) if compared.op == "in" and isinstance(compared.value, tuple) else ()


def _all_of(condition: Condition | None) -> Iterator[Compare]:
    """Comparisons that hold for every record: those joined by "and", not what stands under "or" or "not"."""
    if isinstance(condition, Compare):
        yield condition
    elif isinstance(condition, And):
        for item in condition.items:
            yield from _all_of(item)


def draw(visit: Visit, move: Move) -> tuple[str, str]:
    """The record and the value of a move for this person; both empty where the Org has none to offer."""
    snapshot = snapshot_of(visit.org)
    seed = Random(f"{visit.seed}:move:{move.id}")  # noqa: S311 a draw, not a secret
    try:
        if move.kind == "find":
            return _a_name(snapshot, move.object, seed), ""
        if move.kind == "filter":
            return "", _a_value(snapshot, move.object, move.field or "", seed)
        return _a_parent(snapshot, visit, move, seed), ""
    except QueryError:
        return "", ""


def _a_name(snapshot: Snapshot, name: str, seed: Random) -> str:
    """A record whose name no other record of the object has, so that there is one to find."""
    thing = snapshot.registry.object(name)
    named = QuerySpec(name, select=("Id", thing.name_field), where=Compare(thing.name_field, "not_null"))
    for row in _some(snapshot, named, seed):
        alike = QuerySpec(name, where=Compare(thing.name_field, "eq", row[1]))
        if snapshot.count(alike, snapshot.last_day) == 1:
            return str(row[0])
    return ""


def _a_value(snapshot: Snapshot, name: str, field: str, seed: Random) -> str:
    """A value of the field that some records have and others don't."""
    grouped = QuerySpec(
        name, groups=(Group(field, alias="value"),), measures=(Measure("count", alias="n"),), order=(Order("value"),),
        limit=200,
    )  # fmt: skip
    whole = snapshot.count(QuerySpec(name), snapshot.last_day)
    rows = snapshot.run(grouped, snapshot.last_day).rows
    offered = [str(value) for value, n in rows if value and LEAST <= n < whole]
    return seed.choice(offered) if offered else ""


def _a_parent(snapshot: Snapshot, visit: Visit, move: Move, seed: Random) -> str:
    """A record with several records in the related list."""
    child = move.related or ""
    for link in _links(visit, move):
        pointing = QuerySpec(child, select=("Id", link), where=Compare(link, "not_null"))
        for row in _some(snapshot, pointing, seed):
            if snapshot.count(QuerySpec(child, where=Compare(link, "eq", row[1])), snapshot.last_day) >= LEAST:
                return str(row[1])
    return ""


def _links(visit: Visit, move: Move) -> list[str]:
    """The lookups by which the records of the related list point to where the move begins."""
    registry = snapshot_of(visit.org).registry
    if not move.related or not registry.has(move.related):
        return []
    return [field.name for field in registry.object(move.related).fields if move.object in field.targets]


def _some(snapshot: Snapshot, spec: QuerySpec, seed: Random) -> Iterator[tuple[Any, ...]]:
    """Some rows of a query drawn over all of them, one at a time."""
    total = snapshot.count(spec, snapshot.last_day)
    for place in seed.sample(range(total), min(TRIES, total)):
        one = QuerySpec(spec.object, spec.select, spec.where, order=(Order("Id"),), limit=1, offset=place)
        yield from snapshot.run(one, snapshot.last_day).rows
