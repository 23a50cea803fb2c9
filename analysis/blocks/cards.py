"""Cards after the lock: anchors, reference cards, choices between two records. They never enter the headline (M6)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.blocks import Block, Earlier, Found
from analysis.context import Context
from analysis.discrimination.cards import cards_of_arm
from analysis.document import Figure, Heading, Paragraph, Part, Section, Table
from analysis.estimates import Estimate
from analysis.figures import interval_words, percent
from analysis.figures_cards import grades_sentence, grades_svg
from analysis.hour.telling import slug

KEY = "cards"
Data = Mapping[str, Any]


def compute(context: Context, earlier: Earlier) -> Found:
    arms = sorted(set(context.visits["arm"]) - {""})
    found = [one for one in (cards_of_arm(context, arm) for arm in arms) if one["kinds"]]
    why = "" if found else "no cards were shown after the lock, or no ratings of them are in the bundle"
    return Found({"why": why, "arms": found}, [row for one in found for row in _estimates(context, one)])


def _estimates(context: Context, found: Data) -> list[Estimate]:
    arm, rows = found["arm"], []
    for one in found["anchors"]:
        name = _slug(one["card_set"])
        rows.append(_t(context, arm, "anchor_difference", name, one["difference"], one))
        rows.append(_t(context, arm, "anchor_auc", name, one["auc"], one))
    for one in found["reference"]:
        rows.append(_t(context, arm, "reference_severity", _slug(one["card_set"]), one["severity"], one))
    if found["pairs"]:
        share = found["pairs"]["preferred"]
        rows.append(
            Estimate(
                f"{arm}.pair_preference", "pair_preference", "cluster Wilson, raters as clusters", "this Org", arm,
                "pairs", share["estimate"], share["low"], share["high"], context.level, share["k"], share["n"],
                share["raters"], share["deff"], 0, None, share["note"],
            )
        )  # fmt: skip
    return rows


def _t(context: Context, arm: str, estimand: str, target: str, row: Data, own: Data) -> Estimate:
    return Estimate(
        f"{arm}.{estimand}.{target}", estimand, "t", f"the cards {target}", arm, target, row["mean"], row["low"],
        row["high"], context.level, None, own["ratings"], row["n"], None, own.get("cannot_judge", 0), None, row["note"],
    )  # fmt: skip


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_/-]+", "-", name) or "cards"


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    found = results.get(KEY)
    if not found or not found["arms"]:
        return ()
    several = len(found["arms"]) > 1
    parts: list[Part] = [
        Paragraph(
            "Cards were shown on pages of their own once all ratings were locked. They say whether people notice "
            "faults, and how severe they are on cards that never change. They never count in the headline."
        )
    ]
    for arm in found["arms"]:
        parts += [Heading(f"Arm {arm['arm']}")] if several else []
        parts += [part for one in arm["anchors"] for part in _anchor_parts(arm, one)]
        parts += [part for one in arm["reference"] for part in _reference_parts(arm, one)]
        parts += _pair_parts(arm) if arm["pairs"] else []
        parts += _real_parts(arm["real"]) if arm["real"] else []
    return (Section("cards", "Cards after the lock", parts),)


def _name(*words: str) -> str:
    return "-".join(slug(word) for word in words)


def _anchor_parts(arm: Data, one: Data) -> list[Part]:
    p = "" if one["p"] is None else f", {_p(one['p'])} by {one['test']}"
    gap, area, slope = one["difference"], one["auc"], one["slope"]
    said = [
        f"Anchors: {one['clean']} clean and {one['broken']} broken cards, {one['raters']} raters. Clean ones were "
        f"rated {_number(gap)} points higher{p}. Area under the curve, averaged over raters: {_number(area)}; a half "
        "is chance.",
        f"Each size of the fault more moved a rating by {_number(slope)} points.",
    ]
    if one["single"] is not None:
        single = one["single"]
        said.append(
            f"Of single raters {single['at_most_half']} rated the broken cards no lower; "
            f"{single['three_quarters']} had an area of three quarters or more, which answering at random reaches in "
            "about 7 of 100 cases with six cards of either kind, and more seldom with more."
        )
    return [*map(Paragraph, said), *_grades(arm, one, "anchors"), _fault_table(arm, one)]


def _grades(arm: Data, one: Data, kind: str) -> list[Part]:
    """The figure of means by size of the fault, and the same numbers as a table."""
    name = _name("cards", kind, arm["arm"], one["card_set"])
    grades = one["grades"]
    words = grades_sentence(grades)
    rows = [
        (_size(row["grade"]), _plain(row["mean"]), _range(row), row["ratings"], row["n"], row["note"]) for row in grades
    ]
    head = ("Fault", "Mean", "Interval", "ratings", "raters", "Note")
    data = [("grade", "mean", "low", "high", "ratings", "raters"),
            *((r["grade"], r["mean"], r["low"], r["high"], r["ratings"], r["n"]) for r in grades)]  # fmt: skip
    table = Table(f"{name}-grades", f"Mean rating by size of the fault, {one['card_set']}", head, rows, (5,), data)
    if all(row["mean"] is None for row in grades):
        return [table]

    def draw(theme: str, width: int) -> str:
        return grades_svg(grades, theme, width, name)

    return [Figure(f"{name}-figure", draw, words), table]


def _fault_table(arm: Data, one: Data) -> Table:
    rows = [
        (row["fault"].replace("_", " "), row["cards"], _plain(row["mean"]), _range(row), row["n"])
        for row in one["faults"]
    ]
    name = _name("cards", "faults", arm["arm"], one["card_set"])
    return Table(name, "Mean rating by fault", ("Fault", "cards", "Mean", "Interval", "raters"), rows)


def _reference_parts(arm: Data, one: Data) -> list[Part]:
    row, full = one["severity"], one["complete"]
    said = (
        f"Reference cards {one['card_set']}: the mean of the {one['cards']} is {_number(row)} on the scale of five, by "
        f"{one['raters']} raters. A card that somebody could not judge counts as the others' mean of it, moved by how "
        f"that person rated the rest. {one['complete_raters']} judged every card: {_number(full)}. The cards never "
        "change, so a study with a higher mean had milder raters."
    )
    if not one["complete_set"]:
        said += " Not all twelve were shown, so it does not compare with other studies."
    values = one["by_rater"]
    parts: list[Part] = [Paragraph(said)]
    if values:
        low, middle, high = values[0], values[len(values) // 2], values[-1]
        parts.append(
            Paragraph(f"By rater the mean runs from {low:.2f} to {high:.2f}, with {middle:.2f} in the middle.")
        )
    return [*parts, *_grades(arm, one, "reference")]


def _pair_parts(arm: Data) -> list[Part]:
    pairs = arm["pairs"]
    labels = (
        ("preferred", "The Org's record taken"), ("org_first", "… when it stood first"),
        ("org_second", "… when it stood second"), ("chose_first", "The first one taken, whichever it was"),
    )  # fmt: skip
    rows = [
        (label, pairs[key]["k"], pairs[key]["n"], _share(pairs[key]), interval_words(pairs[key]), pairs[key]["raters"])
        for key, label in labels
    ]
    head = ("Choice", "k", "n", "Share", "Interval", "raters")
    parts: list[Part] = [Table(_name("cards", "pairs", arm["arm"]), "Choices between two records", head, rows)]
    if pairs["reading"]:
        against = "a real one" if pairs["against_real"] else "its control" if pairs["control"] else "another Org"
        d = "" if pairs["d_prime"] is None else f" (d′ {pairs['d_prime']:.2f})"
        parts.append(
            Paragraph(f"Against {against}: {pairs['reading']}{d}. The margin is a half, ten points either way.")
        )
    return parts


def _real_parts(real: Data) -> list[Part]:
    return [
        Paragraph(f"Real records against made ones: d′ {_number(real['d_prime'])}, averaged over raters; 0 is chance.")
    ]


def _number(row: Data) -> str:
    """A mean with its interval: 0.83 (0.78 to 0.88), or why there is none."""
    if row["mean"] is None:
        return f"not given ({row['note']})"
    words = _range(row)
    return _plain(row["mean"]) + (f" ({words})" if words else "")


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _range(row: Data) -> str:
    return "" if row["low"] is None else f"{_plain(row['low'])} to {_plain(row['high'])}"


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}".replace("-", "−")


def _share(row: Data) -> str:
    return "" if row["estimate"] is None else percent(row["estimate"], 1)


def _size(grade: int) -> str:
    return "none" if grade == 0 else f"size {grade}"


BLOCK = Block(KEY, compute, sections)
