"""The pages somebody would have opened at a desk, as the trace keeps them; written together, at their drawn moments."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from study.assignment.models import Visit
from study.fieldwork.simulation.moments import Moments
from study.sandbox.engine.queryspec import Compare, Order, QuerySpec
from study.sandbox.models import Desk, Org, TraceEvent
from study.sandbox.opened import snapshot_of

ON_A_PAGE = 50


class Pages:
    """What was opened and not yet written. ``desk`` is the one that stands open."""

    def __init__(self, moments: Moments) -> None:
        self.moments = moments
        self.desk: Desk
        self.waiting: list[TraceEvent] = []
        self.numbers: dict[int, int] = {}

    def at(self, desk: Desk) -> None:
        """Take a desk up. One that was just made stands open from now on."""
        self.desk = desk
        if desk.pk not in self.numbers:
            self.numbers[desk.pk] = 0
            Desk.objects.filter(pk=desk.pk).update(opened_at=self.moments.read())

    def see(self, desk: Desk, kind: str, name: str = "", record: str = "", query: dict[str, Any] | None = None) -> None:
        number = self.numbers[desk.pk] = self.numbers.get(desk.pk, 0) + 1
        ways = {"record": f"r/{record}/", "list": f"o/{name}/", "search": "search/", "related": f"r/{record}/related/"}
        self.waiting.append(
            TraceEvent(
                desk=desk, sequence=number, at=self.moments.read(), kind=kind, object=name, record=record, query=query,
                n=1 if kind == "search" else None, address=ways.get(kind, ""),
            )
        )  # fmt: skip

    def see_list(self, desk: Desk, name: str, *, field: str = "", value: str = "") -> None:
        spec = QuerySpec(name, select=("Id",), where=Compare(field, "eq", value) if field else None)
        self.see(desk, "list", name, query=json.loads(spec.to_json()))

    def flush(self) -> None:
        TraceEvent.objects.bulk_create(self.waiting)
        self.waiting = []

    def records_of(self, org: Org, name: str) -> list[str]:
        return list(_first_page(org, name))

    def kind_of(self, org: Org, record: str) -> str:
        item = snapshot_of(org).registry.object_for_id(record)
        return item.name if item else ""

    def open_desks(self, visit: Visit) -> None:
        """The desk of the orientation was opened with the visit."""
        Desk.objects.filter(visit_desk__visit=visit).update(opened_at=visit.begun_at)


@lru_cache(maxsize=256)
def _first_page(org: Org, name: str) -> tuple[str, ...]:
    snapshot = snapshot_of(org)
    if not snapshot.registry.has(name):
        return ()
    spec = QuerySpec(name, select=("Id",), order=(Order("Id"),), limit=ON_A_PAGE)
    return tuple(sorted(str(row[0]) for row in snapshot.run(spec, snapshot.last_day).rows))
