"""Results as a page needs them: words and figures from a stored row, without computing anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.cells import safe_cell
from study.benchmark.tasks import TASKS
from study.results.models import StoredResult

HEADLINES = ("org_approval", "mean_over_objects", "pooled_share")
FEWEST = 5


def percent(share: float | None, digits: int = 1) -> str:
    return "" if share is None else f"{100 * share:.{digits}f}"


def words(low: float | None, high: float | None) -> str:
    """An interval in whole points: "47 to 71"."""
    if low is None or high is None:
        return ""
    return _("%(low)s to %(high)s") % {"low": percent(low, 0), "high": percent(high, 0)}


@dataclass(frozen=True)
class Figure:
    """One drawing in light and dark, and for a phone if it has a narrow form. Our own SVG, safe as it stands."""

    light: SafeString
    dark: SafeString
    narrow_light: SafeString | str = ""
    narrow_dark: SafeString | str = ""


@dataclass(frozen=True)
class Headline:
    name: str
    explained: str
    percent: str
    interval: str
    counts: str
    method: str
    figure: Figure


@dataclass(frozen=True)
class ObjectRow:
    label: str
    target: str
    n: int
    counts: tuple[int, ...]
    cannot_judge: int
    approval: str
    interval: str
    informed: str
    mean: str


@dataclass(frozen=True)
class ArmResults:
    arm: str
    scope: str
    set_name: str
    raters: int
    ratings: int
    cannot_judge: int
    headlines: tuple[Headline, ...]
    objects: tuple[ObjectRow, ...]
    figure: Figure
    figure_name: str
    agreement: str


@dataclass(frozen=True)
class Page:
    bundle: str
    arms: tuple[ArmResults, ...]
    tasks: tuple[dict[str, Any], ...]
    strata: tuple[dict[str, Any], ...]
    sets: Mapping[str, int]
    comparison: str
    notes: tuple[str, ...]


def page(row: StoredResult) -> Page:
    found, figures = row.results["results"], row.results["figures"]
    return Page(
        bundle=found["bundle"],
        arms=tuple(
            _arm(group, found["estimates"], figures, figure(row, f"approval-{group['arm']}"))
            for group in found["groups"]
        ),
        tasks=tuple(_success(found["tasks"])),
        strata=tuple(_success(found["strata"])),
        sets=found["sets"],
        comparison=found["comparison"],
        notes=tuple(found["notes"]),
    )


def _arm(
    group: dict[str, Any], estimates: list[dict[str, Any]], figures: Mapping[str, str], drawn: Figure
) -> ArmResults:
    arm = group["arm"]
    own = {row["estimand"]: row for row in estimates if row["arm"] == arm and row["estimand"] in HEADLINES}
    name = f"approval-{arm}"
    return ArmResults(
        arm=arm,
        scope=group["scope"],
        set_name=group["set"],
        raters=group["raters"],
        ratings=group["ratings"],
        cannot_judge=group["cannot_judge"],
        headlines=tuple(_headline(own[code], figures) for code in HEADLINES if code in own),
        objects=tuple(_object(row) for row in group["objects"]),
        figure=drawn,
        figure_name=f"{name}-light-1132",
        agreement=_agreement(group["agreement"]),
    )


def _svg(figures: Mapping[str, str], name: str) -> SafeString:
    return mark_safe(figures.get(name, ""))


def figure(row: StoredResult, name: str) -> Figure:
    """A drawing of a stored row by its name, in both themes and widths."""
    figures = row.results["figures"]
    return Figure(
        _svg(figures, f"{name}-light-1132"),
        _svg(figures, f"{name}-dark-1132"),
        _svg(figures, f"{name}-light-320"),
        _svg(figures, f"{name}-dark-320"),
    )


def _headline(row: dict[str, Any], figures: Mapping[str, str]) -> Headline:
    name, explained = {
        "org_approval": (
            _("Org approval"),
            _("Share of raters who found the Org as a whole Realistic or Very Realistic."),
        ),
        "mean_over_objects": (_("Mean over objects"), _("Approval of each object, averaged over the objects.")),
        "pooled_share": (_("Pooled share"), _("Share of all object ratings that are Realistic or Very Realistic.")),
    }[row["estimand"]]
    base = f"{row['estimand']}-{row['arm']}"
    enough = row["estimate"] is not None and row["raters"] >= FEWEST
    raters = ngettext("%(n)d rater", "%(n)d raters", row["raters"]) % {"n": row["raters"]}
    counts = raters
    if row["k"] is not None:
        counts = _("%(k)d of %(n)d ratings by %(raters)s") % {"k": row["k"], "n": row["n"], "raters": raters}
    return Headline(
        name=name,
        explained=explained,
        percent=percent(row["estimate"]) if enough else "",
        interval=words(row["low"], row["high"]) if enough else "",
        counts=counts,
        method=_first_upper("; ".join(part for part in (row["estimator"], row["note"]) if part)),
        figure=Figure(_svg(figures, f"{base}-light"), _svg(figures, f"{base}-dark")),
    )


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _object(row: dict[str, Any]) -> ObjectRow:
    informed = row["informed"]
    mean = row["mean"]["estimate"]
    return ObjectRow(
        label=row["label"],
        target=row["target"],
        n=row["n"],
        counts=tuple(row["counts"]),
        cannot_judge=row["cannot_judge"],
        approval=f"{percent(row['estimate'], 0)}%" if row["estimate"] is not None else f"{row['k']} / {row['n']}",
        interval=words(row["low"], row["high"]) if row["estimate"] is not None else _("too few"),
        informed=f"{informed['k']} / {informed['n']}" if informed else "",
        mean="" if mean is None else f"{mean:.2f}",
    )


def _success(rows: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    for row in rows:
        share = row["share_of_attempted"]
        known = TASKS.get(row.get("task", ""))
        yield row | {
            "label": known.label if known else row.get("task") or str(row.get("stratum", "")).replace("_", " "),
            "percent": percent(share, 0) + "%" if share is not None else _("too few"),
            "interval": words(row["low"], row["high"]),
        }


def _agreement(rows: list[dict[str, Any]]) -> str:
    """One sentence; "not defined" with its reason where ratings do not vary (P-29)."""
    ordinal = next((row for row in rows if row["coefficient"].endswith("ordinal")), None)
    if ordinal is None:
        return ""
    value = ordinal["reason"] if ordinal["value"] is None else f"{ordinal['value']:.2f}"
    said = _("Krippendorff's alpha, ordinal: %(value)s.") % {"value": value}
    if ordinal["percent_agreement"] is not None:
        share = percent(ordinal["percent_agreement"], 0)
        said += " " + _("Pairs of raters who chose the same point: %(share)s%%.") % {"share": share}
    return said


def _object_table(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"arm": group["arm"], "object": row["target"], "label": row["label"]}
        | {f"n{point}": count for point, count in enumerate(row["counts"], start=1)}
        | {key: row[key] for key in ("n", "k", "estimate", "low", "high", "cannot_judge")}
        for group in found["groups"]
        for row in group["objects"]
    ]


def _tables(found: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    return {
        "estimates": found["estimates"],
        "objects": _object_table(found),
        "tasks": [{k: v for k, v in row.items() if k != "outcomes"} for row in found["tasks"]],
    }


def table_csv(row: StoredResult, name: str) -> str:
    """One table of the results as CSV, safe for spreadsheets (P-21). Raises Http404 for an unknown name."""
    tables = _tables(row.results["results"])
    if name not in tables:
        raise Http404
    rows = tables[name]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if rows:
        writer.writerow(rows[0])
        for one in rows:
            writer.writerow([safe_cell(value) if isinstance(value, str) else value for value in one.values()])
    return out.getvalue()
