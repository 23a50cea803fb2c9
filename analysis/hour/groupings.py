"""Cells of people small enough to tell who somebody is are merged; thirds of a measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.estimates import FEWEST

Cells = list[tuple[str, set[str]]]


def cells_of(answers: Mapping[str, Sequence[str]], order: Sequence[str], *, several: bool) -> Cells:
    """People per answer, cells under five merged: with neighbours where answers are ordered, together where not.

    answers: person to codes given. several: more than one code each, so that people may stand in several cells. What
    stays under five after merging is not a cell; (name, people), names joined by " · ".
    """
    given = {code for codes in answers.values() for code in codes}
    names = [*(code for code in order if code in given), *sorted(given - set(order))]
    cells = [(name, {person for person, codes in answers.items() if name in codes}) for name in names]
    return _together(cells) if several else _neighbours(cells)


def _neighbours(cells: Cells) -> Cells:
    merged: Cells = []
    for name, people in cells:
        if merged and len(merged[-1][1]) < FEWEST:
            before, others = merged.pop()
            merged.append((f"{before} · {name}", others | people))
        else:
            merged.append((name, people))
    if len(merged) > 1 and len(merged[-1][1]) < FEWEST:
        name, people = merged.pop()
        before, others = merged.pop()
        merged.append((f"{before} · {name}", others | people))
    return [cell for cell in merged if len(cell[1]) >= FEWEST]


def _together(cells: Cells) -> Cells:
    large = [cell for cell in cells if len(cell[1]) >= FEWEST]
    small = [cell for cell in cells if len(cell[1]) < FEWEST]
    people = set().union(*(own for _, own in small)) if small else set()
    if len(small) > 1 and len(people) >= FEWEST:
        large.append((" · ".join(name for name, _ in small), people))
    return large


def thirds(values: ArrayLike) -> NDArray[np.int_]:
    """0, 1 or 2 for each value: at most the lower tercile, between, above the upper one. Ties stay together."""
    data = np.asarray(values, dtype=float)
    if len(data) == 0:
        return np.zeros(0, dtype=np.int_)
    low, high = np.quantile(data, [1 / 3, 2 / 3])
    above: NDArray[np.int_] = (data > low).astype(np.int_) + (data > high).astype(np.int_)
    return above
