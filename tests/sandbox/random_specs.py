"""Queries drawn at random, the same ones for the same seed, with every part a query can have."""

from __future__ import annotations

from datetime import UTC, date, datetime
from random import Random
from typing import Any

from study.sandbox.engine.formulas import PARTS, PERIODS
from study.sandbox.engine.queryspec import (
    And,
    ChildRows,
    Compare,
    CompareFormula,
    DateRange,
    Difference,
    Group,
    Having,
    InQuery,
    Measure,
    Not,
    Or,
    Order,
    Period,
    Product,
    QuerySpec,
    Quotient,
    Related,
)
from tests.sandbox.small_org import EDGES, ISSUES, LAST_NAMES, STATES, TODAY

PLAIN = ["eq", "ne", "lt", "le", "gt", "ge"]
TEXTS = [*LAST_NAMES, *STATES[:2], "zoe", "fred", "il", "closed", "New", "High", "LOW", "o", "%", "_", "'", "ss",
         *ISSUES, "call back", "ecrire", "owner assignment", "tent 5", "Activated"]  # fmt: skip
PATTERNS = ["%o'd%", "%a_b%", "%\\%%", "_all%", "%e", "%ß%", "Á%", "t%t _", "%"]
DAYS = [date(2024, 1, 31), date(2024, 2, 1), date(2024, 2, 29), TODAY, date(1969, 12, 31), date(2023, 9, 3),
        date(2024, 3, 10), date(2023, 11, 5), date(2024, 1, 1)]  # fmt: skip
WORDS = [DateRange(word) for word in ("today", "this_month", "last_month", "next_month", "this_year", "last_year",
         "this_week", "this_fiscal_year", "last_fiscal_quarter")]  # fmt: skip
WORDS += [DateRange(word, n) for word, n in (("last_n_months", 4), ("n_months_ago", 2), ("last_n_weeks", 9),
          ("last_n_days", 45), ("past_quarters", 2), ("next_n_days", 30))]  # fmt: skip
MOMENTS = [*EDGES, datetime(2023, 8, 1, tzinfo=UTC), datetime(2024, 3, 10, 7, tzinfo=UTC)]
NUMBERS: list[Any] = [0, 1, 7, 9.5, 70, -3, 2, 0.25, "14"]
MONTHS = ["March", "february", 1, 7, "December"]

