"""The whole hour as Ben meets it, at a desk and on a phone; then what Ada and a coordinator see of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member, make_signin_link, unblind
from study.fieldwork.models import Rating, Save
from study.people.models import End, Participant
from tests.people.walk import TICKS

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WORDS = "Totals add up and dates follow each other 👍. نصّ عربي with CRM in it."


@pytest.fixture
def link(study: Any, settings: Any, tmp_path: Any, live_server: Any) -> str:
    """Ben's personal link into an open cohort on a generated Org."""
    from study.people.invitations import invite
    from study.people.tokens import make_token
    from tests.fieldwork.hour import make_cohort

    settings.REALIA_VAR = tmp_path
    call_command("org_generate", "service", "--seed", "7", "--name", "demo-service", "--scale", "0.24",
                 verbosity=0)  # fmt: skip
    from study.sandbox.models import Org

    cohort = make_cohort(study, Org.objects.get(name="demo-service"))
    [ben] = invite(cohort, "ben@example.test", by=None)
    return f"/i/{make_token(ben, ben.invitation.created_at)}/"


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).first.click()
    page.wait_for_load_state("networkidle")


def fill_screener(page: Any) -> None:
    """The first option of every choice that qualifies, words in every text."""
    chosen = {"S1": "about_once_a_day", "S9": "no", "S10": "no"}
    names = page.eval_on_selector_all("form.items input[type=radio]", "all => [...new Set(all.map(i => i.name))]")
    for name in names:
        value = chosen.get(name)
        choice = f'input[name="{name}"][value="{value}"]' if value else f'input[name="{name}"] >> nth=0'
        page.locator(choice).check()
    for name in page.eval_on_selector_all(
        "form.items input[type=checkbox]", "all => [...new Set(all.map(i => i.name))]"
    ):
        page.locator(f'input[type=checkbox][name="{name}"] >> nth=0').check()
    for line in page.locator("form.items input.line").all():
        if line.is_visible() and not line.input_value():
            line.fill("closed a case")


def saved(page: Any) -> None:
    page.get_by_text(re.compile("All saved|Saved")).first.wait_for()


def test_the_hour(link: str, page: Any, shoot: Any, size: tuple[int, int], study: Any, ada: Any) -> None:
    phone = size[0] < 500
    page.goto(link)
    shoot(page, "confirm")
    page.locator("form button.btn").first.click()
    page.wait_for_url(re.compile("/screener/"))
    shoot(page, "screener")
    press(page, "Send these answers")
    shoot(page, "screener-open-items")
    fill_screener(page)
    press(page, "Send these answers")
    page.wait_for_url(re.compile("/consent/"))
    shoot(page, "consent")
    for tick in TICKS:
        page.locator(f'input[value="{tick}"]').check()
    page.locator("form button.btn").first.click()
    page.wait_for_url(re.compile("/orientation/"))
    shoot(page, "orientation")
    make_moves(page, shoot, Participant.objects.get(user__email="ben@example.test"))
    page.locator("#practice-answer").fill("12")
    press(page, "Check")
    for name, value in (("records", "true"), ("none", "true"), ("pay", "false")):
        page.locator(f'input[name="{name}"][value="{value}"]').check()
    page.locator('form[action*="/check/"] button').click()
    shoot(page, "orientation-done")
    press(page, "Go on to the questions")
    shoot(page, "work")
    page.locator('form[action*="/work/open/"] button').click()
    ben = Participant.objects.get(user__email="ben@example.test")
    for n in range(1, 6):
        work(page, shoot, ben, n, phone)
    page.wait_for_url(re.compile("/ratings/"))
    rate_everything(page, shoot, ben)
    shoot(page, "lock")
    page.locator("form button.btn").first.click()
    page.wait_for_url(re.compile("/closing/"))
    close(page, shoot)
    shoot(page, "debrief")
    page.locator('input[value="keep"]').check()
    press(page, "Finish and show my code")
    page.wait_for_url(re.compile("/finish/"))
    shoot(page, "completion")
    ben.refresh_from_db()
    assert ben.end == End.COMPLETE
    assert ben.completion_code in page.content()
    assert Save.objects.filter(visit__participant=ben, accepted=True).count() >= 9
    page.go_back()
    page.goto(f"/hour/{ben.code}/ratings/")
    assert "/finish/" in page.url, "a finished hour is closed to change (P-09)"


