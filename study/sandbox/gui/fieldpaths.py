"""Fields reached from an object: its own, and those of the records it looks up, three steps far.

A path is written as engines read it: ``Account.ShippingState``; a lookup to several objects names
the one that is meant, ``What:Opportunity.StageName``, or asks for what all have, ``What.Name``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from django.utils.translation import gettext as _

from study.sandbox.engine.errors import UnknownField
from study.sandbox.engine.formulas import Formula
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry

STEPS = 3
NEAR = 2
"""How far menus reach at once; the third step is chosen where one looks for it."""
OF = ":"
NAME = "Name"


@dataclass(frozen=True)
class FieldPath:
    """A field and the way to it: ``Account.ShippingState`` from a case; or what is worked out of two fields."""

    path: str
    field: FieldDef
    owner: ObjectDef
    steps: tuple[str, ...] = ()
    formula: Formula | None = None

    @property
    def label(self) -> str:
        return " › ".join([*self.steps, self.field.label])

    @property
    def step_label(self) -> str:
        return " › ".join(self.steps)

    @property
    def filterable(self) -> bool:
        """Long texts are found by search; they cannot be filtered, sorted or grouped."""
        return self.field.type != "text"

    @property
    def dated(self) -> bool:
        return self.field.type in {"date", "datetime"}


@dataclass(frozen=True)
class Step:
    """A lookup as a path writes it, its words, and the one object it leads to."""

    path: str
    label: str
    target: ObjectDef


def targets_of(registry: Registry, field: FieldDef) -> list[ObjectDef]:
    """The objects of this Org a lookup may point to."""
    if field.type != "reference":
        return []
    return [registry.object(name) for name in field.targets if registry.has(name)]


def steps_of(registry: Registry, item: ObjectDef) -> list[Step]:
    """Every lookup of an object that can be followed; one to several objects once for each of them."""
    found = []
    for field in item.fields:
        targets = targets_of(registry, field)
        if len(targets) == 1:
            found.append(Step(field.relationship, field.label, targets[0]))
        else:
            found += [Step(f"{field.relationship}{OF}{t.name}", f"{field.label} ({t.label})", t) for t in targets]
    return found


def paths_from(registry: Registry, item: ObjectDef, steps: int = NEAR) -> tuple[FieldPath, ...]:
    """Every field within ``steps`` lookups, own fields first."""
    return _paths(registry, item.name, steps)


@lru_cache(maxsize=512)
def _paths(registry: Registry, name: str, steps: int) -> tuple[FieldPath, ...]:
    return tuple(_walk(registry, registry.object(name), "", (), steps, ()))


def _walk(
    registry: Registry, item: ObjectDef, prefix: str, labels: tuple[str, ...], steps: int, seen: tuple[str, ...]
) -> Iterator[FieldPath]:
    for field in item.fields:
        yield FieldPath(prefix + field.name, field, item, labels)
    if len(labels) == steps:
        return
    yield from (shared for field in item.fields if (shared := _shared_name(registry, item, field, prefix, labels)))
    for step in steps_of(registry, item):
        # A way back to where one came from only repeats what is already offered.
        if step.target.name not in (*seen, item.name):
            here = (*labels, step.label)
            yield from _walk(registry, step.target, f"{prefix}{step.path}.", here, steps, (*seen, item.name))


def _shared_name(
    registry: Registry, item: ObjectDef, lookup: FieldDef, prefix: str, labels: tuple[str, ...]
) -> FieldPath | None:
    """What any of the records a lookup to several objects may point to is called."""
    targets = targets_of(registry, lookup)
    if len(targets) < 2 or not any(target.has(NAME) for target in targets):
        return None
    field = FieldDef(NAME, "string", _("Name"))
    return FieldPath(f"{prefix}{lookup.relationship}.{NAME}", field, item, (*labels, lookup.label))


def fields_at(registry: Registry, item: ObjectDef, way: str) -> tuple[list[FieldPath], list[tuple[str, Step]]]:
    """The fields one finds after following ``way``, and the lookups on from there as (way, step)."""
    here = _followed(registry, item, way) if way else _Place(item, "", ())
    found = [FieldPath(here.prefix + field.name, field, here.item, here.labels) for field in here.item.fields]
    if len(here.labels) == STEPS:
        return found, []
    for field in here.item.fields:
        if shared := _shared_name(registry, here.item, field, here.prefix, here.labels):
            found.append(shared)
    return found, [(here.prefix + step.path, step) for step in steps_of(registry, here.item)]


@dataclass(frozen=True)
class _Place:
    item: ObjectDef
    prefix: str
    labels: tuple[str, ...]


def _followed(registry: Registry, item: ObjectDef, way: str) -> _Place:
    """Where a way of lookups leads. UnknownField at a step that leads nowhere, or to one of several objects."""
    lookups = way.split(".")
    if len(lookups) > STEPS:
        raise UnknownField(way, item.name)
    owner, labels = item, []
    for written in lookups:
        step, _of, chosen = written.partition(OF)
        lookup = owner.lookup(step)
        targets = targets_of(registry, lookup)
        fitting = [target for target in targets if target.name == chosen] if chosen else targets
        if len(fitting) != 1:
            raise UnknownField(way, item.name)
        labels.append(f"{lookup.label} ({fitting[0].label})" if len(targets) > 1 else lookup.label)
        owner = fitting[0]
    return _Place(owner, f"{way}.", tuple(labels))


def field_path(registry: Registry, item: ObjectDef, path: str) -> FieldPath:
    """The field a path names. UnknownField for a field, lookup or number of steps that does not exist."""
    way, _dot, name = path.rpartition(".")
    if not way:
        return FieldPath(path, item.field(name), item)
    if name == NAME and (shared := _named_across(registry, item, way)):
        return shared
    place = _followed(registry, item, way)
    return FieldPath(path, place.item.field(name), place.item, place.labels)


def _named_across(registry: Registry, item: ObjectDef, way: str) -> FieldPath | None:
    """``What.Name``, where the last lookup of the way leads to several objects."""
    before, _dot, last = way.rpartition(".")
    if before.count(".") > STEPS - 2:
        return None
    here = _followed(registry, item, before) if before else _Place(item, "", ())
    if OF in last:
        return None
    return _shared_name(registry, here.item, here.item.lookup(last), here.prefix, here.labels)


def name_path(registry: Registry, found: FieldPath) -> str | None:
    """The path to the name of the record a lookup points to: ``OwnerId`` -> ``Owner.Name``; None if not one path."""
    paths = name_paths(registry, found)
    return paths[0] if len(paths) == 1 else None


def name_paths(registry: Registry, found: FieldPath) -> list[str]:
    """One path for each object a lookup may point to, to what its records are called."""
    targets = targets_of(registry, found.field)
    if len(found.steps) == STEPS:
        return []
    prefix = found.path.rpartition(".")[0]
    lookup = (f"{prefix}." if prefix else "") + found.field.relationship
    if len(targets) == 1:
        return [f"{lookup}.{targets[0].name_field}"]
    return [f"{lookup}{OF}{target.name}.{target.name_field}" for target in targets]
