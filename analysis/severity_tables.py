"""What a report shows of the ordinal model: sections of the block `severity`, from results.json alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from analysis.agreement_tables import share, slug
from analysis.document import Figure, Heading, Paragraph, Part, Section, Table
from analysis.figures import percent
from analysis.figures_severity import caterpillar_svg, sentence, signed

Row = Mapping[str, Any]
MOST_DRAWN = 120  # raters in one figure; beyond that the table alone has them
Data = list[Sequence[str | int | float | None]]
MODEL = (
    "A cumulative logit model of the five points, with the objects as fixed effects and one random intercept per "
    "rater. It takes a rating as the sum of what the object earns and how mild the rater is. It is a second look: the "
    "headline rests on no model."
)
CATERPILLAR = (
    "Severity is the mode of a rater's own intercept, drawn towards 0 the more the fewer ratings there are. A severe "
    "rater is no worse rater, and nobody is left out for it."
)
BETWEEN = (
    "The same model with the Org as one more effect, on the objects both groups rated. The odds ratio of the same "
    "rater is conditional on who rates; approvals are averaged over raters, so that their odds ratio is nearer to 1. "
    "People may react to an Org differently, so that these intervals take raters as clusters (sandwich, t). These "
    "rows are exploratory; the contrasts of the plan stand with the comparisons."
)


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """The model of each group with ratings, and the effect of the Org between groups; none where nobody rated."""
    found = results.get("severity") or {}
    groups = [group for group in found.get("groups", ()) if group["n"]]
    made = []
    if groups:
        parts: list[Part] = [Paragraph(MODEL)]
        for group in groups:
            parts += _group(group, headed=len(groups) > 1)
        made.append(Section("severity", "Severity of raters", parts))
    pairs = [entry for entry in found.get("between", ()) if entry["n"]]
    if pairs:
        made.append(Section("org-effect", "The Org in the ordinal model", [Paragraph(BETWEEN), *_pairs(pairs)]))
    return made


def _group(group: Row, headed: bool) -> list[Part]:
    heading: list[Part] = [Heading(group["arm"])] if headed and group["arm"] else []
    if group["reason"]:
        return [*heading, Paragraph(f"No model: {group['reason']}.")]
    parts: list[Part] = [*heading, Paragraph(_spread_words(group))]
    if group["snapshots"] > 1:
        parts.append(Paragraph(f"Raters saw {group['snapshots']} Orgs; what differs between these is in the spread."))
    if group["severities"]:
        drawn = [_figure(group)] if len(group["severities"]) <= MOST_DRAWN else []
        parts += [Paragraph(CATERPILLAR), *drawn, _severities(group)]
    return [*parts, _objects(group), Paragraph(proportional_words(group["proportional"]))]


def _spread_words(group: Row) -> str:
    spread, approval = group["spread"], group["approval"]
    between = f" ({spread['low']:.2f} to {spread['high']:.2f})" if spread["low"] is not None else ""
    words = f"Standard deviation of raters in log odds: {spread['estimate']:.2f}{between}, {group['raters']} raters, "
    words += f"{group['n']} ratings, {group['level']:.0%} intervals; {percent(spread['latent_share'])} of the latent "
    words += "variance."
    if spread["note"]:
        words += f" {spread['note'][0].upper()}{spread['note'][1:]}."
    if approval["estimate"] is None:
        return f"{words} Approval by the model: {approval['reason']}."
    words += (
        f" Approval averaged over raters and objects: {percent(approval['estimate'], 1)} "
        f"({percent(approval['low'])[:-1]} to {percent(approval['high'])[:-1]})."
    )
    if group["severe"] is not None and spread["estimate"]:
        words += (
            f" A rater one standard deviation more severe than the typical one would approve "
            f"{percent(group['severe'])}, one as much milder {percent(group['mild'])}."
        )
    return words


def _figure(group: Row) -> Figure:
    name = f"severity-{slug(group['arm'])}"
    rows, level = group["severities"], group["level"]
    draw = partial(_draw, rows, name, level)
    return Figure(name, draw, sentence(rows, level))


def _draw(rows: Sequence[Row], name: str, level: float, theme: str, width: int) -> str:
    return caterpillar_svg(rows, theme, width, name, level)


def _severities(group: Row) -> Table:
    rows = [
        (row["rater"], signed(row["mode"]), f"{signed(row['low'])} to {signed(row['high'])}", row["n"])
        for row in group["severities"]
    ]
    head = ("Rater", "Severity (log odds)", "Interval", "Ratings")
    fields = ("rater", "mode", "se", "low", "high", "n")
    caption = f"Severity by rater, most severe first, {group['level']:.0%} intervals"
    return Table(f"severities-{slug(group['arm'])}", caption, head, rows, data=_data(fields, group["severities"]))


def _objects(group: Row) -> Table:
    rows = [
        (
            row["label"],
            None if row["effect"] is None else signed(row["effect"]),
            None if row["low"] is None else f"{signed(row['low'])} to {signed(row['high'])}",
            share(row["approval"]["estimate"]),
            _limits(row["approval"]),
            row["reason"] or row["approval"]["reason"] or None,
        )
        for row in sorted(group["objects"], key=lambda row: (row["effect"] is None, -(row["effect"] or 0.0)))
    ]
    head = ("Object", "Against the mean (log odds)", "Interval", "Approval by the model", "Interval", "Note")
    fields = ("target", "effect", "se", "low", "high", "odds_ratio", "odds_low", "odds_high")
    data: Data = [(*fields, "approval", "approval_low", "approval_high")]
    for row in group["objects"]:
        approval = row["approval"]
        data.append((*(row[field] for field in fields), approval["estimate"], approval["low"], approval["high"]))
    caption = f"Objects in the ordinal model, {group['level']:.0%} intervals"
    return Table(f"ordinal-{slug(group['arm'])}", caption, head, rows, words=(5,), data=data)


def proportional_words(found: Row) -> str:
    """What binary fits at the cuts say of one effect for all of them."""
    start = "Proportional odds: the model was fitted again to 3 or more, 4 or more and 5 against the rest."
    if not found["compared"]:
        return f"{start} No effect is estimable at any of these cuts."
    names = [
        f"{effect['name']} at {cut['cut']}" for cut in found["cuts"] for effect in cut["effects"] if effect["apart"]
    ]
    words = (
        f"{start} {found['apart']} of {found['compared']} effects lie more than two standard errors from the common one"
    )
    words += f" ({', '.join(names)})." if names else "."
    missing = sum(len(cut["not_estimable"]) for cut in found["cuts"])
    unfitted = [str(cut["cut"]) for cut in found["cuts"] if not cut["fitted"]]
    if missing:
        words += f" {missing} more {'is' if missing == 1 else 'are'} not estimable."
    if unfitted:
        words += f" No fit at {' and '.join(unfitted)}."
    return f"{words} This is a look, not a test."


def _pairs(entries: Sequence[Row]) -> list[Part]:
    shown = [entry for entry in entries if not entry["reason"] or entry.get("difference")]
    parts: list[Part] = [_effects(shown)] if shown else []
    for entry in entries:
        name = f"{entry['a']} against {entry['b']}"
        if entry not in shown:
            parts.append(Paragraph(f"{name}: {entry['reason']}."))
            continue
        if entry["cuts"]:
            at = "; ".join(f"{cut['cut']} or more {_ratio(cut)}" for cut in entry["cuts"])
            apart = [str(cut["cut"]) for cut in entry["cuts"] if cut["apart"]]
            odd = f" More than two standard errors from the common one at {', '.join(apart)}." if apart else ""
            parts.append(Paragraph(f"{name}, odds ratios by cut: {at}.{odd}"))
    return parts


def _effects(entries: Sequence[Row]) -> Table:
    rows = [
        (
            entry["a"], entry["b"], entry["kind"], _ratio(entry) or entry["reason"],
            share(entry["approval_a"]["estimate"]), share(entry["approval_b"]["estimate"]),
            _points(entry["difference"]), _marginal(entry), entry["raters_a"], entry["raters_b"], entry["n"],
        )
        for entry in entries
    ]  # fmt: skip
    head = ("a", "b", "Kind", "Odds ratio, same rater", "Approval a", "Approval b", "Difference in points",
            "Odds ratio, averaged", "Raters a", "Raters b", "Ratings")  # fmt: skip
    fields = ("a", "b", "kind", "effect", "se", "low", "high", "odds_ratio", "odds_low", "odds_high")
    data: Data = [(*fields, "difference", "difference_low", "difference_high", "marginal_odds_ratio",
                   "marginal_odds_low", "marginal_odds_high", "raters_a", "raters_b", "n")]  # fmt: skip
    for entry in entries:
        difference, odds = entry["difference"], entry["marginal_odds"]
        data.append(
            (*(entry[field] for field in fields), *(difference[key] for key in ("estimate", "low", "high")),
             *(odds[key] for key in ("estimate", "low", "high")), entry["raters_a"], entry["raters_b"], entry["n"])
        )  # fmt: skip
    caption = f"Effect of the Org, a against b, {entries[0]['level']:.0%} intervals"
    return Table("org-effect", caption, head, rows, words=(1, 2), data=data)


def _ratio(row: Row) -> str | None:
    if row["odds_ratio"] is None:
        return None
    return f"{row['odds_ratio']:.2f} ({row['odds_low']:.2f} to {row['odds_high']:.2f})"


def _marginal(entry: Row) -> str | None:
    odds = entry["marginal_odds"]
    if odds["estimate"] is None:
        return entry["marginal_reason"] or None
    return f"{odds['estimate']:.2f} ({odds['low']:.2f} to {odds['high']:.2f})"


def _points(row: Row) -> str | None:
    """A difference of shares in percentage points."""
    if row["estimate"] is None:
        return None
    value, low, high = (f"{100 * row[key]:+.1f}".replace("-", "−") for key in ("estimate", "low", "high"))
    return f"{value} ({low} to {high})"


def _limits(row: Row) -> str | None:
    if row["low"] is None or row["high"] is None:
        return None
    return f"{percent(row['low'])[:-1]} to {percent(row['high'])[:-1]}"


def _data(fields: Sequence[str], rows: Sequence[Row]) -> Data:
    return [fields, *([row[field] for field in fields] for row in rows)]
