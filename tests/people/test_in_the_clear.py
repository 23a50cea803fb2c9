"""No contact, token or panel id stands in the clear: tables, sessions, cache, jobs, audit rows and logs."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client

from study.accounts.flows import make_signin_link
from study.people.models import Cohort, Contact, Invitation, Participant
from study.people.ways.panel_settings import set_panel
from study.people.ways.tokens import make_token
from tests.people.test_panels import press, settings_of

# The one contact that signing in must read; it counts as contact data and goes with an erasure.
SIGN_IN = {"accounts_user", "account_emailaddress"}


def tables_with(text: str) -> set[str]:
    """Tables whose raw rows hold the text, as a copy of the database would show them."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            if any(text.lower() in repr(row).lower() for row in cursor.fetchall()):
                found.add(table)
    # What anybody can unpack who has the table: sessions as Django writes them are signed, not encrypted.
    plain = [str(SessionStore().decode(row.session_data)) for row in Session.objects.all()]
    return found | ({"django_session"} if any(text.lower() in one.lower() for one in plain) else set())


@pytest.mark.django_db
def test_contacts_tokens_and_panel_ids_are_nowhere_in_the_clear(cohort, invite, study, ada, settings, caplog):
    caplog.set_level(logging.INFO)
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "shared_cache"}
    }
    secrets = _come_in(cohort, invite, study, ada)
    found = {name: tables_with(text) for name, text in secrets.items()}
    address = found.pop("address of somebody who joined")
    assert address <= SIGN_IN, "the address one signs in with stands there and nowhere else"
    assert {name: tables for name, tables in found.items() if tables} == {}
    assert {name for name, text in secrets.items() if text.lower() in caplog.text.lower()} == set()
    for path in Path(django_settings.REALIA_VAR).glob("*.log"):
        assert not any(text in path.read_text() for text in secrets.values()), path


def _come_in(cohort, invite, study, ada) -> dict[str, str]:
    """Everybody's way in once, up to where something secret is on its way: what each secret is."""
    joined, _waiting = invite("noor.joined@example.test", "sam.waiting@example.test")
    Client().post(joined)
    Client().post("/account/login/code/", {"email": "noor.joined@example.test"})
    one = Participant.objects.exclude(joined_at=None).get()
    Contact.objects.filter(participant=one).update(
        name="Noor Surname", phone="+47 555 0199", notes="likes tea of jasmine", panel_id="panel-of-noor"
    )
    invitation = Invitation.objects.get(participant=one)
    Cohort.objects.filter(pk=cohort.pk).update(open_link="opensesame")
    opened = Client()
    once = opened.get("/j/opensesame/").context["once"]
    key = opened.get(opened.post("/j/opensesame/", {"once": once}).url).context["key"]
    cohort.refresh_from_db()
    set_panel(cohort, settings_of(), by=None)
    press(Client(), "/p/opensesame/", "?id=PANELPERSON-7&session=s1")
    assert Contact.objects.exclude(panel_hash="").exists()
    link = make_signin_link("ada@example.test").split("/")[2]
    return {
        "address of somebody who joined": "noor.joined@example.test",
        "address of somebody who is invited": "sam.waiting@example.test",
        "name": "Noor Surname",
        "telephone": "555 0199",
        "notes": "tea of jasmine",
        "panel id": "PANELPERSON-7",
        "panel id of a contact": "panel-of-noor",
        "token": make_token(one, invitation.created_at),
        "resume key": key,
        "sign-in link": link,
    }
