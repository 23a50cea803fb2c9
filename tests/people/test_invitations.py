"""Inviting: what is pasted, what goes out, and what the letters say."""

import smtplib
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from study.accounts.encrypted import address_hash
from study.accounts.jobs import Running
from study.accounts.models import AuditRow, Job, Role
from study.people.mail.letters import send_letters
from study.people.models import Import, Invitation, Letter, Participant
from study.people.ways.addresses import person_key
from study.people.ways.invitations import invite as invite_people
from study.people.ways.people_lists import Known, check, from_text


def send():
    return send_letters(Running(Job(kind="send_letters")))


def test_pasted_text_is_sorted_by_line():
    text = """Rene Okonkwo <rene@example.test>
not an address
rene@EXAMPLE.test, mara.lindt@example.test

old@example.test"""
    found = check(from_text(text), Known({"old@example.test": "in cohort North"}))
    assert [row["email"] for row in found if not row["problem"]] == ["rene@example.test", "mara.lindt@example.test"]
    refused = [row for row in found if row["problem"]]
    assert [(row["row"], row["email"]) for row in refused] == [
        (2, "not an address"),
        (3, "rene@EXAMPLE.test"),
        (5, "old@example.test"),
    ]
    assert "row 1" in refused[1]["problem"]
    assert "in cohort North" in refused[2]["problem"]


def test_plus_and_dot_variants_are_flagged_and_never_merged():
    """P-03: a coordinator decides about look-alikes; the text itself decides nothing."""
    known = dict.fromkeys(("mara.lindt+b@example.test", "other@example.test"), "in cohort North")
    found = check(from_text("maralindt@example.test\nother+x@example.test\nfresh@example.test"), Known(known))
    assert [row["problem"] for row in found] == ["", "", ""]
    doubts = [(row["row"], row["doubt"]) for row in found if row["doubt"]]
    assert doubts == [(1, "Looks like mara.lindt+b@example.test."), (2, "Looks like other@example.test.")]
    assert person_key("M.L+b@Example.test") == person_key("ml@example.test") != person_key("ml@other.test")


@pytest.mark.django_db
def test_letters_hold_the_link_and_nothing_private(cohort):
    """M7: public title only; P-02: no address in the link."""
    (one,) = invite_people(cohort, "rene@example.test", by=None)
    assert send() == {"sent": 1}
    letter = mail.outbox[0]
    assert letter.to == ["rene@example.test"]
    assert letter.reply_to == ["noor@example.test"]
    assert "An hour in a CRM" in letter.subject
    everything = (letter.subject + letter.body).lower()
    for word in ("spring realism study", "panel north", "synthetic", "generated", "artificial", "benchmark"):
        assert word not in everything
    link = next(word for word in letter.body.split() if "/i/" in word)
    assert "rene" not in link
    assert Client().get(link).status_code == 200
    assert send() == {}
    assert one.letters.get().state == "sent"


@pytest.mark.django_db
def test_nobody_is_invited_twice(cohort):
    text = "rene@example.test\nRENE@example.test"
    assert len(invite_people(cohort, text, by=None)) == 1
    assert invite_people(cohort, text, by=None) == []
    assert Invitation.objects.count() == Letter.objects.count() == Participant.objects.count() == 1


@pytest.mark.django_db
def test_one_bad_address_never_stops_the_rest(cohort, monkeypatch):
    """P-37: number two is refused for good, number three later; the others go out and each says where it stands."""
    from django.core.mail import EmailMessage

    invite_people(cohort, "a1@example.test\na2@example.test\na3@example.test\na4@example.test", by=None)
    real = EmailMessage.send

    def refuse(self, *args, **kwargs):
        code = {"a2@example.test": 550, "a3@example.test": 450}.get(self.to[0])
        if code:
            raise smtplib.SMTPRecipientsRefused({self.to[0]: (code, b"no")})
        return real(self, *args, **kwargs)

    monkeypatch.setattr(EmailMessage, "send", refuse)
    assert send() == {"sent": 2, "failed": 1, "due": 1}
    letters = {one.participant.contact.email: one for one in Letter.objects.select_related("participant__contact")}
    assert letters["a2@example.test"].state == "failed"
    assert "example.test" not in letters["a2@example.test"].error
    assert letters["a3@example.test"].due_at > timezone.now() + timedelta(minutes=4)
    assert send() == {}
    monkeypatch.setattr(EmailMessage, "send", real)
    Letter.objects.filter(state="due").update(due_at=timezone.now())
    assert send() == {"sent": 1}
    assert len(mail.outbox) == 3


