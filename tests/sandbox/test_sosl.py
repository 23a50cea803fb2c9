"""FIND: words, phrases, AND, OR, AND NOT, wildcards, fields and limits, against plain reading of the same texts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from study.sandbox.engine.ids import make_id
from study.sandbox.engine.snapshot import Snapshot, open_snapshot, write_snapshot
from study.sandbox.engine.sought import ANY, ONE, _fits
from study.sandbox.soql import run_sosl
from tests.sandbox.naive_values import plain
from tests.sandbox.small_org import PREFIXES, TODAY, small_registry, small_snapshot

TEXTS = [
    "Red tent with poles",
    "Blue tent, torn",
    "sky blue awning",
    "The sky was red, the tent blue",
    "Tenting in Zürich",
    "test text tint",
    "O'Dell's tent 50% off",
    "A_B happiness and A B",
    "poles: e-mail me at fred@example.test",
    "ΑΘΗΝΑ Москва",
    "",
    "tents' pole",
]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    records = [
        {"Id": make_id(PREFIXES["Case"], n), "Subject": text or None, "Description": TEXTS[-n], "Status": "New"}
        for n, text in enumerate(TEXTS)
    ]
    folder = Path(tmp_path_factory.mktemp("sosl"))
    return open_snapshot(write_snapshot(folder / "s.sqlite", small_registry(), {"Case": records}, today=TODAY).path)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return small_snapshot(Path(tmp_path_factory.mktemp("small")))


def found(snapshot: Snapshot, term: str, scope: str = "NAME") -> list[str]:
    """The subjects found in subjects (the name of a case)."""
    result = run_sosl(snapshot, f"FIND {{{term}}} IN {scope} FIELDS RETURNING Case(Subject)", TODAY)
    return [row[0] for row in result.found[0].rows]


def holding(*patterns: str) -> list[str]:
    """The texts in which every pattern occurs as whole words."""
    return [text for text in TEXTS if all(re.search(rf"(?<!\w){one}(?!\w)", plain(text)) for one in patterns)]


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("tent", holding("tent(?:s|ing)?")),
        ("TENT red", holding("tent(?:s|ing)?", "red")),
        ("tent AND red", holding("tent(?:s|ing)?", "red")),
        ("tent and red", holding("tent(?:s|ing)?", "red")),
        ('"sky blue"', holding("sky blue")),
        ('"blue sky"', []),
        ("red OR awning", [text for text in TEXTS if text in holding("red") or text in holding("awning")]),
        ("tent AND NOT red", [t for t in holding("tent(?:s|ing)?") if t not in holding("red")]),
        ("tent AND NOT (red OR torn)", ["Tenting in Zürich", "O'Dell's tent 50% off", "tents' pole"]),
        ("tent AND (red OR torn)", ["Red tent with poles", "Blue tent, torn", "The sky was red, the tent blue"]),
        ("red OR tent AND torn", ["Red tent with poles", "Blue tent, torn", "The sky was red, the tent blue"]),
        ("te?t", ["Red tent with poles", "Blue tent, torn", "The sky was red, the tent blue", "test text tint",
                  "O'Dell's tent 50% off", "poles: e-mail me at fred@example.test"]),
        ("te*t", ["Red tent with poles", "Blue tent, torn", "The sky was red, the tent blue", "test text tint",
                  "O'Dell's tent 50% off", "poles: e-mail me at fred@example.test"]),
        ("tent*", ["Red tent with poles", "Blue tent, torn", "The sky was red, the tent blue", "Tenting in Zürich",
                   "O'Dell's tent 50% off", "tents' pole"]),
        ("happin*", ["A_B happiness and A B"]),
        ("happi?ess", ["A_B happiness and A B"]),
        ("zuri*", ["Tenting in Zürich"]),
        ("zürich", ["Tenting in Zürich"]),
        ("моск*", ["ΑΘΗΝΑ Москва"]),
        ("αθηνα", ["ΑΘΗΝΑ Москва"]),
        ("O'Dell", ["O'Dell's tent 50% off"]),
        ("50\\% off", ["O'Dell's tent 50% off"]),
        ("A_B", ["A_B happiness and A B"]),
        ('"A_B"', ["A_B happiness and A B"]),
        ("e-mail", ["poles: e-mail me at fred@example.test"]),
        ("fred@example.test", ["poles: e-mail me at fred@example.test"]),
        ("poles - torn", []),
        ("red -- poles", ["Red tent with poles"]),
        ("tent\\*", []),
        ("NOT\\ b", []),
        ("blue or or\\b", ["Blue tent, torn", "sky blue awning", "The sky was red, the tent blue"]),
    ],
)  # fmt: skip
def test_words_find_what_a_plain_reading_finds(texts: Snapshot, term: str, expected: list[str]) -> None:
    assert found(texts, term) == expected


def test_all_fields_hold_more_than_names(texts: Snapshot) -> None:
    """A term may be met by two fields of one record, and AND NOT looks at both."""
    assert len(found(texts, "torn", "ALL")) == 2
    pairs = [f"{text} {TEXTS[-n]}" for n, text in enumerate(TEXTS)]
    both = found(texts, "torn AND awning", "ALL")
    expected = [text for text, pair in zip(TEXTS, pairs, strict=True) if "torn" in pair and "awning" in pair]
    assert both == expected
    assert set(found(texts, "red AND NOT tent", "ALL")) <= set(found(texts, "red", "ALL"))


@pytest.mark.parametrize(
    ("scope", "objects"),
    [("NAME", {"Account": 0, "Contact": 0}), ("EMAIL", {"Account": 1, "Contact": 0}),
     ("ALL", {"Account": 1, "Contact": 0}),
     ("PHONE", {"Account": 0, "Contact": 0}), ("SIDEBAR", {"Account": 1, "Contact": 0})],
)  # fmt: skip
def test_scopes_keep_to_their_fields(snapshot: Snapshot, scope: str, objects: dict[str, int]) -> None:
    result = run_sosl(snapshot, f"FIND {{fred7@example.test}} IN {scope} FIELDS RETURNING Account, Contact", TODAY)
    assert {one.object: one.total_size for one in result.found} == objects


def test_what_is_returned_is_said_by_returning(snapshot: Snapshot) -> None:
    text = (
        "FIND 'battery' IN ALL FIELDS RETURNING "
        "Case(Id, Subject, Account.Name WHERE Status = 'New' AND CreatedDate = LAST_N_MONTHS:6 "
        "ORDER BY CreatedDate DESC LIMIT 3 OFFSET 1), Knowledge__kav(Title), Product2"
    )
    cases, articles, products = run_sosl(snapshot, text, TODAY).found
    assert cases.columns == ("Id", "Subject", "Account.Name")
    assert (len(cases.rows), cases.total_size) == (3, 3)
    assert all("Battery" in row[1] for row in cases.rows)
    assert articles.total_size == 4
    assert (products.columns, products.rows) == (("Id",), [])


def test_without_returning_every_object_with_hits_answers_with_ids(snapshot: Snapshot) -> None:
    result = run_sosl(snapshot, "FIND {battery}", TODAY)
    assert {one.object for one in result.found} == {"Case", "Issue__c", "Knowledge__kav", "EmailMessage"}
    assert all(one.columns == ("Id",) for one in result.found)
    assert result.total_size == sum(one.total_size for one in result.found)


def test_the_limit_of_the_whole_search_goes_by_the_order_of_returning(snapshot: Snapshot) -> None:
    result = run_sosl(snapshot, "FIND {battery} RETURNING Knowledge__kav(Id), Case(Id), EmailMessage LIMIT 6", TODAY)
    assert [len(one.rows) for one in result.found] == [4, 2, 0]
    assert not result.done
    assert [one.done for one in result.found] == [True, False, False]


def test_a_pattern_never_takes_long() -> None:
    """Stars in a row on a long word: no time beyond the product of the lengths."""
    assert not _fits("a" * 20_000 + "b", f"a{ANY}a{ANY}a{ANY}a{ANY}c")
    assert _fits("a" * 20_000 + "b", f"a{ANY}a{ONE}{ANY}b")
    assert _fits("tent", f"tent{ANY}")
    assert not _fits("ten", f"ten{ONE}")
