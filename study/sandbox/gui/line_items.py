"""Line grids: the products of a quote, an opportunity or an order, with prices, discounts and totals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from study.sandbox.engine.queryspec import Order, QuerySpec
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.gui.presenting import Shower, copied_id
from study.sandbox.gui.related import Link
from study.sandbox.gui.rooms import Room

GRIDS = {"Quote": "QuoteLineItem", "Opportunity": "OpportunityLineItem", "Order": "OrderItem"}
CURRENCY = "CurrencyIsoCode"
# Numbers that are money.
MONEY = frozenset({"Amount", "UnitPrice", "TotalPrice", "ListPrice", "GrandTotal", "Subtotal"})
MOST = 200


@dataclass(frozen=True)
class LineRow:
    ident: SafeString
    product: SafeString
    quantity: str
    listed: str
    price: str
    discount: str
    total: str


@dataclass
class LineGrid:
    """The lines of one record. Totals stand apart for each currency: different ones are never added (P-50)."""

    room: Room
    parent: ObjectDef
    values: dict[str, Any]
    link: Link
    url: str
    count: int

    @classmethod
    def of(cls, room: Room, item: ObjectDef, values: dict[str, Any], links: list[Link], count: Any) -> LineGrid | None:
        """The grid of a quote, an opportunity or an order; None for other objects and where no line points here."""
        link = next((one for one in links if one.child.name == GRIDS.get(item.name)), None)
        if link is None or not (n := count(link)):
            return None
        url = f"{room.record_url(values['Id'])}related/{link.key}/"
        return cls(room, item, values, link, url, n)

    @property
    def item(self) -> ObjectDef:
        return self.link.child

    @cached_property
    def entry(self) -> str:
        """The path to the list price, or nothing."""
        for field in self.item.fields:
            if "PricebookEntry" in field.targets and self.room.registry.object("PricebookEntry").has("UnitPrice"):
                return f"{field.relationship}.UnitPrice"
        return ""

    @property
    def shows(self) -> dict[str, bool]:
        """Which columns the lines of this Org can fill."""
        has = self.item.has
        priced = has("Quantity") and has("UnitPrice")
        return {
            "listed": bool(self.entry), "price": has("UnitPrice"), "discount": has("Discount"),
            "total": has("TotalPrice") or priced, "computed": priced and not has("TotalPrice"),
        }  # fmt: skip

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        own = ("Id", "Product2Id", "Quantity", "UnitPrice", "Discount", "TotalPrice", CURRENCY)
        select = [name for name in own if self.item.has(name)] + ([self.entry] if self.entry else [])
        where = self.link.here(self.values["Id"])
        result = self.room.run(
            QuerySpec(self.item.name, select=tuple(select), where=where, order=(Order("Id"),), limit=MOST)
        )
        return [dict(zip(result.columns, row, strict=True)) for row in result.rows]

    @cached_property
    def rows(self) -> list[LineRow]:
        shower = Shower(self.room, (row.get("Product2Id") for row in self._rows))
        return [self._row(shower, row) for row in self._rows]

    def _row(self, shower: Shower, row: dict[str, Any]) -> LineRow:
        product = row.get("Product2Id")
        if product:
            name = shower.html(self.item.field("Product2Id"), product, full=True)
        else:
            name = SafeString(f'<span class="none">{_("No product")}</span>')
        code, rate = self.currency(row), row.get("Discount")
        return LineRow(
            copied_id(row["Id"], url=self.room.record_url(row["Id"])), name, _plain(row.get("Quantity")),
            money(row.get(self.entry), code), money(row.get("UnitPrice"), code),
            f"{_plain(rate)}%" if rate is not None else "", money(total_of(row), code),
        )  # fmt: skip

    def currency(self, row: dict[str, Any]) -> str:
        """The currency of a line: its own, else that of the record it belongs to."""
        return str(row.get(CURRENCY) or self.values.get(CURRENCY) or "")

    @property
    def quantity(self) -> str:
        numbers = [row["Quantity"] for row in self._rows if row.get("Quantity") is not None]
        return _plain(math.fsum(numbers)) if numbers else ""

    @cached_property
    def totals(self) -> list[str]:
        """The sum of the totals, one for each currency."""
        sums: dict[str, list[float]] = {}
        for row in self._rows:
            if (total := total_of(row)) is not None:
                sums.setdefault(self.currency(row), []).append(total)
        return [money(math.fsum(numbers), code) for code, numbers in sorted(sums.items())]

    @property
    def cut(self) -> bool:
        return self.count > len(self._rows)


def total_of(row: dict[str, Any]) -> float | None:
    """The total of a line as it is stored; where the object stores none, quantity times price."""
    if "TotalPrice" in row:
        return None if row["TotalPrice"] is None else float(row["TotalPrice"])
    quantity, price = row.get("Quantity"), row.get("UnitPrice")
    return None if quantity is None or price is None else round(float(quantity) * float(price), 2)


def money(value: float | None, code: str = "") -> str:
    """EUR 1,250.50; two places always, so that a column of prices lines up."""
    if value is None:
        return ""
    written = str(number_format(round(value, 2), decimal_pos=2, use_l10n=True, force_grouping=True))
    return f"{code} {written}".strip()


def _plain(value: float | None) -> str:
    if value is None:
        return ""
    places = 0 if value == int(value) else 2
    return str(number_format(round(value, 2), decimal_pos=places, use_l10n=True, force_grouping=True))
