"""The measured coverage as lines of text, and the short form of it that stays beside the code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from analysis.proving.judging import ERRORS, HIGHEST, LOWEST, Verdict, judged, percent, said
from analysis.proving.measuring import Amount, Cell
from analysis.proving.methods import PRIMARY

STORED = Path(__file__).with_name("coverage.json")


@dataclass(frozen=True)
class Summary:
    """One interval at one number of raters over all settings: lowest and highest coverage and mean half-width.

    error: the largest Monte Carlo standard error among the settings; studies: of each of them.
    """

    method: str
    raters: int
    lowest: float
    highest: float
    narrowest: float
    widest: float
    error: float
    studies: int


def summaries(cells: Sequence[Cell]) -> list[Summary]:
    """By interval, in the order measured, then by number of raters."""
    pairs = dict.fromkeys((cell.method, cell.raters) for cell in cells)
    order = {method: place for place, method in enumerate(dict.fromkeys(method for method, _ in pairs))}
    chosen = sorted(pairs, key=lambda pair: (order[pair[0]], pair[1]))
    return [_summary(*pair, [cell for cell in cells if (cell.method, cell.raters) == pair]) for pair in chosen]


def _summary(method: str, raters: int, own: Sequence[Cell]) -> Summary:
    coverage, width = [cell.coverage for cell in own], [cell.half_width for cell in own]
    error = max(cell.error for cell in own)
    spans = (min(coverage), max(coverage)), (min(width), max(width))
    (lowest, highest), (narrowest, widest) = ((round(low, 5), round(high, 5)) for low, high in spans)
    studies = min(cell.studies for cell in own)
    return Summary(method, raters, lowest, highest, narrowest, widest, round(error, 5), studies)


def lines(cells: Sequence[Cell], found: Verdict, amount: Amount, seed: int) -> Iterator[str]:
    """Everything the command prints."""
    yield f"Coverage of nominal 95 % intervals: {amount.studies} studies a cell, seed {seed}."
    yield f"Bootstrap: {amount.resampled} of them, {amount.resamples} resamples each. 15 % of the ratings are missing."
    yield "Each cell: coverage in % ± its Monte Carlo standard error / mean half-width in points."
    for setting in dict.fromkeys(cell.setting for cell in cells):
        yield ""
        yield said(setting).capitalize()
        yield from _block([cell for cell in cells if cell.setting == setting])
    yield ""
    yield "All settings: lowest to highest coverage in %"
    yield from summary_lines(summaries(cells))
    yield ""
    yield from rule_lines(found)


def _block(own: Sequence[Cell]) -> Iterator[str]:
    raters = sorted({cell.raters for cell in own})
    yield _line("raters", [f"{number:>14}" for number in raters])
    for method in dict.fromkeys(cell.method for cell in own):
        of_method = {cell.raters: cell for cell in own if cell.method == method}
        yield _line(method, [_figures(of_method[number]) for number in raters])


def _figures(cell: Cell) -> str:
    mark = {"short": "-", "conservative": "+"}.get(judged(cell), " ") if cell.method == PRIMARY else " "
    return f"{100 * cell.coverage:.1f}±{100 * cell.error:.1f}/{100 * cell.half_width:.1f}{mark}".rjust(14)


def summary_lines(found: Sequence[Summary]) -> Iterator[str]:
    """One line per interval, one column per number of raters."""
    raters = sorted({one.raters for one in found})
    yield _line("raters", [f"{number:>11}" for number in raters])
    for method in dict.fromkeys(one.method for one in found):
        own = {one.raters: one for one in found if one.method == method}
        spans = [f"{100 * own[number].lowest:.1f}–{100 * own[number].highest:.1f}" for number in raters]
        yield _line(method, [span.rjust(11) for span in spans])


def _line(name: str, parts: Sequence[str]) -> str:
    return f"{name:<41}{' '.join(parts)}"


def rule_lines(found: Verdict) -> Iterator[str]:
    """Where the primary interval may be used, from what was measured; then what is wrong, if anything is."""
    yield (
        f"Rule: a cell is short or conservative when its coverage lies more than {ERRORS} Monte Carlo standard errors "
        f"under {percent(LOWEST)} or over {percent(HIGHEST)}."
    )
    yield f"{PRIMARY[0].upper()}{PRIMARY[1:]}: {use_line(found)}"
    yield "The fewer studies, the larger the errors and the less a run can see; the documentation has the full run."
    if found.conservative:
        most = max(found.conservative, key=lambda cell: cell.raters)
        yield (
            f"Conservative (it holds, and is wider than it need be) in {len(found.conservative)} cells, "
            f"with up to {most.raters} raters."
        )
    for problem in found.problems:
        yield f"Not as documented: {problem}."


def use_line(found: Verdict) -> str:
    if found.use_from is None:
        return "short even with the most raters tried: do not use it."
    short = f"do not use it under {found.use_from} raters" if found.short else "short nowhere"
    exact = f"93 to 97 % within the error in every setting from {found.as_stated_from} raters on"
    return f"{short}; {exact if found.as_stated_from else 'conservative somewhere at every number tried'}."


def stored(cells: Sequence[Cell], found: Verdict, amount: Amount, seed: int) -> str:
    """The short form as JSON: how it was made, the rule's answer and one row per interval and number of raters."""
    content: dict[str, Any] = {
        "command": f"python -m analysis coverage --seed {seed}",
        "seed": seed,
        **asdict(amount),
        "use_from": found.use_from,
        "as_stated_from": found.as_stated_from,
        "rows": [asdict(one) for one in summaries(cells)],
    }
    head = json.dumps({key: value for key, value in content.items() if key != "rows"}, ensure_ascii=False, indent=1)
    rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in content["rows"])
    return f'{head[:-2]},\n "rows": [\n  {rows}\n ]\n}}\n'


def measured(method: str = PRIMARY, file: Path = STORED) -> list[Summary]:
    """What the last full run measured of one interval, by number of raters."""
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    return [Summary(**row) for row in rows if row["method"] == method]


def measured_at(raters: int, method: str = PRIMARY) -> Summary | None:
    """The row with the most raters that are no more than these; None under the fewest tried."""
    below = [one for one in measured(method) if one.raters <= raters]
    return max(below, key=lambda one: one.raters, default=None)
