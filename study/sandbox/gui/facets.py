"""The filter panel of a list: tick boxes with counts, date windows with the days they mean, menus for the rest."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Protocol

from django.utils.translation import gettext as _

from study.sandbox.engine.connections import SECONDS
from study.sandbox.engine.daterange import resolve
from study.sandbox.engine.errors import QueryTimeout
from study.sandbox.engine.folding import fold
from study.sandbox.engine.queryspec import Group, Measure, Order, QuerySpec
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
from study.sandbox.frozen_today import span_words
from study.sandbox.gui.criteria import Criteria, Lately, One, Pairs
from study.sandbox.gui.fieldpaths import FieldPath, paths_from
from study.sandbox.gui.listing import ListView
from study.sandbox.gui.long_addresses import KEY
from study.sandbox.gui.rooms import Room
from study.sandbox.gui.terms import DATE_WORDS, Term, date_words

MOST_FACETS = 4
MOST_VALUES = 12
MOST_WINDOWS = 4
# Windows offered beside a list; every other window is a condition of its own.
_WINDOWS = (
    "today", "this_week", "this_month", "last_month", "this_quarter", "last_quarter", "this_year", "last_year",
    "past_weeks:1", "past_weeks:2", "past_weeks:3", "past_weeks:4", "past_weeks:5", "past_weeks:6",
    "past_months:1", "past_months:2", "past_months:3", "past_months:4", "past_months:5", "past_months:6",
    "past_months:9", "past_months:12", "past_months:18", "past_months:24",
    "past_quarters:1", "past_quarters:2", "past_quarters:3", "past_quarters:4", "past_quarters:5", "past_quarters:6",
)  # fmt: skip


class Conditioned(Protocol):
    """A list or a report: something with conditions in its address."""

    @property
    def room(self) -> Room: ...

    @property
    def criteria(self) -> Criteria: ...

    def address(self, **changes: Any) -> str: ...


@dataclass(frozen=True)
class Facet:
    """One field with its values: (value as in the address, words, count, ticked); no counts where they take long."""

    path: FieldPath
    values: tuple[tuple[str, str, int | None, bool], ...]
    clear: str
    counted: bool = True

    @property
    def name(self) -> str:
        return f"s.{self.path.path}"


def facets(view: ListView) -> list[Facet]:
    """Fields with few values: the object's own picklists, then those one lookup away that its columns show."""
    paths = facet_paths(view.room.registry, view.item)
    # All of them share the time the page waits; what was counted once is known at once.
    until = time.monotonic() + (SECONDS * len(paths) if view.patience is None else view.patience)
    return [facet for path in paths if (facet := _facet(view, path, until))]


def facet_paths(registry: Registry, item: ObjectDef) -> list[FieldPath]:
    own = [FieldPath(f.name, f, item) for f in item.fields if f.type in {"picklist", "boolean"}]
    shown = [path for path in item.columns if "." in path]
    beyond = [p for p in paths_from(registry, item, 1) if p.steps and p.field.type == "picklist"]
    beyond.sort(key=lambda p: p.path not in shown)
    return [*own, *beyond[: max(0, min(1, MOST_FACETS - len(own)))]][:MOST_FACETS]


def _counts(view: ListView, path: FieldPath, until: float) -> list[tuple[object, int]] | None:
    """Counts under all other conditions, so that ticking a second value shows what it would add."""
    spec = QuerySpec(
        view.item.name,
        where=view.criteria.where(without=path.path),
        match=view.criteria.match,
        groups=(Group(path.path, alias="value"),),
        measures=(Measure("count", alias="n"),),
        order=(Order("n", descending=True),),
        limit=MOST_VALUES,
    )
    try:
        found = view.room.snapshot.kept(spec, view.room.desk.today, min(SECONDS, max(0.0, until - time.monotonic())))
    except QueryTimeout:
        return None
    return [(value, int(n)) for value, n in found.rows]


def _facet(view: ListView, path: FieldPath, until: float) -> Facet | None:
    counts = _counts(view, path, until)
    # Capitals and accents do not count (P-51): one box for "Closed" and "closed", under the field's own spelling.
    spelled = {fold(value): value for value in path.field.values}
    counted = {_spelled(spelled, _as_text(value)): n for value, n in counts or ()}
    ticked = {_spelled(spelled, value) for value in view.criteria.ticked(path.path)}
    # Values that the field may have stay visible with a count of nothing.
    known = list(dict.fromkeys([*path.field.values, *counted, *sorted(ticked)]))
    if path.field.type == "boolean":
        known = ["true", "false", *([""] if "" in counted else [])]
    if len(known) < 2 and not ticked:
        return None
    none = None if counts is None else 0
    values = [(value, _words(path, value), counted.get(value, none), value in ticked) for value in known[:MOST_VALUES]]
    own = next((t for t in view.criteria.terms if t.kind == "s" and t.path.path == path.path), None)
    return Facet(path, tuple(values), view.address(without=own) if own else "", counts is not None)


