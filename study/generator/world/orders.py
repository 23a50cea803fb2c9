"""What customers bought: orders with their lines over two and a half years."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from study.generator.world.catalogue import Catalogue, Row
from study.generator.world.draw import Draw
from study.generator.world.identifiers import Ids
from study.generator.world.material import Product, pricebooks, products
from study.generator.world.people import Agent, Customer
from study.generator.world.timing import FIRST_DAY, ORDER_SEASON, TODAY, day_weights, days

COOKERS = ("Gas Grills", "Charcoal Grills", "Pizza Ovens", "Smokers", "Kitchen Modules")
# How often each cooker is bought, by place on the shelf: the first ones sell best.
LINES_A_GO = 0.52


@dataclass(frozen=True)
class Bought:
    """One line of an order: what a case can be about."""

    id: str
    order_number: str
    day: date
    product: Product
    customer: Customer
    activated: bool


def make_orders(
    seed: int, n: int, customers: list[Customer], agents: list[Agent], catalogue: Catalogue
) -> tuple[list[Row], list[Row], list[Bought]]:
    """Orders, order lines, and the lines as later parts of the world need them."""
    draw, ids, line_ids = Draw(seed, "orders"), Ids(seed, "Order"), Ids(seed, "OrderItem")
    span = days()
    weights = day_weights(span, ORDER_SEASON, 0.5)
    dates = sorted(draw.weighted(span, weights) for _ in range(n))
    orders: list[Row] = []
    lines: list[Row] = []
    bought: list[Bought] = []
    number = draw.whole(20_100, 29_900)
    for day in dates:
        number += draw.whole(1, 9)
        known = [customer for customer in customers if customer.since.date() <= day]
        customer = draw.weighted(known, [c.orders for c in known])
        book = draw.weighted(range(len(pricebooks())), [b.share for b in pricebooks()])
        if book == 1 and day.month not in (3, 4, 5):
            book = 0
        activated = not (draw.chance(0.25) if (TODAY - day).days < 6 else draw.chance(0.03))
        sellers = [agent for agent in agents if agent.works_on(day)]
        order: Row = {
            "Id": ids.next(),
            "OrderNumber": f"HE-{number}",
            "AccountId": customer.account_id,
            "Pricebook2Id": catalogue.books[book],
            "Status": "Activated" if activated else "Draft",
            "EffectiveDate": day,
            "OwnerId": draw.pick(sellers).id,
        }
        total = 0.0
        for product in _basket(draw, day, book):
            entry, price = catalogue.entries[book, product.place]
            quantity = draw.weighted((1, 2, 3), (90, 8, 2)) if product.price < 100 else 1
            line: Row = {
                "Id": line_ids.next(),
                "OrderId": order["Id"],
                "Product2Id": catalogue.products[product.place],
                "PriceBookEntryId": entry,
                "Quantity": float(quantity),
                "UnitPrice": price,
            }
            total += quantity * price
            lines.append(line)
            bought.append(Bought(str(line["Id"]), str(order["OrderNumber"]), day, product, customer, activated))
        orders.append(order | {"TotalAmount": round(total, 2)})
    return orders, lines, bought


def _basket(draw: Draw, day: date, book: int) -> list[Product]:
    """Mostly a cooker with what belongs to it; sometimes only accessories."""
    sold = [p for p in products() if p.since <= day]
    cookers = [p for p in sold if p.category in COOKERS]
    extras = [p for p in sold if p.category not in COOKERS]
    basket = [_popular(draw, cookers)] if book == 1 or draw.chance(0.72) else []
    if book != 1:
        basket += [_popular(draw, extras) for _ in range(max(1 - len(basket), draw.geometric(LINES_A_GO) - 1))]
    return list(dict.fromkeys(basket))[:4]


def _popular(draw: Draw, choice: list[Product]) -> Product:
    # Whatever fails often here is also what sells: nobody writes about what nobody bought.
    return draw.weighted(choice, [1.0 + p.failing for p in choice])


def delivered(line: Bought) -> date:
    return max(line.day + timedelta(days=4), FIRST_DAY)
