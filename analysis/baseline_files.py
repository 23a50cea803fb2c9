"""Reading a file of a published study (YAML), with an answer to every fault: which study, arm, object and number.

The format is described in docs/statistics.md, "Published studies beside ours".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from analysis.bundle import BundleError
from analysis.tables import SCALE

DECIMALS = 1  # of printed per cents, where a file doesn't say `decimals`
ESTIMANDS = ("org_approval", "mean_over_objects", "pooled_share")


class BaselineError(ValueError):
    """A data file contradicts itself; the message names study, arm, object and number."""


def read(path: Path) -> dict[str, Any]:
    """The content of a file, checked: id, title, year, citation, provenance, raters, arms."""
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as problem:
        raise BundleError(f"{path.name}: {type(problem).__name__} {problem}; see the files beside it.") from problem
    where = path.name
    study = _mapping(where, data)
    name = _text(where, study, "id")
    where = f"{where}, study {name}"
    raters = _whole(where, study, "raters", least=2)
    decimals = _whole(where, study, "decimals", least=0) if "decimals" in study else DECIMALS
    arms = [_arm(where, arm, raters, decimals) for arm in _list(where, study, "arms", needed=True)]
    if len({arm["id"] for arm in arms}) < len(arms):
        raise BaselineError(f"{where}: two arms have the same id.")
    texts = {key: _text(where, study, key) for key in ("title", "citation", "provenance")}
    year = _whole(where, study, "year", least=1900)
    return {"id": name, "year": year, "raters": raters, "decimals": decimals, "arms": arms, **texts}


def rounding(decimals: int) -> float:
    """How far a per cent printed with so many decimals may be off, in points."""
    return float(0.5 * 10.0**-decimals)


def _arm(where: str, data: Any, raters: int, decimals: int) -> dict[str, Any]:
    arm = _mapping(f"{where}, an entry of arms", data)
    name = _text(f"{where}, an entry of arms", arm, "id")
    where = f"{where}, arm {name}"
    org = _org(f"{where}, org", arm["org"], raters) if "org" in arm else None
    objects = [_object(where, entry, raters, decimals) for entry in _list(where, arm, "objects")]
    names = [entry["object"] for entry in objects]
    if len(set(names)) < len(names):
        raise BaselineError(f"{where}: an object stands there twice.")
    printed = [_printed(f"{where}, printed", entry) for entry in _list(where, arm, "printed")]
    bounds = [_bound(f"{where}, bounds", entry) for entry in _list(where, arm, "bounds")]
    if org is None and not objects:
        raise BundleError(f"{where}: give org (k and n), objects, or both; without counts nothing can be compared.")
    return {"id": name, "org": org, "objects": objects, "printed": printed, "bounds": bounds}


def _org(where: str, data: Any, raters: int) -> tuple[int, int]:
    org = _mapping(where, data)
    k, n = _whole(where, org, "k", least=0), _whole(where, org, "n", least=1)
    if not k <= n <= raters:
        raise BaselineError(f"{where}: {k} of {n} raters, where there were {raters}.")
    return k, n


def _object(where: str, data: Any, raters: int, decimals: int) -> dict[str, Any]:
    entry = _mapping(f"{where}, an entry of objects", data)
    name = _text(f"{where}, an entry of objects", entry, "object")
    where = f"{where}, object {name}"
    shares = [_number(where, "shares", one, 0, 100) for one in _list(where, entry, "shares", needed=True)]
    if len(shares) != len(SCALE):
        raise BaselineError(f"{where}: {len(shares)} shares for {len(SCALE)} scale points.")
    n = _whole(where, entry, "n", least=0)
    if not 0 < n <= raters:
        raise BaselineError(f"{where}: {n} ratings by {raters} raters.")
    other = _whole(where, entry, "or_n", least=1) if entry.get("or_n") else None
    if other:
        counts_from(where, shares, other, decimals)
    return {"object": name, "counts": counts_from(where, shares, n, decimals), "n": n, "or_n": other}


def _printed(where: str, data: Any) -> dict[str, Any]:
    entry = _mapping(where, data)
    estimand = _text(where, entry, "estimand")
    if estimand not in ESTIMANDS:
        raise BundleError(f"{where}: estimand is {estimand}; give {', '.join(ESTIMANDS[:-1])} or {ESTIMANDS[-1]}.")
    value = _number(where, "value", entry.get("value"), 0, 100)
    return {"value": value, "estimand": estimand, "text": _text(where, entry, "text")}


def _bound(where: str, data: Any) -> dict[str, Any]:
    entry = _mapping(where, data)
    return {"above": _number(where, "above", entry.get("above"), 0, 100), "text": _text(where, entry, "text")}


def counts_from(where: str, shares: list[float], n: int, decimals: int = DECIMALS) -> tuple[int, ...]:
    """Whole counts from printed shares: each share × n must be whole within its rounding, and the sum must be n."""
    counts = []
    for share in shares:
        exact = share * n / 100
        if abs(exact - round(exact)) > rounding(decimals) * n / 100 + 1e-9:
            raise BaselineError(
                f"{where}: {share}% of {n} is {exact:.3f}, not a whole number of ratings; `decimals` says to how many "
                f"places the study prints its per cents, {decimals} here."
            )
        counts.append(round(exact))
    if sum(counts) != n:
        raise BaselineError(f"{where}: the counts {counts} sum to {sum(counts)}, not to n = {n}.")
    return tuple(counts)


def _mapping(where: str, data: Any) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise BundleError(f"{where}: needs keys and values, not {_seen(data)}; see the files beside it.")
    return data


def _list(where: str, data: Mapping[str, Any], key: str, *, needed: bool = False) -> list[Any]:
    value = data.get(key)
    if value is None and not needed:
        return []
    if not isinstance(value, list) or (needed and not value):
        raise BundleError(f"{where}: {key} is {_seen(value)}; give a list.")
    return value


def _text(where: str, data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value.strip():
        raise BundleError(f"{where}: {key} is {_seen(value)}; give a text.")
    return " ".join(value.split())


def _whole(where: str, data: Mapping[str, Any], key: str, *, least: int) -> int:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise BundleError(f"{where}: {key} is {_seen(value)}; give a whole number from {least} on.")
    return value


def _number(where: str, key: str, value: Any, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise BundleError(f"{where}: {key} has {_seen(value)}; give numbers from {least:g} to {most:g}.")
    return value


def _seen(value: Any) -> str:
    return "missing" if value is None else repr(value)
