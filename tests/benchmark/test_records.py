"""Records of the published format, as files hold them and as they go wrong."""

from __future__ import annotations

import gzip
import json
from datetime import date
from typing import Any

import pytest

from study.benchmark.formats import unpacked
from study.benchmark.problems import Problem, UnreadableFile
from study.benchmark.records import Record, parse


def raw(idx: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "idx": idx,
        "answer": ["November"],
        "task": "monthly_trend_analysis",
        "persona": "You are quality-focused.",
        "metadata": {"required": "- Today's date: 2021-04-10", "optional": "# Domain\n- Q1: January to March"},
        "reward_metric": "exact_match",
        "query": f"In which month did tent {idx} break most? Return only the month.",
    } | changes


def records(data: Any) -> list[Record]:
    found = list(parse(data if isinstance(data, bytes | str) else json.dumps(data)))
    assert [str(item) for item in found if isinstance(item, Problem)] == []
    return [item for item in found if isinstance(item, Record)]


def problems(data: Any) -> list[Problem]:
    return [
        item for item in parse(data if isinstance(data, bytes | str) else json.dumps(data)) if isinstance(item, Problem)
    ]


def kept(data: Any) -> list[Record]:
    return [
        item for item in parse(data if isinstance(data, bytes | str) else json.dumps(data)) if isinstance(item, Record)
    ]


TWO = [raw(0), raw(1)]


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(TWO),
        json.dumps({"b2b": TWO}),
        json.dumps({"first": TWO[:1], "second": TWO[1:]}),
        json.dumps({name: [record[name] for record in TWO] for name in TWO[0]}),
        "\n".join(json.dumps(record) for record in TWO),
        "\n\n".join(json.dumps(record) for record in TWO) + "\n",
        gzip.compress(json.dumps(TWO).encode()),
        gzip.compress(json.dumps(TWO[0]).encode() + b"\n") + gzip.compress(json.dumps(TWO[1]).encode()),
        json.dumps(TWO).encode("utf-8-sig"),
    ],
    ids=["list", "lists", "splits", "columns", "lines", "blank-lines", "gzip", "gzip-members", "bom"],
)
def test_every_form_gives_the_same_records(data: bytes | str) -> None:
    found = records(data)
    assert [record.idx for record in found] == ["0", "1"]
    assert found[0].answer == ("November",)
    assert found[0].today == date(2021, 4, 10)
    assert [record.key for record in found] == [record.key for record in records(TWO)]


@pytest.mark.parametrize("write", [repr, json.dumps])
def test_metadata_may_be_the_text_of_an_object(write: Any) -> None:
    metadata = {"required": "- Today's date: 2021-04-10\n- It's \"here\"", "optional": ""}
    (found,) = records([raw(metadata=write(metadata))])
    assert found.required == metadata["required"]
    assert found.today == date(2021, 4, 10)


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ("November", ("November",)),
        (["November"], ("November",)),
        (None, (None,)),
        ([None], (None,)),
        ([], (None,)),
        ("None", (None,)),
        ('["November"]', ("November",)),
        ("['November']", ("November",)),
        (7, ("7",)),
        (["a", "b"], ("a", "b")),
    ],
)
def test_answers_are_scalars_lists_or_null(given: Any, answer: tuple[str | None, ...]) -> None:
    (found,) = records([raw(answer=given)])
    assert found.answer == answer


def test_a_broken_line_is_named_and_the_rest_goes_on() -> None:
    lines = [json.dumps(raw(0)), '{"idx": 1, "task": ', json.dumps(raw(2)), "[1, 2]", json.dumps(raw(3))]
    found = list(parse("\n".join(lines)))
    assert [item.idx for item in found if isinstance(item, Record)] == ["0", "2", "3"]
    wrong = [str(item) for item in found if isinstance(item, Problem)]
    assert len(wrong) == 2
    assert wrong[0].startswith("line 2: is not JSON")
    assert wrong[1].startswith("line 4: is list, not a record")


