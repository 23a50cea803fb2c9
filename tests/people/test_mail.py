"""How mail leaves: settings that say what is missing, sign-in codes without a worker, files, reports of providers."""

from __future__ import annotations

import base64
import importlib
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from anymail.exceptions import AnymailAPIError, AnymailRecipientsRefused
from django.core import mail
from django.core.exceptions import ImproperlyConfigured, SuspiciousOperation
from django.core.mail import get_connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from study.accounts.jobs import Running
from study.accounts.models import Job
from study.mail_settings import PROVIDERS, mail_settings
from study.people.mail import letters, mail_reports, urls_letters
from study.people.mail.letter_failures import Trouble, failure
from study.people.mail.letter_files import files_of
from study.people.models import Letter, Suppression
from tests.people.people import invited


def test_what_is_missing_is_named_with_its_remedy(monkeypatch, tmp_path, settings) -> None:
    """Every provider can be set up from the environment alone, and none starts half set up."""
    for code, provider in PROVIDERS.items():
        monkeypatch.setenv("EMAIL_URL", f"anymail:{code}")
        with pytest.raises(ImproperlyConfigured, match=f"{code.upper()}_{provider.needed[0]}.*not set"):
            mail_settings(tmp_path)
        for name in provider.needed:
            monkeypatch.setenv(f"{code.upper()}_{name}", "made-up")
        found = mail_settings(tmp_path)
        assert found["MAIL_REPORTS"] == ""
        settings.ANYMAIL = found["ANYMAIL"]
        assert get_connection(found["EMAIL_BACKEND"])
    for wrong, said in (("pigeon", "Use file, console, smtp"), ("anymail:pigeon", "Known: brevo")):
        monkeypatch.setenv("EMAIL_URL", wrong)
        with pytest.raises(ImproperlyConfigured, match=said):
            mail_settings(tmp_path)
    monkeypatch.setenv("EMAIL_URL", "anymail:mailgun")
    monkeypatch.setenv("ANYMAIL_WEBHOOK_SECRET", "user:short")
    with pytest.raises(ImproperlyConfigured, match="16 characters"):
        mail_settings(tmp_path)
    monkeypatch.setenv("EMAIL_URL", "smtp")
    with pytest.raises(ImproperlyConfigured, match="EMAIL_HOST is not set"):
        mail_settings(tmp_path)


def test_what_providers_answer_is_told_apart() -> None:
    """P-37, over a provider: a refused address is dead, a wrong key is ours, too many is for later."""

    def answered(code: int) -> AnymailAPIError:
        return AnymailAPIError("no", status_code=code)

    found = [failure(answered(code)).trouble for code in (401, 429, 503, 400)]
    assert found == [Trouble.AWAY, Trouble.LATER, Trouble.LATER, Trouble.REFUSED]
    assert failure(AnymailRecipientsRefused()).trouble is Trouble.DEAD


@pytest.mark.django_db
def test_a_code_to_sign_in_is_sent_in_the_request(ben, settings, monkeypatch, caplog) -> None:
    """No worker, no broker: who asks for a code has it, and no job was made for it."""

    def no_worker(*args: object, **kwargs: object) -> None:
        raise AssertionError("a worker was asked")

    settings.CELERY_TASK_ALWAYS_EAGER = False
    monkeypatch.setattr("study.accounts.tasks.run_job.delay", no_worker)
    monkeypatch.setattr("study.accounts.jobs.enqueue", no_worker)
    answer = Client().post(reverse("account_request_login_code"), {"email": ben.email})
    assert answer.status_code == 302
    assert [one.to for one in mail.outbox] == [[ben.email]]
    assert not Job.objects.exists()
    assert not Letter.objects.exists()


