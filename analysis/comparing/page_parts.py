"""What a report shows of one pair of groups: kind, primary contrast, figure, tables, crossover, equivalence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.comparing.wording import (
    amount,
    difference_sentence,
    equivalence_sentence,
    named,
    people,
)
from analysis.document import Cell, Figure, Heading, Paragraph, Part, Table
from analysis.figures_comparisons import dumbbell_svg, dumbbell_words
from analysis.number_words import minus, p_number

Row = Mapping[str, Any]
WHAT = {
    "objects": "Approval, mean over objects",
    "org": "Org approval",
    "score": "Mean score over objects (1 to 5)",
    "org_score": "Score of the Org (1 to 5)",
    "period": "Period: later visit − earlier",
    "order_adjusted": "Approval, adjusted for order",
    "first_visit": "Approval, first visits only",
}
HEAD = ("", "Difference", "Interval", "Raters", "Test", "p", "Effect size", "Note")
DATA = ("row", "id", "kind", "a", "b", "estimate", "low", "high", "level", "n", "raters_a", "raters_b", "estimator",
        "test", "p", "effect", "effect_name", "note")  # fmt: skip


def rows_of(results: Mapping[str, Any]) -> dict[str, Row]:
    """Contrasts of results.json by their id."""
    return {row["id"]: row for row in results.get("comparisons", ())}


def pair_parts(pair: Row, rows: Mapping[str, Row], slug: str, heading: str = "") -> list[Part]:
    """Parts of a section; slug: of its tables and figures."""
    primary = rows[pair["rows"]["objects"]]
    parts: list[Part] = [
        Heading(heading or f"{named(pair['a'])} and {named(pair['b'])}"),
        Paragraph(pair["sentence"]),
        Paragraph(difference_sentence(pair, primary, len(pair["sides"]["objects"]))),
    ]
    said = equivalence_sentence(pair["equivalence"], primary)
    # Of an Org and its control nobody asks for equivalence; finding it is worth a line.
    if said and (not heading or (pair["equivalence"]["equivalent"] and pair["equivalence"]["promised"])):
        parts.append(Paragraph(said))
    parts += _objects(pair, rows, slug)
    parts.append(contrast_table(f"{slug}-contrasts", f"{pair['a']} − {pair['b']}", pair["rows"], rows))
    return parts + _crossover(pair, rows, slug)


def contrast_table(name: str, caption: str, ids: Mapping[str, str], rows: Mapping[str, Row], note: str = "") -> Table:
    """Rows by what they are; differences in points of a hundred, of scores in points of the scale."""
    found = [(what, rows[row_id]) for what, row_id in ids.items() if row_id in rows]
    return Table(
        name, caption, HEAD, [_cells(WHAT.get(what, what), row) for what, row in found], words=(4, 6, 7),
        data=[DATA, *([what, *(row[key] for key in DATA[1:])] for what, row in found)], note=note,
    )  # fmt: skip


def _cells(what: str, row: Row) -> list[Cell]:
    between = f"{amount(row, row['low'])} to {amount(row, row['high'])}" if row["low"] is not None else ""
    size = "" if row["effect"] is None else f"{row['effect_name']} {minus(row['effect'])}"
    number = people(row).removesuffix(" raters")
    return [what, amount(row, row["estimate"]), between, number, row["test"], p_number(row["p"]), size, row["note"]]


def _objects(pair: Row, rows: Mapping[str, Row], slug: str) -> list[Part]:
    listed = [{**entry, **_shown(rows[entry["id"]])} for entry in pair["objects"]]
    if not listed:
        return []
    listed.sort(key=lambda entry: (-(entry["estimate"] if entry["estimate"] is not None else -2), entry["label"]))
    a, b = pair["a"], pair["b"]

    def draw(theme: str, width: int) -> str:
        return dumbbell_svg(listed, a, b, theme, width, slug)

    head = ("Object", f"{a}, approve", f"{b}, approve", "Difference", "Interval", "p", "p by Holm", "p by BH", "Note")
    cells = [_object_cells(entry) for entry in listed]
    test = " or ".join(dict.fromkeys(entry["test"] for entry in listed if entry["test"]))
    note = (
        f"Test of each object: {test}. Holm's p is for claims within this family of {len(listed)} objects; "
        "Benjamini–Hochberg's for screening."
        if test
        else ""
    )
    data_head = (
        "target",
        "label",
        "k_a",
        "n_a",
        "k_b",
        "n_b",
        "estimate",
        "low",
        "high",
        "p",
        "p_holm",
        "p_bh",
        "note",
    )
    data = [
        [entry["target"], entry["label"], entry["a"]["k"], entry["a"]["n"], entry["b"]["k"], entry["b"]["n"],
         entry["estimate"], entry["low"], entry["high"], entry["p"], entry["p_adjusted"],
         entry.get("benjamini_hochberg"), entry["note"]]
        for entry in listed
    ]  # fmt: skip
    return [
        Figure(f"{slug}-objects", draw, dumbbell_words(listed, a, b)),
        Table(f"{slug}-objects", f"Approval of each object, {a} and {b}", head, cells, words=(8,),
              data=[data_head, *data], note=note),
    ]  # fmt: skip


def _shown(row: Row) -> dict[str, Any]:
    return {key: row[key] for key in ("estimate", "low", "high", "p", "p_adjusted", "test", "note", "estimand")}


def _object_cells(entry: Row) -> list[Cell]:
    between = f"{amount(entry, entry['low'])} to {amount(entry, entry['high'])}" if entry["low"] is not None else ""
    return [
        entry["label"], f"{entry['a']['k']} of {entry['a']['n']}", f"{entry['b']['k']} of {entry['b']['n']}",
        amount(entry, entry["estimate"]), between, p_number(entry["p"]), p_number(entry["p_adjusted"]),
        p_number(entry.get("benjamini_hochberg")), entry["note"],
    ]  # fmt: skip


def _crossover(pair: Row, rows: Mapping[str, Row], slug: str) -> list[Part]:
    crossed = pair["crossover"]
    if not crossed:
        return []
    drawn = "The order was drawn by chance." if crossed["order_drawn"] else "The order was not drawn by chance."
    words = (
        f"Of those who rated both, {crossed['a_first']} had {named(pair['a'])} first and "
        f"{crossed['b_first']} {named(pair['b'])}. "
        f"{drawn} The rows below stand beside the paired one; none was chosen after a test."
    )
    caption = f"Order and period, {pair['a']} and {pair['b']}"
    return [Paragraph(words), contrast_table(f"{slug}-period", caption, crossed["rows"], rows)]
