"""One request's place in the sandbox: desk, Org and today, and the pages for what goes wrong there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from csp.constants import SELF
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from study.sandbox import page_facts, trace
from study.sandbox.access import desk_for
from study.sandbox.engine.connections import SECONDS
from study.sandbox.engine.errors import QueryError, QueryTimeout
from study.sandbox.engine.queryspec import QuerySpec
from study.sandbox.engine.registry import ObjectDef, Registry
from study.sandbox.engine.snapshot import Result, Snapshot
from study.sandbox.gui import long_addresses
from study.sandbox.models import Desk, Purpose
from study.sandbox.opened import snapshot_of

TABS = 8
# What service and sales people look for first; everything else follows in the Org's own order.
_FIRST = (
    "Case", "Account", "Contact", "Lead", "Opportunity", "Order", "Product2", "Knowledge__kav", "User", "Issue__c",
)  # fmt: skip

# What happens on a page, and is no other page.
_NO_PAGE = frozenset({"suggest", "filter", "favourite", "view_saved"})


class Missing(Exception):
    """No such object or record in this Org: a 404 in the sandbox's own dress."""


@dataclass(frozen=True)
class Room:
    """Desk, snapshot and address of one request."""

    desk: Desk
    snapshot: Snapshot
    base: str
    # Keys of long addresses stored for this request.
    stored: set[str] = field(default_factory=set, compare=False, repr=False)
    # What was asked for, below ``base``; and the numbers of the trace events this request wrote.
    asked: str = field(default="", compare=False)
    told: list[int] = field(default_factory=list, compare=False, repr=False)

    @property
    def registry(self) -> Registry:
        return self.snapshot.registry

    @property
    def objects(self) -> list[ObjectDef]:
        """The objects of the Org that hold records, the busiest first."""
        named = {item.name: item for item in self.registry.objects}
        first = [named[name] for name in _FIRST if name in named]
        return [*first, *(item for item in self.registry.objects if item not in first)]

    @property
    def tabs(self) -> list[ObjectDef]:
        return self.objects[:TABS]

    @property
    def more(self) -> list[ObjectDef]:
        return self.objects[TABS:]

    def object(self, name: str) -> ObjectDef:
        if not self.registry.has(name):
            raise Missing
        return self.registry.object(name)

    def count_of(self, name: str) -> int:
        return int(self.snapshot.counts.get(name, 0))

    def record_url(self, record_id: str) -> str:
        return f"{self.base}r/{record_id}/"

    def list_url(self, name: str) -> str:
        return f"{self.base}o/{name}/"

    def report_url(self, name: str) -> str:
        return f"{self.base}report/{name}/"

    def address(self, base: str, pairs: list[tuple[str, str]]) -> str:
        """A page with these parameters, by a key where they would make too long a line."""
        return long_addresses.address(base, pairs, self.stored)

    def run(self, spec: QuerySpec) -> Result:
        return self.snapshot.run(spec, self.desk.today)

    def count(self, spec: QuerySpec, seconds: float = SECONDS) -> int:
        return self.snapshot.count(spec, self.desk.today, seconds)

    def traced(
        self,
        kind: str,
        name: str = "",
        record_id: str = "",
        *,
        query: dict[str, Any] | None = None,
        n: int | None = None,
    ) -> None:
        """Write what was just shown into the trace; at a closed desk nothing counts any more, as its pages say."""
        if self.desk.closed_at is None:
            event = trace.record(self.desk, kind, name, record_id, query, n, self.asked)
            if kind not in _NO_PAGE:
                self.told.append(event.sequence)


Page = Callable[..., HttpResponse]


def desk_page(view: Page) -> Page:
    """A GET page at a desk: opens the door, and answers what cannot be shown with a calm page."""

    return require_GET(_at_a_desk(view))


def desk_act(view: Page) -> Page:
    """A POST at a desk: the same door and the same calm pages. A closed desk keeps nothing and says so."""

    @wraps(view)
    def acted(request: HttpRequest, room: Room, **names: Any) -> HttpResponse:
        if room.desk.closed_at is not None:
            message = _("This desk is closed. You can still read here; nothing is kept any more.")
            return _problem(request, room, "sandbox/problem.html", 409, message=message)
        return view(request, room, **names)

    return require_POST(_at_a_desk(acted))


def _at_a_desk(view: Page) -> Page:
    @wraps(view)
    def opened(request: HttpRequest, code: str, **names: Any) -> HttpResponse:
        desk = desk_for(request, code)
        base = reverse("crm_home", args=[code])
        room = Room(desk, snapshot_of(desk.org), base, asked=request.get_full_path().removeprefix(base))
        request.room = room  # type: ignore[attr-defined]
        try:
            if long_addresses.KEY in request.GET:
                request.GET = _expanded(request.GET)  # type: ignore[assignment]
            return _framed(page_facts.answering(view(request, room, **names), desk, room.told), desk)
        except Missing:
            return _problem(request, room, "sandbox/missing.html", 404)
        except QueryTimeout as error:
            about = _about(room, names) | {"slow": True, "message": timeout_words(error)}
            return _problem(request, room, "sandbox/problem.html", 503, **about)
        except QueryError as error:
            about = _about(room, names) | {"message": error.message, "place": error.place}
            return _problem(request, room, "sandbox/problem.html", 400, **about)

    return opened


def _framed(response: HttpResponse, desk: Desk) -> HttpResponse:
    """A page at a desk of staff may stand in a page of ours, for a replay; a participant's in none."""
    if desk.purpose == Purpose.STAFF:
        response["X-Frame-Options"] = "SAMEORIGIN"
        response._csp_replace = {"frame-ancestors": [SELF]}  # type: ignore[attr-defined]
    return response


def _about(room: Room, names: dict[str, Any]) -> dict[str, Any]:
    """The object a page was about, for the way to all of its records."""
    name = names.get("name", "")
    return {"item": room.object(name)} if room.registry.has(name) else {}


def _expanded(given: QueryDict) -> QueryDict:
    found = long_addresses.expanded(given)
    if found is None:
        raise Missing
    return found


def timeout_words(error: QueryTimeout) -> str:
    return _(
        "This took longer than %(seconds)s seconds. We stopped it; nothing is lost. A shorter date window will help."
    ) % {"seconds": f"{error.seconds:g}"}


def _problem(request: HttpRequest, room: Room, template: str, status: int, **context: object) -> HttpResponse:
    return render(request, template, {"room": room, **context}, status=status)
