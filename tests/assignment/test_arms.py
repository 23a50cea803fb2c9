"""Arms: permuted blocks within cohort and cell, from a committed seed, unknown to anybody before consent."""

import json
import re
from collections import Counter
from datetime import timedelta
from io import StringIO
from itertools import islice, pairwise

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from study.accounts.models import AuditRow
from study.assignment import allocation, flows
from study.assignment.models import Allocation, AllocationSeed, AssignmentEvent
from study.people import flows as people
from study.people.models import End, Participant, Screening, Stage
from study.people.protocol import file_of, protocol_of
from study.protocols.design import Arm
from tests.fieldwork.arms import AGAIN, CROSSOVER, at, cohort_for, protocol_with, single
from tests.people.walk import TICKS, make_org, to_consent

TWO = protocol_with(single("plain") + single("other", "name:second"))


def arm(code, visits=0, order="counterbalanced"):
    several = [{"code": f"v{n}"} for n in range(visits)]
    made = {"code": code, "label": code, "orgs": ["name:demo"], "rate": ["Case"], "orient": ["Case"]}
    return Arm.model_validate_json(json.dumps(made | ({"visits": several, "order": order} if several else {})))


@settings(max_examples=40)
@given(
    st.integers(0, 2**62),
    st.integers(2, 4),
    st.lists(st.integers(1, 3), min_size=1, max_size=3),
    st.integers(1, 60),
)
def test_arms_are_equal_at_each_end_of_a_block(seed, n, blocks, many):
    """Inside a block counts differ by at most its largest size per arm, at its end not at all."""
    arms = [arm(f"a{k}") for k in range(n)]
    slots = list(islice(allocation.slots(arms, blocks, seed), many))
    counts: Counter[str] = Counter()
    for one, after in zip(slots, [*slots[1:], None], strict=True):
        counts[one.arm] += 1
        spread = max(counts[a.code] for a in arms) - min(counts[a.code] for a in arms)
        assert spread <= max(blocks)
        if after and after.block != one.block:
            assert spread == 0
    assert [allocation.slot(arms, blocks, seed, k) for k in (1, many)] == [slots[0], slots[-1]]


@settings(max_examples=30)
@given(st.integers(0, 2**62), st.integers(1, 40))
def test_g6_both_orders_come_first_equally_often(seed, many):
    """G6: with blocks of one pair the first Orgs never differ by more than one."""
    slots = list(islice(allocation.slots([arm("x", 2)], [1], seed), many))
    first = Counter(one.order[0] for one in slots)
    assert abs(first["v0"] - first["v1"]) <= 1
    assert {one.order for one in slots} <= {("v0", "v1"), ("v1", "v0")}


def test_orders_of_three_visits_are_a_williams_design():
    orders = allocation.orders_of(arm("x", 3))
    assert len(orders) == 6
    assert Counter(pair for order in orders for pair in pairwise(order)) == dict.fromkeys(
        [(f"v{a}", f"v{b}") for a in range(3) for b in range(3) if a != b], 2
    )
    assert allocation.orders_of(arm("x", 3, "fixed")) == (("v0", "v1", "v2"),)


@pytest.fixture
def orgs(db):
    return make_org(), make_org("second", hash_="cd" * 32)


def eligible(cohort, **answers):
    one = people.new_participant(cohort, stage=Stage.ELIGIBLE, joined_at=cohort.created_at)
    if answers:
        Screening.objects.create(participant=one, answers=answers, rule_version="1", eligible=True)
    return one


def begin(one):
    visit = flows.consent_and_begin(one, protocol_of(one.cohort), TICKS)
    one.refresh_from_db()
    return visit


def test_people_are_randomised_in_blocks_within_their_cell(study, orgs):
    text = protocol_with(single("plain") + single("other", "name:second"), "\nallocation: {blocks: [1], cells: [S3]}\n")
    cohort = cohort_for(study, ["plain", "other"], text)
    visits = {cell: [begin(eligible(cohort, S3=cell)) for _ in range(4)] for cell in ("y3_5", "y1_2")}
    for cell, made in visits.items():
        assert [visit.block for visit in made] == [f"north:S3={cell}:{n}" for n in (1, 1, 2, 2)]
        for pair in (made[:2], made[2:]):
            assert {visit.arm for visit in pair} == {"plain", "other"}
    every = [visit for made in visits.values() for visit in made]
    assert {visit.allocation for visit in every} == {"randomised"}
    assert all((visit.org.name == "second") == (visit.arm == "other") for visit in every)
    rows = AssignmentEvent.objects.filter(event="allocated")
    assert rows.count() == 8
    # Whoever has the seed and the row draws the same again.
    seed = AllocationSeed.objects.get().seed
    file = file_of(protocol_of(cohort))
    for row in rows:
        said = row.detail
        assert row.visit is None
        assert row.seed == allocation.cell_seed(seed, said["cell"])
        slot = allocation.slot(file.arms, file.allocation.blocks, row.seed, said["number"])
        assert (slot.arm, list(slot.order), slot.block) == (said["arm"], said["order"], said["block"])


def test_the_seed_is_committed_when_the_cohort_opens_and_never_drawn_again(study, orgs):
    cohort = cohort_for(study, ["plain", "other"], TWO)
    said = AuditRow.objects.get(act="allocation.committed").detail
    assert said["sha256"] == allocation.commitment(AllocationSeed.objects.get().seed)
    cohort.state = "paused"
    cohort.save()
    flows.open_cohort(cohort, by=None)
    assert AuditRow.objects.filter(act="allocation.committed").count() == 1
    assert str(AllocationSeed.objects.get().seed) not in str(list(AuditRow.objects.values_list("detail", flat=True)))


