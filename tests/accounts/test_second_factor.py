"""Second factors, sessions and fresh proofs of staff; of participants nothing of the kind is asked or kept."""

from __future__ import annotations

import re
import time
from datetime import timedelta

import pytest
from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY as RECORDS
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, hotp_value, yield_hotp_counters_from_time
from django.conf import settings as django_settings
from django.contrib.sessions.models import Session
from django.core import mail
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from study.accounts import second_factor, staff_sessions
from study.accounts.adapter import user_with_address
from study.accounts.audit_seals import seal_job
from study.accounts.encrypted import opened
from study.accounts.flows import add_member, make_signin_link
from study.accounts.models import AuditRow, StaffSession, Study

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"
SECRET = "JBSWY3DPEHPK3PXP"
AGENT = {"HTTP_USER_AGENT": "Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/140.0 marker-agent"}


def code_now(secret: str) -> str:
    return f"{hotp_value(secret, next(iter(yield_hotp_counters_from_time()))):06d}"


def by_mail(client: Client, address: str):
    """Sign in by the code that is sent; the answer to the code."""
    client.post("/account/login/code/", {"email": address})
    code = next(word for word in mail.outbox[-1].body.split() if len(word) >= 6 and word.isupper())
    return client.post("/account/login/code/confirm/", {"code": code})


def old(client: Client) -> None:
    """Half an hour passes in a session."""
    session = client.session
    session[RECORDS] = [one | {"at": time.time() - 1800} for one in session[RECORDS]]
    session.save()


@pytest.fixture
def strict(settings):
    settings.REALIA_REQUIRE_MFA = True
    settings.REALIA_PROOF_MINUTES = 10


def test_owners_and_coordinators_set_up_a_second_factor_before_any_study_page(strict, study, ada, client):
    """A6: the way from the printed link to the study, with a way out; researchers and viewers are not held up."""
    client.post(make_signin_link(ada.email))
    for path in ("/studies/spring/", "/studies/spring/staff/", "/studies/spring/monitor/"):
        assert client.get(path).headers["Location"] == f"/account/second-factor/?next={path}"
    page = client.get("/account/second-factor/").content.decode()
    assert "/account/logout/" in page
    assert "/account/2fa/totp/activate/" in page
    form = client.get("/account/2fa/totp/activate/")
    secret = form.context["form"].secret
    done = client.post("/account/2fa/totp/activate/", {"code": code_now(secret)})
    assert done.headers["Location"] == "/account/2fa/recovery-codes/"
    assert len(client.get("/account/2fa/recovery-codes/").context["unused_codes"]) == 10
    assert client.get("/studies/spring/").status_code == 200
    row = Authenticator.objects.get(type="totp")
    assert secret not in str(row.data)
    assert opened(row.data["secret"]) == secret
    assert second_factor.seal_again() == 2
    assert TOTP(Authenticator.objects.get(type="totp")).validate_code("000000") is False
    assert AuditRow.objects.filter(act="second_factor.added", detail={"kind": "totp"}).count() == 1
    for role, where in (("coordinator", 302), ("researcher", 200), ("viewer", 200)):
        user = add_member(study, user_with_address(f"{role}@example.test", verified=True), role, by=None).user
        other = Client()
        assert by_mail(other, user.email).status_code == 302
        assert other.get("/studies/spring/").status_code == where, role
        # The same person by the letter of another study, or by a key of their hour: nothing of the staff opens.
        letter = Client()
        letter.force_login(user, backend=BACKEND)
        assert letter.get("/studies/spring/").status_code == 302, role
        assert letter.get("/account/own/").status_code == 302, role


def test_a_mailbox_alone_does_not_open_an_account_with_a_second_factor(strict, study, ada, cohort, invite):
    """By code, by a participant's invitation or by a staff invitation: the factor is asked for once in the session."""
    TOTP.activate(ada, SECRET)
    client = Client()
    assert by_mail(client, ada.email).headers["Location"] == "/account/2fa/authenticate/"
    assert "_auth_user_id" not in client.session
    assert client.post("/account/2fa/authenticate/", {"code": "000000"}).status_code == 200
    assert client.post("/account/2fa/authenticate/", {"code": code_now(SECRET)}).status_code == 302
    assert client.get("/studies/spring/").status_code == 200
    # The same person takes part in another study: its letter opens their hour, not the owner's pages.
    hour = Client()
    hour.force_login(ada, backend=BACKEND)
    assert hour.get("/studies/spring/").headers["Location"].startswith("/account/prove/")
    assert hour.get("/account/prove/").headers["Location"].startswith("/account/2fa/reauthenticate/")
    # Nor does it lead round by a code, or to taking the factor away.
    assert hour.get("/account/reauthenticate/code/").headers["Location"].startswith("/account/2fa/reauthenticate/")
    assert hour.post("/account/2fa/totp/deactivate/").status_code == 302
    assert Authenticator.objects.filter(user=ada, type="totp").exists()
    # A lost phone: the operator's link counts for its session.
    printed = Client()
    printed.post(make_signin_link(ada.email))
    assert printed.get("/studies/spring/").status_code == 200


