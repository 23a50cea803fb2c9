"""Published studies as per-object counts, rebuilt from what they print and checked against it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.baseline_files import DECIMALS, read, rounding
from analysis.baseline_files import BaselineError as BaselineError
from analysis.baseline_files import counts_from as counts_from
from analysis.bundle import BundleError
from analysis.clusters import published_band
from analysis.proportions import wilson

FOLDER = Path(__file__).parent / "baselines"
RHO = 0.2


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
    decimals: int = DECIMALS

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


def study_of(path: Path) -> PublishedStudy:
    """One file as a study. Raises BaselineError and BundleError, each naming study, arm, object and number."""
    data = read(path)
    arms = tuple(_arm(arm, data["raters"], data["decimals"]) for arm in data["arms"])
    return PublishedStudy(data["id"], data["title"], data["year"], data["citation"], data["provenance"], arms)


def _arm(data: Mapping[str, Any], raters: int, decimals: int) -> PublishedArm:
    objects = tuple(PublishedObject(one["object"], one["counts"], one["n"], one["or_n"]) for one in data["objects"])
    printed = tuple(Printed(one["value"], one["estimand"], one["text"]) for one in data["printed"])
    bounds = tuple(f"more than {one['above']:g}%: {one['text']}" for one in data["bounds"])
    return PublishedArm(data["id"], objects, data["org"], printed, bounds, raters, decimals)


def published(folder: Path | str = FOLDER) -> list[PublishedStudy]:
    """All studies of a folder, in order of year. Raises BaselineError when a file fails its
    arithmetic, and BundleError when it can't be read.
    """
    files = sorted(path for path in Path(folder).glob("*") if path.suffix.lower() in (".yaml", ".yml"))
    if not files:
        raise BundleError(f"{folder} holds no .yaml file. Give a folder with published studies.")
    return sorted(_one_of_each(folder, map(study_of, files)), key=lambda study: (study.year, study.id))


def _one_of_each(
    folder: Path | str, studies: Iterable[PublishedStudy], known: Collection[str] = ()
) -> list[PublishedStudy]:
    found: dict[str, PublishedStudy] = {}
    for study in studies:
        if study.id in found or study.id in known:
            raise BaselineError(f"{folder}: a study {study.id} is there already; give yours another id.")
        found[study.id] = study
    return list(found.values())


def collected(folders: Sequence[Path | str] = ()) -> list[PublishedStudy]:
    """The studies of this package and of further folders. Raises BaselineError for an id given twice."""
    found: list[PublishedStudy] = []
    for folder in dict.fromkeys([FOLDER.resolve(), *(Path(one).resolve() for one in folders)]):
        found += _one_of_each(folder, published(folder), {study.id for study in found})
    return sorted(found, key=lambda study: (study.year, study.id))


def agrees(printed: Printed, arm: PublishedArm) -> bool:
    """Whether a printed number is one of the numbers that follow from the counts, as rounded there."""
    return any(abs(share * 100 - printed.value) < rounding(arm.decimals) + 1e-9 for share in arm.recomputed().values())


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
