"""Fields reached from an object: its own, and those of the records it looks up, two steps far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from study.sandbox.errors import UnknownField
from study.sandbox.registry import FieldDef, ObjectDef, Registry

STEPS = 2


@dataclass(frozen=True)
class FieldPath:
    """A field and the way to it: ``Account.ShippingState`` from a case."""

    path: str
    field: FieldDef
    owner: ObjectDef
    steps: tuple[str, ...] = ()

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


def paths_from(registry: Registry, item: ObjectDef, steps: int = STEPS) -> tuple[FieldPath, ...]:
    """Every field within ``steps`` lookups, own fields first. Lookups to several objects are not followed."""
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
    for field in item.fields:
        target = _single_target(registry, field)
        # A way back to where one came from only repeats what is already offered.
        if target is not None and target.name not in (*seen, item.name):
            here = (*labels, field.label)
            yield from _walk(registry, target, f"{prefix}{field.relationship}.", here, steps, (*seen, item.name))


def _single_target(registry: Registry, field: FieldDef) -> ObjectDef | None:
    known = [name for name in field.targets if registry.has(name)]
    return registry.object(known[0]) if field.type == "reference" and len(known) == 1 else None


def field_path(registry: Registry, item: ObjectDef, path: str) -> FieldPath:
    """The field a path names. UnknownField for a field, lookup or number of steps that does not exist."""
    *lookups, name = path.split(".")
    if len(lookups) > STEPS:
        raise UnknownField(path, item.name)
    owner, labels = item, []
    for step in lookups:
        lookup = owner.lookup(step)
        target = _single_target(registry, lookup)
        if target is None:
            raise UnknownField(path, item.name)
        labels.append(lookup.label)
        owner = target
    return FieldPath(path, owner.field(name), owner, tuple(labels))


def name_path(registry: Registry, found: FieldPath) -> str | None:
    """The path to the name of the record a lookup points to: ``OwnerId`` -> ``Owner.Name``; None if not one object."""
    target = _single_target(registry, found.field)
    if target is None:
        return None
    prefix = found.path.rpartition(".")[0]
    return (f"{prefix}." if prefix else "") + f"{found.field.relationship}.{target.name_field}"
