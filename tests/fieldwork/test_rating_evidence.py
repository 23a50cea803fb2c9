"""What belongs to a text: evidence, notes of the work, the one kind question, and how it came about."""

from __future__ import annotations

import pytest

from study.fieldwork import evidence, typing_facts
from study.fieldwork.hinting import hits
from study.fieldwork.models import Note, Pin, Rationale
from tests.fieldwork.rating_hour import at_the_ratings, open_in_work

pytestmark = pytest.mark.django_db
BOX = {"HTTP_X_PART": "box"}


@pytest.fixture
def hour(study, org, ben, client):
    hour = at_the_ratings(study, org, ben, client)
    hour.get("ratings/", follow=True)
    return hour


def chips(hour, target="Org"):
    return list(Pin.objects.filter(rating__target=target).values_list("side", "record", "field"))


def test_a_record_one_has_opened_is_attached_narrowed_and_removed_without_scripts(hour):
    case = open_in_work(hour, "Case")
    page = hour.get("ratings/Org/").content.decode()
    assert f'value="right:{case}:"' in page
    sent = {"choice": "4", "right": "Typed, not saved yet.", "version": "0", "attach": f"right:{case}:"}
    for _twice in range(2):
        assert hour.post("ratings/Org/evidence/attach/", sent)["Location"].endswith("/ratings/Org/#box-right")
    assert chips(hour) == [("right", case, "")]
    assert Rationale.objects.get(rating__target="Org").text == "Typed, not saved yet."
    pin = Pin.objects.get(rating__target="Org")
    hour.post("ratings/Org/evidence/narrow/", {"narrow": f"{pin.pk}:Status"})
    assert chips(hour) == [("right", case, "Status")]
    assert "· Status</a>" in hour.get("ratings/Org/").content.decode()
    hour.post("ratings/Org/evidence/narrow/", {"narrow": f"{pin.pk}:Nothing"})
    assert chips(hour) == [("right", case, "Status")]
    hour.post("ratings/Org/evidence/remove/", {"detach": str(pin.pk)})
    hour.post("ratings/Org/evidence/remove/", {"detach": str(pin.pk)})
    assert chips(hour) == []


def test_only_what_was_opened_of_this_object_is_offered_the_latest_first(hour):
    target = next(api for api in hour.visit.object_order if api not in ("Case", "Account"))
    case, account = open_in_work(hour, "Case"), open_in_work(hour, "Account")
    noted = open_in_work(hour, target)
    Note.objects.create(visit=hour.visit, text="Odd dates here", object=target, record=noted)
    org = hour.visit.ratings.get(target="Org")
    assert [one.record for one in evidence.offers_for(org)] == [noted, account, case]
    card = hour.visit.ratings.get(target=target)
    assert [(one.record, one.pinned) for one in evidence.offers_for(card)] == [(noted, True)]
    refused = hour.post(f"ratings/{target}/evidence/attach/", {"attach": f"off:{case}:"}, **BOX)
    assert (refused.status_code, "Open this record first" in refused.content.decode()) == (422, True)
    assert hour.post("ratings/Org/evidence/attach/", {"attach": f"wrong:{case}:"}).status_code == 404
    part = hour.post(f"ratings/{target}/evidence/attach/", {"attach": f"off:{noted}:"}, **BOX).content.decode()
    assert "<html" not in part
    assert 'name="detach"' in part


def test_after_the_lock_nothing_is_attached(hour):
    case = open_in_work(hour, "Case")
    hour.post("lock/", {"leave_open": "yes"})
    assert hour.post("ratings/Org/evidence/attach/", {"attach": f"right:{case}:"})["Location"].endswith("/closing/")
    with pytest.raises(evidence.NotOpen):
        evidence.attach(hour.visit.ratings.get(target="Org"), "right", case)
    assert chips(hour) == []


def test_notes_of_the_work_come_back_this_object_first(hour):
    target = hour.visit.object_order[0]
    Note.objects.create(visit=hour.visit, text="<i>About</i> this one 👍", object=target)
    Note.objects.create(visit=hour.visit, text="About another", object="Issue__c")
    hour.rate("Org")
    page = hour.get(f"ratings/{target}/").content.decode()
    first, rest = page.split("One note about something else")
    assert "&lt;i&gt;About&lt;/i&gt; this one 👍" in first
    assert "About another" in rest
    assert "note about something else" not in hour.get("ratings/Org/").content.decode()


