"""What somebody with a crafted link, file, answer or mail program could try, and what comes of it."""

from __future__ import annotations

import io
import zipfile
from itertools import pairwise

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from study.accounts.erasing import erase
from study.people.flows import NotOpen
from study.people.mail import letters, unsubscribing
from study.people.models import Contact, Letter, PanelArrival, PanelRow, Participant, Suppression
from study.people.pay import pay_batches
from study.people.privacy import erasing as _registered  # noqa: F401
from study.people.ways import joining, reconciling
from study.people.ways.arrivals import panel_hash
from study.people.ways.panels import panel_of
from study.people.ways.spreadsheets import Refusal, read_table
from tests.people.test_panels import door, press  # noqa: F401

pytestmark = pytest.mark.django_db


def test_an_erased_panel_id_stays_away(door, cohort):  # noqa: F811
    """P-43: neither the person nor the panel's own list brings an id back; another id is nobody's fault."""
    press(Client(), door, "?id=GONE-7")
    one = Participant.objects.get()
    cohort.refresh_from_db()
    reconciling.upload(cohort, file_name="a.csv", content=b"id,status\nGONE-7,active\nSTAYS-8,active\n", by=None)
    erase(one.study, one.code, "identity", lambda *_: None)
    mark = panel_hash(cohort, panel_of(cohort), "gone-7")
    assert Suppression.objects.filter(study=cohort.study, email_hash=mark, reason="erased").exists()

    answer = press(Client(), door, "?id=gone-7")
    assert answer.status_code == 409
    assert Participant.objects.count() == 1
    reconciling.upload(cohort, file_name="b.csv", content=b"id,status\nGONE-7,complete\nSTAYS-8,active\n", by=None)
    assert [row.panel_id for row in PanelRow.objects.all()] == ["STAYS-8"]
    assert not PanelArrival.objects.filter(panel_hash=mark).exists()
    assert press(Client(), door, "?id=STAYS-8").status_code == 302


@pytest.mark.parametrize(
    "id", ["victim,500", "a\nvictim,500", "victim;500", '"victim', "a b", "x" * 10_000 + ",1", "‮victim,1"]
)
def test_no_id_becomes_a_second_line_or_field_of_a_list_that_pays(door, cohort, id):  # noqa: F811
    """P-38: lists of bonuses are "id,amount"; whoever chooses their own id must not choose the amount or the payee."""
    client = Client()
    page = client.get(door, {"id": [id]})
    assert page.context["arrival"].id == ""
    form = {"once": page.context["once"], "arrival": page.context["carried"], "panel_id": id}
    assert client.post(door, form).status_code == 422
    assert not Participant.objects.exists()
    assert pay_batches.quoted("victim,500") == '"victim,500"'


def test_an_address_that_cannot_be_read_is_neither_written_to_nor_called_dead(cohort, invite, settings):
    """A lost key costs nobody their place: the letter waits for somebody, and the link opens no account."""
    settings.REALIA_KEYS = ["before"]
    [link] = invite("ann@example.test")
    settings.REALIA_KEYS = ["after"]
    letter = Letter.objects.get()
    assert letters.send_one(letter.pk) == "failed"
    letter.refresh_from_db()
    assert "key missing" in letter.error
    assert mail.outbox == []
    assert not Suppression.objects.exists()
    assert Client().post(link).status_code == 409
    with pytest.raises(NotOpen):
        joining.confirm(letter.participant.invitation)
    assert Participant.objects.get().user is None
    settings.REALIA_KEYS = ["after", "before"]
    Letter.objects.update(state="due", due_at=timezone.now())
    assert letters.send_one(letter.pk) == "sent"
    assert [one.to for one in mail.outbox] == [["ann@example.test"]]


def test_one_click_touches_only_whose_link_it_is(cohort, invite):
    """RFC 8058: no cookie, no token of a form; a changed mark, another's code or an erased person change nothing."""
    invite("ann@example.test", "bo@example.test")
    ann, bo = Participant.objects.order_by("pk")
    link = unsubscribing.token_of(ann)
    mixed = f"{bo.code.removeprefix('P-')}-{link.rpartition('-')[2]}"
    strict = Client(enforce_csrf_checks=True)
    for wrong in (mixed, link[:-1], link[:-1] + "é", link.upper() + "0", "-", "x" * 500):
        assert strict.post(f"/u/{wrong}/", {"List-Unsubscribe": "One-Click"}).status_code == 404
    assert not Suppression.objects.exists()
    assert strict.post(f"/u/{link}/undo/").status_code == 403, "taking it back is a form of ours"
    for _twice in range(2):
        assert strict.post(f"/u/{link}/", {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert [row.reason for row in Suppression.objects.all()] == ["unsubscribed"]
    assert Contact.objects.filter(unsubscribed_at__isnull=False).count() == 1
    erase(ann.study, ann.code, "identity", lambda *_: None)
    assert Client().post(f"/u/{link}/undo/").status_code == 302
    assert {row.reason for row in Suppression.objects.all()} == {"erased"}


LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lollollollollollollollollollol">%s]>
<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<sheets><sheet name="&j;"/></sheets></workbook>"""


def workbook(**parts: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name.replace("__", "/").replace("_", "."), content)
    return made.getvalue()


def test_crafted_workbooks_are_refused_without_unpacking_them():
    """Bombs by size, by ratio, by entities; a lie about sizes; no workbook at all."""
    names = "abcdefghij"
    ladder = b"".join(f'<!ENTITY {b} "{f"&{a};" * 10}">'.encode() for a, b in pairwise(names))
    good = b'<?xml version="1.0"?><workbook/>'
    bombs = [
        workbook(xl__workbook_xml=good, xl__big_xml=b" " * 90_000_000),
        workbook(xl__workbook_xml=b" " * 5_000_000),
        workbook(xl__workbook_xml=LAUGHS % ladder),
        workbook(other_xml=good),
        b"PK\x03\x04" + b"x" * 2000,
    ]
    lie = bytearray(workbook(xl__workbook_xml=b" " * 1000 + good, x=b"y" * 10))
    at = lie.rfind(b"PK\x01\x02")
    lie[at + 24 : at + 28] = (1).to_bytes(4, "little")
    for content in (*bombs, bytes(lie)):
        with pytest.raises(Refusal):
            read_table(content)


def test_staff_texts_keep_all_but_the_name(cohort, invite, frozen, ada):
    """P-43: an incident or a deviation that names somebody; its other words, and other people's names, stay."""
    from study.fieldwork.models import Incident
    from study.protocols.models import Deviation

    invite("ann@example.test", "bo@example.test")
    one = Participant.objects.order_by("pk").first()
    Contact.objects.filter(participant=one).update(name="Anna Berg")
    study = one.study
    Incident.objects.create(
        study=study, code="I-1", what="ANN@example.test saw an error; so did bo@example.test", told="x"
    )
    words = {"what": "Anna Berg began twice", "why": "Annabergen is a town", "happened_on": timezone.now().date()}
    Deviation.objects.create(study=study, number=1, after_unblinding=False, protocol_number=1, **words)
    erase(study, one.code, "identity", lambda *_: None)
    assert Incident.objects.get().what == "[…] saw an error; so did bo@example.test"
    line = Deviation.objects.get()
    assert (line.what, line.why) == ("[…] began twice", "Annabergen is a town")
