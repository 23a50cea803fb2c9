"""A replay: the pages of a visit in their order, each shown again at a desk of staff with the same Org and today.

What a page said then it says now, since an Org never changes and the trace keeps each page's address and query. Only
visits of people who agreed to it (the optional statement ``replay``) can be walked through. While the study is blind
nothing in it tells a rating or a reason (M13).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from study.accounts.audit import audit
from study.accounts.models import AuditRow, Study, User
from study.assignment.models import Visit
from study.fieldwork.models import Attempt, Save
from study.fieldwork.requesting import question_text
from study.people.consenting.consent import agreed
from study.people.models import Participant
from study.sandbox.desks import open_desk
from study.sandbox.models import Desk, PageFact, Purpose, TraceEvent

CONSENT = "replay"
TAKE_OUT = "take_out"
# What happens while a page is made or typed into, and acts that lead to no page of their own.
LEFT_OUT = frozenset({"suggest"})
ACTS = frozenset({"favourite", "view_saved"})
WORK = "attempt/"
VIEWED_FOR = timedelta(hours=1)
KINDS: dict[str, Promise] = {
    "home": _("Home"),
    "apps": _("Everything there is"),
    "list": _("List"),
    "record": _("Record"),
    "related": _("Related list"),
    "thread": _("E-mail thread"),
    "filter": _("Filter in a record"),
    "search": _("Search"),
    "favourites": _("Favourites"),
    "favourite": _("Marked as favourite"),
    "view_saved": _("Kept a view"),
    "reports": _("Reports"),
    "report": _("Report"),
    "console": _("Query console"),
    "schema": _("Fields"),
}
PARTS: dict[str, Promise] = {
    "orientation": _("Orientation"), "attempt": _("Question"), "rating": _("Rating"),
}  # fmt: skip


@dataclass
class Step:
    """One page as it was opened, with what the dock held and what was saved until the next one."""

    number: int
    event: TraceEvent
    desk: Desk
    part: str
    attempt: Attempt | None
    until: datetime | None
    fact: PageFact | None = None
    saves: list[Save] = field(default_factory=list)

    @property
    def at(self) -> datetime:
        return self.event.at

    @property
    def has_page(self) -> bool:
        return self.event.kind not in ACTS and ".." not in self.address.partition("?")[0].split("/")

    @property
    def what(self) -> str:
        kind = str(KINDS.get(self.event.kind, self.event.kind))
        return f"{kind}: {self.event.object}" if self.event.object else kind

    @property
    def where(self) -> str:
        part = str(PARTS.get(self.part, self.part))
        return f"{part} {self.attempt.position}" if self.attempt else part

    @property
    def seconds(self) -> int | None:
        """Until the next page of the visit; None for the last one."""
        return max(0, round((self.until - self.at).total_seconds())) if self.until else None

    @property
    def seconds_in_view(self) -> int | None:
        return round(self.fact.visible_ms / 1000) if self.fact and not self.fact.odd else None

    @property
    def seconds_idle(self) -> int | None:
        return round(self.fact.idle_ms / 1000) if self.fact and not self.fact.odd else None

    @property
    def question(self) -> str:
        return question_text(self.attempt) if self.attempt else ""

    @property
    def address(self) -> str:
        """Below the desk; worked out where an early event kept none."""
        event = self.event
        if event.address or event.kind == "home":
            return event.address
        if event.kind == "search":
            return "search/?" + urlencode({"q": str((event.query or {}).get("text", ""))})
        if event.record:
            return f"r/{event.record}/" + ("thread/" if event.kind == "thread" else "")
        return {"list": f"o/{event.object}/", "report": f"report/{event.object}/"}.get(event.kind, f"{event.kind}/")


class Walk:
    """The whole course of a visit."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit

    @property
    def study(self) -> Study:
        return self.visit.participant.study

    @property
    def name(self) -> str:
        return f"{self.visit.participant.code}-{self.visit.period}"

    @cached_property
    def closed_because(self) -> str:
        """Why there is nothing to walk through: not agreed, or taken out; empty where there is."""
        if self.visit.participant.data_choice == TAKE_OUT:
            return "taken_out"
        return "" if agreed(self.visit.participant, CONSENT) else "not_agreed"

    @cached_property
    def steps(self) -> list[Step]:
        """Every page in the order it was opened, over all desks of the visit. Empty for one that is closed."""
        if self.closed_because:
            return []
        desks = self._desks()
        events = TraceEvent.objects.filter(desk__in=desks).exclude(kind__in=LEFT_OUT).order_by("at", "pk")
        facts = {(one.desk_id, one.sequence): one for one in PageFact.objects.filter(desk__in=desks)}
        rows = list(events)
        found = []
        for number, (event, following) in enumerate(zip(rows, [*rows[1:], None], strict=True), start=1):
            desk, part, attempt = desks[event.desk_id]
            fact = facts.get((event.desk_id, event.sequence))
            found.append(Step(number, event, desk, part, attempt, following.at if following else None, fact))
        return found

    def step(self, number: int) -> Step | None:
        """One step with what was saved while its page was the latest."""
        if not 1 <= number <= len(self.steps):
            return None
        step = self.steps[number - 1]
        saves = Save.objects.filter(visit=self.visit, at__gte=step.at).order_by("at", "pk")
        if step.until:
            saves = saves.filter(at__lt=step.until)
        if self.study.blind:
            saves = saves.filter(field__startswith=WORK)
        step.saves = list(saves[:50])
        return step

    def _desks(self) -> dict[int, tuple[Desk, str, Attempt | None]]:
        found: dict[int, tuple[Desk, str, Attempt | None]] = {}
        for row in self.visit.desks.select_related("desk__org"):
            found[row.desk_id] = (row.desk, row.purpose, None)
        for one in self.visit.attempts.filter(desk__isnull=False).select_related("desk__org", "place__instance"):
            if one.desk is not None:
                found[one.desk.pk] = (one.desk, Purpose.ATTEMPT.value, one)
        return found


