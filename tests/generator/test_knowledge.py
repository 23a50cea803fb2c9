"""Articles: as many as asked for, rules as they are behind them, answers that stand in one article."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import Any

import pytest

from study.generator.company import make_shared
from study.generator.groundwork.branch import Shared
from study.generator.groundwork.facts import KINDS
from study.generator.groundwork.plan import Plan
from study.generator.groundwork.things import Row
from study.generator.groundwork.world_file import read_plan
from study.generator.knowledge import article_codes, make_articles
from study.generator.knowledge.records import named_months
from study.generator.verify.likeness import Likeness
from study.generator.verify.wording import opening, sentences, skeleton, words, written

WORLDS = ("b2b", "b2c", "service")
SELLING = ("b2b", "b2c")


@dataclass(frozen=True)
class Told:
    kind: str
    of: str
    values: dict[str, Any]


@dataclass(frozen=True)
class Library:
    plan: Plan
    shared: Shared
    rows: list[Row]
    facts: list[Told]

    @property
    def bodies(self) -> dict[str, str]:
        return {str(row["Id"]): str(row["FAQ_Answer__c"]) for row in self.rows}

    def asked(self, *, confidential: bool) -> list[Told]:
        return [f for f in self.facts if f.kind == "article" and f.values["confidential"] is confidential]

    def body_of(self, code: str) -> str:
        return self.bodies[self.shared.articles[code]]


def made(world: str, seed: int = 7) -> Library:
    plan = read_plan(world)
    shared = make_shared(plan, seed)
    facts: list[Told] = []

    def tell(kind: str, of: str, evidence: object = (), **values: Any) -> None:
        facts.append(Told(kind, of, values))

    return Library(plan, shared, make_articles(plan, shared, seed, tell), facts)


@pytest.fixture(scope="module")
def libraries() -> dict[str, Library]:
    return {world: made(world) for world in WORLDS}


@pytest.fixture(params=WORLDS)
def library(request: pytest.FixtureRequest, libraries: dict[str, Library]) -> Library:
    return libraries[request.param]


@pytest.fixture(params=SELLING)
def seller(request: pytest.FixtureRequest, libraries: dict[str, Library]) -> Library:
    return libraries[request.param]


def test_as_many_articles_as_the_plan_says_each_with_its_own_id_title_and_address(library: Library) -> None:
    assert len(library.rows) == library.plan.counts["Knowledge__kav"]
    for field in ("Id", "Title", "UrlName", "FAQ_Answer__c", "Summary"):
        assert len({row[field] for row in library.rows}) == len(library.rows), field
    assert [row["Id"] for row in library.rows] == list(library.shared.articles.values())


def test_articles_are_online_in_english_and_were_changed_over_the_years(library: Library) -> None:
    assert {(row["PublishStatus"], row["Language"]) for row in library.rows} == {("Online", "en_US")}
    changed: list[Any] = [row["LastModifiedDate"] for row in library.rows]
    assert max(changed) <= library.plan.now
    assert len({day.year for day in changed}) >= 4


def test_no_article_was_changed_before_a_day_it_names(library: Library) -> None:
    for row in library.rows:
        changed: Any = row["LastModifiedDate"]
        named = [day for day in named_months(str(row["FAQ_Answer__c"])) if day <= library.plan.today]
        assert all(changed.date() >= day for day in named), row["Title"]


def test_the_same_seed_makes_the_same_articles_and_another_seed_other_days(library: Library) -> None:
    again, other = made(library.plan.name), made(library.plan.name, 8)
    assert again.rows == library.rows
    assert again.facts == library.facts
    assert [row["LastModifiedDate"] for row in other.rows] != [row["LastModifiedDate"] for row in library.rows]


def test_an_org_with_few_articles_has_those_that_others_rely_on() -> None:
    plan = read_plan("b2b")
    few = article_codes(plan, 50)
    assert len(few) == 50
    assert {*plan.material.selling.articles.values(), "stage-guide", "lead-qualification"} <= set(few)
    assert set(few) >= {entry["code"] for entry in plan.material.yaml("policies.yaml")}


def test_more_articles_than_there_are_is_an_error_that_says_how_many() -> None:
    with pytest.raises(ValueError, match="9999 articles are asked for"):
        article_codes(read_plan("b2c"), 9999)


def test_every_issue_has_an_article_that_solves_it(library: Library) -> None:
    solved = {f.of: f.values for f in library.facts if f.kind == "latent" and f.values["name"] == "IssueSolution"}
    assert set(solved) == set(library.shared.issues.values())
    assert all(len(values["solutions"]) == 1 for values in solved.values())


def test_every_answer_stands_word_for_word_in_its_article(library: Library) -> None:
    for fact in (*library.asked(confidential=False), *library.asked(confidential=True)):
        assert fact.values["answer"] in library.bodies[fact.of], fact.values
        assert 1 <= len(fact.values["answer"].split()) <= 12, fact.values


def test_an_answerable_question_has_its_answer_in_no_other_article(library: Library) -> None:
    for fact in library.asked(confidential=False):
        answer = re.compile(rf"(?<!\w){re.escape(fact.values['answer'])}(?!\w)", re.IGNORECASE)
        assert [key for key, body in library.bodies.items() if answer.search(body)] == [fact.of], fact.values


def test_there_are_enough_questions(library: Library) -> None:
    assert len(library.asked(confidential=False)) >= 150
    if library.plan.sells:
        assert len(library.asked(confidential=True)) >= 90
    questions = [f.values["question"] for f in library.facts if f.kind == "article"]
    assert len(questions) == len(set(questions))
    assert all(question.endswith("?") for question in questions)


def test_questions_do_not_copy_the_sentence_that_answers_them(library: Library) -> None:
    for fact in library.facts:
        if fact.kind == "article":
            asked, body = words(fact.values["question"]), " ".join(words(library.bodies[fact.of]))
            runs = [" ".join(asked[n : n + 6]) for n in range(len(asked) - 5)]
            assert sum(run in body for run in runs) <= 3, fact.values


def _pairs(text: str, pattern: str) -> list[tuple[str, ...]]:
    return [match.groups() for match in re.finditer(pattern, text, re.MULTILINE)]


def test_the_article_on_quantities_has_the_limits_of_selling(seller: Library) -> None:
    rules, item = seller.plan.material.selling, seller.shared.by_code
    found = _pairs(seller.body_of(rules.articles["limits"]), r"^- (.+) \((\S+)\): no more than (\d+)$")
    assert {code: int(most) for _, code, most in found} == dict(rules.limits)
    assert all(item[code].name == name for name, code, _ in found)


def test_the_article_on_exclusions_has_the_pairs_of_selling(seller: Library) -> None:
    rules, item = seller.plan.material.selling, seller.shared.by_code
    found = _pairs(seller.body_of(rules.articles["exclusions"]), r"^- (.+) \((\S+)\) not with (.+) \((\S+)\)$")
    assert tuple((one, other) for _, one, _, other in found) == rules.exclusions
    assert all((item[one].name, item[other].name) == (name, second) for name, one, second, other in found)


def test_the_article_on_companions_has_the_requirements_of_selling(seller: Library) -> None:
    rules = seller.plan.material.selling
    pattern = r"^- .+ \((\S+)\): one .+ \((\S+)\) for every (?:piece|(\d+) pieces or part thereof)$"
    found = _pairs(seller.body_of(rules.articles["requirements"]), pattern)
    assert tuple((code, needs, int(each or 1)) for code, needs, each in found) == rules.requirements


def test_the_article_on_discounts_has_the_steps_of_selling(seller: Library) -> None:
    rules = seller.plan.material.selling
    found = _pairs(seller.body_of(rules.articles["steps"]), r"^- from (\d+) pieces: up to ([\d.]+) percent$")
    assert [(int(least), float(percent)) for least, percent in found] == [(s.least, s.percent) for s in rules.steps]


def test_the_stage_guide_has_every_phrase_and_no_phrase_holds_another(seller: Library) -> None:
    stages = seller.plan.material.selling.stages
    found = _pairs(seller.body_of("stage-guide"), r"^(\w+): (.+; .+)\.$")
    assert {stage: tuple(listed.split("; ")) for stage, listed in found} == dict(stages)
    phrases = [phrase.lower() for listed in stages.values() for phrase in listed]
    assert not [(one, other) for one in phrases for other in phrases if one != other and one in other]


def test_the_guide_to_leads_names_amount_and_months(seller: Library) -> None:
    bant, body = seller.plan.material.selling.raw["bant"], seller.body_of("lead-qualification")
    assert f"${bant['amount']:,}" in body
    assert {6: "six"}[bant["months"]] + " months" in body
    assert all(factor in body for factor in ("Budget", "Authority", "Need", "Timeline"))


def test_each_competitor_has_an_article_with_strengths_and_weaknesses(seller: Library) -> None:
    by_title = {str(row["Title"]): str(row["FAQ_Answer__c"]) for row in seller.rows}
    for competitor in seller.plan.material.selling.competitors:
        body = by_title[f"Competitor: {competitor.name}"]
        assert all(said in body for said in (*competitor.strengths, *competitor.weaknesses))


def test_the_rules_are_told_as_latent_variables_with_ids(seller: Library) -> None:
    told = {f.values["name"]: f for f in seller.facts if f.kind == "latent"}
    names = {"Solution", "IssueSolution", "QuantityLimits", "VolumeDiscounts", "ExclusionConstraints"}
    assert set(told) == names | {"ProductRequirements", "Strengths", "Competitors"}
    limits = {seller.shared.by_code[code].id: most for code, most in seller.plan.material.selling.limits.items()}
    assert told["QuantityLimits"].values["most"] == limits


def test_facts_are_of_known_kinds_and_particulars_stand_in_the_text(library: Library) -> None:
    per_record: Counter[str] = Counter()
    for fact in library.facts:
        assert fact.kind in KINDS
        if fact.kind == "said":
            per_record[fact.of] += 1
            assert fact.values["text"] in library.bodies[fact.of]
    assert len(per_record) > len(library.rows) / 2
    assert max(per_record.values()) <= 6


def test_no_slot_is_left_open(library: Library) -> None:
    for row in library.rows:
        text = f"{row['Title']} {row['Summary']} {row['FAQ_Answer__c']}"
        assert not re.search(r"[\[\]{}<>|]|\b[a-z]+_[a-z_]+\b", text), row["Title"]


def test_a_slot_that_nothing_fills_is_an_error() -> None:
    from study.generator.knowledge.library import _filled

    with pytest.raises(ValueError, match="'x': nothing fills the slot 'colour'"):
        _filled("The {colour} one.", {}, "x")


def test_texts_are_not_from_one_mould(library: Library) -> None:
    names = frozenset(w.lower() for item in library.shared.items for w in item.name.split())
    skeletons: set[str] = set()
    openings: Counter[str] = Counter()
    alike = Likeness()
    by_length: defaultdict[int, int] = defaultdict(int)
    for row in library.rows:
        body = str(row["FAQ_Answer__c"])
        found = sentences(written("Knowledge__kav", body))
        skeletons.update(skeleton(sentence, names) for sentence in found)
        openings[opening(found)] += 1
        alike.add(str(row["Id"]), words(body))
        by_length[len(words(body)) // 25] += 1
    assert len(skeletons) >= 0.5 * len(library.rows)
    assert openings.most_common(1)[0][1] <= 0.02 * len(library.rows) + 1
    assert len(alike.alike) <= 0.02 * len(library.rows)
    assert len(by_length) >= 3


def test_products_are_as_many_as_the_plan_says_and_told_apart_by_their_hints(library: Library) -> None:
    lines = library.plan.material.product_lines
    assert len(lines) == library.plan.counts["Product2"]
    assert len(library.plan.material.categories) == library.plan.counts["ProductCategory"]
    assert len(library.plan.material.price_lists) == library.plan.counts["Pricebook2"]
    assert len({line.code for line in lines}) == len({line.name for line in lines}) == len(lines)
    hints = Counter((line.category, hint.lower()) for line in lines for hint in line.hints)
    assert not [hint for hint, times in hints.items() if times > 1]
    assert all(line.name.lower() not in hint.lower() for line in lines for hint in line.hints)


def test_every_state_belongs_to_one_territory(seller: Library) -> None:
    states = [state for listed in seller.plan.material.selling.territories.values() for state in listed]
    assert len(states) == len(set(states)) == 50


def test_selling_rules_name_products_there_are(seller: Library) -> None:
    rules, codes = seller.plan.material.selling, seller.shared.by_code
    named = [
        *rules.limits,
        *(c for pair in rules.exclusions for c in pair),
        *(c for r in rules.requirements for c in r[:2]),
    ]
    assert set(named) <= set(codes)
    assert replace(seller.plan).material.selling.allowed(1) == 0.0
