"""What a report draws: which chart fits, and the points of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.sandbox.engine.daterange import add_months
from study.sandbox.gui.charting import PARTS, Point, chart_svg, with_rest
from study.sandbox.gui.presenting import number_words
from study.sandbox.gui.report_matrix import MatrixReport
from study.sandbox.gui.report_periods import IN_A_ROW, said
from study.sandbox.gui.report_rows import Row
from study.sandbox.gui.reporting import Report

KINDS = {
    "auto": gettext_lazy("Chart that fits"),
    "bar": gettext_lazy("Bars"),
    "line": gettext_lazy("Line"),
    "donut": gettext_lazy("Donut"),
    "none": gettext_lazy("No chart"),
}
BARS = 20
MOST_ON_A_LINE = 400


@dataclass
class ReportChart:
    """The chart beside a report's table."""

    report: Report

    @cached_property
    def rows(self) -> list[Row]:
        return self.report.rows

    @property
    def alias(self) -> str:
        return self.report.asked.cell if isinstance(self.report, MatrixReport) else self.report.asked.first_number

    @property
    def fn(self) -> str:
        choice = next((choice for choice in self.report.asked.measures if choice.alias == self.alias), None)
        return choice.fn if choice else "count"

    @property
    def additive(self) -> bool:
        return self.fn in {"count", "sum"}

    @cached_property
    def kind(self) -> str:
        """The chart that was chosen, or the one that fits; "none" where nothing can be drawn."""
        asked, report = self.report.asked.chart, self.report
        first = report.first_group
        if asked == "none" or first is None or not self.rows or report.splits:
            return "none"
        if not any(isinstance(self._value(row), int | float) for row in self.rows):
            return "none"
        if asked == "auto":
            return "line" if self._runs_on and len(self.rows) > 2 else "bar"
        if asked == "line" and not self._runs_on:
            return "bar"
        if asked == "donut" and (not self.additive or isinstance(report, MatrixReport)):
            return "bar"
        return asked

    @property
    def _runs_on(self) -> bool:
        first = self.report.first_group
        return first is not None and first.by in IN_A_ROW and len(self.report.groups_of_rows) == 1

    @property
    def remark(self) -> str:
        """What the chart leaves out, or why another one was asked for than is shown."""
        asked, said = self.report.asked.chart, []
        if self.report.splits:
            return _("No chart: amounts of several currencies are not drawn on one scale.")
        if asked == "line" and self.kind == "bar":
            said.append(_("A line needs one group of dates that run on, such as months; these are bars."))
        if asked == "donut" and self.kind == "bar":
            said.append(_("A donut shows the parts of one count or sum; these are bars."))
        if self.kind == "bar" and self.report.groups > min(BARS, len(self.rows)):
            words = _("The first %(n)s of %(all)s rows.")
            said.append(words % {"n": min(BARS, len(self.rows)), "all": number_words(self.report.groups)})
        if self.kind == "donut" and self._parts_left:
            said.append(self._parts_left)
        if self.kind == "line" and (empty := [row for row in self.rows if row.raw[0] is None]):
            said.append(_("%(n)s without a date are not on the line.") % {"n": number_words(empty[0].n)})
        if (names := self._series) and len(self._all_series) > len(names):
            words = _("The first %(n)s of %(all)s columns.")
            said.append(words % {"n": len(names), "all": len(self._all_series)})
        return " ".join(said)

    @property
    def _parts_left(self) -> str:
        ranked = sorted((p for p in self._points if p.value > 0), key=lambda point: -point.value)
        left = [point.label for point in ranked[PARTS - 1 :]]
        if len(ranked) <= PARTS:
            return ""
        names = ", ".join(left[:12]) + (", …" if len(left) > 12 else "")
        return _("Other is %(n)s rows: %(names)s.") % {"n": len(left), "names": names}

    @cached_property
    def svg(self) -> SafeString:
        if self.kind == "none":
            return SafeString("")
        title = f"{self.report.heading}, {', '.join(choice.label for choice in self.report.asked.rows)}"
        points = self._points
        if self.kind == "donut":
            points = with_rest(points, _("Other"))
        elif self.kind == "bar":
            points = points[:BARS]
        return mark_safe(chart_svg(self.kind, title, points, self._series, stacked=self.additive))

    @cached_property
    def _all_series(self) -> list[str]:
        return [name.plain for name in self.report.columns] if isinstance(self.report, MatrixReport) else []

    @property
    def _series(self) -> list[str]:
        return self._all_series[: PARTS if self.additive else 4]

    @cached_property
    def _points(self) -> list[Point]:
        if self.kind == "line":
            return self._line
        return [self._point(row) for row in self.rows]

    def _point(self, row: Row) -> Point:
        return Point(self._label(row), self._values(row), self._words(row))

    def _label(self, row: Row) -> str:
        """The name of a row; of two records that are called alike, with the end of its Id."""
        ids = [str(raw)[-6:] for raw, name in zip(row.raw, row.names, strict=False) if name.ident]
        return f"{row.plain} …{' '.join(ids)}" if ids and self._alike[row.plain] > 1 else row.plain

    @cached_property
    def _alike(self) -> Counter[str]:
        return Counter(row.plain for row in self.rows)

    def _values(self, row: Row) -> tuple[float | None, ...]:
        if isinstance(self.report, MatrixReport):
            nothing = 0.0 if self.additive else None
            values = (_number(value) for value in self.report.values_across(row)[: len(self._series)])
            return tuple(nothing if value is None else value for value in values)
        return (_number(self._value(row)),)

    def _words(self, row: Row) -> str:
        return str(row.value) if not isinstance(self.report, MatrixReport) else ""

    def _value(self, row: Row) -> object:
        depth = len(self.report.groups_of_rows)
        listed = list(self.report.asked.offered)
        return row.raw[depth + listed.index(self.alias)]

    @property
    def _line(self) -> list[Point]:
        """The periods in their order; those without a record stand there too, with nothing, or with 0 if counted."""
        by = self.report.asked.rows[0].by
        rows = {row.raw[0]: row for row in self.rows if row.raw[0] is not None}
        periods = _filled(by, sorted(rows))
        nothing = (0.0 if self.additive else None,) * max(1, len(self._series))
        return [self._point(rows[p]) if p in rows else Point(said(by, p), nothing, "0") for p in periods]


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _filled(by: str, found: list[object]) -> list[object]:
    """All periods from the first to the last found, while they are not too many."""
    if not found:
        return found
    filled: list[object] = [found[0]]
    while filled[-1] != found[-1]:
        following = _next(by, filled[-1])
        if following is None or len(filled) >= MOST_ON_A_LINE:
            return found
        filled.append(following)
    return filled


def _next(by: str, period: object) -> object:
    if isinstance(period, int):
        return period + 1
    if isinstance(period, date):
        return period + timedelta(days=7 if by == "week" else 1)
    year, _dash, rest = str(period).partition("-")
    if by == "quarter":
        return f"{year}-Q{int(rest[1:]) + 1}" if rest[1:] != "4" else f"{int(year) + 1:04d}-Q1"
    if by == "month":
        return add_months(date(int(year), int(rest), 1), 1).isoformat()[:7]
    return None
