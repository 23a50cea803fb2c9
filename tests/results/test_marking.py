"""Texts that are not plainly right wait for people, who never learn whose they are; their mark is the grade."""

from __future__ import annotations

import csv
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member
from study.accounts.models import AuditRow, Role
from study.benchmark.keys import change_key
from study.benchmark.models import Instance
from study.fieldwork import marking
from study.fieldwork.grades import outdated, regrade, verdict
from study.fieldwork.models import Attempt, Mark, MarkingPlan
from study.fieldwork.taking_out import take_out
from study.results.exporting import write_study
from tests.fieldwork.hour import SECRET, Hour

pytestmark = pytest.mark.django_db
CLOSE = "the Zebrafinch Quartet of Leeds"
SCRIPT = "<script>alert(1)</script>"


def text_attempt(hour: Hour) -> Attempt:
    """Ben's first attempt, its question one about a text: the five that are drawn need not hold one."""
    attempt = hour.attempt(1)
    text = {"task": "knowledge_qa", "answer_type": "text", "metric": "fuzzy_match", "answer": [SECRET]}
    Instance.objects.filter(pk=attempt.place.instance_id).update(**text)
    return hour.attempt(1)


def five_texts(hour: Hour) -> None:
    """All five of Ben's questions are about texts, and none of his answers is plainly right."""
    for attempt in hour.visit.attempts.all():
        text = {"answer_type": "text", "metric": "fuzzy_match", "answer": ["x y"]}
        Instance.objects.filter(pk=attempt.place.instance_id).update(**text)
        Attempt.objects.filter(pk=attempt.pk).update(answer=[f"y {attempt.position}"], outcome="answered")
    regrade(hour.participant.study, by=None)


def written(hour: Hour, text: str) -> Attempt:
    """Ben's answer to the question about a text, as if it had been typed, graded at the lock."""
    attempt = text_attempt(hour)
    Attempt.objects.filter(pk=attempt.pk).update(answer=[text], outcome="answered")
    regrade(hour.participant.study, by=None)
    return Attempt.objects.get(pk=attempt.pk)


@pytest.fixture
def waiting(finished, study) -> Attempt:
    """Ben wrote more than the key says: F1 4/5 or so, and no rule can say whether it is right."""
    return written(finished, CLOSE)


@pytest.fixture
def rae(study):
    """A second researcher."""
    user = user_with_address("rae@example.test", name="Rae Sun")
    add_member(study, user, Role.RESEARCHER, by=None)
    return user


def item_for(study, user):
    (item,) = marking.queue(study, user)
    return item


def give(study, user, verdict: str, note: str = "") -> Attempt:
    item = item_for(study, user)
    marking.mark(study, item, verdict, note, by=user)
    return Attempt.objects.get(pk=item.attempt.pk)


# What waits


def test_a_text_that_is_not_plainly_right_is_not_failed(waiting, study, ada):
    assert (waiting.correct, waiting.graded_by, waiting.mark, waiting.key_version) == (None, "token_f1", "", 1)
    assert 0 < waiting.score < 1
    assert (item_for(study, ada).state, item_for(study, ada).answer) == ("open", CLOSE)


def test_word_for_word_does_not_wait(finished, study, ada):
    attempt = written(finished, f"The {SECRET}.")
    assert (attempt.correct, attempt.score) == (True, 1.0)
    assert marking.queue(study, ada) == []


@pytest.mark.parametrize("outcome", ["none", "skipped"])
def test_no_text_does_not_wait(finished, study, ada, outcome):
    attempt = text_attempt(finished)
    Attempt.objects.filter(pk=attempt.pk).update(outcome=outcome, answer=None)
    regrade(study, by=None)
    assert marking.queue(study, ada) == []


def test_nothing_waits_before_the_lock(cohort, ben, client, study, ada):
    """M8: an answer is graded when the ratings are closed, not before."""
    hour = Hour.begin(cohort, ben, client)
    hour.orient()
    hour.work()
    Attempt.objects.filter(visit=hour.visit).update(answer=["anything"], outcome="answered")
    assert marking.queue(study, ada) == []


