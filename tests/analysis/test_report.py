"""The report: the same bytes twice, no script, everything escaped, and the command line's exits."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import bundles
import pytest

from analysis import incidents
from analysis.bundle import read_bundle
from analysis.cli import main
from analysis.context import Options
from analysis.document import Paragraph, Quotation, Table
from analysis.figures import diverging_svg, flow_svg, headline_svg, percent
from analysis.markup import page as html_page
from analysis.pages import document
from analysis.report import rationale_rows
from analysis.results import results
from analysis.writing_figures import Drawn

ROOT = Path(__file__).resolve().parents[2]
FEW = ("--replicates", "100")
QUICK = (*FEW, "--no-pdf")


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_bundle_gives_the_same_bytes(bundle_dir: Path, tmp_path: Path) -> None:
    """Twice in one process, and in another with other hash seed, time zone and locale."""
    assert main(["report", str(bundle_dir), "--out", str(tmp_path / "one"), *FEW]) == 0
    assert main(["report", str(bundle_dir), "--out", str(tmp_path / "two"), *FEW]) == 0
    command = [sys.executable, "-m", "analysis", "report", str(bundle_dir), "--out", str(tmp_path / "three"), *FEW]
    strange = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    subprocess.run(command, check=True, cwd=ROOT, env=strange, capture_output=True)
    one = files_in(tmp_path / "one")
    assert one == files_in(tmp_path / "two") == files_in(tmp_path / "three")
    assert {"results.json", "report.html", "report.pdf", "methods.txt", "tables/estimates.csv", "checksums.txt",
            "tables/approval-by-object-main.tex", "figures/approval-main.svg", "figures/approval-main-dark.svg",
            "figures/approval-main-narrow.svg", "figures/approval-main.png"} <= set(one)  # fmt: skip


@pytest.mark.parametrize("experts", [0, 1, 2])
def test_small_studies_have_a_page(tmp_path: Path, experts: int) -> None:
    """P-30: nobody, one, two."""
    words = " ".join(page_of(tmp_path, bundles.tables(experts)).words)
    assert ("too few for a percentage" if experts else "No ratings") in words
    assert not re.search(r"\bnan\b", words.lower())


def test_nobody_at_all_has_every_file(tmp_path: Path) -> None:
    """P-30: the writers meet empty tables and figures too."""
    bundles.write(tmp_path / "b", bundles.tables(0))
    assert main(["report", str(tmp_path / "b"), "--out", str(tmp_path / "r"), *FEW]) == 0
    assert {"report.pdf", "report.html", "figures/approval-all.png"} <= set(files_in(tmp_path / "r"))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bundle whose labels look like formulas, and its report without PDF in r."""
    folder = tmp_path_factory.mktemp("written")
    bundles.write(folder / "b", formulas())
    assert main(["report", str(folder / "b"), "--out", str(folder / "r"), *QUICK]) == 0
    return folder