def test_m20_names_are_asked_about_once_and_nothing_is_changed(hour):
    text = "As at Brightwell Tools Ltd, ask Mrs Norton, n.norton@brightwell.example.test."
    asked = hour.rate("Org", "4", right=text)
    page = asked.content.decode()
    assert asked.status_code == 200
    assert "Could this tell who somebody is?" in page
    assert "“Brightwell Tools Ltd”" in page
    box = Rationale.objects.get(rating__target="Org", side="right")
    assert (box.text, box.hinted) == (text, True)
    assert hour.rate("Org", "4", right=text, version="1", version_right="1").status_code == 302
    # Whoever leaves a card by another way is asked on the lock page, once too.
    hour.save("rationale/Org/off", {"text": "Call +49 30 1234567", "tags": []})
    assert "+49 30 1234567" in hour.get("lock/").content.decode()
    assert "+49 30 1234567" not in hour.get("lock/").content.decode()


def test_what_may_name_somebody_is_found_and_the_rest_is_left_alone():
    found = {
        "Write to ada.lovelace@corp.example.test now": [("email", "ada.lovelace@corp.example.test")],
        "see www.acme.com/x, not http://127.0.0.1/crm/ab/r/500/": [("url", "www.acme.com/x,")],
        "We at Fellside Huts & Sons Ltd. use it": [("company", "Fellside Huts & Sons Ltd.")],
        "like at Müller GmbH, or Dr. Weber": [("company", "Müller GmbH"), ("person", "Dr. Weber")],
        "0151 2345678 or (030) 123-45678": [("phone", "0151 2345678"), ("phone", "(030) 123-45678")],
    }
    assert {text: [(hit.kind, hit.text) for hit in hits(text)] for text in found} == found
    for text in (
        "Case 00018427 from 2023-01-16 costs 18,240 and 1,234,567.89", "we plc nothing, an inc. thing, a dr visit",
        "500Hy0000000005IAA and 5012345678", "Totals add up 👍. نصّ عربي with CRM in it.", "", "2023-01-16 2023-02-17",
    ):  # fmt: skip
        assert hits(text) == [], text
    assert len(hits("a@b.example.test " * 3 + " ".join(f"a{n}@b.example.test" for n in range(9)))) == 5


def test_how_a_text_came_about_is_kept_only_of_who_agreed(hour):
    """The page of somebody who did not tick does not even measure, and what is sent all the same is not kept."""
    assert "facts_" not in hour.get("ratings/Org/").content.decode()
    hour.save("rationale/Org/right", {"text": "twelve signs", "tags": [], "facts": [6, 1, 40]})
    hour.rate("Org", "4", off="Something else is long enough.", facts_off="3,1,9")
    kept = Rationale.objects.values_list("pasted_share", "pastes", "focus_seconds")
    assert set(kept) == {(None, None, None)}
    assert not any("facts" in (save.value or {}) for save in hour.visit.saves.all())


def test_who_agreed_has_share_pastes_and_seconds(study, org, ben, client):
    hour = at_the_ratings(study, org, ben, client, ticks=("typing",))
    page = hour.get("ratings/Org/").content.decode()
    assert 'name="facts_right" value="0,0,0"' in page
    hour.save("rationale/Org/right", {"text": "twelve signs", "tags": [], "facts": [6, 1, 40]})
    box = Rationale.objects.get(rating__target="Org", side="right")
    assert (box.pasted_share, box.pastes, box.focus_seconds) == (0.5, 1, 40)
    assert 'value="6,1,40"' in hour.get("ratings/Org/").content.decode()
    hour.rate("Org", "4", right="twelve signs", version_right="1", facts_right="99,2,70", hinted="1")
    box.refresh_from_db()
    assert (box.pasted_share, box.pastes, box.focus_seconds, box.version) == (1.0, 2, 70, 1)
    for bad in (None, "", "1,2", "1,2,x", [1, 2, -3], {"a": 1}, "1,2,99999999999", [1, 2, 3, 4], [True, 1, 1]):
        assert typing_facts.facts_from(bad) is None
    assert typing_facts.facts_from([2, 2000, 10**8]) == typing_facts.TypingFacts(2, 1000, 86400)
