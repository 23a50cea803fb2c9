"""Opening a cohort: what is missing is said with its remedy, by pages and by command."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from study.assignment.flows import NotReady, open_cohort
from study.assignment.readiness import can_open, study_problems
from study.people.models import Cohort, CohortState
from study.people.sample.cohorts import create_cohort
from tests.people.walk import OBJECTS, freeze, make_org

pytestmark = pytest.mark.django_db


def make_cohort(study, **more):
    fields = {"code": "north", "name": "North", "arm": "main", "target": 5, "contact_email": "n@example.test"} | more
    return create_cohort(study, by=None, **fields)


def kinds(cohort):
    return [problem.kind for problem in can_open(cohort)]


def test_each_missing_thing_is_named_until_nothing_is(study):
    cohort = make_cohort(study, contact_email="")
    assert kinds(cohort) == ["protocol", "cohort"]
    freeze(study)
    assert kinds(cohort) == ["org", "cohort"]
    org = make_org(objects=OBJECTS[:3], per_task=0)
    assert kinds(cohort) == ["object"] * 6 + ["instances"] * 4 + ["cohort"]
    org.counts = dict.fromkeys(OBJECTS, 3)
    org.save()
    org.delete()
    make_org()
    assert kinds(cohort) == ["cohort"]
    cohort.contact_email = "n@example.test"
    cohort.save()
    assert open_cohort(cohort, by=None)
    assert not open_cohort(cohort, by=None)
    assert (cohort.state, cohort.protocol_number) == (CohortState.OPEN, 1)


def test_every_problem_comes_with_a_remedy(study):
    freeze(study)
    make_org(objects=OBJECTS[:3], per_task=0)
    for problem in can_open(make_cohort(study, contact_email="")):
        assert problem.text.endswith(".")
        assert problem.remedy


def test_an_unknown_arm_is_said(study, org, frozen):
    row = make_cohort(study)
    row.arm = "other"  # the arm went with a later version of the protocol
    row.save()
    (problem,) = can_open(row)
    assert "“other”" in problem.text
    assert "main" in problem.remedy


def test_benched_and_unassignable_instances_do_not_count(study, org, frozen):
    org.instances.filter(task__in=["named_entity_disambiguation", "knowledge_qa"]).update(assignable=False)
    assert kinds(make_cohort(study)) == ["instances"]


def test_an_org_of_another_study_is_not_there(study, org, frozen, ada):
    """A15: a private Org is as absent as one that was never loaded."""
    from study.accounts.flows import create_study
    from study.sandbox.models import StudyOrg

    StudyOrg.objects.create(org=org, study=create_study(code="autumn", name="Autumn", owner=ada))
    assert kinds(make_cohort(study)) == ["org"]
    StudyOrg.objects.create(org=org, study=study)
    assert study_problems(study, "main") == []


def test_a_hash_that_fits_two_orgs_names_neither(study, org):
    from study.assignment.orgs import resolve

    make_org("second", hash_="ab" * 31 + "cd")
    assert resolve("ab" * 20, study) is None
    assert resolve("ab" * 31 + "cd", study).name == "second"


def test_the_page_refuses_and_says_why(study, ada, client):
    cohort = make_cohort(study)
    client.force_login(ada)
    page = client.post(f"/studies/{study.code}/cohorts/north/open/")
    assert page.status_code == 409
    assert "no frozen protocol" in page.content.decode()
    assert "protocol_freeze spring" in page.content.decode()
    cohort.refresh_from_db()
    assert cohort.state == CohortState.DRAFT


def test_the_overview_says_what_is_missing_and_then_what_is_there(study, ada, client):
    client.force_login(ada)
    url = f"/studies/{study.code}/"
    assert "No protocol yet" in client.get(url).content.decode()
    freeze(study)
    page = client.get(url).content.decode()
    assert "“demo-service” is not loaded" in page
    assert "org_load PATH --name demo-service" in page
    make_org()
    open_cohort(make_cohort(study), by=None)
    page = client.get(url).content.decode()
    assert "missing" not in page
    assert "24 assignable in demo-service" in page


@pytest.mark.parametrize(("name", "rated"), [("crmarena-pro", "Quote"), ("crmarena", "LiveChatTranscript")])
def test_a_replication_says_which_org_and_objects_it_needs(study, ada, client, name, rated):
    """It can be read and checked before its Org is there, and the page says what is missing."""
    from study.protocols.library import builtin_text

    file = freeze(study, builtin_text(name)).value
    client.force_login(ada)
    page = client.get(f"/studies/{study.code}/").content.decode()
    assert "strict replication" in page
    assert "is not loaded" in page
    assert rated in page
    for number, arm in enumerate(file.arms):
        assert {problem.kind for problem in study_problems(study, arm.code)} == {"org"}
        (reference,) = arm.orgs
        objects = tuple(dict.fromkeys((*arm.rate, *arm.orient)))
        make_org(reference.removeprefix("name:"), objects, hash_=f"{number}e" * 32, tasks=file.task_names)
        assert study_problems(study, arm.code) == []


def test_the_command_opens_or_says_what_is_missing(study, org):
    err = io.StringIO()
    with pytest.raises(CommandError, match="cannot open yet: 1 missing"):
        call_command("cohort_open", "spring", "north", "--create", "--contact", "n@example.test", stderr=err)
    assert "protocol_freeze spring" in err.getvalue()
    freeze(study)
    out = io.StringIO()
    call_command("cohort_open", "spring", "north", "--target", "7", "--open-link", stdout=out)
    cohort = Cohort.objects.get()
    assert (cohort.state, cohort.target) == (CohortState.OPEN, 7)
    assert f"/j/{cohort.open_link}/" in out.getvalue()
    assert Client().get(f"/j/{cohort.open_link}/").status_code == 200
    for args in (("nowhere", "north"), ("spring", "south")):
        with pytest.raises(CommandError):
            call_command("cohort_open", *args)


def test_not_ready_lists_every_problem(study):
    with pytest.raises(NotReady) as caught:
        open_cohort(make_cohort(study, contact_email=""), by=None)
    assert len(caught.value.problems) == 2


def test_cohorts_are_made_and_changed_by_pages(study, ada, client, org, frozen):
    client.force_login(ada)
    base = f"/studies/{study.code}/cohorts/"
    form = {"code": "North", "name": "North", "arm": "main", "target": "5", "contact_email": "n@example.test"}
    assert client.post(base + "new/", form | {"target": "many"}).status_code == 422
    assert client.post(base + "new/", form | {"contact_email": "nobody"}).status_code == 422
    assert client.post(base + "new/", form | {"code": "no rth"}).status_code == 422
    assert client.post(base + "new/", form).url == base + "north/"
    assert client.post(base + "new/", form).status_code == 422
    assert client.post(base + "north/open/").status_code == 302
    assert client.post(base + "north/change/", form | {"target": "8", "open_link": "1"}).status_code == 302
    cohort = Cohort.objects.get()
    assert (cohort.target, bool(cohort.open_link), cohort.state) == (8, True, CohortState.OPEN)
    assert cohort.open_link in client.get(base + "north/").content.decode()
    client.post(base + "north/pause/")
    client.post(base + "north/close/")
    cohort.refresh_from_db()
    assert cohort.state == CohortState.CLOSED
    assert "1 cohort" in client.get(base).content.decode()
