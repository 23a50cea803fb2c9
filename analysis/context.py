"""What every part of the analysis starts from: bundle, groups of ratings, level, and random streams by name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.bundle import Bundle
from analysis.estimates import Group
from analysis.groups import groups, joined_ratings
from analysis.published import FOLDER

SEED = 20_260
REPLICATES = 10_000


@dataclass(frozen=True)
class Options:
    """What a caller may choose. The same bundle and options give the same results.

    seed: of everything that draws; replicates: of bootstrap and permutation; baselines: folders with published
    studies; codes: a CSV with two coders' codes of the rationales (see `analysis.coding`).
    """

    seed: int = SEED
    replicates: int = REPLICATES
    baselines: tuple[Path, ...] = (FOLDER,)
    codes: Path | None = None


@dataclass(frozen=True)
class Context:
    """A bundle with what is read off it again and again. Build one with `context_of`."""

    bundle: Bundle
    options: Options
    level: float
    groups: tuple[Group, ...]

    def stream(self, name: str) -> np.random.Generator:
        """A random stream of its own for one named purpose, so that no result depends on what was drawn before."""
        digest = hashlib.sha256(f"{self.options.seed}:{name}".encode()).digest()
        return np.random.default_rng(int.from_bytes(digest[:8], "big"))

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """Every overall rating of the Org and its objects, as `groups.joined_ratings` gives them."""
        return joined_ratings(self.bundle)

    @cached_property
    def visits(self) -> pd.DataFrame:
        """Visits by their id."""
        return self.bundle.frames["visits"].set_index("id", drop=False)

    @cached_property
    def people(self) -> pd.DataFrame:
        """Participants by their code."""
        return self.bundle.frames["participants"].set_index("code", drop=False)

    @cached_property
    def promised(self) -> Mapping[str, Any]:
        """The block `analysis` of the frozen protocol; empty for a plain file."""
        block = self.bundle.protocol.get("analysis")
        return block if isinstance(block, dict) else {}

    @cached_property
    def orgs(self) -> dict[str, Mapping[str, Any]]:
        """What orgs.json says of each Org, by hash."""
        listed = self.bundle.orgs if isinstance(self.bundle.orgs, list) else []
        return {str(entry["hash"]): entry for entry in listed if isinstance(entry, dict) and entry.get("hash")}

    @cached_property
    def controls(self) -> dict[str, tuple[str, str]]:
        """Control Orgs: hash to (hash of the Org it was made from, recipe), as in M5."""
        return {
            code: (str(entry["parent"]), str(entry.get("recipe", "")))
            for code, entry in self.orgs.items()
            if entry.get("parent")
        }


def context_of(bundle: Bundle, options: Options | None = None) -> Context:
    """The context of a bundle, at the confidence level that its protocol promised (0.95 if none)."""
    level = float(bundle.study.get("level") or 0.95)
    return Context(bundle, options or Options(), level, tuple(groups(bundle, level)))


def matrix_of(ratings: pd.DataFrame) -> tuple[NDArray[np.float64], list[str], list[str]]:
    """Scores of objects as a matrix (raters, objects), NaN where there is none, with raters and objects in order.

    ratings: rows of `Group.ratings`, at most one per rater and object; rows about the Org as a whole are left out.
    """
    parts = ratings[ratings["kind"] == "object"]
    raters, targets = sorted(set(parts["rater"])), sorted(set(parts["target"]))
    matrix = np.full((len(raters), len(targets)), np.nan)
    rows = pd.Index(raters).get_indexer(parts["rater"])
    columns = pd.Index(targets).get_indexer(parts["target"])
    matrix[rows, columns] = parts["score"].to_numpy(dtype=float, na_value=np.nan)
    return matrix, raters, targets
