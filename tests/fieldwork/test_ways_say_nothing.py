"""The ways in and out, searched whole (M7): doors, letters, slots, copies, codes, erasure; nothing of origin in any."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from datetime import timedelta
from itertools import chain

import pytest
from django.core import mail
from django.utils import timezone

from study.fieldwork import incidents
from study.people import flows
from study.people.mail import letters, reminding, unsubscribing
from study.people.mail.letter_kinds import worded_kinds
from study.people.mail.letter_words import built_in
from study.people.models import Cohort, ConsentChoice, End, Letter, Participant, Payment
from study.people.moderated import slots
from study.people.pay.pay_money import Money
from study.people.pay.pay_rules import REASONS, set_rules
from study.people.ways import invitations
from study.people.ways.panel_settings import set_panel
from study.people.ways.tokens import make_token
from study.people.wording_dates import last_day
from tests.fieldwork.hour import Hour
from tests.fieldwork.leaks import Listening, Response, words
from tests.people.test_consent_versions import MATERIAL, next_protocol
from tests.people.test_panels import press, settings_of
from tests.people.walk import GOOD, TICKS, agree, code_of

pytestmark = pytest.mark.django_db
# What the study is called among its team, and what it asks; "realistic" is a word of the ratings alone.
TELLING = re.compile(r"realis[mt]|\bspring\b", re.IGNORECASE)


@pytest.fixture
def paying(cohort):
    """The cohort with amounts for every end and a closing moment."""
    set_rules(cohort, dict.fromkeys(REASONS, Money(300, "EUR")), by=None)
    Cohort.objects.update(closes_at=timezone.now() + timedelta(days=9), zone="Europe/Oslo")
    cohort.refresh_from_db()
    return cohort


def written() -> list[Response]:
    """Every letter as a mail program shows it: headers, plain text, HTML."""
    found = []
    for one in mail.outbox:
        parts = [part.get_payload(decode=True) for part in one.message().walk() if not part.is_multipart()]
        text = "\n".join(part.decode() for part in parts)
        found.append(Response("MAIL", one.subject, 0, text, "\n".join(f"{k}: {v}" for k, v in one.message().items())))
    return found


def send() -> None:
    Letter.objects.filter(state="due").update(due_at=timezone.now())
    for letter in Letter.objects.filter(state="due"):
        letters.send_one(letter.pk)


def by_invitation(cohort, address: str) -> tuple[Listening, str]:
    """Somebody at their door, with all its buttons pressed but the one that goes in."""
    (one,) = invitations.invite(cohort, address, by=None)
    client, link = Listening(), f"/i/{make_token(one, one.invitation.created_at)}/"
    send()
    client.get(link)
    client.get(f"{link}calendar/")
    client.post(f"{link}tomorrow/")
    client.post(f"{link}tomorrow/")
    client.post(f"{link}computer/")
    client.post(f"{link}decline/")
    client.get(link)
    client.post(f"{link}undo/")
    stop = f"/u/{unsubscribing.token_of(one)}/"
    client.get(stop)
    client.post(stop)
    client.post(f"{stop}undo/")
    send()
    return client, link


def to_the_end(client: Listening, code: str) -> None:
    for page in ("", "privacy/", "privacy/erase/", "data/", "data/file/", "data/zip/", "ended/", "computer/"):
        client.get(f"/hour/{code}/{page}", follow=True)


def walk_in(cohort, study, ada) -> list[Listening]:
    """An invitation up to a material change, an incident, choices taken back, erasure asked for, and leaving."""
    client, link = by_invitation(cohort, "rene@example.test")
    client.post(link)
    hour = Hour(code_of(client), client)
    hour.get("screener/")
    hour.post("screener/", GOOD)
    hour.get("consent/")
    agree(client, hour.code)
    hour.orient()
    hour.open_question()
    next_protocol(study, cohort, MATERIAL)
    typed = {"answer": ["typed"], "none": False, "withheld": False, "confidence": None}
    assert hour.save("attempt/1", typed).status_code == 200
    assert hour.get("work/1/").url.endswith("/consent/again/")
    hour.post("consent/again/", {"statement": TICKS, "sha256": hour.get("consent/again/").context["sha256"]})
    assert hour.get("work/1/").status_code == 200
    hour.get("consent/copy/")
    for row in hour.participant.consents.all()[:1]:
        assert client.get(f"/hour/{hour.code}/consent/copy/{row.pk}/pdf/").status_code == 200
    for given in ("yes", "no"):
        hour.post("consent/choice/", {"option": "replay", "given": given}, follow=True)
    assert ConsentChoice.objects.exists()
    row, _began = incidents.begin(study, what="The CRM was not reached", told="", by=ada)
    send()
    hour.get("work/1/", follow=True)
    late = Listening()
    late.get(link)
    incidents.over(row, by=ada)
    send()
    hour.get("pause/")
    hour.post("go-on/")
    hour.get("help/")
    hour.post("help/", {"kind": "unclear", "words": "What is meant?"})
    hour.get("help/")
    hour.post("go-on/")
    reminding.remind([hour.participant], by=ada)
    send()
    hour.post("privacy/erase/")
    hour.get("leave/")
    hour.post("leave/", {"data": "take_out"}, follow=True)
    assert hour.participant.end == End.WITHDRAWN
    to_the_end(client, hour.code)
    return [client, late]


def walk_panel(cohort) -> list[Listening]:
    """Ids that are missing, wrong, doubled, known; the key; and the last page of each end with its code."""
    ends = ("complete", "screened_out", "full", "no_consent", "withdrawn", "time_up")
    returns = dict.fromkeys(ends, "https://panel.example.test/done?cc={code}")
    set_panel(cohort, settings_of(returns=returns), by=None)
    Cohort.objects.filter(pk=cohort.pk).update(open_link="opensesame")
    door, client, other = "/p/opensesame/", Listening(), Listening()
    for query in ("", "?id=", "?id=%7Bid%7D", "?id=one&id=two"):
        press(other, door, query)
    press(other, door, "?id=", panel_id="ida@example.test")
    where = press(client, door).url
    client.get(where)
    client.post(where)
    press(other, door)
    code = code_of(client)
    other.post("/hour/resume/", {"key": "AAAA-BBBB-CCCC"})
    client.post(f"/hour/{code}/screener/", GOOD | {"S1": "never"})
    for end in (End.SCREENED_OUT, End.FULL, End.NO_CONSENT, End.LAPSED, End.WITHDRAWN):
        Participant.objects.filter(code=code).update(end=end)
        assert client.get(f"/hour/{code}/ended/").status_code == 200
    Payment.objects.all().delete()
    Participant.objects.filter(code=code).update(end="")
    flows.end(Participant.objects.get(code=code), End.SCREENED_OUT)
    assert "3.00" in client.get(f"/hour/{code}/ended/").content.decode()
    to_the_end(client, code)
    Cohort.objects.filter(pk=cohort.pk).update(panel={})
    return [client, other]


def walk_moderated(cohort, ada) -> list[Listening]:
    """A slot chosen, changed, cancelled by the team; no thank you at the consent."""
    Cohort.objects.filter(pk=cohort.pk).update(moderated=True)
    cohort.refresh_from_db()
    at = timezone.now().replace(microsecond=0) + timedelta(days=3)
    first, second = slots.make_series(cohort, at, minutes=90, places=1, moderator="M1", where="Room 3", by=None,
                                      times=2, every_days=1)  # fmt: skip
    client, link = by_invitation(cohort, "mo@example.test")
    client.post(link)
    code = code_of(client)
    client.post(f"/hour/{code}/screener/", GOOD)
    where = f"/hour/{code}/slot/"
    client.get(where)
    for act, data in (("", {}), ("", {"slot": first.pk}), ("zone/", {"zone": "Mars"}), ("", {"slot": second.pk})):
        client.post(where + act, data, follow=True)
    client.get(f"{where}visit.ics")
    send()
    slots.cancel(second, by=ada)
    send()
    client.get(where)
    client.post(f"{where}give-up/", follow=True)
    client.post(f"/hour/{code}/consent/decline/", follow=True)
    to_the_end(client, code)
    Cohort.objects.filter(pk=cohort.pk).update(moderated=False)
    return [client]


def unpacked(one: Response) -> Response:
    """A file as it is read; of a PDF, which is packed, its name and headers (its words are those of the page)."""
    if one.address.endswith("/pdf/"):
        return replace(one, text="")
    if not one.address.endswith("/zip/"):
        return one
    with zipfile.ZipFile(io.BytesIO(one.text.encode("latin-1"))) as file:
        return replace(one, text="\n".join(f"{name}\n{file.read(name).decode()}" for name in file.namelist()))


def kinds_of_letters() -> list[Response]:
    """The built-in words of every kind, of those too that nobody here was sent."""
    said = [(name, built_in(words, "")) for name, words in worded_kinds().items()]
    return [Response("WORDS", name, 0, f"{one.subject}\n{one.text}") for name, one in said]


def test_no_way_in_or_out_says_where_the_records_come_from(paying, study, ada):
    """M7: each door, button, letter, calendar entry, file, address and header of everything around the hour."""
    clients = [*walk_in(paying, study, ada), *walk_panel(paying), *walk_moderated(paying, ada)]
    post = [one for one in written() if "\nTo: noor@example.test" not in one.head]
    heard = [*map(unpacked, chain.from_iterable(client.heard for client in clients)), *post, *kinds_of_letters()]
    print(f"{len(heard)} pages, files and letters, {len(post)} of them sent")
    assert len(heard) > 130
    assert {one.status for one in heard} == {0, 200, 302, 409, 410, 422}
    assert words(heard) == []
    assert [one.address for one in heard if TELLING.search(one.all)] == []
    # What the letter says of pay and of the last day is what the page of its link says.
    assert "Thank-you: 3.00 EUR. The full amount" in post[0].text
    assert f"Last day: {last_day(paying.closes_at)}" in post[0].text
    for text, head in (("An LLM wrote it", ""), ("", "X-Study: spring"), ("how realistic", ""), ("", "x=1; fake=1")):
        planted = replace(heard[0], text=text, head=head)
        assert words([planted]) or TELLING.search(planted.all), text
