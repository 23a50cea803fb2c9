"""What an Org looks like in numbers, beside what its world asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from study.generator.groundwork.plan import Plan
from study.generator.groundwork.world_file import built_in_worlds, read_plan
from study.generator.verify.figures import Figure, shares
from study.generator.verify.report import Report
from study.generator.verify.source import Source
from study.sandbox.engine.snapshot_write import quoted

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WEEK = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_ARRIVING = ("Case", "Order", "Opportunity", "Lead")
_FEWEST = 30
"""Records below which the rhythm of an object says nothing."""


def intended(source: Source) -> Plan | None:
    """The plan of the world the manifest names, if it is one of ours."""
    world = str(source.snapshot.manifest.get("world", ""))
    return read_plan(world) if world in built_in_worlds() else None


def figures(source: Source, report: Report) -> Iterator[Figure]:
    plan = intended(source)
    yield _records(source, plan)
    for name in _ARRIVING:
        yield from _arrivals(source, plan, name)
    yield from _service_times(source, plan)
    yield from _activity(source)
    yield _diversity(report)
    yield from _lengths(source, report)
    yield from _open_work(source)
    yield _gaps(source)


def _records(source: Source, plan: Plan | None) -> Figure:
    """Beside the counts of the plan, which are those at scale 1."""
    scale = float(source.snapshot.manifest.get("scale") or 1)
    title = "Records by object" + ("" if plan is None else " beside those of the plan at scale 1")
    rows = []
    for name in sorted(source.snapshot.counts):
        row: tuple[Any, ...] = (name, source.count(name))
        rows.append(row if plan is None else (*row, plan.counts.get(name)))
    columns = ("object", "records") if plan is None else ("object", "records", "plan")
    note = f"The Org was made at scale {scale:g}." if plan is not None else ""
    return Figure("records", title, columns, tuple(rows), "bars" if plan is None else "pairs", note)


def _arrivals(source: Source, plan: Plan | None, name: str) -> Iterator[Figure]:
    item = source.snapshot.registry.object(name) if source.has(name) else None
    if item is None or item.written is None or source.count(name) < _FEWEST:
        return
    column, timed = quoted(item.written.name), item.written.type == "datetime"
    at = f"{column} / 1000, 'unixepoch'" if timed else column
    timing = plan.timing if plan is not None and plan.ingredients.cycles else None
    # An order's day is the day after somebody decided; seasons and weekdays are those customers choose.
    parts: list[tuple[str, str, tuple[str, ...], tuple[float, ...] | None]] = [
        ("weekday", "%w", _WEEK, timing.weekdays if timing else None),
        ("month", "%m", _MONTHS, timing.seasons if timing else None),
    ]
    if timed:
        hours = tuple(f"{hour:02d}" for hour in range(24))
        parts.insert(0, ("hour", "%H", hours, timing.hours if timing else None))
    for part, form, labels, asked in parts:
        sql = f"SELECT CAST(strftime('{form}', {at}) AS INTEGER), count(*) FROM {quoted(name)} GROUP BY 1"
        found = {value: count for value, count in source.rows(sql) if value is not None}
        order = {"hour": range(24), "weekday": (1, 2, 3, 4, 5, 6, 0), "month": range(1, 13)}[part]
        realised = shares([found.get(value, 0) for value in order])
        wished = shares(asked) if asked else None
        rows = [
            (label, share) if wished is None else (label, share, wished[n])
            for n, (label, share) in enumerate(zip(labels, realised, strict=True))
        ]
        columns = (part, "realised %") if wished is None else (part, "realised %", "intended %")
        yield Figure(
            f"{name.lower()}-by-{part}", f"{item.plural} by {part}, UTC", columns, tuple(rows),
            "bars" if wished is None else "pairs",
            "" if wished is None else "Intended: the rhythm of customers in the world file; growth is left out.",
        )  # fmt: skip


def _service_times(source: Source, plan: Plan | None) -> Iterator[Figure]:
    """Hours from opening to closing in bins of half a power of two, beside the lognormal of the same median."""
    if not source.has("Case.ClosedDate"):
        return
    sql = 'SELECT (ClosedDate - CreatedDate) / 3600000.0 FROM "Case" WHERE ClosedDate > CreatedDate'
    logs = sorted(math.log(hours) for (hours,) in source.rows(sql))
    if len(logs) < _FEWEST:
        return
    median = logs[len(logs) // 2]
    quarter = (logs[int(len(logs) * 0.84)] - logs[int(len(logs) * 0.16)]) / 2
    step = math.log(2) / 2
    low, high = math.floor(logs[0] / step), math.ceil(logs[-1] / step)
    counted = [0] * (high - low + 1)
    for value in logs:
        counted[math.floor(value / step) - low] += 1
    normal = [
        _normal((low + n + 1) * step, median, quarter) - _normal((low + n) * step, median, quarter)
        for n in range(len(counted))
    ]
    rows = tuple(
        (f"{math.exp((low + n) * step):.2f}", share, round(100 * normal[n], 2))
        for n, share in enumerate(shares(counted))
    )
    asked = (
        f" The world asks for lognormal times with a spread of {plan.timing.sigma:g} for one kind of case"
        if plan
        else ""
    )
    note = f"Median {math.exp(median):.1f} hours, spread of the logarithms {quarter:.2f}." + (
        asked + "; issues, people and states widen it." if asked else ""
    )
    yield Figure(
        "service-times", "Hours from opening a case to closing it, beside a lognormal of the same median and spread",
        ("from hours", "realised %", "lognormal %"), rows, "lines", note,
    )  # fmt: skip


def _normal(x: float, mean: float, deviation: float) -> float:
    return 0.5 * (1 + math.erf((x - mean) / (deviation * math.sqrt(2)))) if deviation else float(x > mean)


def _activity(source: Source) -> Iterator[Figure]:
    """Few do much: counts by rank. The slope of a straight line through the upper half is Zipf's exponent."""
    for name, lookup, what in (
        ("Case", "AccountId", "cases of an account"),
        ("Case", "OwnerId", "cases of an owner"),
        ("Order", "AccountId", "orders of an account"),
        ("Opportunity", "OwnerId", "opportunities of an owner"),
    ):
        if not source.has(f"{name}.{lookup}"):
            continue
        sql = f"SELECT count(*) AS n FROM {quoted(name)} WHERE {lookup} IS NOT NULL GROUP BY {lookup} ORDER BY n DESC"
        counts = [n for (n,) in source.rows(sql)]
        if len(counts) < 10:
            continue
        ranks = sorted({round(1.25**k) for k in range(80) if round(1.25**k) <= len(counts)})
        rows = tuple((rank, counts[rank - 1]) for rank in ranks)
        note = f"Exponent about {_slope(rows):.2f} over the upper half; {len(counts):,} have any."
        yield Figure(
            f"{name.lower()}-by-{lookup.lower()}", f"Activity: {what} by rank", ("rank", what), rows, "ranks", note
        )


