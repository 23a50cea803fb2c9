"""The hour in Arabic in a browser: right to left on each page, the slip beside an English CRM, someone to ask in it."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from study.benchmark.models import Instance
from study.fieldwork.models import RequesterTurn
from study.protocols.markup import places
from study.protocols.reading import parse
from study.protocols.translating import TextsFile, with_texts
from study.protocols.translations import texts_of
from tests.benchmark.requester_forms import DEFINITIONS, FORMS, QUESTION
from tests.fieldwork.hour import Hour, make_small_org
from tests.fieldwork.test_requester import REQUESTER, protocol_text
from tests.people.walk import GOOD, TICKS, code_of, freeze

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LINE = (
    "في هذا النظام سجلات لشركة تبيع أجهزة وتخدم عملاءها كل يوم، "
    "وما نطلبه منك أن تنظر فيها وتقول كم تشبه ما تعرفه من عملك."
)
WORDS = LINE.split()


def arabic(text: str) -> str:
    """Arabic of about the same length, with the names in braces and the paragraphs of the original."""
    parts = []
    for part in text.split("\n\n"):
        count = max(1, round(len(part.split()) * 0.9))
        said = " ".join((WORDS * (count // len(WORDS) + 1))[:count])
        parts.append(f"- {said}" if part.startswith("- ") else said)
    return "\n\n".join(parts) + "".join(f" {{{name}}}" for name in dict.fromkeys(places(text)))


@pytest.fixture
def link(study: Any, live_server: Any) -> str:
    from study.assignment.flows import open_cohort
    from study.people.sample.cohorts import create_cohort
    from study.people.ways.invitations import invite
    from study.people.ways.tokens import make_token

    make_small_org()
    Instance.objects.update(forms=FORMS, question=QUESTION, definitions=DEFINITIONS)
    base = protocol_text(REQUESTER.partition("    rating:")[0])
    texts = {address: arabic(text) for address, text in texts_of(parse(base)).items()}
    # Two options of one list may not read the same.
    texts = {one: f"{text} {n}" if ".options." in one else text for n, (one, text) in enumerate(texts.items())}
    freeze(study, with_texts(base, TextsFile("ar", texts)))
    cohort = create_cohort(
        study, code="north", name="Panel North", arm="main", target=10, contact_email="noor@example.test", by=None
    )
    open_cohort(cohort, by=None)
    one = invite(cohort, "ben@example.test", by=None)[0]
    return f"/i/{make_token(one, one.invitation.created_at)}/"


def clean(page: Any) -> None:
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]})
    assert found.violations_count == 0, found.generate_report()


def test_the_hour_reads_right_to_left(
    link: str, page: Any, shoot: Any, client: Any, size: tuple[int, int], live_server: Any
) -> None:
    def look(path: str, name: str) -> None:
        page.goto(path)
        assert page.evaluate("document.documentElement.dir") == ("" if "crm" in name else "rtl")
        shoot(page, name)
        clean(page)

    look(f"{link}?lang=ar", "ar-door")
    client.post(link, {"language": "ar"})
    hour = Hour(code_of(client), client)
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    hour.post("screener/", GOOD)
    look(f"/hour/{hour.code}/consent/", "ar-consent")
    sha = page.locator("input[name=sha256]").input_value()
    hour.post("consent/", {"sha256": sha, "statement": TICKS})
    look(f"/hour/{hour.code}/orientation/", "ar-orientation")
    hour.orient()
    hour.open_question()
    look(f"/crm/{hour.attempt(1).desk.code}/o/Case/", "ar-crm")
    if size[0] < 500:
        page.locator("[data-unfold]").click()
    ask_in_the_dock(page, hour)
    page.locator("#rq-field").evaluate("field => field.scrollIntoView({block: 'center'})")
    shoot(page, "ar-crm-asked")
    clean(page)
    hour.work()
    hour.get("ratings/", follow=True)
    look(f"/hour/{hour.code}/ratings/Org/", "ar-org")
    hour.rate("Org", "4")
    target = hour.visit.object_order[0]
    hour.get(f"ratings/{target}/")
    look(f"/hour/{hour.code}/ratings/{target}/", "ar-card")


def ask_in_the_dock(page: Any, hour: Hour) -> None:
    """Enter sends; a lost connection loses nothing and the same question counts once; every tab has the talk."""
    field, log = page.locator("#rq-field"), page.locator("[data-turns]")
    assert log.get_attribute("aria-live") == "polite"
    field.fill("For which period?")
    field.press("Enter")
    log.get_by_text("Lately.").wait_for()
    assert field.input_value() == ""
    field.fill("Which period do you mean?")
    # It arrives, and the reply is lost.
    page.route("**/ask/", lambda route: (route.fetch(), route.fulfill(status=422, body="")))
    field.press("Enter")
    page.locator("#rq-problem").get_by_text("لم يصل سؤالك").wait_for()
    assert field.input_value() == "Which period do you mean?"
    page.unroute("**/ask/")
    page.reload()
    page.locator("#rq-field").press("Enter")
    page.locator("[data-requester]:not([aria-busy])").wait_for()
    page.wait_for_function("document.querySelector('#rq-field').value === ''")
    assert page.locator("[data-turns] li").count() == 2
    assert RequesterTurn.objects.filter(attempt=hour.attempt(1)).count() == 2
