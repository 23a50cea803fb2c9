"""The whole hour by touch on a phone; axe, zoom, forced colours and wider text on every screen passed through."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from study.accounts.adapter import user_with_address
from study.accounts.flows import create_study, make_signin_link, unblind
from study.assignment.flows import end_visit
from study.assignment.models import Visit
from study.fieldwork.models import ClosingAnswer, Rating, Save
from study.people.models import Cohort, End, Participant, Stage
from tests.browser.screens import Screens, counted
from tests.browser.test_the_hour import CHECK, SCREENER, WORDS, at, ben_of, invited, saved
from tests.fieldwork.after import make_control, with_cards
from tests.fieldwork.arms import CROSSOVER, cohort_for, protocol_with, second_org
from tests.fieldwork.hour import Hour, make_small_org
from tests.fieldwork.rating_hour import at_the_ratings, matrix_protocol
from tests.people.walk import TICKS

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
DESK = ((1280, 900),)
# Pages of the same kind of item as others that are looked at.
ALIKE = {"hoped", "your_software", "use"}
PHONE = pytest.mark.parametrize("size", [(375, 812)], indirect=True, ids=["375"])


@pytest.fixture
def link(study: Any, settings: Any, tmp_path: Any, live_server: Any) -> str:
    """Ben's personal link into a cohort that is shown cards, dossiers and pairs after the ratings."""
    settings.REALIA_VAR = tmp_path
    org = make_small_org()
    make_control(org)
    call_command("anchors_make", org.name, seed=3, name="small", verbosity=0)
    return invited(cohort_for(study, ["main"], with_cards("anchors", "dossiers", "pairs")))


def fill(page: Any, chosen: dict[str, Any]) -> None:
    """The first option of every choice unless ``chosen`` says another, words in every line that is in sight."""
    names = "all => [...new Set(all.map(i => i.name))]"
    for name in page.eval_on_selector_all("form.items input[type=radio]", names):
        value = chosen.get(name)
        page.locator(f'input[name="{name}"]' + (f'[value="{value}"]' if value else " >> nth=0")).check()
    for name in page.eval_on_selector_all("form.items input[type=checkbox]:not([value=rather_not_say])", names):
        page.locator(f'form.items input[type=checkbox][name="{name}"] >> nth=0').check()
    for line in page.locator("form.items input.line").all():
        if line.is_visible() and not line.input_value():
            line.fill("closed a case")


@PHONE
def test_the_hour_by_touch_with_axe_on_every_screen(link: str, page: Any, study: Any, ada: Any) -> None:
    screens = Screens(page)
    page.goto(link)
    screens.see("door")
    page.get_by_role("button", name="Send it to my computer").click()
    at(page, "/computer/")
    screens.see("to-computer")
    page.goto(link)
    page.locator("main form button.btn").first.click()
    at(page, "/screener/")
    screens.see("screener")
    page.get_by_role("button", name="Send these answers").click()
    page.locator("[role=alert]").first.wait_for()
    screens.see("screener-open-items")
    fill(page, SCREENER)
    page.get_by_role("button", name="Send these answers").click()
    at(page, "/consent/")
    screens.see("consent")
    for tick in [*TICKS, "replay"]:
        page.locator(f'input[value="{tick}"]').check()
    page.locator("form button.btn").first.click()
    at(page, "/orientation/")
    ben = ben_of(study)
    screens.see("orientation")
    make_moves(page, screens, ben)
    page.locator("#practice-answer").fill("12")
    page.get_by_role("button", name="Check", exact=True).click()
    for name, value in CHECK.items():
        page.locator(f'input[name="{name}"][value="{value}"]').check()
    page.locator('form[action*="/check/"] button').click()
    screens.see("orientation-done")
    page.get_by_role("button", name="Go on to the questions").click()
    at(page, "/work/")
    screens.see("work")
    stop_on_the_way(page, screens, ben)
    page.goto(f"/hour/{ben.code}/work/")
    page.locator('form[action*="/work/open/"] button').click()
    for n in range(1, 6):
        work(page, screens, ben, n)
    at(page, "/ratings/")
    rate_everything(page, screens, ben)
    screens.see("lock")
    page.locator("form.go-on button.btn").click()
    at(page, "/closing/")
    close(page, screens, ben)
    page.get_by_role("button", name="Finish and show my code").click()
    page.locator("[role=alert]").first.wait_for()
    screens.see("debrief")
    page.goto(f"/hour/{ben.code}/debrief/")
    page.locator('input[value="keep"]').check()
    page.get_by_role("button", name="Finish and show my code").click()
    at(page, "/finish/")
    screens.see("finish")
    ben.refresh_from_db()
    assert ben.end == End.COMPLETE
    assert ben.completion_code in page.content()
    assert Save.objects.filter(visit__participant=ben, accepted=True).count() >= 9
    page.go_back()
    page.goto(f"/hour/{ben.code}/ratings/")
    assert "/finish/" in page.url, "a finished hour is closed to change (P-09)"
    other_ends(page, screens, ben)
    for_staff(page, screens, study, ada, ben)
    screens.hold()