class Page(HTMLParser):
    """Collects tags that matter and all text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def page_of(folder: Path, made: bundles.Tables, **study: object) -> Page:
    """The page of a bundle, every figure a stand-in: what is tested here are its words and tags."""
    bundles.write(folder / "b", made, **study)
    read = read_bundle(folder / "b")
    words = document(results(read, Options(replicates=100)), rationale_rows(read))
    stand_ins = {
        one.name: Drawn(one, f'<svg role="img" aria-label="{one.name}"></svg>', None) for one in words.figures()
    }
    page = Page()
    page.feed(html_page(words, stand_ins))
    return page


def test_the_page_stands_alone_and_can_be_read_aloud(tmp_path: Path) -> None:
    page = page_of(tmp_path, bundles.tables(12))
    tags = [tag for tag, _ in page.tags]
    assert not {"script", "link", "img", "iframe"} & set(tags)
    assert not [attrs for _, attrs in page.tags if any(name.startswith("on") for name in attrs)]
    assert ("html", {"lang": "en"}) in page.tags
    assert tags.count("h1") == 1
    assert all(attrs["role"] == "img" and attrs["aria-label"] for tag, attrs in page.tags if tag == "svg")
    assert tags.count("caption") == tags.count("table") > 5
    identities = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(identities) == len(set(identities))


def test_what_people_wrote_is_shown_and_cannot_act(tmp_path: Path) -> None:
    made = bundles.tables(6)
    made["rationales"][1]["text"] = "<script>alert(1)</script> & “quotes”"
    made["objects"][0]["label"] = "<b>Account</b>"
    page = page_of(tmp_path, made)
    assert "script" not in [tag for tag, _ in page.tags]
    assert "<script>alert(1)</script> & “quotes”" in page.words
    assert "=looks fine to P-0000" in page.words


def test_nobody_is_quoted_who_was_asked_and_does_not_agree(tmp_path: Path) -> None:
    """P-44: taken back it holds from the next report on; where nothing was asked, nothing is left out."""
    made = bundles.tables(3)
    for person, agreed in zip(made["participants"], (["quotations", "replay"], ["replay"], None), strict=True):
        person["agreed_to"] = agreed
    bundles.write(tmp_path / "b", made)
    read = read_bundle(tmp_path / "b")
    every = rationale_rows(read)
    assert all(row["text"] for row in every)
    asked = replace(read, protocol={"consent": {"optional": [{"id": "quotations"}]}})
    rows = rationale_rows(asked)
    assert {row["participant"] for row in rows if row["text"]} == {made["participants"][0]["code"]}
    assert len(rows) == len(every)
    silent = sum(not row["text"] for row in rows)
    made = document(results(asked, Options(replicates=100)), rows)
    (shown,) = (section for section in made.sections if section.name == "rationales")
    assert shown.parts[0] == Paragraph(f"{silent} of {len(rows)} are not quoted: their writers have not agreed to it.")
    assert {part.text for part in shown.parts if isinstance(part, Quotation)} == {row["text"] for row in rows} - {""}


@pytest.mark.parametrize(
    ("study", "line"),
    [
        (
            {"protocol_kind": "replication", "replicates": "Huang et al. (2025)."},
            "A replication of Huang et al. (2025).",
        ),
        ({"protocol_kind": "recommended"}, "Not a replication: this study has its own protocol."),
        ({}, "The bundle does not say whether this study replicates a published one."),
    ],
)
def test_the_first_line_says_whether_it_is_a_replication(tmp_path: Path, study: dict[str, str], line: str) -> None:
    page = page_of(tmp_path, bundles.tables(1), **study)
    body = [words for words in page.words if words.strip()]
    assert body[body.index(line) - 1].lstrip().startswith(":root")
    assert body[body.index(line) + 1 : body.index(line) + 3] == ["Nothing is compared.", "A test study"]


def test_unknowns_scope_comparison_and_simulation_are_said(tmp_path: Path) -> None:
    unknowns = [{"question": "What people were paid.", "choice": "Pay as written."}]
    words = " ".join(page_of(tmp_path, bundles.tables(6), unknowns=unknowns, simulated=True).words)
    for said in ("What people were paid.", "Scope: this Org", "nothing is compared", "Simulated", "convenience sample"):
        assert said in words


def test_incidents_are_listed_with_what_they_met(tmp_path: Path) -> None:
    """M21: from when to when the study stood, how many visits it met, and what it was; never markup."""
    folder, made = tmp_path / "bundle", bundles.tables(2)
    began, over = datetime(2026, 3, 2, 9, 5, tzinfo=UTC), datetime(2026, 3, 2, 9, 50, tzinfo=UTC)
    told = {"code": "I-1", "began": began, "over": over, "visits": 2, "what": "The CRM was <b>down</b>"}
    later = told | {"code": "I-2", "began": over, "over": None, "visits": 0}
    bundles.write(folder, made | {"incidents": [told, later]})
    rows = incidents.incidents(read_bundle(folder))
    assert [(row["code"], row["began"], row["over"], row["visits"]) for row in rows] == [
        ("I-1", "2026-03-02 09:05", "2026-03-02 09:50", 2), ("I-2", "2026-03-02 09:50", "", 0),
    ]  # fmt: skip
    (shown,) = incidents.section(rows, plain=False)
    (said,) = shown.parts
    assert isinstance(said, Table)
    assert [row[2] for row in said.rows] == ["2026-03-02 09:50", "going on"]
    assert "The CRM was <b>down</b>" in page_of(tmp_path, made | {"incidents": [told]}).words
    assert incidents.section([], plain=False)[0].parts == [Paragraph("There was none.")]
    assert incidents.section([], plain=True) == []


def test_results_json_names_the_bundle_and_checksums_every_file(written: Path) -> None:
    found = json.loads((written / "r" / "results.json").read_text("utf-8"))
    assert found["bundle"] == bundles.write(written / "again", formulas())
    assert {"bundle", "versions", "estimates"} <= set(found)
    lines = (written / "r" / "checksums.txt").read_text("utf-8").splitlines()
    stated = dict(reversed(line.split("  ")) for line in lines)
    files = files_in(written / "r")
    assert set(stated) == set(files) - {"checksums.txt"}
    assert all(hashlib.sha256(files[name]).hexdigest() == digest for name, digest in stated.items())


def formulas() -> bundles.Tables:
    made = bundles.tables(6)
    for entry in made["objects"]:
        entry["label"] = "=1+1"
    return made


def test_tables_of_the_report_are_formula_safe(written: Path) -> None:
    """P-21: labels and notes in every CSV file of the report; numbers below 0 stay numbers."""
    files = {path.name: path.read_text("utf-8") for path in (written / "r" / "tables").glob("*.csv")}
    assert ",'=1+1," in files["objects.csv"]
    assert files["approval-by-object-main.csv"].splitlines()[1].startswith("'=1+1,6,")
    assert len(files) > 20
    for name, text in files.items():
        for row in csv.reader(io.StringIO(text)):
            assert not [cell for cell in row if re.match(r"[=+@\t\r]|-(?![\d.])", cell)], name


def test_one_table_one_tex_one_csv(written: Path) -> None:
    """Every table of the document is a file for a paper and a file for a computer."""
    names = {path.stem for path in (written / "r" / "tables").glob("*.tex")}
    assert "approval-by-object-main" in names
    assert names < {path.stem for path in (written / "r" / "tables").glob("*.csv")}
    assert {path.stem for path in (written / "r" / "figures").glob("*.png")} >= {"approval-main", "realism-profile"}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--seed", "-1"], "--seed is -1; give a whole number of 0 or more."),
        (["--replicates", "5"], "give at least 100"),
        (["--codes", "nowhere.csv"], "nowhere.csv is no file"),
        (["--baselines", "nowhere"], "nowhere"),
    ],
)
def test_bad_options_exit_2_with_a_remedy(
    bundle_dir: Path, tmp_path: Path, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(bundle_dir), "--out", str(tmp_path / "r"), "--replicates", "100", *more]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


def test_a_plain_csv_has_a_report(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("participant,object,rating\n" + "".join(f"p{n},Org,{n % 5 + 1}\n" for n in range(10)))
    assert main(["report", str(path), "--out", str(tmp_path / "r"), *QUICK]) == 0
    assert "plain file" in (tmp_path / "r" / "report.html").read_text("utf-8")


def test_nothing_of_an_earlier_report_is_left_among_a_new_one(tmp_path: Path) -> None:
    """A figure of other data would be taken for one of these; what somebody changed or put there is theirs."""
    one, two, out = tmp_path / "one.csv", tmp_path / "two.csv", tmp_path / "r"
    one.write_text("participant,object,rating\n" + "".join(f"p{n},Case,{n % 5 + 1}\n" for n in range(8)))
    two.write_text("participant,object,rating\n")
    assert main(["report", str(one), "--out", str(out), *QUICK]) == 0
    theirs = {"tables/objects-together-all.csv": "mine", "notes.txt": "mine"}
    for name, words in theirs.items():
        (out / name).write_text(words)
    (tmp_path / "outside").write_text("")
    with (out / "checksums.txt").open("a") as listed:
        listed.write(f"{hashlib.sha256(b'').hexdigest()}  ../outside\n")
    before = files_in(out)
    assert main(["report", str(two), "--out", str(out), *QUICK]) == 0
    stated = {line.split("  ")[1] for line in (out / "checksums.txt").read_text("utf-8").splitlines()}
    left = set(files_in(out)) - stated - {"checksums.txt"}
    assert left == set(theirs) - stated
    assert len(before) > len(stated)
    assert (tmp_path / "outside").exists()


def test_bad_input_exits_2_with_a_remedy(tmp_path: Path, bundle_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path / "nowhere"), "--out", str(tmp_path / "r"), *QUICK]) == 2
    assert "Give a bundle's folder or a ratings.csv" in capsys.readouterr().err
    path = tmp_path / "ratings.csv"
    path.write_text("participant,object,rating\na,Org,9\n")
    assert main(["report", str(path), "--out", str(tmp_path / "r"), *QUICK]) == 2
    assert "ratings.csv, line 2" in capsys.readouterr().err
    (bundle_dir / "orgs.json").write_text("[]")
    assert main(["report", str(bundle_dir), "--out", str(tmp_path / "r"), *QUICK]) == 2
    assert "orgs.json is not the file that was exported" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()
    assert main(["report", str(path), "--out", str(path / "under"), *QUICK]) == 2


def test_an_unwritable_place_exits_2(bundle_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert main(["report", str(bundle_dir), "--out", str(blocked), *QUICK]) == 2
    assert "can't be written" in capsys.readouterr().err


ROW = {"label": "Case", "counts": [0, 0, 0, 0, 0], "n": 0, "k": 0, "cannot_judge": 0, "estimate": None, "low": None,
       "high": None, "note": ""}  # fmt: skip


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [872, 320])
def test_figures_are_well_formed_at_both_widths(theme: str, width: int) -> None:
    full = {**ROW, "counts": [1, 2, 3, 4, 5], "n": 15, "k": 9, "estimate": 0.6, "low": 0.35, "high": 0.8}
    drawn = diverging_svg([full, ROW, {**full, "label": 'A "quoted" <name>'}], theme, width)
    root = ET.fromstring(drawn)
    assert (root.get("role"), root.get("width")) == ("img", str(width))
    assert "Case 9 of 15" in (root.get("aria-label") or "")
    assert 'A "quoted" <name>' in "".join(root.itertext())
    assert "style=" not in drawn
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)px"', drawn)]
    assert sizes
    assert min(sizes) >= 11
    for other in (flow_svg([], theme, width), diverging_svg([], theme, width)):
        assert ET.fromstring(other).get("role") == "img"


def test_a_strip_without_estimate_says_the_counts() -> None:
    drawn = headline_svg({"estimate": None, "low": None, "high": None, "k": 3, "n": 4, "raters": 4})
    assert "No percentage: 3 of 4 ratings by 4 raters." in drawn


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(ValueError, match="light or dark"):
        diverging_svg([], "sepia")


@pytest.mark.parametrize(
    ("share", "digits", "words"), [(0.625, 0, "63%"), (2 / 3, 1, "66.7%"), (0, 0, "0%"), (1, 1, "100.0%")]
)
def test_percent_rounds_half_up(share: float, digits: int, words: str) -> None:
    assert percent(share, digits) == words


def test_ids_of_a_figure_are_usable_whatever_the_arm_is_called() -> None:
    drawn = diverging_svg([ROW], name='main, visit 1 "x"')
    for found in re.findall(r'(?: id="|url\(#)([^")]+)', drawn):
        assert re.fullmatch(r"[A-Za-z0-9_-]+", found)


def test_a_control_character_in_a_name_breaks_no_drawing_and_no_page(tmp_path: Path) -> None:
    """A NUL or a vertical tab out of a form: the name is shown with a sign in its place, and all files are made."""
    people = [f"P{number}" for number in range(6)]
    rows = [f"{code},Ca\x00se \x0bone,{number % 5 + 1}\n{code},Org,4\n" for number, code in enumerate(people)]
    (tmp_path / "ratings.csv").write_text("participant,object,rating\n" + "".join(rows), encoding="utf-8")
    assert main(["report", str(tmp_path / "ratings.csv"), "--out", str(tmp_path / "r"), *FEW]) == 0
    made = files_in(tmp_path / "r")
    assert "Ca\ufffdse \ufffdone".encode() in made["report.html"]
    shown = [name for name in made if name.endswith((".html", ".svg", ".tex"))]
    assert len(shown) > 10
    assert [name for name in shown if re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", made[name])] == []
    assert made["report.pdf"].startswith(b"%PDF")
