"""Comparing a column with a value: one rule per type of field.

``ne`` and ``not_in`` keep empty values (P-52). Short texts are compared folded,
Ids by their 18-character form and with case. A day, or a date word, is a half-open
range of the Org's zone (P-46, P-47): ``eq`` means inside, ``gt`` after its end.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from study.sandbox.engine.calendar_sql import MONTH, month_number
from study.sandbox.engine.daterange import DateRange, resolve
from study.sandbox.engine.errors import INVALID_OPERATOR, INVALID_VALUE, QueryError
from study.sandbox.engine.folding import clean_text, fold
from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.queryspec import Scalar, Value
from study.sandbox.engine.registry import FOLDED
from study.sandbox.engine.scope import Context
from study.sandbox.engine.values import CALENDAR, Stored, day_start, milliseconds

_SIGNS = {"eq": "=", "ne": "IS NOT", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_DATED = {"date", "datetime"}
_FEW = 50
MAX_PATTERN = 4_000
_WILDCARDS = re.compile(r"(\\.|[%_])", re.DOTALL)
_WHOLE = re.compile(r"[+-]?[0-9]+")
_LONGEST_WHOLE = 20
_LAST_CHARACTER = "\U0010ffff"
_DAY = 86_400_000
_BEHIND_ALL_DAYS = "9999-12-31~"
_TRUE_FALSE = {"true": 1, "1": 1, "false": 0, "0": 0}


def comparison(context: Context, key: str, kind: str, op: str, value: Value, place: str) -> str:
    """SQL for ``key op value``, where ``key`` is the SQL of a column of type ``kind``."""
    if kind == MONTH:
        kind, value = "integer", _months(value, place)
    if op in {"in", "not_in"}:
        return _membership(context, key, kind, op, value if isinstance(value, tuple) else (value,), place)
    if isinstance(value, tuple):
        raise QueryError(INVALID_VALUE, f"{place} is compared with one value.", place)
    if op in {"null", "not_null"} or (value in (None, "") and op in {"eq", "ne"}):
        return f"{key} IS NULL" if op in {"null", "eq"} else f"{key} IS NOT NULL"
    if value in (None, ""):
        raise QueryError(INVALID_VALUE, f"{place} is compared with nothing.", place)
    if op == "like":
        return _pattern(context, key, kind, value, place)
    if op in {"contains", "starts"}:
        return _part_of_text(context, key, kind, op, value, place)
    if kind == "boolean" and op not in {"eq", "ne"}:
        raise QueryError(INVALID_OPERATOR, f"{place} is true or false: it has no order.", place)
    if kind in _DATED:
        return _dated(context, key, kind, op, value, place)
    return f"{key} {_SIGNS[op]} {context.bind(_stored(kind, value, place))}"


def _membership(context: Context, key: str, kind: str, op: str, values: tuple[Scalar, ...], place: str) -> str:
    given = [value for value in values if value not in (None, "")]
    if kind in _DATED:
        parts = _on_any_day(context, key, kind, given, place)
    else:
        parts = [f"{key} IN ({context.bind_list([_stored(kind, value, place) for value in given])})"] if given else []
    if len(given) < len(values):
        parts.append(f"{key} IS NULL")
    inside = f"({_any(parts)})" if parts else "0"
    return inside if op == "in" else f"({inside}) IS NOT 1"


def _on_any_day(context: Context, key: str, kind: str, values: Sequence[Scalar], place: str) -> list[str]:
    """The spans of time that are meant, those that touch as one: long lists of days would take long to plan."""
    spans: list[tuple[Any, Any]] = []
    for start, end in sorted(_span(context, kind, value, place) for value in values):
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    if len(spans) > _FEW:
        key = "+" + key  # no index: planning its use for each span takes longer than reading the records
    return [_in_range(key, "eq", context.bind(start), context.bind(end)) for start, end in spans]


def _any(parts: Sequence[str]) -> str:
    if len(parts) <= 8:
        return " OR ".join(parts)
    middle = len(parts) // 2
    return f"({_any(parts[:middle])}) OR ({_any(parts[middle:])})"


def _months(value: Value, place: str) -> Value:
    if isinstance(value, tuple):
        return tuple(month_number(one, place) for one in value)
    return month_number(value, place)


def _part_of_text(context: Context, key: str, kind: str, op: str, value: Scalar, place: str) -> str:
    if kind in FOLDED:
        part = fold(_text(value, place))
    elif kind in {"id", "reference"} and op == "starts":
        part = _text(value, place)
    else:
        raise QueryError(INVALID_OPERATOR, f"{place} cannot be searched by a part of it.", place)
    if not part:
        return f"{key} IS NOT NULL"
    if op == "contains":
        return f"instr({key}, {context.bind(part)}) > 0"
    # A range can use the column's index; LIKE could not, and has wildcards (P-45).
    return f"({key} >= {context.bind(part)} AND {key} < {context.bind(part + _LAST_CHARACTER)})"


def _pattern(context: Context, key: str, kind: str, value: Scalar, place: str) -> str:
    """LIKE over the folded text. Between wildcards the pattern is folded as the text was, and means itself (P-45)."""
    if kind not in FOLDED:
        raise QueryError(INVALID_OPERATOR, f"{place} is not a short text: it has no pattern.", place)
    text = _text(value, place)
    if len(text) > MAX_PATTERN:
        raise QueryError(INVALID_VALUE, f"A pattern may hold {MAX_PATTERN:,} characters.", place)
    parts = (part for part in _WILDCARDS.split(text) if part)
    pattern = "".join(part if part in {"%", "_"} else _as_itself(part) for part in parts)
    return f"{key} LIKE {context.bind(pattern)} ESCAPE '\\'"


def _as_itself(part: str) -> str:
    plain = part[1:] if len(part) == 2 and part[0] == "\\" else part
    return re.sub(r"[\\%_]", r"\\\g<0>", fold(plain))


def _text(value: Scalar, place: str) -> str:
    if not isinstance(value, str):
        raise QueryError(INVALID_VALUE, f"{place} is compared with a text, not {value!r}.", place)
    return clean_text(value)


def _stored(kind: str, value: Scalar, place: str) -> Stored:
    if kind in {"number", "integer"}:
        return _number(value, place)
    if kind == "boolean":
        known = _TRUE_FALSE.get(str(value).lower())
        if known is None:
            raise QueryError(INVALID_VALUE, f"{place} is true or false, not {value!r}.", place)
        return known
    text = _text(value, place)
    if kind in {"id", "reference"}:
        return normal_id(text) or text
    return fold(text)


def _number(value: Scalar, place: str) -> Stored:
    try:
        number = _read(value) if isinstance(value, str) else value
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ValueError
        if not math.isfinite(number) or abs(number) >= 2**63:
            raise ValueError
    except (ValueError, OverflowError):
        raise QueryError(INVALID_VALUE, f"{place} is compared with a number, not {value!r}.", place) from None
    return number


def _read(text: str) -> int | float:
    """Whole numbers stay whole: beyond 2**53 a broken one would be another number."""
    plain = text.strip()
    return int(plain) if len(plain) <= _LONGEST_WHOLE and _WHOLE.fullmatch(plain) else float(text)


def _dated(context: Context, key: str, kind: str, op: str, value: Scalar, place: str) -> str:
    start, end = _span(context, kind, value, place)
    if op in {"eq", "ne"} and _is_single(kind, start, end):
        return f"{key} {_SIGNS[op]} {context.bind(start)}"
    return _in_range(key, op, context.bind(start), context.bind(end))


def _span(context: Context, kind: str, value: Scalar, place: str) -> tuple[Any, Any]:
    """First stored value that is meant, and the first one after."""
    value = _parsed(value, place)
    if isinstance(value, datetime) and kind == "datetime":
        if value.tzinfo is None:
            raise QueryError(INVALID_VALUE, f"{place}: a time needs its zone.", place)
        return milliseconds(value), milliseconds(value) + 1
    first, after = _days(context, value, place)
    return _edge(context, kind, first), _edge(context, kind, after)


def _is_single(kind: str, start: Any, end: Any) -> bool:
    """Whether only one stored value lies between: one day of a date, one moment of a time."""
    if kind == "datetime":
        return bool(end - start == 1)
    return end != _BEHIND_ALL_DAYS and date.fromisoformat(end) - date.fromisoformat(start) == timedelta(days=1)


def _in_range(key: str, op: str, start: str, end: str) -> str:
    inside = f"({key} >= {start} AND {key} < {end})"
    return {
        "eq": inside,
        "ne": f"{inside} IS NOT 1",
        "lt": f"{key} < {start}",
        "le": f"{key} < {end}",
        "gt": f"{key} >= {end}",
        "ge": f"{key} >= {start}",
    }[op]


def _parsed(value: Scalar, place: str) -> date | DateRange:
    if isinstance(value, date | DateRange):
        return value
    try:
        if not isinstance(value, str):
            raise ValueError
        return date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)
    except ValueError:
        raise QueryError(INVALID_VALUE, f"{place} is compared with a date, not {value!r}.", place) from None


def _days(context: Context, value: date | DateRange, place: str) -> tuple[date, date | None]:
    """The first day that is meant and the first one after; None behind the last day of the calendar."""
    if isinstance(value, DateRange):
        known = isinstance(value.word, str) and (value.n is None or type(value.n) is int)
        if not known:
            raise QueryError(INVALID_VALUE, f"{place}: {value!r} is not a date word.", place)
        return resolve(value, context.today, context.registry.fiscal_start)
    try:
        if isinstance(value, datetime):
            value = value.astimezone(context.zone).date() if value.tzinfo else value.date()
        return value, None if value == date.max else value + timedelta(days=1)
    except OverflowError:
        raise QueryError(INVALID_VALUE, f"{place}: {value} is beyond the calendar.", place) from None


def _edge(context: Context, kind: str, day: date | None) -> Stored:
    if day is None:
        return CALENDAR[1] + 1 + _DAY if kind == "datetime" else _BEHIND_ALL_DAYS
    return day_start(day, context.zone) if kind == "datetime" else day.isoformat()
