"""What all branches of a world share: products, categories, price books, issues, articles, territories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time
from typing import Any

from study.generator.groundwork.branch import Shared
from study.generator.groundwork.draw import Draw, apportioned
from study.generator.groundwork.ids import Ids, foreign_id
from study.generator.groundwork.material import ProductLine
from study.generator.groundwork.plan import Plan
from study.generator.groundwork.things import Item, Row
from study.generator.knowledge import article_codes


def coded(raw: Any) -> list[tuple[str, Mapping[str, Any]]]:
    """The entries of a file by code: a mapping, or a list whose entries have a code, or else a name or title."""
    if isinstance(raw, Mapping):
        return [(str(code), row) for code, row in raw.items()]
    return [(str(row.get("code") or _slug(str(row.get("name") or row.get("title")))), row) for row in raw]


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def make_shared(plan: Plan, seed: int, counts: Mapping[str, int] | None = None) -> Shared:
    """Ids, products and prices by the counts of a world (at scale 1 unless given). ValueError if material is short."""
    counts = counts or plan.counts
    material = plan.material
    chosen = _products(plan, counts["Product2"])
    ids = Ids(seed, "Product2")
    numbered = {line.code: ids.next() for line in sorted(chosen, key=lambda line: (line.since, line.place))}
    books = _ids(seed, "Pricebook2", _enough(material.price_lists, counts["Pricebook2"], "price books"))
    issues = _enough(coded(material.yaml("issues.yaml")), counts["Issue__c"], "issues")
    articles = article_codes(plan, counts["Knowledge__kav"])
    categories = _enough(material.categories, counts["ProductCategory"], "categories")
    items = tuple(Item(**vars(replace(line, place=place)), id=numbered[line.code]) for place, line in enumerate(chosen))
    _price(plan, seed, items, len(books), counts["PricebookEntry"])
    return Shared(
        items,
        books,
        dict(zip(categories, _ids(seed, "ProductCategory", categories), strict=True)),
        {code: key for (code, _), key in zip(issues, _ids(seed, "Issue__c", issues), strict=True)},
        dict(zip(articles, _ids(seed, "Knowledge__kav", articles), strict=True)),
        _territories(plan, seed, counts) if plan.sells else (),
    )


def _ids(seed: int, object_name: str, things: Sequence[Any]) -> tuple[str, ...]:
    ids = Ids(seed, object_name)
    return tuple(ids.next() for _ in things)


def _enough(things: Sequence[Any], n: int, what: str) -> Sequence[Any]:
    """The first ``n``. ValueError where there are fewer."""
    if len(things) < n:
        raise ValueError(f"The world is to have {n} {what}, and its files name {len(things)}. Name more, or ask less.")
    return things[:n]


def _products(plan: Plan, n: int) -> list[ProductLine]:
    """``n`` products in the order of the file; of each category about as large a part, the first ones."""
    lines = _enough(plan.material.product_lines, n, "products") and plan.material.product_lines
    shelves = {name: [line for line in lines if line.category == name] for name in plan.material.categories}
    if len(lines) == n:
        return list(lines)
    parts = apportioned(n, [len(shelf) for shelf in shelves.values()])
    return [line for shelf, part in zip(shelves.values(), parts, strict=True) for line in shelf[:part]]


def _price(plan: Plan, seed: int, items: tuple[Item, ...], books: int, n: int) -> None:
    """``n`` price book entries: the first book has as many products as it can, then the next.

    Who sells the least is left out of a book that cannot hold all; an item without any entry is no longer sold.
    """
    ids = Ids(seed, "PricebookEntry")
    by_popularity = sorted(items, key=lambda item: (-item.popular, item.place))
    for book, terms in enumerate(plan.material.price_lists[:books]):
        held = {item.place for item in by_popularity[:n]}
        n -= len(held)
        for item in items:
            if item.place in held:
                item.entries[book] = (ids.next(), round(item.price * (1 - terms.discount), 2))


def _territories(plan: Plan, seed: int, counts: Mapping[str, int]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    named = list(plan.material.selling.territories.items())
    found = _enough(named, counts["Territory2"], "territories")
    return tuple((key, states) for key, (_, states) in zip(_ids(seed, "Territory2", found), found, strict=True))


def catalogue_rows(plan: Plan, shared: Shared, seed: int, counts: Mapping[str, int]) -> dict[str, list[Row]]:
    """The rows of everything here but the articles."""
    draw = Draw(seed, f"{plan.name} catalogue rows")
    catalog = foreign_id(draw, "0ZS")
    rows: dict[str, list[Row]] = {
        "ProductCategory": [{"Id": key, "Name": name, "CatalogId": catalog} for name, key in shared.categories.items()],
        "Product2": [
            {
                "Id": item.id, "Name": item.name, "Description": item.description, "IsActive": bool(item.entries),
                "External_ID__c": item.code,
            }
            for item in sorted(shared.items, key=lambda item: (item.since, item.place))
        ],
        "ProductCategoryProduct": _on_shelves(draw, shared, seed, counts["ProductCategoryProduct"]),
        "Pricebook2": _books(plan, shared),
        "PricebookEntry": [
            {
                "Id": item.entries[book][0], "Pricebook2Id": key, "Product2Id": item.id,
                "UnitPrice": item.entries[book][1],
            }
            for book, key in enumerate(shared.books)
            for item in shared.items
            if book in item.entries
        ],
        "Issue__c": [
            {"Id": shared.issues[code], "Name": row["name"], "Description__c": row.get("description")}
            for code, row in coded(plan.material.yaml("issues.yaml"))
            if code in shared.issues
        ],
    }  # fmt: skip
    if plan.sells:
        names = plan.material.selling.territories
        rows["Territory2"] = [
            {"Id": key, "Name": name, "Description": ",".join(states)}
            for name, (key, states) in zip(names, shared.territories, strict=False)
        ]
    return rows


def _books(plan: Plan, shared: Shared) -> list[Row]:
    used = {book for item in shared.items for book in item.entries}
    return [
        {
            "Id": key, "Name": terms.name, "Description": terms.description, "IsActive": place in used,
            "ValidFrom": datetime.combine(terms.since, time(), UTC), "ValidTo": None,
        }
        for place, (terms, key) in enumerate(zip(plan.material.price_lists, shared.books, strict=False))
    ]  # fmt: skip


def _on_shelves(draw: Draw, shared: Shared, seed: int, n: int) -> list[Row]:
    """Every product in its own category, and products also shown in another until there are ``n``."""
    names = list(shared.categories)
    own = [(item, item.category) for item in shared.items][:n]
    more = list(_further_shelves(draw, shared, names))[: n - len(own)]
    order = {name: place for place, name in enumerate(names)}
    pairs = sorted(own + more, key=lambda pair: (order[pair[1]], pair[0].place))
    ids = _ids(seed, "ProductCategoryProduct", pairs)
    return [
        {"Id": key, "ProductCategoryId": shared.categories[name], "ProductId": item.id}
        for key, (item, name) in zip(ids, pairs, strict=True)
    ]


def _further_shelves(draw: Draw, shared: Shared, names: Sequence[str]) -> Iterator[tuple[Item, str]]:
    """Another shelf for every product, then a third, and so on; each time in random order."""
    left = {item.place: draw.shuffled([name for name in names if name != item.category]) for item in shared.items}
    for turn in range(len(names) - 1):
        for item in draw.shuffled(shared.items):
            yield item, left[item.place][turn]
