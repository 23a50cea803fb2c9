"""Transcripts of calls: everything the plan of a call asks for is said, in turns, by the right people, and told."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import pytest

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.facts import Fact
from study.generator.groundwork.phrases import LEFTOVER
from study.generator.groundwork.things import Call, Deal, Lead, Sales
from study.generator.sales import make_sales
from study.generator.talk import write_calls
from study.generator.verify.texts import _Measuring

WORLDS = ("b2b", "b2c")


@dataclass
class Made:
    branch: Branch
    sales: Sales
    said: dict[str, list[Fact]]

    @property
    def calls(self) -> list[tuple[Call, Lead | Deal]]:
        talked: list[Lead | Deal] = [*self.sales.leads, *self.sales.deals]
        return [(call, of) for of in talked for call in of.calls]


def made(branch: Branch) -> Made:
    sales = make_sales(branch)
    write_calls(branch, sales)
    said: dict[str, list[Fact]] = defaultdict(list)
    for fact in branch.facts:
        if fact.kind == "said" and fact.values["object"] == "VoiceCallTranscript__c":
            said[fact.of].append(fact)
    return Made(branch, sales, said)


@pytest.fixture(scope="module", params=WORLDS)
def world(request: pytest.FixtureRequest, branch_of: Callable[..., Branch]) -> Made:
    return made(branch_of(request.param, 0.12))


def test_every_planned_call_is_a_row_and_no_other(world: Made) -> None:
    rows = world.branch.tables["VoiceCallTranscript__c"]
    assert len(rows) == world.branch.counts["VoiceCallTranscript__c"]
    assert len({row["Id"] for row in rows}) == len(rows)
    assert {row["Id"] for row in rows} == {call.id for call, _ in world.calls}
    assert [row["CreatedDate"] for row in rows] == sorted(row["CreatedDate"] for row in rows)
    assert all((row["LeadId__c"] is None) != (row["OpportunityId__c"] is None) for row in rows)
    assert all(row["CreatedDate"] < row["EndTime__c"] <= world.branch.now for row in rows)


def test_two_people_take_turns(world: Made) -> None:
    lengths = []
    for call, of in world.calls:
        person = of.person.name if isinstance(of, Deal) else of.name
        turns = [line.split(": ", 1) for line in call.body.splitlines()]
        assert {who for who, _ in turns} == {call.member.name, person}
        assert all(one[0] != other[0] for one, other in pairwise(turns)) or (call.member.name == person)
        assert all(text and text[0].upper() == text[0] for _, text in turns)
        lengths.append(len(turns))
    assert min(lengths) >= 4
    assert max(lengths) <= 60
    assert 12 <= sorted(lengths)[len(lengths) // 2] <= 20


def test_nothing_of_the_making_shows(world: Made) -> None:
    for call, _ in world.calls:
        assert not LEFTOVER.search(call.body), call.body
        assert "«" not in call.body
        assert "None" not in call.body
        assert "  " not in call.body
        plain = re.sub(r"\.\.\.|\b(?:Co|Corp|Inc|Ltd)\.", "x", call.body)
        assert not re.search(r"\w\s[,.;?!]|[,;]\.|\.\?|\?\.|\.\.", plain), call.body


def test_factors_are_said_word_for_word_and_as_they_are(world: Made) -> None:
    seen = Counter[str]()
    for lead in world.sales.leads:
        for call in lead.calls:
            told = {str(fact.values["slot"]): fact for fact in world.said[call.id]}
            for factor, met in call.settles.items():
                assert told[factor].values["met"] is met
                assert str(told[factor].values["text"]) in call.body
                seen[f"{factor} {met}"] += 1
    assert len(seen) == 8


def test_amounts_and_months_decide_by_the_guide(world: Made) -> None:
    guide = world.branch.plan.material.selling.raw["bant"]
    amounts = 0
    for lead in world.sales.leads:
        for call in lead.calls:
            for fact in world.said[call.id]:
                if fact.values["slot"] == "Budget" and (found := re.search(r"\$([\d,]+)", str(fact.values["text"]))):
                    amount = int(found[1].replace(",", ""))
                    amounts += 1
                    if fact.values["met"]:
                        assert amount >= guide["amount"]
                    else:
                        refused = re.search(r"nothing|nobody|no (?:money|budget)", str(fact.values["text"]))
                        assert refused or amount < guide["amount"]
    assert amounts > 10


def test_a_correction_comes_last_and_wins(world: Made) -> None:
    corrected = 0
    for lead in world.sales.leads:
        for call in lead.calls:
            lines = call.body.splitlines()
            for at, line in enumerate(lines):
                if re.search(r"correct myself|that was wrong|mixed something up|got that wrong|take back what", line):
                    corrected += 1
                    rest = "\n".join(lines[at:])
                    assert any(str(fact.values["text"]) in rest for fact in world.said[call.id])
    assert corrected or world.branch.plan.consumer


def test_remarks_name_their_competitor_and_facts_stand_in_the_body(world: Made) -> None:
    for call, _ in world.calls:
        for remark in call.remarks:
            assert remark.competitor is None or remark.competitor in call.body
        if "offer" in call.facts:
            assert call.facts["offer"] in call.body
            assert call.facts["competitor"] in call.body
        told = world.said[call.id]
        assert len(told) <= 6
        assert all(str(fact.values["text"]) in call.body for fact in told)


def test_most_calls_end_with_a_day_for_the_next_step(world: Made) -> None:
    named = sum(call.facts.get("next_day", "?") in call.body for call, _ in world.calls)
    assert named > 0.7 * len(world.calls)


def test_only_quotes_of_the_deal_that_exist_by_then_are_named(world: Made) -> None:
    for deal in world.sales.deals:
        for call in deal.calls:
            own = {quote.number for quote in deal.quotes if quote.created <= call.start}
            assert set(re.findall(r"Q-\d+", call.body)) <= own


def test_wordings_vary(world: Made) -> None:
    measuring = _Measuring("VoiceCallTranscript__c", frozenset())
    for call, _ in world.calls:
        measuring.add(call.id, call.body)
    n = measuring.judged
    assert len(measuring.likeness.alike) <= 0.02 * n
    assert measuring.openings.most_common(1)[0][1] <= 0.02 * n
    assert len(measuring.frames) >= 0.5 * n


@pytest.mark.parametrize("name", WORLDS)
def test_same_seed_same_words_and_other_branches_have_others(name: str, branch_of: Callable[..., Branch]) -> None:
    def bodies(**more: int) -> list[str]:
        return [call.body for call, _ in made(branch_of(name, 0.02, **more)).calls]

    assert bodies() == bodies()
    assert bodies() != bodies(number=1)


def test_without_turns_a_call_is_a_note_of_ours(branch_of: Callable[..., Branch]) -> None:
    noted = made(branch_of("b2b", 0.03, quoting=False))
    for call, of in noted.calls:
        assert len(call.body.splitlines()) == 2
        assert call.body.endswith(call.member.name)
        assert all(remark.competitor in call.body for remark in call.remarks if remark.competitor)
        assert set(call.settles) <= {str(fact.values["slot"]) for fact in noted.said[call.id]}
        assert (of.person.name if isinstance(of, Deal) else of.name) in call.body
        assert all(str(fact.values["text"]) in call.body for fact in noted.said[call.id])


def test_a_branch_may_have_no_calls(branch_of: Callable[..., Branch]) -> None:
    branch = branch_of("b2b", 0.02)
    write_calls(branch, Sales())
    assert branch.tables["VoiceCallTranscript__c"] == []
