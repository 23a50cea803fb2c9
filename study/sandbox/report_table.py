"""How a report's table is laid out: heads that sort, lines with subtotals and totals, pages, notes, ways on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from study.sandbox.presenting import icon, number_words
from study.sandbox.report_chart import KINDS, ReportChart
from study.sandbox.report_matrix import MatrixReport
from study.sandbox.report_rows import ROW, SUBTOTAL, Cell, Name, Row
from study.sandbox.reporting import MOST_GROUPS, MOST_IN_BLOCKS, Report


@dataclass(frozen=True)
class Head:
    """A column's head: its words, the address that sorts by it, how it is sorted now."""

    label: str
    url: str = ""
    sort: SafeString = SafeString("")  # noqa: RUF009
    arrow: SafeString = SafeString("")  # noqa: RUF009
    ids: bool = False


@dataclass(frozen=True)
class LaidName:
    """The name of a group in its place: how many columns it spans, whether an Id stands beside it."""

    html: SafeString
    ident: SafeString
    ids: bool
    span: int
    again: bool


@dataclass(frozen=True)
class LaidCell:
    """A number in its place; ``level`` with its neighbour where the rows are sorted by it."""

    html: SafeString
    exact: str
    url: str
    level: bool


@dataclass(frozen=True)
class Line:
    """A line of the table, ready to be written."""

    kind: str
    names: list[LaidName]
    across: tuple[Cell, ...]
    numbers: list[LaidCell]


