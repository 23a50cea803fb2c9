"""What a results page shows beyond the headline: the profile, differences, agreement, and the rows of sensitivity.

Words and numbers come from a stored row; nothing is computed here, and a row from before a part was there shows less.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from study.results.presenting import percent, words

Row = Mapping[str, Any]
SHOWN = ("arm_difference", "sensitivity")
"""Differences that stand on the page; the report has all of them."""
COEFFICIENTS = 3
"""Ordinal alpha, ordinal AC2, AC1 on approval: the first ones the analysis gives."""


@dataclass(frozen=True)
class Difference:
    name: str
    kind: str
    points: str
    interval: str
    p: str
    test: str
    people: str
    note: str


@dataclass(frozen=True)
class Coefficient:
    arm: str
    name: str
    value: str
    interval: str
    units: int
    raters: int


@dataclass(frozen=True)
class Look:
    """One row of sensitivity: the primary estimate under another choice."""

    label: str
    share: str
    interval: str
    n: int
    raters: int
    difference: str
    note: str
    primary: bool


@dataclass(frozen=True)
class Looks:
    arm: str
    rows: tuple[Look, ...]


@dataclass(frozen=True)
class Findings:
    profile: bool
    differences: tuple[Difference, ...]
    insensitive: tuple[str, ...]
    agreement: tuple[Coefficient, ...]
    looks: tuple[Looks, ...]


def findings(found: Row) -> Findings:
    """What a stored results.json has of these parts."""
    return Findings(
        profile=_measured(found.get("profile")),
        differences=tuple(_differences(found.get("comparisons") or ())),
        insensitive=tuple(dict.fromkeys(_insensitive(found.get("realism")))),
        agreement=tuple(_agreement(_groups(found, "agreement"))),
        looks=tuple(_looks(_groups(found, "sensitivity_rows"))),
    )


def _groups(found: Row, key: str) -> Sequence[Row]:
    part = found.get(key)
    return part.get("groups", ()) if isinstance(part, Mapping) else ()


def _measured(profile: Row | None) -> bool:
    return bool(profile) and any(point["marks"] for row in profile["rows"] for point in row["points"])  # type: ignore[index]


def points(share: float | None) -> str:
    """A difference of shares in points, with its sign: "+12" or "−3"."""
    if share is None:
        return ""
    whole = round(100 * share)
    return f"{'+' if whole > 0 else '−' if whole < 0 else ''}{abs(whole)}"


def _between(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else _("%(low)s to %(high)s") % {"low": points(low), "high": points(high)}


def p_words(p: float | None) -> str:
    if p is None:
        return ""
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def _differences(rows: Iterable[Row]) -> Iterable[Difference]:
    for row in rows:
        if row["estimand"] in SHOWN:
            yield Difference(
                name=_("%(a)s minus %(b)s") % {"a": row["a"], "b": row["b"]},
                kind=row["kind"],
                points=points(row["estimate"]),
                interval=_between(row["low"], row["high"]),
                p=p_words(row["p"]),
                test=row["test"],
                people=_people(row),
                note=row["note"],
            )


def _people(row: Row) -> str:
    if row["kind"] == "within rater":
        return ngettext("%(n)d rater", "%(n)d raters", row["n"]) % {"n": row["n"]}
    return _("%(a)d and %(b)d raters") % {"a": row["raters_a"], "b": row["raters_b"]}


def _insensitive(realism: Any) -> Iterable[str]:
    """The sentence that follows a headline whose approval is no evidence of connections (M5)."""
    for way in realism.get("ways", ()) if isinstance(realism, Mapping) else ():
        if way.get("m5"):
            yield way["m5"]


def _agreement(groups: Sequence[Row]) -> Iterable[Coefficient]:
    """The coefficients a page shows, arm beside arm; the report has all of them."""
    for place in range(COEFFICIENTS):
        for group in groups:
            for row in group["coefficients"][place : place + 1]:
                yield Coefficient(
                    arm=group["arm"],
                    name=row["coefficient"],
                    value=row["reason"] if row["value"] is None else _plain(row["value"]),
                    interval="" if row["low"] is None else f"{_plain(row['low'])} {_('to')} {_plain(row['high'])}",
                    units=row["units"],
                    raters=row["raters"],
                )


def _plain(value: float) -> str:
    """Two decimals, with a true minus and without a minus zero."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def _looks(groups: Sequence[Row]) -> Iterable[Looks]:
    for group in groups:
        yield Looks(group["arm"], tuple(_look(row) for row in group["rows"]))


def _look(row: Row) -> Look:
    if row["is_range"] and row["low"] is not None:
        share = _("%(low)s to %(high)s") % {"low": percent(row["low"]), "high": percent(row["high"])}
        interval = ""
    else:
        share, interval = percent(row["estimate"]), words(row["low"], row["high"])
    return Look(
        label=row["label"],
        share=share,
        interval=interval,
        n=row["n"],
        raters=row["raters"],
        difference="" if row["difference"] is None else points(row["difference"]),
        note=row["note"],
        primary=row["row"] == "primary",
    )
