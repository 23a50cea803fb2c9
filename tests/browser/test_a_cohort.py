"""A coordinator's whole cohort in the browser: from a list of people to consent, help, pay, and somebody erased."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page

from study.accounts import jobs
from study.accounts.adapter import user_with_address
from study.accounts.encrypted import address_hash
from study.accounts.flows import add_member, make_signin_link
from study.people.models import Cohort, End, Participant, PayBatch, PaymentState, Suppression
from tests.browser.rooms import Rooms, agree, code_in, fill_items, press
from tests.fieldwork.hour import Hour, make_small_org
from tests.people.erasing_hour import in_tables
from tests.people.test_in_the_clear import tables_with
from tests.people.walk import freeze

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
BEN, DORA, EARLY, GONE = (f"{name}@example.test" for name in ("ben.okafor", "dora.lind", "early.bird", "gone.away"))
PANEL_ID = "5f3c1d9a7b2e4c6d8f0a1b2c"
AMOUNTS = {"complete": "75", "screened_out": "3", "no_consent": "3.50", "withdrawn": "75", "full": "3"}
GROUPS = {
    "S1.several_times_a_day": "Daily", "S1.about_once_a_day": "Daily", "S1.few_times_a_week": "Weekly",
    "S1.less_often": "", "S1.never": "", "S3.under_1": "Newer", "S3.y1_2": "Newer", "S3.y3_5": "Newer",
    "S3.y6_10": "Longer", "S3.over_10": "Longer",
}  # fmt: skip


@dataclass
class Story:
    """Who is where: Noor's browser stays open, the others come and go."""

    rooms: Rooms
    noor: Page
    study: Any

    def go(self, path: str) -> Page:
        self.noor.goto(f"/studies/{self.study.code}/{path}")
        return self.noor

    def person(self, **known: Any) -> Participant:
        return Participant.objects.get(study=self.study, **known)


@pytest.fixture
def story(
    study: Any, ada: Any, chromium: Any, live_server: Any, shoot: Any, settings: Any, tmp_path: Any, monkeypatch: Any
) -> Iterator[Story]:
    """A frozen protocol and an Org; Noor is signed in. Jobs wait for the tick, as where no worker listens."""
    settings.REALIA_VAR, settings.REALIA_URL = tmp_path, live_server.url
    monkeypatch.setattr(jobs, "wake", lambda pk: None)
    make_small_org()
    freeze(study)
    noor = user_with_address("noor@example.test", name="Noor Haddad")
    add_member(study, noor, "coordinator", by=ada)
    rooms = Rooms(chromium, live_server.url, shoot)
    page = rooms.enter()
    page.goto(make_signin_link("noor@example.test"))
    press(page, "Sign in")
    yield Story(rooms, page, study)
    rooms.close()


def test_from_a_list_of_people_to_a_paid_and_consented_sample(story: Story, ada: Any, tmp_path: Path) -> None:
    sets_up_two_cohorts(story)
    imports_fifty_people(story, tmp_path / "fair visitors.xlsx")
    ben = comes_by_letter_and_asks_for_help(story)
    dora = comes_by_letter_and_is_screened_out(story)
    kim = comes_by_the_open_link_and_leaves(story)
    pat = comes_from_a_panel(story)
    for hour in (ben, pat):
        works_to_the_end(hour)
    reads_the_code(story, pat)
    assert {one.code: one.end for one in story.study.participants.exclude(end="")} == {
        ben.code: End.COMPLETE, pat.code: End.COMPLETE, dora: End.SCREENED_OUT, kim: End.WITHDRAWN,
    }  # fmt: skip
    the_counts_add_up(story)
    pays(story, finance=(ben.code, dora, kim))
    erases(story, ben.code)
    nobody_else_meets_it(story, ben.code)
    the_log_tells_it(story, ada)


# What Noor sets up