def make_moves(page: Any, shoot: Any, ben: Participant) -> None:
    """Find a record, leave the filter, follow a related list: by the pages themselves."""
    visit = ben.visits.get()
    page.locator('form[action*="/find/start/"] button').click()
    page.wait_for_url(re.compile("/crm/"))
    home = page.url
    shoot(page, "crm-move")
    page.goto(f"{home}r/{visit.moves.get(move='find').record}/")
    page.goto(f"/hour/{ben.code}/orientation/")
    page.locator('form[action*="/filter/leave/"] button').click()
    page.locator('form[action*="/follow/start/"] button').click()
    page.wait_for_url(re.compile("/crm/"))
    page.goto(f"{home}r/{visit.moves.get(move='follow').record}/related/Case.AccountId/")
    page.goto(f"/hour/{ben.code}/orientation/")
    shoot(page, "orientation-moves")
    ends = {one.move: (bool(one.done_at), bool(one.left_at)) for one in visit.moves.all()}
    assert ends == {"find": (True, False), "filter": (False, True), "follow": (True, False)}


def work(page: Any, shoot: Any, ben: Participant, n: int, phone: bool) -> None:
    """One question: look at records, answer with what the page offers, skip the last one."""
    page.wait_for_url(re.compile("/crm/"))
    attempt = ben.visits.get().attempts.get(position=n)
    if phone and page.locator("[data-unfold]").is_visible():
        if n == 1:
            shoot(page, "crm-home-folded")
        page.locator("[data-unfold]").click()
    if n == 1:
        shoot(page, "crm-home-dock")
        look_around(page, shoot, attempt.desk.code, phone)
    kind = attempt.place.instance.answer_type
    if n == 5:
        page.locator("#dock .dk-skip summary").click()
        page.locator('#dock input[name="reason"] >> nth=0').check()
        page.locator('#dock button[value="skip"]').click()
    else:
        give_answer(page, attempt, kind, shoot, n)
        page.locator('#dock button[value="next"]').click()
    page.wait_for_url(re.compile("/after/"))
    if n == 1:
        shoot(page, "after-question")
    for name in page.eval_on_selector_all("main input[type=radio]", "all => [...new Set(all.map(i => i.name))]"):
        page.locator(f'main input[name="{name}"] >> nth=0').check()
    page.locator("main form button.btn").first.click()


def give_answer(page: Any, attempt: Any, kind: str, shoot: Any, n: int) -> None:
    answer = attempt.place.instance.answer[0]
    if answer is None:
        page.locator('#dock input[name="mark"][value="none"]').check()
    elif kind == "record":
        page.goto(f"/crm/{attempt.desk.code}/r/{answer}/")
        if page.locator("[data-unfold]").is_visible():
            page.locator("[data-unfold]").click()
        page.locator("#dock").get_by_text("Use as my answer").click()
        shoot(page, f"crm-record-answer-{n}")
    elif page.locator('#dock select[name="answer"]').count():
        page.locator('#dock select[name="answer"]').select_option(str(answer))
    else:
        page.locator('#dock [name="answer"]').first.fill(str(answer))
    saved(page)


def look_around(page: Any, shoot: Any, desk: str, phone: bool) -> None:
    """List, record, search and report, with the dock folded away where it would cover them."""
    for name, where in (
        ("crm-list", "o/Case/"), ("crm-report", "report/Case/?g=IssueId__c.Name"), ("crm-search", "search/?q=warranty"),
    ):  # fmt: skip
        page.goto(f"/crm/{desk}/{where}")
        if phone and page.locator("#dock [data-fold]").is_visible():
            page.locator("#dock [data-fold]").click()
        shoot(page, name)
    page.goto(f"/crm/{desk}/o/Case/")
    page.locator(f'main a[href*="/crm/{desk}/r/"]:visible').first.click()
    page.wait_for_url(re.compile(f"/crm/{desk}/r/"))
    shoot(page, "crm-record")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "find"
    if page.locator("[data-unfold]").is_visible():
        page.locator("[data-unfold]").click()