@dataclass
class ReportTable:
    """The table of one report, and what stands around it."""

    report: Report
    chart: ReportChart

    @property
    def title(self) -> str:
        return title_of(self.report)

    @property
    def per(self) -> str:
        """What the chart's bars are, beside its measure."""
        return _("per %(rows)s") % {"rows": " › ".join(choice.label for choice in self.report.asked.rows)}

    # -- heads ---------------------------------------------------------------------------------------------------

    def _head(self, alias: str, label: str, *, number: bool = False, ids: bool = False) -> Head:
        key, down = self.report.asked.sort
        now = key == alias
        # Numbers begin with the highest, names with the first.
        following = (not down) if now else number
        url = self.report.address(sort=f"-{alias}" if following else alias)
        if not now:
            return Head(label, url, ids=ids)
        sort = SafeString(f' aria-sort="{"descending" if down else "ascending"}"')
        return Head(label, url, sort, icon("arrow-down" if down else "arrow-up", 12), ids)

    @cached_property
    def with_ids(self) -> list[bool]:
        """Which groups show Ids: those that are records."""
        rows = self.report.rows
        return [any(row.names[place].ident for row in rows) for place in range(len(self.report.groups_of_rows))]

    @property
    def group_heads(self) -> list[Head]:
        if not self.report.groups_of_rows:
            return [Head(_("Rows"))]
        heads = []
        for place, choice in enumerate(self.report.groups_of_rows):
            ids = self.with_ids[place]
            split = choice in self.report.splits
            heads.append(Head(choice.label, ids=ids) if split else self._head(choice.alias, choice.label, ids=ids))
        return heads

    @property
    def number_heads(self) -> list[Head]:
        found = [self._head("n", self.report.item.plural, number=True)]
        for choice in self.report.asked.measures:
            found.append(self._head(choice.alias, self.report.head(choice.alias), number=True))
        return found

    # -- lines ---------------------------------------------------------------------------------------------------

    @cached_property
    def lines(self) -> list[Line]:
        rows = list(self.report.body)
        totals = self.report.totals
        if self.report.groups_of_rows and rows:
            rows += totals
        return [self._line(row) for row in rows]

    def _line(self, row: Row) -> Line:
        if row.kind == ROW and row.names:
            names = [self._name(name, place) for place, name in enumerate(row.names)]
        else:
            names = self._spread(row)
        place = self.report.sorted_place
        cells = [row.count, *row.cells]
        numbers = [LaidCell(c.html, c.exact, c.url, row.level and at == place) for at, c in enumerate(cells)]
        return Line(row.kind, names, row.across, numbers)

    def _name(self, name: Name, place: int) -> LaidName:
        return LaidName(name.html, name.ident, self.with_ids[place], 1, name.again)

    def _spread(self, row: Row) -> list[LaidName]:
        """The name of a subtotal or total, over the columns of the groups it adds up."""
        named = [self._name(name, place) for place, name in enumerate(row.names)]
        left = self.with_ids[len(row.names) :]
        span = len(left) + sum(left)
        said = self._total_words(row)
        if span:
            return [*named, LaidName(SafeString(said), SafeString(""), False, span, False)]
        return named or [LaidName(SafeString(said), SafeString(""), False, 1, False)]

    def _total_words(self, row: Row) -> str:
        if row.kind == SUBTOTAL:
            return _("Subtotal")
        if not self.report.groups_of_rows:
            return _("All together")
        if self.report.asked.having:
            return _("All, also of rows left out")
        return _("All")

    # -- pages ---------------------------------------------------------------------------------------------------

    @property
    def pages(self) -> int:
        return -(-self.report.groups // MOST_GROUPS)

    @property
    def first(self) -> int:
        return (self.report.asked.page - 1) * MOST_GROUPS + 1

    @property
    def last(self) -> int:
        return self.first + len(self.report.rows) - 1

    def _page(self, number: int) -> str:
        return self.report.address(page=str(number))

    @property
    def first_page(self) -> str:
        return self._page(1)

    @property
    def earlier(self) -> str:
        page = self.report.asked.page
        return self._page(min(page - 1, self.pages)) if page > 1 else ""

    @property
    def later(self) -> str:
        page = self.report.asked.page
        return self._page(page + 1) if page < self.pages else ""

    # -- notes and ways on ---------------------------------------------------------------------------------------

    @property
    def notes(self) -> list[str]:
        """What one must know to read the numbers."""
        report, said = self.report, []
        if report.splits:
            paths = ", ".join(choice.label for choice in report.splits)
            words = _("Amounts are in several currencies (%(field)s): they stand apart and are never added up.")
            said.append(words % {"field": paths})
        if days := report.part_window:
            words = _("The first and last may be parts: the window runs %(days)s.")
            said.append(words % {"days": days})
        if report.dated:
            said.append(_("Days, months and hours are those of %(zone)s.") % {"zone": report.room.registry.zone})
        if report.wants_blocks and not report.in_blocks:
            words = _("There are more than %(most)s rows, so they stand without subtotals.")
            said.append(words % {"most": number_words(MOST_IN_BLOCKS)})
        if any(choice.fn == "share" for choice in report.asked.measures):
            said.append(_("A share is the part of the row's records that fit its condition."))
        return [*said, *self._matrix_notes()]

    def _matrix_notes(self) -> list[str]:
        report = self.report
        if not isinstance(report, MatrixReport):
            return []
        shown, there = len(report.columns), report.columns_in_all
        if there > shown:
            words = _("%(shown)s of %(all)s columns are shown; the last ones hold all of them.")
            return [words % {"shown": shown, "all": number_words(there)}]
        said = _("%(n)s columns.") % {"n": number_words(there)} if there > 6 else ""
        return [said] if said else []

    @property
    def subtotals_switch(self) -> tuple[str, str]:
        """Words and address that show or hide subtotals; empty where there are none to be had."""
        report = self.report
        if len(report.asked.rows) < 2 or report.asked.across:
            return "", ""
        if report.asked.subtotals:
            return _("Without subtotals"), report.address(sub="0")
        return _("With subtotals"), report.address(sub="1")

    @property
    def chart_links(self) -> Sequence[tuple[str, str, str]]:
        """(kind, words, address) of the charts to choose from."""
        return [(kind, str(words), self.report.address(chart=kind)) for kind, words in KINDS.items() if kind != "auto"]


def title_of(report: Report) -> str:
    """What the rows are: "Issue by Created, by month"."""
    asked = report.asked
    if asked.errors:
        return report.item.plural
    rows = " › ".join(choice.label for choice in asked.rows) or _("All together")
    if asked.across is None:
        return rows
    return _("%(rows)s by %(columns)s") % {"rows": rows, "columns": asked.across.label}
