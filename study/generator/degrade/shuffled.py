"""Parents permuted: each record looks right, and nothing hangs together."""

from __future__ import annotations

from study.generator.degrade.org_tables import OrgTables
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.things import Row
from study.sandbox.engine.registry import ObjectDef

# Lookups that describe each other go together, or the record itself would look wrong.
_TOGETHER = (
    ("AccountId", "ContactId"),
    ("ConvertedAccountId", "ConvertedContactId"),
    ("OldValue__c", "NewValue__c"),
    ("ParentId", "RelatedToId"),
    ("OpportunityId__c", "LeadId__c"),
)
# What a line sells belongs to its price, and an entry of a price book is nothing but its two lookups.
_GOODS = frozenset({"Product2Id", "PricebookEntryId", "PriceBookEntryId", "Pricebook2Id"})
_PRICED = frozenset({"UnitPrice", "TotalPrice"})


def shuffle(org: OrgTables, draw: Draw) -> None:
    """Hand the lookups of each record to another one of its object and month.

    A value goes only where there was one of the same kind, so that what is empty stays empty, and a lookup to a case
    stays one to a case. Everything else is left alone, and so is how often each parent is named in each month.
    """
    for item in org.registry.objects:
        months = [org.month(item, row) for row in org.rows(item.name)]
        for bundle in bundles(item):
            groups: dict[tuple[str, ...], list[Row]] = {}
            for month, row in zip(months, org.rows(item.name), strict=True):
                kinds = tuple(str(row.get(name) or "")[:3] for name in bundle)
                if any(kinds):
                    groups.setdefault((month, *kinds), []).append(row)
            for key in sorted(groups):
                _hand_on(groups[key], bundle, draw)


def bundles(item: ObjectDef) -> list[tuple[str, ...]]:
    """The lookups of an object that are permuted, those that go together in one."""
    priced = any(one.name in _PRICED for one in item.fields)
    names = [
        one.name
        for one in item.fields
        if one.type == "reference" and one.targets and not (priced and one.name in _GOODS)
    ]
    found: list[tuple[str, ...]] = []
    for group in _TOGETHER:
        if together := tuple(name for name in group if name in names):
            found.append(together)
            names = [name for name in names if name not in together]
    return [*found, *((name,) for name in names)]


def _hand_on(rows: list[Row], bundle: tuple[str, ...], draw: Draw) -> None:
    """Along one circle through all rows, so that every row gets what another had."""
    order = draw.shuffled(rows)
    values = [{name: row.get(name) for name in bundle} for row in order]
    for row, value in zip(order, [*values[1:], *values[:1]], strict=True):
        row.update(value)
