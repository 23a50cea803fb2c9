"""Values of records: what Python holds, what the snapshot file stores, what the hash reads.

Python: str for ids, references and texts; aware datetime in UTC; date; bool; float
for numbers; int for integers; None. Stored: datetimes as whole milliseconds since
1970 UTC, dates as ``YYYY-MM-DD``, booleans as 0 and 1, the rest as it is. An empty
text is no value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo

from study.sandbox.engine.folding import clean_text
from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.registry import FieldDef, ObjectDef

Stored = str | int | float | None
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
CALENDAR = (-62_135_596_800_000, 253_402_300_799_999)
"""The first and last millisecond of the years 1 to 9999."""
_LARGE = 1e300
SQL_TYPES = {"datetime": "INTEGER", "boolean": "INTEGER", "integer": "INTEGER", "number": "REAL"}


def milliseconds(moment: datetime) -> int:
    """Whole milliseconds since 1970 UTC. ValueError for a datetime without zone."""
    if moment.tzinfo is None:
        raise ValueError("a time needs its zone")
    return (moment - EPOCH) // _MILLISECOND


def day_start(day: date, zone: tzinfo) -> int:
    """The first moment of a day in a zone, in milliseconds since 1970 UTC."""
    return milliseconds(datetime(day.year, day.month, day.day, tzinfo=zone))


def moment(ms: int) -> datetime:
    return EPOCH + ms * _MILLISECOND


def on_clocks(value: datetime, zone: tzinfo) -> datetime:
    """A moment as the clocks of a zone show it. They stop at both ends of the calendar, years 1 and 9999."""
    try:
        return value.astimezone(zone)
    except OverflowError:
        end = datetime.min if value.year == 1 else datetime.max.replace(microsecond=999_000)
        return end.replace(tzinfo=zone)


def to_stored(field: FieldDef, value: object) -> Stored:
    """A Python value as the file stores it. ValueError says what is wrong with it."""
    if value is None or value == "":
        return None
    match field.type:
        case "datetime":
            if not isinstance(value, datetime):
                raise ValueError(f"{value!r} is not a datetime")
            return milliseconds(value)
        case "date":
            if isinstance(value, datetime) or not isinstance(value, date):
                raise ValueError(f"{value!r} is not a date")
            return value.isoformat()
        case "boolean":
            if not isinstance(value, bool):
                raise ValueError(f"{value!r} is not true or false")
            return int(value)
        case "number" | "integer":
            return _number(field, value)
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    text = clean_text(value)
    if field.type in {"id", "reference"}:
        return normal_id(text) or text.strip() or None
    return text or None


def _number(field: FieldDef, value: object) -> Stored:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    if field.type == "number":
        return float(value) + 0.0  # minus zero becomes zero
    if value != int(value) or abs(value) >= 2**63:
        raise ValueError(f"{value!r} is not a whole number")
    return int(value)


def to_python(field_type: str, stored: Stored) -> object:
    """A stored value as Python holds it."""
    if stored is None:
        return None
    match field_type:
        case "datetime":
            return moment(int(stored))
        case "date":
            return date.fromisoformat(str(stored))
        case "boolean":
            return bool(stored)
        case "number":
            return float(stored)
    return stored


def row_maker(item: ObjectDef) -> Callable[[Mapping[str, object]], list[Stored]]:
    """What turns records of an object into stored values in the order of its fields, joined names filled in.

    It raises ValueError naming the field; unknown fields are errors too. Made once per
    object: millions of rows go through it.
    """
    known = frozenset(field.name for field in item.fields)
    columns = [(field.name, _converter(field)) for field in item.fields]
    joined = [(place, field) for place, field in enumerate(item.fields) if field.joined]

    def made(record: Mapping[str, object]) -> list[Stored]:
        if not known.issuperset(record):
            name = next(name for name in record if name not in known)
            raise ValueError(f"{item.name} has no field called {name!r}")
        get = record.get
        try:
            row = [None if (value := get(name)) is None else convert(value) for name, convert in columns]
            for place, field in joined:
                if get(field.name) in (None, ""):
                    row[place] = to_stored(field, joined_name(field, record))
        except ValueError:
            _name_the_fault(item, record)
            raise
        return row

    return made


def _converter(field: FieldDef) -> Callable[[object], Stored]:
    """``to_stored`` of one field, with a short way for the values that nearly all records hold."""

    def any_value(value: object) -> Stored:
        return to_stored(field, value)

    def text(value: object) -> Stored:
        if type(value) is str and value.isascii() and value and "\0" not in value:
            return value
        return to_stored(field, value)

    def number(value: object) -> Stored:
        return value + 0.0 if type(value) is float and -_LARGE < value < _LARGE else to_stored(field, value)

    return {"string": text, "text": text, "picklist": text, "number": number}.get(field.type, any_value)


def _name_the_fault(item: ObjectDef, record: Mapping[str, object]) -> None:
    for field in item.fields:
        try:
            to_stored(field, record.get(field.name))
        except ValueError as error:
            raise ValueError(f"{item.name}.{field.name}: {error}") from error


def joined_name(field: FieldDef, record: Mapping[str, object]) -> str:
    """The text of a joined field: its parts with blanks between, empty parts left out."""
    return " ".join(str(record[part]) for part in field.joined if record.get(part) not in (None, ""))
