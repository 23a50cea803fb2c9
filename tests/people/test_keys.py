"""Keys of contacts: rotated beside running work, dropped afterwards, and what happens when one is missing."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

pytestmark = pytest.mark.django_db
OLD, NEW = "old" * 12, "new" * 12


@pytest.fixture
def contact(cohort, settings):
    from study.people.flows import new_participant
    from study.people.models import Contact, PanelArrival

    settings.REALIA_KEYS = [OLD]
    one = new_participant(cohort)
    PanelArrival.objects.create(cohort=cohort, participant=one, parameters={"PROLIFIC_PID": "p-1"})
    return Contact.objects.create(participant=one, email="ben@example.test", name="Ben Okafor")


def test_after_rotating_the_old_key_can_go(contact, settings, capsys):
    from study.people.models import Contact, PanelArrival

    settings.REALIA_KEYS = [NEW, OLD]
    call_command("keys_rotate", "--dry-run")
    assert "3 values would be written" in capsys.readouterr().out
    call_command("keys_rotate")
    assert "people.Contact.email: 1 again, 0 newest, 0 lost" in capsys.readouterr().out
    settings.REALIA_KEYS = [NEW]
    assert Contact.objects.get().email == "ben@example.test"
    assert PanelArrival.objects.get().parameters == {"PROLIFIC_PID": "p-1"}
    call_command("keys_rotate")
    assert "0 values written" in capsys.readouterr().out


def test_what_is_saved_meanwhile_is_not_overwritten(contact, settings, monkeypatch):
    """A row is claimed by its old value: a change between reading and writing wins."""
    from study.accounts import rotating
    from study.people.models import Contact

    settings.REALIA_KEYS = [NEW, OLD]
    claim = rotating._claim

    def slow(column, key, stored, again):
        if column.label == "people.Contact.email":
            Contact.objects.update(email="ben@elsewhere.test")
        return claim(column, key, stored, again)

    monkeypatch.setattr(rotating, "_claim", slow)
    rotating.rotate()
    assert Contact.objects.get().email == "ben@elsewhere.test"


def test_a_damaged_row_is_named_and_breaks_no_page(contact, settings, study, ada, client):
    """The page says that it cannot be read; saving the row leaves what is stored as it is, hash included."""
    from study.people.models import Contact

    with connection.cursor() as cursor:
        cursor.execute("UPDATE people_contact SET email = 'gAAAAABdamaged'")
    with pytest.raises(CommandError, match=rf"people\.Contact\.email of row {contact.pk}"):
        call_command("keys_rotate")
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get(f"/studies/{study.code}/people/{contact.participant.code}/")
    assert (page.status_code, "cannot be read: key missing" in page.content.decode()) == (200, True)
    row = Contact.objects.get()
    row.notes = "seen"
    row.save()
    again = Contact.objects.get()
    assert (again.email_hash, again.email.stored) == (contact.email_hash, "gAAAAABdamaged")


def test_keys_are_checked_at_start(settings):
    from study.checks import keys_of_contacts

    settings.REALIA_KEYS, settings.REALIA_LOOKUP_KEY = [NEW], "look" * 9
    assert keys_of_contacts(None) == []
    settings.REALIA_KEYS = [settings.SECRET_KEY, "short"]
    (settings.REALIA_VAR / "contacts.key").touch()
    settings.HTTPS, settings.TESTING = True, False
    assert [one.id for one in keys_of_contacts(None)] == ["realia.E010", "realia.E011", "realia.W012"]
