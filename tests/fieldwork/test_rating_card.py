"""A card: nothing is preselected, the look opens the options, every choice is kept, nothing typed is lost."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.html import escape

from study.fieldwork.models import Rating, Rationale
from study.fieldwork.ratings import inner
from study.protocols.library import builtin_text
from tests.fieldwork.rating_hour import at_the_ratings, open_in_work

pytestmark = pytest.mark.django_db
FAMILY = "👩‍👩‍👧‍👦"
TEXTS = (
    f"Good {FAMILY}!\n\nA second paragraph.",
    "السجلات تبدو صحيحة في CRM هذا.",
    "e\u0301 stays apart, \u202eturned\u202c stays too",
    "<b>bold</b> <script>alert(1)</script> <!-- [if gte mso 9] -->",
    "\n first line empty",
)
DIMENSIONS = """
rating:
  dimensions:
    - {code: structure, text: "How are the {objects} built?"}
    - {code: texts, text: "How do the texts read?"}
"""


@pytest.fixture
def hour(study, org, ben, client):
    return at_the_ratings(study, org, ben, client)


def test_p18_a_neutral_answer_nobody_gave(hour):
    """Nothing is chosen on any page; Next names what is missing; untouched stays empty, which is not can't judge."""
    for target in ("Org", *hour.visit.object_order):
        if target != "Org":
            hour.rate("Org")
        page = hour.get(f"ratings/{target}/").content.decode()
        if target != "Org":
            assert "checked" not in page
    first = hour.visit.object_order[0]
    pressed = hour.post(f"ratings/{first}/", {"act": "next"})
    assert pressed.status_code == 422
    assert "A rating" in pressed.content.decode()
    row = hour.visit.ratings.get(target=first)
    assert (row.first, row.final, row.changes) == ("", "", 0)
    hour.rate(first, "cannot_judge", right="", reason="not_enough")
    hour.rate(first, "rather_not_say", right="")
    row.refresh_from_db()
    assert (row.first, row.final, row.changes, row.cannot_judge_reason) == ("cannot_judge", "rather_not_say", 1, "")


def test_p15_characters_nobody_sees_are_left_out_and_said(hour):
    """The rest of the text is kept whole, by posting and by autosave, and the person is told."""
    assert hour.rate("Org", "4", right="one\x01two\x07 three is long enough").status_code == 302
    told = hour.get("ratings/", follow=True).content.decode()
    assert "2 characters that can&#x27;t be seen were left out" in told
    box = Rationale.objects.get(rating__target="Org", side="right")
    assert box.text == "onetwo three is long enough"
    # A lone half of a surrogate pair comes in JSON as an escape.
    saved = hour.client.post(
        hour.url("save/"),
        '{"field": "rationale/Org/right", "value": {"text": "half \\ud83d of\\u0000 one", "tags": []}, "base": 1,'
        f' "save_id": "abcdefgh1", "participant": "{hour.code}"}}',
        content_type="application/json",
    )
    assert (saved.status_code, saved.json()["value"]["text"]) == (200, "half  of one")


def test_p16_p17_what_was_typed_is_what_is_stored_and_shown(hour):
    """Emoji, Arabic with English, combining and direction marks, markup: the same text, escaped, isolated."""
    hour.get("ratings/", follow=True)
    for version, text in enumerate(TEXTS):
        assert hour.save("rationale/Org/right", {"text": text, "tags": []}, base=version).status_code == 200
        assert Rationale.objects.get(rating__target="Org", side="right").text == text
        page = hour.get("ratings/Org/").content.decode()
        assert 'dir="auto" autocomplete="off"' in page
        assert f"\n{escape(text)}</textarea>" in page
        assert "<script>alert" not in page
    assert (
        hour.post("ratings/Org/", {"choice": "4", "right": "a\r\nb is surely long enough", "act": "next"}).status_code
        == 302
    )
    assert Rationale.objects.get(rating__target="Org", side="right").text == "a\nb is surely long enough"


def test_first_and_last_choice_and_the_texts_of_a_refused_choice_are_kept(hour):
    """M16; and a text is not lost because the choice beside it was refused."""
    first = hour.visit.object_order[0]
    hour.rate("Org", "2")
    hour.rate("Org", "5", version="1")
    row = hour.visit.ratings.get(target="Org")
    assert (row.first, row.final, row.changes) == ("2", "5", 1)
    refused = hour.rate(first, "4", right="Typed before any record was opened.")
    assert refused.status_code == 422
    assert "Open one of the records first" in refused.content.decode()
    assert Rationale.objects.get(rating__target=first).text == "Typed before any record was opened."
    assert hour.visit.ratings.get(target=first).final == ""


