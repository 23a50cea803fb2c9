"""The dock and the page that stands in for it: widgets, pad, notes and pins, by posting alone."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from study.benchmark.models import Instance
from study.fieldwork.models import Note, Pin
from study.protocols.library import builtin_text
from study.sandbox.models import Desk
from study.sandbox.opened import snapshot_of
from tests.fieldwork.hour import small_tables
from tests.fieldwork.test_protocol_choices import begin

pytestmark = pytest.mark.django_db
JSON = {"headers": {"Accept": "application/json"}}
KINDS = {
    "record": 'name="answer" class="dk-field mono" value=""',
    "records": "one Id on each line",
    "month": '<option value="March"',
    "state": '<option value="CA"',
    "stage": '<option value="Negotiation"',
    "factors": 'type="checkbox" name="answer" value="Authority"',
    "text": 'class="dk-field" rows="4"',
}


@pytest.fixture
def desk(hour):
    """The address of the first question's desk."""
    hour.orient()
    return hour.open_question()


def ask_for(hour, kind, answer_object=""):
    """Make the first question one of another answer type."""
    instance = hour.attempt(1).place.instance
    Instance.objects.filter(pk=instance.pk).update(answer_type=kind, answer_object=answer_object)


def some(hour, name="Case", n=0):
    return [row["Id"] for row in snapshot_of(hour.visit.org).records(name)][n]


def text_of(response):
    return response.content.decode()


@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_type_has_its_widget_with_nothing_preselected(hour, desk, kind):
    """M8: the same on the dock and on the plain page; both ways of giving no record look and cost the same."""
    ask_for(hour, kind, "Case" if kind.startswith("record") else "")
    for page in (text_of(hour.get(desk)), text_of(hour.get("work/1/"))):
        assert KINDS[kind] in page
        form = page.split('class="dk-answer"')[1]
        assert "checked" not in form
        assert "selected" not in form.split("dk-parts")[0]
    page = text_of(hour.get(desk))
    assert "You work as a" in page
    assert "Definitions</summary>" in page
    assert "A month is a calendar month." in page
    assert not re.search(r"correct|wrong answer|gold|quality-focused|Return only", page, re.I)


def test_not_to_be_disclosed_looks_and_costs_what_no_record_does(study, org, ben, client):
    text = builtin_text("realia-hour").replace("  confidentiality: false\n", "  confidentiality: true\n")
    hour = begin(study, org, ben, client, text)
    hour.orient()
    hour.open_question()
    page = text_of(hour.get("work/1/"))
    rows = re.findall(r'<label class="([\w-]+)"><input type="(\w+)" name="mark" value="(\w+)"', page)
    assert rows == [("dk-option", "checkbox", "none"), ("dk-option", "checkbox", "withheld")]
    for n, mark in ((1, "none"), (2, "withheld")):
        assert hour.post(f"work/{n}/answer/", {"act": "next", "mark": mark}).status_code == 302
        assert (hour.attempt(n).outcome, hour.attempt(n).answer) == (mark, None)
        hour.after(n)


def test_records_are_added_and_taken_out_without_typing_an_id(hour, desk):
    ask_for(hour, "records", "Case")
    first, second = some(hour), some(hour, n=1)
    page = text_of(hour.get(f"{desk}r/{first}/"))
    assert "Add to my answer" in page
    assert "Add to my answer" not in text_of(hour.get(f"{desk}r/{some(hour, 'Account')}/"))
    for one in (first, second):
        hour.post("work/1/answer/", {"use": one, "back": f"{desk}r/{one}/"})
    assert hour.attempt(1).draft["answer"] == [first, second]
    page = text_of(hour.get("work/1/"))
    assert page.count('name="remove"') == 3  # and the one the script copies
    form = {"answer": f"{first}\n{second}", "remove": first, "version": hour.attempt(1).version}
    hour.post("work/1/answer/", form)
    assert hour.attempt(1).draft["answer"] == [second]
    assert not hour.attempt(1).outcome


def test_the_pad_is_saved_like_everything_and_belongs_to_its_question(hour, desk):
    pad = "two of these?\n1,240 / 31 = 40 👍"
    done = hour.save("scratch/1", pad)
    assert (done.status_code, done.json()["version"]) == (200, 1)
    assert hour.save("scratch/1", "other", base=0).json()["value"] == pad, "a stale tab is told, nothing is overwritten"
    assert hour.save("scratch/2", "too early").json()["error"] == "closed"
    assert hour.save("scratch/9", "nowhere").status_code == 404
    assert hour.save("scratch/1", "x" * 20_001, base=1).status_code == 422
    assert pad in text_of(hour.get(desk)).replace("&#x27;", "'")
    assert hour.client.get(hour.url("save/?field=scratch/1")).json()["value"] == pad
    hour.post("work/1/answer/", {"act": "keep", "scratch": "by post", "scratch_version": "1", "version": "0"})
    assert hour.attempt(1).scratch == "by post"
    old = hour.post("work/1/answer/", {"act": "next", "answer": some(hour), "scratch": "mine", "scratch_version": "1"})
    assert old.status_code == 409
    assert "mine</textarea>" in text_of(old)
    assert "by post" in text_of(old), "both stand on the page"
    hour.answer(1)
    assert hour.save("scratch/1", "late", base=2).json()["error"] == "closed"
    assert hour.attempt(1).answer
    assert not hour.attempt(2).scratch


