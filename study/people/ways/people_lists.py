"""A list of people in a table: which column is what, and what is wrong with each row. No database here."""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from study.people.ways.addresses import NAMED, entries, person_key, shortened
from study.people.ways.spreadsheets import Line, Refusal, column_named

EMAIL = ("email", "mail", "emailaddress", "mailaddress", "address", "emailadresse", "mailadresse", "epost", "courriel")
NAME = ("name", "fullname", "displayname")
FIRST = ("firstname", "givenname", "vorname")
LAST = ("lastname", "surname", "familyname", "nachname")
LANGUAGE = ("language", "lang", "locale", "sprache")
ZONE = ("zone", "timezone", "tz", "zeitzone")
LONGEST_NAME = 200
LONGEST_BEFORE_AT = 64  # RFC 5321: no server takes a longer one


class Row(TypedDict):
    """One person of a list as kept, encrypted, between upload and confirmation."""

    row: int
    email: str
    name: str
    language: str
    zone: str
    problem: str
    doubt: str


@dataclass(frozen=True)
class Known:
    """What the study knows: addresses with where they stand, refusals by address, languages to choose from."""

    addresses: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    """Lower-case address to the reason why it is not written to."""
    languages: Sequence[str] = ()


def from_text(text: str) -> list[Row]:
    """Pasted addresses as rows; their number is the line."""
    return [_row(line, email=entry) for line, entry in entries(text)]


def from_table(lines: Sequence[Line]) -> list[Row]:
    """A table as rows. Raises Refusal when no column holds addresses."""
    head, body = lines[0], lines[1:]
    email = column_named(head, EMAIL)
    if email is None:
        email = _column_of_addresses(lines[:30])
        if email is None:
            raise Refusal(_("No column holds e-mail addresses. Give one the heading “email”."))
        if "@" in head.cell(email):
            # No headings: all of it is people, and nothing says what the other columns are.
            head, body = Line(0, ()), list(lines)
    columns = {key: column_named(head, names) for key, names in (("language", LANGUAGE), ("zone", ZONE))}
    full, first, last = column_named(head, NAME), column_named(head, FIRST), column_named(head, LAST)
    return [
        _row(
            line.number,
            email=_address(line.cell(email)),
            name=line.cell(full) or f"{line.cell(first)} {line.cell(last)}".strip(),
            language=line.cell(columns["language"]),
            zone=line.cell(columns["zone"]),
        )
        for line in body
    ]


def _row(number: int, *, email: str, name: str = "", language: str = "", zone: str = "") -> Row:
    return {"row": number, "email": email, "name": name, "language": language, "zone": zone, "problem": "", "doubt": ""}


def _address(cell: str) -> str:
    named = NAMED.match(cell)
    return (named.group(1) if named else cell).strip().strip('"')


def _column_of_addresses(lines: Iterable[Line]) -> int | None:
    for line in lines:
        for n, cell in enumerate(line.cells):
            if not _why_no_address(_address(cell)):
                return n
    return None


def check(rows: Iterable[Row], known: Known) -> list[Row]:
    """The rows with what is wrong (``problem``: not invited) or unclear (``doubt``: a person decides; P-03)."""
    checked: list[Row] = []
    seen: dict[str, int] = {}
    people = {person_key(address): address for address in known.addresses}
    for row in rows:
        address = row["email"].lower()
        found: Row = {**row, "problem": _problem(row, address, seen, known), "doubt": ""}
        if not found["problem"]:
            key = person_key(address)
            seen[address] = row["row"]
            if key in people:
                found["doubt"] = _("Looks like %(like)s.") % {"like": people[key]}
            people.setdefault(key, row["email"])
            found["language"] = _language(row["language"], known.languages) or ""
        checked.append(found)
    return checked


def _problem(row: Row, address: str, seen: Mapping[str, int], known: Known) -> str:
    if why := _why_no_address(row["email"]):
        return why
    if address in seen:
        return _("The same address stands in row %(row)s.") % {"row": seen[address]}
    if address in known.addresses:
        return _("Invited already, %(where)s.") % {"where": known.addresses[address]}
    if address in known.refused:
        return known.refused[address]
    if row["zone"] and not is_zone(row["zone"]):
        return _("“%(zone)s” is no time zone. Write it as in Europe/Oslo.") % {"zone": shortened(row["zone"])}
    if row["language"] and _language(row["language"], known.languages) is None:
        given, offered = shortened(row["language"]), ", ".join(known.languages)
        return _("The protocol has no “%(given)s”. Its languages: %(offered)s.") % {"given": given, "offered": offered}
    if len(row["name"]) > LONGEST_NAME:
        return _("The name is longer than 200 characters.")
    return ""


def _why_no_address(text: str) -> str:
    if not text:
        return _("There is no address in this row.")
    try:
        validate_email(text)
        too_long = len(text.rpartition("@")[0]) > LONGEST_BEFORE_AT
    except ValidationError:
        too_long = True
    if too_long:
        return _("“%(text)s” is not an e-mail address.") % {"text": shortened(text)}
    return ""


def is_zone(name: str) -> bool:
    try:
        zoneinfo.ZoneInfo(name)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return False
    return "/" in name or name == "UTC"


def _language(given: str, offered: Sequence[str]) -> str | None:
    """The protocol's code for a language somebody wrote ("NB", "nb-NO"); empty for none, None for one it has not."""
    if not given:
        return ""
    wanted = given.lower().replace("_", "-")
    by_code = {code.lower(): code for code in offered}
    return by_code.get(wanted) or by_code.get(wanted.split("-")[0])
