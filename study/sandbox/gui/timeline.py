"""The activity of a record: tasks, events, mails, chats, calls and changes, counted from the today of the desk."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from study.sandbox.engine.queryspec import And, Compare, Condition, Not, Or, Order, QuerySpec
from study.sandbox.engine.registry import FieldDef, ObjectDef
from study.sandbox.frozen_today import after_today, ago, day_words, local, moment_words, written_at
from study.sandbox.gui.presenting import Shower
from study.sandbox.gui.reading import MAIL
from study.sandbox.gui.related import Link
from study.sandbox.gui.rooms import Room

TASK, EVENT = "Task", "Event"
DONE = "Completed"
SHOWN, MOST = 12, 300
# A record with more kinds of dated records than this tells of the first in its layout.
MOST_KINDS = 8
# What lies ahead by nature is told by its own date.
_DATES = {TASK: "ActivityDate", EVENT: "StartDateTime"}
_WHO = {TASK: "OwnerId", EVENT: "OwnerId", MAIL: "FromAddress", "LiveChatTranscript": "OwnerId"}
# On these pages other panels say what happened, and a list of everything ever owned or sold would say nothing.
WITHOUT = frozenset({"User", "Product2", "Pricebook2", "PricebookEntry", "ProductCategory", "Territory2"})


@dataclass(frozen=True)
class Line:
    """A line of the timeline. ``group`` is upcoming, later (dated after the today) or past."""

    item: ObjectDef
    record_id: str
    url: str
    words: str
    who: str
    ago: str
    at: str
    status: str
    group: str
    overdue: bool
    sort: float


@dataclass
class Timeline:
    """The lines of one record under the filter of its address: ``tl`` a kind, for tasks a status; ``tn`` how many."""

    room: Room
    links: list[Link]
    record_id: str
    given: QueryDict
    # How many records point here by each link.
    counted: dict[str, int]

    @cached_property
    def children(self) -> dict[str, tuple[ObjectDef, FieldDef, list[Link]]]:
        """Kinds of dated children with all the ways they point here: a mail that points twice is one line."""
        found: dict[str, tuple[ObjectDef, FieldDef, list[Link]]] = {}
        for link in self.links:
            dated = date_of(link.child)
            if dated is not None:
                found.setdefault(link.child.name, (link.child, dated, []))[2].append(link)
        return found

    @cached_property
    def counts(self) -> dict[str, int]:
        """Kind -> how many, for kinds that occur here."""
        numbers = {name: self._count(name) for name in self.children}
        return dict([(name, n) for name, n in numbers.items() if n][:MOST_KINDS])

    def _count(self, name: str) -> int:
        """Records that point here once are counted already; those that may point here twice are counted once."""
        links = self.children[name][2]
        if len(links) == 1:
            return self.counted[links[0].key]
        return self.room.count(QuerySpec(name, where=self._where(name)))

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @cached_property
    def chosen(self) -> tuple[str, str]:
        """(kind, status) asked for; blank for all. What does not occur here is not asked."""
        kind, _colon, status = self.given.get("tl", "").partition(":")
        return (kind, status[:80]) if kind in self.counts else ("", "")

    @property
    def choice(self) -> str:
        kind, status = self.chosen
        return f"{kind}:{status}" if status else kind

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The menu: all kinds, each kind with its count, tasks also by status."""
        found = [("", _("All kinds"))]
        for name, n in self.counts.items():
            item = self.children[name][0]
            found.append((name, f"{item.plural} ({n:,})"))
            if name == TASK and item.has("Status"):
                found += [(f"{TASK}:open", _("Tasks: open")), (f"{TASK}:done", _("Tasks: done"))]
                found += [(f"{TASK}:{status}", f"{_('Tasks')}: {status}") for status in item.field("Status").values]
        return found

    @cached_property
    def wanted(self) -> int:
        asked = self.given.get("tn", "")
        return max(SHOWN, min(int(asked), MOST)) if asked.isdecimal() and len(asked) < 5 else SHOWN

    @cached_property
    def _found(self) -> list[Line]:
        kind, status = self.chosen
        kinds = [kind] if kind else list(self.counts)
        rows = [(name, row) for name in kinds for row in self._rows(name, status)]
        ids = {name: self.children[name][0] for name in kinds}
        shower = Shower(self.room, (value for _name, row in rows for value in row.values()))
        once = {row["Id"]: self._line(ids[name], row, shower) for name, row in rows}
        return sorted(once.values(), key=lambda line: line.sort, reverse=True)

    @cached_property
    def groups(self) -> list[tuple[str, list[Line]]]:
        """(heading, lines): what is to come soonest first, then the past, newest first."""
        ahead = [line for line in self._found if line.group == "upcoming"]
        rest = [line for line in self._found if line.group != "upcoming"]
        named = [
            (_("To come and overdue"), sorted(ahead, key=_soonest)[: self.wanted]),
            (_("Dated after today"), [line for line in rest if line.group == "later"][: self.wanted]),
            (_("Past"), [line for line in rest if line.group == "past"][: self.wanted]),
        ]
        return [(heading, lines) for heading, lines in named if lines]

    @cached_property
    def listed(self) -> int:
        """How many there are under the filter."""
        kind, status = self.chosen
        if not kind:
            return self.total
        return self.room.count(QuerySpec(kind, where=And(self._where(kind), *_status(kind, status))))

    @property
    def shown(self) -> int:
        return sum(len(lines) for _heading, lines in self.groups)

    @property
    def more(self) -> int:
        """The ``tn`` that shows more, 0 where all is shown."""
        return min(self.wanted * 2, MOST) if self.shown < self.listed and self.wanted < MOST else 0

    @property
    def cut(self) -> bool:
        """Whether there are more than a page of activity shows."""
        return self.shown < self.listed and not self.more

    def _where(self, name: str) -> Condition:
        here: list[Condition] = [link.here(self.record_id) for link in self.children[name][2]]
        return here[0] if len(here) == 1 else Or(*here)

    def _rows(self, name: str, status: str) -> list[dict[str, Any]]:
        """What of one kind stands first under each heading: the next of what is to come, the latest of the rest."""
        item, dated, _links = self.children[name]
        wished = ["Id", dated.name, item.name_field, _WHO.get(name, ""), "Status", "Field__c", "NewValue__c"]
        select = tuple(dict.fromkeys(one for one in wished if item.has(one)))
        found = []
        for more, ahead in self._asked(name, status):
            where = And(self._where(name), *more) if more else self._where(name)
            order = (Order(dated.name, descending=not ahead, nulls="last" if ahead else "first"),)
            result = self.room.run(QuerySpec(name, select=select, where=where, order=order, limit=self.wanted))
            found += [dict(zip(result.columns, row, strict=True)) for row in result.rows]
        return found

    def _asked(self, name: str, status: str) -> list[tuple[list[Condition], bool]]:
        """(conditions, whether it is to come) for each query of a kind, so that neither half crowds the other out."""
        item, dated, _links = self.children[name]
        if name == TASK and item.has("Status"):
            if status:
                return [(_status(name, status), status not in {"done", DONE})]
            return [(_status(name, "open"), True), (_status(name, "done"), False)]
        if name == EVENT:
            ahead = Compare(dated.name, "ge", self.room.desk.today)
            return [([ahead], True), ([Not(ahead)], False)]
        return [([], False)]

    def _line(self, item: ObjectDef, row: dict[str, Any], shower: Shower) -> Line:
        zone, today = self.room.registry.zone, self.room.desk.today
        dated = date_of(item)
        at = row.get(dated.name) if dated else None
        moment = at if isinstance(at, datetime) else datetime.combine(at, time(), ZoneInfo(zone)) if at else None
        status = row.get("Status") or "" if item.name == TASK else ""
        group = self._group(item, at, status)
        who = row.get(_WHO.get(item.name, "")) or ""
        return Line(
            item, row["Id"], self.room.record_url(row["Id"]), _said(row, shower), str(shower.names.get(who, who)),
            _when(at, today, zone), _moment(at, zone), status, group,
            bool(group == "upcoming" and item.name == TASK and at and day_of(at, zone) < today),
            moment.timestamp() if moment else float("-inf"),
        )  # fmt: skip

    def _group(self, item: ObjectDef, at: Any, status: str) -> str:
        today, zone = self.room.desk.today, self.room.registry.zone
        if item.name == TASK:
            return "past" if status == DONE else "upcoming"
        if item.name == EVENT:
            return "upcoming" if at and day_of(at, zone) >= today else "past"
        return "later" if after_today(at, today, zone) else "past"


