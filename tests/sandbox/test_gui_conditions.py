"""New conditions: several at once, what is typed is kept, values to choose from with what tells them apart."""

from __future__ import annotations

import re
from typing import Any

import pytest

from study.sandbox.engine.errors import QueryError, QueryTimeout
from study.sandbox.engine.queryspec import Compare
from study.sandbox.gui.fieldpaths import field_path
from study.sandbox.gui.terms import Term
from study.sandbox.models import TraceEvent
from tests.sandbox.fixtures.atlas import atlas_id
from tests.sandbox.gui_desk import Room


def offered(room: Room, name: str, path: str, q: str = "") -> list[tuple[str, str]]:
    answer = room.get(f"values/{name}/", path=path, q=q)
    assert answer.status_code == 200
    return re.findall(r'data-value="([^"]*)" data-words="([^"]*)"', answer.content.decode())


def test_people_of_one_name_are_told_apart_by_id_and_second_field(atlas_gui: Room) -> None:
    found = offered(atlas_gui, "Case", "OwnerId", "greg")
    assert [words for _value, words in found] == ["Greg Miller", "Greg Miller"]
    assert len({value for value, _words in found}) == 2
    text = atlas_gui.text("values/Case/", path="OwnerId", q="greg")
    assert all(value in text for value, _words in found)
    assert len(set(re.findall(r"Greg Miller (\S+)", text))) == 2


def test_only_records_the_lookup_may_point_to_are_offered(atlas_gui: Room) -> None:
    account = atlas_id("quell")
    assert offered(atlas_gui, "Case", "OwnerId", account) == []
    assert offered(atlas_gui, "Case", "AccountId", account) == [(account, "Port of Quell")]
    assert offered(atlas_gui, "Case", "AccountId", "port of") == [(account, "Port of Quell")]
    assert 0 < len(offered(atlas_gui, "Case", "OwnerId")) <= 6


def test_picklists_and_booleans_offer_their_values(atlas_gui: Room) -> None:
    assert offered(atlas_gui, "Lead", "IsConverted") == [("Yes", "Yes"), ("No", "No")]
    assert ("Closed", "Closed") in offered(atlas_gui, "Case", "Status", "clo")
    assert offered(atlas_gui, "Case", "CreatedDate", "2") == offered(atlas_gui, "Case", "Subject", "a") == []


@pytest.mark.parametrize(
    ("name", "path", "status"), [("Nothing", "Id", 404), ("Case", "Nothing", 400), ("Case", "", 200)]
)
def test_what_is_not_there_offers_nothing(atlas_gui: Room, name: str, path: str, status: int) -> None:
    assert atlas_gui.get(f"values/{name}/", path=path, q="%_'\"").status_code == status


def test_what_takes_long_is_not_offered(atlas_gui: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_args: Any) -> None:
        raise QueryTimeout(0.25)

    monkeypatch.setattr("study.sandbox.engine.snapshot.Snapshot.kept", stopped)
    assert offered(atlas_gui, "Case", "OwnerId") == []
    assert len(offered(atlas_gui, "Case", "OwnerId", "greg")) == 2


def test_names_seen_while_typing_are_in_the_trace(atlas_gui: Room) -> None:
    offered(atlas_gui, "Case", "OwnerId", "greg")
    event = TraceEvent.objects.get(desk=atlas_gui.desk)
    assert (event.kind, event.object, event.n) == ("suggest", "Case", 2)
    assert event.query == {"text": "greg", "path": "OwnerId"}


@pytest.mark.parametrize("page", ["o/Case/", "report/Case/"])
def test_two_new_conditions_come_in_one_round_without_scripts(atlas_gui: Room, page: str) -> None:
    form = atlas_gui.get(page).content.decode()
    spare = form.split("<noscript>")[1].split("</noscript>")[0]
    assert re.findall(r' name="(\w)"', spare) == ["c", "o", "v"]
    ids = re.findall(r'id="(new-[^"]*)"', form)
    assert len(ids) == len(set(ids)) == 6
    both = {"c": ["Status", "CreatedDate"], "o": ["eq", "ge"], "v": ["Closed", "1 Jul 2023"]}
    text = atlas_gui.text(page, **both)
    assert "Status is Closed" in text
    assert "Created is from 1 Jul 2023" in text
    # An empty row says nothing.
    blank: dict[str, Any] = {"c": ["Status", ""], "o": ["eq", "eq"], "v": ["Closed", ""]}
    assert "Status is Closed" in atlas_gui.text(page, **blank)


def test_of_several_conditions_those_that_make_no_sense_stay_in_their_controls(atlas_gui: Room) -> None:
    asked = {
        "c": ["CreatedDate", "CreatedDate", "Status"],
        "o": ["ge", "lt", "eq"],
        "v": ["2023-04-01", "soon", "Closed"],
    }
    others = {
        "q": "radio",
        "logic": "1 OR 2",
        "rc": "EmailMessage.ParentId",
        "ro": "at_least",
        "rn": "2",
        "s.Priority": "High",
    }
    answer = atlas_gui.get("report/Case/", **asked, **others)
    page = answer.content.decode()
    assert answer.status_code == 400
    assert '<input type="hidden" name="v" value="2023-04-01">' in page
    assert '<input type="hidden" name="v" value="Closed">' in page
    assert re.search(r'name="v"[^>]* value="soon" aria-invalid="true"', page)
    # What makes sense is seen as ever, and what was typed elsewhere is still there.
    for kept in (
        'name="q" type="search" maxlength="255" dir="auto" value="radio"',
        'name="rc" value="EmailMessage.ParentId"',
    ):
        assert kept in page
    shown = re.sub(r"<[^>]+>", "", page)
    assert all(words in shown for words in ("is from 1 Apr 2023", "is Closed", "at least 2 Emails", "Priority High"))
    # The second condition is faulty, so the third would get its number.
    assert 'name="logic"' not in page


def test_a_list_that_cannot_be_shown_leads_to_the_whole_list(atlas_gui: Room) -> None:
    page = atlas_gui.get("o/Case/", c="CreatedDate", o="eq", v="7/1/2023").content.decode()
    assert "day and month cannot be told apart" in page
    assert f'href="/crm/{atlas_gui.desk.code}/o/Case/">All Cases</a>' in page


def test_an_empty_list_counts_nothing(atlas_gui: Room) -> None:
    text = atlas_gui.text("o/Case/", c="Status", o="eq", v="Nowhere")
    assert "No record fits these conditions" in text
    assert "0 to 0" not in text


@pytest.mark.parametrize(
    ("typed", "value"),
    [("25", 25), ("99.50", 99.5), ("1,250", 1250), ("1,234,567.5", 1234567.5), ("9007199254740993", 2**53 + 1)],
)
def test_numbers_are_read_as_they_are_written(gui: Room, typed: str, value: float) -> None:
    item = gui.snapshot.registry.object("OrderItem")
    path = field_path(gui.snapshot.registry, item, "UnitPrice")
    condition = Term.read(gui.snapshot.registry, path, "eq", typed).condition()
    assert condition == Compare("UnitPrice", "eq", value)


@pytest.mark.parametrize("typed", ["99,50", "1,2", ",5", "1,23,456", "ten", "1e999", "9" * 400])
def test_a_comma_that_parts_no_thousands_is_refused(gui: Room, typed: str) -> None:
    """ "99,50" must not silently become 9950."""
    item = gui.snapshot.registry.object("OrderItem")
    path = field_path(gui.snapshot.registry, item, "UnitPrice")
    with pytest.raises(QueryError, match="holds numbers"):
        Term.read(gui.snapshot.registry, path, "eq", typed)
