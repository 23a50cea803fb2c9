"""Someone to ask in the dock: drawn once, by posting or from the page, kept on every page, counted, rated (M19)."""

from __future__ import annotations

import json

import pytest

from study.benchmark.models import Instance
from study.fieldwork.models import ClosingAnswer, RequesterTurn
from study.protocols.library import builtin_text
from study.protocols.reading import read
from tests.benchmark.requester_forms import DEFINITIONS, FORMS, QUESTION
from tests.fieldwork.hour import Hour
from tests.people.walk import freeze

REQUESTER = """
  requester:
    withhold: [definitions]
    styles: [vague]
    title: Ask whoever sent this
    intro: They answer at once. Ask as often as you need to.
    placeholder: Your question
    not_understood: Sorry, I did not get that. What would you like to know?
    nothing_more: That is all I know.
    rating:
      id: like_someone_you_serve
      text: How like someone you serve was the person you could ask?
      type: scale
      low: 1
      high: 7
      low_label: Not at all
      high_label: Very much
"""
JSON = {"Accept": "application/json"}


def protocol_text(requester: str = REQUESTER) -> str:
    text = builtin_text("realia-hour")
    assert "\n  console: false\n" in text
    return text.replace("\n  console: false\n", "\n  console: false" + requester, 1)


@pytest.fixture
def asking(study, org, ben, client) -> Hour:
    """Ben at his first question, which hides what its words mean."""
    from study.assignment.flows import open_cohort
    from study.people.sample.cohorts import create_cohort

    freeze(study, protocol_text())
    Instance.objects.update(forms=FORMS, question=QUESTION, definitions=DEFINITIONS)
    row = create_cohort(
        study, code="north", name="Panel North", arm="main", target=10, contact_email="noor@example.test", by=None
    )
    open_cohort(row, by=None)
    hour = Hour.begin(row, ben, client)
    hour.orient()
    hour.open_question()
    return hour


def ask(hour: Hour, text: str, save_id: str = "aaaaaaaa01", **more):
    return hour.post("work/1/ask/", {"question": text, "question_id": save_id} | more, headers=JSON)


def desk_page(hour: Hour, rest: str = "") -> str:
    return hour.get(f"/crm/{hour.attempt(1).desk.code}/{rest}").content.decode()


def test_the_dock_shows_the_opening_and_not_what_is_withheld(asking: Hour) -> None:
    one = asking.attempt(1)
    assert (one.withhold, one.style) == ("definitions", "vague")
    assert asking.attempt(2).withhold == ""  # drawn when its desk opens, not before
    for page in (desk_page(asking), desk_page(asking, "o/Case/"), asking.get("work/1/").content.decode()):
        assert "Which agent stands out?" in page
        assert "Ask whoever sent this" in page
        assert "Handle time runs from opened to closed." in page
        assert "six weeks" not in page
    again = asking.attempt(1)
    assert (again.withhold, again.style) == ("definitions", "vague")


def test_a_question_is_answered_kept_on_every_page_and_sent_twice_counts_once(asking: Hour) -> None:
    first = ask(asking, "For which PÉRIODS?\x00 <b>").json()
    assert first == {"number": 1, "asked": "For which PÉRIODS? <b>", "reply": "Lately."}
    assert ask(asking, "For which period?").json() == first
    assert ask(asking, "The period, please", "aaaaaaaa02").json()["reply"] == "The past six weeks."
    for page in (desk_page(asking), desk_page(asking, "o/Case/"), asking.get("work/1/").content.decode()):
        assert "For which PÉRIODS? &lt;b&gt;" in page
        assert "The past six weeks." in page
    turns = RequesterTurn.objects.filter(attempt=asking.attempt(1))
    assert [(t.number, t.kind, t.topics, t.given) for t in turns] == [
        (1, "needed", ["period"], [[3, "vague"]]), (2, "needed", ["period"], [[3, "full"]]),
    ]  # fmt: skip


def test_without_scripts_the_answer_typed_so_far_is_kept_with_the_question(asking: Hour) -> None:
    gold = asking.right_answer(1)
    sent = asking.post("work/1/ask/", {
        "question": "Anything else?", "question_id": "aaaaaaaa03", "act": "ask", "answer": gold, "version": "0",
        "save_id": "bbbbbbbb01", "back": f"/crm/{asking.attempt(1).desk.code}/",
    })  # fmt: skip
    assert sent.status_code == 302
    assert sent["Location"] == f"/crm/{asking.attempt(1).desk.code}/"
    one = asking.attempt(1)
    assert one.draft["answer"] == [gold]
    assert [turn.asked for turn in one.turns.all()] == ["Anything else?"]
    # A refusal loses neither: both stand in their fields again.
    refused = asking.post("work/1/ask/", {"question": " ", "question_id": "aaaaaaaa04", "answer": gold, "version": "1"})
    assert refused.status_code == 422
    assert gold in refused.content.decode()
    assert "Type a question first." in refused.content.decode()


