"""Questions after the ratings: their order, what each is about, what is stored; debrief and taking out (M7, M12)."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection

from study.fieldwork import modules
from study.fieldwork.models import (
    ClosingAnswer,
    HelpRequest,
    Note,
    Pin,
    Rating,
    Rationale,
    RequesterTurn,
    Save,
)  # fmt: skip
from study.people.models import Screening
from study.people.protocol import file_of
from study.protocols.library import builtin_text
from study.protocols.reading import parse
from study.sandbox.models import LongAddress, PageFact, TraceEvent
from tests.fieldwork.after import begin, to_the_lock, with_cards

pytestmark = pytest.mark.django_db
EPISODES = ["Answered a complaint", "نقلت حالة إلى زميل", ""]
# Instrument 2.7, without the options: one's own system, coverage and what was missing, origin, hopes, UMUX-Lite, own
# software, rushed, help, one change, trouble, use.
ORDER = [
    "own", "coverage", "not_found", "origin_guess", "origin_confidence", "hoped", "umux_requirements", "umux_easy",
    "own_software", "rushed", "help_used", "one_change", "trouble", "use_answers",
]  # fmt: skip


def screened(hour, answers=EPISODES):
    Screening.objects.create(
        participant=hour.participant, number=1, answers={"S7": answers}, rule_version="1", eligible=True
    )
    return hour


def test_pages_come_in_the_order_of_the_instrument(hour):
    """Every item is on its page, in order; each is asked about each object and each episode; all reach the table."""
    to_the_lock(screened(hour))
    asked, here = [], hour.get("closing/")["Location"]
    while "/closing/" in here:
        text = hour.get(here.split(hour.code)[1].lstrip("/")).content.decode()
        assert "checked" not in text[text.index("<main") :]
        names = list(dict.fromkeys(re.findall(r'data-item="([^"]+)"', text)))
        asked += names
        items = modules.items_of(hour.visit)
        words = {name: "Zq typed words" if items[name].type == "text" else [*items[name].codes, *items[name].points][0]
                 for name in names}  # fmt: skip
        here = hour.post(here.split(hour.code)[1].lstrip("/"), words)["Location"]
        here = hour.get("closing/")["Location"] if here.endswith("/closing/") else here
    assert here.endswith("/debrief/")
    stems = dict.fromkeys(re.sub(r"_(\d|[A-Z].*)$", "", name) for name in asked)
    assert list(stems) == ORDER
    assert {name for name in asked if re.match("own_[A-Z]", name)} == {f"own_{api}" for api in hour.visit.object_order}
    assert [name for name in asked if name.startswith("coverage")] == ["coverage_1", "coverage_2"]
    kept = {row.item: row for row in ClosingAnswer.objects.all()}
    assert list(kept) == asked
    assert all(row.shown_at and row.saved_at and row.value for row in kept.values())
    assert kept["own_Case"].value == "very_unrealistic"
    assert {item.id for item in modules.possible_items(file_of(hour.visit.protocol))} >= set(asked)


def test_ones_own_words_come_back_whole_and_turn_nothing_around(hour):
    to_the_lock(screened(hour, ["<b>Sent</b> a quote & called back", "نقلت حالة", "x" * 900]))
    page = html.unescape(hour.get("closing/coverage/").content.decode())
    assert "\u2068نقلت حالة\u2069" in page
    assert "\u2068<b>Sent</b> a quote & called back\u2069" in page
    assert "x" * 900 in page


@pytest.mark.parametrize("answers", ["rather_not_say", ["", " ", ""], []])
def test_nobody_is_asked_about_episodes_they_did_not_name(hour, answers):
    to_the_lock(screened(hour, answers))
    ids = [module.id for module in modules.modules_of(hour.visit)]
    assert "coverage" not in ids
    assert hour.get("closing/coverage/").status_code == 404
    hour.close()
    assert hour.finish().status_code == 200


def test_one_choice_per_object_is_a_table_with_a_way_out(hour):
    """Radios in named groups; what is open is named; one that was given stays; rather not say counts."""
    to_the_lock(hour)
    page = hour.post("closing/own_system/", {"own_Account": "neutral", "own_Case": "rather_not_say"})
    text = page.content.decode()
    assert page.status_code == 422
    assert text.count('role="radiogroup"') == 8
    assert len(re.findall(r'href="#item-own_', text)) == 6
    assert 'name="own_Account" value="neutral" checked' in text
    assert ClosingAnswer.objects.get(item="own_Case").value == "rather_not_say"
    assert hour.save("closing/own_Order", {"own_Order": ["realistic"]}).status_code == 200
    assert hour.save("closing/own_Lead", {"own_Lead": ["realistic"]}).status_code == 404
    assert hour.save("closing/own_Order", {"own_Order": ["superb"]}, base=1).status_code == 422
    assert hour.save("closing/coverage_1", {"coverage_1": ["fully"]}).status_code == 404


def test_first_and_last_visits_have_their_own_questions(hour, monkeypatch):
    to_the_lock(hour)
    monkeypatch.setattr(modules, "has_more", lambda visit: True)
    ids = [module.id for module in modules.modules_of(hour.visit)]
    assert "origin" not in ids
    assert "hoped" not in ids
    assert "own_system" in ids


def test_a_replication_lists_its_questions_after_the_last_rating():
    """M11, M2: nothing of ours before; each question worked on comes back with the same two lines."""
    for name in ("crmarena", "crmarena-pro"):
        file = parse(builtin_text(name))
        assert [module.position for module in file.modules] == ["after_ratings"] * len(file.modules)
        ids = [item.id for item in modules.possible_items(file)]
        for n in range(1, 6):
            assert {f"frequency_{n}", f"clear_{n}"} <= set(ids)
        assert (
            ids.index(next(one for one in ids if re.match("own_[A-Z]", one)))
            < ids.index("origin_guess")
            < ids.index("umux_easy")
        )


def test_only_questions_worked_on_are_asked_about(study, org, ben, client):
    block = builtin_text("crmarena")
    block = block[block.index("  - id: task_realism") : block.index("  - id: own_system")]
    text = builtin_text("realia-hour").replace("  - id: own_system\n", block + "  - id: own_system\n")
    hour = to_the_lock(begin(study, ben, client, text))
    hour.visit.attempts.filter(position=2).update(outcome="not_reached")
    page = hour.get("closing/task_realism/").content.decode()
    assert [n for n in range(1, 6) if f'id="item-frequency_{n}"' in page] == [1, 3, 4, 5]
    assert hour.attempt(1).place.instance.question in html.unescape(page)


def test_the_debrief_asks_once_and_shows_answers_of_every_kind(study, org, ben, client):
    """M7: origin, why it was held back, neither preselected, pay the same; M8: answers beside one's own, no verdict."""
    text = builtin_text("realia-hour").replace("answers_shown: false", "answers_shown: true")
    hour = begin(study, ben, client, text)
    to_the_lock(hour)
    for n, (outcome, answer) in enumerate(
        [("answered", ["March"]), ("none", None), ("skipped", None), ("withheld", None), ("not_reached", None)], start=1
    ):
        hour.visit.attempts.filter(position=n).update(outcome=outcome, answer=answer)
    record = hour.attempt(1).place.instance
    record.__class__.objects.filter(pk=record.pk).update(answer=["005Hy0000000001IAA", None])
    hour.close()
    page = html.unescape(hour.get("debrief/").content.decode())
    main = page[page.index("<main") :]
    assert "checked" not in main
    assert main.index("A program made them all") < main.index("We did not say so earlier") < main.index("may we keep")
    assert "Your pay and your code are the same either way." in main
    own = re.findall(r"<dt>Yours</dt><dd><bdi>(.*?)</bdi>", main)
    assert own == [
        "March",
        "No record fits",
        "You skipped it.",
        "This should not be disclosed",
        "You did not get to it.",
    ]
    assert re.search(r"<dt>Expected</dt><dd><bdi>[^<]+ \(005Hy0000000001IAA\)</bdi>, <bdi>No record fits</bdi>", main)
    for word in ("correct", "wrong", "right answer"):
        assert word not in main
    assert hour.post("debrief/", {}).status_code == 422
    assert hour.participant.data_choice == ""


