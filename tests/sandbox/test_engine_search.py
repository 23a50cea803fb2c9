"""Global search, type-ahead and search within a list."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from study.sandbox.engine.ids import make_id
from study.sandbox.engine.queryspec import QuerySpec
from study.sandbox.engine.search import search, snippets
from study.sandbox.engine.snapshot import Snapshot, open_snapshot, write_snapshot
from study.sandbox.engine.typing_ahead import type_ahead
from tests.sandbox.small_org import TODAY, small_registry, small_snapshot


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return small_snapshot(Path(tmp_path_factory.mktemp("org")))


def counts(snapshot: Snapshot, text: str) -> dict[str, int]:
    return {found.object: found.count for found in search(snapshot, text).objects}


@pytest.mark.parametrize(
    ("text", "accounts"),
    [("O'Dell", 2), ("o’dell", 2), ("50% off", 2), ("A_B", 2), ("back\\slash", 2), ("Strauss", 2), ("lukasz", 2)],
)
def test_marks_in_a_search_mean_themselves(snapshot: Snapshot, text: str, accounts: int) -> None:
    """P-45: quotes, percent, underscore and backslash are literal."""
    assert counts(snapshot, text)["Account"] == accounts


@pytest.mark.parametrize("text", ["A%B", "A.B", "AxB", "50_", "50_ off", "O Dell x", "O''Dell"])
def test_marks_are_no_wildcards(snapshot: Snapshot, text: str) -> None:
    """P-45"""
    assert "Account" not in counts(snapshot, text)


@pytest.mark.parametrize("text", ["\\", "%", "_"])
def test_a_lone_mark_finds_the_records_that_hold_it(snapshot: Snapshot, text: str) -> None:
    """P-45"""
    assert counts(snapshot, text)["Account"] == 2


@pytest.mark.parametrize(
    "text",
    ["", "   ", "\0", '"', "'", "(", "NOT", "a OR", "AND", "NEAR(a b)", "Subject:", "*", "^", "{x}: y", "-",
     "'); DROP TABLE x;--", '" OR 1=1 --', "…", "👨‍👩‍👧", "a" * 5_000, "x " * 500, "\u202e", "\ud800"],
)  # fmt: skip
def test_no_text_is_an_error(snapshot: Snapshot, text: str) -> None:
    """P-45, P-15"""
    assert search(snapshot, text).total >= 0
    assert len(type_ahead(snapshot, text)) <= 5
    assert snapshot.count(QuerySpec("Case", match=text), TODAY) >= 0


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=40))
def test_no_text_at_all_is_an_error(snapshot: Snapshot, text: str) -> None:
    """P-45: any text gets an answer; what is shown is never more than what was counted."""
    found = search(snapshot, text)
    assert found.total == sum(one.count for one in found.objects)
    assert all(len(one.hits) <= one.count for one in found.objects)
    assert len(type_ahead(snapshot, text)) <= 5


@pytest.mark.parametrize("text", ["ALVAREZ", "alvarez", "Álvarez", "A\u0301lvarez"])
def test_capitals_and_accents_do_not_count(snapshot: Snapshot, text: str) -> None:
    """P-51: "Alvaro" finds "Álvaro" in search as in filters."""
    assert counts(snapshot, text)["Account"] == 4
    assert any(hit.object == "Account" for hit in type_ahead(snapshot, text, "Account"))


def test_an_address_is_found_in_capitals(snapshot: Snapshot) -> None:
    """P-51"""
    assert counts(snapshot, "FRED3@EXAMPLE.TEST")["Account"] == 1


def test_endings_do_not_count_and_all_words_must_occur(snapshot: Snapshot) -> None:
    assert counts(snapshot, "battery drain") == counts(snapshot, "batteries draining") != {}
    assert counts(snapshot, "battery nonsenseword") == {}
    assert search(snapshot, "battery", object="EmailMessage").total == 20


def test_counts_are_those_of_a_list_with_the_same_words(snapshot: Snapshot) -> None:
    for text in ("battery", "o'dell", "100%", "screen cracked", "return"):
        for found in search(snapshot, text, limit=100).objects:
            spec = QuerySpec(found.object, ("Id",), match=text)
            assert snapshot.count(spec, TODAY) == found.count == len(found.hits)
            assert {row[0] for row in snapshot.run(spec, TODAY).rows} == {hit.id for hit in found.hits}


def test_snippets_are_segments_that_join_to_the_text(snapshot: Snapshot) -> None:
    hit = search(snapshot, "drains faster", "Knowledge__kav").objects[0].hits[0]
    assert ("drain", True) in hit.snippet or ("drain faster", True) in hit.snippet
    assert (
        "".join(text for text, _ in hit.snippet).strip("…")
        in "Send it back within 30 days. Batteries drain faster in the cold."
    )
    mails = search(snapshot, "battery", "EmailMessage").objects[0].hits
    again = snippets(snapshot, "EmailMessage", "battery", [mails[0].id[:15]])
    assert again == {mails[0].id: mails[0].snippet}
    assert snippets(snapshot, "EmailMessage", "%", [mails[0].id]) == {}


def test_markup_in_records_stays_text(tmp_path: Path) -> None:
    rows = [{"Id": make_id("500", 1), "Subject": "<b>hot</b> & cold", "Description": "<script>alert(1)</script> hot"}]
    snapshot = open_snapshot(write_snapshot(tmp_path / "x", small_registry(), {"Case": rows}).path)
    hit = search(snapshot, "hot").objects[0].hits[0]
    assert ("hot", True) in hit.snippet
    assert "<" in "".join(text for text, _ in hit.snippet)


def test_an_id_finds_its_record(snapshot: Snapshot) -> None:
    """P-49: by 15 and by 18 characters."""
    full = make_id("500", 7)
    for text in (full, full[:15], f" {full.lower()} "):
        exact = search(snapshot, text).exact
        assert exact is not None
        assert (exact.object, exact.id) == ("Case", full)
        assert type_ahead(snapshot, text)[0].id == full
    assert search(snapshot, make_id("500", 4_000)).exact is None


def test_type_ahead_finds_beginnings_and_puts_names_first(snapshot: Snapshot) -> None:
    hits = type_ahead(snapshot, "bat", "Case")
    assert len(hits) == 5
    assert all(hit.name.startswith("Battery") for hit in hits)
    assert all("O'Dell" in hit.name for hit in type_ahead(snapshot, "o'd", "Account"))
    assert len(type_ahead(snapshot, "o'd", "Account")) == 2
    assert len(type_ahead(snapshot, "a", limit=3)) == 3


def test_hits_carry_what_tells_records_of_one_name_apart(snapshot: Snapshot) -> None:
    accounts = search(snapshot, "O'Dell", "Account").objects[0].hits
    assert all(hit.second.startswith("FRED") for hit in accounts)
    assert len({hit.second for hit in accounts}) == 2


def test_letters_the_index_leaves_whole_are_found_in_long_texts(tmp_path: Path) -> None:
    """P-51: one rule everywhere, also for ø and ł."""
    rows = [{"Id": make_id("500", 1), "Subject": "x", "Description": "Sent to Łódź and Tromsø by Groß."}]
    snapshot = open_snapshot(write_snapshot(tmp_path / "x", small_registry(), {"Case": rows}).path)
    for text in ("lodz", "ŁÓDŹ", "tromso", "Tromsø", "gross", "GROSS"):
        found = search(snapshot, text)
        assert found.total == 1, text
        assert any(marked for _, marked in found.objects[0].hits[0].snippet)