def _spelled(spelled: dict[str, str], value: str) -> str:
    return spelled.setdefault(fold(value), value)


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _words(path: FieldPath, value: str) -> str:
    if path.field.type == "boolean":
        return {"true": _("Yes"), "false": _("No")}.get(value, _("Empty"))
    return value or _("Empty")


def windows(view: ListView) -> list[dict[str, Any]]:
    """A menu of date windows for each of the object's dates, with the days the chosen one means."""
    found = []
    for field in dates_of(view.item):
        chosen = view.criteria.window(field.name)
        now = chosen.pairs()[0][1] if chosen else ""
        offered = list(dict.fromkeys([*_WINDOWS, *([now] if now else [])]))
        options = [(word, _window_words(word), word == now) for word in offered]
        days = days_of(view, chosen)
        found.append({"name": f"w.{field.name}", "label": field.label, "options": options, "days": days})
    return found


def dates_of(item: ObjectDef) -> list[FieldDef]:
    """The first dates of an object in the order of its layout: those its lists show, then those of its pages."""
    listed = [*item.columns, *item.highlights, *(name for section in item.sections for name in section.fields)]
    named = dict.fromkeys([*(name for name in listed if item.has(name)), *(field.name for field in item.fields)])
    return [field for name in named if (field := item.field(name)).type in {"date", "datetime"}][:MOST_WINDOWS]


def carried(view: ListView, shown: list[Facet], dates: list[dict[str, Any]]) -> Pairs:
    """Ticks and windows that have no control in the panel, for its form to keep them."""
    boxes = {facet.name: {value for value, *_rest in facet.values} for facet in shown}
    menus = {one["name"] for one in dates}
    pairs = [pair for term in view.criteria.terms if term.kind != "c" for pair in term.pairs()]
    return [(name, value) for name, value in pairs if name not in menus and value not in boxes.get(name, ())]


def _window_words(word: str) -> str:
    name, _colon, number = word.partition(":")
    said = date_words(name, number)
    return said[:1].upper() + said[1:]


def days_of(view: Conditioned, term: Term | None) -> str:
    """The days a date word means at this desk: 16 Sep 2022 to 16 Jan 2023."""
    if term is None or term.op not in DATE_WORDS:
        return ""
    today, registry = view.room.desk.today, view.room.registry
    first, end = resolve(term.date_range(), today, registry.fiscal_start)
    return span_words(first, end)


def pills(view: Conditioned) -> list[dict[str, Any]]:
    """The conditions in force, each with the address that drops it, and its number where the logic may name it."""
    criteria, names = view.criteria, view.room.snapshot.names([v for t in view.criteria.terms for v in t.values])
    said = {given: name for given, (_object, name) in names.items()}
    found = []
    for place, one in enumerate(criteria.each):
        found.append(_pill(view, one, said) | {"url": _dropping(view, str(place), without=one)})
    if criteria.text:
        found.append({"label": _("Words"), "words": criteria.text, "days": "", "n": 0,
                      "url": _dropping(view, "q", text=False), "remove": _("Remove the search words")})  # fmt: skip
    return found


def _pill(view: Conditioned, one: One, said: dict[str, str]) -> dict[str, Any]:
    if isinstance(one, Term):
        numbered = view.criteria.numbered
        number = next((n for n, term in enumerate(numbered, 1) if term is one), 0) if len(numbered) > 1 else 0
        label = _("Remove the condition on %(field)s") % {"field": one.path.label}
        return {"label": one.path.label, "words": one.words(said), "days": days_of(view, one), "n": number,
                "remove": label}  # fmt: skip
    if isinstance(one, Lately):
        words = _("opened lately at this desk")
        return {"label": _("Records"), "words": words, "days": "", "n": 0,
                "remove": _("Show others as well")}  # fmt: skip
    label = _("Remove the condition on related records")
    return {"label": _("Related"), "words": one.words(), "days": "", "n": 0, "remove": label}


def _dropping(view: Conditioned, place: str, **changes: Any) -> str:
    """The address without one condition. Where the whole stands under a key, the key and what to leave out:
    every pill would have to be stored otherwise."""
    now = view.address()
    return f"{now}&drop={place}" if f"?{KEY}=" in now else view.address(**changes)