def test_a_name_in_a_text_is_asked_about_once_and_kept(hour):
    """M20: a kind hint, never a demand; the words are stored whichever way."""
    to_the_lock(hour)
    words = "Letters of Nadja Brandt GmbH, n.brandt@example.test"
    page = hour.post("closing/missing/", {"not_found": words})
    assert page.status_code == 200
    assert "Could this tell who somebody is?" in page.content.decode()
    assert ClosingAnswer.objects.get(item="not_found").value == words
    assert hour.post("closing/missing/", {"not_found": words, "hinted": "1"}).status_code == 302


def everything_stored() -> str:
    """Every value of every table, as text."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            found += [repr(row) for row in cursor.fetchall()]
    return "\n".join(found)


def test_take_out_leaves_no_word_and_no_choice(study, org, ben, client):
    """M7: whatever was typed, chosen, searched, pinned or copied is gone from every table; counts and code stay."""
    word = "Xylophone-4711"
    hour = screened(begin(study, ben, client, with_cards("reference")), [word, "", ""])
    hour.orient()
    hour.work()
    visit, attempt = hour.visit, hour.attempt(1)
    attempt.__class__.objects.filter(pk=attempt.pk).update(scratch=word, draft={"answer": [word]}, reason=word)
    Note.objects.create(visit=visit, attempt=attempt, text=word)
    RequesterTurn.objects.create(
        attempt=attempt, number=1, asked=word, reply=f"You said {word}", kind="needed", topics=[word], save_id="s" * 12
    )
    HelpRequest.objects.create(visit=visit, kind="stuck", words=word, reply=f"About {word}", page=f"/crm/X/?q={word}")
    TraceEvent.objects.create(desk=attempt.desk, sequence=900, kind="search", query={"text": word}, record="r" * 18)
    PageFact.objects.create(desk=attempt.desk, sequence=900, copied=["005Hy0000000001IAA"])
    looked_for = "&".join(f"q{n}={word}-{n:0200}" for n in range(20))
    assert hour.get(f"/crm/{attempt.desk.code}/o/Case/?{looked_for}").status_code in (200, 400)
    LongAddress.objects.create(hash="f" * 64, query=looked_for, stored_at=attempt.desk.opened_at)
    hour.rate_all()
    Rationale.objects.filter(rating__visit=visit).update(text=word, pasted_share=0.5, pastes=2, focus_seconds=9)
    Pin.objects.create(visit=visit, rating=visit.ratings.first(), side="off", object="Case", record="p" * 18)
    assert hour.save("rationale/Org/right", {"text": word, "tags": []}, base=1).status_code == 200
    hour.lock()
    hour.close(not_found=word, hoped=word, one_change=word, trouble=word, choice="5")
    assert everything_stored().count(word) > 12
    assert Rating.objects.filter(kind="record", final="5").count() == 12
    page = hour.finish("take_out")
    assert page.status_code == 200
    assert hour.participant.completion_code in page.content.decode()
    assert word not in everything_stored()
    assert "rrrrrrrrrr" not in everything_stored()
    assert not Pin.objects.exists()
    assert set(Rating.objects.values_list("first", "final")) == {("", "")}
    assert set(Save.objects.values_list("value", flat=True)) == {None}
    assert PageFact.objects.get(sequence=900).copied == []
    assert (visit.attempts.count(), HelpRequest.objects.count(), RequesterTurn.objects.count()) == (5, 1, 1)
    assert Rating.objects.filter(kind="record").count() == 12
    assert TraceEvent.objects.filter(sequence=900).exists()


def test_a_first_visit_of_several_leads_to_the_next_and_never_to_the_debrief(hour, monkeypatch):
    """M1: no debrief between two visits; the choice about one's data comes once, at the end."""
    from study.fieldwork import ending
    from study.fieldwork.views import closing

    to_the_lock(hour)
    hour.close()
    ended = []
    for place in (modules, ending, closing):
        monkeypatch.setattr(place, "has_more", lambda visit: True)
    monkeypatch.setattr(ending, "end_visit", lambda visit: ended.append(visit.pk) or True)
    assert hour.get("closing/")["Location"].endswith("/next/")
    assert ended == [hour.visit.pk]
    assert hour.get("debrief/")["Location"].endswith("/closing/")
    assert hour.post("debrief/", {"data_choice": "keep"})["Location"].endswith("/closing/")
    assert hour.participant.end == ""
    with pytest.raises(ValueError, match="not the last"):
        ending.finish(hour.visit, data_choice="keep", results_wanted=False)
