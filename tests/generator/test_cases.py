"""Cases and their history: as many as counted, in an order in which things can happen, with clear winners."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import timedelta

import pytest

from study.generator.care import make_care, make_orders
from study.generator.care.choosing import chosen
from study.generator.care.matters import Matters
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.things import Bought

Made = tuple[Branch, list[Bought]]
Cared = Callable[..., Made]
WORLDS = ("service", "b2b", "b2c")
COUNTED = ("Case", "CaseHistory__c", "LiveChatTranscript")


@pytest.fixture(scope="module", params=WORLDS)
def made(cared: Cared, request: pytest.FixtureRequest) -> Made:
    return cared(request.param)


def steps_of(branch: Branch) -> dict[str, list[dict]]:
    steps = defaultdict(list)
    for row in branch.tables["CaseHistory__c"]:
        steps[row["CaseId__c"]].append(row)
    return steps


def test_exactly_as_many_as_counted(made: Made) -> None:
    branch, _ = made
    for name in COUNTED:
        assert len(branch.tables[name]) == branch.counts[name], name
    letters = len(branch.tables["EmailMessage"])
    if branch.plan.sells:
        assert 2 <= letters / branch.counts["Case"] <= 3
    else:
        assert letters == branch.counts["EmailMessage"]


def test_cases_are_about_what_their_customer_bought(made: Made) -> None:
    branch, bought = made
    lines = {line.id: line for line in bought}
    issues = {branch.shared.issues[issue.code]: issue for issue in Matters(branch.plan.material).issues}
    for case in branch.tables["Case"]:
        line, issue = lines[case["OrderItemId__c"]], issues[case["IssueId__c"]]
        assert (case["AccountId"], case["ContactId"]) == (line.party.id, line.person.id)
        assert line.activated
        assert issue.share_of(line.item) > 0, (issue.code, line.item.name)
        assert case["CreatedDate"].date() > line.day or case["CreatedDate"].date() == branch.today
        assert line.order_number in case["Description"] or line.item.name.lower() in (
            f"{case['Subject']} {case['Description']}".lower()
        )


def test_a_case_has_one_owner_at_a_time(made: Made) -> None:
    branch, _ = made
    members = {member.id: member for member in branch.members}
    cases = {case["Id"]: case for case in branch.tables["Case"]}
    history = steps_of(branch)
    assert set(history) == set(cases)
    for key, steps in history.items():
        case = cases[key]
        times = [step["CreatedDate"] for step in steps]
        assert times == sorted(times)
        owner = None
        for step in steps:
            if step["Field__c"] == "Owner Assignment":
                assert step["OldValue__c"] == owner
                assert step["NewValue__c"] != owner
                owner = step["NewValue__c"]
                assert members[owner].works_on(step["CreatedDate"].date())
            else:
                assert step["OldValue__c"] is step["NewValue__c"] is None
        assert owner == case["OwnerId"]
        if case["ClosedDate"] is None:
            assert members[owner].until is None
        else:
            assert members[owner].works_on(case["ClosedDate"].date())


def test_nothing_happens_before_opening_or_after_closing(made: Made) -> None:
    branch, _ = made
    cases = {case["Id"]: case for case in branch.tables["Case"]}
    for case in cases.values():
        assert case["CreatedDate"] < (case["ClosedDate"] or branch.now) <= branch.now
        assert (case["Status"] == "Closed") == (case["ClosedDate"] is not None)
    for key, steps in steps_of(branch).items():
        case = cases[key]
        names = [step["Field__c"] for step in steps]
        assert names.count("Case Closed") == (case["ClosedDate"] is not None)
        assert case["CreatedDate"] <= steps[0]["CreatedDate"]
        assert steps[-1]["CreatedDate"] <= (case["ClosedDate"] or branch.now)
        if case["ClosedDate"]:
            assert (names[-1], steps[-1]["CreatedDate"]) == ("Case Closed", case["ClosedDate"])
    for mail in branch.tables["EmailMessage"]:
        case = cases[mail["ParentId"]]
        assert case["CreatedDate"] <= mail["MessageDate"] <= (case["ClosedDate"] or branch.now)
    for chat in branch.tables["LiveChatTranscript"]:
        case = cases[chat["CaseId"]]
        assert case["CreatedDate"] < chat["EndTime"] <= (case["ClosedDate"] or branch.now)


def test_creation_is_on_record_from_one_moment_on(made: Made) -> None:
    branch, _ = made
    on_record = [row["CaseId__c"] for row in branch.tables["CaseHistory__c"] if row["Field__c"] == "Case Creation"]
    newest = sorted(branch.tables["Case"], key=lambda case: case["CreatedDate"])[-len(on_record) :]
    assert set(on_record) == {case["Id"] for case in newest}
    assert 0 < len(on_record) <= len(branch.tables["Case"])


def test_some_work_is_open_and_some_is_handed_on(made: Made) -> None:
    branch, _ = made
    n = len(branch.tables["Case"])
    still = [case for case in branch.tables["Case"] if case["ClosedDate"] is None]
    assert 0.05 <= len(still) / n <= 0.15
    handed = sum(row["OldValue__c"] is not None for row in branch.tables["CaseHistory__c"])
    assert 0.15 <= handed / n <= 0.45
    lately = [case for case in still if branch.now - case["CreatedDate"] < timedelta(days=90)]
    assert len(lately) > len(still) / 2


def test_numbers_and_ids_follow_time(made: Made) -> None:
    branch, _ = made
    cases = branch.tables["Case"]
    order = sorted(cases, key=lambda case: (case["CreatedDate"], case["CaseNumber"]))
    assert [case["CaseNumber"] for case in order] == sorted(case["CaseNumber"] for case in cases)
    moments = [row["CreatedDate"] for row in branch.tables["CaseHistory__c"]]
    assert moments == sorted(moments)
    subjects = Counter(case["Description"] for case in cases)
    assert max(subjects.values()) == 1


@pytest.mark.parametrize("world", WORLDS)
def test_questions_find_clear_winners(cared: Cared, world: str) -> None:
    branch, bought = cared(world)
    lines = {line.id: line for line in bought}
    closed: dict[str, Counter[str]] = defaultdict(Counter)
    issues: dict[int, Counter[str]] = defaultdict(Counter)
    months: dict[int, Counter[int]] = defaultdict(Counter)
    for case in branch.tables["Case"]:
        place = lines[case["OrderItemId__c"]].item.place
        issues[place][case["IssueId__c"]] += 1
        months[place][case["CreatedDate"].month] += 1
        if case["ClosedDate"]:
            closed[case["IssueId__c"]][case["OwnerId"]] += 1
    assert sum(clear(found) or len(found) == 1 for found in closed.values()) > len(closed) / 2
    # Two fifths of a world: about as many products as that have enough cases.
    assert sum(clear(found, 2) for found in issues.values()) >= len(branch.tables["Case"]) // 30
    assert sum(clear(found, 2) for found in months.values()) >= len(branch.tables["Case"]) // 30
    owners = Counter(case["OwnerId"] for case in branch.tables["Case"])
    few = sum(n for _, n in owners.most_common(16))
    assert few >= 0.75 * len(branch.tables["Case"])


def clear(found: Counter, by: int = 1) -> bool:
    top = found.most_common(2)
    return len(top) == 2 and top[0][1] - top[1][1] >= by


@pytest.mark.parametrize("world", WORLDS)
def test_nobody_has_closed_a_case_of_the_newest_issue(cared: Cared, world: str) -> None:
    branch, _ = cared(world)
    fresh = {branch.shared.issues[issue.code] for issue in Matters(branch.plan.material).fresh()}
    assert fresh
    found = [case for case in branch.tables["Case"] if case["IssueId__c"] in fresh]
    assert found
    assert all(case["ClosedDate"] is None for case in found)


def test_agents_differ_by_cause_alone(cared: Cared) -> None:
    """With causes off, skill and pace do not show in who closes what."""

    def lead(**switches: bool) -> float:
        branch, _ = cared("service", 0.4, **switches)
        by_issue: dict[str, Counter[str]] = defaultdict(Counter)
        for case in branch.tables["Case"]:
            by_issue[case["IssueId__c"]][case["OwnerId"]] += 1
        return sum(owners.most_common(1)[0][1] for owners in by_issue.values()) / len(branch.tables["Case"])

    assert lead() > 1.25 * lead(causes=False)


def test_regions_differ(cared: Cared) -> None:
    def spread(**switches: bool) -> float:
        branch, _ = cared("service", 0.4, **switches)
        state = {party.id: party.state for party in branch.parties}
        hours = defaultdict(list)
        for case in branch.tables["Case"]:
            if case["ClosedDate"]:
                length = (case["ClosedDate"] - case["CreatedDate"]).total_seconds() / 3600
                hours[state[case["AccountId"]]].append(length)
        means = sorted(sum(found) / len(found) for found in hours.values() if len(found) >= 6)
        return means[-1] / means[0]

    assert spread() > 1.5


def test_without_cycles_cases_come_at_any_hour(cared: Cared) -> None:
    def nights(**switches: bool) -> float:
        branch, _ = cared("service", 0.4, **switches)
        return sum(case["CreatedDate"].hour < 6 for case in branch.tables["Case"]) / len(branch.tables["Case"])

    assert nights() < 0.08
    assert nights(cycles=False) > 0.15


def test_without_skew_work_is_shared_evenly(cared: Cared) -> None:
    def busiest(**switches: bool) -> float:
        branch, _ = cared("service", 0.4, **switches)
        owners = Counter(case["OwnerId"] for case in branch.tables["Case"])
        return owners.most_common(1)[0][1] / len(branch.tables["Case"])

    assert busiest() > 1.5 * busiest(skew=False, causes=False)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("scale", [0.02, 0.05])
def test_small_worlds_too(cared: Cared, world: str, scale: float) -> None:
    branch, _ = cared(world, scale)
    for name in COUNTED:
        assert len(branch.tables[name]) == branch.counts[name], name
    assert len(branch.tables["EmailMessage"]) <= branch.counts["EmailMessage"]


def test_nothing_bought_is_an_error(branch_of: Callable[..., Branch]) -> None:
    with pytest.raises(ValueError, match="nothing was"):
        make_care(branch_of("service", 0.02), [])


def test_same_seed_same_cases(branch_of: Callable[..., Branch]) -> None:
    def tables(seed: int) -> dict[str, list[dict]]:
        branch = branch_of("service", 0.05, seed=seed)
        make_care(branch, make_orders(branch))
        return branch.tables

    assert tables(5) == tables(5)
    assert tables(5)["Case"] != tables(6)["Case"]


def test_two_branches_share_no_number(branch_of: Callable[..., Branch]) -> None:
    def numbers(number: int) -> set[str]:
        branch = branch_of("service", 0.1, number=number)
        make_care(branch, make_orders(branch))
        return {case["CaseNumber"] for case in branch.tables["Case"]}

    assert not numbers(0) & numbers(1)


def test_choosing_takes_exactly_as_many() -> None:
    draw = Draw(1, "choosing")
    assert chosen(draw, [1.0] * 5, 9) == [0, 1, 2, 3, 4]
    assert chosen(draw, [0.0, 0.0, 1.0], 2) == [0, 2]
    assert chosen(draw, [0.0, 0.0, 0.0], 1) == [0]
    assert chosen(draw, [], 3) == []
    many = Counter(place for _ in range(300) for place in chosen(draw, [1, 1, 6, 1, 1], 2))
    assert many.most_common(1)[0][0] == 2