def test_a_broken_record_of_a_list_is_named_and_the_rest_goes_on() -> None:
    text = json.dumps([raw(n) for n in range(4)], indent=1).replace('"idx": 1,', '"idx": one,')
    found = list(parse(text))
    assert [item.idx for item in found if isinstance(item, Record)] == ["0", "2", "3"]
    (wrong,) = [item for item in found if isinstance(item, Problem)]
    assert wrong.where.startswith("record 2 (line ")


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"query": None}, "query", "is missing"),
        ({"task": " "}, "task", "is missing"),
        ({"query": 7}, "query", "is int, not text"),
        ({"reward_metric": "rouge"}, "reward_metric", "is unknown"),
        ({"metadata": [1]}, "metadata", "is list"),
        ({"metadata": "{broken"}, "metadata", "cannot be read"),
        ({"answer": [["x"]]}, "answer", "is nested"),
        ({"answer": [None, "x"]}, "answer", "mixes null"),
        ({"today": "2023-02-30"}, "today", "is not a date"),
        ({"minutes_by_hand": True}, "minutes_by_hand", "is not a number"),
        ({"params": "[1]"}, "params", "is list"),
    ],
)
def test_a_record_that_cannot_be_used_is_left_out_with_its_field(change: dict[str, Any], field: str, said: str) -> None:
    data = [raw(0), raw(1, **change)]
    (wrong,) = problems(data)
    assert (wrong.idx, wrong.field, wrong.kept) == ("1", field, False)
    assert said in str(wrong)
    assert wrong.remedy
    assert [record.idx for record in kept(data)] == ["0"]


def test_an_answer_must_be_there_even_if_it_is_null() -> None:
    record = raw()
    del record["answer"]
    assert [item.field for item in problems([record])] == ["answer"]


def test_invisible_characters_are_dropped_and_the_rest_is_kept() -> None:
    """P-15: a NUL in a file neither breaks the import nor the database."""
    (found,) = records([raw(answer=["No\0vember"], query="Which \0month\x08?", persona="\0")])
    assert found.answer == ("November",)
    assert found.query == "Which month?"
    assert found.persona == ""


def test_bytes_that_are_no_utf8_are_dropped_and_said() -> None:
    data = json.dumps(raw(query="Which caf? month")).encode().replace(b"caf?", b"caf\xe9")
    (wrong,) = problems(data)
    assert wrong.kept
    assert "not UTF-8" in wrong.message
    assert kept(data)[0].query == "Which caf month"


def test_two_factors_in_one_text_are_said_and_split() -> None:
    data = [
        raw(5, task="lead_qualification", answer=["Authority, Need"]),
        raw(6, task="lead_qualification", answer=["Need"]),
    ]
    (wrong,) = problems(data)
    assert wrong.idx == "5"
    assert "two factors in one text (Authority, Need)" in wrong.message
    assert [record.answer for record in kept(data)] == [("Authority", "Need"), ("Need",)]


def test_a_today_that_is_no_day_is_said_and_the_last_day_taken() -> None:
    data = [raw(metadata={"required": "Today's date: 2023-02-29", "optional": ""})]
    assert [item.field for item in problems(data)] == ["today"]
    assert kept(data)[0].today is None


def test_a_task_of_ones_own_is_kept_with_what_the_record_says() -> None:
    data = [raw(task="refunds", skill="TEXT", role="clerk", answer_type="record", answer_object="Order")]
    assert problems(data)[0].kept
    (found,) = kept(data)
    assert (found.task, found.skill, found.role, found.answer_type) == ("refunds", "TEXT", "clerk", "record")


@pytest.mark.parametrize("data", [b"", b"  \n", b"7", b'{"a": 1}', b"\x1f\x8b\x08rubbish"])
def test_a_file_without_records_is_refused_in_words(data: bytes) -> None:
    with pytest.raises(UnreadableFile):
        list(parse(data))


def test_a_gzip_cut_short_is_refused() -> None:
    whole = gzip.compress(json.dumps([raw(n) for n in range(50)]).encode())
    with pytest.raises(UnreadableFile, match="too early"):
        list(parse(whole[: len(whole) // 2]))


def test_a_file_made_to_fill_the_memory_is_refused() -> None:
    bomb = gzip.compress(b" " * (64 * 2**20))
    assert len(bomb) < 100_000
    with pytest.raises(UnreadableFile, match="too large"):
        unpacked(bomb)
    with pytest.raises(UnreadableFile, match="at most 10"):
        unpacked(b"x" * 11, max_bytes=10)


def test_nesting_without_end_is_a_broken_line() -> None:
    text = json.dumps(raw(0)) + "\n" + "[" * 200_000
    assert [record.idx for record in kept(text)] == ["0"]


def test_a_number_without_end_is_said_for_what_it_is() -> None:
    text = json.dumps(raw(0)) + "\n" + '{"idx": ' + "9" * 5000 + "}"
    (problem,) = [found for found in parse(text) if isinstance(found, Problem)]
    assert problem.where == "line 2"
    assert "too many digits" in problem.message


def test_numbers_written_as_decimals_are_the_same_records() -> None:
    whole, decimal = records([raw(7)])[0], records([raw(7) | {"idx": 7.0}])[0]
    assert decimal.idx == "7"
    assert decimal.key == whole.key
