"""Material for parts whose own has not landed yet: just enough to make a company. Gone when everything is there."""

from __future__ import annotations

from typing import Any

from study.generator.groundwork.material import Material


def _products(n: int, categories: int, books: int) -> dict[str, Any]:
    shelves: dict[str, str] = {}
    for place in range(n):
        cells = (
            f"Product {place}",
            f"P{place}",
            f"X-{place:03d}",
            20 + 7 * place,
            "2021-01",
            5,
            5,
            f"a {place}",
            "Text.",
        )
        line = " | ".join(str(cell) for cell in cells)
        name = f"Shelf {place % categories}"
        shelves[name] = shelves.get(name, "") + line + "\n"
    lists = "\n".join(f"Book {book} | Text. | 0.0{book % 10} | 2021-01-01 | 10" for book in range(books))
    return {"categories": shelves, "pricebooks": lists}


def _selling() -> dict[str, Any]:
    states = ("TX", "CA", "FL", "OH", "NC", "NY", "GA", "IL", "CO", "OR")
    stages = {name: f"Do {name}" for name in ("Qualification", "Discovery", "Quote", "Negotiation", "Closed")}
    return {
        "quantity_limits": "", "exclusions": "", "requirements": "", "volume_discounts": "5 | 3",
        "articles": {}, "stages": stages, "competitors": "Other | good | bad", "subtopics": "price",
        "territories": "\n".join(f"Region {n} | {state}" for n, state in enumerate(states)),
    }  # fmt: skip


class StandIn(Material):
    """The files that are there, and stand-ins for the others."""

    def __init__(self, real: Material, counts: dict[str, int]) -> None:
        super().__init__(real.world, real.folders[0])
        self._counts = counts

    def yaml(self, name: str) -> Any:
        try:
            return super().yaml(name)
        except FileNotFoundError:
            return self._made(name)

    def text(self, name: str) -> str:
        """Articles that are missing are made up; those that are written come first."""
        try:
            found = super().text(name)
        except FileNotFoundError:
            if name not in ("knowledge.txt", "product_articles.txt"):
                raise
            found = ""
        if name == "product_articles.txt":
            more = (f"\n## stand-in-{n} | Stand-in {n}\n> Nothing.\nNothing." for n in range(200))
            return found + "".join(more)
        return found

    def _made(self, name: str) -> Any:
        counts = self._counts
        if name == "products.yaml":
            return _products(counts["Product2"], counts["ProductCategory"], counts["Pricebook2"])
        if name == "issues.yaml":
            return [{"code": f"issue-{n}", "name": f"Issue {n}", "description": "."} for n in range(counts["Issue__c"])]
        if name == "selling.yaml":
            return _selling()
        raise FileNotFoundError(name)
