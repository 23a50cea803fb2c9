"""The contract of a save: 200, replay, 409, 403, 422; and that nothing typed is ever lost or changed."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from study.fieldwork.models import Rationale, Save
from tests.fieldwork.hour import Hour

pytestmark = pytest.mark.django_db

DRAFT = {"answer": ["005Hy0000000001IAA"], "none": False, "confidence": None}


@pytest.fixture
def working(hour):
    hour.orient()
    hour.open_question()
    return hour


@pytest.fixture
def rating(working):
    working.work()
    working.get("ratings/Org/")
    return working


def test_a_save_is_acknowledged_with_version_and_moment(working):
    answer = working.save("attempt/1", DRAFT)
    assert answer.status_code == 200
    body = answer.json()
    assert (body["version"], body["field"]) == (1, "attempt/1")
    assert body["value"]["answer"] == DRAFT["answer"]
    assert working.attempt(1).draft["answer"] == DRAFT["answer"]


def test_the_same_save_again_is_acknowledged_again(working):
    """P-08: a repeated request changes nothing and hears the same."""
    first = working.save("attempt/1", DRAFT, save_id="abcdefgh12")
    again = working.save("attempt/1", DRAFT | {"answer": ["x"]}, save_id="abcdefgh12")
    assert first.json() == again.json()
    assert working.attempt(1).version == 1
    assert Save.objects.count() == 1


def test_a_stale_save_is_refused_and_kept_aside(working):
    working.save("attempt/1", DRAFT)
    stale = working.save("attempt/1", DRAFT | {"answer": ["typed elsewhere"]}, base=0, save_id="stalestale1")
    assert stale.status_code == 409
    body = stale.json()
    assert (body["error"], body["version"]) == ("stale", 1)
    assert body["value"]["answer"] == DRAFT["answer"]
    assert body["typed"]["answer"] == ["typed elsewhere"]
    kept = Save.objects.get(save_id="stalestale1")
    assert not kept.accepted
    assert kept.value["answer"] == ["typed elsewhere"]
    assert working.save("attempt/1", DRAFT, save_id="stalestale1").status_code == 409
    chosen = working.save("attempt/1", DRAFT | {"answer": ["typed elsewhere"]}, base=1)
    assert chosen.json()["version"] == 2


def test_the_same_text_from_another_tab_is_no_conflict(working):
    working.save("attempt/1", DRAFT)
    same = working.save("attempt/1", DRAFT, base=0)
    assert (same.status_code, same.json()["version"]) == (200, 1)


def test_another_participants_code_is_refused(working, cohort, cleo):
    """P-39: the body's code, the address's code and a made-up one."""
    other = Hour.begin(cohort, cleo, Client())
    refused = working.save("attempt/1", DRAFT, participant=other.code)
    assert (refused.status_code, refused.json()["error"]) == (403, "other_participant")
    theirs = working.client.post(
        f"/hour/{other.code}/save/", json.dumps({"participant": other.code}), content_type="application/json"
    )
    made_up = working.client.post("/hour/P-ZZZZ/save/", "{}", content_type="application/json")
    assert (theirs.status_code, made_up.status_code) == (404, 404)
    for path in ("orientation", "work", "work/1", "ratings", "ratings/Org", "lock", "closing", "debrief", "finish"):
        assert working.client.get(f"/hour/{other.code}/{path}/").status_code == 404
    assert not Save.objects.exists()


def test_a_signed_out_tab_hears_so_in_words(working):
    working.client.logout()
    assert working.save("attempt/1", DRAFT).status_code == 401


def test_a_refused_token_can_be_renewed(cohort, ben):
    """P-06: the old page's token is refused in JSON, a fresh one is given, the save goes through."""
    client = Client(enforce_csrf_checks=True)
    hour = Hour.begin(cohort, ben, client)
    refused = hour.save("attempt/1", DRAFT)
    assert (refused.status_code, refused.json()) == (403, {"error": "csrf"})
    fresh = client.get(hour.url("save/")).json()
    assert fresh["participant"] == hour.code
    body = {"field": "attempt/1", "value": DRAFT, "base": 0, "save_id": "aaaabbbbcc", "participant": hour.code}
    answer = client.post(
        hour.url("save/"), json.dumps(body), content_type="application/json", headers={"X-CSRFToken": fresh["csrf"]}
    )
    assert answer.status_code == 404  # no attempt yet: past the token, at the door of the field


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("attempt/1", "no object"),
        ("attempt/1", {"answer": [5]}),
        ("attempt/1", {"confidence": 55}),
        ("attempt/1", {"answer": ["x" * 20_001]}),
        ("attempt/1", {"withheld": True}),
    ],
)
def test_what_cannot_be_kept_is_said(working, field, value):
    answer = working.save(field, value)
    assert answer.status_code == 422
    assert answer.json()["message"]
    assert working.attempt(1).version == 0


