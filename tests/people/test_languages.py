"""The hour in Arabic: chosen at the door, spoken on each page, in the dock and in letters, and nowhere else."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from django.test import Client
from django.utils import translation

from study.people.consenting.consent import consent_text, text_hash
from study.people.language import direction, spoken
from study.people.models import Participant
from study.people.pay.pay_money import Money
from study.people.pay.pay_rules import REASONS, set_rules
from study.people.protocol import file_of, protocol_of
from study.protocols.translations import texts_of
from tests.fieldwork import test_ways_say_nothing as ways
from tests.fieldwork.hour import Hour
from tests.fieldwork.leaks import Listening
from tests.people.walk import GOOD, TICKS, code_of, freeze
from tests.protocols.test_translations import arabic_protocol

ROOT = Path(__file__).parents[2]
# What is the same in every language.
SAME = {"UTC", "%(truncated_text)s…"}
PAGE = '<html lang="ar" dir="rtl">'


@pytest.fixture
def cohort(study):
    from study.assignment.flows import open_cohort
    from study.people.sample.cohorts import create_cohort
    from tests.fieldwork.hour import make_small_org

    make_small_org()
    freeze(study, arabic_protocol())
    row = create_cohort(
        study, code="north", name="Panel North", arm="main", target=10, contact_email="noor@example.test", by=None
    )
    open_cohort(row, by=None)
    return row


@pytest.fixture
def link(cohort) -> str:
    from study.people.ways.invitations import invite
    from study.people.ways.tokens import make_token

    one = invite(cohort, "ben@example.test", by=None)[0]
    return f"/i/{make_token(one, one.invitation.created_at)}/"


@pytest.fixture
def untranslated(monkeypatch) -> set[str]:
    """Collects each message of the interface that was asked for in Arabic and came back in English."""
    met: set[str] = set()

    def watched(name: str):
        real = getattr(translation._trans, name)

        def run(*given):
            said = real(*given)
            texts = [one for one in given if isinstance(one, str)]
            if translation.get_language() == "ar" and said in texts and re.search(r"[A-Za-z]{2}", said):
                met.add(str(said))
            return said

        return run

    for name in ("gettext", "ngettext", "pgettext", "npgettext"):
        monkeypatch.setattr(translation._trans, name, watched(name))
    return met


def consented(client: Client, link: str) -> Hour:
    """Ben, through the door in Arabic, screener and consent."""
    hour = Hour("", client)
    door = client.get(link + "?lang=ar")
    hour.bodies.append(door.content.decode())
    assert client.post(link, {"language": "ar"}).status_code == 302
    hour.code = code_of(client)
    hour.get("screener/")
    hour.post("screener/", {})
    hour.post("screener/", GOOD)
    sha = re.search(r'name="sha256" value="(\w+)"', hour.get("consent/").content.decode())
    hour.post("consent/", {"sha256": sha[1]})
    hour.post("consent/", {"sha256": sha[1], "statement": TICKS})
    return hour


def test_the_whole_hour_in_arabic(client, link, untranslated) -> None:
    hour = consented(client, link)
    for page in ("orientation/", "help/", "privacy/", "consent/copy/", "leave/"):
        hour.get(page)
    hour.orient()
    hour.get("work/")
    hour.work()
    hour.get("work/1/")
    hour.rate_all()
    hour.get("ratings/Case/")
    hour.get("lock/")
    hour.lock()
    for part in ("origin", "software", "hour", "use"):
        hour.get(f"closing/{part}/")
    hour.close()
    hour.get("debrief/")
    hour.finish()
    pages = [body for body in hour.bodies if "<html" in body]
    crm = [body for body in pages if "Northgate" in body]
    assert len(pages) > 30
    assert crm
    assert [body[:120] for body in pages if body not in crm and PAGE not in body[:200]] == []
    # The CRM keeps the language of its Org; the slip beside it speaks the participant's.
    assert all('<html lang="en">' in body and '<div class="dock-language" lang="ar" dir="rtl">' in body for body in crm)
    base = texts_of(file_of(protocol_of(hour.participant.cohort), ""))
    english = [text for text in base.values() if len(text) > 25 and any(text.split("\n")[0] in b for b in pages)]
    assert english == []
    assert any("نص work.intro" in body for body in pages)
    assert hour.visit.language == "ar"
    assert untranslated - SAME == set()


def test_ways_in_and_out_in_arabic(cohort, ada, untranslated, monkeypatch, mailoutbox) -> None:
    """Doors, slots, letters, codes and last pages; a walk that searches them for words of origin is walked again."""
    set_rules(cohort, dict.fromkeys(REASONS, Money(300, "EUR")), by=None)
    monkeypatch.setattr(ways, "Listening", partial(Listening, headers={"Accept-Language": "ar"}))
    heard = [one for client in (*ways.walk_panel(cohort), *ways.walk_moderated(cohort, ada)) for one in client.heard]
    # Where a key is typed nobody knows yet whose it is.
    pages = [one for one in heard if "<html" in one.text and "/zip/" not in one.address and "resume" not in one.address]
    assert len(pages) > 40
    assert [one.address for one in pages if PAGE not in one.text[:200]] == []
    assert {one.extra_headers["Content-Language"] for one in mailoutbox} == {"ar", "en"}, "invited before the choice"
    assert untranslated - SAME == set()


def test_what_was_agreed_to_is_the_text_in_the_language_shown(client, link) -> None:
    hour = consented(client, link)
    consent = hour.participant.consents.get()
    text = consent_text(file_of(protocol_of(hour.participant.cohort), "ar"))
    assert (consent.text, consent.sha256) == (text, text_hash(text))
    assert "نص consent.title" in hour.get("consent/copy/").content.decode()


def test_the_door_offers_languages_and_takes_what_was_chosen(client, link) -> None:
    plain = client.get(link).content.decode()
    assert '<html lang="en">' in plain
    assert 'href="?lang=ar" lang="ar" hreflang="ar" dir="rtl"' in plain
    assert "العربيّة" in plain
    arabic = client.get(link, headers={"Accept-Language": "ar-EG,de;q=0.8"}).content.decode()
    assert PAGE in arabic
    assert 'lang="en" hreflang="en" dir="ltr">English</a>' in arabic
    assert '<html lang="en">' in client.get(link + "?lang=xx").content.decode()
    # Whoever chose it is answered in it, whichever button they press.
    kept = '<input type="hidden" name="language" value="ar">'
    assert client.get(link + "?lang=ar").content.decode().count(kept) == 4
    for act in ("decline/", "tomorrow/", "computer/"):
        assert PAGE in client.post(link + act, {"language": "ar"}).content.decode(), act
        client.post(link + "undo/")
    client.post(link + "?lang=ar")
    assert Participant.objects.get(code=code_of(client)).language == "ar"
    # What is agreed to is in one language: the link opened again in another one changes nothing.
    consented_later = Participant.objects.get(code=code_of(client))
    client.get(link + "?lang=en")
    consented_later.refresh_from_db()
    assert consented_later.language == "ar"


def test_nobody_else_is_spoken_to_in_arabic(client, link, ada, study) -> None:
    hour = consented(client, link)
    assert (spoken(), translation.get_language()) == ("", "en")
    assert file_of(hour.visit.protocol).meta.public_title == "An hour in a CRM"
    staff = Client()
    staff.force_login(ada)
    page = staff.get(f"/studies/{study.code}/protocol/", headers={"Accept-Language": "ar"})
    assert '<html lang="en">' in page.content.decode()
    assert hour.get("orientation/").headers["Content-Language"] == "ar"


def test_staff_walk_through_in_any_of_the_languages(client, cohort, ada, study) -> None:
    client.force_login(ada)
    page = client.get(f"/studies/{study.code}/").content.decode()
    assert "<option>en</option><option>ar</option>" in page
    started = client.post(f"/studies/{study.code}/preview/", {"language": "ar"}, follow=True)
    assert PAGE in started.content.decode()
    client.post(f"/studies/{study.code}/preview/", {"language": "xx"})
    assert Participant.objects.get(preview=True).language == "en"


def test_letters_are_in_the_participants_language(cohort, link, mailoutbox) -> None:
    from study.people.mail.letters import send_one
    from study.people.models import Letter

    letter = Letter.objects.get(participant__cohort=cohort)
    Participant.objects.update(language="ar")
    assert send_one(letter.pk) == "sent"
    assert "نص meta.public_title" in mailoutbox[0].subject
    assert "Good day" not in mailoutbox[0].body


def test_directions() -> None:
    assert [direction(one) for one in ("ar", "he", "fa-AF", "ur", "en", "pt-BR")] == ["rtl"] * 4 + ["ltr"] * 2


def test_the_catalogs_are_up_to_date_and_whole() -> None:
    """Every string of the pages of the hour is gathered, translated and compiled; see docs/languages.md."""
    made = subprocess.run([sys.executable, "locale/messages.py", "check"], cwd=ROOT, capture_output=True, text=True)
    assert made.stdout + made.stderr == ""
