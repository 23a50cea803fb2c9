"""One CSV cell: how a value becomes text and text becomes a value again, safely for spreadsheets."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime

# A spreadsheet may run a cell that begins with one of the first six as a formula. The apostrophe is in the
# list only so that the rule can be undone exactly: a text that begins with one gets another.
GUARDED = ("=", "+", "-", "@", "\t", "\r", "'")


def safe_cell(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet could take for a formula. Undone by `plain_cell`."""
    return "'" + text if text.startswith(GUARDED) else text


def plain_cell(text: str) -> str:
    """Take exactly one leading apostrophe away: the inverse of `safe_cell`, for every text."""
    return text.removeprefix("'")


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """UTF-8 CSV with LF line ends. A cell with a comma, quote, CR or LF is quoted.

    Not csv.writer: before Python 3.13 it leaves a lone CR unquoted when rows end in LF, and readers split there.
    """
    lines = [csv_line(row) for row in [header, *rows]]
    return ("\n".join(lines) + "\n").encode("utf-8")


def csv_line(cells: Iterable[str]) -> str:
    """One row without its line end, for a file that is written row by row."""
    return ",".join(map(_quoted, cells))


def _quoted(cell: str) -> str:
    if any(sign in cell for sign in ',"\r\n') or cell != cell.strip():
        return '"' + cell.replace('"', '""') + '"'
    return cell


def csv_rows(data: bytes, name: str) -> list[tuple[int, list[str]]]:
    """(line number, cells) of each row, header included. A byte-order mark is dropped, line breaks in cells stay.

    Raises ValueError naming the file when it isn't UTF-8 or isn't CSV.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        message = f"{name}, line {line}: not UTF-8. Save the file as CSV UTF-8 and try again."
        raise ValueError(message) from problem
    # A rationale may be longer than the module's own limit of 131,072 characters.
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for row in reader:
            if row:
                rows.append((line, row))
            line = reader.line_num + 1
    except csv.Error as problem:
        raise ValueError(f"{name}, line {line}: {problem}. Is every quotation mark closed?") from problem
    return rows


def cell_text(value: object, kind: str) -> str:
    """The text of a typed value in a bundle cell; None is the empty cell. Raises ValueError on a wrong type.

    kind: string, integer, number, boolean, date, datetime, list, object (see `tables.Column`).
    """
    if value is None or value == "":
        return ""
    written = _WRITERS[kind](value)
    return safe_cell(written) if kind == "string" else written


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not text")
    return str(value)


def _integer(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is not a whole number")
    return str(int(value))


def _number(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a finite number")
    return repr(value)


def _boolean(value: object) -> str:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither True nor False")
    return "true" if value else "false"


def _date(value: object) -> str:
    text = value.isoformat() if isinstance(value, date) and not isinstance(value, datetime) else _string(value)
    return date.fromisoformat(text).isoformat()


def _datetime(value: object) -> str:
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(_string(value))
    if moment.utcoffset() is None:
        raise ValueError(f"{value!r} is a time without an offset")
    return moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)


def _list(value: object) -> str:
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{value!r} is not a list")
    return _json(list(value))


def _object(value: object) -> str:
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is not a mapping")
    return _json(value)


_WRITERS = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
    "datetime": _datetime,
    "list": _list,
    "object": _object,
}

_INTEGER = re.compile(r"-?\d+")


def cell_value(text: str, kind: str) -> object:
    """The typed value of a bundle cell; the empty cell is None (text: the empty text). Raises ValueError."""
    if kind == "string":
        return plain_cell(text)
    if text == "":
        return None
    if kind == "integer":
        if not _INTEGER.fullmatch(text):
            raise ValueError(f"{text!r} is not a whole number")
        return int(text)
    if kind == "number":
        number = float(text)
        if not math.isfinite(number):
            raise ValueError(f"{text!r} is not a finite number")
        return number
    if kind == "boolean":
        if text not in ("true", "false"):
            raise ValueError(f"{text!r} is neither true nor false")
        return text == "true"
    if kind == "date":
        return date.fromisoformat(text)
    if kind == "datetime":
        moment = datetime.fromisoformat(text)
        if moment.utcoffset() is None:
            raise ValueError(f"{text!r} is a time without an offset")
        return moment.astimezone(UTC)
    return _parsed(text, list if kind == "list" else dict)


def _parsed(text: str, wanted: type) -> object:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as problem:
        raise ValueError(f"{text!r} is not JSON") from problem
    if not isinstance(value, wanted):
        raise ValueError(f"{text!r} is not a JSON {'list' if wanted is list else 'object'}")
    return value
