"""The bundle: same rows, same bytes; what is written is read back; what is wrong is named."""

from __future__ import annotations

import csv
import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path

import bundles
import frictionless
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.bundle import BundleError, read_bundle, write_bundle
from analysis.cells import GUARDED, csv_bytes, csv_rows, plain_cell, safe_cell
from analysis.tables import BLANKS, TABLES, codebook_rows

RATING = {"visit": "v", "kind": "org", "target": "Org", "dimension": "overall"}
VISIT = {"id": "v", "participant": "p", "arm": "main", "org_hash": "0"}


def reseal(folder: Path) -> None:
    """Make the checksums right again after a file was changed on purpose."""
    names = [line.split("  ")[1] for line in (folder / "checksums.txt").read_text().splitlines()]
    sums = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / "checksums.txt").write_text("".join(sums))


def change(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    reseal(folder)


def test_the_same_rows_give_the_same_bytes_and_hash(tmp_path: Path) -> None:
    one, two = bundles.write(tmp_path / "one"), bundles.write(tmp_path / "two")
    assert one == two
    assert one == hashlib.sha256((tmp_path / "one" / "checksums.txt").read_bytes()).hexdigest()
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_another_rating_gives_another_hash(tmp_path: Path) -> None:
    changed = bundles.tables()
    changed["ratings"][0]["final"] = changed["ratings"][0]["final"] % 5 + 1
    assert bundles.write(tmp_path / "one") != bundles.write(tmp_path / "two", changed)


def test_a_bundle_written_again_in_its_place_is_the_same(bundle_dir: Path) -> None:
    before = (bundle_dir / "checksums.txt").read_bytes()
    bundles.write(bundle_dir)
    assert (bundle_dir / "checksums.txt").read_bytes() == before


def test_other_peoples_files_are_not_mixed_in(bundle_dir: Path) -> None:
    (bundle_dir / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"notes\.txt"):
        bundles.write(bundle_dir)


def test_codes_stay_text(tmp_path: Path) -> None:
    """P-22: 00042, 3E10 and a number of nineteen digits are read as they were written, and joins still match."""
    made = bundles.tables(3)
    for number, code in enumerate(("00042", "3E10", "1234567890123456789")):
        old = made["participants"][number]["code"]
        made["participants"][number]["code"] = code
        made["visits"][number] |= {"participant": code}
        assert old != code
    bundles.write(tmp_path / "b", made)
    read = read_bundle(tmp_path / "b")
    assert list(read.frames["participants"]["code"]) == ["00042", "3E10", "1234567890123456789"]
    assert set(read.frames["visits"]["participant"]) == set(read.frames["participants"]["code"])
    assert read.frames["attempts"]["answer"][0] == ["5003E10"]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r", "'"])
def test_formulas_are_shown_as_text(tmp_path: Path, sign: str) -> None:
    """P-21: a text that begins with a formula sign is guarded in the file and comes back whole."""
    made = bundles.tables(1)
    text = f"{sign}1+1"
    made["rationales"][0]["text"] = text
    made["participants"][0]["cohort"] = text
    bundles.write(tmp_path / "b", made)
    with (tmp_path / "b" / "rationales.csv").open(newline="", encoding="utf-8") as file:
        cell = next(csv.DictReader(file))["text"]
    assert cell == "'" + text
    read = read_bundle(tmp_path / "b")
    assert read.frames["rationales"]["text"][0] == text
    assert read.frames["participants"]["cohort"][0] == text


def test_no_cell_and_no_header_of_a_bundle_is_a_formula(bundle_dir: Path) -> None:
    """P-21: every cell of every table, headers too."""
    for path in bundle_dir.glob("*.csv"):
        for _, cells in csv_rows(path.read_bytes(), path.name):
            assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "\t", "\r"))]


@given(st.text(max_size=40))
def test_the_guard_is_undone_exactly(text: str) -> None:
    assert plain_cell(safe_cell(text)) == text
    assert not safe_cell(text).startswith(tuple(set(GUARDED) - {"'"}))


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), min_size=2, max_size=2)))
def test_any_text_survives_a_csv(rows: list[list[str]]) -> None:
    """P-23: line breaks of every kind, quotes and commas; rows equal submissions."""
    data = csv_bytes(["a", "b"], rows)
    assert [cells for _, cells in csv_rows(data, "x.csv")][1:] == rows


def test_a_text_with_line_breaks_is_one_row(tmp_path: Path) -> None:
    made = bundles.tables(1)
    text = 'one\r\n\r\ntwo;, "three"\rfour\n'
    made["rationales"][0]["text"] = text
    bundles.write(tmp_path / "b", made)
    read = read_bundle(tmp_path / "b").frames["rationales"]
    assert len(read) == len(made["rationales"])
    assert read["text"][0] == text


