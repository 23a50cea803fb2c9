"""The papers: from the protocol alone, every gap named, no word of anybody read as markup (M14)."""

from __future__ import annotations

import hashlib
import html
import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from study.accounts.models import Study, User
from study.protocols.documents.parts import Bullets, Document, Facts, Gap, Heading, Paragraph, Table, Words, lines_of
from study.protocols.documents.pdf import NoGlyphs, pdf
from study.protocols.flows import import_protocol
from study.protocols.library import builtin_names, builtin_text
from study.protocols.packs.gaps import PLACES, gaps_of
from study.protocols.packs.making import FORMS, KINDS, document, written
from study.protocols.packs.trace_fields import EVENT, PAGE
from study.protocols.papers import Papers
from study.protocols.reading import parse, read, sha256_of
from study.protocols.texts import participant_texts
from study.sandbox.models import PageFact, TraceEvent

HOUR = builtin_text("realia-hour")
ODD = 'A #panic("x") with $sums$, *stars*, _lines_, "quotes", a \\ backslash, `ticks`, <b> & @names'


def papers_of(text: str) -> dict[str, Document]:
    return {kind.name: document(kind, parse(text), sha256_of(text)) for kind in KINDS}


def test_the_papers_of_the_recommended_study_have_no_empty_place(tmp_path: Path) -> None:
    """Must show: ``study_pack`` of the demo has no empty place, and the same protocol gives the same bytes."""
    out = StringIO()
    for folder in ("a", "b"):
        call_command("study_pack", "realia-hour", "--strict", "--out", str(tmp_path / folder), stdout=out)
    assert "realia-hour: 0 empty places" in out.getvalue()
    assert "\nempty:" not in out.getvalue()
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert len(files) == 9
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
        if not name.endswith("pdf"):
            assert sha256_of(HOUR) in (tmp_path / "a" / name).read_text()
    assert (tmp_path / "a" / "realia-hour-ethics.pdf").read_bytes().startswith(b"%PDF-")


def test_empty_places_are_listed_above_and_below_and_marked_in_between(tmp_path: Path) -> None:
    text = HOUR[: HOUR.index("# What boards, officers")]
    assert len(gaps_of(parse(text))) == len(PLACES) - 1
    for name, paper in papers_of(text).items():
        marks = [n for n, block in enumerate(paper.blocks) if isinstance(block, Gap)]
        lists = [n for n, block in enumerate(paper.blocks) if block == Heading(1, "Still empty")]
        assert marks, name
        assert lists[0] < marks[0] < marks[-1] < lists[1], name
        for gap in paper.gaps:
            for form in ("md", "html"):
                said = html.unescape(written(paper, form).decode()).replace("\\_", "_")
                assert said.count(gap.key) >= 3, (name, form, gap.key)
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    sent = ("study_pack", str(file), "--out", str(tmp_path / "out"), "--form", "md")
    call_command(*sent, stdout=StringIO())
    with pytest.raises(CommandError, match="places are empty"):
        call_command(*sent, "--strict", stdout=StringIO())
    # Each place that the papers of the protocol have is asked for by one of the three.
    asked = {gap.key.removeprefix("papers.") for paper in papers_of(text).values() for gap in paper.gaps}
    assert asked == set(Papers.model_fields)
    assert set(PLACES) == asked | {"exclusions"}


def test_under_open_disclosure_nothing_has_to_be_justified() -> None:
    text = re.sub(r"  incomplete_disclosure: >\n(    .*\n)+", "", HOUR)
    assert [gap.key for gap in gaps_of(parse(text))] == ["papers.incomplete_disclosure"]
    assert gaps_of(parse(text.replace("disclosure: origin_after", "disclosure: open"))) == ()
    assert "To be noted by the board" in "\n".join(lines_of(papers_of(HOUR)["ethics"]))