def make_moves(page: Any, screens: Screens, ben: Participant) -> None:
    """Find a record, leave the filter, follow a related list: by the pages themselves."""
    visit = ben.visits.get()
    page.locator('form[action*="/find/start/"] button').click()
    at(page, "/crm/")
    home = page.url
    page.locator("[data-unfold]").click()
    screens.see("move")
    page.goto(f"{home}r/{visit.moves.get(move='find').record}/")
    page.goto(f"/hour/{ben.code}/orientation/")
    page.locator('form[action*="/filter/leave/"] button').click()
    page.locator('form[action*="/follow/start/"] button').click()
    at(page, "/crm/")
    page.goto(f"{home}r/{visit.moves.get(move='follow').record}/related/Case.AccountId/")
    page.goto(f"/hour/{ben.code}/orientation/")
    screens.see("orientation-moves")
    ends = {one.move: (bool(one.done_at), bool(one.left_at)) for one in visit.moves.all()}
    assert ends == {"find": (True, False), "filter": (False, True), "follow": (True, False)}


def stop_on_the_way(page: Any, screens: Screens, ben: Participant) -> None:
    """Pause, help, what is stored, the way to the computer, and the pages behind the foot."""
    page.get_by_role("button", name="Pause").click()
    at(page, "/pause/")
    screens.see("pause")
    page.locator("form.go-on button, main form button").first.click()
    at(page, "/work/")
    page.goto(f"/hour/{ben.code}/help/")
    page.get_by_role("button", name="Stop the clocks and ask").click()
    page.locator("[role=alert]").wait_for()
    screens.see("help")
    page.locator('input[name="kind"]').first.check()
    page.locator("#help-words").fill(WORDS)
    page.get_by_role("button", name="Stop the clocks and ask").click()
    page.get_by_text("No reply yet").wait_for()
    screens.see("help-asked")
    page.goto(f"/hour/{ben.code}/data/")
    screens.see("own-data")
    for part in ("computer", "consent/copy", "privacy", "leave"):
        page.goto(f"/hour/{ben.code}/{part}/")
        screens.see(part.replace("/", "-"))
    page.goto("/hour/")
    screens.see("hour")
    page.goto(f"/hour/{ben.code}/help/")
    page.locator('form[action*="/go-on/"] button').first.click()
    at(page, "/work/")


def work(page: Any, screens: Screens, ben: Participant, n: int) -> None:
    """One question: look at records, answer with what the page offers, skip the last one."""
    at(page, "/crm/")
    attempt = ben.visits.get().attempts.get(position=n)
    if page.locator("[data-unfold]").is_visible():
        page.locator("[data-unfold]").click()
    if n == 1:
        screens.see("dock")
        for part in page.locator("#dock .dk-parts summary").all():
            part.click()
        screens.see("dock-parts")
        page.locator("#dock [data-fold]").click()
        screens.see("dock-folded")
        page.locator("[data-unfold]").click()
    if n == 5:
        page.locator("#dock .dk-skip summary").click()
        screens.see("dock-skip")
        question, reasons = page.locator("#dock .dk-b"), page.locator("#dock .dk-skip fieldset")
        assert question.bounding_box()["height"] >= 150, "the question stays in sight beside the reasons"
        assert reasons.evaluate("e => e.scrollHeight <= e.clientHeight + 1"), "the list of reasons is whole"
        page.locator('#dock input[name="reason"] >> nth=0').check()
        page.locator('#dock button[value="skip"]').click()
    else:
        give_answer(page, attempt)
        if n == 1:
            page.locator('#dock label:has([name="confidence"][value="70"])').click()
            saved(page)
            screens.modes("dock")
        page.locator('#dock button[value="next"]').click()
    at(page, "/after/")
    if n == 1:
        screens.see("after-question")
    fill(page, {})
    page.locator("main form button.btn").first.click()


