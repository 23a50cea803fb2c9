"""What may not be met before the ratings are locked: words about origin, answers, right or wrong, the persona."""

from __future__ import annotations

import re

import pytest
from django.core import mail
from django.test import Client

from study.benchmark.models import Instance
from study.people.mail.letters import send_one
from study.people.ways import invitations
from study.people.ways.tokens import make_token
from study.protocols.checks_texts import forbidden_in
from tests.fieldwork.hour import SECRET, Hour
from tests.people.walk import GOOD, agree, code_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def walked(cohort):
    """Everything a person meets from the mail to the lock, every answer "no record fits"."""
    (one,) = invitations.invite(cohort, "rene@example.test", by=None)
    for letter in one.letters.all():
        send_one(letter.pk)
    link = f"/i/{make_token(one, one.invitation.created_at)}/"
    client = Client()
    bodies = [client.get(link).content.decode()]
    client.post(link)
    hour = Hour(code_of(client), client, bodies)
    hour.get("screener/")
    hour.post("screener/", GOOD)
    hour.get("consent/")
    agree(client, hour.code)
    hour.get("orientation/")
    hour.orient()
    hour.get("work/")
    hour.open_question()
    for n in range(1, 6):
        desk = hour.attempt(n).desk.code
        hour.get(f"/crm/{desk}/")
        hour.get(f"/crm/{desk}/search/?q=zebra")
        hour.get(f"work/{n}/")
        hour.post(f"work/{n}/answer/", {"act": "next"})
        hour.post(f"work/{n}/answer/", {"act": "next", "mark": "none"})
        hour.get(f"work/{n}/after/")
        hour.after(n)
        hour.get(f"/crm/{desk}/")
    hour.get("ratings/", follow=True)
    hour.rate("Org")
    for api in hour.visit.object_order:
        hour.get(f"ratings/{api}/")
        hour.post(f"ratings/{api}/unfamiliar/")
        hour.rate(api, "rather_not_say")
    hour.get("lock/")
    return hour


def test_no_word_about_origin_before_the_lock(walked):
    """M7: pages and mails of the hour, searched whole; the private name of the study too."""
    letters = [f"{letter.subject}\n{letter.body}" for letter in mail.outbox]
    assert letters
    assert len(walked.bodies) > 60
    for text in [*walked.bodies, *letters]:
        assert forbidden_in(text) == ()
        assert "Spring realism study" not in text
        assert not re.search(r"\brealia-hour\b|\bspring\b", text, re.IGNORECASE)


def test_the_search_for_words_can_fail():
    assert forbidden_in("<title>Synthetic data, made by AI</title>") == ("Synthetic", "AI")


def test_no_answer_and_no_persona_before_the_lock(walked):
    """M8: the answer of no instance stands in any response, nor anything from the published wording."""
    ids = {value for one in Instance.objects.all() for value in one.answer if value and len(value) == 18}
    assert len(ids) > 5
    everything = "\n".join(walked.bodies)
    looked_at = set(re.findall(r"/r/([A-Za-z0-9]{18})/", everything))
    assert [one for one in ids - looked_at if one in everything] == []
    for unwanted in (SECRET, "quality-focused", "Return only", "correct", "wrong answer"):
        assert unwanted not in everything
    assert all(a.correct is None and a.score is None for a in walked.visit.attempts.all())


def test_the_dock_says_who_asks_and_in_which_role(hour):
    hour.orient()
    page = hour.get(hour.open_question()).content.decode()
    instance = hour.attempt(1).place.instance
    assert f"You work as a {instance.role}. {instance.asks}" in page
    assert "Question 1 of 5" in page
    assert "about 45 minutes left" in page
    assert instance.question in page


def test_ids_in_a_question_are_links_and_markup_is_text(hour):
    hour.orient()
    instance = hour.visit.places.get(position=1).instance
    instance.question = "What about 005Hy0000000001IAA and <b>x</b>?"
    instance.save()
    desk = hour.open_question()
    page = hour.get(desk).content.decode()
    assert f'<a class="mono" href="{desk}r/005Hy0000000001IAA/">005Hy0000000001IAA</a>' in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("a04Kp00000B7", "This Id has 12 characters; an Id here has 15 or 18."),
        ("005Hy000000000zIAA", "No record here has this Id."),
        ("", "There is no answer yet."),
    ],
)
def test_a_wrong_id_is_explained_and_kept(hour, typed, said):
    hour.orient()
    hour.open_question()
    attempt = hour.attempt(1)
    attempt.place.instance.__class__.objects.update(answer_type="record", answer_object="User")
    page = hour.answer(1, typed)
    text = page.content.decode()
    assert page.status_code == 422
    assert said in text
    assert f'value="{typed}"' in text
    assert hour.attempt(1).outcome == ""
    found = hour.get(f"work/1/resolve/?id={typed or '005Hy0000000001'}").json()["records"][0]
    assert bool(found["problem"]) == bool(typed)


def test_use_as_my_answer_without_script(hour):
    hour.orient()
    desk = hour.open_question()
    Instance.objects.update(answer_type="record", answer_object="User")
    here = f"{desk}r/005Hy0000000001IAA/"
    page = hour.get(here).content.decode()
    assert "Use as my answer" in page
    back = hour.post("work/1/answer/", {"use": "005Hy0000000001IAA", "back": here, "version": "0"})
    assert back["Location"] == here
    assert hour.attempt(1).draft["answer"] == ["005Hy0000000001IAA"]
    away = hour.post("work/1/answer/", {"use": "005Hy0000000001IAA", "back": "//evil.example.test/"})
    assert away["Location"].endswith("/work/1/")