def rate_everything(page: Any, shoot: Any, ben: Participant) -> None:
    visit = ben.visits.get()
    targets = ["Org", *visit.object_order]
    for n, target in enumerate(targets):
        page.goto(f"/hour/{ben.code}/ratings/{target}/")
        assert page.locator('input[name="choice"]:checked').count() == 0, "nothing is preselected (P-18)"
        if n == 1:
            shoot(page, "card-before-look")
        if target != "Org" and not page.locator('input[name="choice"][value="4"]').is_enabled():
            with page.context.expect_page() as opened:
                page.locator('a[href*="/crm/"]').first.click()
            opened.value.wait_for_load_state("networkidle")
            if n == 1:
                shoot(opened.value, "crm-look")
            opened.value.close()
            page.locator('input[name="choice"][value="4"]:enabled').wait_for()
        if n == 3:
            page.locator('input[name="choice"][value="cannot_judge"]').check()
            page.locator('[name="reason"] >> nth=0').check()
        else:
            page.locator('input[name="choice"][value="4"]').check()
        page.locator('textarea[name="right"]').fill(WORDS)
        saved(page)
        if n in (0, 1):
            shoot(page, "card-org" if target == "Org" else "card-object")
        page.locator('button[value="next"]:visible').last.click()
        page.wait_for_url(lambda url, here=f"/ratings/{target}/": not url.endswith(here))
    assert Rating.objects.filter(visit=visit, final="4").count() == 8
    assert Rating.objects.get(visit=visit, target=targets[3]).final == "cannot_judge"
    assert {r.text for rating in visit.ratings.all() for r in rating.rationales.all() if r.text} == {WORDS}, "P-16"
    page.goto(f"/hour/{ben.code}/lock/")


def close(page: Any, shoot: Any) -> None:
    n = 0
    while re.search(r"/closing/\w+/", page.url):
        n += 1
        if n == 1:
            shoot(page, "closing")
        names = page.eval_on_selector_all("form.items input[type=radio]", "all => [...new Set(all.map(i => i.name))]")
        for name in names:
            page.locator(f'input[name="{name}"] >> nth=0').check()
        here = page.url
        page.locator("form.items button.btn").click()
        page.wait_for_url(lambda url, here=here: url != here)
        assert n < 12
    page.wait_for_url(re.compile("/debrief/"))


def test_what_ada_and_the_coordinator_see(
    cohort: Any, page: Any, shoot: Any, study: Any, ada: Any, client: Any
) -> None:
    from tests.fieldwork.hour import Hour

    for n in range(6):
        hour = Hour.begin(cohort, user_with_address(f"person{n}@example.test"), client)
        hour.orient()
        hour.work()
        hour.rate_all()
        hour.lock()
        hour.close()
        hour.finish()
    noor = user_with_address("noor@example.test")
    add_member(study, noor, "coordinator", by=ada)
    page.goto("/")
    shoot(page, "front")
    page.goto(make_signin_link(ada.email))
    shoot(page, "signin-link")
    press(page, "Sign in")
    for name in ("studies", f"studies/{study.code}", f"studies/{study.code}/protocol", f"studies/{study.code}/monitor",
                 f"studies/{study.code}/results", f"studies/{study.code}/rationales"):  # fmt: skip
        page.goto(f"/{name}/")
        shoot(page, "blind-" + name.rsplit("/", 1)[-1])
    unblind(study, by=ada, reason=f"Everybody has finished by {timezone.now():%d %B}.")
    from study.results.stored import compute

    compute(study)
    for name in ("results", "rationales", "monitor", "export", "cohorts", "cohorts/north"):
        page.goto(f"/studies/{study.code}/{name}/")
        shoot(page, name.replace("/", "-"))
    page.goto(f"/studies/{study.code}/results/")
    assert "100.0" in page.locator(".big").first.inner_text()


@pytest.fixture
def cohort(study: Any, settings: Any, tmp_path: Any, live_server: Any) -> Any:
    from tests.fieldwork.hour import make_cohort, make_small_org

    settings.REALIA_VAR = tmp_path
    return make_cohort(study, make_small_org())
