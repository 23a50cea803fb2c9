"""The reports run lately at a desk, from its trace: a stored query turned back into the address it came from.

Nothing but the trace is written by a page, and the trace holds queries. Where an address cannot be found
again (a logic of conditions, say), the report is left out rather than shown as something else.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from study.sandbox.engine.daterange import DateRange, add_months
from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.formulas import Difference, Formula, Period, Product
from study.sandbox.engine.queryspec import (
    And,
    Compare,
    CompareFormula,
    Condition,
    Measure,
    QuerySpec,
    Related,
    from_json,
)
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.gui.criteria import Pairs
from study.sandbox.gui.measuring import numbered
from study.sandbox.gui.report_matrix import MatrixReport
from study.sandbox.gui.report_table import title_of
from study.sandbox.gui.reporting import Report
from study.sandbox.gui.rooms import Room
from study.sandbox.gui.terms import DURING

READ = 40
SHOWN = 8


@dataclass(frozen=True)
class Recalled:
    """A report run lately: its object, what it shows, its address."""

    item: ObjectDef
    heading: str
    title: str
    url: str


def lately(room: Room) -> list[Recalled]:
    """The last reports of this desk, the newest first, each once."""
    found: dict[str, Recalled] = {}
    events = room.desk.events.filter(kind="report").order_by("-sequence")
    for stored in events.values_list("query", flat=True)[:READ]:
        one = recalled(room, stored or {})
        if one:
            found.setdefault(one.url, one)
        if len(found) == SHOWN:
            break
    return list(found.values())


def recalled(room: Room, stored: dict[str, Any]) -> Recalled | None:
    """The report a stored query came from; None where the way back does not lead to the very same query."""
    try:
        spec = from_json(stored)
        pairs = pairs_of(spec)
        item = room.registry.object(spec.object)
        given = QueryDict(urlencode(pairs))
        report = MatrixReport(room, item, given) if any(g.across for g in spec.groups) else Report(room, item, given)
        if report.asked.errors or json.loads(report.spec.to_json()) != _first_page(stored):
            return None
    except (QueryError, LookupError, ValueError):
        return None
    return Recalled(item, report.heading, title_of(report), report.address())


def _first_page(stored: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in stored.items() if key != "offset"}


def pairs_of(spec: QuerySpec) -> Pairs:
    """The parameters of a report. LookupError for a condition that no parameter writes."""
    found: Pairs = []
    for measure in spec.measures:
        if measure.alias != "n":
            found += _measure(measure)
    names = {"group": ("g", "by"), "group2": ("g2", "by2"), "column": ("x", "xby")}
    groups = [group for group in spec.groups if group.alias in names]
    if not any(group.alias == "group" for group in groups):
        found.append(("g", ""))
    for group in groups:
        name, by = names[group.alias]
        found += [(name, group.field), *([(by, group.by)] if group.by else [])]
    for place, having in enumerate(spec.having or (), 1):
        parts = (("hm", having.alias), ("ho", having.op), ("hv", repr(having.value)))  # type: ignore[union-attr]
        found += [(numbered(name, place), value) for name, value in parts]
    if spec.order:
        found.append(("sort", ("-" if spec.order[-1].descending else "") + spec.order[-1].key))
    where = spec.where.items if isinstance(spec.where, And) and not _during(spec.where) else (spec.where,)
    for one in where:
        found += _conditioned(one) if one is not None else []
    return [*found, *([("q", spec.match)] if spec.match else [])]


def _measure(measure: Measure) -> Pairs:
    place = int(measure.alias.removeprefix("value") or 1)
    found = [("m", measure.fn)]
    if over := measure.field or (_formula(measure.formula) if measure.formula else ""):
        found.append(("mf", over))
    if measure.where is not None:
        (_c, path), (_o, op), (_v, value) = _term(measure.where)
        found += [("mc", path), ("mo", op), ("mv", value)]
    return [(numbered(name, place), value) for name, value in found]


def _formula(formula: Formula) -> str:
    if isinstance(formula, Difference):
        unit = "" if formula.unit == "days" else f"~{formula.unit}"
        return f"{formula.end}~{formula.start}{unit}"
    if isinstance(formula, Period):
        raise LookupError(formula.by)
    return f"{formula.left}{'*' if isinstance(formula, Product) else '/'}{formula.right}"


def _conditioned(one: Condition) -> Pairs:
    if isinstance(one, Related):
        found = [("rc", f"{one.child_object}.{one.child_field}"), ("ro", one.op), ("rn", str(one.n))]
        if one.where is None:
            return [*found, ("rf", ""), ("rp", ""), ("rv", "")]
        return found + [(name, value) for name, (_, value) in zip(("rf", "rp", "rv"), _term(one.where), strict=True)]
    if isinstance(one, Compare) and one.op == "in":
        return [(f"s.{one.field}", str(value)) for value in one.value]  # type: ignore[union-attr]
    return _term(one)


def _term(one: Condition) -> Pairs:
    """One condition as path, comparison and value."""
    if isinstance(one, And) and (period := _during(one)):
        return [("c", one.items[0].field), ("o", DURING), ("v", period)]  # type: ignore[union-attr]
    if isinstance(one, CompareFormula) and isinstance(one.formula, Period):
        return [("c", one.formula.field), ("o", DURING), ("v", f"{one.formula.by}/{one.value}")]
    if isinstance(one, CompareFormula):
        return [("c", _formula(one.formula)), ("o", one.op), ("v", _text(one.value))]
    if not isinstance(one, Compare):
        raise LookupError(type(one).__name__)
    if isinstance(one.value, DateRange):
        return [("c", one.field), ("o", one.value.word), ("v", str(one.value.n or ""))]
    return [("c", one.field), ("o", one.op), ("v", _text(one.value))]


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ";".join(_text(part) for part in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value.isoformat() if isinstance(value, date) else str(value)


def _during(one: And) -> str:
    """The period two ends of a range make, as an address writes it; "" where they make none."""
    if len(one.items) != 2:
        return ""
    low, high = one.items
    if not isinstance(low, Compare) or not isinstance(high, Compare):
        return ""
    if (low.op, high.op, low.field) != ("ge", "lt", high.field) or not isinstance(low.value, date):
        return ""
    first, end = low.value, high.value
    for said, after in (
        (f"{first.year:04d}", add_months(first, 12) if (first.month, first.day) == (1, 1) else None),
        (f"{first.year:04d}-Q{(first.month + 2) // 3}", add_months(first, 3) if first.day == 1 else None),
        (f"{first.year:04d}-{first.month:02d}", add_months(first, 1) if first.day == 1 else None),
        (f"{first.isoformat()}/7", first + timedelta(days=7)),
        (first.isoformat(), first + timedelta(days=1)),
    ):
        if after == end:
            return said
    return ""
