"""Queries with aggregates: groups, measures, conditions on them and their order."""

from __future__ import annotations

from study.sandbox.engine.errors import MALFORMED_QUERY
from study.sandbox.engine.queryspec import Group, HavingCondition, Measure, Order, QuerySpec
from study.sandbox.soql.conditions import groups_condition, rows_condition
from study.sandbox.soql.errors import fault
from study.sandbox.soql.functions import Aggregate, Meant, Part, comparable, meaning
from study.sandbox.soql.names import Named, Names
from study.sandbox.soql.nodes import Call, Child, Operand, Path, Query, SortKey


class Groups:
    """What a grouped query shows and needs: its groups, its measures, and what each is called."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.groups: list[Group] = []
        self.measures: list[Measure] = []
        self.aliases: dict[str, str] = {}
        self._hidden = 0

    def group(self, operand: Operand) -> None:
        meant = meaning(self.names, operand)
        if isinstance(meant, Aggregate):
            raise fault(f"Rows are grouped by fields and dates, not by {meant.name}.", meant.at)
        comparable(meant, "grouped", MALFORMED_QUERY)
        group = _as_group(meant)
        if group not in self.groups:
            self.groups.append(group)

    def show(self, operand: Operand, alias: str, automatic: str) -> str:
        """Takes up one column of the SELECT; the name it has in the answer."""
        meant = meaning(self.names, operand)
        if not isinstance(meant, Aggregate):
            return self._shown_group(meant, alias)
        if meant.field is None:
            raise fault("COUNT() stands alone; with other columns or GROUP BY write COUNT(Id).", meant.at)
        name = alias or automatic
        self._add(_measure(meant, name), meant.at)
        return name

    def _shown_group(self, meant: Named | Part, alias: str) -> str:
        wanted = _as_group(meant)
        for group in self.groups:
            if (group.field, group.by) == (wanted.field, wanted.by):
                return group.column
        what = meant.path if isinstance(meant, Named) else meant.field.path
        raise fault(f"{what} must be grouped, or be inside an aggregate such as MAX().", meant.at)

    def _add(self, measure: Measure, at: int) -> None:
        taken = {one.column.casefold() for one in self.groups} | {one.column.casefold() for one in self.measures}
        if measure.alias.casefold() in taken:
            raise fault(f"Two columns are called {measure.alias}.", at)
        self.measures.append(measure)

    def called(self, meant: Meant) -> str:
        """The engine's name of an aggregate or group; an aggregate that is not shown is worked out unseen."""
        if not isinstance(meant, Aggregate):
            return self._shown_group(meant, "")
        for measure in self.measures:
            field = meant.field.path if meant.field else None
            if (measure.fn, measure.field) == (meant.fn, field):
                return measure.column
        self._hidden += 1
        self._add(_measure(meant, f"~{self._hidden}"), meant.at)
        return f"~{self._hidden}"

    def sorted_by(self, key: SortKey) -> Order:
        nulls = "last" if key.last else "first"
        if isinstance(key.operand, Path) and (name := self.aliases.get(key.operand.text.casefold())):
            return Order(name, key.descending, nulls)
        return Order(self.called(meaning(self.names, key.operand)), key.descending, nulls)


def _as_group(meant: Named | Part) -> Group:
    return Group(meant.path) if isinstance(meant, Named) else Group(meant.field.path, meant.by)


def _measure(meant: Aggregate, alias: str) -> Measure:
    return Measure(meant.fn, meant.field.path if meant.field else None, alias)


def grouped_spec(names: Names, query: Query) -> tuple[QuerySpec, tuple[tuple[str, str], ...]]:
    """The spec of a query with aggregates, and (shown name, name in the answer) for each column of its SELECT."""
    groups = Groups(names)
    for operand in query.groups:
        groups.group(operand)
    shown: list[tuple[str, str]] = []
    unnamed = 0
    for column in query.columns:
        if isinstance(column, Child):
            raise fault("A query with groups has no subquery among its columns.", column.at)
        automatic = f"expr{unnamed}"
        inside = groups.show(column.operand, column.alias, automatic)
        name = column.alias or (automatic if _counts_as_expression(names, column.operand) else inside)
        unnamed += name == automatic
        if name.casefold() in {one.casefold() for one, _ in shown}:
            raise fault(f"Two columns are called {name}.", column.at)
        groups.aliases[name.casefold()] = inside
        shown.append((name, inside))
    having = groups_condition(names, query.having, groups.called)
    order = tuple(groups.sorted_by(key) for key in query.order)
    conditions: tuple[HavingCondition, ...] | None = None if having is None else (having,)  # type: ignore[assignment]
    spec = QuerySpec(
        names.item.name,
        where=rows_condition(names, query.where),
        groups=tuple(groups.groups),
        measures=tuple(groups.measures),
        having=conditions,
        order=order,
    )
    return spec, tuple(shown)


def _counts_as_expression(names: Names, operand: Operand) -> bool:
    """Whether an unnamed column is called expr0, expr1 and so on: aggregates and date functions are."""
    return isinstance(operand, Call) and not isinstance(meaning(names, operand), Named)
