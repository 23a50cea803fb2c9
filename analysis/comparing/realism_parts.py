"""What a report shows of sensitivity, the ablation ladder, and the claims in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.comparing.page_parts import contrast_table, pair_parts
from analysis.comparing.wording import amount, apart, interval_of, named, people, tested
from analysis.document import Bullets, Cell, Heading, Paragraph, Part, Section, Table
from analysis.number_words import p_number

Row = Mapping[str, Any]
HOW = {
    "visits": "the same raters, on another visit",
    "arms": "other raters, in another arm",
    "dossiers": "dossiers, in one visit",
}
RECIPES = {
    "shuffled": "connections between records destroyed",
    "flat": "dates and owners spread evenly",
    "canned": "one text pattern per object",
    "pristine": "no gaps, no slips, every field filled",
}


def realism_section(found: Row, rows: Mapping[str, Row]) -> Section:
    """Each way of asking, with its sentence; then the ladder of other recipes."""
    parts: list[Part] = [
        Paragraph(
            "Sensitivity is approval of the Org less approval of its control, in which something was destroyed. It "
            "says whether raters would have noticed. Near zero, a high approval says little."
        )
    ]
    if found["note"]:
        parts.append(Paragraph(found["note"], "note"))
    for number, way in enumerate(found["ways"], start=1):
        parts += _way(way, rows, f"sensitivity-{number}")
    if found["ladder"]:
        parts += _ladder(found["ladder"], rows)
    return Section("sensitivity", "Sensitivity to realism", parts)


def _way(way: Row, rows: Mapping[str, Row], slug: str) -> list[Part]:
    row = rows[way["rows"]["objects"]]
    made = f"{way['recipe']}: {RECIPES[way['recipe']]}" if way["recipe"] in RECIPES else "recipe not told in the bundle"
    lead: list[Part] = [Paragraph(f"Asked by {HOW[way['how']]}. Control: {made}.")]
    if way["m5"]:
        lead.append(Paragraph(way["m5"], "note"))
    if way["how"] != "dossiers":
        heading, *rest = pair_parts(way, rows, slug, f"{named(way['a'])} against its control, {named(way['b'])}")
        return [heading, *lead, *rest]
    counts = way["counts"]
    words = (
        f"{counts['raters']} raters rated dossiers from both: {counts['org']['k']} of {counts['org']['n']} ratings of "
        f"the Org's and {counts['control']['k']} of {counts['control']['n']} of the control's were Realistic or Very "
        f"Realistic. {_sentence(row)}"
    )
    heading = Heading(f"Dossiers, {way['arm']}" if way["arm"] else "Dossiers")
    table = contrast_table(f"{slug}-contrasts", "Dossiers from the Org − from its control", _named(way["rows"]), rows)
    return [heading, *lead, Paragraph(words), table]


def _named(ids: Mapping[str, str]) -> dict[str, str]:
    return {"Approval, mean over raters": ids["objects"], "Mean score (1 to 5)": ids["score"]}


def _sentence(row: Row) -> str:
    if row["estimate"] is None:
        return f"No difference is given: {row['note']}."
    return f"Per rater, approval of the Org's was {apart(row)} ({interval_of(row)}{people(row)}{tested(row)})."


def _ladder(ladder: Sequence[Row], rows: Mapping[str, Row]) -> list[Part]:
    head = ("What was taken away", "Control", "Kind", "Difference in approval", "Interval", "Raters", "p")
    ids = [(step, rows[step["rows"]["objects"]]) for step in ladder]
    cells: list[list[Cell]] = []
    for step, row in ids:
        what = f"{step['recipe']}: {RECIPES.get(step['recipe'], 'a recipe of its own')}"
        between = f"{amount(row, row['low'])} to {amount(row, row['high'])}" if row["low"] is not None else row["note"]
        number = people(row).removesuffix(" raters")
        cells.append([what, step["b"], step["kind"], amount(row, row["estimate"]), between, number, p_number(row["p"])])
    data: list[list[str | int | float | None]] = [
        ["recipe", "org", "control", "kind", "estimate", "low", "high", "level", "n", "p"],
        *([step["recipe"], step["a"], step["b"], step["kind"], row["estimate"], row["low"], row["high"], row["level"],
           row["n"], row["p"]] for step, row in ids),
    ]  # fmt: skip
    words = "Other controls, each with one thing taken away; a rung near zero bought nothing that raters notice."
    table = Table("ablation-ladder", "Ablation ladder: Org − control", head, cells, words=(1, 2, 4), data=data)
    return [Heading("Ablation ladder"), Paragraph(words), table]


def claims_section(claims: Sequence[Row], rows: Mapping[str, Row]) -> Section:
    """The fixed order, and what came of each."""
    lead = (
        "The primary outcome is estimated, not tested. Claims are then tested in the order of the plan, each at "
        f"{claims[0]['alpha']:.2g}, stopping at the first that fails; what comes after it is shown and claimed nowhere."
    )
    head = ("Claim", "Contrast", "Difference", "p", "Outcome")
    cells: list[list[Cell]] = []
    for claim in claims:
        for entry in claim["rows"]:
            row = rows[entry["id"]]
            name = f"{row['a']} − {row['b']}"
            cells.append([claim["claim"], name, amount(row, row["estimate"]), p_number(entry["p"]), claim["outcome"]])
        if not claim["rows"]:
            cells.append([claim["claim"], "none", None, None, claim["outcome"]])
    note = "A claim with more than one contrast is adjusted by Holm within itself and passes when all of them do."
    titles = Bullets([f"{claim['claim']}. {claim['title']}." for claim in claims])
    table = Table("claims", "Claims in their order", head, cells, words=(1, 4), note=note)
    return Section("claims", "Claims in their order", [Paragraph(lead), titles, table])
