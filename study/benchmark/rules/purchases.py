"""Which product a customer means: what they bought on the day they speak of, among those the description fits."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from study.benchmark.rules.answer import Answer, RuleError, Working, ids, needed
from study.sandbox.engine.queryspec import And, Compare, QuerySpec
from study.sandbox.engine.snapshot import Snapshot


def named_entity_disambiguation(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The one product that fits the description and was bought by the contact's account exactly that many days ago.

    Parameters: contact_id, days_ago, and either product_ids (those the description fits) or category_id.
    No such product gives no record; two give a tie.
    """
    working = Working(snapshot, today)
    day = today - datetime.timedelta(days=needed(params, "days_ago", int))
    fitting = _fitting(working, params)
    rows = working.run(
        _("The account of the contact"),
        QuerySpec("Contact", select=("AccountId",), where=Compare("Id", "eq", needed(params, "contact_id", str))),
    )
    account = rows[0][0] if rows else None
    if account is None or not fitting:
        return working.nothing()
    that_day = And(
        Compare("Order.AccountId", "eq", account),
        Compare("Order.Status", "eq", "Activated"),
        Compare("Order.EffectiveDate", "eq", day),
    )
    bought = working.run(
        _("Products in the account's activated orders of %(day)s that fit the description") % {"day": day.isoformat()},
        QuerySpec(
            "OrderItem", select=("Product2Id",), where=And(*that_day.items, Compare("Product2Id", "in", fitting))
        ),
    )
    products = ids(sorted({row[0] for row in bought}))

    def evidence() -> tuple[str, ...]:
        """The contact and, of the orders of the day, each with its lines."""
        spec = QuerySpec("OrderItem", select=("OrderId", "Id"), where=that_day)
        rows = working.rows(_("The orders of the day"), spec)
        orders = dict.fromkeys(str(row[0]) for row in rows)
        return (params["contact_id"], *orders, *(str(row[1]) for row in rows))

    others = tuple(product for product in (*fitting, *_beside(working, that_day)) if product not in products)
    others = tuple(dict.fromkeys(others))
    steps = tuple(working.steps)
    if len(products) > 1:
        return Answer((), steps, 0.0, products[1], "count", tie=True, others=others)
    return Answer(products, steps, measure="count", others=others, reading=True, find_evidence=evidence)


def _beside(working: Working, that_day: And) -> tuple[str, ...]:
    """Everything bought on the day: what a customer got beside what they speak of."""
    rows = working.rows(_("Products of the day"), QuerySpec("OrderItem", select=("Product2Id",), where=that_day))
    return ids(sorted({row[0] for row in rows if row[0]}))


def _fitting(working: Working, params: Mapping[str, Any]) -> tuple[str, ...]:
    """The products the description fits: listed in the parameters, or all of a category."""
    if isinstance(params.get("product_ids"), list | tuple):
        return ids(params["product_ids"])
    if not isinstance(params.get("category_id"), str):
        raise RuleError(_("The rule needs the parameter product_ids (a list) or category_id."))
    rows = working.run(
        _("Products of the category"),
        QuerySpec(
            "ProductCategoryProduct",
            select=("ProductId",),
            where=Compare("ProductCategoryId", "eq", params["category_id"]),
        ),
    )
    return ids([row[0] for row in rows])
