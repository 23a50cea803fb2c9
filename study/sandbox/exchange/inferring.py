"""A registry derived from bare tables: what the columns are called, and what stands in them.

Published objects get their published definitions. Everything else gets a type that all
its values fit; lookups are told by the key prefixes of the Ids found in them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.layouts import lay_out
from study.sandbox.engine.published import (
    KEY_PREFIXES,
    bare_object,
    is_known_field,
    label_from_name,
)
from study.sandbox.engine.published_layouts import LAYOUTS
from study.sandbox.engine.registry import FieldDef, FieldType, ObjectDef, Registry, is_name
from study.sandbox.exchange.table_files import Problem, RawTable

_WHOLE = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})(?:\.0+)?")
_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+-]?\d+)?(?<=\d)")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*")
_YES_NO = frozenset({"true", "false"})
_DIGIT = frozenset({"0", "1"})
_ASKS = re.compile(r"(?:Is|Has|Can|Does|Are|Was)[A-Z_]")
# Numbers nobody adds up: they keep their zeros and plus signs as text.
_SPELT = re.compile(r"phone|fax|mobile|zip|postal|code|number$|number__c$|name", re.IGNORECASE)
_LONGEST_STRING = 255
_CHOICES, _CHOICE_LENGTH, _PER_CHOICE = 25, 40, 4
_RARE = 0.01


@dataclass
class Seen:
    """What the values of one column have in common."""

    filled: int = 0
    longest: int = 0
    lines: bool = False
    fits: set[str] = field(default_factory=lambda: {"boolean", "digit", "integer", "number", "datetime", "date", "id"})
    values: set[str] = field(default_factory=set)
    prefixes: Counter[str] = field(default_factory=Counter)

    def add(self, text: str) -> None:
        self.filled += 1
        self.longest = max(self.longest, len(text))
        self.lines = self.lines or "\n" in text
        if len(self.values) <= _CHOICES and len(text) <= _CHOICE_LENGTH:
            self.values.add(text)
        if self.fits:
            self.fits = {kind for kind in self.fits if _FITS[kind](text.strip())}
        if "id" in self.fits:
            self.prefixes[text.strip()[:3]] += 1

    def kind(self, name: str) -> FieldType:
        """The narrowest type that every value fits."""
        if not self.filled:
            return "string"
        if "boolean" in self.fits or ("digit" in self.fits and _ASKS.match(name)):
            return "boolean"
        for kind in ("date", "datetime"):
            if kind in self.fits:
                return kind
        if not _SPELT.search(name):
            if "integer" in self.fits:
                return "integer"
            if "number" in self.fits:
                return "number"
        if self.longest > _LONGEST_STRING or self.lines:
            return "text"
        few = len(self.values) <= _CHOICES and self.longest <= _CHOICE_LENGTH
        return "picklist" if few and self.filled >= _PER_CHOICE * len(self.values) else "string"


def _moment(text: str) -> bool:
    if not _MOMENT.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _day(text: str) -> bool:
    if not _DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


_FITS: dict[str, Callable[[str], bool]] = {
    "boolean": lambda text: text.lower() in _YES_NO,
    "digit": lambda text: text in _DIGIT,
    "integer": lambda text: _WHOLE.fullmatch(text) is not None,
    "number": lambda text: _NUMBER.fullmatch(text) is not None,
    "datetime": _moment,
    "date": _day,
    "id": lambda text: normal_id(text) is not None,
}


def infer_registry(
    tables: Iterable[RawTable], *, zone: str = "UTC", company: str = ""
) -> tuple[Registry, list[Problem]]:
    """The registry of some bare tables, and which tables and columns cannot be part of it."""
    problems: list[Problem] = []
    seen: dict[str, dict[str, Seen]] = {}
    for table in tables:
        if not table.read:
            continue
        name = _PROPER.get(table.name.lower(), table.name)
        if reason := _unfit(table, name, seen):
            problems.append(Problem(table.name, None, "", reason, "the table was left out"))
            continue
        seen[name] = _columns(table)
    owners = _owners(seen)
    bare = {name: _object(name, columns, owners, list(seen)) for name, columns in seen.items()}
    objects = tuple(lay_out(item, bare, LAYOUTS.get(name), label_from_name(name)) for name, item in bare.items())
    registry = Registry(objects, zone=zone, company=company)
    registry.check()
    return registry, problems


_PROPER = {name.lower(): name for name in KEY_PREFIXES}


def _unfit(table: RawTable, name: str, seen: dict[str, dict[str, Seen]]) -> str:
    if not is_name(name, table=True):
        return "this cannot be the name of an object"
    if name.lower() in {other.lower() for other in seen}:
        return "a second table of this name"
    return "" if "Id" in table.columns else "no column Id"


def _columns(table: RawTable) -> dict[str, Seen]:
    taken: set[str] = set()
    columns: dict[str, Seen] = {}
    for name in table.columns:
        if is_name(name) and name.lower() not in taken:
            taken.add(name.lower())
            columns[name] = Seen()
    pairs = list(columns.items())
    for _number, row in table.rows:
        for name, seen in pairs:
            if (text := row[name]) is not None:
                seen.add(text)
    return columns


def _owners(seen: dict[str, dict[str, Seen]]) -> dict[str, str]:
    """Key prefix -> object, by the Ids of the tables themselves; a prefix two tables share tells nothing."""
    found: dict[str, list[str]] = {}
    for name, columns in seen.items():
        counted = columns["Id"].prefixes
        if counted:
            found.setdefault(counted.most_common(1)[0][0], []).append(name)
    return {prefix: names[0] for prefix, names in found.items() if len(names) == 1}


def _object(name: str, columns: dict[str, Seen], owners: dict[str, str], objects: list[str]) -> ObjectDef:
    made = bare_object(name, dict.fromkeys(columns, ""), objects)
    fields = tuple(_field(name, item, columns[item.name], owners) if item.name in columns else item
                   for item in made.fields)  # fmt: skip
    return replace(made, fields=fields)


def _field(table: str, item: FieldDef, seen: Seen, owners: dict[str, str]) -> FieldDef:
    if item.type == "id":
        return item
    found = _targets(seen, owners)
    if item.type == "reference":
        if seen.filled and not seen.prefixes and not is_known_field(table, item.name):
            return replace(item, type=seen.kind(item.name), targets=())
        return replace(item, targets=tuple(dict.fromkeys((*item.targets, *found))))
    if is_known_field(table, item.name):
        return item
    if found:
        return FieldDef(item.name, "reference", item.label, targets=found)
    if not seen.filled or item.type == "text":
        return item
    kind = seen.kind(item.name)
    if item.type == "picklist" and kind == "string":
        kind = "picklist" if seen.longest <= _LONGEST_STRING else kind
    return replace(item, type=kind, values=())


def _targets(seen: Seen, owners: dict[str, str]) -> tuple[str, ...]:
    """The objects whose Ids stand in a column of Ids; a stray one or two do not make a lookup."""
    total = sum(seen.prefixes.values()) if "id" in seen.fits else 0
    common = [prefix for prefix, n in seen.prefixes.most_common() if n >= _RARE * total]
    return tuple(dict.fromkeys(owners[prefix] for prefix in common if prefix in owners)) if total else ()