def sets_up_two_cohorts(story: Story) -> None:
    page, rooms = story.go("cohorts/"), story.rooms
    rooms.look(page, "none", phone=True)
    closes = timezone.now() + timedelta(days=30)
    makes(story, "fair", name="Trade fair", target="10", open_link=True, closes=f"{closes:%Y-%m-%dT18:00}")
    cuts_into_cells(story)
    sets_amounts(story, "fair")
    page = story.go("cohorts/fair/reminders/")
    page.get_by_label("Days after", exact=True).fill("3")
    press(page, "Add the reminder")
    rooms.look(page, "reminders", phone=True)
    makes(story, "panel", name="People from a panel", target="20")
    page = story.go("cohorts/panel/panel/")
    page.get_by_role("link", name="Prolific").click()
    for outcome, code in (("complete", "CDONE001"), ("screened_out", "COUT0001")):
        page.locator(f"#code-{outcome}").fill(code)
        page.locator(f"#return-{outcome}").fill("https://app.prolific.com/submissions/complete?cc={code}")
    press(page, "Set up the panel")
    rooms.look(page, "panel", phone=True)
    sets_amounts(story, "panel")
    for code in ("fair", "panel"):
        page = story.go(f"cohorts/{code}/")
        press(page, "Open")
        page.get_by_text(re.compile("Running since")).wait_for()
    row = Cohort.objects.get(code="fair")
    assert (row.zone, row.closes_at.date(), row.waves.get().after_days) == ("Europe/Oslo", closes.date(), 3)
    rooms.look(story.go("cohorts/fair/"), "open-and-empty", phone=True)


def makes(story: Story, code: str, *, name: str, target: str, open_link: bool = False, closes: str = "") -> None:
    page = story.go("cohorts/new/")
    typed = {"Code": code, "Name": name, "Channel": "Visitors of a fair", "Target": target, "Closes": closes}
    for label, text in (typed | {"Address for questions": "noor@example.test"}).items():
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_label("Time zone").select_option("Europe/Oslo")
    page.get_by_label(re.compile("An open link")).set_checked(open_link)
    if closes:
        story.rooms.look(page, "form", phone=True)
    press(page, "Create the cohort")
    page.wait_for_url(f"**/cohorts/{code}/")


def cuts_into_cells(story: Story) -> None:
    page = story.go("cohorts/fair/quota/")
    page.get_by_label("Rows").select_option("S1")
    page.get_by_label("Columns").select_option("S3")
    press(page, "Use these questions")
    for field, group in GROUPS.items():
        page.locator(f'input[name="group.{field}"]').fill(group)
    press(page, "Show the cells for these groups")
    for target in page.locator(".quota-edit input").all():
        target.fill("3")
    page.get_by_text("Together 12 people").wait_for()
    story.rooms.look(page, "cells", phone=True)
    press(page, "Save the cells")
    page.get_by_text("The quota cells are stored.").wait_for()


def sets_amounts(story: Story, code: str) -> None:
    page = story.go(f"cohorts/{code}/pay/")
    for name, text in (AMOUNTS | {"currency": "EUR"}).items():
        page.locator(f"#{name}").fill(text)
    press(page, "Save the amounts")
    assert page.locator("#complete").input_value() == "75.00"
    if code == "fair":
        story.rooms.look(page, "pay", phone=True)


# The list


def list_of_fifty(path: Path) -> None:
    """45 that can be invited, one of them a look-alike, and five that cannot."""
    book = openpyxl.Workbook()
    book.active.append(["E-mail", "Name", "Time zone"])
    good = [BEN, DORA, "early.bird+fair@example.test", *(f"visitor{n:02}@example.test" for n in range(42))]
    rows = [(address, address.split("@")[0].replace(".", " ").title(), "") for address in good]
    rows[5:5] = [("", "Nobody Known", ""), (BEN.upper(), "Ben once more", ""), (EARLY, "", ""), (GONE, "", "")]
    rows.append(("mars@example.test", "Far Away", "Mars/Base"))
    for row in rows:
        book.active.append(row)
    book.save(path)


