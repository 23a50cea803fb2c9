"""P-43: who is erased is gone from every table, file and log, and the counts stay honest."""

from __future__ import annotations

import logging
import zipfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.utils import timezone

from study.accounts import erasing, erasing_acts
from study.accounts.encrypted import address_hash
from study.accounts.erasing_traces import mail_folder
from study.accounts.jobs import run, tick
from study.accounts.models import Erasure, Job
from study.people.ways.tokens import make_token
from tests.people.erasing_hour import ADDRESS, AGENT, MARK, database_file, in_files, in_tables, leave_everything


@pytest.fixture
def real_places(settings):
    """Letters as files and the cache in the database, as an installation has them."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(Path(django_settings.REALIA_VAR) / "mail")
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "shared_cache"}
    }


@pytest.mark.django_db(transaction=True)
def test_p42_p43_a_mark_in_every_text_is_gone_from_tables_files_and_logs(real_places, study, ada, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    left = leave_everything(study, ada)
    one, code = left.hour.participant, left.hour.code
    before = in_tables(), in_files()
    assert {"people.Contact", "people.Import", "people.Screening", "fieldwork.Rationale", "fieldwork.Save",
            "fieldwork.Attempt", "fieldwork.Note", "fieldwork.HelpRequest", "fieldwork.ClosingAnswer",
            "sandbox.TraceEvent", "sandbox.SavedView", "accounts.User", "accounts.Job"} <= set(before[0])  # fmt: skip
    assert {left.export.name} | database_file() <= set(before[1])
    assert any(name.endswith(".log") for name in before[1]), "the letters were written to files"
    counts = one.visits.count(), left.hour.visit.ratings.count(), left.hour.visit.attempts.count()

    _p42_the_bundle_says_nobody(left)
    with monkeypatch.context() as faulty:
        _with_faults(study, code, ada, faulty)
    erasing_acts.confirm(study, code, "everything", by=ada)

    row = Erasure.objects.get()
    assert (row.state, row.report["file"]["file"], row.report["runs"][-1]["left"]) == ("done", "clean", {})
    assert (in_tables(), in_files()) == ({}, {})
    assert MARK not in caplog.text.lower()
    one.refresh_from_db()
    assert (one.stage, one.end, one.user, bool(one.erased_at)) == ("done", "complete", None, True)
    visit = left.hour.visit
    assert (one.visits.count(), visit.ratings.count(), visit.attempts.count()) == counts
    assert study.text_masks.count() == 0
    assert (left.export.exists(), bool(study.exports.get().removed_at)) == (False, True)
    call_command("assignment_replay", study.code)

    erasing_acts.confirm(study, code, "everything", by=ada)
    row.refresh_from_db()
    assert (row.state, row.report["runs"][-1]["removed"]) == ("done", {})
    _nothing_is_sent_later(one)


def _p42_the_bundle_says_nobody(left) -> None:
    """P-42: no address, browser, panel id, token, telephone or name in any file of the bundle, nor a number of ours."""
    archive = zipfile.ZipFile(left.export)
    text = "\n".join([*archive.namelist(), *(archive.read(name).decode() for name in archive.namelist())]).lower()
    one = left.hour.participant
    token = make_token(one, one.invitation.created_at).lower()
    for secret in (ADDRESS, AGENT.lower(), "127.0.0.1", f"panel-{MARK}", f"robin {MARK}", f"+47 {MARK}", token):
        assert secret not in text
    heads = {cell for name in archive.namelist() if name.endswith(".csv")
             for cell in archive.read(name).decode().splitlines()[0].split(",")}  # fmt: skip
    assert heads & {"pk", "user", "user_id", "participant_id", "visit_id", "desk", "ip", "email"} == set()
    assert left.hour.attempt(1).desk.code.lower() not in text


def _with_faults(study, code, ada, monkeypatch) -> None:
    """A run that dies goes on where it was: by what to look for letters is still known. And the proof can fail: an
    eraser that is missing is found by the dump, in the table and in the file."""
    monkeypatch.delitem(erasing._erasers, "answers")
    with monkeypatch.context() as broken:
        broken.setitem(erasing._erasers, "mail files", replace(erasing._erasers["mail files"], erase=_dies))
        job = erasing_acts.confirm(study, code, "everything", by=ada)
    assert (Job.objects.get(pk=job.pk).state, Erasure.objects.get().state) == ("failed", "failed")
    assert "people.Contact" in in_tables()
    erasing_acts.confirm(study, code, "everything", by=ada)
    assert {"fieldwork.Rationale", "sandbox.TraceEvent"} <= set(in_tables())
    assert set(in_files()) == database_file()


def _dies(study, code):
    raise RuntimeError("the worker was stopped")


def _nothing_is_sent_later(one) -> None:
    letters = one.letters.all()
    assert set(letters.values_list("state", flat=True)) <= {"sent", "dropped"}
    before = sorted(mail_folder().glob("*"))
    letters.update(due_at=timezone.now() - timedelta(hours=1))
    tick()
    assert sorted(mail_folder().glob("*")) == before
    assert one.study.suppressions.filter(email_hash=address_hash(ADDRESS), reason="erased").exists()


def erase_now(study, code, ada) -> None:
    run(erasing_acts.confirm(study, code, "identity", by=ada).pk)


@pytest.mark.django_db
class TestIdentity:
    """Who it was goes; what they answered stays, as they agreed."""

    def test_ratings_stay_and_the_person_goes(self, hour, study, ada):
        hour.orient()
        hour.open_question()
        hour.post("work/1/note/", {"note": "Dates repeat."})
        hour.save("scratch/1", "mine alone")
        erase_now(study, hour.code, ada)
        one, user = hour.participant, type(ada).objects.get(name="")
        assert (one.end, one.end_reason, one.user) == ("withdrawn", "erased", None)
        assert (user.email, user.is_active, user.emailaddress_set.count()) == (None, False, 0)
        assert (hour.visit.notes.count(), hour.attempt(1).scratch) == (1, "")
        assert {place.state for place in hour.visit.places.all()} == {"released"}
        assert hour.get("orientation/").status_code in (302, 404), "nobody is signed in as them any more"
        call_command("assignment_replay", study.code)

    def test_an_account_that_another_study_needs_keeps_it(self, hour, study, ada, ben):
        from study.accounts.flows import create_study
        from study.people.flows import new_participant
        from study.people.sample.cohorts import create_cohort
        from tests.people.walk import freeze

        second = create_study(code="autumn", name="Autumn", owner=ada)
        freeze(second)
        elsewhere = create_cohort(
            second, code="a", name="A", arm="main", target=5, contact_email="n@example.test", by=None
        )
        other = new_participant(elsewhere, user=ben, stage="joined")
        hour.orient()
        hour.open_question()
        found = {one.name: one for one in erasing.preview(study, hour.code, "identity")}
        assert "another study" in found["account"].note
        erase_now(study, hour.code, ada)
        ben.refresh_from_db()
        other.refresh_from_db()
        assert (ben.email, other.user, hour.participant.user) == ("ben@example.test", ben, None)
        assert hour.attempt(1).desk.user is None, "nothing of this study names the account"
        assert second.suppressions.count() == 0

    def test_who_never_came_is_erased_as_well(self, invite, study, ada):
        from study.people.models import Contact, Participant

        (_path,) = invite("noor@example.test")
        one = Participant.objects.get(study=study)
        erase_now(study, one.code, ada)
        one.refresh_from_db()
        assert (one.stage, one.end, Contact.objects.count()) == ("invited", "lapsed", 0)
        assert one.invitation.revoked_at