def test_the_order_is_drawn_from_a_stored_seed(finished, study, ada):
    for attempt in finished.visit.attempts.all():
        Instance.objects.filter(pk=attempt.place.instance_id).update(
            answer_type="text", metric="fuzzy_match", answer=["x y"]
        )
        Attempt.objects.filter(pk=attempt.pk).update(answer=[f"y {attempt.position}"], outcome="answered")
    regrade(study, by=None)
    orders = set()
    for seed in range(8):
        MarkingPlan.objects.update_or_create(study=study, defaults={"seed": seed})
        study.refresh_from_db()
        first, again = ([item.attempt.position for item in marking.queue(study, ada)] for _ in range(2))
        assert first == again
        assert sorted(first) == [1, 2, 3, 4, 5]
        orders.add(tuple(first))
    assert len(orders) >= 4


# Marks


@pytest.mark.parametrize(("said", "correct"), [("right", True), ("partly", False), ("wrong", False)])
def test_a_mark_is_the_grade_and_f1_stays(waiting, study, ada, said, correct):
    attempt = give(study, ada, said, "  Says the same.  ")
    assert (attempt.correct, attempt.mark, attempt.graded_by) == (correct, said, "mark")
    assert attempt.score == waiting.score
    (mark,) = Mark.objects.all()
    assert (mark.marker, mark.note, mark.key_version) == (ada, "Says the same.", 1)
    row = AuditRow.objects.get(act="text.marked")
    assert (row.actor, row.detail["verdict"]) == (ada, said)
    assert attempt.visit.participant.code not in str((row.target, row.detail))


def test_an_undone_mark_stays_in_the_log(waiting, study, ada):
    give(study, ada, "wrong")
    assert marking.undo(study, item_for(study, ada), by=ada)
    assert not marking.undo(study, item_for(study, ada), by=ada)
    attempt = Attempt.objects.get(pk=waiting.pk)
    assert (attempt.correct, attempt.mark, attempt.graded_by) == (None, "", "token_f1")
    give(study, ada, "right")
    give(study, ada, "partly")  # a change of mind
    assert [(m.verdict, m.undone_at is None) for m in Mark.objects.order_by("pk")] == [
        ("wrong", False), ("right", False), ("partly", True),
    ]  # fmt: skip
    assert Attempt.objects.get(pk=waiting.pk).mark == "partly"


@pytest.mark.parametrize(
    ("marks", "needed", "holds"),
    [
        ([], 1, ""), (["right"], 1, "right"), (["right"], 2, ""), (["right", "right"], 2, "right"),
        (["right", "wrong"], 1, ""), (["right", "wrong", "partly"], 2, ""), (["right", "wrong", "wrong"], 2, "wrong"),
    ],
)  # fmt: skip
def test_more_than_half_decide(marks, needed, holds):
    assert verdict(marks, needed) == holds


def test_two_mark_apart(waiting, study, ada, rae):
    marking.set_markers(study, 2, by=ada)
    assert give(study, ada, "right").mark == ""
    assert item_for(study, ada).state == "waiting"
    mine = item_for(study, rae)
    assert (mine.state, mine.others) == ("open", ())  # Rae does not see Ada's mark before her own
    assert give(study, rae, "wrong").mark == ""
    assert [item_for(study, user).state for user in (ada, rae)] == ["differs", "differs"]
    assert [mark.verdict for mark in item_for(study, rae).others] == ["right"]
    assert give(study, rae, "right").mark == "right"
    assert item_for(study, ada).state == "done"


def test_one_marker_more_or_less_counts_at_once(waiting, study, ada):
    give(study, ada, "right")
    marking.set_markers(study, 2, by=ada)
    assert Attempt.objects.get(pk=waiting.pk).correct is None
    marking.set_markers(study, 1, by=ada)
    assert Attempt.objects.get(pk=waiting.pk).correct is True
    with pytest.raises(ValueError, match="one person or by two"):
        marking.set_markers(study, 3, by=ada)


@pytest.mark.parametrize(
    ("said", "note", "why"), [("maybe", "", "Choose"), ("", "", "Choose"), ("right", "x" * 2001, "2001")]
)
def test_a_mark_that_cannot_be_taken(waiting, study, ada, said, note, why):
    with pytest.raises(marking.MarkRefused, match=why):
        give(study, ada, said, note)
    assert not Mark.objects.exists()


