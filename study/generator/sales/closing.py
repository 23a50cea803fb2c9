"""The end of a deal that was won: signatures, contract, order with its lines, and what was bought."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.things import Bought, Contract, Row
from study.generator.sales.hours import Hours
from study.generator.sales.numbering import Numbering
from study.generator.sales.pipeline import Life

_MONTHS = {True: (1, 2, 3, 3, 6), False: (12, 12, 24, 36, 36)}


class Closing:
    """Contracts and orders of all deals that were won, in the order of our signature."""

    def __init__(self, branch: Branch, hours: Hours) -> None:
        self.branch, self.hours, self.draw = branch, hours, branch.draw("closing")
        self.bought: list[Bought] = []

    def sign(self, lives: Sequence[Life]) -> None:
        """Contracts, Ids still to come: the customer signs after the quote was accepted, we soon after them."""
        for life in lives:
            if life.deal.won:
                life.deal.contract = self._contract(life)

    def _contract(self, life: Life) -> Contract:
        draw, deal, today = self.draw, life.deal, self.branch.today
        signed = life.end.date()
        accepted = deal.quotes[-1].created.date() if deal.quotes else deal.created.date()
        waited = timedelta(days=draw.weighted((0, 1, 2, 3, 5, 8), (3, 4, 3, 2, 2, 1)))
        by_customer = max(accepted, self.hours.before(signed - waited))
        start = signed + timedelta(days=draw.weighted((0, 1, 3, 7, 14, 21), (3, 3, 3, 3, 2, 1)))
        months = draw.pick(_MONTHS[self.branch.plan.consumer])
        status = "Activated"
        age = (today - signed).days
        if age < 8 and draw.chance(0.6):
            status = "Signed"
        elif age > 200 and draw.chance(0.03):
            status = "Contract Terminated"
        return Contract("", status, start, by_customer, signed, months)

    def order(self, lives: Sequence[Life], numbering: Numbering) -> None:
        """Rows of Order and OrderItem, and the lines as customer care needs them."""
        won = sorted((life for life in lives if life.deal.contract), key=lambda life: (life.end, life.deal.id))
        orders: list[Row] = []
        lines: list[Row] = []
        for life in won:
            self._order(life, numbering.next("order"), orders, lines)
        self.branch.add("Order", orders)
        self.branch.add("OrderItem", lines)

    def _order(self, life: Life, number: str, orders: list[Row], lines: list[Row]) -> None:
        deal, branch = life.deal, self.branch
        contract = deal.contract
        if contract is None or contract.company_signed is None:
            return
        contract.order_number = number
        wait = timedelta(days=self.draw.weighted((0, 1, 2, 3, 5), (4, 4, 3, 2, 1)))
        day = min(self.hours.day(contract.company_signed + wait), branch.today)
        fresh = (branch.today - contract.company_signed).days < 5
        active = not self.draw.chance(0.35 if fresh else 0.02)
        order_id, total = branch.new_id("Order"), 0.0
        for line in deal.quotes[-1].lines:
            price = round(line.unit_price * (1 - line.discount / 100), 2)
            total += line.quantity * price
            line_id = branch.new_id("OrderItem")
            lines.append(
                {
                    "Id": line_id, "OrderId": order_id, "Product2Id": line.item.id, "PriceBookEntryId": line.entry,
                    "Quantity": float(line.quantity), "UnitPrice": price,
                }
            )  # fmt: skip
            self.bought.append(
                Bought(line_id, order_id, number, day, line.item, deal.party, deal.person, active)
            )  # fmt: skip
        orders.append(
            {
                "Id": order_id, "OrderNumber": number, "AccountId": deal.party.id,
                "Pricebook2Id": branch.shared.books[life.book], "Status": "Activated" if active else "Draft",
                "EffectiveDate": day, "OwnerId": deal.owner.id, "ContractId": contract.id,
                "TotalAmount": round(total, 2),
            }
        )  # fmt: skip