@pytest.mark.parametrize("name", builtin_names())
def test_the_ethics_pack_holds_every_text_a_participant_reads(name: str) -> None:
    text = builtin_text(name)
    whole = " ".join(" ".join(lines_of(papers_of(text)["ethics"])).split())
    file = parse(text)
    unused = {("work", "withheld_label")} if not file.work.confidentiality else set()
    if file.rating.rationale.boxes == "one":
        unused |= {("rating", "rationale", "right"), ("rating", "rationale", "off")}
    missing = [one.path for one in participant_texts(file) if " ".join(one.text.split()) not in whole]
    assert set(missing) <= unused | {("objects", n, "label") for n in range(len(file.objects))}, missing


def test_numbers_of_the_registration_come_from_the_protocol() -> None:
    text = HOUR.replace("n_target: 20", "n_target: 37").replace("n_max: 40", "n_max: 53").replace(
        "half_width: 0.10", "half_width: 0.08").replace("first_look: 15", "first_look: 19")  # fmt: skip
    said = "\n".join(lines_of(papers_of(text)["registration"]))
    for number in ("37 analysed", "or at 53", "at most 8 points", "First look at 19"):
        assert number in said, number
    for section in [f"{n}. " for n in range(1, 17)]:
        assert any(isinstance(block, Heading) and block.text.startswith(section)
                   for block in papers_of(HOUR)["registration"].blocks), section  # fmt: skip


def test_the_log_is_told_field_by_field() -> None:
    for told, model in ((EVENT, TraceEvent), (PAGE, PageFact)):
        fields = {field.name for field in model._meta.concrete_fields} - {"id", "desk"}
        assert {name for name, _holds, _why in told} == fields


def test_nothing_anybody_typed_is_read_as_markup() -> None:
    """Words with the signs of Typst, Markdown and HTML come out as they were typed, or the file would not be made."""
    blocks = (
        Heading(1, ODD), Paragraph(ODD), Words(f"{ODD}\n\n- {ODD}"), Bullets((ODD,)), Facts(((ODD, ODD),)),
        Table((ODD,), ((ODD,),)), Gap(ODD, "papers.x"),
    )  # fmt: skip
    paper = Document("x", ODD, ODD, ODD, "en", "ltr", blocks)
    assert pdf(paper) == pdf(paper)
    shown = written(paper, "html").decode()
    assert "<b> &" not in shown
    assert html.unescape(shown).count(ODD) >= 10
    plain = re.sub(r"\\([\\`*_\[\]<>|#~$&.])", r"\1", written(paper, "md").decode())
    assert plain.count(ODD) >= 10
    arabic = Document("x", "ما وافقت عليه", "نص", "P-1", "ar", "rtl", (Words("هذا ليس اختبارًا لك."),))
    assert pdf(arabic) == pdf(arabic)


def test_letters_that_no_font_has_are_told_of() -> None:
    """Rather than boxes, or an error that no page answers for."""
    with pytest.raises(NoGlyphs, match="no font for the letters"):
        pdf(Document("x", "A paper", "", "", "en", "ltr", (Paragraph("A letter of nobody: \U0010fffd"),)))


def test_two_reasons_of_one_name_are_refused() -> None:
    text = HOUR.replace("code: asked_out", "code: test_run")
    assert [problem.path for problem in read(text).errors] == ["exclusions[5].code"]
    late = HOUR.replace(
        "You are invited to work in a CRM for about", "You are invited to rate synthetic data for about"
    )
    assert [problem.path for problem in read(late).errors] == ["papers.recruitment[0].text"]


def test_the_page_gives_each_paper_in_each_form(client: Client, study: Study, ada: User) -> None:
    client.force_login(ada)
    base = "/studies/spring/papers/"
    assert "No protocol yet" in client.get(base).content.decode()
    draft = import_protocol(study, builtin_text("crmarena"), ada)
    page = client.get(base).content.decode()
    assert "papers.lawful_basis" in page
    for kind in KINDS:
        for form in FORMS:
            url = f"{base}{draft.number}/{kind.name}.{form}"
            assert url in page
            if form == "pdf" and kind.name != "data":
                continue
            answer = client.get(url)
            assert answer.status_code == 200, url
            assert "attachment" in answer["Content-Disposition"]
    for wrong in ("ethics.exe", "made-up.md", "../ethics.md"):
        assert client.get(f"{base}{draft.number}/{wrong}").status_code == 404
    assert hashlib.sha256(draft.text.encode()).hexdigest() in page