def imports_fifty_people(story: Story, path: Path) -> None:
    study, rooms = story.study, story.rooms
    Suppression.objects.create(study=study, email_hash=address_hash(GONE), reason="unsubscribed")
    page = story.go("cohorts/fair/invite/")
    page.get_by_label("Addresses").fill(EARLY)
    press(page, "Check this list")
    press(page, "Send 1 invitation")
    list_of_fifty(path)
    page = story.go("cohorts/fair/invite/")
    page.get_by_label(re.compile("Or a file")).set_input_files(path)
    rooms.look(page, "invite", phone=True)
    press(page, "Check this list")
    jobs.tick()
    page.reload()
    page.get_by_role("link", name="Go to the result").click()
    page.get_by_text("45 letters would go out.").wait_for()
    left_out = page.get_by_role("group", name="Left out").locator("tbody tr").all_inner_texts()
    assert [re.split(r"\s*\t\s*", row)[0] for row in left_out] == ["7", "8", "9", "10", "51"]
    for row, why in zip(
        left_out,
        ("no address in this row", "stands in row 2", "Invited already", "not to be written to", "Mars/Base"),
        strict=True,
    ):
        assert why in row
    page.get_by_text("Looks like early.bird@example.test.").wait_for()
    rooms.look(page, "list", phone=True)
    assert study.participants.count() == 1, "nothing of the list is anybody yet"
    press(page, "Invite these people")
    page.get_by_text("45 people are invited.").wait_for()
    jobs.tick()
    assert len(mail.outbox) == study.participants.count() == 46
    rooms.look(story.go("cohorts/fair/"), "invited", phone=True)


# Who comes


def letter_to(address: str) -> str:
    """The personal link in the letter that somebody got."""
    (letter,) = (one for one in mail.outbox if one.to[0].endswith(address))
    (link,) = set(re.findall(r"https?://\S+/i/[\w-]+/", str(letter.body)))
    return str(link)


def passes_the_screener(page: Page, **answers: str) -> str:
    page.wait_for_url("**/screener/")
    fill_items(page, **({"S1": "about_once_a_day", "S3": "y3_5", "S9": "no", "S10": "no"} | answers))
    press(page, "Send these answers")
    return code_in(page)


def at_the_same_browser(page: Page, code: str) -> Hour:
    """Steps over HTTP from here on, in the session of that browser: it is no second device."""
    client = Client()
    (session,) = (cookie for cookie in page.context.cookies() if cookie.get("name") == "sessionid")
    client.cookies["sessionid"] = session.get("value", "")
    return Hour(code, client)


def comes_by_letter_and_asks_for_help(story: Story) -> Hour:
    rooms, noor = story.rooms, story.noor
    page = rooms.enter()
    page.goto(letter_to(BEN))
    rooms.look(page, "letter-link")
    press(page, "Confirm and go on")
    code = passes_the_screener(page)
    page.get_by_text("75.00 EUR").first.wait_for()
    agree(page)
    page.wait_for_url("**/orientation/")
    hour = at_the_same_browser(page, code)
    hour.orient()
    page.goto(f"/hour/{code}/work/")
    page.get_by_role("link", name="Help").first.click()
    page.get_by_role("radio").first.check()
    page.get_by_label("In your words (if you like)").fill("Two records have the same name. Which one is meant?")
    press(page, "Stop the clocks and ask")
    page.get_by_text("No reply yet.").wait_for()
    story.go("needs-you/")
    rooms.look(noor, "needs-you", phone=True)
    noor.locator("li").filter(has_text=code).get_by_role("link", name=re.compile(code)).last.click()
    noor.get_by_text("Two records have the same name.").wait_for()
    noor.get_by_label(re.compile("^Take it as it stands")).check()
    rooms.look(noor, "help", phone=True)
    press(noor, "Send this reply")
    noor.get_by_text(f"The reply is with {code}.").wait_for()
    page.reload()
    page.get_by_text("Take it as it stands, and do what you would do at work.").wait_for()
    rooms.look(page, "help-answered")
    press(page, "Go on")
    page.wait_for_url("**/work/")
    rooms.leave(page)
    return hour


def comes_by_letter_and_is_screened_out(story: Story) -> str:
    page = story.rooms.enter()
    page.goto(letter_to(DORA))
    press(page, "Confirm and go on")
    code = passes_the_screener(page, S1="never")
    page.wait_for_url("**/ended/")
    page.get_by_text("3.00 EUR").first.wait_for()
    assert "never" not in page.locator("main").inner_text().lower(), "which answer mattered is told to nobody (P-11)"
    story.rooms.look(page, "screened-out")
    story.rooms.leave(page)
    return code