def _slope(rows: tuple[tuple[int, int], ...]) -> float:
    top = rows[: max(3, len(rows) * 2 // 3)]
    xs, ys = [math.log(rank) for rank, _ in top], [math.log(count) for _, count in top]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mx) ** 2 for x in xs)
    return -sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / spread if spread else 0.0


def _diversity(report: Report) -> Figure:
    columns = (
        "field", "texts", "near-duplicates %", "commonest opening %", "skeletons a text", "distinct-2", "words median",
        "words p95",
    )  # fmt: skip
    rows = tuple(
        (one.name, one.texts, one.alike, one.opening_share, one.skeletons, one.distinct_pairs, one.median, one.p95)
        for one in report.variety
    )
    note = "Quoted parts and greetings are left out. Near-duplicates share 60 % of their three-word shingles."
    return Figure("diversity", "Variety of texts", columns, rows, None, note)


def _lengths(source: Source, report: Report) -> Iterator[Figure]:
    """Characters, quoted parts included, in bins of half a power of two."""
    for one in report.variety:
        column, table = quoted(one.field_name), quoted(one.object_name)
        sql = f"SELECT length({column}), count(*) FROM {table} WHERE {column} IS NOT NULL GROUP BY 1"
        bins: dict[int, int] = {}
        for length, count in source.rows(sql):
            place = math.floor(2 * math.log2(max(1, length)))
            bins[place] = bins.get(place, 0) + count
        rows = tuple((round(2 ** (place / 2)), bins.get(place, 0)) for place in range(min(bins), max(bins) + 1))
        name = f"length-{one.object_name.lower()}-{one.field_name.lower()}"
        yield Figure(name, f"Length of {one.name} in characters", ("from characters", "texts"), rows)


def _open_work(source: Source) -> Iterator[Figure]:
    for name, column in (("Case", "Status"), ("Opportunity", "StageName"), ("Lead", "Status"), ("Task", "Status"),
                         ("Quote", "Status"), ("Contract", "Status")):  # fmt: skip
        if not source.has(f"{name}.{column}") or not source.count(name):
            continue
        sql = f"SELECT coalesce({column}, '(empty)'), count(*) FROM {quoted(name)} GROUP BY 1 ORDER BY 2 DESC"
        rows = tuple((value, count) for value, count in source.rows(sql))
        title = f"{source.snapshot.registry.object(name).plural} by {column} on the last day"
        yield Figure(f"{name.lower()}-by-{column.lower()}", title, (column, "records"), rows)


def _gaps(source: Source) -> Figure:
    """Fields that some records leave empty."""
    rows: list[tuple[Any, ...]] = []
    for item in source.objects:
        total = source.count(item.name)
        counted = ", ".join(f"count({quoted(one.name)})" for one in item.fields)
        for one, filled in zip(
            item.fields, next(source.rows(f"SELECT {counted} FROM {quoted(item.name)}")), strict=True
        ):
            if total and filled < total:
                rows.append(
                    (f"{item.name}.{one.name}", total, total - filled, round(100 * (total - filled) / total, 1))
                )
    return Figure("gaps", "Empty values by field", ("field", "records", "empty", "empty %"), tuple(rows), None)
