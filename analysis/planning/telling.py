"""A plan in plain text, up to 92 columns, and as JSON."""

from __future__ import annotations

import textwrap
from typing import Any

from analysis.plain_json import plain_json
from analysis.planning.plan import Plan, Row
from analysis.planning.stopping import StoppingRule

WIDTH = 92
HEAD = (
    ("", "", "mean over", "nine in", "Org", "smallest difference", "equivalent within"),
    ("", "", "objects,", "ten", "approval,", "seen (power .80)", "± {margin} points: power"),
    ("N", "begin", "half-width", "under", "half-width", "same", "other", "same", "other"),
)
WIDTHS = (4, 7, 12, 9, 12, 10, 10, 13, 10)


def lines_of(made: Plan) -> list[str]:
    """What `python -m analysis plan` prints. Widths and differences are percentage points; N counts analysed raters."""
    return [*_assumptions(made), "", *_table(made), "", *_needed(made), "", *_rule(made), *_notes(made)]


def to_json(made: Plan) -> dict[str, Any]:
    """The same as numbers: shares 0 to 1."""
    found: dict[str, Any] = plain_json(made)
    return found


def rule_words(rule: StoppingRule) -> str:
    """A stopping rule in one sentence."""
    if rule.kind == "fixed":
        return f"A fixed number: {rule.target} analysed raters, no looks."
    if rule.kind == "alpha_spending":
        name = {"obrien_fleming": "O'Brien–Fleming", "pocock": "Pocock"}.get(rule.spending or "", rule.spending)
        return (
            f"Looks at {', '.join(map(str, rule.planned))} analysed raters, each a test against "
            f"{100 * (rule.against or 0):g} % with {name} alpha spending."
        )
    what = "confidence sequence" if rule.kind == "confidence_sequence" else "interval"
    return (
        f"First look at {rule.first_look} analysed raters, then every {rule.every}; stop when half the width of "
        f"the {what} is at most {100 * (rule.half_width or 0):g} points, or at {rule.most}."
    )


def _assumptions(made: Plan) -> list[str]:
    assumed, asked = made.question.assumed, made.question
    said = (
        f"Assumed: approval {100 * assumed.share:g} %, severity SD {assumed.severity_sd:g} and object SD "
        f"{assumed.object_sd:g} (logit scale), {assumed.objects} objects, can't judge "
        f"{100 * assumed.cannot_judge:g} %, lost {100 * assumed.lost:g} %, correlation of a rater's severity "
        f"between Orgs {assumed.within_rater_correlation:g}. "
        f"{asked.replicates} simulated studies a cell, seed {asked.seed}."
    )
    return textwrap.wrap(said, WIDTH)


def _table(made: Plan) -> list[str]:
    margin = f"{100 * made.question.margin:g}"
    first = "".join(f"{cell:>{width}}" for cell, width in zip(HEAD[0][:5], WIDTHS, strict=False))
    second = "".join(f"{cell:>{width}}" for cell, width in zip(HEAD[1][:5], WIDTHS, strict=False))
    first += f"{HEAD[0][5]:>21}{HEAD[0][6]:>26}"
    second += f"{HEAD[1][5]:>21}{HEAD[1][6].format(margin=margin):>26}"
    third = "".join(f"{cell:>{width}}" for cell, width in zip(HEAD[2], WIDTHS, strict=True))
    title = "What N analysed raters give (percentage points; same: the same raters in both Orgs)"
    return [title, "", first, second, third, *(_row(row) for row in made.rows)]


def _row(row: Row) -> str:
    p = row.precision
    cells = (
        str(p.n), str(p.begin), f"± {100 * p.half_width:.1f}", f"{100 * p.ninth_decile:.1f}",
        f"± {100 * p.org_half_width:.1f}", _points(row.seen_paired), _points(row.seen_unpaired),
        _power(row.equivalence_paired), _power(row.equivalence_unpaired),
    )  # fmt: skip
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))


def _points(share: float | None) -> str:
    return "none" if share is None else f"{100 * share:.1f}"


def _power(share: float) -> str:
    return f"{share:.2f}".removeprefix("0") if share < 0.995 else "1.0"


def _needed(made: Plan) -> list[str]:
    rows = [f"  {row.for_what:<70}{row.n:>8}{row.begin:>9}" for row in made.needed]
    return [f"  {'Needed for the width, or for power .80':<70}{'N':>8}{'begin':>9}", *rows]


def _rule(made: Plan) -> list[str]:
    said = ["Stopping. " + rule_words(made.question.rule)]
    if found := made.characteristics:
        said.append(
            f"Over {found.replicates} studies that follow it: the interval at the end holds the truth in "
            f"{100 * found.coverage:.1f} %, its estimate is off by {100 * found.bias:+.1f} points on average, "
            f"{found.mean_n:.1f} raters are analysed (median {found.median_n:.0f}), and "
            f"{100 * found.reached:.0f} % reach the width by the last look."
        )
    return [line for one in said for line in textwrap.wrap(one, WIDTH)]


def _notes(made: Plan) -> list[str]:
    return ["", *(line for note in made.notes for line in textwrap.wrap(note, WIDTH))] if made.notes else []
