"""Letters: a study's own words, HTML beside plain text, sending that survives refusals, and their pages."""

from __future__ import annotations

import re
import smtplib
from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.test import Client
from django.utils import timezone

from study.accounts.flows import add_member
from study.accounts.jobs import Running
from study.accounts.models import AuditRow, Job, Role
from study.people import needs_me
from study.people.mail import letters, unsubscribing
from study.people.mail.letter_failures import Trouble, failure
from study.people.mail.letter_html import letter_html
from study.people.mail.letter_kinds import kind_of, worded_kinds
from study.people.mail.letter_words import built_in, filled, problems
from study.people.models import Contact, Letter, LetterTemplate, Suppression
from tests.people.people import invited, many_invited


def send() -> dict[str, int]:
    return letters.send_letters(Running(Job(kind="send_letters")))


class Strict(BaseEmailBackend):
    """A server that knows no number 57 and asks for patience from number 100 on."""

    taken: list[str] = []
    patient = True
    tried: list[int] = []

    def send_messages(self, email_messages):
        for message in email_messages:
            number = int(re.sub(r"\D", "", message.to[0].partition("@")[0]))
            Strict.tried.append(number)
            if number == 57:
                raise smtplib.SMTPRecipientsRefused(
                    {message.to[0]: (550, b"5.1.1 no such user " + message.to[0].encode())}
                )
            if number >= 100 and Strict.patient:
                raise smtplib.SMTPRecipientsRefused({message.to[0]: (451, b"4.7.0 try later")})
            Strict.taken.append(message.to[0])
        return len(email_messages)


@pytest.mark.django_db
def test_one_refusal_never_ends_the_batch_and_only_the_unsent_are_tried_again(cohort, study, settings) -> None:
    """P-37: 112 invitations; 57 is refused for good, from 100 on "try later"."""
    settings.EMAIL_BACKEND = f"{__name__}.Strict"
    Strict.taken, Strict.tried, Strict.patient = [], [], True
    many_invited(cohort, 112)
    assert send() == {"sent": 98, "failed": 1, "due": 13}
    assert send() == {}
    waits, number = [], Letter.objects.get(participant__contact__email_hash=hash_of("n105@example.test")).pk
    for _try in range(3):
        row = Letter.objects.get(pk=number)
        waits.append(row.due_at - timezone.now())
        Letter.objects.filter(pk=number).update(due_at=timezone.now() - timedelta(seconds=1))
        assert send() == {"due": 1}
    assert [round(wait / timedelta(minutes=5)) for wait in waits] == [1, 2, 4]
    Strict.patient = False
    Letter.objects.filter(state="due").update(due_at=timezone.now() - timedelta(seconds=1))
    assert send() == {"sent": 13}
    # Everybody but 57 once; nobody twice; 57 was asked for once and never again.
    assert len(Strict.taken) == len(set(Strict.taken)) == 111
    assert Strict.tried.count(57) == 1
    failed = Letter.objects.get(state="failed")
    assert failed.error == "SMTPRecipientsRefused 550"
    assert "@" not in "".join(Letter.objects.values_list("error", flat=True))
    one = failed.participant
    assert one.contact.bounced_at
    assert Suppression.objects.get().reason == "bounced"
    assert [need.code for need in needs_me.needs(study) if need.kind == "bounced"] == [one.code]
    letters.put(one, "to_computer")
    assert send() == {"dropped": 1}


def hash_of(address: str) -> str:
    from study.accounts.encrypted import address_hash

    return address_hash(address)


@pytest.mark.django_db
def test_a_server_that_is_away_uses_up_no_tries(cohort, monkeypatch) -> None:
    """P-37: three letters show that nobody answers; the others are left, and all go when it is back."""
    asked = []

    def away(self):
        asked.append(1)
        raise ConnectionRefusedError

    people = [invited(cohort, f"n{n}@example.test") for n in range(6)]
    with monkeypatch.context() as down:
        down.setattr("django.core.mail.backends.locmem.EmailBackend.open", away)
        for _ in range(letters.MOST_ATTEMPTS + 1):
            assert send() == {"away": 3}
            Letter.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    assert len(asked) == 3 * (letters.MOST_ATTEMPTS + 1)
    assert set(Letter.objects.values_list("state", "attempts")) == {("due", 0)}
    assert send() == {"sent": 6}
    row = people[0].letters.get()
    assert row.message_id == mail.outbox[0].extra_headers["Message-ID"]
    assert "@example.test>" in row.message_id


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (smtplib.SMTPRecipientsRefused({"a": (550, b"5.1.1 unknown")}), Trouble.DEAD),
        (smtplib.SMTPRecipientsRefused({"a": (550, b"no")}), Trouble.DEAD),
        (smtplib.SMTPRecipientsRefused({"a": (550, b"5.7.1 we do not like you")}), Trouble.REFUSED),
        (smtplib.SMTPRecipientsRefused({"a": (552, b"5.2.2 mailbox full")}), Trouble.LATER),
        (smtplib.SMTPRecipientsRefused({"a": (450, b"4.2.0 grey")}), Trouble.LATER),
        (smtplib.SMTPDataError(554, b"5.7.1 looks like spam"), Trouble.REFUSED),
        (smtplib.SMTPDataError(421, b"too many"), Trouble.LATER),
        (smtplib.SMTPServerDisconnected("gone"), Trouble.LATER),
        (smtplib.SMTPAuthenticationError(535, b"5.7.8 who are you"), Trouble.AWAY),
        (TimeoutError(), Trouble.AWAY),
        (ValueError("a header with a line end"), Trouble.REFUSED),
    ],
)
def test_only_a_dead_address_is_called_dead(error, trouble) -> None:
    """P-37: a full mailbox, a filter and our own server set up wrong say nothing about an address."""
    assert failure(error).trouble is trouble