def comes_by_the_open_link_and_leaves(story: Story) -> str:
    """With the key of the open link back in another browser, then out, and the answers with it."""
    rooms = story.rooms
    link = story.go("cohorts/fair/").get_by_text(re.compile(r"/j/[\w-]+/")).first.inner_text()
    page = rooms.enter()
    page.goto(link)
    press(page, "Take part")
    key = page.locator(".code").inner_text()
    rooms.look(page, "key")
    press(page, "I have noted it")
    code = passes_the_screener(page, S1="few_times_a_week")
    rooms.leave(page)
    page = rooms.enter()
    page.goto("/hour/")
    page.get_by_label("Key", exact=True).fill(key)
    press(page, "Go on with the key")
    page.wait_for_url(f"**/hour/{code}/consent/")
    agree(page)
    page.wait_for_url("**/orientation/")
    page.goto(f"/hour/{code}/leave/")
    page.get_by_role("radio").nth(1).check()
    rooms.look(page, "leave")
    press(page, "Leave the study")
    page.wait_for_url("**/ended/")
    rooms.leave(page)
    one = story.person(code=code)
    assert (one.data_choice, one.consents.count(), one.screenings.count()) == ("take_out", 1, 1)
    return code


def comes_from_a_panel(story: Story) -> Hour:
    """By the address that the panel was given, its placeholders filled in as the panel does."""
    rooms = story.rooms
    address = story.go("cohorts/panel/panel/").locator(".panel-address .mono").inner_text()
    filled = {"PROLIFIC_PID": PANEL_ID, "STUDY_ID": "fair-study", "SESSION_ID": "session-one"}
    for name, text in filled.items():
        address = address.replace("{{%" + name + "%}}", text)
    page = rooms.enter()
    page.goto(address)
    page.get_by_text(PANEL_ID).wait_for()
    rooms.look(page, "panel-door")
    press(page, "Take part")
    press(page, "I have noted it")
    code = passes_the_screener(page)
    agree(page)
    page.wait_for_url("**/orientation/")
    hour = at_the_same_browser(page, code)
    rooms.leave(page)
    hour.orient()
    return hour


def works_to_the_end(hour: Hour) -> None:
    hour.work()
    hour.rate_all()
    hour.lock()
    hour.close()
    hour.finish()


def reads_the_code(story: Story, hour: Hour) -> None:
    """The panel's code, the way back to it, and what is owed."""
    page = story.rooms.enter()
    page.context.add_cookies(
        [{"name": "sessionid", "value": hour.client.cookies["sessionid"].value, "url": story.rooms.url}]
    )
    page.goto(f"/hour/{hour.code}/finish/")
    page.get_by_text("CDONE001").wait_for()
    page.get_by_text("75.00 EUR").first.wait_for()
    back = page.get_by_role("link", name="Back to Prolific").get_attribute("href")
    assert back == "https://app.prolific.com/submissions/complete?cc=CDONE001"
    story.rooms.look(page, "finished")
    story.rooms.leave(page)


# What Noor does then


STEPS = """all => all.map((row) => [row.matches(".flow-step"), row.cells[0].innerText, +row.cells[1].innerText])"""


def the_counts_add_up(story: Story) -> None:
    """Each step of the flow is the next one and those who were lost or wait on the way there."""
    page = story.go("flow/")
    story.rooms.look(page, "flow", phone=True)
    steps: list[tuple[str, int, dict[str, int]]] = []
    for is_step, words, n in page.locator(".flow-lines tbody tr").evaluate_all(STEPS):
        if is_step:
            steps.append((words, n, {}))
        else:
            steps[-1][2][words] = n
    assert [n for _words, n, _parts in steps] == [48, 4, 3, 2, 2]
    on = [following for _words, following, _parts in steps[1:4]] + [0, 0]
    assert [n for _words, n, _parts in steps] == [
        n + sum(parts.values()) for n, (*_, parts) in zip(on, steps, strict=True)
    ]
    assert steps[1][2] == {"screened out": 1}
    assert steps[2][2] == {"withdrawn": 1}
    page = story.go("cohorts/")
    story.rooms.look(page, "board", phone=True)
    cells = page.locator(".quota-cell").all_inner_texts()
    assert [cell.split(" of ") for cell in cells] == [["1", "3"], ["0", "3"], ["0", "3"], ["0", "3"]], (
        "who left gave theirs back"
    )
    story.rooms.look(story.go("people/"), "people", phone=True)


