"""Published studies as per-object counts, rebuilt from what they print and checked against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from analysis.bundle import BundleError
from analysis.clusters import published_band
from analysis.proportions import wilson
from analysis.tables import SCALE

FOLDER = Path(__file__).parent / "baselines"
ROUNDING = 0.05  # shares are printed to one decimal: at most this far off, in points
RHO = 0.2


class BaselineError(ValueError):
    """A data file contradicts itself; the message names study, arm, object and number."""


@dataclass(frozen=True)
class PublishedObject:
    """Counts on the five points. n is derived; `or_n` is another n the shares allow."""

    name: str
    counts: tuple[int, ...]
    n: int
    or_n: int | None = None

    @property
    def k(self) -> int:
        return self.counts[3] + self.counts[4]

    @property
    def share(self) -> float:
        return self.k / self.n


@dataclass(frozen=True)
class Printed:
    """A number as printed, in per cent."""

    value: float
    estimand: str
    text: str


@dataclass(frozen=True)
class PublishedArm:
    id: str
    objects: tuple[PublishedObject, ...]
    org: tuple[int, int] | None
    printed: tuple[Printed, ...]
    bounds: tuple[str, ...]
    raters: int

    @property
    def k(self) -> int:
        return sum(entry.k for entry in self.objects)

    @property
    def n(self) -> int:
        return sum(entry.n for entry in self.objects)

    def recomputed(self) -> dict[str, float]:
        """Shares by estimand that follow from the counts."""
        found = {"org_approval": self.org[0] / self.org[1]} if self.org else {}
        if self.objects:
            found["mean_over_objects"] = sum(entry.share for entry in self.objects) / len(self.objects)
            found["pooled_share"] = self.k / self.n
        return found

    def band(self, rho: float = RHO) -> tuple[float, float] | None:
        """Cluster-Wilson interval of the mean over objects at an assumed within-rater correlation."""
        if not self.objects:
            return None
        return published_band(self.recomputed()["mean_over_objects"], self.n, self.raters, rho)


@dataclass(frozen=True)
class PublishedStudy:
    id: str
    title: str
    year: int
    citation: str
    provenance: str
    arms: tuple[PublishedArm, ...]


def published(folder: Path | str = FOLDER) -> list[PublishedStudy]:
    """All studies of a folder, in order of year. Raises BaselineError when a file fails its
    arithmetic, and BundleError when it can't be read.
    """
    files = sorted(Path(folder).glob("*.yaml"))
    if not files:
        raise BundleError(f"{folder} holds no .yaml file. Give a folder with published studies.")
    return sorted((_study(path) for path in files), key=lambda study: (study.year, study.id))


def _study(path: Path) -> PublishedStudy:
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
        arms = tuple(_arm(f"{path.name}, {entry['id']}", entry, data["raters"]) for entry in data["arms"])
        return PublishedStudy(
            data["id"], data["title"], data["year"], data["citation"], " ".join(data["provenance"].split()), arms
        )
    except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError) as problem:
        raise BundleError(f"{path.name}: {type(problem).__name__} {problem}; see the files beside it.") from problem


def _arm(where: str, data: Mapping[str, Any], raters: int) -> PublishedArm:
    org = (data["org"]["k"], data["org"]["n"]) if "org" in data else None
    if org and not 0 <= org[0] <= org[1] <= raters:
        raise BaselineError(f"{where}: {org[0]} of {org[1]} raters, where there were {raters}.")
    printed = tuple(Printed(float(entry["value"]), entry["estimand"], entry["text"]) for entry in data["printed"])
    objects = tuple(_object(where, entry, raters) for entry in data.get("objects", ()))
    bounds = tuple(f"more than {entry['above']}%: {entry['text']}" for entry in data.get("bounds", ()))
    return PublishedArm(data["id"], objects, org, printed, bounds, raters)


def _object(where: str, data: Mapping[str, Any], raters: int) -> PublishedObject:
    name, shares, n = data["object"], data["shares"], data["n"]
    if len(shares) != len(SCALE):
        raise BaselineError(f"{where}, {name}: {len(shares)} shares for {len(SCALE)} scale points.")
    if not 0 < n <= raters:
        raise BaselineError(f"{where}, {name}: {n} ratings by {raters} raters.")
    counts = counts_from(f"{where}, {name}", shares, n)
    if data.get("or_n"):
        counts_from(f"{where}, {name}", shares, data["or_n"])
    return PublishedObject(name, counts, n, data.get("or_n"))


def counts_from(where: str, shares: list[float], n: int) -> tuple[int, ...]:
    """Whole counts from printed shares: each share × n must be whole within its rounding, and the sum must be n."""
    counts = []
    for share in shares:
        exact = share * n / 100
        if abs(exact - round(exact)) > ROUNDING * n / 100 + 1e-9:
            raise BaselineError(f"{where}: {share}% of {n} is {exact:.3f}, not a whole number of ratings.")
        counts.append(round(exact))
    if sum(counts) != n:
        raise BaselineError(f"{where}: the counts {counts} sum to {sum(counts)}, not to n = {n}.")
    return tuple(counts)


def agrees(printed: Printed, arm: PublishedArm) -> bool:
    """Whether a printed number is one of the numbers that follow from the counts, to its one decimal."""
    return any(abs(share * 100 - printed.value) < ROUNDING + 1e-9 for share in arm.recomputed().values())


def lines_of(study: PublishedStudy) -> list[str]:
    """The plain text that `python -m analysis baselines` prints for a study."""
    lines = [f"{study.title} ({study.year})", f"  {study.citation}", f"  {study.provenance}"]
    for arm in study.arms:
        lines += ["", f"  {arm.id}", *_object_lines(arm), *_summary_lines(arm)]
    return lines


def _object_lines(arm: PublishedArm) -> list[str]:
    if not arm.objects:
        return ["    per object: unknown"] + [f"    {bound}" for bound in arm.bounds]
    head = f"    {'object':<22}{'VU':>4}{'U':>4}{'N':>4}{'R':>4}{'VR':>4}{'n*':>5}{'approve':>9}   Wilson 95%"
    lines = [head]
    for entry in arm.objects:
        low, high = wilson(entry.k, entry.n)
        counts = "".join(f"{count:>4}" for count in entry.counts)
        other = f"   (n may be {entry.or_n})" if entry.or_n else ""
        lines.append(f"    {entry.name:<22}{counts}{entry.n:>5}{entry.share:>9.1%}   {low:.0%} to {high:.0%}{other}")
    return [*lines, "    * n is derived, not printed"]


def _summary_lines(arm: PublishedArm) -> list[str]:
    found = arm.recomputed()
    lines = []
    if arm.org:
        low, high = wilson(*arm.org)
        interval = f"Wilson {low:.0%} to {high:.0%}"
        lines.append(f"    Org approval       {found['org_approval']:.1%}  ({arm.org[0]} of {arm.org[1]}; {interval})")
    if arm.objects:
        low, high = arm.band() or (0.0, 1.0)
        lines.append(
            f"    mean over objects  {found['mean_over_objects']:.1%}  ({len(arm.objects)} objects; cluster Wilson at "
            f"rho {RHO:g}: {low:.0%} to {high:.0%})"
        )
        lines.append(f"    pooled share       {found['pooled_share']:.1%}  ({arm.k} of {arm.n} ratings)")
        lines += _other_n(arm)
    return lines + [_verdict(printed, arm) for printed in arm.printed]


def _other_n(arm: PublishedArm) -> list[str]:
    lines = []
    for entry in arm.objects:
        if entry.or_n:
            k, n = arm.k - entry.k + round(entry.share * entry.or_n), arm.n - entry.n + entry.or_n
            lines.append(
                f"    pooled share with {entry.or_n} ratings of {entry.name}: {k / n:.1%}  ({k} of {n}); the mean stays"
            )
    return lines


def _verdict(printed: Printed, arm: PublishedArm) -> str:
    found = ", ".join(f"{name.replace('_', ' ')} {share:.1%}" for name, share in arm.recomputed().items())
    if agrees(printed, arm):
        return f"    printed            {printed.value}%  agrees with its own figure ({found})"
    return (
        f"    printed            {printed.value}%  does not agree with its own figure ({found}); "
        "the text or the figure has a slip, which of them is not known"
    )