@pytest.mark.django_db
def test_plain_text_and_html_say_the_same(cohort) -> None:
    """Both go out, escaped, with the language, the answer address, and no line end in the subject."""
    one = invited(cohort, "rene@example.test")
    LetterTemplate.objects.create(
        study=cohort.study, kind="invitation", language="en", subject="Ask <b>{team}</b>",
        text="Dear you,\n\n- one & two\n- {minutes}\n\nLook:\n{link}\n\nVisits: {visits}\nMail {contact}",
    )  # fmt: skip
    assert send() == {"sent": 1}
    letter = mail.outbox[0]
    html, kind = letter.alternatives[0]
    link = next(word for word in letter.body.split() if "/i/" in word)
    assert kind == "text/html"
    assert html.startswith('<!DOCTYPE html>\n<html lang="en" dir="ltr">')
    assert "<li>one &amp; two</li>" in html
    assert "<b>" not in html.partition("<body")[2]
    assert "Visits" not in letter.body
    assert html.count(f'href="{link}"') == 2
    assert ">Look at the invitation</a>" in html
    assert f'href="mailto:{cohort.contact_email}"' in html
    assert letter.reply_to == [cohort.contact_email]
    assert "\n" not in letter.subject
    assert "color-scheme" in html
    raw = letter.message().as_string()
    assert raw.count("multipart/alternative") == 1
    assert f"X-Realia-Participant: {one.code}" in raw
    assert 'dir="rtl"' in letter_html("s", "نص", language="ar")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("subject", "text", "said"),
    [
        ("", "{link}", "subject is empty"),
        ("a\nb", "{link}", "more than one line"),
        ("a" * 151, "{link}", "longer than 150"),
        ("a", "", "text is empty"),
        ("a", "{link}" + "a" * 6000, "longer than 6000"),
        ("a", "come", "{link} is missing"),
        ("a", "{link} {lnik}", "“{lnik}” is not filled in here"),
        ("a {link}", "{link}", "cannot be pressed"),
        ("a", "{link} { title }", "brace stands alone"),
        ("a", "{link} <a href=x>", "read as typed"),
        ("a", "{link} made by AI", "“AI” may not be read"),
        ("Spring realism study", "{link}", "private name of the study"),
    ],
)
def test_words_that_may_not_be_sent_are_refused_with_the_reason(cohort, study, subject, text, said) -> None:
    """M7 and the rest: nothing is stored, and what was typed comes back."""
    found = problems(worded_kinds()["invitation"], subject, text, study)
    assert [one for one in found if said in one], found


@pytest.mark.django_db
def test_every_built_in_letter_passes_its_own_checks_in_every_language(study, frozen) -> None:
    """M7: no built-in word gives anything away, every place is known, in English and right to left."""
    for name, words in worded_kinds().items():
        for language in ("en", "ar"):
            written = built_in(words, language)
            assert problems(words, written.subject, written.text, study) == [], name
            values = {place.name: f"<{place.name}>" for place in words.known}
            assert "{" not in filled(written, values).text
    kinds = {"invitation", "reminder_invited", "reminder_joined", "reminder_quiet", "second_visit", "to_computer"}
    assert kinds <= set(worded_kinds())
    assert all(kind_of(name).unasked for name in kinds - {"second_visit", "to_computer"})


