"""Rules about selling: who sold most, who closes deals in the fewest days, who converts the largest share of leads."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from study.benchmark.rules.answer import Answer, Working, wants_highest
from study.benchmark.rules.windows import Window, window
from study.sandbox.engine.queryspec import (
    And,
    Compare,
    Condition,
    Difference,
    Group,
    InQuery,
    Measure,
    Product,
    QuerySpec,
)
from study.sandbox.engine.snapshot import Snapshot


def sales_amount_understanding(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The owner with the highest or lowest amount of order lines signed for in the period.

    The amount is quantity times unit price, summed over lines of activated orders. An order counts by the day the
    company signed its contract; in an Org whose orders do not name their contract, if it starts in the period and its
    account has a contract signed in the period. Parameters: window, extremum (max, the default, or min).
    """
    working, period = Working(snapshot, today), window(params, today)
    spec = QuerySpec(
        "OrderItem",
        where=And(
            Compare("Order.Status", "eq", "Activated"),
            Compare("Order.OwnerId", "not_null", None),
            *_signed_in(snapshot, period),
        ),
        groups=(Group("Order.OwnerId", alias="seller"),),
        measures=(
            Measure("sum", alias="amount", formula=Product("Quantity", "UnitPrice")),
            Measure("count", alias="lines"),
        ),
    )
    rows = working.run(
        _("Amount of order lines per owner of the order: activated, contract signed by us in %(window)s")
        % {"window": period.text},
        spec,
    )
    amounts = {seller: float(amount) for seller, amount, _lines in rows if amount is not None}
    return working.best(amounts, highest=wants_highest(params), measure="sum", counted=working.counted(spec))


def _signed_in(snapshot: Snapshot, period: Window) -> tuple[Condition, ...]:
    if any(field.name == "ContractId" for field in snapshot.registry.object("Order").fields):
        return (period.dated("Order.ContractId.CompanySignedDate"),)
    signed = period.dated("CompanySignedDate")
    return period.dated("Order.EffectiveDate"), InQuery("Order.AccountId", "Contract", "AccountId", signed)


def sales_cycle_understanding(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The owner whose deals take the fewest (or most) days on average, from creation to the company's signature.

    Deals whose contract the company signed in the period. Parameters: window, extremum (min, the default, or max);
    whole_days counts from the day of creation instead of its hour, to see whether the winner would be another.
    """
    working, period = Working(snapshot, today), window(params, today)
    spec = QuerySpec(
        "Opportunity",
        where=And(
            period.dated("ContractID__c.CompanySignedDate"),
            Compare("CreatedDate", "not_null", None),
            Compare("OwnerId", "not_null", None),
        ),
        groups=(Group("OwnerId", alias="seller"),),
        measures=(
            Measure("avg", alias="days", formula=Difference("ContractID__c.CompanySignedDate", "CreatedDate", "days")),
            Measure("count", alias="deals"),
        ),
    )
    rows = working.run(
        _("Mean days from creation to our signature, per owner of the deal: signed by us in %(window)s")
        % {"window": period.text},
        spec,
    )
    means = {seller: float(days) for seller, days, _deals in rows if days is not None}
    if params.get("whole_days"):
        means = _in_whole_days(working, spec)
    highest = wants_highest(params, default="min")
    return working.best(means, highest=highest, measure="mean", counted=working.counted(spec))


def _in_whole_days(working: Working, spec: QuerySpec) -> dict[str, float]:
    select = ("OwnerId", "CreatedDate", "ContractID__c.CompanySignedDate")
    zone, days = ZoneInfo(working.snapshot.zone), defaultdict(list)
    for seller, created, signed in working.rows(
        _("The deals"), QuerySpec(spec.object, select=select, where=spec.where)
    ):
        days[seller].append((signed - created.astimezone(zone).date()).days)
    return {seller: sum(found) / len(found) for seller, found in days.items()}


def conversion_rate_comprehension(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The owner who converted the largest (or smallest) share of the leads created in the period within the period.

    Parameters: window, extremum (max, the default, or min).
    """
    working, period = Working(snapshot, today), window(params, today)
    converted = And(Compare("IsConverted", "eq", True), period.dated("ConvertedDate"))
    spec = QuerySpec(
        "Lead",
        where=And(period.condition("CreatedDate", snapshot.zone), Compare("OwnerId", "not_null", None)),
        groups=(Group("OwnerId", alias="seller"),),
        measures=(Measure("share", alias="converted", where=converted), Measure("count", alias="leads")),
    )
    rows = working.run(
        _("Share converted in %(window)s of the leads created in it, per owner") % {"window": period.text}, spec
    )
    shares = {seller: float(share) for seller, share, _leads in rows if share is not None}
    return working.best(shares, highest=wants_highest(params), measure="share", counted=working.counted(spec))
