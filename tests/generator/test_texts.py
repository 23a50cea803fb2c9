"""What people read: no gaps, no fingerprints, no two letters alike."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

import pytest

from study.generator.world.draw import Draw
from study.generator.world.material import articles, issues, products
from study.generator.world.phrases import LEFTOVER, Phrases, with_slips
from study.generator.world.service import World
from study.sandbox.gui.reading import mail_parts, turns

TEXTS = {
    "Case": ("Subject", "Description"),
    "EmailMessage": ("Subject", "TextBody"),
    "LiveChatTranscript": ("Body",),
    "Knowledge__kav": ("Title", "Summary", "FAQ_Answer__c"),
    "Product2": ("Name", "Description"),
    "Issue__c": ("Name", "Description__c"),
    "Pricebook2": ("Name", "Description"),
}
FINGERPRINTS = re.compile(r"lorem|ipsum|as an ai|todo|placeholder|xxx|\bnone\b|\bnan\b|\{|\}|<\w+>", re.IGNORECASE)
PRIMING = re.compile(
    r"\b(synthetic|generated|artificial|fake|simulated|AI|LLM|GPT|benchmark|CRMArena)\b", re.IGNORECASE
)


def texts(world: World) -> list[tuple[str, str, str]]:
    return [
        (name, field, row[field]) for name, fields in TEXTS.items() for row in world.tables[name] for field in fields
    ]


def own_words(world: World) -> list[str]:
    """Letters without what they quote."""
    return [
        "\n".join(part.text for part in mail_parts(mail["TextBody"]) if not part.quoted)
        for mail in world.tables["EmailMessage"]
    ]


def first_sentence(letter: str) -> str:
    paragraphs = [part for part in letter.split("\n\n") if not part.strip().endswith(",")]
    return re.split(r"(?<=[.!?])\s", paragraphs[0])[0] if paragraphs else ""


def test_no_slot_is_left_open_and_nothing_gives_away_its_making(world: World) -> None:
    for name, field, text in texts(world):
        assert text.strip(), (name, field)
        assert not FINGERPRINTS.search(text), (name, field, text)
        if name != "LiveChatTranscript" and name != "EmailMessage":
            assert not LEFTOVER.search(text), (name, field, text)
        assert "  " not in text, (name, field, text)
        assert " ," not in text, (name, field, text)
    for letter in own_words(world):
        assert not re.search(r"[\[\]|{}<>]", re.sub(r"\[\d{8}\]", "", letter)), letter


def test_no_word_primes_the_reader(world: World, instances: list[dict]) -> None:
    """M7: nothing people can meet says how the records came about."""
    found = [(name, field, text) for name, field, text in texts(world) if PRIMING.search(text)]
    assert not found
    for record in instances:
        for key in ("question", "definitions", "asks", "role"):
            assert not PRIMING.search(record[key]), record[key]
    assert PRIMING.search("an AI wrote it")
    assert not PRIMING.search("she said it again")


def test_letters_do_not_begin_alike(world: World) -> None:
    openings = Counter(first_sentence(letter).lower() for letter in own_words(world))
    total = sum(openings.values())
    sentence, most = openings.most_common(1)[0]
    assert most / total < 0.02, (sentence, most, total)


def test_no_two_cases_or_letters_are_nearly_the_same(world: World) -> None:
    def words(text: str) -> frozenset[str]:
        tokens = re.findall(r"\w+", text.lower())
        return frozenset(zip(tokens, tokens[1:], tokens[2:], strict=False))

    described = [words(case["Description"]) for case in world.tables["Case"]]
    pairs = sum(len(a & b) / len(a | b) >= 0.6 for a, b in combinations(described, 2) if a and b)
    assert pairs <= len(described) * 0.02
    whole = Counter(own_words(world))
    assert sum(n - 1 for n in whole.values()) == 0, whole.most_common(1)


def test_answers_quote_the_letter_before(world: World) -> None:
    threads: dict[str, list[dict]] = {}
    for mail in world.tables["EmailMessage"]:
        threads.setdefault(mail["ParentId"], []).append(mail)
    longer = [thread for thread in threads.values() if len(thread) >= 2]
    quoting = sum(any(part.quoted for part in mail_parts(mail["TextBody"])) for t in longer for mail in t[1:])
    assert len(longer) > 100
    assert 0.6 < quoting / sum(len(thread) - 1 for thread in longer) < 0.95


def test_chats_take_turns(world: World) -> None:
    for chat in world.tables["LiveChatTranscript"]:
        spoken = turns(chat["Body"])
        assert len(spoken) >= 5
        assert all(turn.at and turn.who for turn in spoken)
        assert len(Counter(turn.who for turn in spoken)) == 2
        times = [turn.at for turn in spoken]
        assert times == sorted(times)


def test_subjects_and_descriptions_name_product_or_order(world: World) -> None:
    for case in world.cases:
        said = f"{case.subject} {case.description}".lower()
        assert case.line.product.name.lower() in said or case.line.order_number.lower() in said
        assert case.issue.concerns(case.line.product)


def test_gas_steps_are_given_for_gas_products_only() -> None:
    heat = next(issue for issue in issues() if issue.name == "Uneven heating")
    kettle = next(p for p in products() if p.name == "Tinder Kettle 22")
    grill = next(p for p in products() if p.name == "Ridgeway 3-Burner Gas Grill")
    assert "regulator" in " ".join(heat.lines("steps", grill))
    assert "regulator" not in " ".join(heat.lines("steps", kettle))
    solved = heat.lines("result", grill, solved=True)
    assert solved
    assert not dict.fromkeys(solved).keys() & dict.fromkeys(heat.lines("result", grill, solved=False)).keys()


def test_every_answer_stands_in_its_article() -> None:
    for article in articles():
        assert article.questions, article.title
        for question, answer in article.questions:
            assert answer.lower() in article.body.lower(), (article.title, answer)
            assert answer.lower() not in question.lower()
    assert len(articles()) >= 40
    assert len(products()) >= 30
    assert 10 <= len(issues()) <= 15


def test_a_slot_nobody_fills_is_an_error() -> None:
    with pytest.raises(KeyError):
        Phrases(Draw(1, "x")).one_of(["Hello {nobody}"], {})


def test_slips_leave_names_and_codes_alone() -> None:
    text = "Please check order HE-24551 for Priya because something seems wrong"
    slipped = with_slips(text, Draw(2, "slips"), 1.0)
    assert slipped != text
    assert all(word in slipped for word in ("Please", "HE-24551", "Priya"))
