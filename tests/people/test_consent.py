"""Consent, declining and leaving."""

import pytest
from django.test import Client

from study.people.models import Consent, End, Participant
from tests.people.walk import GOOD, TICKS, agree, code_of, to_consent

pytestmark = pytest.mark.django_db


def test_leaving_twice_is_leaving_once(invite):
    """P-08: one end, one code; P-09: the first choice about the answers stands."""
    (path,) = invite("rene@example.test")
    client = Client()
    code = to_consent(client, path)
    agree(client, code)
    assert client.get(f"/hour/{code}/leave/").status_code == 200
    assert client.post(f"/hour/{code}/leave/").status_code == 422
    assert Participant.objects.get().end == ""
    client.post(f"/hour/{code}/leave/", {"data": "keep"})
    first = Participant.objects.get()
    client.post(f"/hour/{code}/leave/", {"data": "take_out"})
    again = Participant.objects.get()
    assert (first.end, first.data_choice) == (End.WITHDRAWN, "keep")
    assert (again.completion_code, again.data_choice, again.ended_at) == (first.completion_code, "keep", first.ended_at)
    assert first.completion_code in client.get(f"/hour/{code}/ended/").content.decode()
    assert set(first.visits.get().places.values_list("state", flat=True)) == {"released"}


def test_no_consent_gives_a_code_and_no_visit(invite):
    (path,) = invite("rene@example.test")
    client = Client()
    code = to_consent(client, path)
    assert client.post(f"/hour/{code}/consent/", {"statement": TICKS[:2], "sha256": "x"}).status_code == 409
    assert agree(client, code, TICKS[:2]).status_code == 422
    assert client.post(f"/hour/{code}/consent/decline/").url == f"/hour/{code}/ended/"
    participant = Participant.objects.get()
    assert participant.end == End.NO_CONSENT
    assert participant.completion_code.startswith("REAL-")
    assert not participant.visits.exists()


def test_consent_is_to_the_text_that_was_shown(invite):
    """P-44: a form of an older text is shown the current one, and each record holds the exact text."""
    (path,) = invite("rene@example.test")
    client = Client()
    code = to_consent(client, path)
    old = client.post(f"/hour/{code}/consent/", {"statement": TICKS, "sha256": "0" * 64})
    assert old.status_code == 409
    assert "changed since you opened the page" in old.content.decode()
    assert "checked" not in old.content.decode()
    assert not Consent.objects.exists()
    agree(client, code, [*TICKS, "quotations"])
    row = Consent.objects.get()
    assert [name for name, given in row.options.items() if given] == ["quotations"]
    assert "second_visit" in row.options
    assert row.protocol_number == 1
    assert "It is not a test of you." in row.text
    import hashlib

    assert hashlib.sha256(row.text.encode()).hexdigest() == row.sha256


def test_a_cohort_that_closed_meanwhile_ends_with_a_code(invite, cohort):
    """A code for every outcome: whoever is on the way in when the cohort closes is told, not left standing."""
    from study.people.sample.cohorts import set_state

    first, second = invite("a@example.test", "b@example.test")
    at_consent, at_screener = Client(), Client()
    code = to_consent(at_consent, first)
    at_screener.post(second)
    set_state(cohort, "closed", by=None)
    assert agree(at_consent, code).url == f"/hour/{code}/ended/"
    other = code_of(at_screener)
    assert at_screener.post(f"/hour/{other}/screener/", GOOD).url == f"/hour/{other}/ended/"
    for one in Participant.objects.all():
        assert (one.end, bool(one.completion_code), one.consents.count()) == (End.FULL, True, 0)


def test_a_paused_cohort_keeps_the_ticks_for_later(invite, cohort):
    from study.people.sample.cohorts import set_state

    (path,) = invite("rene@example.test")
    client = Client()
    code = to_consent(client, path)
    set_state(cohort, "paused", by=None)
    assert agree(client, code).status_code == 409
    assert Participant.objects.get().end == ""
    cohort.state = "open"
    cohort.save()
    assert agree(client, code).url == f"/hour/{code}/orientation/"
