"""A researcher marks texts by keys, as a browser sees it: none, short and very long ones; axe, wide and narrow."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from study.accounts.adapter import user_with_address
from study.accounts.flows import create_study
from study.benchmark.models import Instance
from study.fieldwork.grades import regrade
from study.fieldwork.models import Attempt, Mark
from tests.browser.conftest import SCREENS
from tests.browser.test_crm_axe import checked
from tests.fieldwork.hour import Hour, make_cohort, make_small_org

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LONG = "The bearings want grease, says the article, " * 40 + "x" * 300
ANSWERS = ("every two years or so", LONG, "24 months, as the article has it.\nلا أعرف", "<b>never</b>", "yearly")


@pytest.fixture
def tab(chromium: Any, live_server: Any) -> Any:
    """A tab in which the owner of a study is signed in."""
    ada = user_with_address("ada@example.test", name="Ada Lindqvist")
    create_study(code="spring", name="Spring realism study", owner=ada)
    client = Client()
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    context = chromium.new_context(
        viewport={"width": 1280, "height": 900}, base_url=live_server.url, reduced_motion="reduce"
    )
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([cookie])
    context.set_default_timeout(30_000)
    yield context.new_page()
    context.close()


def five_texts() -> None:
    """Ben's five answers, all of them texts that are not plainly right."""
    from study.accounts.models import Study

    study = Study.objects.get()
    hour = Hour.begin(make_cohort(study, make_small_org()), user_with_address("ben@example.test"), Client())
    hour.orient()
    hour.work()
    hour.rate_all()
    hour.lock()
    for attempt, answer in zip(hour.visit.attempts.all(), ANSWERS, strict=True):
        text = {"answer_type": "text", "metric": "fuzzy_match", "answer": ["every 24 months"]}
        Instance.objects.filter(pk=attempt.place.instance_id).update(**text)
        Attempt.objects.filter(pk=attempt.pk).update(answer=[answer], outcome="answered")
    regrade(study, by=None)


def shot(tab: Any, name: str) -> None:
    SCREENS.mkdir(parents=True, exist_ok=True)
    tab.screenshot(path=SCREENS / f"marking-{name}-1280.png", full_page=True)
    tab.set_viewport_size({"width": 375, "height": 812})
    tab.screenshot(path=SCREENS / f"marking-{name}-375.png", full_page=True)
    tab.set_viewport_size({"width": 1280, "height": 900})


def test_texts_are_marked_by_keys(tab: Any) -> None:
    found: dict[str, Any] = {}
    tab.goto("/studies/spring/marking/")
    found["empty"] = checked(tab, narrow=True)
    shot(tab, "empty")
    five_texts()
    tab.reload()
    found["list"] = checked(tab, narrow=True)
    shot(tab, "list")
    tab.get_by_role("link", name="Mark the next text").click()
    for key, verdict in (("1", "right"), ("3", "wrong"), ("2", "partly")):
        heading = tab.get_by_role("heading", level=1).inner_text()
        found[heading] = checked(tab, narrow=True)
        shot(tab, heading.lower().replace(" ", "-"))
        tab.keyboard.press(key)
        tab.keyboard.press("Enter")
        tab.wait_for_function("before => document.querySelector('h1').innerText !== before", arg=heading)
        assert Mark.objects.latest("pk").verdict == verdict
    # Digits in the note are text.
    tab.get_by_label("Note").fill("See paragraph ")
    tab.keyboard.type("23")
    assert tab.get_by_label("Note").input_value() == "See paragraph 23"
    assert tab.locator("input[name=verdict]:checked").count() == 0
    tab.get_by_role("button", name="Save the mark").click()
    tab.get_by_text("Choose right, partly right or wrong.").wait_for()
    assert tab.get_by_label("Note").input_value() == "See paragraph 23"
    tab.goto("/studies/spring/marking/")
    tab.get_by_role("link", name="1", exact=True).click()
    found["marked"] = checked(tab, narrow=True)
    shot(tab, "marked")
    tab.get_by_role("button", name="Undo your mark").click()
    tab.get_by_role("button", name="Save the mark").wait_for()
    assert {name: faults for name, faults in found.items() if faults} == {}, json.dumps(found, indent=1)
