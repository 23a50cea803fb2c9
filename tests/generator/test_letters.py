"""Letters about deals: exactly as many, in threads that quote, in the life of their deal, with facts that agree."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

import pytest

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.phrases import LEFTOVER
from study.generator.groundwork.things import Letter, Row, Sales
from study.generator.sales import make_sales
from study.generator.talk import write_letters
from study.generator.talk.wording import NUMBERS, grammar_of, money
from study.generator.verify.texts import _Measuring
from study.sandbox.gui.reading import mail_parts

WORLDS = ("b2b", "b2c")
_IN_SLOTS = ("morning", "afternoon", "evening", "husband", "weeks", "months", *NUMBERS)


@dataclass
class Made:
    branch: Branch
    sales: Sales
    n: int

    @property
    def rows(self) -> list[Row]:
        return self.branch.tables["EmailMessage"]

    @property
    def threads(self) -> list[list[Letter]]:
        found: dict[str, list[Letter]] = defaultdict(list)
        for deal in self.sales.deals:
            for letter in deal.letters:
                found[letter.thread].append(letter)
        return list(found.values())


def made(branch: Branch, n: int) -> Made:
    sales = make_sales(branch)
    write_letters(branch, sales, n)
    return Made(branch, sales, n)


@pytest.fixture(scope="module", params=WORLDS)
def world(request: pytest.FixtureRequest, branch_of: Callable[..., Branch]) -> Made:
    branch = branch_of(request.param, 0.1)
    return made(branch, int(branch.counts["EmailMessage"] * 0.93))


def own(text: str) -> str:
    return "\n".join(part.text for part in mail_parts(text) if not part.quoted)


def test_exactly_as_many_rows_with_people_of_the_deal(world: Made) -> None:
    assert len(world.rows) == world.n
    assert len({row["Id"] for row in world.rows}) == world.n
    deals = {deal.id: deal for deal in world.sales.deals}
    for row in world.rows:
        deal = deals[str(row["RelatedToId"])]
        ours = row["FromAddress"] == deal.owner.email
        assert row["ParentId"] is None
        assert row["FromAddress"] == (deal.owner.email if ours else deal.person.email)
        assert row["ToAddress"] == (deal.person.email if ours else deal.owner.email)
        assert row["ToIds"] == (deal.person.id if ours else deal.owner.id)
        assert deal.created < row["MessageDate"] <= world.branch.now
        if deal.ended:
            assert row["MessageDate"] <= deal.ended + timedelta(days=13)
    dates = [row["MessageDate"] for row in world.rows]
    assert dates == sorted(dates)


def test_ours_write_in_office_hours(world: Made) -> None:
    ours = [row for row in world.rows if str(row["FromAddress"]).endswith(world.branch.plan.mail_domain)]
    inside = sum(7 <= row["MessageDate"].hour <= 18 for row in ours)
    assert inside >= 0.9 * len(ours)
    assert 0.4 * world.n < len(ours) < 0.7 * world.n


def test_a_thread_keeps_its_subject_and_its_order(world: Made) -> None:
    longer = 0
    for thread in world.threads:
        assert [letter.place for letter in thread] == list(range(len(thread)))
        assert all(one.at < other.at for one, other in pairwise(thread))
        longer += len(thread) > 2
        assert not thread[0].subject.startswith("Re: ")
        for letter in thread[1:]:
            assert letter.subject in (f"Re: {thread[0].subject}", f"Automatic reply: {thread[0].subject}")
    assert longer > 0.15 * len(world.threads)


def test_answers_quote_what_they_answer(world: Made) -> None:
    quoted = answers = 0
    for thread in world.threads:
        for before, letter in pairwise(thread):
            answers += 1
            assert letter.body.count(" wrote:\n") <= 4
            if " wrote:\n" not in letter.body:
                continue
            quoted += 1
            head = next(line for line in letter.body.splitlines() if line.endswith(" wrote:"))
            writer = before.person.name if before.inbound else before.member.name
            assert head.endswith(f"{before.at.day}, {before.at.year} at {before.at:%H:%M}, {writer} wrote:")
            below = letter.body.split(" wrote:\n", 1)[1]
            assert all(line.startswith(">") for line in below.splitlines())
            assert f"> {own(before.body).splitlines()[0]}" in below
    assert quoted > 0.7 * answers
    assert all(" wrote:\n" not in thread[0].body for thread in world.threads)


def test_numbers_amounts_and_products_are_those_of_the_deal(world: Made) -> None:
    material = world.branch.plan.material
    shorts = [line.short for line in material.product_lines]
    for deal in world.sales.deals:
        there = {line.item.short for quote in deal.quotes for line in quote.lines}
        there |= {line.item.short for line in deal.lines}
        for letter in deal.letters:
            text = own(letter.body)
            quotes = [quote for quote in deal.quotes if quote.created <= letter.at]
            assert set(re.findall(r"Q-\d+", text)) <= {quote.number for quote in quotes}
            for amount in re.findall(r"(?<=quote_total )\$[\d,.]+", text):
                assert amount in {money(quote.total) for quote in quotes}
            order = deal.contract.order_number if deal.contract else ""
            if order and order in text:
                assert deal.ended is not None
                assert letter.at >= deal.ended
            if there and letter.topic in ("quote_out", "contract_out", "order_out"):
                named = {short for short in shorts if re.search(rf"\b{re.escape(short)}\b", text)}
                parts = {short for short in shorts if any(short != other and short in other for other in there)}
                assert named <= there | parts, (named - there, text)


def test_what_is_told_stands_in_the_own_words_of_the_letter(world: Made) -> None:
    rows = {str(row["Id"]): row for row in world.rows}
    told: Counter[str] = Counter()
    for fact in world.branch.facts:
        if fact.kind == "said" and fact.values["object"] == "EmailMessage":
            told[fact.of] += 1
            assert str(fact.values["text"]) in own(str(rows[fact.of]["TextBody"]))
    assert max(told.values()) <= 6
    assert len(told) > 0.6 * world.n


def test_nothing_of_the_making_shows(world: Made) -> None:
    for row in world.rows:
        for text in (own(str(row["TextBody"])), str(row["Subject"])):
            assert not LEFTOVER.search(text), text
            assert "//" not in text
            assert " ~ " not in text
            assert "  " not in text
            assert not re.search(r" [,.;?!]|[,;]\.|(?<!Co)\.\?|\?\.|\.\.", text), text


def test_wordings_vary(world: Made) -> None:
    measuring = _Measuring("EmailMessage", frozenset())
    for row in world.rows:
        measuring.add(str(row["Id"]), str(row["TextBody"]))
    n = measuring.judged
    assert n > 0.97 * world.n
    assert len(measuring.likeness.alike) <= 0.02 * n
    assert measuring.openings.most_common(1)[0][1] <= 0.02 * n
    assert len(measuring.frames) >= 0.5 * n


def test_switches_are_honoured(branch_of: Callable[..., Branch]) -> None:
    single = made(branch_of("b2c", 0.02, quoting=False), 150)
    assert len(single.rows) == 150
    assert all(len(thread) == 1 for thread in single.threads)
    assert not any(" wrote:\n" in str(row["TextBody"]) for row in single.rows)
    # Without typing slips every letter is made of the words of the material and of names.
    clean = made(branch_of("b2c", 0.02, gaps=False), 150)
    grammar = grammar_of(clean.branch, "talk_calls.yaml", "calls.yaml", "talk_letters.yaml", "letters.yaml")
    known = set(re.findall(r"[a-z]+", " ".join(" ".join(lines) for lines in grammar.rules.values()).lower()))
    for letter in (letter for thread in clean.threads for letter in thread if letter.inbound):
        strange = [word for word in re.findall(r"\b[a-z]{5,}\b", own(letter.body)) if word not in known]
        needs = " ".join(deal.need for deal in clean.sales.deals)
        goods = " ".join(f"{item.name} {item.short}s {item.hints}" for item in clean.branch.shared.items).lower()
        assert not [word for word in strange if word not in needs and word not in goods and word not in _IN_SLOTS]


@pytest.mark.parametrize("n", [0, 1, 7])
def test_few_letters_and_no_deals(branch_of: Callable[..., Branch], n: int) -> None:
    few = made(branch_of("b2b", 0.02), n)
    assert len(few.branch.tables.get("EmailMessage", [])) == n
    empty = branch_of("b2b", 0.02)
    write_letters(empty, Sales(), n)
    assert not empty.tables.get("EmailMessage")


def test_same_seed_same_letters(branch_of: Callable[..., Branch]) -> None:
    assert made(branch_of("b2b", 0.02), 90).rows == made(branch_of("b2b", 0.02), 90).rows
