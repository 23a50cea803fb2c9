"""Layout files, standard views, and what children are called."""

from __future__ import annotations

import json
import sqlite3
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.http import QueryDict

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.published import KEY_PREFIXES, published_registry, registry_from_schema
from study.sandbox.engine.published_layouts import LAYOUTS
from study.sandbox.engine.published_views import VIEWS
from study.sandbox.engine.queryspec import Order, QuerySpec
from study.sandbox.engine.registry import Registry, StandardView
from study.sandbox.exchange.layout_file import apply_layout, contrast_with_white, read_layout
from study.sandbox.gui.criteria import Reading
from study.sandbox.models import Org
from study.sandbox.orgs import snapshot_for
from tests.sandbox.small_org import TODAY, small_registry, small_snapshot

ALL = published_registry(tuple(KEY_PREFIXES))
LAYOUT = """
objects:
  Case:
    label: Ticket
    plural: Tickets
    icon: ticket
    color: "#4E63A6"
    second: Priority
    columns: [Subject, Account.Name, Owner.Email, CreatedDate]
    highlights: [Status, AccountId]
    sections:
      - {title: What, fields: [Subject, Description]}
      - {title: Who, fields: [AccountId, OwnerId]}
    related:
      - {list: CaseHistory__c.CaseId__c, columns: [Field__c, NewValue__c], label: Changes}
    views:
      - {name: Hot, query: "s.Priority=High&c=Status&o=ne&v=Closed&sort=-CreatedDate"}
    fields:
      Priority: {label: Urgency, help: How soon, values: [High, Low]}
      AccountId: {children: Tickets}
"""


def fitted(text: str, registry: Registry | None = None, tmp: Path | None = None) -> Registry:
    import yaml

    return apply_layout(registry or small_registry(), yaml.safe_load(text))


def test_a_layout_refines_and_the_rest_stays() -> None:
    before = small_registry()
    after = fitted(LAYOUT)
    case, was = after.object("Case"), before.object("Case")
    assert (case.label, case.plural, case.icon, case.color) == ("Ticket", "Tickets", "ticket", "#4E63A6")
    assert case.columns == ("Subject", "Account.Name", "Owner.Email", "CreatedDate")
    assert [section.title for section in case.sections] == ["What", "Who", "More"]
    assert {name for section in case.sections for name in section.fields} == {field.name for field in case.fields}
    assert (case.related[0].field, case.related[0].label) == ("CaseId__c", "Changes")
    assert {one.object for one in case.related} == {one.object for one in was.related}
    assert case.views == (StandardView("Hot", "s.Priority=High&c=Status&o=ne&v=Closed&sort=-CreatedDate"),)
    priority = case.field("Priority")
    assert (priority.label, priority.help) == ("Urgency", "How soon")
    assert priority.values[:2] == ("High", "Low")
    assert set(priority.values) == set(was.field("Priority").values)
    assert after.child_relationships("Account")["Tickets"][0].name == "Case"
    assert after.object("Account") == before.object("Account")
    assert Registry.from_json(after.to_json()) == after