def test_notes_keep_the_words_and_what_stood_open_and_come_away_again(hour, desk):
    """Instrument 2.4: neutral, on every page, and no word of it is lost whatever button is pressed."""
    record = some(hour)
    for page in (f"{desk}", f"{desk}o/Case/", f"{desk}r/{record}/", "work/1/"):
        assert "Note it" in text_of(hour.get(page))
    here = f"{desk}r/{record}/"
    form = {"note": " odd\nيوم ", "note_record": record, "back": here, "answer": "half", "version": "0"}
    assert hour.post("work/1/note/", form)["Location"] == here
    assert hour.post("work/1/note/", form | {"version": "1"})["Location"] == here
    [note] = Note.objects.all()
    assert (note.text, note.object, note.record, note.attempt.position) == ("odd\nيوم", "Case", record, 1)
    assert hour.attempt(1).draft["answer"] == ["half"], "the form beside it is kept too"
    assert "Delete the note odd" in text_of(hour.get(desk))
    assert hour.post("work/1/note/", {"note": "  "}, **JSON).status_code == 422
    assert hour.post("work/1/note/", {"note": "x", "note_record": "made-up"}, **JSON).json() == {"kept": True}
    assert Note.objects.last().record == ""
    hour.answer(1, note="on leaving")
    assert Note.objects.filter(text="on leaving").count() == 1
    hour.after(1)
    page = text_of(hour.get(f"/crm/{hour.attempt(2).desk.code}/"))
    assert "on leaving" in page, "notes belong to the hour, not to one question"
    hour.post(f"work/2/note/{note.pk}/delete/", **JSON)
    hour.post(f"work/2/note/{note.pk}/delete/", **JSON)
    assert not Note.objects.filter(pk=note.pk).exists()
    hour.post("work/1/note/", {"note": "just too late"}, **JSON)
    assert Note.objects.get(text="just too late").attempt.position == 1
    long = hour.post("work/2/answer/", {"act": "next", "note": "y" * 20_001, "answer": "z"})
    assert long.status_code == 422
    assert "y" * 20_001 in text_of(long), "what does not fit stays in its box, uncut"


def test_pins_are_records_or_fields_of_this_org_once_each(hour, desk):
    record = some(hour)
    page = text_of(hour.get(f"{desk}r/{record}/"))
    assert 'data-field="Subject"' in page
    assert '<option value="Subject">' in page
    for field in ("", "Subject", "Subject"):
        assert hour.post("work/1/pin/", {"pin": record, "pin_field": field}, **JSON).json() == {"kept": True}
    stored = [("Case", record, ""), ("Case", record, "Subject")]
    assert list(Pin.objects.values_list("object", "record", "field")) == stored
    for wrong in ({"pin": "500000000000000AAA"}, {"pin": record, "pin_field": "Secret"}, {"pin": ""}, {"pin": "x\x00"}):
        assert hour.post("work/1/pin/", wrong, **JSON).status_code == 422
    kept = text_of(hour.get("work/1/kept/"))
    assert f'data-pinned="{record} Subject"' in kept
    assert 'data-n="2"' in kept
    pin = Pin.objects.get(field="")
    back = hour.post(f"work/1/pin/{pin.pk}/remove/", {"back": desk})
    assert back["Location"] == desk
    hour.answer(1)
    hour.after(1)
    hour.post(f"work/2/pin/{Pin.objects.get().pk}/remove/", **JSON)
    assert Pin.objects.count() == 1, "another question's pins are not reached"
    assert "data-pinned" not in text_of(hour.get("work/2/kept/"))


def test_another_today_than_in_the_question_before_is_said_once(hour, desk):
    """M9: a banner where the date has changed since, and none where it has not."""
    changed = "The date has changed."
    assert changed not in text_of(hour.get(desk))
    before = hour.attempt(1).desk.today
    hour.answer(1)
    hour.after(1)
    here = f"/crm/{hour.attempt(2).desk.code}/"
    assert changed not in text_of(hour.get(here))
    Desk.objects.filter(pk=hour.attempt(2).desk_id).update(today=before - timedelta(days=40))
    page = text_of(hour.get(here))
    assert changed in page
    assert f"it was {before:%-d %B %Y}" in page.replace("\xa0", " ")
    assert changed in text_of(hour.get("work/2/"))


def test_what_the_protocol_does_not_offer_is_not_there(study, org, ben, client):
    text = builtin_text("realia-hour")
    for part in ("scratch", "notes", "pins"):
        text = text.replace(f"  {part}: true\n", f"  {part}: false\n")
    hour = begin(study, org, ben, client, text)
    hour.orient()
    page = text_of(hour.get(hour.open_question()))
    assert not any(words in page for words in ("Scratch pad", "Note it", "Pinned evidence"))
    assert hour.post("work/1/note/", {"note": "x"}).status_code == 404
    assert hour.post("work/1/pin/", {"pin": some(hour)}).status_code == 404
    assert hour.save("scratch/1", "x").json()["error"] == "closed"


def test_a_record_beside_a_list_can_be_used_and_pinned_as_on_its_own_page(hour):
    """In the split view the dock offers what it offers on the record's page, for the record that stands there."""
    hour.orient()
    desk = hour.open_question()
    attempt = hour.attempt(1)
    Instance.objects.filter(pk=attempt.place.instance.pk).update(answer_type="record", answer_object="Case")
    record = small_tables()["Case"][0]["Id"]
    alone = hour.get(f"{desk}o/Case/?view=split").content.decode()
    assert 'name="use"' not in alone
    assert 'name="pin_field"' not in alone
    beside = hour.get(f"{desk}o/Case/?view=split&record={record}").content.decode()
    assert f'name="use" value="{record}"' in beside
    assert f'name="pin" value="{record}"' in beside
    assert '<option value="Subject">' in beside
    assert f'id="note-record" value="{record}"' in beside
