"""Plans of calls: when, with whom, what about; what is found out of leads and what comes up about deals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.plan import LATENTS
from study.generator.groundwork.things import FACTORS, STAGES, Sales

Sold = Callable[..., tuple[Branch, Sales]]
WORLDS = ("b2b", "b2c")
ELSEWHERE = {
    "Skill",
    "ResponseTime",
    "ShoppingHabit",
    "ComplaintHabit",
    "ContactBottomLine",
    "Solution",
    "IssueSolution",
}


@pytest.mark.parametrize("world", WORLDS)
def test_every_factor_is_spoken_of_and_what_was_said_last_holds(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    told = {fact.of: fact for fact in branch.facts if fact.kind == "bant"}
    changed = 0
    for lead in sales.leads:
        assert (lead.missing is None) == (not lead.calls) == (lead.id not in told)
        if lead.missing is None:
            assert lead.status in ("New", "Closed")
            continue
        assert 1 <= len(lead.calls) <= 5
        latest: dict[str, bool] = {}
        for call in lead.calls:
            changed += any(latest.get(factor, met) != met for factor, met in call.settles.items())
            latest |= call.settles
        assert set(latest) == set(FACTORS)
        missing = [factor for factor in FACTORS if not latest[factor]]
        assert told[lead.id].values["missing"] == missing == list(lead.missing)
        assert [call for _, call in told[lead.id].evidence] == [call.id for call in lead.calls]
        assert not (lead.converted and missing)
    assert changed > 0
    missing_of = Counter(len(fact.values["missing"]) for fact in told.values())
    assert missing_of[1] > missing_of[3] > 0


@pytest.mark.parametrize("world", WORLDS)
def test_sums_and_months_fit_what_is_found_out(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    bant = branch.plan.material.selling.raw["bant"]
    for lead in sales.leads:
        for call in lead.calls:
            if "Budget" in call.settles:
                amount = int(call.facts["budget"].lstrip("$").replace(",", ""))
                assert (amount >= bant["amount"]) == call.settles["Budget"]
            if "Timeline" in call.settles:
                assert (int(call.facts["months"]) <= bant["months"]) == call.settles["Timeline"]


@pytest.mark.parametrize("world", WORLDS)
def test_calls_are_made_in_working_hours_by_people_who_work_there(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    starts = [call.start for of in (*sales.leads, *sales.deals) for call in of.calls]
    assert sum(8 <= start.hour < 18 for start in starts) > 0.97 * len(starts)
    rests = {6} if branch.plan.consumer else {5, 6}
    assert sum(start.weekday() in rests for start in starts) < 0.02 * len(starts)
    for lead in sales.leads:
        for call in lead.calls:
            assert lead.created < call.start
            assert lead.converted is None or call.start.date() <= lead.converted
    ids = sorted((call.id, call.start) for of in (*sales.leads, *sales.deals) for call in of.calls)
    assert len({call for call, _ in ids}) == len(ids)


@pytest.mark.parametrize("world", WORLDS)
def test_remarks_are_told_and_competitors_are_those_of_the_deal(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    subtopics = set(branch.plan.material.selling.subtopics)
    told = Counter(
        (fact.of, fact.values["call"], fact.values["subtopic"], fact.values["sentiment"], fact.values["competitor"])
        for fact in branch.facts if fact.kind == "insight"
    )  # fmt: skip
    planned: Counter[tuple[str, ...]] = Counter()
    clear = 0
    for deal in sales.deals:
        for call in deal.calls:
            assert call.topic in STAGES
            assert deal.entered[call.topic] <= call.start
            assert len({remark.subtopic for remark in call.remarks}) == len(call.remarks) <= 3
            for remark in call.remarks:
                assert remark.subtopic in subtopics
                assert remark.competitor is None or remark.competitor in deal.competitors
                planned[deal.id, call.id, remark.subtopic, remark.sentiment, remark.competitor] += 1
        named = Counter(remark.competitor for call in deal.calls for remark in call.remarks if remark.competitor)
        first = [count for _, count in named.most_common(2)] + [0, 0]
        clear += first[0] >= first[1] + 2
    assert told == planned
    assert clear >= 60


@pytest.mark.parametrize("world", WORLDS)
def test_competitors_are_praised_for_what_they_are_good_at(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    strong = {
        fact.values["competitor"]: set(fact.values["subtopics"])
        for fact in branch.facts if fact.kind == "latent" and fact.values["name"] == "Strengths"
    }  # fmt: skip
    felt: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for deal in sales.deals:
        for call in deal.calls:
            for remark in call.remarks:
                if remark.competitor:
                    felt[remark.subtopic in strong[remark.competitor]][remark.sentiment] += 1
    share = {good: counts["positive"] / counts.total() for good, counts in felt.items()}
    assert share[True] > 1.4 * share[False]


def test_particulars_of_calls_are_those_of_the_deal(sold: Sold) -> None:
    _, sales = sold("b2b")
    quoted = 0
    for deal in sales.deals:
        numbers = {quote.number for quote in deal.quotes}
        lines = {(line.item.short, str(line.quantity)) for line in deal.lines}
        for call in deal.calls:
            assert (call.facts["product"], call.facts["quantity"]) in lines
            assert call.facts["contact"] == deal.person.name
            if "quote" in call.facts:
                assert call.facts["quote"] in numbers
                quoted += 1
            if "competitor" in call.facts:
                assert call.facts["competitor"] in deal.competitors
    assert quoted > 100


def test_all_latent_variables_of_selling_are_told(sold: Sold) -> None:
    branch, _ = sold("b2b")
    told = {fact.values["name"] for fact in branch.facts if fact.kind == "latent"}
    assert set(LATENTS) - ELSEWHERE <= told
