"""How a report's table is laid out: heads that sort, lines with subtotals and totals, pages, notes, ways on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from study.sandbox.gui.presenting import icon, number_words
from study.sandbox.gui.report_chart import KINDS, ReportChart
from study.sandbox.gui.report_matrix import MatrixReport
from study.sandbox.gui.report_rows import ROW, SUBTOTAL, Cell, Name, Row
from study.sandbox.gui.reporting import MOST_GROUPS, MOST_IN_BLOCKS, Report


@dataclass(frozen=True)
class Head:
    """A column's head: its words, the address that sorts by it, how it is sorted now."""

    label: str
    url: str = ""
    sort: SafeString = SafeString("")  # noqa: RUF009
    arrow: SafeString = SafeString("")  # noqa: RUF009
    ids: bool = False


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

    @property
    def body(self) -> SafeString:
        """The lines of the table. Written here, not by a template: a matrix has thousands of cells."""
        rows = list(self.report.body)
        if self.report.groups_of_rows and rows:
            rows += self.report.totals
        return mark_safe("".join(self._line(row) for row in rows))

    def _line(self, row: Row) -> str:
        css = f' class="{row.kind}"' if row.kind != ROW else ""
        place = self.report.sorted_place
        across = "".join(_cell(cell, _across_css(cell)) for cell in row.across)
        whole = "r-al whole" if row.across else "r-al"
        cells = enumerate([row.count, *row.cells])
        numbers = "".join(_cell(cell, whole, level=row.level and at == place) for at, cell in cells)
        return f"<tr{css}>{self._names(row)}{across}{numbers}</tr>"

    def _names(self, row: Row) -> str:
        """The names of the groups; that of a subtotal or total spans the columns of the groups it adds up."""
        parts = [self._name(name, place) for place, name in enumerate(row.names)]
        left = self.with_ids[len(row.names) :]
        if left or not parts:
            span = max(1, len(left) + sum(left))
            stuck = " stuck" if not parts else ""
            parts.append(f'<th scope="row" colspan="{span}" class="lead{stuck}">{escape(self._total_words(row))}</th>')
        return "".join(parts)

    def _name(self, name: Name, place: int) -> str:
        css = f"lead{' again' if name.again else ''}{' stuck' if not place else ''}"
        ident = f'<td class="ident">{name.ident}</td>' if self.with_ids[place] else ""
        return f'<th scope="row" class="{css}">{name.html}</th>{ident}'

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


def _across_css(cell: Cell) -> str:
    heat = f" heat-{cell.heat}" if cell.heat else ""
    return f"r-al{heat}{'' if cell.url else ' nil'}"


def _cell(cell: Cell, css: str, *, level: bool = False) -> str:
    """A number that leads to its records, its exact value in the tooltip; marked where its neighbour has the same."""
    title = f' title="{escape(cell.exact)}"' if cell.exact else ""
    inner = f'<a href="{escape(cell.url)}">{cell.html}</a>' if cell.url else cell.html
    return f'<td class="{css}"{title}>{_level_mark() if level else ""}{inner}</td>'


def _level_mark() -> str:
    words, spoken = _("Level with the row before or after"), _("level with its neighbour:")
    return f'<span class="level" title="{words}">=<span class="visually-hidden"> {spoken}</span></span>'


def title_of(report: Report) -> str:
    """What is counted and by what: "Cases by Owner", "Cases by Issue and Created month"."""
    asked, plural = report.asked, report.item.plural
    if asked.errors:
        return plural
    if not asked.rows:
        return _("%(plural)s, all together") % {"plural": plural}
    groups = _(", then ").join(choice.in_title for choice in asked.rows)
    if asked.across:
        groups = _("%(rows)s and %(columns)s") % {"rows": groups, "columns": asked.across.in_title}
    return _("%(plural)s by %(groups)s") % {"plural": plural, "groups": groups}
