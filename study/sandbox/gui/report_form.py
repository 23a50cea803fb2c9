"""The form of the report builder: what its menus offer, what was typed, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from html import escape

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from study.sandbox.engine.daterange import WORDS
from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.registry import ObjectDef, Registry
from study.sandbox.gui.criteria import Criteria, Pairs
from study.sandbox.gui.fieldpaths import field_path
from study.sandbox.gui.measuring import FUNCTIONS, MOST_MEASURES, SIGNS, UNITS, choices, numbered, within_reach
from study.sandbox.gui.report_address import MOST_HAVING
from study.sandbox.gui.report_periods import COMPARISONS, GROUPINGS
from study.sandbox.gui.reporting import Report
from study.sandbox.gui.saved import kept_query, views_of
from study.sandbox.gui.terms import DATE_WORDS, DURING, IN_PERIOD, OPERATORS
from study.sandbox.models import SavedView

_PIECES = ("mk", "ms", "mn")
_MEASURE = ("m", "mf", "mk", "ms", "mn", "u", "mc", "mo", "mv")


@dataclass(frozen=True)
class Line:
    """One numbered line of the form: its values as typed, its messages, the address without it."""

    place: int
    values: dict[str, str]
    errors: dict[str, str]
    remove: str = ""
    menus: dict[str, SafeString] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        return {name: numbered(name, self.place) for name in self.values}

    @property
    def blank(self) -> bool:
        return not any(self.values.values())

    @property
    def error_id(self) -> str:
        return f"e-{next(iter(self.values))}-{self.place}"

    @property
    def function(self) -> str:
        return self.values.get("m") or ("count" if self.place == 1 or not self.blank else "")

    @property
    def unit(self) -> str:
        return self.values.get("u") or "days"


@dataclass
class ReportForm:
    """Everything the template of the builder needs."""

    report: Report

    @property
    def registry(self) -> Registry:
        return self.report.room.registry

    @property
    def item(self) -> ObjectDef:
        return self.report.item

    @property
    def errors(self) -> dict[str, str]:
        return self.report.asked.errors

    @property
    def untidy(self) -> bool:
        """Whether the form sent empty controls or a formula in pieces: the page moves to the short address."""
        given = self.report.given
        said = [key for key in given if key[:2] != "s." and key not in {"g", "v"}]
        return any("" in given.getlist(key) or key.rstrip("234") in _PIECES for key in said)

    def _lines(self, names: Iterable[str], most: int) -> list[Line]:
        """The lines that say something, and an empty one behind them while there is room."""
        listed = []
        for place in range(1, most + 1):
            values = {name: self.report.asked.value(numbered(name, place)) for name in names}
            wrong = {n: m for n in values if (m := self.errors.get(numbered(n, place)))}
            listed.append(Line(place, values, wrong, self._without(place)))
        said = [line for line in listed if not line.blank]
        free = next(
            (line for line in listed if line.blank and line.place > max((s.place for s in said), default=0)), None
        )
        return [*said, *([free] if free else [])]

    def _without(self, place: int) -> str:
        return self.report.address(drop=numbered("value", place)) if not self.errors else ""

    @cached_property
    def measures(self) -> list[Line]:
        lines = self._lines(_MEASURE, MOST_MEASURES)
        if lines[0].place != 1:
            lines.insert(0, Line(1, dict.fromkeys(_MEASURE, ""), {}))
        if len(lines) == 1 and lines[0].blank:
            lines.append(Line(2, dict.fromkeys(_MEASURE, ""), {}))
        return [self._with_menus(self._split(line)) for line in lines]

    def _with_menus(self, line: Line) -> Line:
        values = line.values
        menus = {
            "mf": self.measure_menu(values["mf"]),
            "ms": self.part_menu(values["ms"]),
            "mc": self.field_menu(values["mc"]),
            "mo": self.operator_menu(values["mo"]),
        }
        return replace(line, menus=menus)

    def _split(self, line: Line) -> Line:
        """A formula in the pieces of the form, unless the menu offers it whole."""
        over = next((c.over for c in self.report.asked.measures if c.place == line.place), None)
        if over is None:
            return line
        whole = {value for _head, listed in choices(self.registry, self.item) for value, _words, _type in listed}
        values = dict(line.values) | {"mf": over.text, "mk": "", "ms": "", "mn": ""}
        if over.sign and over.text not in whole:
            right = over.right
            values |= {"mf": over.left.path, "mk": over.sign}
            values |= {"mn": f"{right:g}"} if isinstance(right, int | float) else {"ms": over.paths[-1].path}
        return replace(line, values=values)

    @property
    def having(self) -> list[Line]:
        lines = self._lines(("hm", "ho", "hv"), MOST_HAVING)
        return [line for line in lines if line.values["hv"]] + [line for line in lines if not line.values["hv"]][:1]

    @cached_property
    def groups(self) -> dict[str, str]:
        """The fields of rows and columns as chosen, or as typed where that names none."""
        asked, rows = self.report.asked, self.report.asked.rows
        found = {"g": asked.value("g"), "g2": asked.value("g2"), "x": asked.value("x")}
        if rows and not self.errors:
            found |= {"g": rows[0].path.path, "g2": rows[1].path.path if rows[1:] else ""}
        elif rows and not asked.value("g"):
            found["g"] = rows[0].path.path
        return found

    @cached_property
    def group_menus(self) -> dict[str, SafeString]:
        return {name: self.field_menu(path) for name, path in self.groups.items()}

    @cached_property
    def chosen(self) -> dict[str, str]:
        """The periods of rows and columns."""
        return {name: self.report.asked.value(name) or "month" for name in ("by", "by2", "xby")}

    @property
    def group_problems(self) -> list[str]:
        return [self.errors[name] for name in ("g", "by", "g2", "by2", "x", "xby", "sort") if name in self.errors]

    @cached_property
    def kept(self) -> Pairs:
        """The parameters that no control of the form holds, for hidden ones; as they came where they make no sense."""
        asked = self.report.asked
        own = Criteria(asked.criteria.terms, (), "", asked.criteria.tree, asked.criteria.lately)
        pairs = own.pairs() if "c" not in self.errors else list(asked.sifted.sound)
        for name, default in (("chart", "auto"), ("sub", "1")):
            if (value := asked.value(name)) and value != default:
                pairs.append((name, value))
        return pairs

    @property
    def own_query(self) -> str:
        """The report as it is kept under a name."""
        return self.report.address().partition("?")[2]

    @cached_property
    def saved(self) -> SavedView | None:
        """The name this very report is kept under."""
        if self.errors:
            return None
        query = kept_query(self.own_query)
        views = views_of(self.report.room, SavedView.Kind.REPORT, self.item.name)
        return next((view for view in views if view.query == query), None)

    @property
    def sorts(self) -> list[tuple[str, str]]:
        asked = self.report.asked
        found = []
        for choice in asked.rows:
            found += [(choice.alias, _("in order of %(field)s") % {"field": choice.label})]
            found += [(f"-{choice.alias}", _("in reverse order of %(field)s") % {"field": choice.label})]
        for alias, words in asked.offered.items():
            said = {"measure": words}
            found.append((f"-{alias}", _("highest first: %(measure)s") % said))
            found.append((alias, _("lowest first: %(measure)s") % said))
        return found

    @property
    def sort(self) -> str:
        key, down = self.report.asked.sort
        return f"-{key}" if down else key

    @property
    def offered(self) -> list[tuple[str, str]]:
        return list(self.report.asked.offered.items())

    functions = FUNCTIONS
    units = UNITS
    signs = SIGNS
    comparisons = COMPARISONS

    def field_menu(self, chosen: str) -> SafeString:
        """The options of a menu of fields, one chosen."""
        return _chosen(_field_options(self.registry, self.item.name), self._worded(chosen), chosen)

    def measure_menu(self, chosen: str) -> SafeString:
        """The options of what can be measured, one chosen."""
        return _chosen(_measure_options(self.registry, self.item.name), self._worded(chosen), chosen)

    def part_menu(self, chosen: str) -> SafeString:
        """The options of the second part of a formula: dates and numbers."""
        return _chosen(_part_options(self.registry, self.item.name), self._worded(chosen), chosen)

    def operator_menu(self, chosen: str) -> SafeString:
        """Comparisons, then date words, one chosen."""
        return _chosen(_operator_options(get_language() or ""), chosen, chosen)

    @cached_property
    def period_menus(self) -> dict[str, SafeString]:
        options = _period_options(get_language() or "")
        return {name: _chosen(options, value, value) for name, value in self.chosen.items()}

    def _worded(self, path: str) -> str:
        try:
            return field_path(self.registry, self.item, path).label if path else ""
        except QueryError:
            return path


def _chosen(options: str, words: str, value: str) -> SafeString:
    """Options with one of them selected; one that is not offered stands before them, so that nothing is lost."""
    if not value:
        return mark_safe(options)
    mark = f'<option value="{escape(value)}"'
    if mark in options:
        return mark_safe(options.replace(mark, f"{mark} selected", 1))
    return format_html('<option value="{}" selected>{}</option>', value, words) + mark_safe(options)


def _options(groups: list[tuple[str, list[tuple[str, str, str]]]]) -> str:
    parts = []
    for heading, listed in groups:
        inner = "".join(
            f'<option value="{escape(value)}" data-type="{kind}">{escape(words)}</option>'
            for value, words, kind in listed
        )
        parts.append(f'<optgroup label="{escape(heading)}">{inner}</optgroup>')
    return "".join(parts)


# Menus hold hundreds of fields and are the same each time: they are written once per object.
@lru_cache(maxsize=256)
def _field_options(registry: Registry, name: str) -> str:
    return _options(_by_way(registry, registry.object(name), frozenset()))


@lru_cache(maxsize=256)
def _measure_options(registry: Registry, name: str) -> str:
    return _options(choices(registry, registry.object(name)))


@lru_cache(maxsize=256)
def _part_options(registry: Registry, name: str) -> str:
    return _options(_by_way(registry, registry.object(name), frozenset({"number", "integer", "date", "datetime"})))


@lru_cache(maxsize=16)
def _operator_options(_language: str) -> str:
    plain = [(op, str(words), "") for op, words in OPERATORS.items()]
    dated = [(op, str(words), "n" if WORDS[op] else "") for op, words in DATE_WORDS.items()]
    return _options(
        [
            (_("Compare"), plain),
            (_("Dates, counted from today"), dated),
            (_("Calendar"), [(DURING, str(IN_PERIOD), "p")]),
        ]
    )


@lru_cache(maxsize=16)
def _period_options(_language: str) -> str:
    return "".join(f'<option value="{by}">{escape(str(words))}</option>' for by, words in GROUPINGS.items())


def _by_way(registry: Registry, item: ObjectDef, types: frozenset[str]) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """Own fields first, then one heading per lookup."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for path in within_reach(registry, item):
        if not types or path.field.type in types:
            words = path.field.label
            found.setdefault(path.step_label or item.label, []).append((path.path, words, path.field.type))
    return list(found.items())