def test_long_questions_are_kept_whole_and_too_long_ones_are_refused_uncut(asking: Hour) -> None:
    long = "how many? " * 1500
    assert ask(asking, long).json()["asked"] == long.strip()
    refused = ask(asking, "x" * 20_001, "aaaaaaaa05")
    assert refused.status_code == 422
    assert "Nothing was cut" in refused.json()["message"]
    assert asking.attempt(1).turns.count() == 1


def test_nobody_is_there_to_ask_once_the_question_is_over_and_then_they_are_rated(asking: Hour) -> None:
    ask(asking, "period")
    assert asking.answer(1).status_code == 302
    assert ask(asking, "period", "aaaaaaaa06").status_code == 422
    page = asking.get("work/1/after/").content.decode()
    assert "How like someone you serve" in page
    assert "Which agent stands out?" in page
    asking.post(
        "work/1/after/", {"frequency_at_work": "weekly", "one_clear_answer": "yes", "like_someone_you_serve": "5"}
    )
    row = ClosingAnswer.objects.get(visit=asking.visit, item="like_someone_you_serve.1")
    assert row.value == "5"


def test_talks_are_measured_for_the_bundle(asking: Hour) -> None:
    from study.results.rows import VisitRows
    from study.results.rows_work import attempt_rows

    for n, text in enumerate(["period", "which period", "by when", "hello", "how many, and which end: most?"]):
        ask(asking, text, f"aaaaaaaa1{n}")
    asking.answer(1)
    row = next(iter(attempt_rows(VisitRows.of(asking.visit))))
    assert {name: row[name] for name in row if name.startswith(("questions", "facts"))} == {
        "questions_needed": 3, "questions_repeated": 0, "questions_unneeded": 1, "questions_other": 1,
        "facts_needed": 3, "facts_obtained": 1,
    }  # fmt: skip


def test_without_a_requester_there_is_nobody_to_ask(hour: Hour) -> None:
    Instance.objects.update(forms=FORMS)
    hour.orient()
    hour.open_question()
    assert (hour.attempt(1).withhold, hour.attempt(1).style) == ("", "")
    assert "data-requester" not in desk_page(hour)
    assert hour.post("work/1/ask/", {"question": "period", "question_id": "aaaaaaaa01"}).status_code == 404


def test_an_instance_without_the_form_is_asked_whole(asking: Hour) -> None:
    Instance.objects.update(forms={})
    asking.answer(1)
    asking.after(1)
    asking.post("work/open/")
    assert (asking.attempt(2).withhold, asking.attempt(2).style) == ("none", "")
    assert QUESTION in asking.get("work/2/").content.decode()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("withhold: [definitions]", "withhold: [none]", "Nothing is withheld"),
        ("withhold: [definitions]", "withhold: [policy, policy]", "“policy” is here twice"),
        ("styles: [vague]", "styles: [vague, terse, vague]", "“vague” is here twice"),
        ("id: like_someone_you_serve", "id: S1", "“S1” is here twice"),
        ("withhold: [definitions]", "withhold: [surprise]", "not one of the possible ones"),
    ],
)
def test_a_requester_that_makes_no_sense_is_named(old: str, new: str, said: str) -> None:
    problems = read(protocol_text(REQUESTER.replace(old, new))).problems
    assert any(said in problem.message for problem in problems if problem.level == "error"), problems


def test_a_replication_has_no_requester() -> None:
    text = builtin_text("crmarena-pro").replace("\n  console: false", "\n  console: false" + REQUESTER.rstrip(), 1)
    assert [p.path for p in read(text).errors if "Nobody could be asked" in p.message] == ["work.requester"]


def test_the_reply_is_json_a_page_can_add(asking: Hour) -> None:
    assert set(json.loads(ask(asking, "هل من شيء؟").content)) == {"number", "asked", "reply"}


def test_the_page_of_ones_own_data_tells_no_more_than_was_told(asking: Hour) -> None:
    """M19: what is withheld stands nowhere, the download and the question's other pages included."""
    assert Instance.objects.filter(question=QUESTION).exists()
    for page in (asking.get("data/"), asking.get("data/file/"), asking.get("work/1/"), asking.get("work/1/kept/")):
        said = page.content.decode()
        assert "six weeks" not in said
        assert QUESTION not in said
    assert "Which agent stands out?" in asking.get("data/").content.decode()


def test_without_scripts_another_question_on_a_page_got_back_is_another_turn(asking: Hour) -> None:
    form = {"question": "For which period?", "question_id": "cccccccc01", "act": "ask"}
    for _twice in range(2):
        asking.post("work/1/ask/", form)
    asking.post("work/1/ask/", form | {"question": "Which team?"})
    asking.post("work/1/ask/", form | {"question": "Which team?"})
    assert [turn.asked for turn in asking.attempt(1).turns.all()] == ["For which period?", "Which team?"]
    held = {"question": "typed and not sent", "scratch": "on the pad", "scratch_version": "0", "note": "x" * 20_001}
    refused = asking.post("work/1/ask/", held | {"question_id": "cccccccc02", "answer": "an answer"}).content.decode()
    for words in ("typed and not sent", "on the pad", "x" * 20_001):
        assert words in refused