@pytest.mark.django_db
def test_status_is_checked_again_at_sending(cohort, invite):
    """P-35: whoever joined or said no meanwhile gets no letter; a paused cohort's letters wait."""
    from study.people.sample.cohorts import set_state
    from study.people.ways.invitations import decline

    invite("a@example.test", "b@example.test")
    first = Invitation.objects.order_by("pk").first()
    Letter.objects.filter(participant=first.participant)
    decline(first)
    Letter.objects.filter(participant=first.participant).update(state="due")
    set_state(cohort, "paused", by=None)
    assert send() == {}
    cohort.state = "open"
    cohort.save()
    assert send() == {"dropped": 1, "sent": 1}
    assert [m.to for m in mail.outbox] == [["b@example.test"]]


@pytest.mark.django_db
def test_a_letter_cut_off_while_sending_waits_for_a_person(cohort, invite):
    """P-35: nobody knows whether it arrived, so it is not sent again by itself."""
    invite("a@example.test")
    Letter.objects.update(state="sending", due_at=timezone.now() - timedelta(minutes=1))
    send()
    assert Letter.objects.get().state == "failed"
    assert mail.outbox == []


@pytest.mark.django_db
def test_a_changed_secret_key_makes_a_new_link_for_unsent_letters(cohort, settings):
    invite_people(cohort, "rene@example.test", by=None)
    old = Invitation.objects.get().token_hash
    settings.SECRET_KEY = "another"
    send()
    assert Invitation.objects.get().token_hash != old
    link = next(word for word in mail.outbox[0].body.split() if "/i/" in word)
    assert Client().get(link).status_code == 200


@pytest.mark.django_db
def test_expired_and_revoked_links_open_nothing(cohort, invite, ada):
    """P-41: after its day or after being taken back a link is over, and says so."""
    from study.people.ways.invitations import revoke

    late, gone = invite("late@example.test", "gone@example.test")
    Invitation.objects.filter(email_hash=address_hash("late@example.test")).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )
    assert revoke(Participant.objects.get(contact__email_hash=address_hash("gone@example.test")), by=ada)
    for path in (late, gone):
        assert Client().get(path).status_code == 410
        assert Client().post(path).status_code == 410
    assert not Participant.objects.exclude(stage="invited").exists()


@pytest.mark.django_db
def test_pages_preview_first_and_send_only_when_confirmed(cohort, study, ada, client):
    client.force_login(ada)
    base = f"/studies/{study.code}/cohorts/north/"
    where = client.post(base + "invite/", {"addresses": "rene@example.test\nnonsense"}).url
    page = client.get(where).content.decode()
    assert "“nonsense” is not an e-mail address" in page
    assert "Send 1 invitation" in page
    assert not Invitation.objects.exists()
    assert not Participant.objects.exists()
    assert client.post(where + "send/").status_code == 302
    assert client.post(where + "send/").status_code == 302
    assert Invitation.objects.count() == 1
    assert Import.objects.get().rows is None
    assert "rene" not in str(list(AuditRow.objects.values()))
    assert "rene" not in str(list(Job.objects.values()))
    assert "rene@example.test" not in client.get(base).content.decode()
    assert "rene@example.test" in client.get(f"/studies/{study.code}/people/?addresses=1").content.decode()
    code = Participant.objects.get().code
    assert "rene@example.test" in client.get(f"/studies/{study.code}/people/{code}/").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.VIEWER])
def test_researchers_never_see_contacts(cohort, study, cleo, client, invite, role):
    """P-40: addresses are behind pages only owners and coordinators open."""
    from study.accounts.flows import add_member

    invite("rene@example.test")
    code = Participant.objects.get().code
    add_member(study, cleo, role, by=None)
    client.force_login(cleo)
    for page in ("cohorts/", "cohorts/new/", "cohorts/north/", "cohorts/north/invite/", f"people/{code}/"):
        assert client.get(f"/studies/{study.code}/{page}").status_code == 403
    overview = client.get(f"/studies/{study.code}/").content.decode()
    assert "Panel North" in overview
    assert "rene@example.test" not in overview


