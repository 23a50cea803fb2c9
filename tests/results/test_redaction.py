"""Texts are read and masked before anything is released; what leaves names nobody (M20, P-42)."""

from __future__ import annotations

import csv
import io
import zipfile

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from study.accounts.jobs import run
from study.accounts.models import AuditRow, Job
from study.fieldwork.models import Note, Rationale
from study.people.models import Contact, Participant
from study.results import redacting, releasing
from study.results.models import Export, TextMask

SECRET = "Ask Ms Halloran of Brightwater Ltd, +44 20 7946 0958, h.halloran@example.test"


def test_masks_unite_and_leave_the_rest_as_typed() -> None:
    assert redacting.masked("abcdef", [(1, 3), (2, 4)]) == "a[…]ef"
    assert redacting.masked("abc", []) == "abc"
    assert redacting.masked("abc", [(0, 3)]) == "[…]"


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 10)), max_size=5))
@example_settings(max_examples=60)
def test_what_is_masked_is_gone_and_what_is_not_is_whole(text: str, drawn: list[tuple[int, int]]) -> None:
    spans = [(a, min(a + n, len(text))) for a, n in drawn if a < len(text)]
    marks = redacting.united(spans)
    kept = [text[a:b] for a, b in zip([0, *(m[1] for m in marks)], [*(m[0] for m in marks), len(text)], strict=True)]
    assert redacting.masked(text, spans) == redacting.MASKED.join(kept)
    assert all(a < b for a, b in marks)


def test_margins_merge_what_few_people_said() -> None:
    """M20: with ten to thirty people a rare answer says who somebody is; nor can it be found by subtracting."""
    labels = {"a": "A", "b": "B", "c": "C", "d": "D"}
    assert releasing.merged({"a": 9, "b": 6, "c": 3, "d": 2}, labels) == [("A", 9), ("B", 6), ("C; D", 5)]
    assert releasing.merged({"a": 9, "b": 6, "c": 3}, labels) == [("A", 9), ("B; C", 9)]
    assert releasing.merged({"a": 3}, labels) == []
    assert releasing.merged({}, labels) == []


def test_new_names_differ_between_releases_unless_asked_otherwise() -> None:
    codes = [f"P-{n:04d}" for n in range(30)]
    once, again = releasing.pseudonyms(codes, "one"), releasing.pseudonyms(codes, "two")
    assert sorted(once.values()) == sorted(again.values())
    assert len(set(once.values())) == 30
    assert once != again
    assert once == releasing.pseudonyms(reversed(codes), "one")


@pytest.fixture
def told(opened, finished):  # type: ignore[no-untyped-def]
    """Ben has named people in a reason and in a note."""
    person = Participant.objects.get(code=finished.code)
    contact, _ = Contact.objects.get_or_create(participant=person)
    contact.email, contact.panel_id = "ben@example.test", "PANEL-77"
    contact.save()
    rationale = Rationale.objects.filter(rating__visit__participant=person).order_by("pk").first()
    Rationale.objects.filter(pk=rationale.pk).update(text=f"Looks right. {SECRET}. As {person.code} said.")
    Note.objects.create(visit=person.visits.get(), text="Brightwater Ltd again")
    return person


def read_everything(desk: Client, study) -> int:  # type: ignore[no-untyped-def]
    """Go through the queue as a coder does, taking over what is proposed; how many texts that were."""
    from django.utils.html import escape

    for n in range(200):
        left = [one for one in redacting.texts(study) if not one.read]
        if not left:
            return n
        page = desk.get(f"/studies/{study.code}/redaction/{left[0].token}/")
        assert page.status_code == 200
        words = page.context["words"]
        assert escape(words.split("\n")[0]) in page.content.decode()
        answer = desk.post(
            f"/studies/{study.code}/redaction/{left[0].token}/settle/", {"words": words, "sha256": left[0].sha256}
        )
        assert answer.status_code == 302
    raise AssertionError("the queue does not end")


