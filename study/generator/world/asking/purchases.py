"""Customers who mean a product they bought on a certain day, without its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from study.generator.world.asking.making import ANSWERED, NO_RECORD, Maker, Wordings, spread
from study.generator.world.asking.periods import NUMBERS
from study.generator.world.draw import Draw
from study.generator.world.material import products
from study.generator.world.orders import Bought
from study.generator.world.people import Customer
from study.generator.world.service import World

TASK = "named_entity_disambiguation"
# Words that fit every product of a shelf whose name ends so: which one is meant is told by the order alone.
SHELF_WORDS = {"Pizza Oven": "pizza oven", "Gas Grill": "gas grill", "Module": "kitchen module"}
WORDINGS = (
    "Could you find the {hint} I bought {when}? I need to know exactly which product it is.",
    "I ordered a {hint} {when}. Which of your products was that?",
    "Which product was the {hint} that I got from you {when}?",
    "{when} I bought a {hint} from you and would like to order for it. Please look up the exact product.",
)
DEFINITION = (
    "You are talking with the contact {name} ({email}). A product was bought on the start date of an activated order "
    "of the contact's account. The date must be exactly the day the customer names, counted back from today. If "
    "nothing that fits was bought on that day, no record fits."
)


class Asked(NamedTuple):
    customer: Customer
    hint: str
    fitting: tuple[int, ...]
    days_ago: int

    def params(self, world: World) -> dict[str, Any]:
        return {
            "contact_id": self.customer.contact_id,
            "days_ago": self.days_ago,
            "product_ids": [world.catalogue.products[place] for place in self.fitting],
        }


def ask_which_product(maker: Maker) -> None:
    draw, world = maker.draw(TASK), maker.world
    said = Wordings(draw, WORDINGS)
    kept = spread(_bought(maker, draw), ANSWERED, 1) + spread(_not_bought(maker, draw), NO_RECORD, 1)
    for one, answer in draw.some(kept, len(kept)):
        article = "an" if one.hint[0] in "aeiou" else "a"
        question = said.next(hint=one.hint, when=spoken_days(one.days_ago))
        question = question.replace(f" a {one.hint}", f" {article} {one.hint}")
        customer = one.customer
        maker.add(
            TASK,
            question=question,
            answer=answer,
            params=one.params(world),
            definitions=DEFINITION.format(name=f"{customer.first} {customer.last}", email=customer.email),
            required=f"- Contact Id interacting: {customer.contact_id}",
        )


def spoken_days(n: int) -> str:
    """ "three weeks ago", "nine days ago"."""
    if n % 7 == 0:
        weeks = n // 7
        return "a week ago" if weeks == 1 else f"{NUMBERS[weeks] if weeks < len(NUMBERS) else weeks} weeks ago"
    return f"{NUMBERS[n] if n < len(NUMBERS) else n} days ago"


def _sayable(days: int) -> bool:
    return 2 <= days <= 20 or (days % 7 == 0 and days <= 26 * 7)


def _known(world: World) -> Counter[tuple[str, str]]:
    return Counter((customer.first, customer.last) for customer in world.customers)


def _hints(line: Bought) -> list[tuple[str, tuple[int, ...]]]:
    """Descriptions of a product and the products each fits."""
    found: list[tuple[str, tuple[int, ...]]] = [(hint, (line.product.place,)) for hint in line.product.hints]
    for ending, words in SHELF_WORDS.items():
        if line.product.name.endswith(ending):
            found.append((words, tuple(p.place for p in products() if p.name.endswith(ending))))
    return found


def _bought(maker: Maker, draw: Draw) -> Iterator[tuple[str, tuple[Asked, list[str | None]]]]:
    world, named = maker.world, _known(maker.world)
    for line in draw.some(world.bought, len(world.bought)):
        days, customer = (world.today - line.day).days, line.customer
        if not line.activated or not _sayable(days) or named[customer.first, customer.last] > 1:
            continue
        hint, fitting = draw.pick(_hints(line))
        if _near(world, customer, fitting, days, but=line):
            continue
        one = Asked(customer, hint, fitting, days)
        answer = [world.catalogue.products[line.product.place]]
        if maker.by_rule(TASK, one.params(world)) == answer:
            yield customer.contact_id, (one, list[str | None](answer))


def _not_bought(maker: Maker, draw: Draw) -> Iterator[tuple[str, tuple[Asked, list[str | None]]]]:
    """A customer names a day on which they bought something else, or a product bought on another day."""
    world, named = maker.world, _known(maker.world)
    for line in draw.some(world.bought, len(world.bought)):
        days, customer = (world.today - line.day).days, line.customer
        own = [other for other in world.bought if other.customer is customer]
        others = [other for other in own if other.order_number != line.order_number]
        if not _sayable(days) or not others or named[customer.first, customer.last] > 1:
            continue
        hint, fitting = draw.pick(_hints(draw.pick(others)))
        if _near(world, customer, fitting, days, but=None):
            continue
        one = Asked(customer, hint, fitting, days)
        if maker.by_rule(TASK, one.params(world)) == [None]:
            yield customer.contact_id, (one, [None])


def _near(world: World, customer: Customer, fitting: tuple[int, ...], days: int, *, but: Bought | None) -> bool:
    """Whether the customer bought something that fits within a few days of the day named."""
    return any(
        line is not but
        and line.customer is customer
        and line.product.place in fitting
        and abs((world.today - line.day).days - days) <= 3
        for line in world.bought
    )
