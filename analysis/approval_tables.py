"""What a report shows beside the headline: sections of the block `approval`, from results.json alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from analysis.approval_cells import counted, full_sentence, limits, raters, share, with_interval
from analysis.document import Cell, Figure, Heading, Paragraph, Part, Section, Table
from analysis.figures import percent
from analysis.figures_approval import objects_svg
from analysis.number_words import capital, p_words
from analysis.page_results import title_of

Row = Mapping[str, Any]
Data = list[Sequence[str | int | float | None]]
NAMES = {
    "org_approval": "Org approval",
    "mean_over_objects": "Mean over objects",
    "pooled_share": "Pooled share",
}
AGAIN = (
    "The interval of record is the first of each kind. The others answer one question: does what we say depend on the "
    "method? Clopper-Pearson never covers less than it promises and is the longest; Jeffreys has a Bayesian reading; "
    "logit-t and the bootstrap take the raters' own spread and no floor."
)
TOGETHER = (
    "An interval of one object speaks of that object. Who looks for the best or the worst of many needs the column "
    "“all at once”: it holds for every object together. The partially pooled share draws each object towards the mean, "
    "the more the fewer its ratings. It is for reading and ranking; the raw share stays the result."
)
MISSING = (
    "Can't judge is left out of approval. It is probably not missing by chance, since people pass over what looks odd. "
    "So both bounds stand beside it: all of them not approving, and all of them approving."
)
OPENED = "Informed approval counts only ratings of people who had opened a record of what they rated."
BETWEEN = (
    "Every snapshot is another Org of the same generator. The spread between them says how much an approval hangs on "
    "the Org that happened to be drawn."
)


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """Sections of the groups that have ratings; none where nobody rated, as in a blind bundle."""
    groups = [group for group in results.get("approval") or [] if _has_ratings(group)]
    wanted: tuple[tuple[str, str, str, Callable[[Row, str], list[Part]]], ...] = (
        ("intervals", "The headline by other intervals", AGAIN, _intervals),
        ("objects-together", "All objects at once", TOGETHER, _objects),
        ("cannot-judge", "Can't judge, with both bounds", MISSING, _cannot_judge),
        ("informed", "Informed approval", OPENED, _informed),
        ("snapshots", "Between snapshots", BETWEEN, _snapshots),
    )
    control = {group["arm"]: group.get("control") for group in results.get("groups") or []}
    titles = [title_of({"arm": group["arm"], "control": control.get(group["arm"])}) for group in groups]
    made = [(name, title, lead, list(_by_group(groups, titles, make))) for name, title, lead, make in wanted]
    return [Section(name, title, [Paragraph(lead), *parts]) for name, title, lead, parts in made if parts]


def _has_ratings(group: Row) -> bool:
    return bool(group["cannot_judge"]) or any(row["n"] for row in group["headlines"])


def _by_group(groups: Sequence[Row], titles: Sequence[str], make: Callable[[Row, str], list[Part]]) -> Iterator[Part]:
    for group, title, slug in zip(groups, titles, _slugs(groups), strict=True):
        parts = make(group, slug)
        if parts and len(groups) > 1:
            yield Heading(title)
        yield from parts


def _slugs(groups: Sequence[Row]) -> list[str]:
    """Names for files, one a group, different even where arms differ only in signs."""
    found: list[str] = []
    for group in groups:
        slug = re.sub(r"[^a-z0-9]+", "-", group["arm"].lower()).strip("-") or "all"
        found.append(slug if slug not in found else f"{slug}-{len(found) + 1}")
    return found


def _intervals(group: Row, slug: str) -> list[Part]:
    rows: list[Sequence[Cell]] = []
    data: Data = [["estimand", "estimator", "estimate", "low", "high", "k", "n", "raters", "deff", "note"]]
    for head in group["headlines"]:
        first = {name: head[name] for name in ("estimator", "low", "high", "note")}
        for place, one in enumerate([first, *head["others"]]):
            name = NAMES[head["estimand"]] if place == 0 else ""
            rows.append([name, capital(one["estimator"]), counted(head), share(head), limits(one), head["raters"]])
            counts = [head[name] for name in ("k", "n", "raters", "deff")]
            data.append([head["estimand"], one["estimator"], head["estimate"], one["low"], one["high"], *counts,
                         one["note"]])  # fmt: skip
    caption = f"Approval by other intervals, {group['level']:.0%}"
    head_line = ("Approval", "Interval by", "Approved", "Share", "Interval", "Raters")
    table = Table(f"intervals-{slug}", caption, head_line, rows, words=(1,), data=data, note=_notes(group))
    return [table, Paragraph(_mean_words(group))]


def _mean_words(group: Row) -> str:
    row = group["mean_score"]
    if row["estimate"] is None:
        return "Nobody gave a score, so there is no mean score over objects."
    said = f"Mean score over objects: {row['estimate']:.2f} of 5"
    if row["low"] is None:
        return f"{said}, {row['n']} ratings by {raters(row['raters'])}; {row['note']}."
    between = f"{group['level']:.0%} interval {row['low']:.2f} to {row['high']:.2f}"
    return f"{said} ({between}; {row['estimator']}), {row['n']} ratings by {raters(row['raters'])}."


def _notes(group: Row) -> str:
    found = [
        f"{one['estimator']}: {one['note']}" for head in group["headlines"] for one in head["others"] if one["note"]
    ]
    correlation = group["within_rater_correlation"]
    if correlation is not None and not group["few"]:
        found.append(f"two ratings of one rater correlate {correlation:.2f} (analysis of variance)".replace("-", "−"))
    if group["draws_without_an_object"]:
        found.append(
            f"in {group['draws_without_an_object']} of {group['replicates']} draws an object had no rater and left "
            "the mean"
        )
    return full_sentence("; ".join(dict.fromkeys(found)))


def _objects(group: Row, slug: str) -> list[Part]:
    objects = group["objects"]
    if not objects:
        return []
    rows: list[Sequence[Cell]] = []
    data: Data = [[
        "object", "k", "n", "raters", "estimate", "low", "high", "all_low", "all_high", "joint_low", "joint_high",
        "pooled", "pooled_low", "pooled_high",
    ]]  # fmt: skip
    for row in objects:
        band, joint, shrunk = (row[name] or {} for name in ("band", "joint_band", "pooled"))
        rows.append([row["label"], f"{row['k']} of {row['n']}", share(row), limits(row), limits(band),
                     share(shrunk), limits(shrunk)])  # fmt: skip
        data.append([row["target"], row["k"], row["n"], row["raters"], row["estimate"], row["low"], row["high"],
                     band.get("low"), band.get("high"), joint.get("low"), joint.get("high"), shrunk.get("estimate"),
                     shrunk.get("low"), shrunk.get("high")])  # fmt: skip
    head = ("Object", "Approved", "Share", "Interval", "All at once", "Partially pooled", "Interval")
    caption = f"Approval of each object, {group['level']:.0%}: alone, all at once, partially pooled"
    table = Table(f"objects-together-{slug}", caption, head, rows, data=data, note=_bands_note(group))
    parts: list[Part] = []
    drawn = [row for row in objects if row["estimate"] is not None]
    if drawn:
        parts.append(_figure(drawn, slug))
    return [*parts, table, *(Paragraph(text) for text in _objects_words(group) if text)]


def _figure(objects: Sequence[Row], slug: str) -> Figure:
    def draw(theme: str, width: int) -> str:
        return objects_svg(objects, theme, width, f"objects-together-{slug}")

    sentence = "Approval of each object with its interval, the band for all at once, and the partially pooled share."
    return Figure(f"objects-together-{slug}", draw, sentence)


def _bands_note(group: Row) -> str:
    plain, joint = group["bands"]["bonferroni"], group["bands"]["joint"]
    if plain["critical"] is None or group["few"]:
        return ""
    said = f"All at once: {plain['estimator']}, {plain['family']} objects, z = {plain['critical']:.2f}"
    if joint is not None and joint["replicates"]:
        said += f"; the joint replicates would allow {joint['critical']:.2f} (in the CSV)"
    return said + "."


def _objects_words(group: Row) -> Iterator[str]:
    banded = [row for row in group["objects"] if row["band"] is not None and row["band"]["low"] is not None]
    if len(banded) > 1:
        low, high = min(banded, key=lambda row: row["band"]["low"]), min(banded, key=lambda row: row["band"]["high"])
        yield (
            f"All objects at once, at {group['level']:.0%}: the lowest band begins at {percent(low['band']['low'])} "
            f"({low['label']}), and the first to end does so at {percent(high['band']['high'])} ({high['label']})."
        )
    if group["few"]:
        return
    yield _differ_words(group["heterogeneity"])
    prior = group["pooling"]
    if prior["mean"] is None:
        yield f"No partial pooling: {prior['note']}."
    elif prior["note"]:
        yield f"Partial pooling: {prior['note']}, so every object is drawn to {percent(prior['mean'])}."
    else:
        yield (
            f"Partial pooling: objects centre on {percent(prior['mean'])}; the pooled share of an object with n "
            f"ratings gives its own share the weight n/(n + {prior['concentration']:.0f})."
        )


def _differ_words(test: Row) -> str:
    if test["p"] is None:
        return f"Whether objects differ: {test['note']}."
    said = "Objects differ in approval by more than chance within raters" if test["p"] < 0.05 else (
        "Objects are not shown to differ in approval beyond chance within raters"
    )  # fmt: skip
    counts = f"{test['replicates']:,} permutations, {test['objects']} objects, {raters(test['raters'])}"
    spread = f"Σ(p − p̄)² = {test['statistic']:.3f}, by chance {test['expected']:.3f}"
    return f"{said} ({p_words(test['p'])}; {spread}; {counts})."


def _cannot_judge(group: Row, slug: str) -> list[Part]:
    rows: list[Sequence[Cell]] = []
    data: Data = [[
        "target", "cannot_judge", "asked", "share", "share_low", "share_high", "k", "n", "estimate", "low", "high",
        "worst", "worst_low", "worst_high", "best", "best_low", "best_high",
    ]]  # fmt: skip
    for row in group["cannot_judge"]:
        asked, given, worst, best = row["share"], row["approval"], row["worst"], row["best"]
        cells = (with_interval(one) for one in (asked, given, worst, best))
        rows.append([row["label"], counted(asked), *cells])
        ends = [one[name] for one in (given, worst, best) for name in ("estimate", "low", "high")]
        numbers = [asked["k"], asked["n"], asked["estimate"], asked["low"], asked["high"], given["k"], given["n"]]
        data.append([row["target"], *numbers, *ends])
    if not rows:
        return []
    caption = f"Can't judge, and approval with all of them against and for, {group['level']:.0%}"
    head = ("Rated", "Can't judge", "Share", "Approval", "All against", "All for")
    return [Table(f"cannot-judge-{slug}", caption, head, rows, data=data)]


def _informed(group: Row, slug: str) -> list[Part]:
    pairs = [(NAMES[row["estimand"]], row["estimand"], row["all"], row["informed"]) for row in group["informed"]]
    if not any(part["n"] for _, _, _, part in pairs):
        return []
    # No record belongs to the Org as a whole, so often nobody's rating of it is an informed one.
    pairs = [pair for pair in pairs if pair[3]["n"] or pair[1] != "org_approval"]
    pairs += [
        (row["label"], f"object_approval.{row['target']}", row, row["informed"])
        for row in group["objects"]
        if row["informed"] is not None
    ]
    rows = [
        [label, counted(whole), with_interval(whole), counted(part), with_interval(part)]
        for label, _, whole, part in pairs
    ]
    fields = ("k", "n", "raters", "estimate", "low", "high")
    data = [["estimand", *fields, *(f"informed_{name}" for name in fields)]]
    data += [[name, *(whole[key] for key in fields), *(part[key] for key in fields)] for _, name, whole, part in pairs]
    head = ("Approval", "All ratings", "Share", "Informed", "Share")
    caption = f"Approval on all ratings and on informed ones, {group['level']:.0%}"
    return [Table(f"informed-{slug}", caption, head, rows, data=data)]


def _snapshots(group: Row, slug: str) -> list[Part]:
    found = group["snapshots"]
    if not found["rows"]:
        return []
    rows = [
        [row["name"] or row["org_hash"][:12], row["raters"], counted(row), with_interval(row)] for row in found["rows"]
    ]
    fields = ("org_hash", "name", "raters", "k", "n", "estimate", "low", "high", "note")
    data = [list(fields), *([row[name] for name in fields] for row in found["rows"])]
    head = ("Snapshot", "Raters", "Approved", "Mean over objects")
    table = Table(
        f"snapshots-{slug}", f"Approval over objects in each snapshot, {group['level']:.0%}", head, rows, data=data
    )
    words = [full_sentence(found["note"])] if found["note"] else [
        _spread_words(found["approval"], "Approval", "percentage points", 1),
        _spread_words(found["score"], "Mean score", "points of the scale", 2),
    ]  # fmt: skip
    scope = f"Scope of the estimates: {group['scope']}."
    return [table, *(Paragraph(text) for text in (*words, scope))]


def _spread_words(spread: Row, what: str, unit: str, digits: int) -> str:
    counts = f"{spread['snapshots']} snapshots, {raters(spread['raters'])}"
    if spread["sd"] is None:
        return f"{what}, SD between snapshots: {spread['note']} ({counts})."
    limits = f"{spread['level']:.0%} interval {spread['low']:.{digits}f} to {spread['high']:.{digits}f}"
    said = (
        f"{what}, SD between snapshots: {spread['sd']:.{digits}f} {unit} ({limits}; {counts}), beside "
        f"{spread['within']:.{digits}f} between raters of one snapshot"
    )
    return f"{said}: {spread['note']}." if spread["note"] else f"{said}."