def test_p42_a_release_names_nobody(told, opened, desk_of_ada) -> None:
    """P-42: no address, panel id, code, masked word or answer that describes somebody, in any file or file name."""
    study, person = opened, told
    with pytest.raises(releasing.NotReady):
        releasing.make_release(study, same_names=False, by=None)
    assert b"not been read" in desk_of_ada.get(f"/studies/{study.code}/export/").content
    assert read_everything(desk_of_ada, study) >= 2
    assert desk_of_ada.get(f"/studies/{study.code}/redaction/").context["left"] == 0
    desk_of_ada.post(f"/studies/{study.code}/release/make/", {})
    run(Job.objects.get(kind="export release").pk)
    row = Export.objects.get(kind="release")
    answer = desk_of_ada.get(f"/studies/{study.code}/export/{row.pk}/")
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    files = {name: archive.read(name).decode() for name in archive.namelist()}
    everything = "\n".join([answer["Content-Disposition"], *files, *files.values()])
    unwelcome = [
        person.code, "ben@example.test", "PANEL-77", "Halloran", "Brightwater", "7946", study.name,
        person.completion_code, person.contact.email_hash, "closed a case",
    ]  # fmt: skip
    assert [word for word in unwelcome if word in everything] == []
    assert "[…]" in files["rationales.csv"]
    rows = list(csv.DictReader(io.StringIO(files["participants.csv"])))
    assert [row["code"] for row in rows] == ["R-1"]
    assert rows[0]["screener"] == ""
    assert AuditRow.objects.filter(act="release.downloaded", study=study).count() == 1
    # The data of the study are as they were.
    assert SECRET in Rationale.objects.filter(rating__visit__participant=person).order_by("pk").first().text


def test_a_text_that_changed_has_to_be_read_again(told, opened, desk_of_ada) -> None:
    study = opened
    one = next(text for text in redacting.texts(study) if "Halloran" in text.text)
    path = f"/studies/{study.code}/redaction/{one.token}/"
    refused = desk_of_ada.post(path + "settle/", {"words": "Nobody Here", "sha256": one.sha256})
    assert refused.status_code == 422
    assert "Nobody Here" in refused.content.decode()
    assert desk_of_ada.post(path + "settle/", {"words": "x", "sha256": "old"}).status_code == 422
    assert not TextMask.objects.exists()
    desk_of_ada.post(path + "settle/", {"words": "halloran\n\n Brightwater Ltd ", "sha256": one.sha256})
    masked = next(text for text in redacting.texts(study) if text.token == one.token)
    assert masked.read
    # The name stands twice: once more in the address.
    assert masked.released.count("[…]") == 3
    Rationale.objects.filter(pk=one.row).update(text="Something else")
    changed = next(text for text in redacting.texts(study) if text.row == one.row and text.source == "rationale")
    assert not changed.read
    assert Client().get(path).status_code == 302


def test_while_blind_nothing_is_shown(finished, study, desk_of_ada) -> None:
    assert b"data-words" not in desk_of_ada.get(f"/studies/{study.code}/redaction/").content
    token = redacting.texts(study)[0].token
    assert desk_of_ada.get(f"/studies/{study.code}/redaction/{token}/").status_code == 404
    assert desk_of_ada.post(f"/studies/{study.code}/release/make/").status_code == 404
    with pytest.raises(releasing.NotReady):
        releasing.make_release(study, same_names=False, by=None)


def test_a_name_masked_once_is_masked_in_every_equal_text(told, opened, desk_of_ada) -> None:
    """M20: two boxes with the same words, one masked and one passed over, leave as one. A typed "[…]" is no list."""
    rows = list(Rationale.objects.filter(rating__visit__participant=told).order_by("pk")[:2])
    Rationale.objects.filter(pk__in=[row.pk for row in rows]).update(text="Brightwater Ltd runs it")
    words = ["Brightwater Ltd", ""]
    for text in redacting.texts(opened):
        if text.text == "Brightwater Ltd runs it":
            redacting.settle(opened, text, [words.pop()], sha256=text.sha256, by=opened.memberships.first().user)
    assert words == []
    [(_key, said)] = [one for one in redacting.released_texts(opened).items() if one[0][1] == "Brightwater Ltd runs it"]
    assert said == "[…] runs it"
    typed = '["Brightwater Ltd"]'
    assert releasing._with_masks(typed, {typed: "[…]"}.get) == "[…]"


def test_who_may_be_quoted_is_said_beside_the_text_and_follows_at_once(told, opened, desk_of_ada) -> None:
    """P-44: the optional line of the consent, as it stands now."""
    from study.people.consenting.consent import choose

    one = next(text for text in redacting.texts(opened) if "Halloran" in text.text)
    page, list_ = f"/studies/{opened.code}/redaction/{one.token}/", f"/studies/{opened.code}/rationales/"
    for stands in (True, False):
        choose(told, "quotations", given=stands)
        assert ("May be quoted" in desk_of_ada.get(page).content.decode()) == stands
        assert ("Not to be quoted" in desk_of_ada.get(page).content.decode()) != stands
        assert ("Not to be quoted" in desk_of_ada.get(list_).content.decode()) != stands
