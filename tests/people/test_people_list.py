"""The list of people: found without an address in any URL, acted on together, each act once (M21, P-39, P-40)."""

from __future__ import annotations

import csv
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from study.accounts.flows import add_member
from study.accounts.models import AuditRow, Role
from study.people import flows, needs_me
from study.people.coordinating import roster
from study.people.models import Contact, Invitation, Letter, Participant, Stage, Suppression
from study.people.ways.invitations import decline, invite
from tests.people.people import many_invited

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(study, cleo):
    """Cleo coordinates; who she is is in the audit log."""
    add_member(study, cleo, Role.COORDINATOR, by=None)
    client = Client()
    client.force_login(cleo)
    return client


@pytest.fixture
def where(study):
    return f"/studies/{study.code}/people/"


def text_of(response):
    return response.content.decode()


def test_addresses_are_shown_only_where_asked_for_and_found_only_whole(staff, where, cohort, study, client, caplog):
    one, two = invite(cohort, "rene@example.test\nnadia@example.test", by=None)
    page = text_of(staff.get(where))
    assert one.code in page
    assert "@example.test" not in page.replace("noor@example.test", "")
    seen = AuditRow.objects.filter(act="contacts.viewed")
    assert not seen.exists()
    assert "rene@example.test" in text_of(staff.get(where + "?addresses=1"))
    assert [(row.detail["page"], row.detail["people"]) for row in seen] == [("people", 2)]
    for typed in (one.code.lower(), one.code.removeprefix("P-"), " Rene@Example.TEST "):
        found = staff.post(where + "search/", {"q": typed})
        assert found["Location"] == f"{where}{one.code}/", typed
    part = staff.post(where + "search/", {"q": "rene@"})
    assert "found only when it is typed whole" in text_of(part)
    assert staff.get(where + "search/?q=rene@example.test")["Location"] == where, "never by a URL"
    assert "rene@" not in caplog.text
    assert "rene" not in str(list(AuditRow.objects.values_list("detail", "target")))
    assert "rene@example.test" in text_of(staff.get(f"{where}{one.code}/"))
    assert seen.filter(target=one.code).count() == 1
    Participant.objects.filter(pk=two.pk).update(erased_at=timezone.now())
    tomb = text_of(staff.get(f"{where}{two.code}/"))
    assert "Who this was is erased" in tomb
    assert "nadia@" not in tomb


def test_a_researcher_meets_no_list_and_no_address(client, where, study, cohort, ben):
    add_member(study, ben, Role.RESEARCHER, by=None)
    (one,) = invite(cohort, "rene@example.test", by=None)
    client.force_login(ben)
    for path in ("people/", f"people/{one.code}/", "needs-you/", "incidents/"):
        assert client.get(f"/studies/{study.code}/{path}").status_code == 403
    assert client.post(where + "together/do/", {"act": "codes", "who": one.code}).status_code == 403


def test_filters_stand_in_the_url_and_pages_cost_the_same(staff, where, study, cohort, django_assert_max_num_queries):
    many_invited(cohort, 60)
    one = cohort.participants.order_by("pk").last()
    Participant.objects.filter(pk=one.pk).update(
        stage=Stage.WORKING, joined_at=timezone.now(), last_seen_at=timezone.now() - timedelta(hours=3)
    )
    Contact.objects.filter(participant=one).update(bounced_at=timezone.now())
    with django_assert_max_num_queries(45):  # what waits is counted above each page
        page = text_of(staff.get(where + "?sort=code"))
    assert page.count('name="who"') == 50
    assert text_of(staff.get(where + "?page=2&sort=code")).count('name="who"') == 10
    for query in ("stage=working", "only=quiet", "only=bounced", "end=going&stage=working", "cohort=north&only=quiet"):
        assert text_of(staff.get(f"{where}?{query}")).count('name="who"') == 1, query
    for query in ("only=unpaid", "only=alike", "end=complete", "cohort=other"):
        assert "Nobody fits these filters" in text_of(staff.get(f"{where}?{query}")), query
    assert text_of(staff.get(where + "?only=made-up&stage=x")).count('name="who"') == 50
    assert [need.code for need in needs_me.needs(study) if need.kind == "quiet"] == [one.code]
    twin = flows.new_participant(cohort)
    Contact.objects.create(participant=twin, email="N1@example.test")
    rows = roster.page_of(study, roster.Filters(only="alike"), "1", with_contacts=False)[1]
    assert {row.flags for row in rows} == {("same address as another",)}, "P-03"


def test_acts_on_many_say_who_and_are_done_once(staff, where, cohort, study):
    sent, declined = invite(cohort, "rene@example.test\nno@example.test", by=None)
    panel = flows.new_participant(cohort)
    Letter.objects.update(state="sent", sent_at=timezone.now() - timedelta(days=3))
    decline(declined.invitation)
    who = [sent.code, declined.code, panel.code, "P-ZZZZ"]
    asked = text_of(staff.post(where + "together/", {"act": "remind", "who": who}))
    assert "Remind: 1 person" in asked
    assert "Has ended" in asked
    assert "No address" in asked
    assert not Letter.objects.filter(kind__startswith="reminder").exists(), "the page only asks"
    assert staff.post(where + "together/", {"act": "remind"}).status_code == 302
    for _twice in range(2):
        staff.post(where + "together/do/", {"act": "remind", "who": " ".join(who)})
    assert Letter.objects.filter(kind__startswith="reminder").count() == 1
    for act, n in (("pause_letters", 1), ("pause_letters", 1), ("resume_letters", 0)):
        staff.post(where + "together/do/", {"act": act, "who": sent.code})
        assert Suppression.objects.filter(reason="paused").count() == n
    Invitation.objects.filter(participant=sent).update(expires_at=timezone.now() - timedelta(days=1))
    before = Invitation.objects.get(participant=sent).token_hash
    staff.post(where + "together/do/", {"act": "invite_again", "who": " ".join(who)})
    assert Invitation.objects.get(participant=sent).token_hash != before
    for _twice in range(2):
        staff.post(where + "together/do/", {"act": "revoke", "who": " ".join(who)})
    assert Participant.objects.filter(end="lapsed").count() == 1
    file = staff.post(where + "together/do/", {"act": "codes", "everybody": "1", "cohort": "north"})
    rows = list(csv.DictReader(text_of(file).splitlines()))
    assert {row["code"] for row in rows} == {sent.code, declined.code, panel.code}
    assert "@" not in text_of(file)
    told = AuditRow.objects.filter(act__startswith="people.")
    assert told.get(act="people.codes_exported").detail["rows"] == 3, "P-40"
    assert told.filter(act="people.revoke").count() == 1
    assert staff.post(where + "together/do/", {"act": "erase_all", "who": sent.code}).status_code == 404


def test_notes_are_encrypted_and_overwrite_nobodys(staff, where, cohort):
    (one,) = invite(cohort, "rene@example.test", by=None)
    page = staff.get(f"{where}{one.code}/")
    opened = page.context["opened_on"]
    notes = f"{where}{one.code}/notes/"
    staff.post(notes, {"notes": "Called on Monday, will begin next week.", "opened_on": opened})
    late = staff.post(notes, {"notes": "My own words.", "opened_on": opened})
    assert late.status_code == 409
    assert "Called on Monday" in text_of(late)
    assert "My own words." in text_of(late), "what was typed is not lost"
    assert Contact.objects.get().notes.startswith("Called on Monday")
    assert not Contact.objects.filter(notes__contains="Monday").exists(), "the database holds no plain words"
    assert "Monday" not in str(list(AuditRow.objects.values_list("detail", flat=True)))