def test_fields_this_visit_does_not_have(working):
    for field in ("attempt/9", "attempt/x", "rating/Lead", "rationale/Org/left", "closing/nothing", "", 7):
        assert working.save(field, {}).status_code == 404
    assert working.client.post(working.url("save/"), "not json", content_type="application/json").status_code == 422


ODD = [
    ("nul\x00 and \x0b tab", "nul and \n tab"),
    ("👩‍👩‍👧‍👦 family\n\nsecond paragraph 😀 end", None),
    ("هذه Case جيدة.", None),
    ("<script>alert(1)</script><img src=x onerror=alert(1)>", None),
    ("=1+1\n\t- a list", None),
]


@pytest.mark.parametrize(("text", "kept"), ODD)
def test_typed_words_are_sacred(rating, text, kept):
    """P-15, P-16, P-17: only what nobody can see is dropped; markup is words."""
    answer = rating.save("rationale/Org/right", {"text": text, "tags": []})
    assert answer.status_code == 200
    stored = Rationale.objects.get().text
    assert stored == (kept if kept is not None else text)
    page = rating.get("ratings/Org/").content.decode()
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_the_plain_form_does_the_same(rating):
    """Two tabs without JavaScript: the older one hears of the other's text and keeps its own on the page."""
    rating.rate("Org", "4", right="The first tab's words.", version="0", version_right="0", act="later")
    late = rating.rate("Org", "4", right="The second tab's words.", version="1", version_right="0")
    page = late.content.decode()
    assert late.status_code == 409
    assert "The second tab&#x27;s words." in page
    assert "The first tab&#x27;s words." in page
    assert Rationale.objects.get(side="right").text == "The first tab's words."
    assert Save.objects.filter(accepted=False).count() == 1


def test_a_form_sent_twice_is_one_save(rating):
    """P-08 for the rating card."""
    data = {"save_id": "cardcard01", "save_id_right": "cardcard02", "version": "0", "version_right": "0"}
    one, two = rating.rate("Org", "4", **data), rating.rate("Org", "4", **data)
    assert one["Location"] == two["Location"]
    row = rating.visit.ratings.get(target="Org")
    assert (row.version, row.changes, row.final) == (1, 0, "4")


LONG = "x" * 40_000


def test_a_long_text_is_never_cut(hour):
    """P-16: refused with a remedy, whole on the page, and what was there before stays."""
    hour.orient()
    hour.work()
    hour.rate_all()
    hour.lock()
    hour.post("closing/origin/", {"origin_guess": "mix", "origin_confidence": "low"})
    hour.post("closing/software/", {"umux_requirements": "5", "umux_easy": "5"})
    page = hour.post("closing/hour/", {"rushed": "2", "trouble": LONG})
    assert page.status_code == 422
    text = page.content.decode()
    assert "Nothing was cut" in text
    assert LONG in text
    assert not hour.visit.closing.filter(item="trouble").exclude(value=None).exists()


@pytest.mark.parametrize("base", [10**30, -1, True, "1", 1.5])
def test_a_version_no_page_sends_is_refused(hour, base):
    hour.orient()
    hour.open_question()
    assert hour.save("attempt/1", {"answer": ["a"]}, base=base).status_code == 422


@pytest.mark.parametrize("digits", ["9" * 30, "9" * 5000, "٣", "-1", ""])
def test_a_form_with_a_strange_version_is_kept_or_shown_never_an_error(hour, digits):
    hour.orient()
    hour.open_question()
    answer = hour.answer(1, "005000000000001", version=digits)
    assert answer.status_code in (302, 409, 422)


@pytest.mark.parametrize("field", ["rating/\ud800", "rating/a\x00b", "attempt/٣", "attempt/" + "9" * 5000, 7, None, []])
def test_a_field_no_page_has_is_not_found(hour, field):
    """P-15, P-39"""
    hour.orient()
    assert hour.save(field, "x").status_code == 404


def test_a_body_of_brackets_is_no_answer(hour):
    answer = hour.client.post(hour.url("save/"), "[" * 100_000, content_type="application/json")
    assert answer.status_code == 422
