"""The block themes: agreement of coders and themes in results.json and in the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bundles
import pytest

from analysis.blocks import Earlier
from analysis.blocks.themes import BLOCK
from analysis.bundle import read_bundle
from analysis.coding import CodingError
from analysis.context import Options, context_of
from analysis.document import Paragraph, Table
from analysis.plain_json import plain_json
from analysis.report import read_input


def codes_of(folder: Path, made: bundles.Tables, resolved: bool = False) -> Path:
    """Two coders: `names` for every even visit, by b also for the first odd one; the rest read without a code."""
    lines = ["coder,visit,kind,target,side,code"]
    for row in made["rationales"]:
        key = ",".join(row[name] for name in ("visit", "kind", "target", "side"))
        number = int(row["visit"][2:6])
        for coder in ("a", "b"):
            given = number % 2 == 0 or (coder == "b" and number == 1)
            lines.append(f"{coder},{key},{'names' if given else ''}")
        if resolved and number == 1:
            lines.append(f"resolved,{key},dates")
    path = folder / "codes.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def found_in(folder: Path, made: bundles.Tables, codes: Path | None, **study: Any) -> Any:
    bundles.write(folder, made, **study)
    context = context_of(read_bundle(folder), Options(codes=codes))
    return plain_json(BLOCK.compute(context, Earlier()).data)


def parts_of(found: Any) -> list[Any]:
    return [part for section in BLOCK.sections({"themes": found}) for part in section.parts]


def test_codes_have_agreement_and_themes_have_places(tmp_path: Path) -> None:
    made = bundles.tables(8)
    found = found_in(tmp_path / "b", made, codes_of(tmp_path, made))
    (code,) = found["codes"]
    assert (code["code"], code["texts"], code["participants"], code["by"]) == ("names", 32, 8, [16, 20])
    assert code["percent"] == pytest.approx(28 / 32)
    assert code["agreement"][0]["coefficient"] == "Cohen's kappa"
    assert code["agreement"][0]["low"] < code["agreement"][0]["value"]
    (theme,) = found["themes"]
    assert (theme["n"], theme["participants"]) == (16, 4)
    assert {(row["target"], row["side"], row["n"]) for row in theme["counts"]} == {
        (target, "right", 4) for target in ("Org", *bundles.OBJECTS)
    }
    assert len(theme["rationales"]) == 16
    assert set(theme["rationales"][0]) == {"visit", "kind", "target", "side"}
    assert found["settled"]["disputed"] == 4


def test_resolved_codes_win_in_the_themes(tmp_path: Path) -> None:
    made = bundles.tables(8)
    found = found_in(tmp_path / "b", made, codes_of(tmp_path, made, resolved=True))
    assert {theme["code"]: theme["n"] for theme in found["themes"]} == {"names": 16, "dates": 4}
    assert (found["settled"]["by_resolution"], found["settled"]["disputed"]) == (4, 0)
    assert [row["coder"] for row in found["coders"]] == ["a", "b"]


def test_the_report_shows_counts_beside_coefficients(tmp_path: Path) -> None:
    made = bundles.tables(8)
    parts = parts_of(found_in(tmp_path / "b", made, codes_of(tmp_path, made, resolved=True)))
    tables = {part.name: part for part in parts if isinstance(part, Table)}
    assert set(tables) == {"code-agreement", "themes", "themes-by-object"}
    for table in tables.values():
        assert all(len(row) == len(table.head) for row in table.rows)
    assert tables["themes"].rows[0][:3] == ("names", 16, 4)
    text = " ".join(part.text for part in parts if isinstance(part, Paragraph)).lower()
    assert "experts agree" not in text
    assert "substantial" not in text


def test_without_codes_or_rationales_the_data_says_so(tmp_path: Path) -> None:
    """P-30: no codes, a blind bundle, a plain file."""
    made = bundles.tables(6)
    nothing = found_in(tmp_path / "a", made, None)
    assert (nothing, parts_of(nothing)) == ({"reason": "no codes were given"}, [])
    codes = codes_of(tmp_path, made)
    blind = found_in(tmp_path / "b", made | {"ratings": [], "rationales": []}, codes, blind=True)
    assert (blind, parts_of(blind)) == ({"reason": "the bundle holds no rationales"}, [])
    plain = tmp_path / "ratings.csv"
    plain.write_text("participant,object,rating\np,Case,4\n")
    context = context_of(read_input(str(plain)), Options(codes=codes))
    assert plain_json(BLOCK.compute(context, Earlier()).data)["reason"] == "the bundle holds no rationales"


def test_codes_of_another_bundle_are_refused(tmp_path: Path) -> None:
    codes = codes_of(tmp_path, bundles.tables(9))
    with pytest.raises(CodingError, match=r"codes\.csv, line \d+: rationales\.csv has no row P-0008"):
        found_in(tmp_path / "b", bundles.tables(8), codes)


def test_one_coder_has_no_agreement_and_no_theme(tmp_path: Path) -> None:
    made = bundles.tables(6)
    path = codes_of(tmp_path, made)
    path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if not line.startswith("b,")))
    found = found_in(tmp_path / "b", made, path)
    assert found["codes"][0]["agreement"][0]["value"] is None
    assert [theme["n"] for theme in found["themes"]] == [0]
    assert any("One coder" in part.text for part in parts_of(found) if isinstance(part, Paragraph))


def test_visits_outside_the_primary_set_are_counted_apart(tmp_path: Path) -> None:
    made = bundles.tables(8)
    made["visits"][0]["analysed"] = made["participants"][0]["analysed"] = False
    found = found_in(tmp_path / "b", made, codes_of(tmp_path, made))
    assert found["settled"]["not_analysed"] == 4
    assert found["themes"][0]["n"] == 12