def test_what_is_taken_out_takes_its_marks_along(waiting, study, ada, finished):
    """A note may quote the answer."""
    give(study, ada, "right", CLOSE)
    take_out(finished.participant)
    assert not Mark.objects.exists()
    attempt = Attempt.objects.get(pk=waiting.pk)
    assert (attempt.mark, attempt.correct, attempt.score) == ("", None, None)


# Keys and grades


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, no_color=True)
    return out.getvalue()


def test_a_changed_key_waits_for_regrading_and_is_said(waiting, study, finished, ada, desk_of_ada):
    instance = waiting.place.instance
    before = give(study, ada, "wrong")
    change_key(instance, [CLOSE], by=ada, reason="The article says more.")
    assert Attempt.objects.get(pk=waiting.pk).correct is False  # nothing in silence
    assert outdated(study) == 1
    assert "manage.py regrade spring" in desk_of_ada.get("/studies/spring/marking/").content.decode()
    said = run("regrade", "spring")
    name = f"{finished.code}-1 question {before.position}, {before.place.task}"
    assert f"{name}: wrong by mark, score {before.score:.2f}; now right by token_f1, score 1.00 (key 1 to 2)" in said
    assert "1 grades changed." in said
    after = Attempt.objects.get(pk=waiting.pk)
    assert (after.correct, after.mark, after.key_version, after.answer) == (True, "", 2, [CLOSE])
    assert (outdated(study), run("regrade", "spring")) == (0, "0 grades changed.\n")
    assert AuditRow.objects.filter(act="study.regraded").count() >= 2


def test_a_mark_by_an_old_key_waits_to_be_given_again(waiting, study, ada):
    give(study, ada, "right")
    change_key(waiting.place.instance, ["something else"], by=ada, reason="Wrong article.")
    regrade(study, by=ada)
    attempt = Attempt.objects.get(pk=waiting.pk)
    assert (attempt.correct, attempt.mark, attempt.graded_by) == (None, "", "token_f1")
    assert item_for(study, ada).state == "open"
    assert give(study, ada, "wrong").correct is False


def test_answers_that_need_nobody_follow_the_newest_key(finished, study, ada):
    attempt = finished.attempt(2)
    month = {"task": "monthly_trend_analysis", "answer_type": "month", "metric": "exact_match", "answer": ["March"]}
    Instance.objects.filter(pk=attempt.place.instance_id).update(**month)
    Attempt.objects.filter(pk=attempt.pk).update(answer=["March"])
    regrade(study, by=ada)
    assert finished.attempt(2).correct is True
    change_key(finished.attempt(2).place.instance, ["April"], by=ada, reason="Counted again.")
    (change,) = regrade(study, by=ada)
    assert (change.position, change.before.correct, change.after.correct) == (2, True, False)
    assert finished.attempt(2).answer == ["March"]


def test_a_study_that_is_not_there():
    with pytest.raises(CommandError, match="no study"):
        run("regrade", "autumn")


def test_the_bundle_has_mark_f1_and_version(opened, waiting, study, ada, tmp_path):
    give(study, ada, "partly")
    change_key(waiting.place.instance, ["other"], by=ada, reason="Wrong article.")
    write_study(opened, tmp_path / "b", blind=False)
    with (tmp_path / "b" / "attempts.csv").open(newline="", encoding="utf-8") as file:
        (row,) = [row for row in csv.DictReader(file) if row["mark"]]
    assert (row["mark"], row["correct"], row["graded_by"], row["key_version"]) == ("partly", "false", "mark", "1")
    assert float(row["score"]) == pytest.approx(waiting.score)
    with (tmp_path / "b" / "instances.csv").open(newline="", encoding="utf-8") as file:
        versions = {row["instance"]: row["key_version"] for row in csv.DictReader(file)}
    assert versions.pop(waiting.place.instance.key) == "2"
    assert set(versions.values()) == {"1"}


# Pages


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return answer.content.decode()


def test_who_marks_never_learns_whose_text_it_is(waiting, study, finished, desk_of_ada, ada):
    """Blind to participant: no code, no arm, no Org, no position in the visit."""
    token = item_for(study, ada).token
    for path in ("/studies/spring/marking/", f"/studies/spring/marking/{token}/"):
        shown = page(desk_of_ada, path)
        for word in (finished.code, "main", "demo-service", "north", str(waiting.visit.org.hash[:12])):
            body = shown.split('<main id="main"', 1)[1].split("</main>", 1)[0]
            assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", body) is None, (path, word)
    assert CLOSE in page(desk_of_ada, f"/studies/spring/marking/{token}/")
    assert SECRET in page(desk_of_ada, f"/studies/spring/marking/{token}/")


