"""What a report shows of published studies: bands, the dial of rho, printed numbers, and what is not claimed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.comparing.wording import amount
from analysis.document import Cell, Figure, Heading, Paragraph, Part, Section, Table
from analysis.figures_comparisons import beside_svg, beside_words
from analysis.number_words import p_number, p_words
from analysis.published import RHO

Row = Mapping[str, Any]
LEAD = (
    "A published figure was measured on other screens, with other people, in another year. It stands beside this study "
    "and is no measure of the Orgs. It is uncertain itself: with few raters, who are alike within themselves, its "
    "interval is wide. How alike isn't printed, so four values of the within-rater correlation rho are given."
)
OTHER_QUANTITY = {
    "mean_over_objects": ", which is a mean over objects and another quantity",
    "pooled_share": ", which is a share of ratings and another quantity",
}


def historical_section(found: Row, rows: Mapping[str, Row]) -> Section:
    parts: list[Part] = [Paragraph(LEAD)] if found["beside"] else []
    for number, entry in enumerate(found["beside"], start=1):
        parts += _entry(entry, rows, f"published-{number}")
    for entry in found["nothing"]:
        named = f"{entry['group']}: " if entry["group"] else ""
        parts.append(Paragraph(f"{named}{entry['why']}"))
    return Section("published-studies", "Published studies beside this one", parts)


def _entry(entry: Row, rows: Mapping[str, Row], slug: str) -> list[Part]:
    group = entry["group"] or "This study"
    parts: list[Part] = [
        Heading(f"{group} beside {entry['title']} {entry['arm']} ({entry['year']})"),
        Paragraph(f"{entry['citation']}. Shown because {entry['why']}. Kind: historical."),
    ]
    if entry["common"]:
        parts += _objects(entry, rows, group, slug)
    return parts + _org(entry, rows, group)


def _objects(entry: Row, rows: Mapping[str, Row], group: str, slug: str) -> list[Part]:
    own, drawn = entry["own"], _drawn(entry, group)

    def draw(theme: str, width: int) -> str:
        return beside_svg(drawn, theme, width, slug)

    count = f"{len(entry['common'])} of its {entry['published_objects']} objects were rated here; both sides are the "
    if own["estimate"] is None:
        said = f"{own['k']} of {own['n']} ratings, {own['note']}."
    else:
        said = f"{group}: {own['estimate']:.1%} ({own['low']:.0%} to {own['high']:.0%}, {own['raters']} raters)."
    words = [count + f"mean over these objects. {said}", *(_sentence(one) for one in entry["published"])]
    if any(one["printed"] for one in entry["published"]):
        words.append(
            "The number its text prints does not follow from its own figure. Both are shown, and which is right isn't "
            "known."
        )
    return [Paragraph(" ".join(words)), Figure(f"{slug}-bands", draw, beside_words(drawn)), _dial(entry, group, slug)]


def _sentence(one: Row) -> str:
    band = next(band for band in one["bands"] if band["rho"] == RHO)
    lead = f"Published, {one['what']}: {one['share']:.1%}"
    said = f"{lead} (other screens, people and year; its own interval {band['low']:.0%} to {band['high']:.0%} at rho "
    said += f"{RHO:g}, {one['raters']} raters)."
    at = next((row for row in one["dial"] if row["rho"] == RHO), None)
    if at is None:
        return said
    row = {**at, "estimand": ""}
    return (
        f"{said} Difference {amount(row, at['estimate'])} points ({amount(row, at['low'])} to "
        f"{amount(row, at['high'])}; {p_words(at['p'])})."
    )


def _drawn(entry: Row, group: str) -> list[dict[str, Any]]:
    own = entry["own"]
    rows = [{"label": group, "estimate": own["estimate"], "low": own["low"], "high": own["high"], "own": True,
             "printed": False}]  # fmt: skip
    for one in entry["published"]:
        for band in one["bands"]:
            if one["printed"] and band["rho"] != RHO:
                continue
            label = f"{entry['arm']}, {'printed' if one['printed'] else 'its figure'}, rho {band['rho']:g}"
            rows.append({"label": label, "estimate": one["share"], "low": band["low"], "high": band["high"],
                         "own": False, "printed": one["printed"]})  # fmt: skip
    return rows


def _dial(entry: Row, group: str, slug: str) -> Table:
    head = ("Published, and rho", "Published", "Its interval", f"{group} − published", "Interval", "p")
    cells: list[list[Cell]] = []
    data: list[list[str | int | float | None]] = [
        ["what", "rho", "share", "band_low", "band_high", "difference", "low", "high", "df", "p"]
    ]
    for one in entry["published"]:
        by_rho = {row["rho"]: row for row in one["dial"]}
        for band in one["bands"]:
            at = by_rho.get(band["rho"])
            row = {"estimand": ""}
            told = ["", "", ""] if at is None else [
                amount(row, at["estimate"]), f"{amount(row, at['low'])} to {amount(row, at['high'])}", p_number(at["p"])
            ]  # fmt: skip
            between = f"{band['low']:.0%} to {band['high']:.0%}"
            cells.append([f"{one['what']}, rho {band['rho']:g}", f"{one['share']:.1%}", between, *told])
            numbers = [at[key] if at else None for key in ("estimate", "low", "high", "df", "p")]
            data.append([one["what"], band["rho"], one["share"], band["low"], band["high"], *numbers])
    note = (
        "Its interval: cluster Wilson with a design effect of 1 + (ratings per rater − 1)·rho. Difference: both "
        "variances, t on the smaller number of raters less one. Historical: not an effect of anything."
    )
    return Table(f"{slug}-dial", f"{group} and {entry['title']} {entry['arm']}", head, cells, data=data, note=note)


def _org(entry: Row, rows: Mapping[str, Row], group: str) -> list[Part]:
    org = entry["org"]
    if not org:
        return []
    words = []
    for row_id in org.get("rows", ()):
        row = rows[row_id]
        words.append(
            f"Org approval: {org['k']} of {org['n']} here; difference to the published "
            f"{amount(row, row['estimate'])} points ({row['level']:.0%} interval {amount(row, row['low'])} to "
            f"{amount(row, row['high'])}, both uncertain)."
        )
    for one in org["fixed"]:
        other = OTHER_QUANTITY.get(one["estimand"], "")
        words.append(
            f"Against a fixed {one['share']:.1%}, as if that number were known without error{other}: {org['k']} of "
            f"{org['n']} raters approved of the Org ({org['low']:.0%} to {org['high']:.0%}); exact binomial, "
            f"{p_words(one['p'])}."
        )
    if org["note"]:
        words.append(f"Org approval: {org['k']} of {org['n']}; {org['note']}.")
    return [Paragraph(" ".join(words))] if words else []