@pytest.mark.django_db
def test_a_stranger_finds_no_cohort(cohort, study, cleo, client, invite):
    """P-39: to Cleo this study is like one that does not exist."""
    invite("rene@example.test")
    code = Participant.objects.get().code
    client.force_login(cleo)
    for page in ("", "cohorts/", "cohorts/new/", "cohorts/north/", "cohorts/north/change/", f"people/{code}/"):
        real, made_up = client.get(f"/studies/{study.code}/{page}"), client.get(f"/studies/nowhere/{page}")
        assert (real.status_code, made_up.status_code) == (404, 404)
        assert real.content == made_up.content
    for page in ("open/", "pause/", "close/", "invite/"):
        path = f"/studies/{study.code}/cohorts/north/{page}"
        assert client.post(path, {"addresses": "x@example.test"}).status_code == 404
    assert client.post(f"/studies/{study.code}/people/{code}/revoke/").status_code == 404
    cohort.refresh_from_db()
    assert cohort.state == "open"


@pytest.mark.django_db
def test_a_participant_of_another_study_is_not_found_in_mine(cohort, study, ada, client, invite):
    from study.accounts.flows import create_study

    invite("rene@example.test")
    create_study(code="autumn", name="Autumn", owner=ada)
    client.force_login(ada)
    assert client.get(f"/studies/autumn/people/{Participant.objects.get().code}/").status_code == 404
    assert client.get("/studies/autumn/cohorts/north/").status_code == 404


@pytest.mark.django_db
def test_a_letter_that_failed_can_be_sent_again_by_hand(cohort, study, ada, client, invite):
    """P-37: the coordinator sees it and has it tried once more; one that went out is not repeated."""
    invite("rene@example.test")
    one = Participant.objects.get()
    page = f"/studies/{study.code}/people/{one.code}/"
    client.force_login(ada)
    client.post(page + "resend/")
    Letter.objects.update(state="failed", error="SMTPRecipientsRefused 550", attempts=1)
    assert "not sent (SMTPRecipientsRefused 550)" in client.get(page).content.decode()
    assert "Send the link once more" in client.get(page).content.decode()
    client.post(page + "resend/")
    assert send() == {"sent": 1}
    client.post(page + "resend/")
    assert send() == {}
    assert len(mail.outbox) == 1


@pytest.mark.django_db
def test_no_link_reaches_the_log(invite, ben, caplog):
    """P-41: refusals are logged by their path, and the path would be the key."""
    from study.people.models import Invitation

    (path,) = invite("rene@example.test")
    token = path.split("/")[2]
    client = Client()
    client.force_login(ben)
    assert client.post(path).status_code == 409
    Invitation.objects.update(revoked_at=timezone.now())
    assert client.get(path).status_code == 410
    assert client.get(path + "nothing/").status_code == 404
    assert "/i/…" in caplog.text
    assert token not in caplog.text


@pytest.mark.django_db
def test_the_board_asks_the_database_no_more_for_more_people(cohort, study, ada, client):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.force_login(ada)

    def queries(page):
        with CaptureQueriesContext(connection) as seen:
            assert client.get(f"/studies/{study.code}/{page}").status_code == 200
        return len(seen)

    pages = ("", "cohorts/", "cohorts/north/")
    invite_people(cohort, "a0@example.test", by=None)
    for page in pages:
        queries(page)  # what is looked up once is kept
    before = [queries(page) for page in pages]
    invite_people(cohort, "\n".join(f"a{n}@example.test" for n in range(1, 30)), by=None)
    assert [queries(page) for page in pages] == before


@pytest.mark.parametrize("code", ["two words", "x" * 41, "", "north", "new"])
def test_a_cohort_code_is_refused_not_cut(study, cohort, code):
    """A code that was cut short would point to another cohort than the one on paper."""
    from django.core.exceptions import ValidationError

    from study.people.sample.cohorts import create_cohort

    with pytest.raises(ValidationError):
        create_cohort(study, code=code, name="North", arm="main", target=5, by=None)


def test_a_cohort_needs_an_arm_of_the_protocol(study, frozen):
    from django.core.exceptions import ValidationError

    from study.people.sample.cohorts import create_cohort

    with pytest.raises(ValidationError, match="no arm “nope”"):
        create_cohort(study, code="south", name="South", arm="nope", target=5, by=None)


def test_a_refused_entry_is_shown_short():
    [row] = check(from_text("x" * 40_000), Known())
    assert len(row["problem"]) < 130