# What there is to draw from: paths by kind, and the children of each object with their lookup.
PATHS: dict[str, dict[str, list[str]]] = {
    "Case": {
        "text": ["Subject", "Status", "Priority", "Account.Name", "Account.ShippingState", "Issue.Name", "Owner.Alias",
                 "OrderItemId__c.Product2.Name", "OrderItemId__c.Order.Account.LastName"],
        "number": ["OrderItemId__c.UnitPrice", "Account.NumberOfEmployees", "OrderItem.Quantity"],
        "time": ["CreatedDate", "ClosedDate"], "day": ["OrderItem.Order.EffectiveDate"],
        "flag": ["OrderItem.Product2.IsActive"], "id": ["OwnerId", "AccountId", "OrderItem.Product2Id"],
    },
    "Task": {
        "text": ["Subject", "What.Name", "What.Status", "What:Case.Subject", "What:Order.Status", "Owner.Name",
                 "What:Case.Account.ShippingState", "What.Account.Name"],
        "number": ["Hours__c", "Rank__c", "What.NumberOfEmployees"],
        "time": ["What.CreatedDate", "What:Case.ClosedDate"], "day": ["Due__c", "What.EffectiveDate"],
        "flag": ["Done__c", "What:Product2.IsActive"], "id": ["WhatId", "OwnerId", "What.OwnerId"],
    },
    "Account": {
        "text": ["Name", "LastName", "ShippingState", "FirstName"], "number": ["NumberOfEmployees"], "time": [],
        "day": [], "flag": [], "id": ["Id"],
    },
    "Order": {
        "text": ["Status", "Account.Name", "Owner.LastName"], "number": ["Account.NumberOfEmployees"], "time": [],
        "day": ["EffectiveDate"], "flag": [], "id": ["AccountId", "OwnerId"],
    },
    "OrderItem": {
        "text": ["Order.Status", "Product2.Name"], "number": ["UnitPrice", "Quantity"], "time": [],
        "day": ["Order.EffectiveDate"], "flag": ["Product2.IsActive"], "id": ["OrderId", "Product2Id"],
    },
    "CaseHistory__c": {
        "text": ["Field__c", "Case.Status", "Case.Account.Name"], "number": [], "time": ["CreatedDate"], "day": [],
        "flag": [], "id": ["CaseId__c", "NewValue__c", "OldValue__c"],
    },
    "User": {"text": ["Name", "Alias"], "number": [], "time": [], "day": [], "flag": [], "id": ["Id"]},
}  # fmt: skip
CHILDREN = {
    "Case": [("CaseHistory__c", "CaseId__c"), ("Task", "WhatId")], "Task": [],
    "Account": [("Case", "AccountId"), ("Order", "AccountId"), ("Task", "WhatId")],
    "Order": [("OrderItem", "OrderId"), ("Task", "WhatId")], "OrderItem": [("Case", "OrderItemId__c")],
    "CaseHistory__c": [], "User": [("Case", "OwnerId"), ("Task", "OwnerId")],
}  # fmt: skip
IN_QUERIES = {
    "Case": [("AccountId", "Order", "AccountId"), ("OwnerId", "Task", "OwnerId"), ("Id", "Task", "WhatId"),
             ("Owner.Name", "Task", "Owner.Name"), ("OwnerId", "CaseHistory__c", "OldValue__c")],
    "Task": [("WhatId", "Case", "Id"), ("What.Name", "Account", "Name"), ("OwnerId", "Case", "OwnerId")],
    "Account": [("Id", "Case", "AccountId"), ("LastName", "User", "LastName")],
    "Order": [("AccountId", "Case", "AccountId")], "OrderItem": [("Id", "Case", "OrderItemId__c")],
    "CaseHistory__c": [("NewValue__c", "User", "Id")], "User": [("Id", "CaseHistory__c", "OldValue__c")],
}  # fmt: skip


