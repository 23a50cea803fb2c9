"""A small chart above a list: how many of its records have each value of one picklist."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from study.sandbox.engine.errors import INVALID_FIELD, QueryError
from study.sandbox.engine.queryspec import Group, Measure, Order, QuerySpec
from study.sandbox.gui.charting import Point, chart_svg
from study.sandbox.gui.facets import facet_paths
from study.sandbox.gui.fieldpaths import FieldPath, field_path
from study.sandbox.gui.home import flow_field
from study.sandbox.gui.listing import ListView
from study.sandbox.gui.presenting import number_words

BARS = 12


@dataclass(frozen=True)
class ListChart:
    """The chart an address asks for with ``chart=<field>``."""

    view: ListView

    @cached_property
    def offered(self) -> list[FieldPath]:
        """The picklists a chart can be drawn of."""
        found = facet_paths(self.view.room.registry, self.view.item)
        flow = flow_field(self.view.item)
        if flow and flow.name not in [path.path for path in found]:
            found.insert(0, FieldPath(flow.name, flow, self.view.item))
        return [path for path in found if path.field.type == "picklist"]

    @cached_property
    def path(self) -> FieldPath | None:
        """The picklist that is drawn, if any."""
        asked = self.view.given.get("chart", "") or ""
        if not asked:
            return None
        path = field_path(self.view.room.registry, self.view.item, asked)
        if path.field.type not in {"picklist", "boolean"}:
            message = _("%(field)s has no short list of values to draw.") % {"field": path.label}
            raise QueryError(INVALID_FIELD, message, path.path)
        return path

    @property
    def switch(self) -> str:
        """The address that shows the chart, or puts it away."""
        if self.path:
            return self.view.address(chart="", page=self.view.page)
        return self.view.address(chart=self.offered[0].path, page=self.view.page) if self.offered else ""

    @property
    def choices(self) -> list[tuple[str, str, bool]]:
        """Other picklists to draw: (address, words, drawn now)."""
        return [(self.view.address(chart=p.path), p.label, p == self.path) for p in self.offered]

    @cached_property
    def svg(self) -> SafeString:
        """The drawing; the counts are beside its bars, and in the filter panel as text."""
        if self.path is None:
            return SafeString("")
        spec = QuerySpec(
            self.view.item.name,
            where=self.view.criteria.where(),
            match=self.view.criteria.match,
            groups=(Group(self.path.path, alias="value"),),
            measures=(Measure("count", alias="n"),),
            order=(Order("n", descending=True),),
            limit=BARS,
        )
        rows = self.view.room.run(spec).rows
        points = [Point(self._words(value), (float(n),), number_words(int(n))) for value, n in rows]
        title = _("%(plural)s by %(field)s") % {"plural": self.view.item.plural, "field": self.path.label}
        return mark_safe(chart_svg("bar", title, points))

    def _words(self, value: object) -> str:
        if isinstance(value, bool):
            return _("Yes") if value else _("No")
        return str(value) if value else _("Empty")
