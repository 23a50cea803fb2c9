"""What the measured coverage says: where the primary interval may be used, and whether the naive one is as bad as told.

A cell is a setting at a number of raters. Its coverage is known up to a Monte Carlo standard error, so it counts as
outside a range only where it lies more than three of them outside:

- *short*: under 93 %. The interval claims more than it knows. No number of raters with such a cell may be used.
- *conservative*: over 97 %. The interval holds, and is wider than it need be. It may be used, and is named.
- *as stated*: everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.proving.measuring import Cell
from analysis.proving.methods import NAIVE, PRIMARY
from analysis.proving.studies import Setting

LOWEST, HIGHEST = 0.93, 0.97
ERRORS = 3
USE_FROM = 6
"""docs/statistics.md: no setting is short from here on; the smallest number tried that gives a percentage at all."""
AS_STATED_FROM = 20
"""docs/statistics.md: from here on every setting is as stated, so neither short nor conservative."""
NAIVE_RANGE = (0.62, 0.83)
"""Measured: 65.9 to 79.7 %. The upper end is what matters; the lower one lets a short run err."""
NAIVE_WHERE = ((0.7, 0.65), (1.2, 0.65), (1.2, 0.9))
"""Severity and approval with 20 objects, where the naive interval covers so little whatever the number of raters."""
SHORT, CONSERVATIVE, AS_STATED = "short", "conservative", "as stated"


def judged(cell: Cell) -> str:
    """short, conservative or as stated."""
    if cell.coverage + ERRORS * cell.error < LOWEST:
        return SHORT
    return CONSERVATIVE if cell.coverage - ERRORS * cell.error > HIGHEST else AS_STATED


@dataclass(frozen=True)
class Verdict:
    """use_from, as_stated_from: numbers of raters found, None where there is none. problems: why a check fails."""

    use_from: int | None
    as_stated_from: int | None
    short: tuple[Cell, ...]
    conservative: tuple[Cell, ...]
    problems: tuple[str, ...]


def verdict(cells: Sequence[Cell], primary: str = PRIMARY) -> Verdict:
    """The rule above on measured cells, held against what docs/statistics.md says."""
    own = [cell for cell in cells if cell.method == primary]
    if not own:
        raise ValueError(f"no coverage of {primary!r} was measured; measure it first")
    short = tuple(cell for cell in own if judged(cell) == SHORT)
    conservative = tuple(cell for cell in own if judged(cell) == CONSERVATIVE)
    use_from = first_without(own, short)
    as_stated_from = first_without(own, short + conservative)
    problems = [
        f"{primary} is short ({percent(cell.coverage)}) {where(cell)}, where the documentation lets it be used"
        for cell in short
        if cell.raters >= USE_FROM
    ]
    problems += [
        f"{primary} is conservative ({percent(cell.coverage)}) {where(cell)}, where it is said to be as stated"
        for cell in conservative
        if cell.raters >= AS_STATED_FROM
    ]
    return Verdict(use_from, as_stated_from, short, conservative, (*problems, *naive_problems(cells)))


def first_without(cells: Sequence[Cell], bad: Sequence[Cell]) -> int | None:
    """The smallest number of raters from which no cell is bad."""
    worst = max((cell.raters for cell in bad), default=0)
    return min((cell.raters for cell in cells if cell.raters > worst), default=None)


def naive_problems(cells: Sequence[Cell]) -> list[str]:
    """A harness in which the naive interval looks good proves nothing."""
    low, high = NAIVE_RANGE
    return [
        f"{NAIVE} covers {percent(cell.coverage)} {where(cell)}; it is said to cover {percent(low)} to {percent(high)}"
        for cell in cells
        if cell.method == NAIVE and is_naive_case(cell)
        if not low - ERRORS * cell.error <= cell.coverage <= high + ERRORS * cell.error
    ]


def is_naive_case(cell: Cell) -> bool:
    setting = cell.setting
    stated = setting.objects == 20 and (setting.severity, setting.approval) in NAIVE_WHERE
    return stated and cell.raters >= USE_FROM


def where(cell: Cell) -> str:
    setting = cell.setting
    return f"at {said(setting)}, {cell.raters} raters"


def said(setting: Setting) -> str:
    return f"severity {setting.severity:g}, approval {setting.approval:g}, {setting.objects} objects"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"
