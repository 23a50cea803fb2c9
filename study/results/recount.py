"""Every approval of results.json computed a second time, from ratings.csv and visits.csv with the csv module alone.

Approval: the share of valid ratings that are Realistic or Very Realistic (4 or 5). Org approval: ratings of the whole.
Object approval: those of one object. Pooled share: all ratings of objects. Mean over objects: the mean of the objects'
approvals, each object with a rating weighing the same. Informed: on ratings with a record opened. The variants are
those of ``docs/statistics.md``. Nothing here uses ``analysis``, NumPy or pandas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from study.results.smoke import Row, plain, table

FEWEST = 5
"""Raters needed for a percentage."""
ROUNDED = 1e-8
"""results.json has eight decimals."""
APPROVALS = ("org_approval", "object_approval", "mean_over_objects", "pooled_share")


@dataclass(frozen=True)
class Count:
    """``k`` approvals among ``n`` valid ratings by so many raters; the share is None where nothing was rated."""

    k: int
    n: int
    raters: int
    share: float | None

    @property
    def shown(self) -> float | None:
        """The share as results.json has it: none under five raters."""
        return self.share if self.raters >= FEWEST else None


NONE = Count(0, 0, 0, None)


@dataclass(frozen=True)
class Rated:
    """One overall rating; ``informed`` is None where it isn't known whether records were opened."""

    rater: str
    kind: str
    target: str
    score: int | None
    first: int | None
    cannot_judge: bool
    informed: bool | None
    analysed: bool


@dataclass(frozen=True)
class Variant:
    """One way to count: which ratings, what each counts as, and from which point on it approves."""

    prefix: str
    score: Callable[[Rated], int | None]
    counts: Callable[[Rated], bool] = lambda one: one.analysed
    least: int = 4
    by_object: bool = False


def _judged_as(point: int) -> Callable[[Rated], int | None]:
    return lambda one: point if one.cannot_judge else one.score


VARIANTS = (
    Variant("", lambda one: one.score, by_object=True),
    Variant("informed_", lambda one: one.score, lambda one: one.analysed and one.informed is True, by_object=True),
    Variant("worst_", _judged_as(1), by_object=True),
    Variant("best_", _judged_as(5), by_object=True),
    Variant("first_choice_", lambda one: one.first),
    Variant("five_only_", lambda one: one.score, least=5),
    Variant("everyone_", lambda one: one.score, lambda _: True),
)


def recount(bundle: Path) -> dict[str, Count]:
    """Every approval of a bundle by the id it has in results.json."""
    found: dict[str, Count] = {}
    for name, rows in _groups(bundle):
        for variant in _told(rows):
            found |= _counted(name, rows, variant)
    return found


def _groups(bundle: Path) -> Iterator[tuple[str, list[Rated]]]:
    """Ratings by arm; by arm and condition (visit, where none is told) where somebody came to an arm more than once."""
    visits = table(bundle, "visits")
    ratings = table(bundle, "ratings")
    for arm in sorted({plain(row["arm"]) for row in visits}) or [""]:
        own = [row for row in visits if plain(row["arm"]) == arm]
        again = len({row["participant"] for row in own}) < len(own)
        by, word = ("condition", "") if all(row["condition"] for row in own) else ("period", "visit ")
        for value in sorted({row[by] for row in own if row[by]}) if again else [None]:
            of_group = {row["id"]: row for row in own if value is None or row[by] == value}
            rows = [_rated(row, of_group[row["visit"]]) for row in ratings if row["visit"] in of_group if _whole(row)]
            yield (arm or "all") if value is None else f"{arm}, {word}{plain(value)}", rows


def _whole(row: Row) -> bool:
    return plain(row["kind"]) in ("org", "object") and plain(row["dimension"]) in ("", "overall")


def _rated(row: Row, visit: Row) -> Rated:
    opened = [int(row[name]) for name in ("opened_work", "opened_look") if row[name]]
    return Rated(
        rater=plain(visit["participant"]),
        kind=plain(row["kind"]),
        target=plain(row["target"]),
        score=int(row["final"]) if row["final"] else None,
        first=int(row["first"]) if row["first"] else None,
        cannot_judge=row["final_blank"] == "cannot_judge",
        informed=sum(opened) > 0 if opened else None,
        analysed=visit["analysed"] == "true",
    )


