"""Choosing a field step by step: the fields of an object, then those behind each of its lookups, up to three steps.

Menus hold what lies near; with 27 objects the rest would be hundreds of lines on every page, so the next
step is asked for when somebody takes it. Every entry is a link to a page, so no script is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from study.sandbox.engine.errors import INVALID_FIELD, QueryError
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.gui.fieldpaths import FieldPath, Step, field_path, fields_at
from study.sandbox.gui.rooms import Room

# Parameter of the page -> what the field is chosen for; a condition's field waits in ``pick`` for its value.
PURPOSES = {"c": "pick", "col": "col", "g": "g", "g2": "g2", "gx": "gx", "mf": "mf"}
_OWN = frozenset({"from", "for", "to", "page"})


@dataclass(frozen=True)
class Choice:
    """A field that can be chosen, and the page it leads to."""

    path: FieldPath
    url: str


@dataclass(frozen=True)
class FieldChooser:
    """The fields at one step of the way, for the list or report that is being made."""

    room: Room
    item: ObjectDef
    given: QueryDict

    @property
    def way(self) -> str:
        return self.given.get("from", "")

    @cached_property
    def purpose(self) -> str:
        asked = self.given.get("for", "") or "c"
        if asked not in PURPOSES:
            raise QueryError(
                INVALID_FIELD, _("A field is chosen for a condition, a column, a group or a measure."), "for"
            )
        return asked

    @property
    def base(self) -> str:
        """The list or report the choice leads back to."""
        report = self.given.get("to", "") == "report"
        return self.room.report_url(self.item.name) if report else self.room.list_url(self.item.name)

    @property
    def state(self) -> list[tuple[str, str]]:
        """The parameters of that page as they are."""
        return [(name, value) for name, values in self.given.lists() if name not in _OWN for value in values]

    @cached_property
    def _here(self) -> tuple[list[FieldPath], list[tuple[str, Step]]]:
        return fields_at(self.room.registry, self.item, self.way)

    @property
    def choices(self) -> list[Choice]:
        """The fields one can choose here; long texts only as columns."""
        found, _onward = self._here
        fitting = [p for p in found if p.filterable or self.purpose == "col"]
        return [Choice(path, self._chosen(path)) for path in fitting]

    def _chosen(self, path: FieldPath) -> str:
        name = PURPOSES[self.purpose]
        kept = [pair for pair in self.state if pair[0] != name or name == "col"]
        return self.room.address(self.base, [*kept, (name, path.path)])

    @property
    def onward(self) -> list[tuple[str, Step]]:
        """The lookups that lead on, with the page of their fields."""
        return [(self._page(way), step) for way, step in self._here[1]]

    @property
    def trail(self) -> list[tuple[str, str]]:
        """The way so far, each step with its page: (address, words)."""
        steps = self.way.split(".") if self.way else []
        found = [(self._page(""), self.item.label)]
        if steps:
            labels = field_path(self.room.registry, self.item, f"{self.way}.Id").steps
            ways = [".".join(steps[: place + 1]) for place in range(len(steps))]
            found += [(self._page(way), label) for way, label in zip(ways, labels, strict=True)]
        return found

    def _page(self, way: str) -> str:
        own = [(name, self.given.get(name, "")) for name in ("for", "to") if self.given.get(name)]
        return fields_address(self.room, self.item, [*self.state, *own], way)


def fields_address(room: Room, item: ObjectDef, pairs: list[tuple[str, str]], way: str = "") -> str:
    base = reverse("crm_fields", args=[room.desk.code, item.name])
    return room.address(base, [*pairs, *([("from", way)] if way else [])])
