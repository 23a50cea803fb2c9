"""The screener: its first answers decide, and nothing that was typed is lost."""

import pytest
from django.test import Client

from study.people.models import End, Invitation, Participant, Screening, Stage
from tests.people.walk import GOOD, TICKS, agree, code_of, to_consent

pytestmark = pytest.mark.django_db


def test_missing_answers_are_named_and_typed_ones_kept(invite):
    """P-18: nothing is filled in for anybody, and nothing typed is lost."""
    (path,) = invite("rene@example.test")
    client = Client()
    client.post(path)
    code = code_of(client)
    some = {k: v for k, v in GOOD.items() if k not in ("S1", "S8e")} | {"S8a": "agent <b>& more"}
    page = client.post(f"/hour/{code}/screener/", some)
    text = page.content.decode()
    assert page.status_code == 422
    assert 'href="#item-S1"' in text
    assert 'href="#item-S8e"' in text
    assert 'href="#item-S8a"' not in text
    assert "agent &lt;b&gt;&amp; more" in text
    assert text.count("checked") == 13
    assert not Screening.objects.exists()
    assert Participant.objects.get().stage == Stage.JOINED


def test_rather_not_say_is_a_full_answer(invite):
    (path,) = invite("rene@example.test")
    client = Client()
    client.post(path)
    code = code_of(client)
    answers = GOOD | {"S3": "rather_not_say", "S2": "rather_not_say", "S8a": ["", "rather_not_say"]}
    assert client.post(f"/hour/{code}/screener/", answers).status_code == 302
    stored = Screening.objects.get().answers
    assert stored["S3"] == stored["S2"] == stored["S8a"] == "rather_not_say"
    assert "S11a" not in stored


def test_the_screener_cannot_be_walked_around(invite, cohort):
    """P-11: later pages stay shut, the first answers decide, a retry is stored and a second invitation helps nobody."""
    (path,) = invite("rene@example.test")
    client = Client()
    client.post(path)
    code = code_of(client)
    for page in ("consent", "orientation"):
        assert client.get(f"/hour/{code}/{page}/").url == f"/hour/{code}/screener/"
    assert client.post(f"/hour/{code}/consent/", {"statement": TICKS}).url == f"/hour/{code}/screener/"
    assert client.post(f"/hour/{code}/screener/", GOOD | {"S1": "never"}).url == f"/hour/{code}/ended/"
    page = client.get(f"/hour/{code}/ended/").content.decode()
    participant = Participant.objects.get()
    assert participant.end == End.SCREENED_OUT
    assert participant.completion_code in page
    assert "CRM system" not in page
    assert client.post(f"/hour/{code}/screener/", GOOD).url == f"/hour/{code}/ended/"
    assert list(Screening.objects.order_by("number").values_list("number", "eligible")) == [(1, False), (2, True)]
    assert Screening.objects.get(number=1).answers["S1"] == "never"
    assert client.get(f"/hour/{code}/consent/").url == f"/hour/{code}/ended/"


def test_a_second_invitation_after_failing_opens_nothing(invite, cohort, study):
    """P-11: the same person in another cohort is led to where the first try ended."""
    from study.accounts.encrypted import address_hash
    from study.people.models import Contact
    from study.people.sample.cohorts import create_cohort, mark_open
    from study.people.ways.tokens import hash_of, make_token

    (path,) = invite("rene@example.test")
    client = Client()
    client.post(path)
    code = code_of(client)
    client.post(f"/hour/{code}/screener/", GOOD | {"S1": "never"})
    other = create_cohort(study, code="south", name="", arm="main", target=5, contact_email="n@example.test", by=None)
    mark_open(other, by=None)
    from study.people.flows import new_participant

    second = new_participant(other)
    Contact.objects.create(participant=second, email="rene@example.test")
    token = make_token(second, second.invited_at)
    Invitation.objects.create(
        cohort=other,
        participant=second,
        email_hash=address_hash("rene@example.test"),
        token_hash=hash_of(token),
        created_at=second.invited_at,
        expires_at=second.invited_at.replace(year=second.invited_at.year + 1),
    )
    fresh = Client()
    assert fresh.post(f"/i/{token}/").url == f"/hour/{code}/ended/"
    second.refresh_from_db()
    assert (second.end, second.stage) == (End.EXCLUDED, Stage.INVITED)


def test_taking_answers_out_empties_the_screener(invite):
    (path,) = invite("rene@example.test")
    client = Client()
    code = to_consent(client, path)
    agree(client, code)
    client.post(f"/hour/{code}/leave/", {"data": "take_out"})
    assert Screening.objects.get().answers == {}
    assert Screening.objects.get().eligible


def test_a_long_text_in_the_screener_is_never_cut(client, invite):
    """Refused with a remedy, whole on the page, and no decision is made."""
    from study.people.models import Screening

    [path] = invite("long@example.test")
    client.post(path)
    code = code_of(client)
    page = client.post(f"/hour/{code}/screener/", GOOD | {"S8a": "y" * 40_000})
    assert page.status_code == 422
    assert "y" * 40_000 in page.content.decode()
    assert "Nothing was cut" in page.content.decode()
    assert not Screening.objects.exists()
