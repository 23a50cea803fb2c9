"""How many records of each object a world has at a scale, and how they are shared out among its branches."""

from __future__ import annotations

from math import ceil

from study.generator.groundwork.draw import apportioned
from study.generator.groundwork.plan import Plan

SMALLEST, LARGEST = 0.02, 200.0


def totals(plan: Plan, scale: float) -> dict[str, int]:
    """Records per object. What is fixed does not grow beyond scale 1; what is whole does not shrink below it either.

    No product stands twice in a price book or a category, so there are at most as many entries as pairs.
    ValueError for a scale outside 0.02 to 200.
    """
    if not SMALLEST <= scale <= LARGEST:
        raise ValueError(f"The scale must lie between {SMALLEST} and {LARGEST:g}, not {scale:g}.")
    found = {name: max(round(n * _factor(plan, name, scale)), _least(plan, name)) for name, n in plan.counts.items()}
    products = found["Product2"]
    found["PricebookEntry"] = min(found["PricebookEntry"], products * found["Pricebook2"])
    found["ProductCategoryProduct"] = min(found["ProductCategoryProduct"], products * found["ProductCategory"])
    return found


def _factor(plan: Plan, name: str, scale: float) -> float:
    if name in plan.fixed:
        return 1.0 if scale >= 1 or name in plan.whole else scale
    return scale


def _least(plan: Plan, name: str) -> int:
    """Never more than there are at scale 1."""
    return min(plan.least.get(name, 0), plan.counts[name])


def shares(plan: Plan, scale: float) -> list[dict[str, int]]:
    """The counts of each branch: one up to scale 1, else as many as the scale, rounded up."""
    number = max(1, ceil(scale))
    split = {
        name: [total] * number if name in plan.fixed else apportioned(total, [1] * number)
        for name, total in totals(plan, scale).items()
    }
    return [{name: parts[place] for name, parts in split.items()} for place in range(number)]
