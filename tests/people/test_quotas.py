"""Quota cells: cut over screener answers, decided on the server, never told; their page; who is greeted as full."""

from __future__ import annotations

import re

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from study.accounts.models import AuditRow
from study.people import needs_me
from study.people.models import End, Screening, Stage
from study.people.sample.quotas import cell_of, cells_of, checked_targets, grid, set_quota
from tests.people.walk import GOOD, agree, code_of

pytestmark = pytest.mark.django_db
YEARS = {
    "item": "S3",
    "groups": [
        {"code": "new", "label": "Up to 5 years", "options": ["y1_2", "y3_5"]},
        {"code": "old", "label": "More", "options": ["y6_10", "over_10"]},
    ],
}
WORK = {
    "item": "S4",
    "groups": [
        {"code": "support", "label": "Support", "options": ["answer_customers"]},
        {"code": "sales", "label": "Sales", "options": ["sell", "prepare_quotes"]},
    ],
}


def screen(client, path, **answers):
    """Confirm and send the screener; the participant."""
    client.post(path)
    code = code_of(client)
    client.post(f"/hour/{code}/screener/", GOOD | answers)
    from study.people.models import Participant

    return Participant.objects.get(code=code)


def words(client, one):
    """What the person reads, without what is theirs alone."""
    page = client.get(f"/hour/{one.code}/ended/").content.decode()
    for own in (one.code, one.completion_code):
        page = page.replace(own, "")
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"|nonce="[^"]+"', "", page)


def test_answers_lie_in_one_cell_or_in_none():
    axes = [WORK, YEARS]
    assert cells_of(axes) == ["support.new", "support.old", "sales.new", "sales.old"]
    assert cell_of(axes, {"S3": "over_10", "S4": ["sell"]}) == "sales.old"
    assert cell_of(axes, {"S3": "y1_2", "S4": ["sell", "answer_customers"]}) == "support.new", "the first group counts"
    for answers in ({"S3": "under_1", "S4": ["sell"]}, {"S3": "rather_not_say", "S4": ["sell"]}, {"S3": "y1_2"}, {}):
        assert cell_of(axes, answers) == ""
    assert cell_of([], {"S3": "y1_2"}) == ""


def test_p11_a_full_cell_and_no_cell_read_like_a_full_cohort(cohort, invite):
    """P-11: the first answers decide, on the server; three reasons, one page, and better answers later do nothing."""
    set_quota(cohort, [YEARS], {"new": 1, "old": 2}, by=None)
    paths = invite(*(f"p{n}@example.test" for n in range(5)))
    clients = [Client() for _ in paths]
    first = screen(clients[0], paths[0])
    assert (first.cell, first.stage, bool(first.eligible_at)) == ("new", Stage.ELIGIBLE, True)
    full = screen(clients[1], paths[1])
    nowhere = screen(clients[2], paths[2], S3="rather_not_say")
    assert [(one.end, one.stage, one.consents.count()) for one in (full, nowhere)] == [(End.FULL, Stage.JOINED, 0)] * 2
    assert (full.cell, nowhere.cell) == ("new", "")
    assert full.end_reason == nowhere.end_reason == "the cohort was full after the screener"
    other = screen(clients[3], paths[3], S3="over_10")
    assert (other.cell, other.stage) == ("old", Stage.ELIGIBLE)
    cohort.refresh_from_db()
    cohort.target = 2
    cohort.save()
    no_place = screen(clients[4], paths[4], S3="over_10")
    pages = {words(clients[n], one) for n, one in ((1, full), (2, nowhere), (4, no_place))}
    assert len(pages) == 1
    page = pages.pop()
    assert not [word for word in ("cell", "quota", "year", "Up to 5") if word in page]
    # Back, and better answers.
    clients[2].post(f"/hour/{nowhere.code}/screener/", GOOD | {"S3": "over_10"})
    clients[1].post(f"/hour/{full.code}/screener/", GOOD | {"S3": "over_10"})
    for one, client in ((nowhere, clients[2]), (full, clients[1])):
        before = one.cell
        one.refresh_from_db()
        assert (one.end, one.cell, Screening.objects.filter(participant=one).count()) == (End.FULL, before, 2)
        assert client.get(f"/hour/{one.code}/consent/").status_code == 302
    assert agree(clients[0], first.code).status_code == 302
    first.refresh_from_db()
    assert first.stage == Stage.CONSENTED


def test_a_cell_gives_its_place_back_and_a_full_one_stops_nobody_elsewhere(cohort, invite):
    """P-13 for cells: the same rows, counted again; nobody already in is put out by a lower target."""
    set_quota(cohort, [YEARS], {"new": 1, "old": None}, by=None)
    paths = invite(*(f"q{n}@example.test" for n in range(4)))
    one = screen(Client(), paths[0])
    from study.people import flows

    flows.withdraw(one, data_choice="keep")
    two = screen(Client(), paths[1])
    assert (two.stage, two.cell) == (Stage.ELIGIBLE, "new")
    assert screen(Client(), paths[2], S3="y6_10").stage == Stage.ELIGIBLE
    set_quota(cohort, [YEARS], {"new": 0, "old": 5}, by=None)
    two.refresh_from_db()
    assert (two.end, two.stage) == ("", Stage.ELIGIBLE)
    cohort.refresh_from_db()
    told = {
        cell.code: (cell.taken, cell.target, cell.is_full, cell.is_over)
        for _l, row in grid(cohort).rows
        for cell in row
    }
    assert told == {"new": (1, 0, True, True), "old": (1, 5, False, False)}
    said = [(need.kind, need.text) for need in needs_me.needs(cohort.study) if need.kind == "over_quota"]
    assert said == [("over_quota", "1 person over quota")]


def test_how_a_cohort_is_cut_stays_once_somebody_has_joined(cohort, invite):
    set_quota(cohort, [YEARS], {"new": 1, "old": 1}, by=None)
    set_quota(cohort, [WORK, YEARS], dict.fromkeys(cells_of([WORK, YEARS]), 1), by=None)
    assert cohort.cells.count() == 4
    Client().post(invite("r1@example.test")[0])
    with pytest.raises(ValidationError, match="Targets can still be changed"):
        set_quota(cohort, [YEARS], {"new": 1}, by=None)
    set_quota(cohort, [WORK, YEARS], dict.fromkeys(cells_of([WORK, YEARS]), 3), by=None)
    assert set(cohort.cells.values_list("target", flat=True)) == {3}
    assert AuditRow.objects.filter(act="cohort.quota").count() == 3
    with pytest.raises(ValidationError, match="Support, More"):
        checked_targets([WORK, YEARS], {"support.new": "2", "support.old": "two"})
    with pytest.raises(ValidationError, match="nobody could take part"):
        checked_targets([YEARS], {"new": "0", "old": "0"})


@pytest.fixture
def desk(ada):
    client = Client()
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_the_page_of_cells_from_the_first_question_to_the_board(cohort, invite, desk):
    """Choose, group, see the cells, save; then only targets; the board says full and over in words."""
    url = "/studies/spring/cohorts/north/quota/"
    first = desk.get(url).content.decode()
    assert "Use these questions" in first
    assert "group.S3" not in first
    shown = desk.get(url, {"first": "S3", "second": "S4"}).content.decode()
    assert 'name="group.S3.y3_5" value="3 to 5"' in shown
    assert "Save the cells" in shown
    form = {
        "first": "S3",
        "second": "",
        "group.S3.y1_2": "Short",
        "group.S3.y3_5": "short ",
        "group.S3.over_10": "Long",
    }
    grouped = desk.post(url, form | {"act": "show"}).content.decode()
    assert 'name="target.short"' in grouped
    assert 'name="target.long"' in grouped
    assert not cohort.cells.exists(), "showing stores nothing"
    wrong = desk.post(url, form | {"act": "save", "target.short": "many"})
    assert wrong.status_code == 422
    assert "Short" in wrong.content.decode()
    assert 'value="many"' in wrong.content.decode(), "what was typed is still there"
    nobody = desk.post(url, {"first": "S3", "act": "save"})
    assert "Name a group beside at least one answer" in nobody.content.decode()
    assert desk.post(url, form | {"act": "save", "target.short": "1", "target.long": ""}).status_code == 302
    cohort.refresh_from_db()
    assert cohort.quota_axes[0]["groups"][0] == {"code": "short", "label": "Short", "options": ["y1_2", "y3_5"]}
    assert dict(cohort.cells.values_list("code", "target")) == {"short": 1, "long": None}
    screen(Client(), invite("s1@example.test")[0])
    board = desk.get("/studies/spring/cohorts/").content.decode()
    assert re.search(r"1 of 1\s*<svg.*?full</span>", board, re.S)
    assert "0, no limit" in board
    locked = desk.get(url).content.decode()
    assert "how it is cut stays as it is" in locked
    assert "group.S3" not in locked
    assert desk.post(url, {"act": "save", "target.short": "0", "target.long": "4"}).status_code == 302
    assert 'is-over">' in desk.get("/studies/spring/cohorts/north/").content.decode()
    assert desk.post(url, {"act": "clear"}).status_code == 422
    cohort.refresh_from_db()
    assert cohort.quota_axes, "cells of people who have joined are not removed"
