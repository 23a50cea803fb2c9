"""The privacy page, erasing somebody from their page, and what is held about somebody as a file."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils.html import escape

from study.accounts import erasing
from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member, unblind
from study.accounts.jobs import run
from study.accounts.models import AuditRow, Erasure, Job, Role
from study.accounts.subject_access import tables
from study.people.models import Contact
from study.people.needs_me import needs

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user, backend=BACKEND)
    return client


@pytest.fixture
def coordinator(study, ada) -> Client:
    user = user_with_address("coordinator@example.test")
    add_member(study, user, Role.COORDINATOR, by=ada)
    return signed_in(user)


@pytest.fixture
def begun(hour):
    """Ben in his hour, with a contact and a note of his."""
    Contact.objects.create(participant=hour.participant, email="ben@example.test", name="Ben Okafor")
    hour.orient()
    hour.open_question()
    hour.post("work/1/note/", {"note": "Dates repeat."})
    return hour


def test_asked_for_by_the_person_seen_by_a_coordinator_carried_out_once(begun, study, coordinator, settings):
    settings.REALIA_PROOF_MINUTES = 0
    here = f"/studies/{study.code}/people/{begun.code}/erase/"
    begun.get("privacy/erase/")
    begun.post("privacy/erase/")
    begun.post("privacy/erase/")
    row = Erasure.objects.get()
    assert (row.state, row.requested_by, Contact.objects.count()) == ("asked", None, 1)
    assert [(one.code, one.url) for one in needs(study) if one.kind == "erasure"] == [(begun.code, here)]

    page = coordinator.get(f"{here}?scope=everything").content.decode()
    assert "They asked for it themselves" in page
    assert "Dates repeat." not in page
    assert coordinator.post(f"{here}now/", {"scope": "everything", "again": "P-NOT"}).status_code == 422
    assert Erasure.objects.get().state == "asked"
    first = coordinator.post(f"{here}now/", {"scope": "everything", "again": begun.code})
    assert coordinator.post(f"{here}now/", {"scope": "everything", "again": begun.code}).url == first.url
    job = Job.objects.get(kind="erase")
    run(job.pk)
    row.refresh_from_db()
    assert (row.state, row.requested_by.email, begun.visit.notes.count()) == ("done", "coordinator@example.test", 0)
    assert [one for one in needs(study) if one.kind == "erasure"] == []
    assert "Nothing is held" in coordinator.get(f"{here}?scope=everything").content.decode()
    acts = list(AuditRow.objects.filter(target=begun.code).values_list("act", flat=True))
    assert [act for act in acts if act.startswith("erasure")] == ["erasure.asked", "erasure.confirmed", "erasure.done"]


def test_erasing_needs_a_fresh_proof(begun, study, coordinator, settings):
    settings.REALIA_PROOF_MINUTES = 10
    answer = coordinator.post(f"/studies/{study.code}/people/{begun.code}/erase/now/", {"again": begun.code})
    assert (answer.status_code, Job.objects.filter(kind="erase").count()) == (302, 0)


def test_the_command_says_what_it_would_do(begun, study, capsys):
    call_command("erase", study.code, begun.code, "--dry-run")
    said = capsys.readouterr().out
    assert "contact: 1" in said
    assert Contact.objects.count() == 1
    call_command("erase", study.code, begun.code.lower(), "--everything")
    assert "0 left" in capsys.readouterr().out
    assert Contact.objects.count() == 0
    with pytest.raises(CommandError, match="There is no P-NONE"):
        call_command("erase", study.code, "P-NONE")


def told(answer) -> dict[str, list[dict]]:
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    (data,) = [json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".json")]
    (page,) = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".html")]
    assert all(escape(table["table"]) in page for table in data["tables"])
    assert all(table[key] for table in data["tables"] for key in ("purpose", "recipients", "kept"))
    return {table["table"]: table["rows"] for table in data["tables"]}


def test_what_is_held_is_told_to_each_as_far_as_they_may_see(begun, study, ada, coordinator, settings):
    """P-40: a coordinator hands over contacts, never answers; an owner both once the study is open; each is audited."""
    settings.REALIA_PROOF_MINUTES = 0
    here = f"/studies/{study.code}/people/{begun.code}/access/"
    assert coordinator.get(here).status_code == 200
    handed = told(coordinator.post(f"{here}file/"))
    assert handed["Contact"][0]["email"] == "ben@example.test"
    assert "Notes" not in handed
    assert "Notes" not in told(signed_in(ada).post(f"{here}file/")), "the study is blind"
    unblind(study, by=ada, reason="Everybody has finished.")
    assert told(signed_in(ada).post(f"{here}file/"))["Notes"][0]["text"] == "Dates repeat."
    assert AuditRow.objects.filter(act="subject_access.exported", target=begun.code).count() == 3

    own = told(begun.client.get(begun.url("data/zip/")))
    assert own["Notes"][0]["text"] == "Dates repeat."
    assert own["Contact"][0]["name"] == "Ben Okafor"
    assert {"arm", "object_order", "seed"} & set(own["Visits"][0]) == set(), "told at the end (M1, M7)"


def test_every_table_that_is_erased_is_told_as_well() -> None:
    erased = {column.rsplit(".", 1)[0] for one in erasing.erasers("everything") for column in one.columns}
    # Of the sign-in library and the sandbox, of staff alone, or names nobody by itself.
    elsewhere = {
        "account.EmailConfirmation", "accounts.SigninLink", "accounts.StaffSession", "accounts.Job",
        "mfa.Authenticator", "socialaccount.SocialAccount", "socialaccount.SocialToken", "sessions.Session",
        "people.Import", "sandbox.LongAddress", "results.StoredResult", "results.TextMask", "results.TextReview",
        "fieldwork.Incident", "protocols.Deviation",
    }  # fmt: skip
    assert erased - {one.label for one in tables()} <= elsewhere


def test_the_page_says_when_contacts_go(study, cohort, ada, coordinator):
    page = coordinator.get(f"/studies/{study.code}/privacy/").content.decode()
    assert "No day is set" in page
    wrong = coordinator.post(f"/studies/{study.code}/privacy/limit/", {"until": "2001-01-01"})
    assert (wrong.status_code, "is over" in wrong.content.decode()) == (422, True)
    assert coordinator.post(f"/studies/{study.code}/privacy/limit/", {"until": "2999-01-31"}).status_code == 302
    study.refresh_from_db()
    assert str(study.contacts_until) == "2999-01-31"
    assert "31 January 2999" in coordinator.get(f"/studies/{study.code}/privacy/").content.decode()
