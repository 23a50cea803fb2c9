"""What a report shows of the coding: sections of the block `themes`, from results.json alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.agreement_tables import limits, number, share
from analysis.document import Cell, Paragraph, Part, Section, Table

Row = Mapping[str, Any]
Data = list[Sequence[str | int | float | None]]
SIDES = {"right": "looked right", "off": "looked off", "why": "why"}
HOW = (
    "Coders read each rationale without the rating, the arm and the Org in sight. Agreement is per code: given or not, "
    "over all rationales that two coders read. Intervals leave out one participant at a time, since what one person "
    "wrote belongs together. A code that is rarely given has a low kappa for that reason alone; AC1 does not fall with "
    "it, and the counts stand beside both."
)


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """Agreement of the coders and themes; none without codes, a sentence where they can't be counted."""
    found = results.get("themes") or {}
    if not found.get("codes"):
        return []
    parts: list[Part] = [Paragraph(HOW), Paragraph(_read(found))]
    if found["note"]:
        parts.append(Paragraph(f"{found['note'][0].upper()}{found['note'][1:]}.", "note"))
    if len(found["coders"]) > 1:
        parts.append(_agreement(found))
    parts.append(Paragraph(_settled(found["settled"])))
    if any(theme["n"] for theme in found["themes"]):
        parts += [_themes(found["themes"]), _places(found["themes"])]
    return [Section("themes", "Themes of the rationales", parts)]


def _read(found: Row) -> str:
    coders = ", ".join(f"{row['coder']} {row['read']}" for row in found["coders"]) or "none"
    return f"{found['coded']} of {found['rationales']} rationales were coded. Read by coder: {coders}."


def _settled(row: Row) -> str:
    words = (
        f"Codes that count: settled by the coders afterwards on {row['by_resolution']} rationales; on {row['by_all']} "
        f"those that every coder gave, of which {row['disputed']} were disputed and not settled."
    )
    if row["alone"]:
        words += f" {row['alone']} rationales were read by one coder only and are in no theme."
    if row["not_analysed"]:
        words += f" {row['not_analysed']} come from visits outside the primary set and are not counted."
    return f"{words} {row['without_code']} got no code."


def _agreement(found: Row) -> Table:
    names = [one["coefficient"] for one in found["codes"][0]["agreement"]]
    coders = [row["coder"] for row in found["coders"]]
    rows = [
        (
            code["code"], *(_coefficient(one) for one in code["agreement"]), share(code["percent"]),
            share(code["prevalence"]), *code["by"], code["texts"], code["participants"],
        )
        for code in found["codes"]
    ]  # fmt: skip
    head = ("Code", *names, "Agreeing pairs", "Prevalence", *(f"by {name}" for name in coders), "Rationales",
            "People")  # fmt: skip
    data: Data = [
        ("code", "coefficient", "value", "low", "high", "reason", "percent", "prevalence", "all", "some", "none",
         "texts", "participants")
    ]  # fmt: skip
    data += [
        (
            code["code"], one["coefficient"], one["value"], one["low"], one["high"], one["reason"], code["percent"],
            code["prevalence"], code["all"], code["some"], code["none"], code["texts"], code["participants"],
        )
        for code in found["codes"]
        for one in code["agreement"]
    ]  # fmt: skip
    caption = f"Agreement of the coders by code, {found['level']:.0%} intervals"
    return Table("code-agreement", caption, head, rows, data=data)


def _coefficient(row: Row) -> Cell:
    if row["value"] is None:
        return row["reason"]  # type: ignore[no-any-return]
    between = limits(row)
    return f"{number(row['value'])} ({between})" if between else number(row["value"])


def _themes(themes: Sequence[Row]) -> Table:
    rows = [
        (theme["code"], theme["n"], theme["participants"], *(_on(theme, side) for side in SIDES)) for theme in themes
    ]
    head = ("Theme", "Rationales", "People", *(words.capitalize() for words in SIDES.values()))
    return Table("themes", "Themes, most frequent first", head, rows)


def _on(theme: Row, side: str) -> int:
    return sum(row["n"] for row in theme["counts"] if row["side"] == side)


def _places(themes: Sequence[Row]) -> Table:
    """By object and side; the group too where there are several."""
    listed = [(theme["code"], row) for theme in themes for row in theme["counts"]]
    several = len({row["arm"] for _, row in listed}) > 1
    rows = [
        (
            code, *([row["arm"]] if several else []), row["label"], SIDES.get(row["side"], row["side"]), row["n"],
            row["participants"],
        )
        for code, row in sorted(listed, key=lambda entry: (entry[0], entry[1]["arm"], -entry[1]["n"]))
    ]  # fmt: skip
    head = ("Theme", *(["Group"] if several else []), "Object", "Side", "Rationales", "People")
    data: Data = [("code", "arm", "kind", "target", "side", "n", "participants")]
    data += [
        (code, row["arm"], row["kind"], row["target"], row["side"], row["n"], row["participants"])
        for code, row in listed
    ]
    return Table(
        "themes-by-object", "Themes by object and side", head, rows, words=(1, 2, 3) if several else (1, 2), data=data
    )