def test_a_record_opened_in_the_work_opens_the_options_and_counts(hour):
    """M3: opened in work and opened in the look are told apart at the lock."""
    target = hour.visit.object_order[0]
    hour.rate("Org")
    opened = open_in_work(hour, target)
    assert hour.get(f"ratings/{target}/seen/").json()["may_rate"]
    assert hour.rate(target, "4").status_code == 302
    hour.get(f"ratings/{target}/")
    hour.look(target)
    hour.post("lock/", {"leave_open": "yes"})
    row = hour.visit.ratings.get(target=target)
    assert (row.opened_work, row.opened_look, opened in row.look_ids) == (1, 1, opened in row.look_ids)
    assert row.locked_at
    whole = hour.visit.ratings.get(target="Org")
    assert (whole.opened_work, whole.opened_look) == (1, 0), "of the Org any record opened in the work"


def test_after_a_break_the_look_is_offered_again(hour):
    """M15: more than split_after minutes from the last task to the first rating: the work lies too far back."""
    visit, target = hour.visit, hour.visit.object_order[0]
    hour.get("ratings/", follow=True)
    Rating.objects.filter(visit=visit, target=target).update(shown_at=timezone.now())
    before = visit.ratings.get(target=target).look_ids
    type(visit).objects.filter(pk=visit.pk).update(work_ended_at=timezone.now() - timedelta(minutes=31))
    open_in_work(hour, target)
    hour.get("ratings/Org/")
    assert hour.visit.split
    hour.rate("Org")
    again = hour.visit.ratings.get(target=target).look_ids
    assert again[: len(before)] == before
    assert len(again) > len(before)
    assert "Your questions lie a while back" in hour.get(f"ratings/{target}/").content.decode()
    assert hour.rate(target, "4").status_code == 422
    desk = hour.visit.desks.get(purpose="rating").desk
    hour.get(f"/crm/{desk.code}/r/{again[-1]}/")
    assert hour.rate(target, "4").status_code == 302
    hour.post("lock/", {"leave_open": "yes"})
    assert hour.visit.ratings.get(target=target).opened_look == 1


def test_thirty_minutes_are_no_break(hour):
    visit = hour.visit
    type(visit).objects.filter(pk=visit.pk).update(work_ended_at=timezone.now() - timedelta(minutes=29))
    hour.get("ratings/Org/")
    assert not hour.visit.split


def test_only_what_was_drawn_for_a_person_is_rated(hour):
    """M15: what an arm has beyond it is missing by design."""
    visit = hour.visit
    type(visit).objects.filter(pk=visit.pk).update(object_order=visit.object_order[:3])
    hour.get("ratings/", follow=True)
    assert list(hour.visit.ratings.values_list("target", flat=True)) == ["Org", *visit.object_order[:3]]


def test_cards_of_other_kinds_stay_out_of_the_way(hour):
    """Records and pairs rated after the lock have rows too; no list, count, lock or save here meets them."""
    hour.get("ratings/", follow=True)
    visit = hour.visit
    for kind in ("record", "pair"):
        Rating.objects.create(visit=visit, kind=kind, target=f"cards_{kind}", position=0)
    page = hour.get("ratings/Org/").content.decode()
    assert "Rating, 1 of 9" in page
    assert hour.get("ratings/cards_pair/").status_code == 404
    assert hour.save("rating/cards_pair", {"choice": "4"}).status_code == 404
    hour.rate("Org")
    hour.post("lock/", {"leave_open": "yes"})
    assert not visit.ratings.filter(kind__in=("record", "pair"), locked_at__isnull=False).exists()


def test_short_questions_have_rows_of_their_own_and_are_never_required(study, org, ben, client):
    text = builtin_text("realia-hour").replace("rating:\n", DIMENSIONS.lstrip("\n"), 1)
    hour = at_the_ratings(study, org, ben, client, text)
    target = hour.visit.object_order[0]
    hour.rate("Org")
    assert "dimension_" not in hour.get("ratings/Org/").content.decode()
    page = hour.get(f"ratings/{target}/").content.decode()
    assert "How do the texts read?" in page
    assert "{objects}" not in page
    assert hour.save(f"rating/{target}/texts", {"choice": "2"}).status_code == 422
    hour.post(f"ratings/{target}/unfamiliar/")
    assert hour.save(f"rating/{target}/texts", {"choice": "2"}).status_code == 200
    assert hour.save(f"rating/{target}/colour", {"choice": "2"}).status_code == 404
    assert hour.rate(target, "4", dimension_structure="cannot_judge", dimension_texts="3").status_code == 302
    rows = {row.dimension: row for row in hour.visit.ratings.filter(target=target)}
    assert [rows[d].final for d in ("overall", "structure", "texts")] == ["4", "cannot_judge", "3"]
    assert (rows["texts"].first, rows["texts"].changes) == ("2", 1)
    assert hour.get(f"ratings/{target}/").content.decode().count(" checked") == 3
    hour.post("lock/", {"leave_open": "yes"})
    assert hour.visit.ratings.filter(locked_at__isnull=True).count() == 0


def test_labels_stand_in_a_sentence_as_words():
    names = {"Knowledge articles": "knowledge articles", "E-mails": "e-mails", "RMA notes": "RMA notes", "": ""}
    assert {label: inner(label) for label in names} == names