def test_types_of_the_frames(bundle_dir: Path) -> None:
    frames = read_bundle(bundle_dir).frames
    assert frames["ratings"]["final"].dtype == "Int64"
    assert frames["participants"]["analysed"].dtype == "boolean"
    assert frames["ratings"]["locked_at"][0] == pd.Timestamp("2026-03-02T10:00:00Z")
    assert frames["participants"]["screener"][1] == {"S3": "3–5"}
    assert list(frames["codebook"]["table"][:1]) == ["participants"]


def test_blanks_keep_their_kind(tmp_path: Path) -> None:
    made = bundles.tables(5)
    for number, kind in enumerate(BLANKS):
        made["ratings"][number] |= {"final": None, "final_blank": kind, "first": None, "first_blank": kind}
    bundles.write(tmp_path / "b", made)
    ratings = read_bundle(tmp_path / "b").frames["ratings"]
    assert list(ratings["final_blank"][:5]) == list(BLANKS)
    assert ratings["final"][:5].isna().all()


def test_it_is_a_valid_data_package(bundle_dir: Path, tmp_path: Path) -> None:
    report = frictionless.validate(bundle_dir / "datapackage.json")
    assert report.valid, report.flatten(["rowNumber", "fieldName", "message"])
    package = json.loads((bundle_dir / "datapackage.json").read_text())
    finals = [f for r in package["resources"] if r["name"] == "ratings" for f in r["schema"]["fields"]]
    categories = next(f["categories"] for f in finals if f["name"] == "final")
    assert [entry["value"] for entry in categories] == [1, 2, 3, 4, 5]


def test_the_checksums_are_those_of_sha256sum(bundle_dir: Path) -> None:
    lines = (bundle_dir / "checksums.txt").read_text().splitlines()
    assert {line.split("  ")[1] for line in lines} == {p.name for p in bundle_dir.iterdir()} - {"checksums.txt"}


def as_of_format(bundle_dir: Path, version: int) -> Path:
    """The bundle as an earlier version would have written it; its package, to say something else of it."""
    for table in TABLES.values():
        path = bundle_dir / f"{table.name}.csv"
        if table.since > version:
            path.unlink()
            continue
        kept = [place for place, column in enumerate(table.columns) if column.since <= version]
        rows = [[cells[place] for place in kept] for _, cells in csv_rows(path.read_bytes(), path.name)]
        path.write_bytes(csv_bytes(rows[0], rows[1:]))
    package = bundle_dir / "datapackage.json"
    package.write_text(package.read_text().replace('"format": 3', f'"format": {version}'))
    sums = (bundle_dir / "checksums.txt").read_text().splitlines()
    there = [line for line in sums if (bundle_dir / line.split("  ")[1]).exists()]
    (bundle_dir / "checksums.txt").write_text("\n".join(there) + "\n")
    reseal(bundle_dir)
    return package


def test_a_bundle_of_the_second_format_is_read_without_incidents_and_deviations(bundle_dir: Path) -> None:
    as_of_format(bundle_dir, 2)
    old = read_bundle(bundle_dir)
    assert len(old.frames["ratings"]) == 24
    assert old.frames["incidents"].empty
    assert list(old.frames["deviations"]) == list(TABLES["deviations"].names)


def test_a_bundle_of_the_first_format_is_read_and_what_it_lacks_is_empty(bundle_dir: Path) -> None:
    """Files that stand beside a paper stay readable: new columns and tables are there, without a value."""
    package = as_of_format(bundle_dir, 1)
    old = read_bundle(bundle_dir)
    assert len(old.frames["ratings"]) == 24
    assert old.frames["ratings"]["unopened"].isna().all()
    assert set(old.frames["visits"]["condition"]) == {""}
    assert old.frames["cards"].empty
    assert list(old.frames["cards"]) == list(TABLES["cards"].names)
    # One that calls itself new must have everything that is new.
    package.write_text(package.read_text().replace('"format": 1', '"format": 3'))
    reseal(bundle_dir)
    with pytest.raises(BundleError, match=r"moves\.csv is missing"):
        read_bundle(bundle_dir)


def test_a_changed_file_is_named(bundle_dir: Path) -> None:
    with (bundle_dir / "ratings.csv").open("a") as file:
        file.write("x\n")
    with pytest.raises(BundleError, match=r"ratings\.csv is not the file that was exported.*spreadsheet"):
        read_bundle(bundle_dir)


