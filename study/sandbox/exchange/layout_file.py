"""Layout files: how objects of an Org are called and laid out, in YAML or JSON, fitted onto its registry.

What a file does not say stays as it was. Every name is checked; all faults are told at once.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from django.http import QueryDict
from lucide import IconDoesNotExist, _load_icon

from study.sandbox.engine.errors import QueryError, SnapshotError
from study.sandbox.engine.layouts import sections_of
from study.sandbox.engine.published_views import paths_of
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry, RelatedList, StandardView
from study.sandbox.exchange.foreign_sqlite import regular_file
from study.sandbox.gui.criteria import Reading

_LARGEST = 2_000_000
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")
_TEXTS = ("label", "plural")
_OBJECT_KEYS = (
    *_TEXTS, "icon", "color", "name", "second", "columns", "highlights", "sections", "related", "views", "fields",
)  # fmt: skip
_FIELD_KEYS = ("label", "help", "values", "children")
_WHITE_ENOUGH = 4.5
LONGEST = 120
MOST_SHOWN = 20


def read_layout(path: Path) -> dict[str, Any]:
    """The content of a layout file. SnapshotError if it is none."""
    if regular_file(path) > _LARGEST:
        raise SnapshotError(f"The layout {path.name} is larger than {_LARGEST // 1_000_000} MB.")
    try:
        # JSON is YAML too.
        data = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise SnapshotError(f"The layout {path.name} cannot be read: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("objects"), dict) or set(data) != {"objects"}:
        raise SnapshotError(f"The layout {path.name} must hold one key, objects, with the objects by their names.")
    return data


def apply_layout(registry: Registry, data: Mapping[str, Any]) -> Registry:
    """The registry as the layout wishes it. SnapshotError lists every name, type and query that does not fit."""
    fitting = _Fitting(registry)
    objects = tuple(
        fitting.refined(item, data["objects"][item.name]) if item.name in data["objects"] else item
        for item in registry.objects
    )
    for name in data["objects"]:
        if not registry.has(str(name)):
            fitting.fault(f"objects: there is no object {name!r}", str(name), [o.name for o in registry.objects])
    if fitting.faults:
        more = len(fitting.faults) - MOST_SHOWN
        said = fitting.faults[:MOST_SHOWN] + ([f"and {more} more"] if more > 0 else [])
        raise SnapshotError("The layout does not fit this Org:\n" + "\n".join(f"  {line}" for line in said))
    changed = replace(registry, objects=objects)
    changed.check()
    return changed


class _Fitting:
    """Checks one layout against one registry and remembers what does not fit."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.faults: list[str] = []

    def fault(self, message: str, given: str = "", known: Iterable[str] = ()) -> None:
        names = list(known)
        near = difflib.get_close_matches(given, names, 1, 0.5)
        near = near or [name for name in names if name.lower() == given.lower()][:1]
        self.faults.append(message + (f"; did you mean {near[0]}?" if near else ""))

    def refined(self, item: ObjectDef, wished: object) -> ObjectDef:
        if not isinstance(wished, dict):
            self.fault(f"{item.name}: a mapping is needed, with keys such as label or columns")
            return item
        for key in wished:
            if key not in _OBJECT_KEYS:
                self.fault(f"{item.name}: unknown key {key!r}", str(key), _OBJECT_KEYS)
        where = item.name
        changes: dict[str, Any] = {
            key: self.text(f"{where}.{key}", wished[key]) for key in (*_TEXTS, "icon", "color") if key in wished
        }
        self._looks(where, changes)
        if "name" in wished:
            changes["name_field"] = self.own_field(item, f"{where}.name", wished["name"])
        if "second" in wished:
            changes["second_field"] = self.path(item, f"{where}.second", wished["second"])
        for key in ("columns", "highlights"):
            if key in wished:
                changes[key] = self.paths(item, f"{where}.{key}", wished[key])
        for key, read in (("sections", self.sections), ("related", self.related), ("views", self.views)):
            if key in wished:
                changes[key] = read(item, f"{where}.{key}", self.listed(f"{where}.{key}", wished[key]))
        changes["fields"] = self.fields(item, f"{where}.fields", wished.get("fields") or {})
        return replace(item, **changes)

    def text(self, where: str, value: object) -> str:
        if not isinstance(value, str) or not value.strip() or len(value) > LONGEST:
            self.fault(f"{where}: a text of 1 to {LONGEST} characters is needed")
            return ""
        return value.strip()

    def _looks(self, where: str, changes: dict[str, Any]) -> None:
        if icon := changes.get("icon"):
            try:
                _load_icon(icon)
            except IconDoesNotExist:
                self.fault(f"{where}.icon: there is no icon {icon!r}; use a name of the Lucide set, such as briefcase")
        if colour := changes.get("color"):
            if not _COLOUR.fullmatch(colour):
                self.fault(f"{where}.color: {colour!r} is not a colour such as #4E63A6")
            elif contrast_with_white(colour) < _WHITE_ENOUGH:
                self.fault(f"{where}.color: {colour} is too light for a white icon; take a darker one")

    def listed(self, where: str, value: object) -> list[dict[str, Any]]:
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            self.fault(f"{where}: a list of mappings is needed")
            return []
        return value

    def own_field(self, item: ObjectDef, where: str, value: object) -> str:
        if not item.has(str(value)):
            self.fault(f"{where}: {item.name} has no field {value!r}", str(value), [f.name for f in item.fields])
        return str(value)

    def path(self, item: ObjectDef, where: str, value: object) -> str:
        """A field, or one of a record looked up: ``Account.ShippingState``."""
        *steps, last = str(value).split(".")
        reached = [item]
        for step in steps:
            try:
                links = [one.lookup(step) for one in reached]
            except QueryError:
                known = [name for one in reached for f in one.fields if f.type == "reference"
                         for name in (f.relationship, f.name)]  # fmt: skip
                self.fault(f"{where}: {reached[0].name} has no lookup {step!r}", step, known)
                return str(value)
            reached = [self.registry.object(name) for link in links for name in link.targets if self.registry.has(name)]
            if not reached:
                self.fault(f"{where}: {step!r} leads out of this Org")
                return str(value)
        if not any(one.has(last) for one in reached):
            known = [field.name for one in reached for field in one.fields]
            self.fault(f"{where}: {reached[0].name} has no field {last!r}", last, known)
        return str(value)

    def paths(self, item: ObjectDef, where: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            self.fault(f"{where}: a list of fields is needed")
            return ()
        return tuple(self.path(item, where, entry) for entry in value)

    def sections(self, item: ObjectDef, where: str, wished: list[dict[str, Any]]) -> Any:
        made = []
        for entry in wished:
            names = entry.get("fields")
            title = self.text(f"{where}.title", entry.get("title"))
            fields = [self.own_field(item, where, name) for name in (names if isinstance(names, list) else [])]
            made.append((title, tuple(fields)))
        return sections_of(item, tuple(made))

    def related(self, item: ObjectDef, where: str, wished: list[dict[str, Any]]) -> tuple[RelatedList, ...]:
        """The wished-for lists in their order, then the others as they were."""
        possible = {f"{child.name}.{link.name}": child for child, link in self.registry.references_to(item.name)}
        made: dict[tuple[str, str], RelatedList] = {}
        for entry in wished:
            key = str(entry.get("list", ""))
            if key not in possible:
                self.fault(f"{where}: no record of this Org looks up {item.name} by {key!r}", key, possible)
                continue
            child, link = possible[key], key.partition(".")[2]
            columns = self.paths(child, f"{where}.{key}", entry.get("columns", []))
            label = self.text(f"{where}.{key}.label", entry["label"]) if "label" in entry else ""
            made[child.name, link] = RelatedList(child.name, link, columns, label)
        rest = [one for one in item.related if (one.object, one.field) not in made]
        return (*made.values(), *rest)

    def views(self, item: ObjectDef, where: str, wished: list[dict[str, Any]]) -> tuple[StandardView, ...]:
        made = []
        for entry in wished:
            name, query = self.text(f"{where}.name", entry.get("name")), str(entry.get("query", "")).lstrip("?")
            before = len(self.faults)
            for path in paths_of(query):
                self.path(item, f"{where} {name!r}", path)
            if len(self.faults) == before:
                try:
                    Reading(self.registry, item, QueryDict(query)).criteria()
                except QueryError as error:
                    self.fault(f"{where} {name!r}: {error.message}")
            made.append(StandardView(name, query))
        return tuple(made)

    def fields(self, item: ObjectDef, where: str, wished: object) -> tuple[FieldDef, ...]:
        if not isinstance(wished, dict):
            self.fault(f"{where}: the fields by their names are needed")
            return item.fields
        for name in wished:
            self.own_field(item, where, name)
        return tuple(self.field(f, f"{where}.{f.name}", wished[f.name]) if f.name in wished else f for f in item.fields)

    def field(self, field: FieldDef, where: str, wished: object) -> FieldDef:
        if not isinstance(wished, dict):
            self.fault(f"{where}: a mapping is needed, with keys such as label or help")
            return field
        for key in wished:
            if key not in _FIELD_KEYS:
                self.fault(f"{where}: unknown key {key!r}", str(key), _FIELD_KEYS)
        changes: dict[str, Any] = {key: str(wished[key]) for key in ("help", "children") if key in wished}
        if "label" in wished:
            changes["label"] = self.text(f"{where}.label", wished["label"])
        if "values" in wished:
            values = wished["values"]
            if field.type != "picklist" or not isinstance(values, list):
                self.fault(f"{where}.values: a list is needed, and a picklist to hold it")
            else:
                # Values in use stay, after the ones in the order that is wished for.
                changes["values"] = tuple(dict.fromkeys((*map(str, values), *field.values)))
        return replace(field, **changes)


def contrast_with_white(colour: str) -> float:
    """The WCAG contrast of a colour such as #4E63A6 with white."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
