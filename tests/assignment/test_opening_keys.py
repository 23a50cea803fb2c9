"""A cohort does not open while a question it could give has a key that does not fit the Org."""

from __future__ import annotations

import pytest

from study.assignment import readiness
from study.assignment.flows import NotReady, open_cohort
from study.assignment.readiness import can_open
from study.benchmark.models import Instance
from study.people.sample.cohorts import create_cohort
from tests.fieldwork.hour import make_small_org
from tests.people.walk import freeze

pytestmark = pytest.mark.django_db
LOST = "500zz0000000001AAA"


@pytest.fixture
def cohort(study):
    freeze(study)
    make_small_org()
    return create_cohort(
        study, code="north", name="North", arm="main", target=5, contact_email="n@example.test", by=None
    )


def record_question(n: int = 0) -> Instance:
    return Instance.objects.get(key=f"case_routing-{n}")


def test_keys_that_fit_open(cohort):
    assert can_open(cohort) == []
    assert open_cohort(cohort, by=None)


def test_a_record_that_is_gone_blocks_with_a_sentence(cohort):
    Instance.objects.filter(pk=record_question().pk).update(answer=[LOST], idx="17")
    (problem,) = can_open(cohort)
    assert problem.kind == "key"
    assert problem.text == (
        f"The key of case_routing 17 no longer fits the Org “demo-service”: the Org has no record {LOST}."
    )
    assert "instances_key demo-service 17 --answer" in problem.remedy
    with pytest.raises(NotReady, match="no longer fits"):
        open_cohort(cohort, by=None)


def test_a_rule_that_gives_another_answer_blocks(cohort):
    rule = {"rule": "top_issue_identification", "params": {"window": {"year": 1999}, "product_id": "x"}}
    one = Instance.objects.get(key="top_issue_identification-0")
    Instance.objects.filter(pk=one.pk).update(**rule)
    (problem,) = can_open(cohort)
    assert "its rule gives None" in problem.text


@pytest.mark.parametrize("change", [{"benched": True}, {"assignable": False}, {"task": "handle_time_of_ours"}])
def test_a_question_nobody_is_given_blocks_nothing(cohort, change):
    Instance.objects.filter(pk=record_question().pk).update(answer=[LOST], **change)
    assert can_open(cohort) == []


def test_many_are_counted(cohort):
    Instance.objects.filter(answer_type="record").update(answer=[LOST])
    problems = can_open(cohort)
    assert len(problems) == readiness.SHOWN_KEYS + 1
    assert "more questions" in problems[-1].text


def test_an_org_that_cannot_be_read_is_said(cohort):
    from study.sandbox.models import Org

    Org.objects.update(file="gone.sqlite3")
    (problem,) = can_open(cohort)
    assert "cannot be checked" in problem.text
    assert "org_load" in problem.remedy