def visits_to_replay(study: Study) -> Iterable[Walk]:
    """The visits of people who take part, by code and period."""
    visits = Visit.objects.filter(participant__study=study, participant__in=Participant.objects.people())
    visits = visits.select_related("participant__study").order_by("participant__code", "period")
    return [Walk(visit) for visit in visits]


def page_of(step: Step, *, by: User, study: Study) -> str:
    """The address at which this person sees the step's page again."""
    base = reverse("crm_home", args=[staff_desk(step.desk, by=by, study=study).code])
    return base + step.address


def staff_desk(desk: Desk, *, by: User, study: Study) -> Desk:
    """A desk of this person's own in the same Org on the same day; the one they have serves again."""
    own = Desk.objects.filter(
        org=desk.org, user=by, study=study, purpose=Purpose.STAFF, today=desk.today, closed_at=None, console=True
    )
    return own.order_by("pk").first() or open_desk(
        org=desk.org, user=by, purpose=Purpose.STAFF, today=desk.today, study=study
    )


def note_view(walk: Walk, *, by: User) -> None:
    """Write down who looked at whose visit; turning its pages within the hour is one look."""
    since = timezone.now() - VIEWED_FOR
    looked = AuditRow.objects.filter(act="replay.viewed", actor=by, study=walk.study, target=walk.name, at__gte=since)
    if not looked.exists():
        audit("replay.viewed", by=by, study=walk.study, target=walk.name)


def said(save: Save) -> list[tuple[str, str]]:
    """A save in words: (what, value) for each thing in it."""
    value: Any = save.value
    if not isinstance(value, dict):
        return [(save.field, _value(value))]
    return [(str(name), _value(one)) for name, one in value.items() if one not in (None, "", [], {}, False)]


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(str(one) for one in value)
    return str(value)