def test_a_missing_file_is_named(bundle_dir: Path) -> None:
    (bundle_dir / "visits.csv").unlink()
    with pytest.raises(BundleError, match=r"visits\.csv is missing"):
        read_bundle(bundle_dir)


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("ratings.csv", "overall,0,1,,1,", "overall,0,1,,6,", r"ratings\.csv, line 2, final: 6 is not between 1 and 5"),
        ("ratings.csv", "overall,0,1,,1,", "overall,0,1,,3.5,", r"line 2, final: '3.5' is not a whole number"),
        ("ratings.csv", "overall,0,1,,1,", "overall,0,1,,,", r"line 2, final: empty, and final_blank does not say why"),
        ("ratings.csv", "overall,0,1,,1,,", "overall,0,1,,1,removed,", r"line 2, final: has a value and the blank"),
        ("ratings.csv", "visit,kind", "visit,sort", r"ratings\.csv, line 1: column kind is missing"),
        ("attempts.csv", "answered", "guessed", r"attempts\.csv, line 2, outcome: 'guessed' is not one of"),
        ("attempts.csv", "P-0000.1,", "P-9999.1,", r"attempts\.csv: visit P-9999\.1 is not in visits\.csv"),
        ("visits.csv", "true,true,", "true,false,", r"participant P-0000: `analysed` differs"),
        ("visits.csv", "2026-03-02T09:00:00+00:00", "2026-03-02T09:00:00", r"a time without an offset"),
    ],
)
def test_a_wrong_cell_is_named_with_file_and_line(bundle_dir: Path, name: str, old: str, new: str, said: str) -> None:
    change(bundle_dir, name, old, new)
    with pytest.raises(BundleError, match=said):
        read_bundle(bundle_dir)


def test_a_rating_that_stands_twice_stops_the_reader(tmp_path: Path) -> None:
    """P-28: never averaged; both lines are named."""
    made = bundles.tables(2)
    made["ratings"].append({**made["ratings"][1], "final": 2})
    bundles.write(tmp_path / "b", made)
    with pytest.raises(BundleError, match=r"ratings\.csv, lines 3 and 10: .*Account.*stands twice"):
        read_bundle(tmp_path / "b")


@pytest.mark.parametrize(
    ("table", "row", "said"),
    [
        ("ratings", {**RATING, "final": "4"}, "whole number"),
        ("ratings", {**RATING, "kind": "whole"}, "not one of"),
        ("visits", {**VISIT, "arm": ""}, "arm: must not be empty"),
        ("visits", {**VISIT, "begun": datetime(2026, 1, 1)}, "offset"),
        ("ratings", {"stars": 5}, "no column stars"),
        ("stars", {}, "no table stars"),
    ],
)  # fmt: skip
def test_the_writer_refuses_what_the_format_has_not(
    tmp_path: Path, table: str, row: dict[str, object], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        write_bundle(tmp_path / "b", {table: [row]}, protocol_yaml="", orgs_json=[])


def test_the_moment_of_writing_is_nowhere(bundle_dir: Path) -> None:
    today = datetime.now(UTC).date().isoformat()
    for path in bundle_dir.iterdir():
        assert today not in path.read_text()


def test_every_column_is_in_the_codebook_and_in_the_documentation() -> None:
    rows = codebook_rows()
    assert len(rows) == sum(len(table.columns) for table in TABLES.values()) - len(TABLES["codebook"].columns)
    assert all(row["text"] for row in rows)
    written = (Path(__file__).parents[2] / "docs" / "export-format.md").read_text()
    for table in TABLES.values():
        section = written.split(f"### `{table.name}`", 1)[1].split("\n### ", 1)[0]
        for column in table.columns:
            assert f"| `{column.name}` | {column.kind} |" in section, (table.name, column.name)


@pytest.mark.parametrize("condition", ["", "org"])
def test_two_analysed_visits_to_the_same_part_of_an_arm_are_refused(tmp_path: Path, condition: str) -> None:
    """P-28: nothing is averaged or overwritten; a second visit of another part or period is fine."""
    made = bundles.tables()
    first = made["visits"][0]
    again = {**first, "id": "P-0000.2", "period": 2 if condition else 1, "condition": condition}
    first["condition"] = condition
    made["visits"].append(again)
    bundles.write(tmp_path / "a", made)
    with pytest.raises(BundleError, match="P-0000 has two analysed visits to the same part of arm main"):
        read_bundle(tmp_path / "a")
    again |= {"period": 2, "condition": "control" if condition else ""}
    bundles.write(tmp_path / "b", made)
    assert len(read_bundle(tmp_path / "b").frames["visits"]) == 7
