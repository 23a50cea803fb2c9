"""A plain ratings.csv: what a form gives, read with care."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.bundle import BundleError
from analysis.groups import groups
from analysis.plain import read_plain
from analysis.results import results


def plain(folder: Path, text: str) -> Path:
    path = folder / "ratings.csv"
    path.write_text("participant,object,rating\n" + text, encoding="utf-8")
    return path


def test_points_labels_blanks_and_can_t_judge(tmp_path: Path) -> None:
    text = "00042,Org,4\n00042,Case,very realistic\n00042,Order,\n"
    text += "3E10,Org,cannot_judge\n3E10,Case,can't judge\n3E10,Order,1\n"
    ratings = read_plain(plain(tmp_path, text)).frames["ratings"]
    assert list(ratings["visit"]) == ["00042"] * 3 + ["3E10"] * 3
    assert ratings["final"].fillna(0).to_list() == [4, 5, 0, 0, 0, 1]
    assert ratings["final_blank"].to_list() == ["", "", "not_asked", "cannot_judge", "cannot_judge", ""]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,Org,6\n", "line 2: '6' is no rating. Give 1 to 5"),
        ("a,Org,4\na,Case,3.5\n", "line 3: '3.5' is no rating"),
        ("a,Org,4\na,org,5\n", "lines 2 and 3: a rates Org twice. Nothing is averaged"),
        ("a,Org,4\n,Case,3\n", "line 3: participant and object must not be empty"),
        ("a,Org\n", "line 2: 2 cells where the header has 3"),
        ('a,Org,"4\n', "line 2: .*quotation mark"),
    ],
)
def test_bad_rows_are_named_by_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BundleError, match=said):
        read_plain(plain(tmp_path, text))


def test_duplicates_are_never_averaged(tmp_path: Path) -> None:
    """P-28: ratings 2 and 5 of one cell would become 3.5; they are refused with both lines."""
    with pytest.raises(BundleError, match="lines 2 and 4: a rates Case twice"):
        read_plain(plain(tmp_path, "a,Case,2\nb,Case,3\na,Case,5\n"))


def test_headers(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes("\ufeffRating,Object,Participant,Comment\n5,Org,a,fine\n".encode())
    bundle = read_plain(path)
    assert bundle.frames["ratings"]["final"].to_list() == [5]
    assert bundle.notes == ("Columns not used: comment.",)
    path.write_text("participant;object;rating\na;Org;5\n")
    with pytest.raises(BundleError, match="semicolons"):
        read_plain(path)
    path.write_text("who,object,rating\n")
    with pytest.raises(BundleError, match="needs the columns participant, object and rating"):
        read_plain(path)
    path.write_bytes(b"participant,object,rating\na,Org,\xff\n")
    with pytest.raises(BundleError, match="line 2: not UTF-8"):
        read_plain(path)


def test_an_empty_file_has_no_ratings_and_no_crash(tmp_path: Path) -> None:
    """P-30: a header alone."""
    found = results(read_plain(plain(tmp_path, "")))
    assert [row["n"] for row in found["estimates"] if row["estimand"] == "org_approval"] == [0]


def test_what_a_plain_file_cannot_say(tmp_path: Path) -> None:
    bundle = read_plain(plain(tmp_path, "".join(f"p{n},Org,4\np{n},Case,{n % 5 + 1}\n" for n in range(10))))
    found = results(bundle)
    assert found["study"]["replication"] is None
    assert found["flow"] == []
    assert groups(bundle)[0].set_name.startswith("everyone who rated")
    assert not [row for row in found["estimates"] if row["estimand"].startswith(("informed", "first_choice"))]
    org = found["estimates"][0]
    assert (org["k"], org["n"], org["estimate"]) == (10, 10, 1.0)
    assert org["low"] == pytest.approx(0.7225, abs=1e-4)