def give_answer(page: Any, attempt: Any) -> None:
    answer = attempt.place.instance.answer[0]
    if attempt.place.instance.answer_type == "record":
        page.goto(f"/crm/{attempt.desk.code}/r/{answer}/")
        if page.locator("[data-unfold]").is_visible():
            page.locator("[data-unfold]").click()
        page.locator("#dock").get_by_text("Use as my answer").click()
    elif page.locator('#dock select[name="answer"]').count():
        page.locator('#dock select[name="answer"]').select_option(str(answer))
    else:
        page.locator('#dock [name="answer"]').first.fill(str(answer))
    saved(page)


def rate_everything(page: Any, screens: Screens, ben: Participant) -> None:
    visit = ben.visits.get()
    targets = ["Org", *visit.object_order]
    for n, target in enumerate(targets):
        page.goto(f"/hour/{ben.code}/ratings/{target}/")
        assert page.locator('input[name="choice"]:checked').count() == 0, "nothing is preselected (P-18)"
        if n == 1:
            screens.see("card-before-look")
        if n and not page.locator('input[name="choice"][value="4"]').is_enabled():
            with page.context.expect_page() as opened:
                page.locator('a[href*="/crm/"]').first.click()
            opened.value.wait_for_load_state()
            if n == 1:
                screens.see("look", opened.value)
            opened.value.close()
            page.locator('input[name="choice"][value="4"]:enabled').wait_for()
        if n < 2:
            page.locator('button[value="next"]:visible').last.click()
            page.get_by_role("alert").wait_for()
            screens.see("card-org-missing" if n == 0 else "card-missing")
        page.locator(f'input[name="choice"][value="{"cannot_judge" if n == 3 else 4}"]').check()
        if n == 3:
            page.locator('[name="reason"] >> nth=0').check()
            screens.see("card-cannot-judge")
        page.locator('textarea[name="right"]').fill(WORDS)
        saved(page)
        if n == 1:
            screens.modes("card")
        page.locator('button[value="next"]:visible').last.click()
        page.wait_for_url(lambda url, here=f"/ratings/{target}/": not url.endswith(here))
    assert Rating.objects.filter(visit=visit, final="4").count() == len(targets) - 1
    assert Rating.objects.get(visit=visit, target=targets[3]).final == "cannot_judge"
    assert {r.text for rating in visit.ratings.all() for r in rating.rationales.all() if r.text} == {WORDS}, "P-16"
    page.goto(f"/hour/{ben.code}/lock/")


def close(page: Any, screens: Screens, ben: Participant) -> None:
    """Cards of every kind, then every page of closing items; each kind of page is looked at once."""
    looked = set()
    while found := re.search(r"/closing/(\w+)/(\d*)", page.url):
        part, here = found[1], page.url
        if part not in looked and part not in ALIKE:
            screens.see(f"closing-{part}")
        looked.add(part)
        if found[2]:
            page.locator('input[name="choice"] >> nth=1').check()
            page.locator("form.shown-form button.btn").click()
        else:
            fill(page, {})
            if part == "own_system":
                screens.modes(part)
            page.locator("form.items button.btn").click()
        page.wait_for_url(lambda url, here=here: url != here)
    assert {"anchors", "dossiers", "pairs", "own_system", "coverage", "hour", "use"} <= looked
    assert ClosingAnswer.objects.filter(visit=ben.visits.get(), item="own_Account").exists()
    at(page, "/debrief/")