def test_a_dangerous_act_asks_again_and_loses_nothing(strict, settings, study, ada):
    """The posted act waits, encrypted, for one press after the proof; JSON and htmx get an answer of their kind."""
    settings.REALIA_REQUIRE_MFA = False
    client, path = Client(), "/studies/spring/unblind/now/"
    by_mail(client, ada.email)
    old(client)
    assert client.get("/studies/spring/").status_code == 200, "what is not dangerous goes on"
    asked = client.post(path, {"reason": "the rule is met at 20 <raters>"}, headers={"referer": "http://testserver/x/"})
    assert asked.headers["Location"] == "/account/prove/?next=/account/proved/"
    assert Study.objects.get().blind
    assert "raters" not in str(Session.objects.get(session_key=client.session.session_key).get_decoded())
    assert client.get("/account/proved/").headers["Location"].startswith("/account/prove/"), "no way round"
    way = client.get(asked.headers["Location"]).headers["Location"]
    assert way == "/account/reauthenticate/code/?next=/account/proved/"
    client.post("/account/reauthenticate/code/", {"recipient": ada.email, "next": "/account/proved/"}, follow=True)
    code = next(word for word in mail.outbox[-1].body.split() if len(word) >= 6 and word.isupper())
    back = client.post("/account/reauthenticate/code/confirm/", {"code": code, "next": "/account/proved/"})
    assert back.headers["Location"] == "/account/proved/"
    page = client.get("/account/proved/").content.decode()
    assert f'action="{path}"' in page
    assert "20 &lt;raters&gt;" in page
    assert 'href="/x/"' in page
    assert Study.objects.get().blind, "nothing is done before the press"
    client.post(path, {"reason": "the rule is met at 20 raters"})
    assert not Study.objects.get().blind
    assert "Nothing waits here" in client.get("/account/proved/").content.decode()
    old(client)
    assert client.post(path, headers={"accept": "application/json"}).status_code == 401
    swap = client.post(path, {"reason": "x"}, headers={"hx-request": "true"})
    assert (swap.status_code, swap.headers["HX-Redirect"]) == (204, "/account/prove/?next=/account/proved/")
    client.post(path, {"reason": "x" * 70_000})
    session = client.session
    session[RECORDS] = [one | {"at": time.time()} for one in session[RECORDS]]
    session.save()
    assert "send it once more" in client.get("/account/proved/").content.decode()


def test_strangers_are_refused_before_they_are_asked(strict, study, cleo):
    """P-39: a dangerous act looks to a stranger like one that does not exist."""
    client = Client()
    client.force_login(cleo, backend=BACKEND)
    real, made_up = (client.post(f"/studies/{code}/unblind/now/") for code in ("spring", "made-up"))
    assert (real.status_code, made_up.status_code) == (404, 404)
    viewer = add_member(study, cleo, "viewer", by=None)
    assert client.post("/studies/spring/unblind/now/").status_code == 403, viewer


def test_acts_that_must_be_dangerous_are():
    views = {p.name: p.callback for p in patterns(get_resolver().url_patterns)}
    must = (
        "unblind_now", "staff_invite", "staff_role", "staff_remove", "participant_erase_now", "payments_approve",
        "pay_batch_file", "pay_batch_paid", "participant_access_file", "study_archive", "release_make",
        "payments_batch", "payments_import", "privacy_limit", "panel_differences", "cohort_import_bad",
        "participant_take_out",
    )  # fmt: skip
    assert [name for name in must if not getattr(views[name], "dangerous", False)] == []


def patterns(entries):
    for entry in entries:
        yield from patterns(entry.url_patterns) if hasattr(entry, "url_patterns") else [entry]


def test_staff_see_and_end_their_sessions(study, ada, cleo):
    one, two = Client(**AGENT), Client()
    for client in (one, two):
        client.force_login(ada, backend=BACKEND)
        client.get("/studies/spring/")
    page = one.get("/account/own/").content.decode()
    assert page.count("Last seen") == 2
    assert "Firefox, Windows" in page
    assert "127.0.0.1" in page
    assert not any(row.session_key in page for row in StaffSession.objects.all())
    other = StaffSession.objects.exclude(session_key=one.session.session_key).get()
    stranger = Client()
    stranger.force_login(cleo, backend=BACKEND)
    assert stranger.get("/account/own/").status_code == 404
    add_member(study, cleo, "viewer", by=None)
    assert stranger.post(f"/account/sessions/{other.pk}/end/").status_code == 404
    assert one.post(f"/account/sessions/{other.pk}/end/").status_code == 302
    assert two.get("/studies/spring/").headers["Location"].startswith("/account/login/")
    StaffSession.objects.update(seen_at=timezone.now() - staff_sessions.KEPT - timedelta(minutes=1))
    seal_job(None)
    assert not StaffSession.objects.exists()
    one.post("/account/name/", {"name": "  Ada   L. "})
    ada.refresh_from_db()
    assert ada.name == "Ada L."


