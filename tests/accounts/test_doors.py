"""The study door, settings helpers, NUL bytes, and what a study's code may be."""

import pytest
from django.core.exceptions import ImproperlyConfigured, ValidationError

from study import environment as env
from study.accounts.flows import add_member, create_study, unblind
from study.accounts.models import AuditRow
from study.accounts.typed_text import first_seen, left_out, seen_length, visible_text

pytestmark = pytest.mark.django_db


def test_a_stranger_gets_the_same_answer_as_for_a_made_up_study(client, study, cleo):
    """P-39: not found, exactly as for a made-up identifier."""
    client.force_login(cleo)
    real, made_up = client.get(f"/studies/{study.code}/unblind/"), client.get("/studies/nothing/unblind/")
    assert (real.status_code, made_up.status_code) == (404, 404)
    assert real.content == made_up.content


def test_a_visitor_is_led_to_sign_in_and_back(client, study):
    answer = client.get(f"/studies/{study.code}/unblind/")
    assert answer.headers["Location"] == f"/account/login/?next=/studies/{study.code}/unblind/"


def test_a_role_that_is_not_enough_is_told_so(client, study, ben):
    add_member(study, ben, "coordinator", by=None)
    client.force_login(ben)
    assert client.get(f"/studies/{study.code}/unblind/").status_code == 403


def test_unblinding_needs_a_reason_happens_once_and_is_written_down(client, study, ada):
    client.force_login(ada)
    page = client.post(f"/studies/{study.code}/unblind/now/", {"reason": " "})
    assert page.status_code == 422
    study.refresh_from_db()
    assert study.blind
    assert unblind(study, by=ada, reason="The stopping rule is met.")
    assert not unblind(study, by=ada, reason="Again, for luck.")
    row = AuditRow.objects.get(act="study.unblinded")
    assert (row.actor, row.detail["reason"]) == (ada, "The stopping rule is met.")


@pytest.mark.parametrize("code", ["", "two words", "a/b", "x" * 41, "spring", "new"])
def test_a_bad_or_taken_code_is_refused_with_a_remedy(study, ada, code):
    with pytest.raises(ValidationError):
        create_study(code=code, name="", owner=ada)


def test_invisible_characters_never_reach_the_database(client):
    """P-15: NUL in an address or a form gives an answer, never a 500."""
    assert client.get("/studies/%00/").status_code == 404
    assert client.get("/account/login/?next=%00x").status_code == 200
    assert client.post("/account/login/code/", {"email": "a\x00b@example.test"}).status_code in {200, 302}


def test_visible_text_keeps_what_the_eye_sees():
    """P-15, P-16: control characters go, line ends become one kind, every emoji, mark and direction mark stays."""
    family = "👩‍👩‍👧‍👦"
    kept = f"d\te {family} e\u0301 \u202eمرحبا CRM.\u200f <b>"
    assert visible_text(f"a\x00b\x07\ufffe\r\n{kept}\x0bx\ry") == f"ab\n{kept}\nx\ny"
    assert (left_out("a\x00b\x07\ud83d\ufffe\r\n"), left_out(kept)) == (4, 0)
    assert visible_text("\ud83d") == ""


def test_lengths_are_counted_as_the_eye_counts():
    """P-16: a family is one character, so is a letter with its accent; a cut never goes through one."""
    family = "👩‍👩‍👧‍👦"
    for text, length in (
        (family, 1), ("e\u0301a", 2), ("🇩🇪🇫🇷", 2), ("👍🏽❤️‍🔥", 2), ("각", 1), ("نصّ CRM.", 7), ("", 0), ("\n\t", 2),
    ):  # fmt: skip
        assert seen_length(text) == length, text
    assert first_seen(f"ab{family}c", 3) == f"ab{family}"
    assert first_seen(f"ab{family}c", 9) == f"ab{family}c"


def test_settings_name_the_variable(monkeypatch, tmp_path):
    monkeypatch.setenv("REALIA_X", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="REALIA_X is 'perhaps'"):
        env.flag("REALIA_X")
    with pytest.raises(ImproperlyConfigured, match="REALIA_X"):
        env.number("REALIA_X", 3)
    with pytest.raises(ImproperlyConfigured, match="REALIA_NONE is not set"):
        env.text("REALIA_NONE")
    monkeypatch.setenv("REALIA_X", "mysql://host/db")
    with pytest.raises(ImproperlyConfigured, match="postgresql://"):
        env.database("REALIA_X", tmp_path / "x")
    monkeypatch.setenv("REALIA_X", "postgresql://me:p%40ss@db:5433/realia")
    assert env.database("REALIA_X", tmp_path / "x")["PASSWORD"] == "p@ss"


def test_every_page_has_the_strict_policy(client):
    policy = client.get("/").headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    for directive in ("default-src 'self'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"):
        assert directive in policy


def test_pages_of_signed_in_people_are_not_kept(client, study, ada):
    """Back after signing out shows nothing of the study."""
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    assert "no-store" in client.get("/studies/").headers["Cache-Control"]
    client.logout()
    assert "no-store" not in client.get("/").headers.get("Cache-Control", "")


def test_a_closed_door_is_one_line_in_the_log(client, study, ben, caplog):
    add_member(study, ben, "coordinator", by=None)
    client.force_login(ben)
    client.get(f"/studies/{study.code}/unblind/")
    [record] = [r for r in caplog.records if r.name == "django.request"]
    assert record.exc_info is None