class Drawing:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def one(self, items: Any) -> Any:
        return self.random.choice(list(items))

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def some(self, draw: Any, most: int, least: int = 0) -> list[Any]:
        return [draw() for _ in range(self.random.randint(least, most))]

    def path(self, name: str, *kinds: str) -> tuple[str, str]:
        return self.one([(path, kind) for kind in kinds or PATHS[name] for path in PATHS[name][kind]])

    # Conditions

    def condition(self, name: str, depth: int = 3) -> Any:
        draw = self.random.random()
        if depth and draw < 0.3:
            items = self.some(lambda: self.condition(name, depth - 1), 3, 0 if self.chance(0.1) else 1)
            return self.one([And, Or])(*items)
        if depth and draw < 0.4:
            return Not(self.condition(name, depth - 1))
        if depth and draw < 0.52 and CHILDREN[name]:
            child, field = self.one(CHILDREN[name])
            where = self.condition(child, depth - 2) if self.chance(0.6) and depth > 1 else None
            return Related(child, field, self.one(["exactly", "at_least", "at_most"]), self.random.randint(0, 4), where)
        if depth and draw < 0.62:
            field, other, listed = self.one(IN_QUERIES[name])
            where = self.condition(other, depth - 2) if self.chance(0.6) and depth > 1 else None
            return InQuery(field, other, listed, where, self.chance(0.4))
        if draw < 0.74 and (formula := self.formula(name)):
            return self.compared(lambda op, value: CompareFormula(formula, op, value), self.formula_kind(formula))
        path, kind = self.path(name)
        return self.compared(lambda op, value: Compare(path, op, value), kind)

    def compared(self, build: Any, kind: str) -> Any:
        draw = self.random.random()
        if draw < 0.12:
            return build(self.one(["null", "not_null"]), None)
        if kind == "id":
            return build(self.one(["null", "not_null"]), None)
        values = {"text": TEXTS, "number": NUMBERS[:-1], "time": [*DAYS, *WORDS, *MOMENTS], "day": [*DAYS, *WORDS],
                  "flag": [True, False], "month": MONTHS, "whole": [*range(-1, 32), 2023, 2024]}[kind]  # fmt: skip
        if draw < 0.3:
            listed = self.some(lambda: self.one(values), 3)
            return build(self.one(["in", "not_in"]), [*listed, None] if self.chance(0.2) else listed)
        if kind == "text" and draw < 0.5:
            op = self.one(["contains", "starts", "like"])
            return build(op, self.one(PATTERNS if op == "like" else TEXTS))
        return build(self.one(PLAIN if kind != "flag" else PLAIN[:2]), self.one(values))

    # Columns

    def formula(self, name: str, alias: str = "") -> Any:
        paths = PATHS[name]
        dated, numbers = paths["time"] + paths["day"], paths["number"]
        draw = self.random.random()
        if draw < 0.35 and len(dated) > 1:
            return Difference(self.one(dated), self.one(dated), self.one(["hours", "minutes", "seconds"]), alias)
        if draw < 0.7 and numbers:
            parts = [self.one(numbers), self.one([*numbers, 2, 0.5, 0])]
            self.random.shuffle(parts)
            return self.one([Product, Quotient])(*parts, alias)
        return Period(path, self.period(path, name), alias) if (path := self.dated(name)) else None

    def dated(self, name: str) -> str:
        found = PATHS[name]["time"] * 2 + PATHS[name]["day"]
        return self.one(found) if found else ""

    def period(self, path: str, name: str) -> str:
        known = sorted(PERIODS | PARTS) + ["month"] * 4
        return self.one([by for by in known if path in PATHS[name]["time"] or by != "hour_of_day"])

    def formula_kind(self, formula: Any) -> str:
        if not isinstance(formula, Period):
            return "number"
        return {"month_name": "month", "week": "day", "day": "day"}.get(
            formula.by, "text" if formula.by in PERIODS - {"year"} else "whole"
        )

    def orders(self, keys: list[str]) -> tuple[Order, ...]:
        def draw() -> Order:
            return Order(self.one(keys), self.chance(0.5), self.one(["first", "first", "last"]))

        return tuple(self.some(draw, 2))

    def page(self) -> dict[str, Any]:
        if self.chance(0.5):
            return {}
        return {"limit": self.random.randint(0, 25), "offset": self.random.randint(0, 12) if self.chance(0.5) else 0}

    # Queries

    def rows(self) -> QuerySpec:
        name = self.one(["Case"] * 4 + ["Task"] * 3 + ["Account", "Order", "OrderItem"])
        select: list[Any] = ["Id", *(path for path, _ in self.some(lambda: self.path(name), 2))]
        formula = self.formula(name, "worked out") if self.chance(0.4) else None
        select += [formula] if formula else []
        if CHILDREN[name] and self.chance(0.3):
            select.insert(self.random.randint(0, len(select)), self.children(name))
        keys = [path for kind in PATHS[name] for path in PATHS[name][kind]]
        order = self.orders(keys + ["worked out"] * (len(keys) // 3 if formula else 0))
        where = self.condition(name) if self.chance(0.85) else None
        return QuerySpec(name, tuple(select), where, order=order, **self.page())

    def children(self, name: str) -> ChildRows:
        child, field = self.one(CHILDREN[name])
        select: list[Any] = ["Id", self.path(child)[0]]
        formula = self.formula(child, "worked out") if self.chance(0.4) else None
        keys = [path for kind in PATHS[child] for path in PATHS[child][kind]] + ["worked out"] * bool(formula)
        where = self.condition(child, 1) if self.chance(0.5) else None
        limit = self.random.randint(0, 3) if self.chance(0.6) else None
        return ChildRows(
            child, field, (*select, *([formula] if formula else [])), where, self.orders(keys), limit, "inside"
        )

    def grouped(self) -> QuerySpec:
        name = self.one(["Case"] * 4 + ["Task"] * 2 + ["Order", "OrderItem", "CaseHistory__c"])
        groups = self.some(lambda: self.group(name), 2) if self.chance(0.8) else []
        groups = list({group.column: group for group in groups}.values())
        measures = [Measure("count", alias="n"), *self.some(lambda: self.measure(name), 3)]
        measures = list({item.column: item for item in measures}.values())
        exact = [m.column for m in measures if not isinstance(m.formula, Quotient)]
        keys = [*exact, *(group.column for group in groups), *(group.field for group in groups)]
        having = tuple(self.some(lambda: self.having(groups, measures, name), 2)) if self.chance(0.5) else None
        where = self.condition(name) if self.chance(0.5) else None
        return QuerySpec(
            name, (), where, tuple(groups), tuple(measures), having, self.orders(keys), **self.page()
        )  # fmt: skip

    def group(self, name: str) -> Group:
        if self.chance(0.5) and (path := self.dated(name)):
            return Group(path, self.period(path, name))
        return Group(self.path(name, "text", "number", "flag", "id")[0], alias=self.one(["", "", "grouped"]))

    def measure(self, name: str) -> Measure:
        where = self.condition(name, 2) if self.chance(0.4) else None
        fn = self.one(["count", "count_distinct", "avg", "sum", "min", "max", "share"])
        if fn == "share":
            return Measure(fn, alias="part", where=where or self.condition(name, 1))
        alias = self.one(["m1", "m2"])
        formula = self.formula(name) if self.chance(0.4) else None
        if formula and (fn not in {"avg", "sum"} or self.formula_kind(formula) == "number"):
            return Measure(fn, None, alias, formula, where)
        if fn in {"avg", "sum"}:
            return Measure(fn, self.path(name, "number")[0], alias, None, where) if PATHS[name]["number"] else Measure(
                "count", None, alias, None, where)  # fmt: skip
        kinds = ["text", "number", "time", "day"] + (["id"] if fn == "count_distinct" else [])
        return Measure(fn, self.path(name, *kinds)[0], alias, None, where)

    def having(self, groups: list[Group], measures: list[Measure], name: str) -> Any:
        draw = self.random.random()
        if draw < 0.25:
            return self.one([And, Or])(*self.some(lambda: self.having(groups, measures, name), 2, 1))
        if draw < 0.35:
            return Not(self.having(groups, measures, name))
        counted = [m.column for m in measures if m.fn in {"count", "count_distinct"}]
        choices: list[tuple[str, str]] = [(column, "whole") for column in counted] * 2
        choices += [(m.column, "number") for m in measures if m.fn == "sum" and not isinstance(m.formula, Quotient)]
        choices += [(m.column, "text") for m in measures if m.fn in {"min", "max"} and m.field in PATHS[name]["text"]]
        for group in groups:
            if group.by:
                choices.append((group.column, self.formula_kind(Period(group.field, group.by))))
            else:
                choices += [(group.column, kind) for kind in PATHS[name] if group.field in PATHS[name][kind]]
        column, kind = self.one(choices)
        if kind == "whole" and column in counted:
            return Having(column, self.one(PLAIN), self.random.randint(0, 12))
        return self.compared(lambda op, value: Having(column, op, value), kind)


def random_specs(seed: int, number: int) -> list[QuerySpec]:
    """This many queries, rows and groups in turn; no two alike."""
    drawing, found = Drawing(seed), {}
    while len(found) < number:
        spec = drawing.rows() if len(found) % 2 else drawing.grouped()
        found[spec.to_json()] = spec
    return list(found.values())
