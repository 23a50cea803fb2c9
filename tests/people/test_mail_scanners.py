"""What mail systems do with links before people see them, and what people at one machine do to each other."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from study.people.models import End, Invitation, Participant, Screening, Stage
from study.people.ways import invitations
from tests.people.walk import GOOD, code_of

pytestmark = pytest.mark.django_db
PREFETCH = {"HTTP_PURPOSE": "prefetch", "HTTP_SEC_PURPOSE": "prefetch;prerender", "HTTP_X_MOZ": "prefetch"}


def rows():
    return (
        list(Participant.objects.values()),
        list(Invitation.objects.values()),
        Participant.objects.get().letters.count(),
        Participant.objects.get().stage_events.count(),
    )


def test_head_get_and_prefetch_change_nothing_at_any_door_of_a_link(invite):
    """P-01: a scanner that follows or prefetches every address of the page leaves no mark."""
    (path,) = invite("rene@example.test")
    before, scanner = rows(), Client()
    for page in ("", "decline/", "undo/", "tomorrow/", "computer/", "calendar/"):
        for ask in (scanner.head, scanner.get):
            assert ask(path + page, **PREFETCH).status_code in (200, 405)
    assert not scanner.cookies.get("sessionid")
    assert rows() == before


def test_a_scanner_that_presses_the_button_uses_nothing_up(invite):
    """P-01: the invitee still gets in from their own browser; one participant, the scanner's session is over."""
    (path,) = invite("rene@example.test")
    scanner, mine = Client(), Client()
    assert scanner.post(path).url.endswith("/screener/")
    code = code_of(scanner)
    page = mine.get(path)
    assert page.status_code == 200
    assert "Confirm and go on" in page.content.decode()
    assert mine.post(path).url == f"/hour/{code}/screener/"
    assert mine.get(f"/hour/{code}/screener/").status_code == 200
    assert scanner.get(f"/hour/{code}/screener/").url.startswith("/hour/?next="), "the session has moved"
    assert Participant.objects.count() == 1
    assert not Screening.objects.exists()
    # With the first answer the link is used: another browser needs a code to the same mailbox.
    assert mine.post(f"/hour/{code}/screener/", GOOD).url == f"/hour/{code}/consent/"
    late = Client()
    assert "E-mail me a code" in late.post(path).content.decode()
    assert mine.get(f"/hour/{code}/consent/").status_code == 200


def test_a_scanner_that_fills_the_last_place_tells_its_reader_so(invite, cohort):
    (path,) = invite("rene@example.test")
    cohort.target = 1
    cohort.save()
    Participant.objects.create(study=cohort.study, cohort=cohort, code="P-XXXX", stage=Stage.WORKING)
    Client().post(path)
    mine = Client()
    code = Participant.objects.get(end=End.FULL).code
    assert mine.post(path).url == f"/hour/{code}/ended/"
    assert mine.get(f"/hour/{code}/ended/").status_code == 200


def test_a_no_that_a_scanner_pressed_is_taken_back_from_the_same_link(invite):
    """P-01: nothing that can be pressed is final for the reader; a revoked link stays over."""
    (path,) = invite("rene@example.test")
    Client().post(path + "decline/")
    mine = Client()
    page = mine.get(path)
    assert page.status_code == 410
    assert "That was a mistake" in page.content.decode()
    assert Participant.objects.get().end == End.WITHDRAWN
    assert mine.post(path + "undo/").url == path
    assert mine.post(path + "undo/").url == path
    one = Participant.objects.get()
    assert (one.end, one.stage, one.ended_at) == ("", Stage.INVITED, None)
    assert one.stage_events.count() == 3
    assert mine.post(path).url.endswith("/screener/")
    assert mine.post(path + "decline/").status_code == 302, "who is in leaves by another door"
    Invitation.objects.update(used_at=None, declined_at=timezone.now(), revoked_at=timezone.now())
    assert "That was a mistake" not in Client().get(path).content.decode()
    assert not invitations.undo_decline(Invitation.objects.get())


def test_tomorrow_is_one_letter_in_the_morning_of_the_persons_zone(invite):
    (path,) = invite("rene@example.test")
    one = Participant.objects.get()
    Participant.objects.update(zone="Asia/Tokyo")
    one.letters.update(state="sent", sent_at=timezone.now())
    for _press in range(2):
        page = Client().post(path + "tomorrow/")
        assert page.status_code == 200
        assert "Asia/Tokyo" in page.content.decode()
    letter = one.letters.get(state="due")
    zone = ZoneInfo("Asia/Tokyo")
    due = letter.due_at.astimezone(zone)
    assert (due.hour, due.date() - datetime.now(zone).date()) == (9, timedelta(days=1))
    assert Participant.objects.get().stage == Stage.INVITED
    Client().post(path)
    assert Client().post(path + "tomorrow/").status_code == 404


def test_the_calendar_file_holds_title_and_link_alone(invite):
    (path,) = invite("rene@example.test")
    answer = Client().get(path + "calendar/")
    text = answer.content.decode().replace("\r\n ", "")
    assert answer["Content-Type"].startswith("text/calendar")
    assert "SUMMARY:An hour in a CRM" in text
    assert path in text
    assert "rene" not in text


def test_a_letter_sent_again_brings_the_same_link(invite, study, ada, client):
    """P-02, P-08: the first link keeps working, a second press sends nothing more, no address is in any link."""
    from tests.people.test_invitations import send

    (path,) = invite("nadia.k+study2@example.test")
    send()
    one = Participant.objects.get()
    client.force_login(ada)
    where = f"/studies/{study.code}/people/{one.code}/resend/"
    client.post(where)
    assert one.letters.count() == 1, "the last one went out a moment ago"
    one.letters.update(sent_at=timezone.now() - timedelta(hours=1))
    client.post(where)
    client.post(where)
    send()
    assert len(mail.outbox) == 2
    for letter in mail.outbox:
        assert path in letter.body
        assert letter.to == ["nadia.k+study2@example.test"]
        assert "nadia" not in letter.body
    Client().post(path)
    one.letters.update(sent_at=timezone.now() - timedelta(hours=1))
    assert invitations.resend(one, by=ada) is None


def test_the_next_person_at_a_shared_computer_begins_as_themselves(invite):
    """P-05: the second invitation in the same browser asks first, and takes nothing of the first along."""
    first, second = invite("a@example.test", "b@example.test")
    machine = Client()
    machine.post(first)
    before = code_of(machine)
    page = machine.get(second).content.decode()
    assert "Somebody else is signed in" in page
    assert before not in page
    assert "a@example.test" not in page
    assert machine.post(second).status_code == 409
    assert machine.post(second, {"switch": "1"}).status_code == 302
    assert code_of(machine) != before
    assert machine.get(f"/hour/{before}/screener/").status_code == 404


def test_staff_of_a_study_do_not_take_part_in_it(invite, ada):
    (path,) = invite("rene@example.test")
    from study.accounts.adapter import user_with_address
    from study.accounts.flows import add_member

    add_member(Participant.objects.get().study, user_with_address("rene@example.test"), "viewer", by=ada)
    page = Client().post(path)
    assert page.status_code == 409
    assert "team does not take part" in page.content.decode()
    assert Participant.objects.get().stage == Stage.INVITED
