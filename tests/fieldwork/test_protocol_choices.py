"""What the protocol decides about the hour: a look or none, where "can't judge" stands, a shown answer key."""

from __future__ import annotations

import re

import pytest

from study.protocols.library import builtin_text
from tests.fieldwork.hour import Hour

pytestmark = pytest.mark.django_db


def begin(study, org, user, client, text):
    from study.assignment.flows import open_cohort
    from study.people.sample.cohorts import create_cohort
    from tests.people.walk import freeze

    freeze(study, text)
    cohort = create_cohort(study, code="c", name="C", arm="main", target=3, contact_email="n@example.test", by=None)
    open_cohort(cohort, by=None)
    return Hour.begin(cohort, user, client)


def test_without_a_look_the_options_are_open_and_cannot_judge_may_come_first(study, org, ben, client):
    text = re.sub(r"(?m)^  look:\n(    .*\n)+", "", builtin_text("realia-hour")).replace("apart", "first")
    text = text.replace("{code: not_enough, text: What I saw", "{code: not_seen, text: What I saw")
    hour = begin(study, org, ben, client, text)
    hour.orient()
    hour.work()
    hour.get("ratings/Org/")
    hour.rate("Org")
    first = hour.visit.object_order[0]
    page = hour.get(f"ratings/{first}/").content.decode()
    assert "A look first" not in page
    assert "disabled" not in page
    assert page.index('value="cannot_judge"') < page.index('name="choice" value="1"')
    assert hour.rate(first, "5").status_code == 302
    assert hour.visit.ratings.get(target=first).look_ids == []


def test_the_answers_are_shown_after_the_lock_only_if_the_protocol_says_so(study, org, ben, client):
    text = builtin_text("realia-hour").replace("answers_shown: false", "answers_shown: true")
    hour = begin(study, org, ben, client, text)
    hour.orient()
    hour.work()
    hour.rate_all()
    hour.lock()
    hour.close()
    page = hour.get("debrief/").content.decode()
    assert "The questions and their answers" in page
    assert hour.right_answer(1) in page


@pytest.mark.parametrize("offered", [False, True])
def test_participants_are_offered_the_query_console_only_if_the_arm_says_so(study, org, ben, client, offered):
    text = builtin_text("realia-hour")
    if offered:
        text = text.replace("  - code: main\n", "  - code: main\n    console: true\n")
    hour = begin(study, org, ben, client, text)
    hour.orient()
    desk = hour.open_question()
    page = hour.client.get(f"{desk}console/")
    assert page.status_code == (200 if offered else 404)
    home = hour.client.get(desk).content.decode()
    assert (f"{desk}console/" in home) is offered


def test_box_order_and_look_are_the_persons_own_and_stay(hour):
    hour.orient()
    hour.work()
    hour.get("ratings/Org/")
    page = hour.get("ratings/Org/").content.decode()
    order = hour.visit.box_order
    assert page.index(f'name="{order[0]}"') < page.index(f'name="{order[1]}"')
    looks = list(hour.visit.ratings.values_list("target", "look_ids"))
    hour.get("ratings/Org/")
    assert list(hour.visit.ratings.values_list("target", "look_ids")) == looks


def test_pages_ask_the_database_little(hour, django_assert_max_num_queries):
    hour.orient()
    desk = hour.open_question()
    hour.get(desk)
    with django_assert_max_num_queries(24):
        hour.get(desk)
    hour.work()
    hour.get("ratings/", follow=True)
    hour.rate("Org")
    with django_assert_max_num_queries(36):
        hour.get(f"ratings/{hour.visit.object_order[0]}/")
