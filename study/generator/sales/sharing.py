"""Sharing out whole numbers and choosing by weight, with chance: for what people have many or few of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

from study.generator.groundwork.draw import Draw, apportioned

T = TypeVar("T")


def scattered(draw: Draw, total: int, weights: Sequence[float], *, least: int = 0, most: int) -> list[int]:
    """Whole numbers that sum to exactly ``total``, by weights and chance, within ``least`` and ``most`` each.

    Unlike ``apportioned`` equal weights get unequal numbers. ValueError where the total cannot be met.
    """
    n = len(weights)
    if not least * n <= total <= most * n:
        return apportioned(total, weights, least=least, most=most)  # which says what is wrong
    whole = sum(weights) or 1.0
    rest = total - least * n
    shares = [min(least + int(rest * weight / whole + draw.share()), most) for weight in weights]
    gap = total - sum(shares)
    order = draw.shuffled(range(n))
    while gap:
        for place in order:
            if gap > 0 and shares[place] < most:
                shares[place] += 1
                gap -= 1
            elif gap < 0 and shares[place] > least:
                shares[place] -= 1
                gap += 1
            if not gap:
                break
    return shares


def chosen(draw: Draw, things: Sequence[T], n: int, weights: Sequence[float]) -> list[T]:
    """``n`` different ones (all if there are fewer), each as likely as its weight beside those that are left."""
    if n >= len(things):
        return list(things)
    sums, taken, places = list(accumulate(weights)), set[int](), range(len(things))
    found: list[T] = []
    for _ in range(60 * n):
        if len(found) == n or not sums[-1]:
            break
        place = draw.summed(places, sums)
        if place not in taken:
            taken.add(place)
            found.append(things[place])
    for place in sorted((p for p in places if p not in taken), key=lambda p: (-weights[p], p)):
        if len(found) == n:
            break
        found.append(things[place])
    return found
