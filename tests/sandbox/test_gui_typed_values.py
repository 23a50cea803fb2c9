"""Values of conditions as people type them: Yes and No, days as pages show them, and what is said of others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.registry import FieldDef, ObjectDef
from study.sandbox.gui.fieldpaths import FieldPath
from study.sandbox.gui.typed_values import as_typed, shown
from tests.sandbox.gui_desk import Room

ZONE = "America/Chicago"
ITEM = ObjectDef("Case", "Case", "Cases", "500", (FieldDef("Id", "id", "Id"),), "Id")
CREATED = FieldPath("CreatedDate", FieldDef("CreatedDate", "datetime", "Created"), ITEM)
CLOSED = FieldPath("CloseDate", FieldDef("CloseDate", "date", "Close date"), ITEM)
DONE = FieldPath("IsClosed", FieldDef("IsClosed", "boolean", "Closed"), ITEM)


@pytest.mark.parametrize(
    "typed",
    ["1 Jul 2023", "2023-07-01", "1 July 2023", "01 jul 2023", "Jul 1, 2023", "July 1st 2023", "1. Jul. 2023",
     "2023/7/1", "Saturday 1 July 2023", " 1  Jul  2023 "],
)  # fmt: skip
def test_a_day_is_understood_as_typed(typed: str) -> None:
    assert as_typed(CREATED, typed, ZONE) == as_typed(CLOSED, typed, ZONE) == "2023-07-01"


@pytest.mark.parametrize("typed", ["7/1/2023", "01.07.2023", "1-7-2023", "7/1/23"])
def test_a_day_that_could_be_a_month_is_refused(typed: str) -> None:
    with pytest.raises(QueryError, match=r"^Created: .*cannot be told apart\. Write 1 Jul 2023 or 2023-07-01\.$"):
        as_typed(CREATED, typed, ZONE)


@pytest.mark.parametrize(
    "typed", ["soon", "31 Feb 2023", "2023-13-01", "July 2023", "1 Jul ２０２３", "0 Jul 2023", "1 1 1"]
)
def test_what_is_no_day_is_named_by_the_field_s_label(typed: str) -> None:
    with pytest.raises(QueryError, match=r"^Close date is a date, and .* is none"):
        as_typed(CLOSED, typed, ZONE)


def test_a_moment_is_read_in_the_zone_of_the_org_and_shown_there() -> None:
    assert as_typed(CREATED, "4 Jan 2023, 09:12", ZONE) == "2023-01-04T15:12:00Z"
    assert shown(CREATED, "2023-01-04T15:12:00Z", ZONE) == "4 Jan 2023, 09:12"
    with pytest.raises(QueryError, match="whole day"):
        as_typed(CREATED, "4 Jan 2023, 09:12", ZONE, "eq")
    with pytest.raises(QueryError, match="Close date is a date"):
        as_typed(CLOSED, "4 Jan 2023, 09:12", ZONE)


@given(st.dates())
def test_every_day_that_is_shown_is_understood(day: object) -> None:
    assert as_typed(CREATED, shown(CREATED, str(day), ZONE), ZONE) == str(day)


@given(st.text(max_size=40))
def test_nothing_typed_breaks_a_page(typed: str) -> None:
    for path in (CREATED, CLOSED, DONE):
        said = ""
        try:
            as_typed(path, typed, ZONE)
        except QueryError as error:
            said = error.message
        assert not said or path.label in said


@pytest.mark.parametrize(("typed", "written"), [("Yes", "true"), ("no", "false"), ("TRUE", "true"), ("False", "false")])
def test_yes_and_no_are_understood(typed: str, written: str) -> None:
    assert as_typed(DONE, typed, ZONE) == written


def test_a_list_and_a_report_take_what_the_pages_say(atlas_gui: Room) -> None:
    yes, no = (atlas_gui.total("Lead", c="IsConverted", o="eq", v=value) for value in ("Yes", "no"))
    assert yes + no + atlas_gui.total("Lead", c="IsConverted", o="null") == atlas_gui.total("Lead")
    assert yes > no > 0
    assert "Converted is Yes" in atlas_gui.text("report/Lead/", c="IsConverted", o="eq", v="yes")
    july = {"c": "CreatedDate", "o": "ge"}
    assert atlas_gui.total("Case", **july, v="1 Jul 2023") == atlas_gui.total("Case", **july, v="2023-07-01") > 0
    assert "Created is from 1 Jul 2023" in atlas_gui.text("o/Case/", **july, v="1 Jul 2023")


@pytest.mark.parametrize("page", ["o/Lead/", "report/Lead/"])
def test_what_cannot_be_read_is_said_with_the_label_and_an_example(atlas_gui: Room, page: str) -> None:
    for path, label in (("IsConverted", "Converted is Yes or No"), ("CreatedDate", "1 Jul 2023 or 2023-07-01")):
        answer = atlas_gui.get(page, c=path, o="eq", v="perhaps")
        assert answer.status_code == 400
        said = answer.content.decode()
        assert label in said
        assert f"{path} is" not in said
