"""The whole hour at a desk without a mouse; then what Ada and a coordinator see of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.utils import timezone

from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member, make_signin_link, unblind
from study.fieldwork.models import Rating
from study.people.models import End, Participant
from study.people.ways.invitations import invite
from study.people.ways.tokens import make_token
from study.results.stored import compute
from tests.browser.keys import Keys
from tests.fieldwork.hour import Hour, make_cohort, make_small_org
from tests.people.walk import TICKS

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
DESK = pytest.mark.parametrize("size", [(1280, 900)], indirect=True, ids=["1280"])
WORDS = "Totals add up and dates follow each other 👍. نصّ عربي with CRM in it."
SCREENER = {"S1": "about_once_a_day", "S9": "no", "S10": "no"}
CHECK = {"records": "true", "none": "true", "pay": "false"}


@pytest.fixture
def link(study: Any, settings: Any, tmp_path: Any, live_server: Any) -> str:
    """Ben's personal link into an open cohort."""
    settings.REALIA_VAR = tmp_path
    return invited(make_cohort(study, make_small_org()))


def invited(cohort: Any) -> str:
    [ben] = invite(cohort, "ben@example.test", by=None)
    return f"/i/{make_token(ben, ben.invitation.created_at)}/"


def ben_of(study: Any) -> Participant:
    return Participant.objects.get(user__email="ben@example.test")


def at(page: Any, part: str) -> None:
    page.wait_for_url(re.compile(part))


def saved(page: Any) -> None:
    page.get_by_text(re.compile("All saved|Saved")).first.wait_for()


def lost_and_found(keys: Keys, page: Any) -> None:
    """After a form with something missing: said as an alert, which has the focus and leads to what is missing."""
    page.locator("[role=alert]").first.wait_for()
    here = keys.here()
    said = page.evaluate("""() => {
        const one = document.activeElement;
        if (one.matches("[role=alert]") || one.closest("[aria-invalid=true]")) return true;
        const by = one.getAttribute("aria-describedby")?.split(" ") ?? [];
        return by.some((id) => document.getElementById(id)?.matches("[role=alert]"));
    }""")
    assert said, f"the focus is not at what is missing but at {here}"
    assert here["ring"]
    assert here["text"] or here["group"]


@DESK
def test_the_hour_by_keyboard(link: str, page: Any, study: Any) -> None:
    keys = Keys(page)
    page.goto(link)
    keys.to(lambda here: here["tag"] == "BUTTON" and here["form"] == "post")
    keys.press("Enter")
    at(page, "/screener/")
    keys.to("Send these answers")
    keys.press("Enter")
    lost_and_found(keys, page)
    first = keys.tab()
    keys.press("Enter")
    assert keys.here()["group"].startswith(first["text"]), "the list of what is missing leads there"
    page.locator("body").evaluate("() => document.activeElement.blur()")
    keys.fill(SCREENER, "closed a case", "Send these answers")
    at(page, "/consent/")
    keys.to("I take part")
    keys.press("Enter")
    lost_and_found(keys, page)
    keys.fill({"statement": TICKS}, "", "I take part")
    at(page, "/orientation/")
    ben = ben_of(study)
    move_by_keyboard(keys, page, ben)
    keys.to(lambda here: here["id"] == "practice-answer")
    page.keyboard.type("12")
    keys.press("Enter")
    page.locator("#practice-said").wait_for()
    keys.to("Check these")
    keys.press("Enter")
    lost_and_found(keys, page)
    keys.fill(CHECK, "", "Check these")
    page.locator(".truth .said").first.wait_for()
    keys.to("Go on to the questions")
    keys.press("Enter")
    at(page, "/work/")
    keys.to("Open question 1")
    keys.press("Enter")
    for n in range(1, 6):
        work_by_keyboard(keys, page, ben, n)
    at(page, "/ratings/")
    rate_by_keyboard(keys, page, ben)
    at(page, "/lock/")
    keys.to(page.locator("form.go-on button.btn").inner_text())
    keys.press("Enter")
    at(page, "/closing/")
    missed = False
    while re.search(r"/closing/\w+/", page.url):
        here = page.url
        if not missed:
            keys.to(lambda stop: stop["tag"] == "BUTTON" and stop["text"].startswith(("Go on", "To the")))
            keys.press("Enter")
            lost_and_found(keys, page)
            missed = True
        onward = page.locator("form.items button.btn").inner_text()
        keys.fill({}, "Nothing else to say", onward)
        page.wait_for_url(lambda url, here=here: url != here)
    at(page, "/debrief/")
    keys.to("Finish and show my code")
    keys.press("Enter")
    lost_and_found(keys, page)
    keys.choose(keys.here(), "keep")
    keys.fill({}, "", "Finish and show my code")
    at(page, "/finish/")
    ben.refresh_from_db()
    assert ben.end == End.COMPLETE
    assert ben.completion_code in page.content()
    assert keys.stops > 300, "every step was made by keys"