FAULTS = [
    ("{Cas: {label: x}}", "there is no object 'Cas'; did you mean Case?"),
    ("{case: {label: x}}", "did you mean Case?"),
    ("{Case: {lable: x}}", "unknown key 'lable'; did you mean label?"),
    ("{Case: {columns: [Subjekt]}}", "Case.columns: Case has no field 'Subjekt'; did you mean Subject?"),
    ("{Case: {columns: [Acount.Name]}}", "Case has no lookup 'Acount'; did you mean Account?"),
    ("{Case: {columns: [Account.Nmae]}}", "Account has no field 'Nmae'; did you mean Name?"),
    ("{Case: {columns: Subject}}", "Case.columns: a list of fields is needed"),
    ("{Case: {highlights: [Subject.Name]}}", "Case has no lookup 'Subject'"),
    ("{Case: {icon: breifcase}}", "there is no icon 'breifcase'"),
    ("{Case: {color: red}}", "'red' is not a colour"),
    ("{Case: {color: '#FFEE00'}}", "too light for a white icon"),
    ("{Case: {label: ''}}", "a text of 1 to 120 characters"),
    ("{Case: {label: [x]}}", "a text of 1 to 120 characters"),
    ("{Case: {name: Titel}}", "Case.name: Case has no field 'Titel'"),
    ("{Case: {related: [{list: Order.AccountId}]}}", "no record of this Org looks up Case by 'Order.AccountId'"),
    ("{Case: {related: [{list: EmailMessage.ParentId, columns: [Sbject]}]}}", "did you mean Subject?"),
    ("{Case: {sections: [{title: A, fields: [Nope]}]}}", "Case.sections: Case has no field 'Nope'"),
    ("{Case: {sections: {title: A}}}", "a list of mappings is needed"),
    ("{Case: {views: [{name: A, query: 'c=Statsu&o=eq&v=x'}]}}", "'A': Case has no field 'Statsu'; did you mean"),
    ("{Case: {views: [{name: A, query: 'c=Status&o=between&v=x'}]}}", "Case.views 'A': "),
    ("{Case: {views: [{name: A, query: 'w.CreatedDate=someday'}]}}", "Case.views 'A': "),
    ("{Case: {fields: {Prioritaet: {label: x}}}}", "Case has no field 'Prioritaet'"),
    ("{Case: {fields: {Subject: {values: [a]}}}}", "and a picklist to hold it"),
    ("{Case: {fields: {Subject: {lbl: a}}}}", "unknown key 'lbl'"),
    ("{Case: Ticket}", "Case: a mapping is needed"),
]


@pytest.mark.parametrize(("objects", "said"), FAULTS, ids=[fault[0] for fault in FAULTS])
def test_each_fault_is_named_with_what_was_meant(objects: str, said: str) -> None:
    with pytest.raises(SnapshotError) as caught:
        fitted(f"objects: {objects}")
    assert said in str(caught.value)


def test_all_faults_are_told_at_once_and_not_without_end() -> None:
    names = ", ".join(f"Nope{n}" for n in range(50))
    with pytest.raises(SnapshotError) as caught:
        fitted(f"objects: {{Case: {{columns: [{names}]}}}}")
    assert str(caught.value).count("has no field") == 20
    assert "and 30 more" in str(caught.value)


@pytest.mark.parametrize(
    "content",
    ["", "[]", "objects: [1]", "objects: {}\nmore: 1", "objects: {Case: !!python/object/apply:os.system ['x']}", "{{{",
     "a: &a [1]\nobjects: *a", "\x00"],
)  # fmt: skip
def test_what_is_no_layout_is_one_message(tmp_path: Path, content: str) -> None:
    (tmp_path / "l.yaml").write_text(content)
    with pytest.raises(SnapshotError, match=r"The layout l\.yaml"):
        read_layout(tmp_path / "l.yaml")


def test_json_is_a_layout_too(tmp_path: Path) -> None:
    (tmp_path / "l.json").write_text(json.dumps({"objects": {"Case": {"label": "Ticket", "plural": "Tickets"}}}))
    assert apply_layout(small_registry(), read_layout(tmp_path / "l.json")).object("Case").label == "Ticket"