def test_one_arm_is_given_and_nothing_is_drawn(study, orgs):
    cohort = cohort_for(study, ["other"], TWO)
    one = eligible(cohort)
    visit = begin(one)
    assert (one.arm, visit.arm, visit.allocation, visit.block, visit.condition) == ("other", "other", "fixed", "", "")
    assert not AssignmentEvent.objects.filter(event="allocated").exists()
    assert not AllocationSeed.objects.exists()


def test_who_leaves_keeps_their_place_and_nothing_half_done_takes_one(study, orgs):
    """Consent without a visit takes no slot; somebody who leaves gives theirs to nobody."""
    cohort = cohort_for(study, ["plain", "other"], TWO)
    orgs[0].instances.update(benched=True)
    orgs[1].instances.update(benched=True)
    one = eligible(cohort)
    with pytest.raises(flows.CannotBegin):
        begin(one)
    one.refresh_from_db()
    assert (one.arm, Allocation.objects.count()) == ("", 0)
    orgs[0].instances.update(benched=False)
    orgs[1].instances.update(benched=False)
    begin(one)
    assert flows.begin_visit(one) == one.visits.get()
    people.end(one, End.WITHDRAWN)
    two = eligible(cohort)
    begin(two)
    numbers = Allocation.objects.order_by("pk").values_list("participant", "number")
    assert list(numbers) == [(one.pk, 1), (two.pk, 2)]


def test_a_preview_walks_the_arm_it_chose_and_takes_no_slot(study, orgs, ada):
    from study.fieldwork.preview import start_preview

    cohort = cohort_for(study, ["plain", "other"], TWO)
    browser = Client()
    browser.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    assert b'<option value="other">' in browser.get("/studies/spring/").content
    one = start_preview(study, ada, "other")
    people.advance(one, Stage.JOINED, Stage.ELIGIBLE)
    visit = flows.consent_and_begin(one, protocol_of(cohort), TICKS)
    assert (visit.arm, visit.org.name) == ("other", "second")
    assert not Allocation.objects.exists()
    assert not AssignmentEvent.objects.exists()


HIDDEN = re.compile(rb"P-\w{4}|/i/[^\"]+|value=\"[\w-]{40,}\"|\d+ seconds? ago|csrf\S+|nonce\S+")


def test_nobody_can_tell_the_arm_before_consent(study, orgs):
    """Every page up to consent is the same, byte for byte, for people of both arms, and so are the addresses."""
    from study.people.ways.invitations import invite
    from study.people.ways.tokens import make_token

    cohort = cohort_for(study, ["plain", "other"], TWO)
    seen = {}
    people_ = invite(cohort, "\n".join(f"p{n}@example.test" for n in range(4)), by=None)
    for one in people_:
        client = Client()
        link = f"/i/{make_token(one, one.invitation.created_at)}/"
        before = [client.get(link).content]
        code = to_consent(client, link)
        before.append(client.get(f"/hour/{code}/consent/").content)
        before.append(client.get(f"/hour/{code}/privacy/").content)
        assert not re.search(rb"\bplain\b|\bother\b(?= arm)|name:second", b"".join(before))
        one.refresh_from_db()
        assert one.arm == ""
        begin(one)
        pages = [HIDDEN.sub(b"", page).replace(one.contact.email.encode(), b"") for page in before]
        seen.setdefault(one.arm, []).append(pages)
    assert set(seen) == {"plain", "other"}
    assert all(pages == seen["plain"][0] for made in seen.values() for pages in made)


def test_the_coordinator_sees_no_arm_before_consent(study, orgs, ada):
    cohort = cohort_for(study, ["plain", "other"], TWO)
    one = eligible(cohort)
    browser = Client()
    browser.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    page = browser.get(f"/studies/spring/people/{one.code}/").content
    assert b"plain" not in page
    board = browser.get("/studies/spring/cohorts/").content.decode()
    assert "randomised over plain, other" in board


def test_readiness_looks_at_every_visit(study, db):
    make_org()
    with pytest.raises(flows.NotReady) as missing:
        cohort_for(study, ["cross"], protocol_with(CROSSOVER))
    assert [problem.kind for problem in missing.value.problems] == ["org"]
    assert "second" in missing.value.problems[0].text


def test_the_log_rebuilds_crossover_and_retest(study, orgs, monkeypatch):
    """Arms, orders and second visits too are drawn again from seeds and log; G6 holds for the first Orgs."""
    text = protocol_with(CROSSOVER + AGAIN, "\nallocation: {blocks: [1]}\n")
    cohort = cohort_for(study, ["cross", "again"], text)
    people_ = [eligible(cohort) for _ in range(8)]
    made = [begin(one) for one in people_]
    first = Counter(visit.condition for visit in made if visit.arm == "cross")
    assert first == {"north": 2, "south": 2}
    Participant.objects.update(stage=Stage.LOCKED)
    for visit in made:
        visit.participant.refresh_from_db()
        assert flows.end_visit(visit)
    people.end(made[0].participant, End.WITHDRAWN)
    at(monkeypatch, timezone.now() + timedelta(days=3))
    again = [flows.begin_next(visit.participant) for visit in made[1:]]
    for one, two in zip(made[1:], again, strict=True):
        assert (two.period, two.block) == (2, one.block)
        assert (one.org == two.org) == (one.arm == "again")
    out = StringIO()
    call_command("assignment_replay", "spring", stdout=out)
    assert out.getvalue().splitlines()[-1] == "identical"