@pytest.mark.django_db
def test_a_coordinator_writes_looks_tests_and_goes_back(cohort, study, ada, client) -> None:
    client.force_login(ada)
    base = f"/studies/{study.code}/letters/"
    page = f"{base}invitation/en/"
    assert "built-in words" in client.get(base).content.decode()
    typed = {"subject": "Come: {title}", "text": "Hello {team}.\n\n{link}"}
    looked = client.post(page + "preview/", typed)
    assert "Come: An hour in a CRM" in looked.content.decode()
    assert not LetterTemplate.objects.exists()
    drawn = client.get(page + "drawn/")
    assert "Hello " in drawn.content.decode()
    assert "/i/3kQ0vYtR8mWcX1/" in drawn.content.decode()
    assert "style-src 'unsafe-inline'" in drawn.headers["Content-Security-Policy"]
    assert "unsafe-inline" not in looked.headers["Content-Security-Policy"]
    client.post(page + "test/", typed | {"to": "somebody@example.test"})
    assert [one.to for one in mail.outbox] == [[ada.email]]
    assert mail.outbox[0].subject.startswith("[Test] Come:")
    refused = client.post(page, typed | {"text": "no way in"})
    assert refused.status_code == 422
    assert "no way in" in refused.content.decode()
    assert client.post(page, typed).status_code == 302
    assert "own words" in client.get(base).content.decode()
    assert client.post(page + "built-in/").status_code == 302
    assert not LetterTemplate.objects.exists()
    assert client.get(base + "nothing/en/").status_code == client.get(base + "invitation/xx/").status_code == 404
    acts = set(AuditRow.objects.filter(act__startswith="letter.").values_list("act", flat=True))
    assert acts == {"letter.words", "letter.tested", "letter.words_built_in"}


@pytest.mark.django_db
def test_the_log_shows_states_and_addresses_only_when_asked(cohort, study, ada, cleo, client) -> None:
    """P-40: whoever sees addresses is written down; a researcher sees neither page nor address."""
    rows = [invited(cohort, f"n{n}@example.test") for n in range(3)]
    Letter.objects.filter(participant=rows[0]).update(state="sent", sent_at=timezone.now())
    Letter.objects.filter(participant=rows[1]).update(error="SMTPRecipientsRefused 451", attempts=2)
    client.force_login(ada)
    page = f"/studies/{study.code}/letters/log/"
    told = client.get(page).content.decode()
    assert "1 sent" in told
    assert "put off by the server" in told
    assert "example.test" not in told
    assert not AuditRow.objects.filter(act="contacts.viewed").exists()
    told = client.get(page, {"state": "deferred", "addresses": "1"}).content.decode()
    assert "n1@example.test" in told
    assert "n0@example.test" not in told
    assert AuditRow.objects.get(act="contacts.viewed").detail["people"] == 1
    assert "No such letter" in client.get(page, {"state": "failed"}).content.decode()
    add_member(study, cleo, Role.RESEARCHER, by=None)
    other = Client()
    other.force_login(cleo)
    assert other.get(page).status_code == 403
    person = f"/studies/{study.code}/people/{rows[2].code}/"
    client.post(person + "bounced/")
    assert Letter.objects.get(participant=rows[2]).state == "dropped"
    assert Suppression.objects.count() == 1
    client.post(person + "address-works/")
    assert not Suppression.objects.exists()
    assert Contact.objects.get(participant=rows[2]).bounced_at is None


@pytest.mark.django_db
def test_a_scanner_unsubscribes_nobody_and_one_click_needs_no_page(cohort) -> None:
    """P-01: GET and HEAD change nothing. RFC 8058: one POST without cookies does. P-02: no address in the link."""
    one = invited(cohort, "nadia.k+study2@example.test")
    send()
    header = mail.outbox[0].extra_headers
    link = header["List-Unsubscribe"].strip("<>")
    assert header["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert link in mail.outbox[0].body
    assert "nadia" not in link
    assert "example.test" not in link
    assert "%40" not in link
    strict = Client(enforce_csrf_checks=True)
    for _ in range(2):
        assert strict.head(link).status_code == strict.get(link).status_code == 200
    assert Contact.objects.get().unsubscribed_at is None
    assert not Suppression.objects.exists()
    for _ in range(2):
        said = strict.post(link, {"List-Unsubscribe": "One-Click"})
    assert said.status_code == 200
    assert "invitation stays valid" in said.content.decode()
    assert strict.post(link + "undo/").status_code == 403
    one = type(one).objects.get()
    assert unsubscribing.why_silent(one, unasked=True)
    assert not unsubscribing.why_silent(one, unasked=False)
    invitation = next(word for word in mail.outbox[0].body.split() if "/i/" in word)
    assert Client().get(invitation).status_code == 200
    # Invited once more under the same address: still nobody writes. Undone on the page: letters come again.
    letters.put(one, "invitation", wave=2)
    assert send() == {"dropped": 1}
    Client().post(link + "undo/")
    letters.put(one, "invitation", wave=3)
    assert send() == {"sent": 1}
    assert Client().get("/u/7KQ4-made-up/").status_code == Client().post(link[:-2] + "z/").status_code == 404
    # Erasing takes the contact away; what the address asked for holds, by its hash alone.
    unsubscribing.unsubscribe(one)
    Contact.objects.all().delete()
    assert Suppression.objects.get().email_hash == hash_of("nadia.k+study2@example.test")
    assert "no address of yours" in Client().get(link).content.decode()