@pytest.mark.django_db
def test_org_load_with_a_layout_is_another_org(tmp_path: Path, settings: Any) -> None:
    """Layouts are in the registry, and so in the hash."""
    settings.REALIA_VAR = tmp_path / "var"
    small = small_snapshot(tmp_path)
    (tmp_path / "l.yaml").write_text(LAYOUT)
    call_command("org_load", str(small.path), "--name", "plain", stdout=StringIO())
    call_command("org_load", str(small.path), "--name", "fine", "--layout", str(tmp_path / "l.yaml"), stdout=StringIO())
    plain, fine = Org.objects.get(name="plain"), Org.objects.get(name="fine")
    assert plain.hash == small.hash != fine.hash
    assert snapshot_for(fine).registry.object("Case").plural == "Tickets"
    copy = tmp_path / "changed.sqlite"
    copy.write_bytes(small.path.read_bytes())
    with sqlite3.connect(copy) as connection:
        connection.execute("""UPDATE "Case" SET "Priority" = 'Low' WHERE rid = 2""")
    connection.close()
    with pytest.raises(CommandError, match="content comes to"):
        call_command("org_load", str(copy), "--name", "x", "--layout", str(tmp_path / "l.yaml"), stdout=StringIO())
    (tmp_path / "l.yaml").write_text("objects: {Cas: {}}")
    with pytest.raises(CommandError, match="did you mean Case"):
        call_command(
            "org_load", str(small.path), "--name", "x", "--layout", str(tmp_path / "l.yaml"), stdout=StringIO()
        )
    with pytest.raises(CommandError, match="cannot be opened"):
        call_command("org_load", str(small.path), "--name", "x", "--layout", str(tmp_path / "gone"), stdout=StringIO())


def test_every_published_object_has_views_that_can_be_asked(tmp_path: Path) -> None:
    assert set(VIEWS) == set(LAYOUTS) == set(KEY_PREFIXES)
    for item in ALL.objects:
        assert len(item.views) == len(VIEWS[item.name]) > 0, item.name
        assert len({view.name for view in item.views}) == len(item.views)
        for view in item.views:
            Reading(ALL, item, QueryDict(view.query)).criteria()
    snapshot = small_snapshot(tmp_path)
    for item in snapshot.registry.objects:
        for view in item.views:
            given = QueryDict(view.query)
            sort = given.get("sort", "Id")
            spec = QuerySpec(
                item.name, ("Id",), Reading(snapshot.registry, item, given).criteria().where(),
                order=(Order(sort.removeprefix("-"), sort.startswith("-")),),
            )  # fmt: skip
            snapshot.run(spec, TODAY)
    high = next(view for view in snapshot.registry.object("Case").views if view.name == "Open, high priority")
    where = Reading(snapshot.registry, snapshot.registry.object("Case"), QueryDict(high.query)).criteria().where()
    found = snapshot.run(QuerySpec("Case", ("Status", "Priority"), where), TODAY).rows
    assert {(status.lower() != "closed", priority) for status, priority in found} == {(True, "High")}


def test_a_view_whose_field_is_missing_is_left_out() -> None:
    registry = registry_from_schema([{"object": "Case", "fields": {"Subject": "", "Status": "", "CreatedDate": ""}}])
    names = {view.name for view in registry.object("Case").views}
    assert "All open cases" in names
    assert not names & {"Open, high priority", "Without a contact", "Closed this month"}


@pytest.mark.parametrize(
    ("parent", "name", "child"),
    [
        ("Account", "Cases", "Case.AccountId"), ("Account", "Contacts", "Contact.AccountId"),
        ("Case", "EmailMessages", "EmailMessage.ParentId"), ("Case", "CaseHistories__r", "CaseHistory__c.CaseId__c"),
        ("Opportunity", "OpportunityLineItems", "OpportunityLineItem.OpportunityId"),
        ("Quote", "QuoteLineItems", "QuoteLineItem.QuoteId"), ("Order", "OrderItems", "OrderItem.OrderId"),
        ("User", "Cases", "Case.OwnerId"), ("User", "UserTerritory2Associations", "UserTerritory2Association.UserId"),
        ("Issue__c", "Cases__r", "Case.IssueId__c"), ("Opportunity", "Tasks", "Task.WhatId"),
    ],
)  # fmt: skip
def test_children_are_called_as_queries_call_them(parent: str, name: str, child: str) -> None:
    item, field = ALL.child_relationships(parent)[name]
    assert f"{item.name}.{field.name}" == child


def test_colours_of_our_own_carry_a_white_icon() -> None:
    assert contrast_with_white("#FFFFFF") == pytest.approx(1)
    assert contrast_with_white("#000000") == pytest.approx(21)
    assert all(contrast_with_white(layout.color) >= 4.5 for layout in LAYOUTS.values())
