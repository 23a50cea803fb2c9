"""Uploaded tables: what is inside the bytes of a CSV or XLSX file, as rows of text. No database here.

A file from outside is never trusted: its size, rows, columns and, for XLSX, what it unpacks to are limited before a
library opens it. Every refusal is a ``Refusal`` whose text says what to do.
"""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import islice

from django.utils.translation import gettext as _

from study.accounts.typed_text import visible_text

MOST_BYTES = 5 * 1024 * 1024
MOST_ROWS = 5_000
MOST_COLUMNS = 60
LONGEST_CELL = 100_000
# Of an XLSX: a workbook of 5,000 rows unpacks to far less; a bomb to far more.
MOST_ENTRIES = 500
MOST_UNPACKED = 80 * 1024 * 1024
MOST_RATIO = 150
SEPARATORS = (",", ";", "\t")
OLD_EXCEL = b"\xd0\xcf\x11\xe0"


class Refusal(ValueError):
    """The file cannot be read as a list; the text says why and what to do."""


@dataclass(frozen=True)
class Line:
    """One row of a file that holds anything: its number as a spreadsheet shows it, and its cells."""

    number: int
    cells: tuple[str, ...]

    def cell(self, column: int | None) -> str:
        return self.cells[column] if column is not None and column < len(self.cells) else ""


def read_table(content: bytes, most_rows: int = MOST_ROWS) -> list[Line]:
    """The lines of a file that are not blank. Raises Refusal."""
    if not content.strip():
        raise Refusal(_("This file is empty."))
    if len(content) > MOST_BYTES:
        raise Refusal(_("This file is larger than 5 MB. Keep the list alone in it, or send it in parts."))
    if content.startswith(OLD_EXCEL):
        raise Refusal(_("This is an Excel file of the old kind. Save it as .xlsx or as CSV and upload that."))
    lines = _sheet(content, most_rows) if content.startswith(b"PK") else _separated(decoded(content), most_rows)
    if not lines:
        raise Refusal(_("There is no row in this file."))
    return lines


def decoded(content: bytes) -> str:
    """The text of a CSV file: UTF-8 and UTF-16 with or without their mark, else Windows-1252. Raises Refusal."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    elif content[:200].count(0) * 3 > len(content[:200]):
        encodings = ["utf-16-le" if content[1:2] == b"\0" else "utf-16-be"]
    else:
        encodings = ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise Refusal(_("This is neither CSV nor XLSX, or its text is damaged. Save the list again as CSV (UTF-8)."))


def separator_of(text: str) -> str:
    """Comma, semicolon or tab: whichever the first lines hold most of. Excel may say so itself (``sep=;``)."""
    first = text.lstrip().split("\n", 1)[0].strip().lower()
    if first.startswith("sep=") and first[4:5] in SEPARATORS:
        return first[4:5]
    head = "\n".join(line for line in text.splitlines()[:20] if line.strip())
    outside = "".join(part for n, part in enumerate(head.split('"')) if n % 2 == 0)
    return max(SEPARATORS, key=outside.count)


def _separated(text: str, most_rows: int) -> list[Line]:
    found: list[Line] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator_of(text))
    try:
        for number, cells in enumerate(reader, start=1):
            if number == 1 and len(cells) <= 2 and cells and cells[0].lower().startswith("sep="):
                continue
            # The limit of the csv module is one for the whole process, and reading traces raises it.
            if any(len(cell) > LONGEST_CELL for cell in cells):
                raise csv.Error
            _keep(found, number, cells, most_rows)
    except csv.Error:
        raise Refusal(_("This file is no table of short texts: a quotation mark may be missing.")) from None
    return found


def _sheet(content: bytes, most_rows: int) -> list[Line]:
    """The first sheet of a workbook, values only."""
    check_package(content)
    from openpyxl import load_workbook

    found: list[Line] = []
    try:
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
        rows = book.worksheets[0].iter_rows(values_only=True, max_col=MOST_COLUMNS)
        # Blank rows count too, so that a sheet without end comes to one.
        for number, cells in enumerate(islice(rows, most_rows * 4), start=1):
            _keep(found, number, [_text(cell) for cell in cells], most_rows)
        book.close()
    except Refusal:
        raise
    except Exception:  # openpyxl meets a damaged file with whatever its parts raise
        raise Refusal(_("This workbook cannot be read. Save the list again as .xlsx or as CSV.")) from None
    return found


def check_package(content: bytes) -> None:
    """Whether a ZIP is a workbook of a sane size, seen from its table of contents alone. Raises Refusal."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            entries = package.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        raise Refusal(_("This workbook is damaged. Save the list again as .xlsx or as CSV.")) from None
    unpacked = sum(entry.file_size for entry in entries)
    if (
        len(entries) > MOST_ENTRIES
        or unpacked > MOST_UNPACKED
        or unpacked > MOST_RATIO * len(content)
        or any(entry.flag_bits & 1 for entry in entries)
    ):
        raise Refusal(_("This workbook unpacks to far more than a list, or is locked. Save the list alone as CSV."))
    if not any(entry.filename == "xl/workbook.xml" for entry in entries):
        raise Refusal(_("This is no .xlsx workbook. Save the list as .xlsx or as CSV."))


def _keep(found: list[Line], number: int, cells: list[str], most_rows: int) -> None:
    clean = tuple(visible_text(cell).strip() for cell in cells[:MOST_COLUMNS])
    if not any(clean):
        return
    # One more for the head of the table.
    if len(found) > most_rows:
        raise Refusal(_("More than %(most)s rows. Send the list in parts.") % {"most": f"{most_rows:,}"})
    found.append(Line(number, clean))


def _text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, (datetime, date, time)):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def column_named(head: Line, names: tuple[str, ...]) -> int | None:
    """The first column whose head is one of ``names`` (as ``plain`` writes them)."""
    return next((n for n, cell in enumerate(head.cells) if plain(cell) in names), None)


def plain(name: str) -> str:
    """A head without case, blanks and marks: "E-Mail address" and "email_address" are one."""
    return "".join(c for c in name.casefold() if c.isalnum())


def safe_cell(value: object) -> str:
    """A value for a CSV that people open in a spreadsheet: never a formula."""
    text = str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def write_table(head: list[str], rows: list[list[object]]) -> bytes:
    """CSV as every spreadsheet opens it: UTF-8 with its mark."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(head)
    writer.writerows([safe_cell(value) for value in row] for row in rows)
    return out.getvalue().encode("utf-8-sig")