def pays(story: Story, finance: tuple[str, ...]) -> None:
    rooms = story.rooms
    page = story.go("needs-you/")
    rooms.look(page, "needs-pay")
    page = story.go("payments/")
    rooms.look(page, "payments", phone=True)
    press(page, "Approve all 4 that are due here")
    page.get_by_text("4 payments approved.").wait_for()
    hands_over(story, "panel", "75.00 EUR", {PANEL_ID: "75.00"}, key="panel_id")
    hands_over(story, "finance", "81.50 EUR", dict(zip(finance, ("75.00", "3.00", "3.50"), strict=True)), key="code")
    page = story.go("payments/batches/2/")
    page.get_by_label("Paid on").fill(f"{timezone.now():%Y-%m-%d}")
    press(page, "All of it is paid")
    page.get_by_text("3 payments are paid.").wait_for()
    page = story.go("payments/")
    sums = " ".join(page.locator(".pay-sums li").all_inner_texts())
    assert "81.50 EUR" in sums
    assert "75.00 EUR" in sums
    rooms.look(page, "payments-paid", phone=True)
    left = PayBatch.objects.get(number=1).rows
    assert set(left.values_list("state", flat=True)) == {PaymentState.SENT}


def hands_over(story: Story, form: str, total: str, wanted: dict[str, str], *, key: str) -> None:
    """A batch in one of the two forms: what its page, its CSV and its workbook say is one and the same."""
    page = story.go("payments/")
    page.get_by_label("To", exact=True).select_option(form)
    press(page, "Make a batch")
    page.wait_for_url(re.compile(r"/batches/\d+/"))
    assert page.locator(".meta b.num").all_inner_texts() == [total]
    story.rooms.look(page, f"batch-{form}", phone=True)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV").click()
    lines = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text())))
    assert {line[key]: line["amount"] for line in lines} == wanted
    with page.expect_download() as download:
        page.get_by_role("link", name="Download XLSX").click()
    book = Path(download.value.path()).read_bytes()
    sheet = openpyxl.load_workbook(io.BytesIO(book)).active
    at = [cell.value for cell in sheet[1]].index("amount")
    assert f"{sum(row[at] for row in sheet.iter_rows(min_row=2, values_only=True)):.2f} EUR" == total
    assert (BEN in repr(lines)) == (form == "finance"), "a panel gets ids, finance gets addresses"


def erases(story: Story, code: str) -> None:
    rooms = story.rooms
    assert tables_with(BEN) | set(in_tables(BEN)), "the dump would find it"
    page = story.go(f"people/{code}/")
    rooms.look(page, "person", phone=True)
    page = story.go(f"people/{code}/erase/")
    rooms.look(page, "erase", phone=True)
    page.get_by_label(f"Type {code}").fill(code)
    press(page, "Erase who it was")
    page.wait_for_url("**/jobs/**")
    jobs.tick()
    page.reload()
    page.get_by_text("Done", exact=True).wait_for()
    page = story.go(f"people/{code}/")
    page.get_by_text(re.compile("Who this was is erased since")).wait_for()
    rooms.look(page, "tombstone", phone=True)
    assert (tables_with(BEN), in_tables(BEN)) == (set(), {})
    rooms.look(story.go("privacy/"), "privacy", phone=True)


def nobody_else_meets_it(story: Story, code: str) -> None:
    """A stranger is told that there is nothing, a researcher that it is not theirs; P-39."""
    cleo, rolf = user_with_address("cleo@example.test"), user_with_address("rolf@example.test")
    add_member(story.study, rolf, "researcher", by=None)
    for user, status in ((cleo, 404), (rolf, 403)):
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        for path in ("cohorts/fair/", "people/", f"people/{code}/", "payments/batches/2/csv/", "needs-you/", "help/"):
            assert client.get(f"/studies/{story.study.code}/{path}").status_code == status, path


def the_log_tells_it(story: Story, ada: Any) -> None:
    jobs.tick()
    said = io.StringIO()
    call_command("audit_verify", stdout=said)
    assert "Every seal holds." in said.getvalue()
    assert "0 rows wait" in said.getvalue()
    page = story.rooms.enter()
    page.goto(make_signin_link(ada.email))
    press(page, "Sign in")
    page.goto(f"/studies/{story.study.code}/audit/")
    log = page.locator("main").inner_text()
    for words in ("Contacts seen", "File of payments downloaded", "Payments approved", "People invited"):
        assert words in log
    assert not re.search(r"@example\.test|" + PANEL_ID, log.replace("noor@example.test", "")), "acts, never contacts"
    story.rooms.look(page, "audit", phone=True)
