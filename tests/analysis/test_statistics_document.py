"""docs/statistics.md against the code: every entry, field and estimand of results.json, and none that is not there."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import bundles
import carebench
import groups_of_two
import minds
import pytest
import test_cards_block
import test_historical
import test_hour_blocks

import analysis
from analysis.blocks.order import BLOCKS
from analysis.bundle import read_bundle, write_bundle
from analysis.context import Options
from analysis.contrasts import Contrast
from analysis.estimates import Estimate
from analysis.results import results

SHORT = Options(replicates=50)
DOCS = Path(__file__).resolve().parents[2] / "docs" / "statistics.md"
SOURCE = Path(analysis.__file__).parent


@cache
def section() -> str:
    return DOCS.read_text(encoding="utf-8").partition("\n## results.json\n")[2].partition("\n## ")[0]


def first_cells(head: str) -> list[str]:
    """The names in the first column of the tables with this heading."""
    found: list[str] = []
    lines = iter(section().splitlines())
    for line in lines:
        if line.startswith(f"| {head} |"):
            next(lines)
            for row in lines:
                if not row.startswith("|"):
                    break
                found += re.findall(r"`([^`]+)`", row.split("|")[1])
    return found


def documented_fields(table: str) -> list[str]:
    """The field names behind "A row of `table`"."""
    return re.findall(r'"(\w+)"', section().partition(f"A row of `{table}`")[2].partition("}`")[0])


def parted() -> tuple[set[str], tuple[str, ...], tuple[str, ...]]:
    """Documented estimands: whole names, what stands before one of them, and after one."""
    names = first_cells("estimand")
    before = tuple(name[:-1] for name in names if name.endswith("…"))
    after = tuple(name[1:] for name in names if name.startswith("…"))
    return {name for name in names if "…" not in name}, before, after


def known(name: str) -> bool:
    """Whether an estimand is documented, as it is or as a part or a variant of one."""
    whole, before, after = parted()
    if name in whole:
        return True
    shorter = [name.removeprefix(one) for one in before if name.startswith(one)]
    shorter += [name.removesuffix(one) for one in after if name.endswith(one)]
    return any(known(one) for one in shorter)


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Studies of every kind, between them with nearly everything that can be asked."""
    folder = tmp_path_factory.mktemp("rich")
    study = minds.mind_study(11, 10)
    write_bundle(
        folder / "minds", minds.tables_of(study), protocol_yaml="name: a\n", orgs_json=minds.ORGS, study=bundles.STUDY
    )
    wholes = [read_bundle(folder / "minds")]
    wholes += [
        test_hour_blocks.read(folder / name, made)
        for name, made in (("asking", test_hour_blocks.asking()), ("full", test_hour_blocks.full(8)))
    ]
    wholes.append(
        carebench.bundle(carebench.with_anchors(carebench.tables(), lambda rater, card, grade: 5 - grade - rater % 2))
    )
    wholes.append(carebench.bundle(test_cards_block.pairs(carebench.tables(), lambda rater, pair: rater % 3 > 0)))
    wholes.append(carebench.bundle(test_cards_block.reference(carebench.tables(), test_cards_block.graded)))
    parts = [results(bundle, SHORT) for bundle in wholes]
    arms = groups_of_two.arms(
        {"main": (groups_of_two.ORG, 9), "other": ("d" * 64, 9)}, test_historical.score, allocation="randomised"
    )
    return [*parts, results(groups_of_two.bundle_of(arms), SHORT), test_historical.study("b2b")]


def estimands(rich: list[dict[str, Any]]) -> set[str]:
    return {row["estimand"] for found in rich for table in ("estimates", "comparisons") for row in found.get(table, ())}


def test_every_entry_of_results_is_documented_and_there(rich: list[dict[str, Any]]) -> None:
    assert sorted(set(first_cells("entry")) ^ set(rich[0])) == [], "entries on one side only"
    assert {block.key for block in BLOCKS} <= set(first_cells("entry"))


def test_the_fields_of_rows_are_those_documented() -> None:
    assert documented_fields("estimates") == [one.name for one in fields(Estimate)]
    assert documented_fields("comparisons") == [one.name for one in fields(Contrast)]


def test_every_estimand_that_comes_out_is_documented(rich: list[dict[str, Any]]) -> None:
    there = estimands(rich)
    assert len(there) > 60
    assert sorted(name for name in there if not known(name)) == [], "estimands that docs/statistics.md lacks"


def test_every_documented_estimand_is_in_the_code(rich: list[dict[str, Any]]) -> None:
    """It comes out of one of the studies here, or stands in the source by its name."""
    there = estimands(rich)
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py")))
    whole, before, after = parted()
    gone = [name for name in whole if name not in there and f'"{name}"' not in text]
    gone += [f"{one}…" for one in before if not any(name.startswith(one) for name in there)]
    gone += [f"…{one}" for one in after if not any(name.endswith(one) for name in there)]
    assert sorted(gone) == [], "estimands that are no more"


def test_an_estimand_nobody_documented_would_be_named() -> None:
    assert known("worst_object_approval")
    assert known("sensitivity_org_score")
    assert known("success_assigned_by_stratum")
    assert not known("happiness")
    assert not known("worst_happiness")


def test_every_heading_about_a_statistic_has_words() -> None:
    """A heading without a section is a promise."""
    text = DOCS.read_text(encoding="utf-8")
    empty = re.findall(r"^## (.+)\n+(?=## )", text, flags=re.M)
    assert empty == []
