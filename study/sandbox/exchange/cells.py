"""Cells of a table file as values, and values as cells: exact inverses of each other.

Empty is no value. Times are ISO 8601 with offset, also in the published form
``2022-03-16T15:15:00.000+0000``; without an offset they are taken in the Org's zone.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal

from study.sandbox.engine.registry import FieldDef

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_TRUE = frozenset({"true", "1", "1.0", "yes"})
_FALSE = frozenset({"false", "0", "0.0", "no"})


class Unreadable(ValueError):
    """A cell that is not what its field holds. ``rescued`` is what can still be taken from it."""

    def __init__(self, message: str, rescued: object = None) -> None:
        super().__init__(message)
        self.rescued = rescued


def read_cell(field: FieldDef, text: str | None, zone: tzinfo = UTC) -> object:
    """The value of a cell. Unreadable says what is wrong with it."""
    if text is None or text == "":
        return None
    if field.type in {"id", "reference", "string", "text", "picklist"}:
        return text.strip() or None if field.type in {"id", "reference"} else text
    text = text.strip()
    if not text:
        return None
    match field.type:
        case "boolean":
            return _boolean(text)
        case "number" | "integer":
            return _number(field, text)
        case "datetime":
            return _moment(text, zone)
    return _day(text, zone)


def _boolean(text: str) -> bool:
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    raise Unreadable(f"{text!r} is not true or false")


def _number(field: FieldDef, text: str) -> float | int:
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(number):
        raise Unreadable(f"{text!r} is not a number")
    if field.type == "number":
        return number
    # Digits are read as they stand: a float would round a long one.
    whole = int(text) if re.fullmatch(r"[+-]?\d+", text) else int(number)
    if (whole != number and not text.lstrip("+-").isdigit()) or abs(whole) >= 2**63:
        raise Unreadable(f"{text!r} is not a whole number")
    return whole


def _moment(text: str, zone: tzinfo) -> datetime:
    try:
        found = datetime.fromisoformat(text)
        found = found if found.tzinfo else found.replace(tzinfo=zone)
        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Unreadable(f"{text!r} is not a date and time") from None


def _day(text: str, zone: tzinfo) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        pass
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise Unreadable(f"{text!r} is not a date") from None
    if (found.hour, found.minute, found.second, found.microsecond) != (0, 0, 0, 0):
        raise Unreadable(f"{text!r} has a time of day, the field holds dates", found.date())
    return found.date()


def write_cell(value: object) -> str:
    """A value as a cell: what read_cell reads back as the same value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "+0000")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def cell(value: object) -> str | None:
    """A value of any table format as the text that read_cell reads back; empty is no value."""
    if value is None:
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace") or None
    if isinstance(value, Decimal):
        value = int(value) if value == value.to_integral_value() and abs(value) < 2**63 else float(value)
    if isinstance(value, datetime) and value.tzinfo is None:
        value = value.replace(tzinfo=UTC)
    return write_cell(value) or None