def test_no_address_or_browser_of_a_participant_is_stored(strict, study, cohort, invite):
    """DESIGN: not in a table, not in a session, whatever page of their account they open or post to."""
    where = {"REMOTE_ADDR": "203.0.113.77", **AGENT}
    client = Client(**where)
    (path,) = invite("ben@example.test")
    client.post(path)
    client.get("/hour/", follow=True)
    for page in (
        "/account/own/",
        "/account/email/",
        "/account/2fa/",
        "/account/2fa/totp/activate/",
        "/account/password/set/",
    ):
        client.get(page, follow=True)
        client.post(page, {"email": "other@example.test", "action_add": "1", "password1": "x"}, follow=True)
    kept = [str(session.get_decoded()) for session in Session.objects.all()]
    assert kept
    assert [text for text in kept if "203.0.113.77" in text or "marker-agent" in text] == []
    assert not StaffSession.objects.exists()
    assert "203.0.113.77" not in str(list(AuditRow.objects.values()))


def test_mfa_is_required_by_default_outside_the_demo():
    """The setting as a new process reads it."""
    import os
    import subprocess
    import sys

    say = "from study import settings; print(settings.REALIA_REQUIRE_MFA, settings.REALIA_PROOF_MINUTES)"
    env = {k: v for k, v in os.environ.items() if k not in ("REALIA_DEMO", "REALIA_REQUIRE_MFA")}
    env |= {"REALIA_VAR": str(django_settings.REALIA_VAR)}
    for demo, expected in (("0", "True 10"), ("1", "False 10")):
        out = subprocess.run(
            [sys.executable, "-c", say], env=env | {"REALIA_DEMO": demo}, capture_output=True, text=True
        )
        assert out.stdout.strip() == expected, out.stderr


def test_pages_of_signing_in_have_no_script_or_style_of_their_own(study, ada):
    """The content-security policy would drop them without a word."""
    client = Client()
    client.force_login(ada, backend=BACKEND)
    names = ("account_change_password", "account_set_password", "account_email", "mfa_index", "mfa_activate_totp",
             "mfa_add_webauthn", "socialaccount_connections", "own_account", "second_factor")  # fmt: skip
    pages = {name: client.get(reverse(name), follow=True).content.decode() for name in names}
    pages |= {
        name: Client().get(reverse(name)).content.decode() for name in ("account_login", "account_reset_password")
    }
    for name, page in pages.items():
        inline = re.findall(r"<script(?![^>]*(?:src=|application/json))[^>]*>|<style|\sstyle=|\son\w+=", page)
        assert inline == [], name
        assert 'class="title"' in page, name


def test_wrong_passwords_and_codes_lock_one_account_and_no_campus(study, settings):
    """P-57: the limit hits the attacked account; a neighbour behind the same address signs in."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    users = [user_with_address(f"{name}@locked.example.test", verified=True) for name in ("otto", "mira")]
    for user in users:
        user.set_password("a long one 77 hm")
        user.save()
    form = {"login": users[0].email, "password": "wrong wrong wrong"}
    for _ in range(10):
        Client().post("/account/login/", form)
    locked, neighbour = Client(), Client()
    locked.post("/account/login/", form | {"password": "a long one 77 hm"})
    neighbour.post("/account/login/", {"login": users[1].email, "password": "a long one 77 hm"})
    assert ("_auth_user_id" in locked.session, "_auth_user_id" in neighbour.session) == (False, True)
    TOTP.activate(users[1], SECRET)
    guess = Client()
    guess.post("/account/login/", {"login": users[1].email, "password": "a long one 77 hm"})
    for _ in range(11):
        guess.post("/account/2fa/authenticate/", {"code": "000000"})
    guess.post("/account/2fa/authenticate/", {"code": code_now(SECRET)})
    assert "_auth_user_id" not in guess.session


def test_links_in_letters_have_the_public_address(study, settings):
    """P-57: whatever name the request came by; a name that is not ours is refused."""
    settings.REALIA_URL = "https://realia.example.test"
    user = user_with_address("otto@example.test", verified=True)
    user.set_password("a long one 77 hm")
    user.save()
    Client(HTTP_HOST="localhost").post("/account/password/reset/", {"email": user.email})
    link = re.search(r"https?://\S+", mail.outbox[-1].body)[0]
    assert link.startswith("https://realia.example.test/account/password/reset/key/")
    page = Client().get(link.removeprefix("https://realia.example.test"), follow=True)
    assert b'name="password1"' in page.content
    assert Client(HTTP_HOST="evil.example.test").get("/account/login/").status_code == 400
