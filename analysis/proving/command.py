"""`python -m analysis coverage`: measure, print, and fail when the documentation says something else."""

from __future__ import annotations

from pathlib import Path

from analysis.proving.judging import verdict
from analysis.proving.measuring import FULL, QUICK, RATERS, SETTINGS, Amount, measure
from analysis.proving.studies import Setting
from analysis.proving.telling import lines, stored

SEED = 20_260


def coverage(
    seed: int = SEED,
    *,
    quick: bool = False,
    out: Path | None = None,
    settings: tuple[Setting, ...] = SETTINGS,
    raters: tuple[int, ...] = RATERS,
    amount: Amount | None = None,
) -> int:
    """0 when the intervals cover as documented, 1 when not. out: where the short form goes as JSON."""
    amount = amount or (QUICK if quick else FULL)
    cells = measure(amount, seed, settings, raters)
    found = verdict(cells)
    print("\n".join(lines(cells, found, amount, seed)))
    if out:
        out.write_text(stored(cells, found, amount, seed), encoding="utf-8")
    return 1 if found.problems else 0