def other_ends(page: Any, screens: Screens, ben: Participant) -> None:
    """The other last pages, as they would stand had it come to that."""
    for end in (End.SCREENED_OUT, End.LAPSED):
        Participant.objects.filter(pk=ben.pk).update(end=end)
        page.goto(f"/hour/{ben.code}/ended/")
        screens.see(f"ended-{end}")
    Participant.objects.filter(pk=ben.pk).update(end=End.COMPLETE)
    other = page.context.new_page()
    other.goto("/i/nothing/")
    screens.see("no-such-link", other)
    other.close()


def for_staff(page: Any, screens: Screens, study: Any, ada: Any, ben: Participant) -> None:
    """Coverage, pilot, help, replay and the exports, as Ada finds them after this hour."""
    page.context.clear_cookies()
    page.goto(make_signin_link(ada.email))
    page.get_by_role("button", name="Sign in", exact=True).click()
    at(page, "/studies/")
    unblind(study, by=ada, reason=f"Everybody has finished by {timezone.now():%d %B}.")
    for part in ("", "coverage", "pilot", "help", "visits", "export", f"people/{ben.code}"):
        page.goto(f"/studies/{study.code}/{part}{'/' if part else ''}")
        screens.see("staff-" + (part.split("/")[0] or "study"), also=DESK)
    page.goto(f"/studies/{study.code}/visits/")
    page.locator('main a[href*="/replay/"]').first.click()
    at(page, "/replay/")
    screens.see("staff-replay", also=DESK)


@PHONE
def test_screens_that_one_hour_does_not_pass(page: Any, study: Any, ada: Any, settings: Any, tmp_path: Any) -> None:
    """The published matrix, the page between two visits, an open link and its key."""
    settings.REALIA_VAR = tmp_path
    screens = Screens(page)
    hour = at_the_ratings(study, make_small_org(), user("m"), Client(), matrix_protocol())
    sit(page, hour)
    page.goto(hour.url("ratings/"))
    at(page, "/ratings/all/")
    page.locator('button[value="next"]:visible').last.click()
    page.get_by_role("alert").first.wait_for()
    screens.see("matrix")
    page.locator('[name$=".choice"][value="4"]').first.check()
    screens.modes("matrix")
    second_org()
    study = create_study(code="cross", name="Two visits", owner=ada)
    cohort = cohort_for(study, ["cross"], protocol_with(CROSSOVER))
    hour = Hour.begin(cohort, user("x"), Client())
    Visit.objects.filter(pk=hour.visit.pk).update(locked_at=timezone.now(), work_started_at=timezone.now())
    Participant.objects.filter(code=hour.code).update(stage=Stage.LOCKED)
    assert end_visit(hour.visit)
    sit(page, hour)
    page.goto(hour.url("next/"))
    screens.see("next-visit")
    Cohort.objects.filter(pk=cohort.pk).update(open_link="opensesame")
    page.context.clear_cookies()
    page.goto("/j/opensesame/")
    screens.see("open-link")
    page.get_by_role("button", name="Take part").click()
    at(page, "/key/")
    screens.see("key")
    screens.hold()


def user(name: str) -> Any:
    return user_with_address(f"{name}@example.test")


def sit(page: Any, hour: Hour) -> None:
    """Whoever walks this hour sits down at the browser."""
    page.context.clear_cookies()
    cookie = hour.client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "domain": "localhost", "path": "/"}])


@PHONE
def test_a_planted_fault_is_found(page: Any) -> None:
    """A proof must be able to fail: grey words, a picture without any, and a button beside the screen."""
    page.goto("/")
    screens = Screens(page)
    screens.see("front")
    assert screens.found == {}
    page.evaluate(
        """() => {
          const words = document.createElement("p");
          words.textContent = "hardly to be read";
          words.style.color = "rgb(220, 225, 230)";
          const image = document.createElement("img");
          image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
          const button = document.createElement("button");
          button.textContent = "beside";
          button.style.marginInlineStart = "600px";
          document.querySelector("main").append(words, image, button);
        }"""
    )
    screens.see("broken")
    said = " ".join(screens.found["broken"])
    for fault in ("color-contrast: ", "image-alt: ", "320: beside: ", "320: the page runs off"):
        assert fault in said, fault
    assert not counted([screens]).endswith(" 0 violations")
