"""How evenly what was given out lies over the tasks of a stratum. Plain values in, plain values out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from study.assignment import design
from study.assignment.told import ACTIVE, COMPLETED, VisitRow


def ranges(rows: Iterable[VisitRow], pools: Mapping[tuple[str, str], design.Pool]) -> list[tuple[str, str, int, int]]:
    """Per arm (with its visit) and stratum: the smallest and the largest exposure of its tasks."""
    tasks: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in rows:
        tasks[row.arm, row.condition].update(p[2] for p in row.places if p[4] in (ACTIVE, COMPLETED))
    found = []
    for key, pool in sorted(pools.items()):
        for stratum in pool.strata:
            counts = [tasks[key][task] for task in pool.balanced(stratum)]
            if counts:
                found.append((" ".join(filter(None, key)), stratum.code, min(counts), max(counts)))
    return found
