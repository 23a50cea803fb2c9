"""Cards, dossiers, pairs and the table of one's own system in a browser: by keyboard, at two widths, axe clean."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.management import call_command

from study.fieldwork.models import ClosingAnswer, Rating
from tests.browser.test_crm_axe import violations

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def at_both_widths(page: Any, shoot: Any, name: str) -> None:
    """As wide as a desk, then as narrow as a phone at 400 %: nothing off the side, no fault."""
    shoot(page, name)
    assert violations(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    shoot(page, f"{name}-narrow")
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("size", [(1280, 900)], ids=["1280"])
def test_cards_and_the_table_by_keyboard(
    study: Any, ben: Any, client: Any, page: Any, shoot: Any, settings: Any, tmp_path: Any, live_server: Any
) -> None:
    from tests.fieldwork.after import begin, make_control, to_the_lock, with_cards
    from tests.fieldwork.hour import make_small_org

    settings.REALIA_VAR = tmp_path
    org = make_small_org()
    make_control(org)
    call_command("anchors_make", org.name, seed=3, name="small")
    hour = to_the_lock(begin(study, ben, client, with_cards("anchors", "dossiers", "pairs")))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}])
    page.goto(f"/hour/{hour.code}/closing/")
    for kind in ("anchors", "dossiers", "pairs"):
        page.wait_for_url(re.compile(f"/closing/{kind}/1/"))
        at_both_widths(page, shoot, f"{kind}-1")
        page.locator('input[name="choice"] >> nth=0').focus()
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
        page.locator("[data-saved]:not([hidden])").wait_for()
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(f"/closing/{kind}/2/"))
        for rating in Rating.objects.filter(target__startswith=kind, final=""):
            client.post(f"/hour/{hour.code}/closing/{kind}/{rating.position}/", {"choice": "1"})
        page.goto(f"/hour/{hour.code}/closing/")
    row = Rating.objects.get(target="anchors_1")
    assert row.final == "2", "the arrow moved to the second option"
    page.wait_for_url(re.compile("/closing/own_system/"))
    at_both_widths(page, shoot, "own-system")
    page.locator("form.items button.btn").click()
    page.locator('[role="alert"]').first.wait_for()
    assert violations(page) == []
    with page.expect_response(lambda answer: answer.url.endswith("/save/") and answer.request.method == "POST"):
        page.locator('input[name="own_Account"] >> nth=2').check()
    assert ClosingAnswer.objects.get(item="own_Account").value == "neutral"
