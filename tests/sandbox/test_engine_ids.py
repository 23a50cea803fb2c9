"""Ids of 15 and 18 characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.sandbox.engine.ids import make_id, normal_id, suffix15to18

BODIES = st.text("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", min_size=15, max_size=15)


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("a9U290000004GNy", "a9U290000004GNyEAM"),
        ("a9U290000004GNY", "a9U290000004GNYEA2"),
        ("001D000000IRFma", "001D000000IRFmaIAH"),
    ],
)
def test_known_pairs(short: str, full: str) -> None:
    """P-49: the suffix tells Ids apart that differ only in capitals."""
    assert suffix15to18(short) == full
    assert normal_id(f" {short} ") == normal_id(full) == full


def test_ids_that_differ_in_case_are_different_records() -> None:
    """P-49"""
    assert normal_id("a9U290000004GNy") != normal_id("a9U290000004GNY")


@given(BODIES)
def test_an_id_that_lost_its_capitals_is_repaired(body: str) -> None:
    """P-49: the 18-character form survives programs that ignore case."""
    full = suffix15to18(body)
    assert normal_id(full.lower()) == normal_id(full.upper()) == full


@pytest.mark.parametrize(
    "text", [None, "", "001", "001D000000IRFma!", "001D000000IRFmaIAA", "001D000000IRFm\0", "x" * 17]
)
def test_what_is_no_id(text: str | None) -> None:
    assert normal_id(text) is None


def test_made_ids_are_valid_distinct_and_in_order() -> None:
    made = [make_id("500", n) for n in (0, 1, 61, 62, 3_843, 3_844, 10**9)]
    assert len(set(made)) == len(made)
    assert made == sorted(made)
    assert all(normal_id(one) == one and one.startswith("500") for one in made)
    with pytest.raises(ValueError, match="prefix"):
        make_id("5", 1)
    with pytest.raises(ValueError, match="outside"):
        make_id("500", -1)
