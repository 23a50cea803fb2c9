"""Reading never raises, keeps every value, and finds the line."""

from __future__ import annotations

import hashlib
import json
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from study.protocols.library import builtin_names, builtin_text
from study.protocols.nodes import MAX_BYTES, read_nodes
from study.protocols.problems import ProtocolInvalid
from study.protocols.reading import decode, parse, read, sha256_of
from study.protocols.schema import ProtocolFile
from study.protocols.shape import model_at

HOUR = builtin_text("realia-hour")
ADDRESS = "Nobody reads mail to study-team@example.test."


@pytest.mark.parametrize("name", builtin_names())
def test_the_built_in_protocols_are_clean(name: str) -> None:
    reading = read(builtin_text(name))
    assert reading.ok
    assert not reading.errors
    # What is left is said on purpose: an address to replace, and the published ten minutes for nine pages.
    left = {(problem.path, problem.level) for problem in reading.problems}
    published = {("clocks.ratings", "warning")} if name == "crmarena-pro" else set()
    assert left == {("team.email", "warning")} | published


def test_three_protocols_are_built_in_and_the_recommended_one_comes_first() -> None:
    assert builtin_names() == ("realia-hour", "crmarena", "crmarena-pro")
    with pytest.raises(KeyError):
        builtin_text("../../settings")


@pytest.mark.parametrize("name", builtin_names())
def test_a_value_survives_a_round_trip_through_json(name: str) -> None:
    value = parse(builtin_text(name))
    text = value.model_dump_json(by_alias=True, exclude_none=True)
    assert ProtocolFile.model_validate_json(text) == value
    # JSON is YAML too, so a protocol written by a program reads the same.
    again = parse(json.dumps(json.loads(text), ensure_ascii=False, indent=1))
    assert again == value


def test_the_hash_is_that_of_the_file_and_does_not_depend_on_line_ends() -> None:
    digest = hashlib.sha256(HOUR.encode()).hexdigest()
    assert sha256_of(HOUR) == digest
    assert sha256_of("\ufeff" + HOUR.replace("\n", "\r\n")) == digest
    assert sha256_of(HOUR.replace("\n", "\r")) == digest
    assert sha256_of(HOUR + " ") != digest


def test_words_like_no_and_times_stay_text() -> None:
    tree = read_nodes("a: no\nb: on\nc: 12:30\nd: 2024-01-01\ne: 0x10\nf: 1_000\ng: 1e3\nh: true\ni: 3\nj: 0.5\nk: ~\n")
    assert tree.value == {
        "a": "no", "b": "on", "c": "12:30", "d": "2024-01-01", "e": "0x10", "f": "1_000", "g": "1e3",
        "h": True, "i": 3, "j": 0.5, "k": None,
    }  # fmt: skip
    assert not tree.problems


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("", 1, "empty"),
        ("# only a comment\n", 1, "empty"),
        ("realia: 1\nrealia: 1\n", 2, "twice"),
        ("a: 1\nb: &x [1]\nc: *x\n", 2, "Anchors"),
        ("a: *x\n", 1, "Anchors"),
        ("a: 1\nb: !!python/object:os.system x\n", 2, "Tags"),
        ("a: !x 1\n", 1, "Tags"),
        ("a: 1\n\tb: 2\n", 2, "readable"),
        ("a: [1, 2\nb: 3\n", 2, "readable"),
        ("a: 'x\n", 2, "readable"),
        ("a: 1\n---\nb: 2\n", 2, "readable"),
        ("a: 1\nb: x\x00y\n", 2, "control character"),
        ("a: \x1b[31mred\n", 1, "control character"),
        ("a: \ud800\n", 1, "control character"),
        ("? [1, 2]\n: 3\n", 1, "plain word"),
        ("[" * 500, 1, "nested"),
        ("a:\n" + "".join(" " * n + "- \n" for n in range(1, 60)), 25, "nested"),
        ("x" * (MAX_BYTES + 1), 1, "bytes"),
        ("just a sentence", 1, "section"),
        ("- a\n- b\n", 1, "section"),
    ],
)  # fmt: skip
def test_what_is_no_protocol_gets_a_line_and_a_remedy(text: str, line: int, word: str) -> None:
    reading = read(text)
    assert reading.value is None
    said = [problem for problem in reading.problems if word in problem.message]
    assert said, [str(problem) for problem in reading.problems]
    assert said[0].line == line
    assert said[0].remedy
    with pytest.raises(ProtocolInvalid):
        parse(text)


def test_a_bomb_of_references_costs_nothing() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    began = time.perf_counter()
    assert not read("\n".join(levels)).ok
    assert time.perf_counter() - began < 2


def test_bytes_that_are_not_utf8_are_named_by_line() -> None:
    text, problems = decode(b"realia: 1\r\n# caf\xe9\r\n")
    assert text == "realia: 1\n# caf\ufffd\n"
    assert [problem.line for problem in problems] == [2]
    assert decode(b"\xef\xbb\xbfa: \xc3\xa9\r\n") == ("a: é\n", ())


def test_a_draft_with_unwelcome_words_still_has_a_value_to_show() -> None:
    text = HOUR.replace("Now the records themselves.", "Now the fake records.")
    assert not read(text).ok
    assert "fake" in parse(text).rating.intro


def test_every_problem_of_a_file_is_found_at_once_and_in_file_order() -> None:
    text = HOUR.replace("realia: 1", "realia: 9").replace("  n_max: 40", "  n_max: many")
    text = text.replace("device: desk", "devise: desk")
    lines = [problem.line for problem in read(text).problems]
    assert lines == sorted(lines)
    assert len(lines) == 3


def test_model_at_follows_the_file() -> None:
    assert model_at(("screener", "items", 3, "options", 0)).__name__ == "Option"  # type: ignore[union-attr]
    assert model_at(("screener", "eligibility", "rule", "all", 0, "not")).__name__ == "Rule"  # type: ignore[union-attr]
    assert model_at(("nothing", "here")) is None


LINES = HOUR.split("\n")
SLOW = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(st.text(alphabet=st.characters(codec=None), max_size=300))
@SLOW
def test_garbage_never_raises(text: str) -> None:
    assert not read(text).ok


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@` \n\t?,0", max_size=120))
@SLOW
def test_yaml_signs_never_raise(text: str) -> None:
    assert not read(text).ok


@given(st.binary(max_size=300))
@SLOW
def test_bytes_never_raise(data: bytes) -> None:
    text, problems = decode(data)
    assert not read(text).ok or problems


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(st.integers(0, len(LINES) - 1), st.sampled_from(["cut", "twice", "indent", "swap", "value"]), JSON)
@settings(SLOW, max_examples=50)
def test_a_protocol_with_one_damaged_line_never_raises(n: int, how: str, value: object) -> None:
    lines = list(LINES)
    if how == "cut":
        del lines[n]
    elif how == "twice":
        lines.insert(n, lines[n])
    elif how == "indent":
        lines[n] = "  " + lines[n]
    elif how == "swap":
        lines[n], lines[-n] = lines[-n], lines[n]
    else:
        lines[n] = lines[n].partition(":")[0] + ": " + json.dumps(value)
    for problem in read("\n".join(lines)).problems:
        assert 1 <= problem.line <= len(lines) + 1
        assert problem.message
        assert problem.remedy
