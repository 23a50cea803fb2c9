"""Pasted addresses: what can be invited, and what is wrong with the rest, line by line. No database here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from study.accounts.typed_text import visible_text

MOST = 2000
NAMED = re.compile(r"^.*<([^<>]*)>$")


@dataclass(frozen=True)
class Refused:
    """An entry that cannot be invited: its line (from 1), what was typed, and why."""

    line: int
    text: str
    why: str


@dataclass(frozen=True)
class Doubt:
    """An address that can be invited but may be somebody who is known already (P-03); a person decides."""

    line: int
    address: str
    like: str


@dataclass(frozen=True)
class Preview:
    good: tuple[str, ...]
    refused: tuple[Refused, ...]
    doubts: tuple[Doubt, ...]


def shortened(entry: str) -> str:
    """An entry as a preview shows it: enough to find it again in what was pasted."""
    return entry if len(entry) <= 80 else entry[:79] + "…"


def person_key(address: str) -> str:
    """What two spellings of one mailbox share: lower case, no "+…" part, no dots before the @."""
    local, _at, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0].replace('.', '')}@{domain}"


def entries(text: str) -> Iterable[tuple[int, str]]:
    """Line number and entry; lines, commas and semicolons separate, ``Name <address>`` is its address."""
    for number, line in enumerate(visible_text(text).split("\n"), start=1):
        for part in re.split(r"[,;\t]", line):
            entry = part.strip()
            if not entry:
                continue
            named = NAMED.match(entry)
            yield number, (named.group(1) if named else entry).strip().strip('"')


def preview(text: str, known: Mapping[str, str]) -> Preview:
    """Sort pasted text into what can go out and what can't.

    ``known`` maps each lower-case address of the study to where it stands ("in
    cohort North"). Case variants are one person; "+" and dot variants are
    flagged and stay in ``good``.
    """
    good: list[str] = []
    refused: list[Refused] = []
    doubts: list[Doubt] = []
    seen: dict[str, int] = {}
    people = {person_key(address): address for address in known}
    for line, entry in entries(text):
        address = entry.lower()
        if why := _why_refused(entry, address, seen, known):
            refused.append(Refused(line, shortened(entry), why))
            continue
        seen[address] = line
        key = person_key(address)
        if key in people:
            doubts.append(Doubt(line, entry, people[key]))
        else:
            people[key] = address
        good.append(entry)
    return Preview(tuple(good), tuple(refused), tuple(doubts))


def _why_refused(entry: str, address: str, seen: Mapping[str, int], known: Mapping[str, str]) -> str:
    try:
        validate_email(entry)
    except ValidationError:
        return _("This is not an e-mail address.")
    if address in seen:
        return _("The same address stands in line %(line)s.") % {"line": seen[address]}
    if address in known:
        return _("Invited already, %(where)s.") % {"where": known[address]}
    if len(seen) >= MOST:
        return _("More than %(most)s at once. Send the rest afterwards.") % {"most": f"{MOST:,}"}
    return ""
