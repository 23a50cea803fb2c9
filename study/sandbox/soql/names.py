"""Names of a text against the Org's registry: objects, fields, ways through lookups, child relationships.

Capitals do not count in any of them. What comes out is spelt as the Org spells it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from study.sandbox.engine.errors import INVALID_FIELD, INVALID_TYPE
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
from study.sandbox.engine.scope import MAX_LOOKUPS
from study.sandbox.soql.errors import fault, suggestion
from study.sandbox.soql.nodes import Path, Source


@dataclass(frozen=True)
class Named:
    """A field that was named: its path as the engine takes it, the field it ends in, and where it stood."""

    path: str
    field: FieldDef
    at: int

    @property
    def type(self) -> str:
        return self.field.type


def object_named(registry: Registry, name: str, at: int) -> ObjectDef:
    for item in registry.objects:
        if item.name.casefold() == name.casefold():
            return item
    near = suggestion(name, [item.name for item in registry.objects])
    raise fault(f"There is no object called {name} here.{near}", at, INVALID_TYPE)


def step_name(field: FieldDef) -> str:
    """What a lookup is called in a path: ``Account``, ``Issue__r``."""
    return field.relationship + ("__r" if field.name.endswith("__c") else "")


def _lookup(item: ObjectDef, step: str) -> FieldDef | None:
    wanted = step.casefold()
    for field in item.fields:
        if field.type == "reference":
            usual = field.name[:-1] + "r" if field.name.endswith("__c") else ""
            if wanted in {one.casefold() for one in (step_name(field), field.relationship, usual, field.name)}:
                return field
    return None


class Names:
    """The names one query may use: those of its object, and the aliases of its FROM."""

    def __init__(self, registry: Registry, item: ObjectDef, sources: Iterable[Source] = ()) -> None:
        self.registry = registry
        self.item = item
        self._aliases: dict[str, tuple[str, ...]] = {}
        first, *others = [*sources] or [Source(item.name, "", 0)]
        if first.alias:
            self._aliases[first.alias.casefold()] = ()
        for source in others:
            if not source.alias:
                raise fault("A second name after FROM needs an alias, as in FROM Contact c, c.Account a.", source.at)
            self._aliases[source.alias.casefold()] = tuple(self._steps(source.path))

    def _steps(self, path: str) -> list[str]:
        """The steps of a path from the object of the query, its alias or own name in front taken away."""
        first, *rest = path.split(".")
        known = self._aliases.get(first.casefold())
        if known is not None:
            return [*known, *rest]
        if rest and first.casefold() == self.item.name.casefold() and _lookup(self.item, first) is None:
            return rest
        return [first, *rest]

    def field(self, path: Path) -> Named:
        """The field a path leads to."""
        *steps, last = self._steps(path.text) or [path.text]
        if len(steps) > MAX_LOOKUPS:
            raise fault(
                f"A path may follow {MAX_LOOKUPS} lookups; this one follows {len(steps)}.", path.at, INVALID_FIELD
            )
        items, way = [self.item], []
        for step in steps:
            reference, items = self._follow(items, step, path)
            way.append(step_name(reference))
        for item in items:
            for field in item.fields:
                if field.name.casefold() == last.casefold():
                    return Named(".".join([*way, field.name]), field, path.at)
        raise fault(_no_field(items[0], last), path.at, INVALID_FIELD)

    def _follow(self, items: list[ObjectDef], step: str, path: Path) -> tuple[FieldDef, list[ObjectDef]]:
        for item in items:
            reference = _lookup(item, step)
            if reference is None:
                continue
            targets = [self.registry.object(name) for name in reference.targets if self.registry.has(name)]
            if not targets:
                raise fault(f"{item.name}.{reference.name} leads outside this Org.", path.at, INVALID_FIELD)
            return reference, targets
        lookups = [step_name(field) for field in items[0].fields if field.type == "reference" and field.targets]
        message = f"{items[0].name} has no relationship called {step}.{suggestion(step, lookups)}"
        raise fault(message, path.at, INVALID_FIELD)

    def child(self, name: str, at: int) -> tuple[str, ObjectDef, FieldDef]:
        """The child relationship of this name: its name, the child object and the child's lookup."""
        known = self.registry.child_relationships(self.item.name)
        wanted = ".".join(self._steps(name)).casefold()
        for relationship, (child, field) in known.items():
            # Objects with plurals of their own are also found by their API name with an s.
            if wanted in {relationship.casefold(), f"{child.name}s".casefold()}:
                return relationship, child, field
        near = suggestion(name, known)
        raise fault(f"{self.item.name} has no child relationship called {name}.{near}", at, INVALID_TYPE)


def _no_field(item: ObjectDef, name: str) -> str:
    reference = _lookup(item, name)
    if reference is not None and reference.targets:
        return f"{name} is a relationship of {item.name}: name a field behind it, such as {step_name(reference)}.Name."
    return f"{item.name} has no field called {name}.{suggestion(name, [field.name for field in item.fields])}"