def move_by_keyboard(keys: Keys, page: Any, ben: Participant) -> None:
    """Find a record with the search, come back by the slip, and leave the other two moves."""
    keys.to("Begin: Find a record")
    keys.press("Enter")
    at(page, "/crm/")
    found = ben.visits.get().moves.get(move="find")
    page.locator("#find").wait_for()
    keys.press("/")
    assert keys.here()["id"] == "find"
    page.keyboard.type(found.record)
    keys.press("Enter")
    at(page, f"/r/{found.record}")
    keys.press("F6")
    assert keys.here()["id"] == "dock"
    keys.to("Back to the orientation")
    keys.press("Enter")
    at(page, "/orientation/")
    found.refresh_from_db()
    assert found.done_at
    for left in range(2):
        keys.to(lambda here: here["tag"] == "BUTTON" and re.match("(?!Begin).*: (Filter|Follow)", here["text"]))
        keys.press("Enter")
        page.locator(".moves li.left").nth(left).wait_for()


def work_by_keyboard(keys: Keys, page: Any, ben: Participant, n: int) -> None:
    """The slip by F6: an answer typed or chosen, sureness by arrows, the last one skipped with a reason."""
    at(page, "/crm/")
    attempt = ben.visits.get().attempts.get(position=n)
    answer = attempt.place.instance.answer[0]
    page.locator("#dock [data-fold]").wait_for()
    keys.press("F6")
    assert keys.here()["id"] == "dock"
    if n == 5:
        keys.to("Skip this one")
        keys.press("Enter")
        keys.choose(keys.tab(), None)
        keys.to("Skip it")
    else:
        keys.to(lambda here: here["id"] == "answer" or here["name"] == "mark")
        if keys.here()["tag"] == "SELECT":
            words = page.locator(f'#answer option[value="{answer}"]').inner_text()
            page.keyboard.type(words)
        else:
            page.keyboard.type(str(answer))
        keys.choose(keys.to(lambda here: here["name"] == "confidence"), "70")
        keys.to("Next question")
    keys.press("Enter")
    at(page, "/after/")
    if n == 1:
        keys.to("Next question")
        keys.press("Enter")
        lost_and_found(keys, page)
    keys.fill({}, "", page.locator("main form button.btn").inner_text())
    if n < 5:
        at(page, "/work/$|/crm/")
        if page.url.endswith("/work/"):
            keys.to("Open question")
            keys.press("Enter")
    attempt.refresh_from_db()
    assert attempt.confidence == (70 if n < 5 else None), "what the arrows end on is what is stored"


def rate_by_keyboard(keys: Keys, page: Any, ben: Participant) -> None:
    """Every card: the look opened, an option by arrows, a reason typed, Next; one with nothing first."""
    visit = ben.visits.get()
    for n, target in enumerate(["Org", *visit.object_order]):
        at(page, f"/ratings/{target}/")
        if n == 0:
            keys.to("Next:")
            keys.press("Enter")
            lost_and_found(keys, page)
            page.locator("body").evaluate("() => document.activeElement.blur()")
        else:
            keys.to(lambda here: here["tag"] == "A" and "not opened yet" in here["text"])
            with page.context.expect_page() as opened:
                keys.press("Enter")
            opened.value.wait_for_load_state()
            opened.value.close()
            page.locator('input[name="choice"][value="4"]:enabled').wait_for()
        keys.choose(keys.to(lambda here: here["name"] == "choice"), "4")
        keys.to(lambda here: here["name"] == "right")
        page.keyboard.insert_text(WORDS)
        saved(page)
        keys.to("Next:" if n < len(visit.object_order) else "To the last step")
        keys.press("Enter")
    assert Rating.objects.filter(visit=visit, final="4").count() == len(visit.object_order) + 1
    assert {text.text for rating in visit.ratings.all() for text in rating.rationales.all() if text.text} == {WORDS}


@DESK
def test_what_ada_and_the_coordinator_see(
    cohort: Any, page: Any, shoot: Any, study: Any, ada: Any, client: Any
) -> None:
    for n in range(6):
        hour = Hour.begin(cohort, user_with_address(f"person{n}@example.test"), client)
        hour.orient()
        hour.work()
        hour.rate_all()
        hour.lock()
        hour.close()
        hour.finish()

    def look(address: str, name: str) -> None:
        """At a desk and on a phone."""
        page.goto(address)
        for width in (1280, 375):
            page.set_viewport_size({"width": width, "height": 900})
            shoot(page, name)

    noor = user_with_address("noor@example.test")
    add_member(study, noor, "coordinator", by=ada)
    look("/", "front")
    look(make_signin_link(ada.email), "signin-link")
    page.get_by_role("button", name="Sign in", exact=True).click()
    at(page, "/studies/")
    for name in ("studies", f"studies/{study.code}", f"studies/{study.code}/protocol", f"studies/{study.code}/monitor",
                 f"studies/{study.code}/results", f"studies/{study.code}/rationales"):  # fmt: skip
        look(f"/{name}/", "blind-" + name.rsplit("/", 1)[-1])
    unblind(study, by=ada, reason=f"Everybody has finished by {timezone.now():%d %B}.")
    compute(study)
    for name in ("results", "rationales", "monitor", "export", "cohorts", "cohorts/north"):
        look(f"/studies/{study.code}/{name}/", name.replace("/", "-"))
    page.goto(f"/studies/{study.code}/results/")
    assert "100.0" in page.locator(".big").first.inner_text()


@pytest.fixture
def cohort(study: Any, settings: Any, tmp_path: Any, live_server: Any) -> Any:
    settings.REALIA_VAR = tmp_path
    return make_cohort(study, make_small_org())
