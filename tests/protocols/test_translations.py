"""Protocols in several languages: texts by address, a file for the translator, what stops freezing."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command
from hypothesis import example, given, settings
from hypothesis import strategies as st

from study.protocols.library import builtin_text
from study.protocols.markup import places
from study.protocols.nodes import normal_text, unreadable_character
from study.protocols.problems import ProtocolInvalid
from study.protocols.reading import parse, read
from study.protocols.texts import participant_texts
from study.protocols.translating import TextsFile, read_texts_file, texts_file, with_texts, written
from study.protocols.translations import languages_of, missing_texts, texts_of, translated

TEXT = builtin_text("realia-hour")
HOUR = parse(TEXT)


def arabic(address: str, text: str) -> str:
    """Stands for a translation: Arabic letters, the names in braces, one line or several."""
    made = f"نص {address} " + " ".join(f"{{{name}}}" for name in places(text))
    return made.strip() + ("\n\nفقرة ثانية." if "\n\n" in text else "")


def arabic_texts() -> dict[str, str]:
    return {address: arabic(address, text) for address, text in texts_of(HOUR).items()}


def arabic_protocol(**changes: str) -> str:
    return with_texts(TEXT, TextsFile("ar", arabic_texts() | changes))


def test_every_text_that_participants_read_has_an_address_of_its_own() -> None:
    texts = texts_of(HOUR)
    assert list(texts.values()) == [shown.text for shown in participant_texts(HOUR)]
    assert texts["screener.items.S1.text"] == HOUR.screener.items[0].text
    assert texts["rating.org.options.5.line"] == HOUR.rating.org.options[4].line
    assert texts["objects.Case.plural"] == "Cases"


def test_addresses_do_not_depend_on_the_order_of_items() -> None:
    items = HOUR.screener.items
    turned = HOUR.model_copy(update={"screener": HOUR.screener.model_copy(update={"items": items[::-1]})})
    assert texts_of(turned) == texts_of(HOUR)


def test_the_translated_protocol_has_every_text_and_no_other_change() -> None:
    reading = read(arabic_protocol())
    assert reading.ok, reading.errors[:3]
    assert languages_of(reading.value) == ("en", "ar")
    made = translated(reading.value, "ar")
    assert languages_of(made) == ("en", "ar")
    assert texts_of(made) == arabic_texts()
    assert [item.id for item in made.screener.items] == [item.id for item in HOUR.screener.items]
    assert translated(reading.value, "de") is translated(reading.value, "en") is reading.value
    assert [p.level for p in reading.problems if "reads English only" in p.message] == ["warning"]


def test_what_is_missing_unknown_or_different_is_named_with_its_line() -> None:
    texts = arabic_texts()
    del texts["screener.items.S1.text"]
    texts |= {
        "screener.items.S0.text": "؟", "rating.object.stem": "بلا اسم", "meta.public_title": "سطر\nسطر",
        "work.intro": "<b>نص</b>",
    }  # fmt: skip
    text = with_texts(TEXT, TextsFile("ar", texts))
    said = {problem.path.rpartition("texts")[2].strip("."): problem for problem in read(text).errors}
    assert "1 of " in said[""].message
    assert "screener.items.S1.text" in said[""].message
    assert "--texts ar" in said[""].remedy
    assert "no text “screener.items.S0.text”" in said["screener.items.S0.text"].message
    assert "{object}" in said["rating.object.stem"].message or "{objects}" in said["rating.object.stem"].message
    assert said["meta.public_title"].message == "This must be one line."
    assert "<b>" in said["work.intro"].message
    assert all(text.splitlines()[p.line - 1].strip().startswith(key) for key, p in said.items() if key)


def test_a_language_is_there_once() -> None:
    twice = arabic_protocol() + "  - language: ar\n    texts: {meta.public_title: x}\n"
    assert ["is here twice" in problem.message for problem in read(twice).errors] == [True]
    base = with_texts(TEXT, TextsFile("en", {"meta.public_title": "x"}))
    assert any("“en” is here twice" in problem.message for problem in read(base).errors)


LINES = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda t: not unreadable_character(t) and t.strip())


@settings(max_examples=60)
@given(st.lists(LINES, min_size=1, max_size=3))
@example(["a\x85b", "c\u2028d"])
@example(["- one: two", "# three"])
def test_texts_come_back_as_they_were_written(lines: list[str]) -> None:
    text = normal_text("\n".join(lines)).strip() or "x"
    file = f"language: ar\ntexts:\n  work.intro: {written(text, '    ')}\n"
    assert read_texts_file(file) == TextsFile("ar", {"work.intro": text})


def test_merging_changes_nothing_else_and_keeps_other_languages() -> None:
    once = with_texts(TEXT, TextsFile("ar", {"meta.public_title": "ساعة"}))
    both = with_texts(once, TextsFile("de", {"meta.public_title": "Eine Stunde"}))
    more = with_texts(both, TextsFile("ar", {"work.intro": "نص"}))
    assert more.startswith(TEXT.rstrip("\n"))
    assert [(t.language, len(t.texts)) for t in parse(more).translations] == [("ar", 2), ("de", 1)]
    assert missing_texts(parse(more), "en") == []


def test_a_file_that_cannot_be_read_says_why() -> None:
    for text in ("language: ar\ntexts: [a]", "language: x!\ntexts: {a: b}", "nonsense", "texts: {a: b}", "a: &x b"):
        with pytest.raises(ProtocolInvalid):
            read_texts_file(text)


def test_the_way_of_a_translator(study, tmp_path) -> None:
    """Export, fill in half, import, see what is missing, fill in the rest, freeze."""
    call_command("protocol_import", study.code, "realia-hour", stdout=io.StringIO())
    file = tmp_path / "ar.yaml"
    call_command("protocol_export", study.code, "--texts", "ar", "--out", str(file))
    text = file.read_text(encoding="utf-8")
    assert '  # An hour in a CRM\n  meta.public_title: ""\n' in text
    half = TextsFile("ar", dict(list(arabic_texts().items())[:100]))
    file.write_text(texts_file(parse(with_texts(TEXT, half)), "ar"), encoding="utf-8")
    out = io.StringIO()
    call_command("protocol_import", study.code, "--translation", str(file), stdout=out)
    assert "100 texts in ar; 1 errors stand in the way" in out.getvalue()
    with pytest.raises(CommandError, match="Nothing was frozen"):
        call_command("protocol_freeze", study.code, stdout=io.StringIO())
    file.write_text(texts_file(parse(arabic_protocol()), "ar"), encoding="utf-8")
    call_command("protocol_import", study.code, "--translation", str(file), stdout=out)
    assert "ready to freeze" in out.getvalue()
    call_command("protocol_freeze", study.code, stdout=io.StringIO())
    file.write_text("language: ar\n", encoding="utf-8")
    with pytest.raises(CommandError, match="Nothing was imported"):
        call_command("protocol_import", study.code, "--translation", str(file), stdout=out)
