"""What the parsed protocol can be asked, the simple markup, and that every section is documented."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel, ValidationError

from study.protocols.library import builtin_names, builtin_text
from study.protocols.markup import Block, blocks, fill, places
from study.protocols.parts import Rule
from study.protocols.reading import parse
from study.protocols.schema import ProtocolFile
from study.protocols.shape import keys_of
from study.protocols.templatetags.prose import prose
from study.protocols.texts import participant_texts

HOUR = parse(builtin_text("realia-hour"))
DOC = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")

DEMO_OBJECTS = (
    "Account", "Case", "Contact", "Order", "Product2", "Knowledge__kav", "EmailMessage", "LiveChatTranscript",
)  # fmt: skip


def test_the_hour_rates_the_objects_of_the_demo_and_practises_on_another() -> None:
    assert tuple(text.api for text in HOUR.rated("main")) == DEMO_OBJECTS
    assert HOUR.orientation.practice is not None
    assert HOUR.orientation.practice.object == "Issue__c"
    assert set(DEMO_OBJECTS) < {text.api for text in HOUR.oriented("main")}
    with pytest.raises(KeyError):
        HOUR.rated("other")


def test_the_hour_has_the_closing_items_in_their_order() -> None:
    ids = [item.id for module in HOUR.modules_at("after_ratings") for item in module.items]
    assert ids == [
        "own", "coverage", "not_found", "origin_guess", "origin_confidence", "hoped", "umux_requirements", "umux_easy",
        "own_software", "rushed", "help_used", "one_change", "trouble", "use_answers",
    ]  # fmt: skip
    assert [item.id for module in HOUR.modules_at("after_each_task") for item in module.items] == [
        "confidence", "frequency_at_work", "one_clear_answer",
    ]  # fmt: skip


def test_the_screener_has_the_items_of_the_instrument() -> None:
    stems = {re.match(r"S\d+", item.id).group() for item in HOUR.screener.items}  # type: ignore[union-attr]
    assert stems == {f"S{n}" for n in range(1, 12)}
    assert {item.id for item in HOUR.screener.items if not item.required} == {"S11a", "S11b", "S11c"}


def test_scale_points() -> None:
    confidence = HOUR.modules_at("after_each_task")[0].items[0]
    assert confidence.points == tuple(range(0, 101, 10))
    assert HOUR.screener.items[0].points == ()


@pytest.mark.parametrize(
    ("answers", "eligible"),
    [
        ({"S1": "few_times_a_week", "S9": "no", "S10": "no"}, True),
        ({"S1": "few_times_a_week", "S9": "rather_not_say", "S10": "know_someone"}, True),
        ({"S1": "less_often", "S9": "no", "S10": "no"}, False),
        ({"S1": "rather_not_say", "S9": "no", "S10": "no"}, False),
        ({"S1": "about_once_a_day", "S9": "yes", "S10": "no"}, False),
        ({"S1": "about_once_a_day", "S9": "no", "S10": "i_have"}, False),
        ({}, False),
    ],
)
def test_who_is_eligible_for_the_hour(answers: dict[str, str], eligible: bool) -> None:
    assert HOUR.eligible(answers) is eligible


def test_a_rule_reads_several_choices_and_any() -> None:
    rule = Rule.model_validate_json('{"any": [{"item": "a", "in": ["x"]}, {"not": {"item": "b", "in": ["y", "z"]}}]}')
    assert rule.holds({"a": ["w", "x"], "b": ["y"]})
    assert not rule.holds({"a": ["w"], "b": ["z"]})
    assert rule.holds({"b": []})
    assert [leaf.item for leaf in rule.leaves()] == ["a", "b"]


@pytest.mark.parametrize("text", ['{"item": "a"}', '{"in": ["a"]}', "{}", '{"all": [], "any": []}', '{"all": []}'])
def test_half_a_rule_is_none(text: str) -> None:
    with pytest.raises(ValidationError):
        Rule.model_validate_json(text)


@pytest.mark.parametrize("name", builtin_names())
def test_five_tasks_over_the_strata(name: str) -> None:
    protocol = parse(builtin_text(name))
    assert sum(stratum.quota for stratum in protocol.tasks.strata) + protocol.tasks.rotating == 5
    for task in protocol.task_names:
        assert task in protocol.stratum_of(task).tasks
    with pytest.raises(KeyError):
        protocol.stratum_of("unheard_of")


def test_the_replications_are_spread_as_published() -> None:
    assert parse(builtin_text("crmarena-pro")).tasks.by == "skill"
    assert parse(builtin_text("crmarena")).tasks.by == "role"
    assert parse(builtin_text("crmarena")).meta.replicates.objects == "reconstructed"  # type: ignore[union-attr]


def test_values_are_frozen() -> None:
    with pytest.raises(ValidationError):
        HOUR.meta.name = "other"  # type: ignore[misc]


def test_every_visible_text_is_found_by_its_type() -> None:
    paths = {text.path for text in participant_texts(HOUR)}
    assert ("meta", "public_title") in paths
    assert ("screener", "items", 1, "options", 9, "ask") in paths
    assert ("orientation", "notes", 0) in paths
    assert ("rating", "object", "options", 4, "line") in paths
    assert not any(path[0] in {"analysis", "unknowns", "arms"} for path in paths)
    late = {text.path[0] for text in participant_texts(HOUR) if text.after_lock}
    assert late == {"modules", "debrief", "completion"}


def test_markup_knows_paragraphs_and_bullets() -> None:
    text = "One\ntwo.\n\nThese:\n- a\n  b\n- c\n\n- d"
    assert blocks(text) == (
        Block(("One two.",)), Block(("These:",)), Block(("a b", "c"), True), Block(("d",), True),
    )  # fmt: skip
    assert blocks("  \n\n ") == ()


def test_prose_is_escaped() -> None:
    assert prose("<script>x</script> & co") == "<p>&lt;script&gt;x&lt;/script&gt; &amp; co</p>"
    assert prose("- <b>\n- c") == "<ul><li>&lt;b&gt;</li><li>c</li></ul>"


def test_places_are_filled_by_plain_replacement() -> None:
    assert fill("The {objects} of {nobody}, {objects.__class__}", objects="{secret}") == (
        "The {secret} of {nobody}, {objects.__class__}"
    )
    assert places("{a} {b c} {d}") == ("a", "d")


def sections() -> list[type[BaseModel]]:
    """Every section class below the file, each once."""
    found: list[type[BaseModel]] = []
    waiting: list[object] = [ProtocolFile]
    while waiting:
        here = waiting.pop(0)
        if isinstance(here, type) and issubclass(here, BaseModel):
            if here not in found:
                found.append(here)
                waiting.extend(info.annotation for info in here.model_fields.values())
        else:
            waiting.extend(get_args(here))
    return found


@pytest.mark.parametrize("section", sections(), ids=lambda section: section.__name__)
def test_every_key_of_the_file_is_documented(section: type[BaseModel]) -> None:
    missing = [key for key in keys_of(section) if f"`{key}`" not in DOC]
    assert not missing


def test_every_top_section_has_a_heading() -> None:
    headings = set(re.findall(r"^## `(\w+)`", DOC, flags=re.MULTILINE))
    single = {"realia", "disclosure", "device"}
    assert headings == set(keys_of(ProtocolFile)) - single