def _soonest(line: Line) -> tuple[bool, float]:
    """Soonest first; what has no date comes last."""
    return line.sort == float("-inf"), line.sort


def date_of(item: ObjectDef) -> FieldDef | None:
    """The date a child stands under in a timeline."""
    own = _DATES.get(item.name, "")
    return item.field(own) if item.has(own) else written_at(item)


def day_of(at: date, zone: str) -> date:
    return local(at, zone).date() if isinstance(at, datetime) else at


def _status(kind: str, status: str) -> list[Condition]:
    if kind != TASK or not status:
        return []
    if status in {"open", "done"}:
        return [Compare("Status", "ne" if status == "open" else "eq", DONE)]
    return [Compare("Status", "eq", status)]


def _said(row: dict[str, Any], shower: Shower) -> str:
    if change := row.get("Field__c"):
        new = row.get("NewValue__c") or ""
        return f"{change}: {shower.names.get(new, new)}".removesuffix(": ")
    return shower.names[row["Id"]]


def _when(at: Any, today: date, zone: str) -> str:
    """4 days ago, today, in 3 days"""
    if at is None:
        return _("no date")
    days = (day_of(at, zone) - today).days
    return ngettext("in %(n)s day", "in %(n)s days", days) % {"n": days} if days > 0 else ago(at, today, zone)


def _moment(at: Any, zone: str) -> str:
    if isinstance(at, datetime):
        return moment_words(at, zone)
    return day_words(at) if at else ""