@pytest.mark.django_db
def test_files_hold_one_letter_each_and_say_whose_it_is(cohort, settings, tmp_path) -> None:
    """P-43 needs them: everything that one person was sent is found by their code, and nothing else is."""
    settings.EMAIL_BACKEND = "study.people.mail.letter_files.EmailBackend"
    settings.EMAIL_FILE_PATH = tmp_path / "mail"
    ann, bob = invited(cohort, "ann@example.test"), invited(cohort, "bob@example.test")
    letters.send_letters(Running(Job(kind="send_letters")))
    mail.send_mail("A code", "123456", None, ["ann@example.test"])
    (mine,) = files_of(ann.code)
    (theirs,) = files_of(bob.code)
    assert "ann@example.test" in mine.read_text()
    assert f"X-Realia-Participant: {bob.code}" in theirs.read_text()
    assert [path.name.split("-")[3] for path in (tmp_path / "mail").glob("*-house-*")] == ["house"]


def report(letter: Letter, what: str, reason: str = "", answer: str = "") -> None:
    event = SimpleNamespace(message_id=letter.message_id, event_type=what, reject_reason=reason, mta_response=answer)
    event.timestamp = datetime(2026, 11, 3, 9, tzinfo=UTC)
    for _twice in range(2):
        mail_reports.take(event)
    letter.refresh_from_db()


@pytest.mark.django_db
def test_an_answer_of_absence_is_no_bounce(cohort) -> None:
    """P-37: only what says that the address is dead makes it dead; reports come twice and for letters of others."""
    people = [invited(cohort, f"n{n}@example.test") for n in range(5)]
    rows = [one.letters.get() for one in people]
    for n, row in enumerate(rows):
        Letter.objects.filter(pk=row.pk).update(state="sent", sent_at=timezone.now(), message_id=f"id-{n}")
        row.refresh_from_db()
    away, full, dead, spam, arrived = rows
    report(away, "autoresponded")
    report(full, "bounced", "bounced", "552 5.2.2 mailbox full")
    report(dead, "bounced", "bounced", "550 5.1.1 no such user")
    report(spam, "complained")
    report(arrived, "delivered")
    mail_reports.take(SimpleNamespace(message_id="stranger", event_type="bounced"))
    assert [row.state for row in rows] == ["sent", "bounced", "bounced", "sent", "sent"]
    assert arrived.detail["delivered"].startswith("2026-11-03")
    reasons = dict(Suppression.objects.values_list("email_hash", "reason"))
    assert reasons == {
        dead.participant.contact.email_hash: "bounced",
        spam.participant.contact.email_hash: "complained",
    }
    again = [letters.put(one, "invitation", wave=2) for one in people]
    letters.send_letters(Running(Job(kind="send_letters")))
    for row in again:
        row.refresh_from_db()
    assert [row.state for row in again] == ["sent", "sent", "dropped", "dropped", "sent"]


@pytest.mark.django_db
def test_the_providers_door_stands_only_with_its_secret(cohort, settings, rf, monkeypatch) -> None:
    """Without a secret there is no door; with one, a report without it changes nothing."""
    one = invited(cohort, "rene@example.test")
    Letter.objects.update(state="sent", message_id="made-up-id")
    assert "mail_reports" not in {entry.name for entry in urls_letters.urlpatterns}
    settings.MAIL_REPORTS = f"anymail.webhooks.{PROVIDERS['postmark'].reports}"
    settings.ANYMAIL = {"WEBHOOK_SECRET": "desk:a-long-password-1"}
    opened = importlib.reload(urls_letters).urlpatterns[-1]
    assert opened.name == "mail_reports"
    bounce = {"RecordType": "Bounce", "Type": "HardBounce", "TypeCode": 1, "MessageID": "made-up-id", "ID": 4}
    bounce |= {"Email": "rene@example.test", "BouncedAt": "2026-11-03T09:00:00Z", "Details": "5.1.1 unknown"}

    def posted(user: str) -> int:
        key = "Basic " + base64.b64encode(user.encode()).decode()
        request = rf.post("/mail-reports/", bounce, content_type="application/json", headers={"Authorization": key})
        try:
            return opened.callback(request).status_code
        except SuspiciousOperation:
            return 400

    assert posted("desk:guessed") == 400
    assert one.letters.get().state == "sent"
    assert posted("desk:a-long-password-1") == 200
    assert one.letters.get().state == "bounced"
    assert Suppression.objects.get().reason == "bounced"
    settings.MAIL_REPORTS = ""
    importlib.reload(urls_letters)
