"""The menus of a new condition: fields, comparisons, related records."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from study.sandbox.engine.daterange import WORDS
from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.registry import ObjectDef, Registry
from study.sandbox.gui.criteria import COUNTS, Criteria
from study.sandbox.gui.fieldpaths import FieldPath, paths_from
from study.sandbox.gui.rowformulas import any_path, time_between
from study.sandbox.gui.terms import BY_TYPE, DATE_WORDS, DURING, IN_PERIOD, OPERATORS

CHILD_OPERATORS = ("eq", "ne", "in", "contains", "starts", "gt", "ge", "lt", "le", "null", "not_null")
Grouped = list[tuple[str, list[tuple[str, str, str]]]]


@dataclass
class Menus:
    """Everything a person may choose from for one object, and what is chosen about related records."""

    registry: Registry
    item: ObjectDef
    criteria: Criteria

    pick: str = ""
    typed: tuple[dict[str, str], ...] = ()
    """New conditions that make no sense: they stay in their controls."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The controls of new conditions: what was typed or picked, and a spare one for pages without scripts."""
        said: list[dict[str, Any]] = [{**row, "wrong": True} for row in self.typed] or [
            {"c": self.pick if self.picked else ""}
        ]
        listed = [*said, {"spare": True}]
        numbers = [("", ""), *((f"-{place}", f" {place}") for place in range(2, len(listed) + 1))]
        return [row | {"n": n, "spoken": spoken} for row, (n, spoken) in zip(listed, numbers, strict=True)]

    @cached_property
    def fields(self) -> Grouped:
        """Own fields first, then one heading per lookup: (path, label, type); and what was looked up further away."""
        found = field_choices(self.registry, self.item)
        if between := time_between(self.registry, self.item):
            found.append((_("Worked out"), [(text, words, "number") for text, words in between]))
        known = {path for _heading, listed in found for path, _label, _type in listed}
        asked = [self.picked, *(self._path(row["c"]) for row in self.typed)]
        beyond = [(path.path, path.label, path.field.type) for path in asked if path and path.path not in known]
        if beyond:
            found.insert(0, (_("Chosen"), list(dict.fromkeys(beyond))))
        return found

    @cached_property
    def picked(self) -> FieldPath | None:
        """The field somebody chose for a new condition on the page of all fields."""
        return self._path(self.pick)

    def _path(self, text: str) -> FieldPath | None:
        try:
            return any_path(self.registry, self.item, text) if text else None
        except QueryError:
            return None

    @cached_property
    def operators(self) -> Grouped:
        """Comparisons, then date words."""
        plain = [(op, str(words), "") for op, words in OPERATORS.items()]
        dated = [(op, str(words), "n" if WORDS[op] else "") for op, words in DATE_WORDS.items()]
        return [
            (_("Compare"), plain),
            (_("Dates, counted from today"), dated),
            (_("Calendar"), [(DURING, str(IN_PERIOD), "p")]),
        ]

    @cached_property
    def by_type(self) -> str:
        """Which comparisons fit which type of field, as JSON for the page's script."""
        dated = {kind: [*DATE_WORDS, DURING] for kind in ("date", "datetime")}
        return json.dumps({kind: [*ops, *dated.get(kind, [])] for kind, ops in BY_TYPE.items()})

    @property
    def children(self) -> list[tuple[str, str]]:
        """The related records that can be counted: (object.field, words)."""
        pairs = self.registry.references_to(self.item.name)
        return [(f"{child.name}.{field.name}", f"{child.plural} ({field.label})") for child, field in pairs]

    @property
    def child_fields(self) -> Grouped:
        """Short fields of each kind of related record, under its name."""
        found: Grouped = []
        for child in dict.fromkeys(child for child, _field in self.registry.references_to(self.item.name)):
            listed = [(f.name, f.label, child.name) for f in child.fields if f.type not in {"text", "id"}]
            found.append((child.plural, listed))
        return found

    @property
    def counts(self) -> list[tuple[str, str]]:
        said = {"at_least": _("at least"), "exactly": _("exactly"), "at_most": _("at most")}
        return [(op, said[op]) for op in COUNTS]

    @property
    def child_operators(self) -> list[tuple[str, str]]:
        return [(op, str(OPERATORS[op])) for op in CHILD_OPERATORS]


def field_choices(registry: Registry, item: ObjectDef) -> Grouped:
    """(heading, [(path, label, type)]) for a menu of fields that can be filtered and grouped."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for path in paths_from(registry, item):
        if path.filterable and not (path.steps and path.field.type == "id"):
            found.setdefault(path.step_label or item.label, []).append((path.path, path.field.label, path.field.type))
    return list(found.items())
