"""Categories, products and price books as records."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time

from study.generator.world.draw import Draw
from study.generator.world.identifiers import Ids, foreign_id
from study.generator.world.material import categories, issues, pricebooks, products

Row = dict[str, object]
# Accessories that are also shown among the cookers they belong to.
SECOND_SHELF = {
    "Rotisserie Kit": "Gas Grills",
    "Cast-Iron Griddle Plate": "Gas Grills",
    "Oak Pellets 20 lb": "Smokers",
    "Pizza Peel and Turner Set": "Pizza Ovens",
    "Charcoal Chimney Starter": "Charcoal Grills",
}


@dataclass(frozen=True)
class Catalogue:
    """Ids by place in the material; ``entries`` by (price book, product)."""

    products: tuple[str, ...]
    categories: dict[str, str]
    issues: tuple[str, ...]
    books: tuple[str, ...]
    entries: dict[tuple[int, int], tuple[str, float]]
    tables: dict[str, list[Row]]


def make_catalogue(seed: int) -> Catalogue:
    draw = Draw(seed, "catalogue")
    catalog = foreign_id(draw, "0ZS")
    ids = {
        name: Ids(seed, name)
        for name in (
            "ProductCategory",
            "Product2",
            "ProductCategoryProduct",
            "Pricebook2",
            "PricebookEntry",
            "Issue__c",
        )
    }
    shelf = {name: ids["ProductCategory"].next() for name in categories()}
    product_ids = tuple(ids["Product2"].next() for _ in products())
    issue_ids = tuple(ids["Issue__c"].next() for _ in issues())
    book_ids = tuple(ids["Pricebook2"].next() for _ in pricebooks())
    entries: dict[tuple[int, int], tuple[str, float]] = {}
    rows: list[Row] = []
    for book, terms in enumerate(pricebooks()):
        for product in products():
            if book == 1 and product.category in ("Covers and Care", "Tools and Accessories"):
                continue
            price = round(product.price * (1 - terms.discount), 2)
            entries[book, product.place] = (ids["PricebookEntry"].next(), price)
            rows.append(
                {
                    "Id": entries[book, product.place][0],
                    "Pricebook2Id": book_ids[book],
                    "Product2Id": product_ids[product.place],
                    "UnitPrice": price,
                }
            )
    tables: dict[str, list[Row]] = {
        "ProductCategory": [{"Id": key, "Name": name, "CatalogId": catalog} for name, key in shelf.items()],
        "Product2": [
            {
                "Id": product_ids[p.place],
                "Name": p.name,
                "Description": p.description,
                "IsActive": p.name != "Lowfire Offset Smoker",
                "External_ID__c": p.code,
            }
            for p in products()
        ],
        "ProductCategoryProduct": [
            {
                "Id": ids["ProductCategoryProduct"].next(),
                "ProductCategoryId": shelf[name],
                "ProductId": product_ids[p.place],
            }
            for p in products()
            for name in (p.category, SECOND_SHELF.get(p.name))
            if name
        ],
        "Pricebook2": [
            {
                "Id": book_ids[n],
                "Name": b.name,
                "Description": b.description,
                "IsActive": True,
                "ValidFrom": datetime.combine(b.since, time(), UTC),
                "ValidTo": None,
            }
            for n, b in enumerate(pricebooks())
        ],
        "PricebookEntry": rows,
        "Issue__c": [{"Id": issue_ids[i.place], "Name": i.name, "Description__c": i.description} for i in issues()],
    }
    return Catalogue(product_ids, shelf, issue_ids, book_ids, entries, tables)