def test_marking_through_the_pages(waiting, study, desk_of_ada, ada):
    token = item_for(study, ada).token
    one = f"/studies/spring/marking/{token}/"
    refused = desk_of_ada.post(f"{one}mark/", {"note": "kept while it is put right"})
    assert refused.status_code == 422
    assert "kept while it is put right" in refused.content.decode()
    answer = desk_of_ada.post(f"{one}mark/", {"verdict": "right", "note": SCRIPT})
    assert (answer.status_code, answer["Location"]) == (302, "/studies/spring/marking/")  # it was the last
    shown = page(desk_of_ada, one)
    assert SCRIPT not in shown
    assert "It counts as: right." in shown
    assert "0 for you to mark, 1 done" in page(desk_of_ada, "/studies/spring/marking/")
    assert desk_of_ada.post(f"{one}undo/").status_code == 302
    assert "Undo your mark" not in page(desk_of_ada, one)


def test_after_a_mark_comes_the_next_text(finished, study, desk_of_ada, ada):
    for attempt in finished.visit.attempts.all():
        Instance.objects.filter(pk=attempt.place.instance_id).update(
            answer_type="text", metric="fuzzy_match", answer=["x y"]
        )
        Attempt.objects.filter(pk=attempt.pk).update(answer=[f"y {attempt.position}"], outcome="answered")
    regrade(study, by=None)
    tokens = [item.token for item in marking.queue(study, ada)]
    middle = desk_of_ada.post(f"/studies/spring/marking/{tokens[2]}/mark/", {"verdict": "wrong"})
    assert middle["Location"] == f"/studies/spring/marking/{tokens[3]}/"
    last = desk_of_ada.post(f"/studies/spring/marking/{tokens[4]}/mark/", {"verdict": "wrong"})
    assert last["Location"] == f"/studies/spring/marking/{tokens[0]}/"  # round to those left out


def test_two_markers_by_the_page(waiting, study, desk_of_ada):
    desk_of_ada.post("/studies/spring/marking/markers/", {"markers": "2"})
    assert MarkingPlan.objects.get().markers == 2
    desk_of_ada.post("/studies/spring/marking/markers/", {"markers": "7"})
    assert MarkingPlan.objects.get().markers == 2


def test_an_empty_queue_says_why(study, desk_of_ada):
    assert "No text waits for a person" in page(desk_of_ada, "/studies/spring/marking/")


@pytest.mark.parametrize("role", [Role.VIEWER, Role.COORDINATOR])
def test_other_roles_do_not_mark(waiting, study, ada, role):
    token = item_for(study, ada).token
    user = user_with_address("vic@example.test")
    add_member(study, user, role, by=None)
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(f"/studies/spring/marking/{token}/").status_code == 403
    assert client.post(f"/studies/spring/marking/{token}/mark/", {"verdict": "right"}).status_code == 403
    assert not Mark.objects.exists()


def test_a_text_of_another_study_is_not_there(waiting, study, ada, desk_of_ada):
    from study.accounts.flows import create_study

    create_study(code="autumn", name="Autumn", owner=ada)
    token = item_for(study, ada).token
    assert desk_of_ada.get(f"/studies/autumn/marking/{token}/").status_code == 404
    assert desk_of_ada.post(f"/studies/autumn/marking/{token}/mark/", {"verdict": "right"}).status_code == 404
    assert desk_of_ada.get("/studies/spring/marking/made-up/").status_code == 404


def test_a_long_queue_takes_few_queries(finished, study, desk_of_ada, django_assert_max_num_queries):
    for attempt in finished.visit.attempts.all():
        Instance.objects.filter(pk=attempt.place.instance_id).update(
            answer_type="text", metric="fuzzy_match", answer=["x y"]
        )
        Attempt.objects.filter(pk=attempt.pk).update(answer=[f"y {attempt.position}"], outcome="answered")
    regrade(study, by=None)
    page(desk_of_ada, "/studies/spring/marking/")
    with django_assert_max_num_queries(12):
        page(desk_of_ada, "/studies/spring/marking/")
