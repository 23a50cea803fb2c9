"""People without an address: the open link, the key, and the way back."""

import pytest
from django.test import Client

from study.accounts.models import User
from study.people.models import End, Participant, Stage
from study.people.sample.cohorts import set_state
from tests.people.walk import code_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def link(cohort):
    cohort.open_link = "opensesame"
    cohort.save()
    return "/j/opensesame/"


def once_of(client, link):
    return client.get(link).context["once"]


def join(client, link, **more):
    return client.post(link, {"once": once_of(client, link)} | more)


def test_joining_gives_a_user_without_address_and_a_key_until_it_is_noted(link):
    """M18: no e-mail, no name; the key is shown until its owner has it, and only its hash is stored."""
    client = Client()
    assert Client().head(link).status_code == 200
    assert not Participant.objects.exists()
    where = join(client, link).url
    code = code_of(client)
    assert where == f"/hour/{code}/key/"
    assert User.objects.get(pk=client.session["_auth_user_id"]).email is None
    page = client.get(where)
    key = page.context["key"]
    assert key in page.content.decode()
    assert key.replace("-", "") not in str(list(Participant.objects.values()))
    assert client.post(where).url == f"/hour/{code}/screener/"
    assert client.get(where).url == f"/hour/{code}/screener/"

    elsewhere = Client()
    assert elsewhere.post("/hour/resume/", {"key": key.lower().replace("-", " ")}).url == f"/hour/{code}/screener/"
    assert code_of(elsewhere) == code


def test_a_wrong_key_opens_nothing(link):
    join(Client(), link)
    client = Client()
    for key in ("", "7KQ4-M2XD-9PRT", Participant.objects.get().code, Participant.objects.get().resume_key_hash):
        assert client.post("/hour/resume/", {"key": key}).status_code == 422
    assert "_auth_user_id" not in client.session


def test_the_same_link_again_resumes(link):
    """P-04: one participant in the same browser, however often; another browser knows nothing of them."""
    client = Client()
    join(client, link)
    code = code_of(client)
    assert client.get(link).url == f"/hour/{code}/screener/"
    assert client.post(link, {"once": "again"}).url == f"/hour/{code}/screener/"
    other = Client().get(link)
    assert other.status_code == 200
    assert code not in other.content.decode()
    assert Participant.objects.count() == 1


def test_one_form_sent_twice_is_one_participant(link):
    """P-08: the browser drops the first answer and shows the second."""
    client = Client()
    once = once_of(client, link)
    first, second = Client(), Client()
    first.post(link, {"once": once})
    second.post(link, {"once": once})
    assert Participant.objects.count() == 1
    assert code_of(first) == code_of(second)


def test_somebody_signed_in_is_asked_first(link, ben):
    """P-05: Ben's session is not used for whoever opens the link next."""
    client = Client()
    client.force_login(ben)
    assert "Somebody else is signed in" in client.get(link).content.decode()
    assert join(client, link).status_code == 409
    assert not Participant.objects.exists()
    assert join(client, link, switch="1").status_code == 302
    assert not ben.participations.exists()


def test_a_paused_cohort_takes_nobody_and_says_so(link, cohort):
    client = Client()
    once = once_of(client, link)
    set_state(cohort, "paused", by=None)
    page = client.post(link, {"once": once}).content.decode()
    assert "paused" in page
    assert not Participant.objects.exists()


def test_a_full_cohort_says_so_before_any_question(link, cohort):
    """P-12: whoever comes too late is told at once, with a code."""
    cohort.target = 1
    cohort.save()
    Participant.objects.create(study=cohort.study, cohort=cohort, code="P-XXXX", stage=Stage.WORKING)
    client = Client()
    join(client, link)
    one = Participant.objects.exclude(code="P-XXXX").get()
    assert (one.end, bool(one.completion_code)) == (End.FULL, True)


def test_the_demo_lists_open_links_and_nobody_else_does(link, settings):
    assert link not in Client().get("/hour/").content.decode()
    settings.REALIA_DEMO = True
    assert link in Client().get("/hour/").content.decode()


def test_next_never_leads_away(link):
    page = Client().get("/hour/?next=//evil.example.test/").content.decode()
    assert "evil" not in page
    assert "next=/hour/P-AAAA/work/" in Client().get("/hour/?next=/hour/P-AAAA/work/").content.decode()
