"""A page reports on itself in a real browser, and a visit is walked through by keys: what only a browser can show."""

from __future__ import annotations

import pytest
from django.conf import settings

from study.people.consenting.consent import choose
from study.people.models import Consent
from study.sandbox.models import PageFact
from tests.browser.test_crm_axe import violations
from tests.fieldwork.hour import Hour, make_cohort, make_small_org

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def sign_in(page, client) -> None:  # type: ignore[no-untyped-def]
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.clear_cookies()
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": page.url_of("/")}])


def test_pages_report_on_themselves_and_are_walked_through_again(page, shoot, live_server, study, ben, ada, client):  # type: ignore[no-untyped-def]
    page.url_of = lambda path: f"{live_server.url}{path}"
    hour = Hour.begin(make_cohort(study, make_small_org()), ben, client)
    hour.orient()
    desk = hour.open_question()
    sign_in(page, client)
    # One page after the other; each reports as it is left, the second with the Id that was copied from it.
    page.goto(f"{live_server.url}{desk}o/Case/")
    page.wait_for_timeout(300)
    page.locator('tbody a[href*="/r/"]').first.click()
    page.wait_for_url("**/r/**")
    record = page.url.rstrip("/").split("/")[-1]
    page.locator("[data-copy]").first.click()
    page.goto(f"{live_server.url}{desk}search/?q=Tent")
    page.wait_for_timeout(300)
    facts = {one.sequence: one for one in PageFact.objects.filter(desk=hour.attempt(1).desk)}
    first, second = facts[min(facts)], facts[max(facts)]
    assert first.visible_ms >= 200
    assert first.focused_ms <= first.visible_ms
    assert not any(one.odd for one in facts.values())
    assert (first.copied, second.copied) == ([], [record])
    assert second.width == page.viewport_size["width"]
    # Ada walks through it.
    for row in Consent.objects.all():
        choose(row.participant, "replay", given=True)
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    sign_in(page, client)
    base = f"{live_server.url}/studies/{study.code}"
    faults = {}
    page.goto(f"{base}/visits/")
    shoot(page, "replays")
    faults["replays"] = violations(page)
    page.goto(f"{base}/visits/{hour.code}-1/replay/")
    shoot(page, "replay")
    faults["replay"] = violations(page)
    page.goto(f"{base}/visits/{hour.code}-1/replay/1/")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/replay/2/")
    frame = page.frame_locator("iframe.replay-page")
    frame.locator("main").first.wait_for()
    shoot(page, "replay-step")
    faults["replay-step"] = violations(page)
    assert page.frames[1].url.split("/crm/")[1].split("/", 1)[1] == f"r/{record}/"
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/replay/1/")
    page.goto(f"{base}/export/")
    shoot(page, "export")
    faults["export"] = violations(page)
    assert {name: rules for name, rules in faults.items() if rules} == {}
