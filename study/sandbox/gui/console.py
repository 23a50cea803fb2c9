"""The query console: a text, its answer in a grid or the place of its fault, and this desk's earlier queries."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from study.sandbox.engine.errors import QueryError, QueryTimeout
from study.sandbox.engine.folding import clean_text
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.frozen_today import local
from study.sandbox.gui.naming import looks_like_id
from study.sandbox.gui.presenting import copied_id, number_words
from study.sandbox.gui.rooms import Room
from study.sandbox.models import TraceEvent
from study.sandbox.soql import SoqlError, SoqlResult, SoslResult, is_sosl, run_soql, run_sosl

SHOWN = 200
REMEMBERED = 20
KIND = "console"
_LOOKED_THROUGH = 300
_LONGEST_CELL = 140


@dataclass
class Grid:
    """One table of an answer. ``head`` pairs each column with how it is set."""

    item: ObjectDef
    result: SoqlResult
    head: list[tuple[str, str]]
    rows: list[list[tuple[str, SafeString]]]

    @property
    def first(self) -> int:
        return self.result.first + 1

    @property
    def last(self) -> int:
        return self.result.first + len(self.rows)


@dataclass
class Console:
    """One state of the console: the text as it was typed, and where in its answer this page begins."""

    room: Room
    raw: str
    place: str
    error: QueryError | None = field(default=None, init=False)

    @cached_property
    def text(self) -> str:
        # Browsers send line ends as two characters; a place in the text is counted in one.
        return clean_text(self.raw).replace("\r\n", "\n").replace("\r", "\n")

    @property
    def asked(self) -> bool:
        return bool(self.text.strip())

    @property
    def language(self) -> str:
        return "sosl" if is_sosl(self.text) else "soql"

    @cached_property
    def answer(self) -> SoqlResult | SoslResult | None:
        """The answer; None where nothing was asked or where ``error`` says why there is none."""
        if not self.asked:
            return None
        try:
            if self.language == "sosl":
                return run_sosl(self.room.snapshot, self.text, self.room.desk.today)
            return run_soql(
                self.room.snapshot, self.text, self.room.desk.today, after=self.place or None, page=SHOWN
            )  # fmt: skip
        except QueryError as error:
            self.error = error
            return None

    @property
    def fault(self) -> SoqlError | None:
        """The error, where it has a place in the text."""
        return self.error if isinstance(self.error, SoqlError) and self.error.line is not None else None

    @property
    def status(self) -> int:
        self.answer  # noqa: B018 - finds out whether there is an error
        if self.error is None:
            return 200
        return 503 if isinstance(self.error, QueryTimeout) else 400

    @property
    def counted(self) -> str:
        """What SELECT COUNT() found, in words; "" for any other query."""
        found = self.answer
        if not isinstance(found, SoqlResult) or found.columns:
            return ""
        n = found.total_size
        return ngettext("%(n)s row", "%(n)s rows", n) % {"n": number_words(n)}

    @cached_property
    def grids(self) -> list[Grid]:
        found = self.answer
        if isinstance(found, SoslResult):
            return [self._grid(one) for one in found.found]
        return [self._grid(found)] if found is not None and found.columns else []

    def _grid(self, result: SoqlResult) -> Grid:
        head = [(name, _setting(kind)) for name, kind in zip(result.columns, result.types, strict=True)]
        rows = [
            [
                (_setting(kind), self.cell(value, kind, result.children.get(name)))
                for name, kind, value in zip(result.columns, result.types, row, strict=True)
            ]
            for row in result.rows
        ]
        return Grid(self.room.registry.object(result.object), result, head, rows)

    @property
    def next_url(self) -> str:
        found = self.answer
        if not isinstance(found, SoqlResult) or not found.next:
            return ""
        return self.url_of(self.text, found.next)

    def url_of(self, text: str, place: str = "") -> str:
        """The address of a query; a long one is kept under a key."""
        pairs = [("q", text), ("from", place)] if place else [("q", text)]
        return self.room.address(reverse("crm_console", args=[self.room.desk.code]), pairs)

    @property
    def beginnings(self) -> list[tuple[str, str]]:
        """First queries for somebody who has none yet: (text, its address)."""
        if not self.room.objects:
            return []
        first = self.room.objects[0]
        names = [one.name for one in first.fields if one.type not in {"text", "reference"}][:5]
        texts = [f"SELECT {', '.join(names)} FROM {first.name} ORDER BY {names[-1]} DESC LIMIT 20"]
        kind = next((one.name for one in first.fields if one.type == "picklist"), None)
        if kind:
            texts.append(f"SELECT {kind}, COUNT(Id) FROM {first.name} GROUP BY {kind} ORDER BY COUNT(Id) DESC")
        if first.searched:
            texts.append(f"FIND {{word}} RETURNING {first.name}(Id, {first.name_field})")
        return [(text, self.url_of(text)) for text in texts]

    def cell(self, value: object, kind: str, children: tuple[str, ...] | None = None) -> SafeString:
        """A value as it would be typed into a query: Ids in full, moments with their offset, null as null."""
        if isinstance(value, tuple):
            return self._inside(value, children or ())
        if value is None:
            return SafeString('<span class="none">null</span>')
        if isinstance(value, bool):
            return SafeString("true" if value else "false")
        if isinstance(value, datetime):
            return format_html('<time datetime="{0}">{0}</time>', moment_text(value, self.room.registry.zone))
        if isinstance(value, date):
            return format_html('<time datetime="{0}">{0}</time>', value.isoformat())
        if isinstance(value, int | float):
            return format_html("{}", number_text(value))
        text = str(value)
        item = self.room.registry.object_for_id(text) if looks_like_id(text) else None
        if kind in {"id", "reference"} or item is not None:
            return copied_id(text, url=self.room.record_url(text) if item else "")
        shown = text if len(text) <= _LONGEST_CELL else text[:_LONGEST_CELL].rstrip() + "…"
        return format_html('<span dir="auto">{}</span>', shown)

    def _inside(self, rows: tuple[Any, ...], columns: tuple[str, ...]) -> SafeString:
        """The rows of a subquery, folded into their cell."""
        if not rows:
            return SafeString(f'<span class="none">{_("no rows")}</span>')
        count = ngettext("%(n)s row", "%(n)s rows", len(rows)) % {"n": number_words(len(rows))}
        head = format_html_join("", '<th scope="col">{}</th>', ((name,) for name in columns))
        body = format_html_join(
            "", "<tr>{}</tr>",
            ((format_html_join("", "<td>{}</td>", ((self.cell(value, ""),) for value in row)),) for row in rows),
        )  # fmt: skip
        table = "<details><summary>{}</summary><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></details>"
        return format_html(table, count, head, body)

    def trace(self) -> None:
        """Writes what was asked and what came of it into the trace."""
        if not self.asked:
            self.room.traced(KIND)
            return
        said: dict[str, Any] = {"text": self.text, "lang": self.language}
        found = self.answer
        if found is None:
            self.room.traced(KIND, query=said | {"error": self.error.code if self.error else ""})
        elif isinstance(found, SoslResult):
            said["specs"] = [json.loads(one.spec.to_json()) for one in found.found]
            self.room.traced(KIND, query=said, n=found.total_size)
        else:
            said |= {"spec": json.loads(found.spec.to_json())} | ({"first": found.first} if found.first else {})
            self.room.traced(KIND, found.object, query=said, n=found.total_size)

    @cached_property
    def history(self) -> list[tuple[str, str, str]]:
        """(text, its address, what came of it) for this desk's latest queries, each once, the newest first."""
        events = TraceEvent.objects.filter(desk=self.room.desk, kind=KIND).order_by("-sequence")
        found: dict[str, str] = {}
        for query, n in events.values_list("query", "n")[:_LOOKED_THROUGH]:
            text = (query or {}).get("text", "")
            if text and text not in found and len(found) < REMEMBERED:
                rows = "" if n is None else ngettext("%(n)s row", "%(n)s rows", n) % {"n": number_words(n)}
                found[text] = rows or str((query or {}).get("error", ""))
        return [(text, self.url_of(text), came) for text, came in found.items()]


def _setting(kind: str) -> str:
    return "r-al" if kind in {"number", "integer"} else kind


def number_text(value: float) -> str:
    """A number as a query takes it: 9.5, 70."""
    return str(int(value)) if isinstance(value, int) or (value.is_integer() and abs(value) < 2**53) else repr(value)


def moment_text(value: datetime, zone: str) -> str:
    """A moment as a query takes it, by the Org's clocks: 2024-03-31T09:00:00Z."""
    there = local(value, zone)
    spec = "milliseconds" if there.microsecond else "seconds"
    text = there.isoformat(timespec=spec)
    return text.replace("+00:00", "Z") if there.utcoffset() == UTC.utcoffset(None) else text