def _told(rows: list[Rated]) -> Iterator[Variant]:
    """The variants this group has data for: records opened and first choices are not always known."""
    known = {
        "informed_": any(one.informed is not None for one in rows),
        "first_choice_": any(one.first is not None for one in rows),
    }
    yield from (variant for variant in VARIANTS if known.get(variant.prefix, True))


def _counted(name: str, rows: list[Rated], variant: Variant) -> dict[str, Count]:
    counted = [one for one in rows if variant.counts(one)]
    whole = [one for one in counted if one.kind == "org"]
    parts = [one for one in counted if one.kind == "object"]
    objects = sorted({one.target for one in rows if one.kind == "object"})
    by_object = {target: _count((one for one in parts if one.target == target), variant) for target in objects}
    pooled = _count(parts, variant)
    shares = [count.share for count in by_object.values() if count.share is not None]
    mean = sum(shares) / len(shares) if shares else None
    found = {
        f"{name}.{variant.prefix}org_approval": _count(whole, variant),
        f"{name}.{variant.prefix}pooled_share": pooled,
        f"{name}.{variant.prefix}mean_over_objects": Count(pooled.k, pooled.n, pooled.raters, mean),
    }
    if variant.by_object:
        found |= {f"{name}.{variant.prefix}object_approval.{target}": count for target, count in by_object.items()}
    return found


def _count(rows: Iterable[Rated], variant: Variant) -> Count:
    given = [(one.rater, score) for one in rows if (score := variant.score(one)) is not None]
    k = sum(score >= variant.least for _, score in given)
    return Count(k, len(given), len({rater for rater, _ in given}), k / len(given) if given else None)


def result_differences(results: Mapping[str, Any], counts: Mapping[str, Count]) -> list[str]:
    """What results.json says otherwise than the recount, one line each; empty when all agree."""
    return [*_of_estimates(results["estimates"], counts), *_of_groups(results["groups"], counts)]


def _of_estimates(estimates: Iterable[Mapping[str, Any]], counts: Mapping[str, Count]) -> Iterator[str]:
    rows = [row for row in estimates if str(row["estimand"]).endswith(APPROVALS)]
    ids = [str(row["id"]) for row in rows]
    for name in sorted(set(ids) ^ set(counts)):
        where = (
            "is not in results.json" if name in counts else "is in results.json, and the bundle has no ratings of it"
        )
        yield f"{name}: {where}"
    for name in sorted({name for name in ids if ids.count(name) > 1}):
        yield f"{name}: stands twice in results.json"
    for row in rows:
        if row["id"] in counts:
            yield from _told_otherwise(str(row["id"]), row, counts[row["id"]])


def _of_groups(groups: Iterable[Mapping[str, Any]], counts: Mapping[str, Count]) -> Iterator[str]:
    """The rows that pages show: the Org and each object, with the numbers on each of the five points."""
    for group in groups:
        name = group["arm"] or "all"
        for prefix, row in (("org_approval", group["org"]), *(("object_approval", row) for row in group["objects"])):
            ending = "" if prefix == "org_approval" else f".{row['target']}"
            for part, said in ((prefix, row), (f"informed_{prefix}", row["informed"])):
                if said is not None:
                    again = counts.get(f"{name}.{part}{ending}", NONE)
                    yield from _told_otherwise(f"group {name}.{part}{ending}", said, again)
            points = row["counts"]
            if (sum(points), sum(points[3:])) != (row["n"], row["k"]):
                yield f"group {name}.{prefix}{ending}: the five points {points} do not add up to k and n"


def _told_otherwise(name: str, row: Mapping[str, Any], count: Count) -> Iterator[str]:
    for part, again in (("k", count.k), ("n", count.n)):
        if row[part] != again:
            yield f"{name}: {part} is {row[part]} in results.json, recounted {again}"
    said, share = row["estimate"], count.shown
    if (said is None) != (share is None) or (said is not None and share is not None and abs(said - share) > ROUNDED):
        yield f"{name}: the estimate is {said} in results.json, recounted {share}"
