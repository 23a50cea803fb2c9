"""What an Org consists of: objects, fields, lookups and how they are laid out.

Frozen values with a canonical JSON form, which is part of the Org hash.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar, get_args
from zoneinfo import ZoneInfo

from study.sandbox.engine.errors import SnapshotError, UnknownField, UnknownObject

FieldType = Literal["id", "reference", "string", "text", "picklist", "datetime", "date", "boolean", "number", "integer"]
FIELD_TYPES: tuple[str, ...] = get_args(FieldType)
FOLDED: frozenset[str] = frozenset({"string", "picklist"})
"""Types of short text: compared without regard to capitals and accents."""
# Fields that say when a record came to be. Due, planned and validity dates lie ahead by nature.
WRITTEN = ("CreatedDate", "MessageDate", "EndTime", "EffectiveDate", "EndTime__c")
SEARCHED: frozenset[str] = frozenset({"string", "text"})

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")
_RESERVED_TABLES = ("fts_", "sqlite_", "realia_")


@dataclass(frozen=True)
class FieldDef:
    """A field. ``targets`` are the objects a reference may point to (empty: outside this Org);
    ``joined`` names fields whose texts, with blanks between, make this one (a person's name);
    ``children`` is what the records that look up are called from the other side, where it is not the usual name."""

    name: str
    type: FieldType
    label: str
    help: str = ""
    length: int | None = None
    values: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    children: str = ""

    @property
    def relationship(self) -> str:
        """The name a lookup has in paths: ``AccountId`` -> ``Account``, ``IssueId__c`` -> ``Issue``."""
        return re.sub(r"(?<=.)(?:Id|ID)?(?:__c)?$", "", self.name, count=1)


@dataclass(frozen=True)
class Section:
    """A titled block of fields on the details of a record."""

    title: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class RelatedList:
    """Child records shown on a record: those of ``object`` whose ``field`` points to it."""

    object: str
    field: str
    columns: tuple[str, ...] = ()
    label: str = ""


@dataclass(frozen=True)
class StandardView:
    """A list view that comes with an object: its name and the query string of its address."""

    name: str
    query: str


@dataclass(frozen=True)
class ObjectDef:
    """An object, its fields in order, and its layout. Columns and highlights are field paths."""

    name: str
    label: str
    plural: str
    key_prefix: str
    fields: tuple[FieldDef, ...]
    name_field: str
    icon: str = ""
    color: str = ""
    columns: tuple[str, ...] = ()
    highlights: tuple[str, ...] = ()
    related: tuple[RelatedList, ...] = ()
    sections: tuple[Section, ...] = ()
    second_field: str = ""
    views: tuple[StandardView, ...] = ()

    def field(self, name: str) -> FieldDef:
        """The field of this name. UnknownField otherwise."""
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownField(name, self.name) from None

    def has(self, name: str) -> bool:
        return name in self._by_name

    def lookup(self, name: str) -> FieldDef:
        """The reference field meant by one step of a path: its name, its relationship name, or that with ``__r``."""
        if name in self._by_name and self._by_name[name].type == "reference":
            return self._by_name[name]
        wanted = name.removesuffix("__r")
        for field in self.fields:
            if field.type == "reference" and field.relationship == wanted:
                return field
        raise UnknownField(name, self.name)

    @cached_property
    def _by_name(self) -> dict[str, FieldDef]:
        return {field.name: field for field in self.fields}

    @cached_property
    def written(self) -> FieldDef | None:
        """The field that says when a record of this object came to be, if it has one."""
        return next((self._by_name[name] for name in WRITTEN if name in self._by_name), None)

    @cached_property
    def searched(self) -> tuple[FieldDef, ...]:
        """The fields the word index holds. FTS5 keeps the names rank and rowid for itself."""
        return tuple(f for f in self.fields if f.type in SEARCHED and f.name.lower() not in {"rank", "rowid"})


@dataclass(frozen=True)
class Registry:
    """All objects of an Org in order, its zone, and the first month of its fiscal year."""

    objects: tuple[ObjectDef, ...]
    zone: str = "UTC"
    company: str = ""
    fiscal_start: int = 1

    def __hash__(self) -> int:
        # Registries key caches of paths and layouts; walking every field each time would cost more than it saves.
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.objects, self.zone, self.company))

    def object(self, name: str) -> ObjectDef:
        """The object of this name. UnknownObject otherwise."""
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownObject(name) from None

    def has(self, name: str) -> bool:
        return name in self._by_name

    def object_for_id(self, record_id: str) -> ObjectDef | None:
        """The object whose key prefix an Id begins with."""
        return self._by_prefix.get(record_id.strip()[:3])

    def child_relationships(self, name: str) -> dict[str, tuple[ObjectDef, FieldDef]]:
        """Name from the parent's side -> (child object, its lookup): ``Cases`` of an account, ``Tasks`` of a case.

        A lookup's own name for it comes first, then the child's plural without blanks (custom objects with
        ``__r``); a second lookup of the same child has the lookup's relationship before it (``OwnerCases``).
        """
        found: dict[str, tuple[ObjectDef, FieldDef]] = {}
        for child, field in self.references_to(name):
            usual = child.plural.replace(" ", "")
            usual = re.sub(r"\W", "", usual) + ("__r" if child.name.endswith("__c") else "")
            wished = field.children or usual
            if wished in found:
                wished = re.sub(r"\W", "", field.relationship) + wished
            found[wished] = (child, field)
        return found

    def references_to(self, name: str) -> list[tuple[ObjectDef, FieldDef]]:
        """Every (child object, field) whose field may point to this object."""
        return [(item, field) for item in self.objects for field in item.fields if name in field.targets]

    @cached_property
    def _by_name(self) -> dict[str, ObjectDef]:
        return {item.name: item for item in self.objects}

    @cached_property
    def _by_prefix(self) -> dict[str, ObjectDef]:
        return {item.key_prefix: item for item in self.objects if item.key_prefix}

    def to_json(self) -> str:
        """Canonical JSON: sorted keys, no blanks, defaults left out."""
        return json.dumps(_plain(self), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | Mapping[str, Any]) -> Registry:
        """The registry of a JSON text or the mapping it stands for. SnapshotError where it is not one."""
        try:
            registry = _registry(json.loads(text) if isinstance(text, str) else text)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise SnapshotError(f"This is not a registry of objects and fields: {error}") from error
        registry.check()
        return registry

    def check(self) -> None:
        """SnapshotError at the first name, type, prefix or layout that cannot work."""
        try:
            if self.zone == "localtime":  # another one on every machine
                raise ValueError
            ZoneInfo(self.zone)
        except (ValueError, KeyError, OSError):
            raise SnapshotError(f"{self.zone!r} is not a time zone, such as UTC or Europe/Lisbon.") from None
        if self.fiscal_start not in range(1, 13):
            raise SnapshotError(f"A fiscal year starts in month 1 to 12, not {self.fiscal_start!r}.")
        tables = [item.name.lower() for item in self.objects]
        for item in self.objects:
            if not is_name(item.name, table=True):
                raise SnapshotError(f"{item.name!r} cannot be the name of an object.")
            if tables.count(item.name.lower()) > 1:
                raise SnapshotError(f"Two objects are called {item.name}.")
            _check_fields(item)
        prefixes = [item.key_prefix for item in self.objects if item.key_prefix]
        for prefix in prefixes:
            if prefixes.count(prefix) > 1:
                raise SnapshotError(f"Two objects have the key prefix {prefix}.")


def is_name(name: str, *, table: bool = False) -> bool:
    """Whether an object or a field can have this name."""
    taken = name.lower().startswith(_RESERVED_TABLES) if table else name.lower() == "rid"
    return _NAME.fullmatch(name) is not None and not taken


def _check_fields(item: ObjectDef) -> None:
    names = [field.name.lower() for field in item.fields]
    for field in item.fields:
        if not is_name(field.name):
            raise SnapshotError(f"{item.name}: {field.name!r} cannot be the name of a field.")
        if names.count(field.name.lower()) > 1:
            raise SnapshotError(f"{item.name}: two fields are called {field.name}.")
        if field.type not in FIELD_TYPES:
            raise SnapshotError(f"{item.name}.{field.name}: {field.type!r} is not a type of field.")
    if not item.has("Id") or item.field("Id").type != "id":
        raise SnapshotError(f"{item.name} has no field Id of type id.")
    for name in (item.name_field, *(n for field in item.fields for n in field.joined)):
        if not item.has(name):
            raise SnapshotError(f"{item.name}: the layout names a field {name!r} that is not there.")


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        pairs = ((f, getattr(value, f.name)) for f in dataclasses.fields(value))
        return {f.name: _plain(v) for f, v in pairs if f.default is dataclasses.MISSING or v != f.default}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _texts(data: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(str(item) for item in data[key]) for key in keys if key in data}


_PLAIN: dict[str, Any] = {"str": str, "int": int, "int | None": int | None, "FieldType": str}
_Part = TypeVar("_Part")


def _made(kind: Callable[..., _Part], values: Mapping[str, Any]) -> _Part:
    """A part of a registry. TypeError where a text or number is something else: pages would break on it."""
    for one in dataclasses.fields(kind):  # type: ignore[arg-type]
        if one.name in values and not isinstance(values[one.name], _PLAIN.get(str(one.type), object)):
            raise TypeError(f"{one.name} cannot be {str(values[one.name])[:40]!r}")
    return kind(**values)


def _field(data: Mapping[str, Any]) -> FieldDef:
    return _made(FieldDef, {**data, **_texts(data, ("values", "targets", "joined"))})


def _object(data: Mapping[str, Any]) -> ObjectDef:
    parts: dict[str, Any] = {**data, **_texts(data, ("columns", "highlights"))}
    parts["fields"] = tuple(_field(item) for item in data["fields"])
    parts["sections"] = tuple(
        _made(Section, {**item, **_texts(item, ("fields",))}) for item in data.get("sections", ())
    )
    parts["views"] = tuple(_made(StandardView, item) for item in data.get("views", ()))
    parts["related"] = tuple(
        _made(RelatedList, {**item, **_texts(item, ("columns",))}) for item in data.get("related", ())
    )
    return _made(ObjectDef, parts)


def _registry(data: Mapping[str, Any]) -> Registry:
    return _made(Registry, {**data, "objects": tuple(_object(item) for item in data["objects"])})
