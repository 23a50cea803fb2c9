"""org_load, org_export and org_list: an Org in, out and in again."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from study.sandbox.engine.ids import make_id
from study.sandbox.models import Org
from study.sandbox.orgs import orgs_folder, snapshot_for
from tests.sandbox.small_org import TODAY, small_registry, small_snapshot

pytestmark = pytest.mark.django_db

SCHEMA = [
    {"object": "User", "fields": {"FirstName": "First name", "LastName": "Last name", "Email": "Email"}},
    {"object": "Account", "fields": {"Id": "Id", "Name": "Name", "NumberOfEmployees": "How many", "Padding": None}},
    {
        "object": "Case",
        "fields": {
            "Id": "Id", "Subject": "Subject", "Status": "Status", "AccountId": "References Account object",
            "OwnerId": "References User object", "CreatedDate": "in 'YYYY-MM-DDTHH:MM:SSZ' format",
            "ClosedDate": "in 'YYYY-MM-DDTHH:MM:SSZ' format",
        },
    },
    {"object": "Issue__c", "fields": {"Id": "Id", "Name": "Name"}},
    {"object": "Pricebook2", "fields": {"Id": "Id", "IsActive": "Boolean", "ValidFrom": "Start"}},
    {"object": "Order", "fields": {"Id": "Id", "EffectiveDate": "in 'YYYY-MM-DD' format"}},
]  # fmt: skip


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, settings: Any) -> Path:
    settings.REALIA_VAR = tmp_path / "var"
    return tmp_path / "var"


def run(command: str, *arguments: str) -> str:
    out = StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue()


def put(folder: Path, name: str, *rows: list[Any]) -> None:
    with open(folder / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A folder in the published form, without a fault."""
    folder = tmp_path / "published"
    folder.mkdir()
    (folder / "schema.json").write_text(json.dumps(SCHEMA))
    put(
        folder, "User", ["Id", "FirstName", "LastName", "Email"], [make_id("005", 1), "Zoë", "O'Dell", "z@example.test"]
    )
    put(folder, "Account", ["Id", "Name", "NumberOfEmployees"], [make_id("001", 1), 'Acme, "Ltd"\nNorth', "12.0"])
    case = ["Id", "Subject", "Status", "AccountId", "OwnerId", "CreatedDate", "ClosedDate"]
    start, end = "2022-03-16T15:15:00.000+0000", "2022-03-17T08:00:00Z"
    put(
        folder, "Case", case,
        [make_id("500", 1), "Broken", "Zombie", make_id("001", 1)[:15], make_id("005", 1), start, end],
        [make_id("500", 2), "=1+1", "New", "", "", start, ""],
    )  # fmt: skip
    put(folder, "Issue__c", ["Id", "Name"], [make_id("aZ9", 1), "Battery"])
    put(folder, "Pricebook2", ["Id", "IsActive", "ValidFrom"], [make_id("01s", 1), "1", "2022-01-01"])
    put(folder, "Order", ["Id", "EffectiveDate"], [make_id("801", 1), "2022-01-31T00:00:00.000+0000"])
    return folder


def test_a_folder_in_the_published_form(published: Path) -> None:
    said = run("org_load", str(published), "--name", "small", "--strict")
    org = Org.objects.get(name="small")
    assert f"hash {org.hash}" in said
    assert "6 objects, 7 records, last day 2022-03-17" in said
    assert "problem" not in said
    assert org.counts["Case"] == 2
    snapshot = snapshot_for(org)
    first, second = snapshot.records("Case")
    assert first["AccountId"] == make_id("001", 1)
    assert first["CreatedDate"].isoformat() == "2022-03-16T15:15:00+00:00"
    assert (second["Subject"], second["AccountId"], second["ClosedDate"]) == ("=1+1", None, None)
    assert next(snapshot.records("User"))["Name"] == "Zoë O'Dell"
    assert next(snapshot.records("Account"))["NumberOfEmployees"] == 12
    assert next(snapshot.records("Pricebook2"))["IsActive"] is True
    assert next(snapshot.records("Order"))["EffectiveDate"].isoformat() == "2022-01-31"
    case = snapshot.registry.object("Case")
    assert case.field("Status").values[-1] == "Zombie"
    assert snapshot.registry.object("Issue__c").key_prefix == "aZ9"


FAULTS = [
    ("Account", ["Id", "Name", "Nonsense"], ["A1", "x", "y"], "Account, row 1, Nonsense: unknown column"),
    ("Case", ["Id", "AccountId"], ["C1", "A9"], "Case, row 2, AccountId: broken lookup"),
    ("Case", ["Id", "CreatedDate"], ["C1", "16/03/2022"], "CreatedDate: '16/03/2022' is not a date and time"),
    ("Account", ["Id", "Name"], ["A9", "wrong"], "Account, row 2, Id: wrong key prefix"),
    ("Account", ["Id", "Name"], ["", "none"], "Account, row 2, Id: missing Id"),
    ("Account", ["Id", "Name"], ["short", "none"], "Account, row 2, Id: 'short' is not an Id"),
    ("Account", ["Id", "NumberOfEmployees"], ["A1", "1_000"], "NumberOfEmployees: '1_000' is not a number"),
    ("Account", ["Id", "NumberOfEmployees"], ["A1", "1.5"], "NumberOfEmployees: '1.5' is not a whole number"),
    ("Account", ["Id", "NumberOfEmployees"], ["A1", "nan"], "NumberOfEmployees: 'nan' is not a number"),
    ("Pricebook2", ["Id", "IsActive"], ["P1", "maybe"], "Pricebook2, row 2, IsActive: 'maybe' is not true or false"),
    ("Order", ["Id", "EffectiveDate"], ["O1", "2022-02-30"], "Order, row 2, EffectiveDate: '2022-02-30' is not a date"),
    ("Order", ["Id", "EffectiveDate"], ["O1", "2022-01-31T10:00:00Z"], "has a time of day"),
    ("Nothing", ["Id"], ["x"], "Nothing: the schema has no object of this name"),
    ("Account", ["Id", "Name"], ["A1", "x", "too many"], "Account, row 2: the row has 3 cells, the head 2"),
]  # fmt: skip
REAL = {"A1": make_id("001", 1), "A9": make_id("009", 9), "C1": make_id("500", 1), "P1": make_id("01s", 1),
        "O1": make_id("801", 1)}  # fmt: skip


@pytest.mark.parametrize(("table", "head", "row", "said"), FAULTS, ids=[fault[3][:40] for fault in FAULTS])
def test_each_fault_is_named_loaded_around_and_refused_when_strict(
    published: Path, table: str, head: list[str], row: list[str], said: str
) -> None:
    put(published, table, head, [REAL.get(cell, cell) for cell in row])
    with pytest.raises(CommandError, match="nothing was loaded"):
        run("org_load", str(published), "--name", "small", "--strict")
    assert not Org.objects.exists()
    assert list(orgs_folder().iterdir()) == []
    out = run("org_load", str(published), "--name", "small")
    assert said in out
    assert "above; the rest was loaded" in out
    assert Org.objects.filter(name="small").exists()


def test_a_file_cut_off_inside_a_quoted_cell_says_so(published: Path) -> None:
    """What follows an open quote is one cell, so rows are missing without a sign of it."""
    path = published / "Account.csv"
    rows = "\n".join(f'{make_id("001", n)},"Name {n}"' for n in range(50, 60))
    path.write_text(f"Id,Name\n{rows[:-1]}", encoding="utf-8")
    out = run("org_load", str(published), "--name", "cut")
    assert "Account, row 11: the file ends inside a quoted cell" in out
    accounts = list(snapshot_for(Org.objects.get(name="cut")).records("Account"))
    assert [account["Name"] for account in accounts][-2:] == ["Name 58", "Name 59"]
    path.write_text(f"Id,Name\n{rows}", encoding="utf-8")
    assert "quoted cell" not in run("org_load", str(published), "--name", "whole")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("label", None),
        ("plural", 5),
        ("icon", {}),
        ("key_prefix", None),
        ("fields.label", None),
        ("fields.length", "x"),
    ],
)
def test_a_registry_with_something_else_than_a_text_is_refused(tmp_path: Path, place: str, value: Any) -> None:
    """Every page of the Org would break on it."""
    data = json.loads(small_registry().to_json())
    part, _, name = place.rpartition(".")
    (data["objects"][0][part][0] if part else data["objects"][0])[name] = value
    (tmp_path / "Account.csv").write_text("Id,Name\n", encoding="utf-8")
    (tmp_path / "schema.json").write_text(json.dumps({"format": "realia-org", "registry": data}), encoding="utf-8")
    with pytest.raises(CommandError, match=f"{name} cannot be"):
        run("org_load", str(tmp_path), "--name", "broken")


def test_nothing_to_load_is_no_org(tmp_path: Path) -> None:
    (tmp_path / "Account.csv").write_text("Id,Name\n", encoding="utf-8")
    (tmp_path / "schema.json").write_text("[]", encoding="utf-8")
    with pytest.raises(CommandError, match="names no objects"):
        run("org_load", str(tmp_path), "--name", "empty")


def test_the_zone_of_the_machine_is_no_zone_of_an_org(published: Path) -> None:
    """A2: the same files would be another Org elsewhere."""
    with pytest.raises(CommandError, match="'localtime' is not a time zone"):
        run("org_load", str(published), "--name", "here", "--zone", "localtime")


def test_a_duplicate_id_keeps_the_first_row_in_either_length(published: Path) -> None:
    """P-49: 15 and 18 characters are one Id; Ids that differ in case are two."""
    one, other = "001290000004GNy", "001290000004GNY"
    put(
        published,
        "Account",
        ["Id", "Name"],
        [one, "first"],
        [other, "second"],
        [make_id("001", 1), "a"],
        [one, "again"],
    )
    out = run("org_load", str(published), "--name", "small")
    assert f"Account, row 5, Id: duplicate Id {one}, first in row 2; the row was left out." in out
    names = [row["Name"] for row in snapshot_for(Org.objects.get(name="small")).records("Account")]
    assert sorted(names) == ["a", "first", "second"]


def test_bytes_that_are_no_text_are_a_problem(published: Path) -> None:
    (published / "Account.csv").write_bytes(b"Id,Name\r\n" + make_id("001", 1).encode() + b",caf\xe9\r\n")
    assert "not UTF-8 at byte" in run("org_load", str(published), "--name", "small")


def test_a_round_trip_keeps_the_hash(tmp_path: Path) -> None:
    small = small_snapshot(tmp_path)
    out = run("org_load", str(small.path), "--name", "small", "--strict")
    assert f"hash {small.hash}" in out
    assert "small.sqlite" in [path.name for path in tmp_path.iterdir()]
    folder = tmp_path / "out"
    assert small.hash in run("org_export", "small", "--to", "csv", "--out", str(folder))
    Org.objects.all().delete()
    shutil.rmtree(orgs_folder())
    again = run("org_load", str(folder), "--name", "again", "--strict")
    assert f"hash {small.hash}" in again
    org = Org.objects.get(name="again")
    assert org.last_day == TODAY
    assert {name: list(rows) for name, rows in snapshot_for(org).tables()} == {
        name: list(rows) for name, rows in small.tables()
    }


def test_texts_survive_the_round_trip_to_the_last_mark(tmp_path: Path, published: Path) -> None:
    texts = [
        "a\r\nb",
        "a\rb",
        "a\nb",
        '"',
        "'",
        "=cmd|x",
        "\ufeffa",
        " blank ",
        "\u2028",
        "👨‍👩‍👧",
        "a\tb",
        "\\N",
        "NULL",
        "\x0b",
    ]
    rows = [[make_id("001", n), text] for n, text in enumerate(texts, 1)]
    put(published, "Account", ["Id", "Name"], *rows)
    run("org_load", str(published), "--name", "small")
    run("org_export", "small", "--out", str(tmp_path / "out"))
    org = Org.objects.get()
    assert [row["Name"] for row in snapshot_for(org).records("Account")] == texts
    assert org.hash in run("org_load", str(tmp_path / "out"), "--name", "small", "--strict")


def test_loading_the_same_content_again_adds_nothing(published: Path) -> None:
    run("org_load", str(published), "--name", "small")
    again = run("org_load", str(published), "--name", "other")
    assert "here already, as small" in again
    assert Org.objects.count() == 1
    assert len(list(orgs_folder().iterdir())) == 1


def test_a_name_stands_for_one_content(published: Path) -> None:
    run("org_load", str(published), "--name", "small")
    put(published, "Issue__c", ["Id", "Name"], [make_id("aZ9", 1), "Other"])
    with pytest.raises(CommandError, match="name of another Org"):
        run("org_load", str(published), "--name", "small")
    assert Org.objects.count() == len(list(orgs_folder().iterdir())) == 1


def test_a_damaged_snapshot_is_refused(tmp_path: Path) -> None:
    small = small_snapshot(tmp_path)
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(small.path.read_bytes())
    with sqlite3.connect(copy) as connection:
        connection.execute("""UPDATE "Case" SET "Priority" = 'Low' WHERE rid = 2""")
    with pytest.raises(CommandError, match="content comes to"):
        run("org_load", str(copy), "--name", "small")
    assert not Org.objects.exists()
    assert list(orgs_folder().iterdir()) == []


def test_a_view_in_place_of_a_table_is_not_read(tmp_path: Path) -> None:
    small = small_snapshot(tmp_path)
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(small.path.read_bytes())
    with sqlite3.connect(copy) as connection:
        connection.execute('ALTER TABLE "User" RENAME TO hidden')
        connection.execute('CREATE VIEW "User" AS SELECT * FROM hidden')
    with pytest.raises(CommandError, match="no table User"):
        run("org_load", str(copy), "--name", "small")


def test_a_foreign_database_with_a_schema(tmp_path: Path, published: Path) -> None:
    file = tmp_path / "foreign.db"
    with sqlite3.connect(file) as connection:
        connection.execute('CREATE TABLE "Case" (Id TEXT, Subject TEXT, CreatedDate TEXT)')
        connection.execute(
            'INSERT INTO "Case" VALUES (?, ?, ?)', (make_id("500", 1), "Broken", "2022-03-16T15:15:00.000+0000")
        )
        connection.execute("CREATE TABLE Account (Id TEXT, NumberOfEmployees REAL)")
        connection.execute("INSERT INTO Account VALUES (?, 12.0)", (make_id("001", 1),))
    out = run("org_load", str(file), "--name", "foreign", "--schema", str(published / "schema.json"), "--strict")
    assert "note: User: no table" in out
    assert next(snapshot_for(Org.objects.get()).records("Account"))["NumberOfEmployees"] == 12
    Org.objects.all().delete()
    bare = run("org_load", str(file), "--name", "bare", "--strict")
    assert "2 objects, 2 records" in bare


@pytest.mark.parametrize(
    ("prepare", "said"),
    [
        (lambda folder: (folder / "schema.json").unlink(), "no schema file"),
        (lambda folder: (folder / "b_schema.json").write_text("[]"), "2 schema files"),
        (lambda folder: (folder / "schema.json").write_text("{}"), "neither a published schema"),
        (lambda folder: (folder / "schema.json").write_text('[{"fields": {}}]'), "list of objects"),
        (lambda folder: (folder / "schema.json").write_text("nothing"), "cannot be read"),
    ],
)
def test_a_schema_that_is_none_is_one_clear_line(published: Path, prepare: Any, said: str) -> None:
    prepare(published)
    with pytest.raises(CommandError, match=said):
        run("org_load", str(published), "--name", "small")


def test_bad_names_and_paths(published: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="letters, digits"):
        run("org_load", str(published), "--name", "no blanks")
    with pytest.raises(CommandError, match="no file or folder"):
        run("org_load", str(tmp_path / "nowhere"), "--name", "small")
    with pytest.raises(CommandError, match="No Org is called"):
        run("org_export", "nobody", "--out", str(tmp_path / "out"))


def test_org_list(published: Path) -> None:
    assert "No Org is loaded" in run("org_list")
    run("org_load", str(published), "--name", "small")
    org = Org.objects.get()
    said = run("org_list")
    assert "small" in said
    assert org.hash in said
    assert run("org_export", org.hash[:10], "--out", str(published.parent / "out"))


def test_an_org_may_be_loaded_for_one_study(published: Path, study: Any) -> None:
    run("org_load", str(published), "--name", "small", "--study", study.code)
    assert [row.study for row in Org.objects.get().study_orgs.all()] == [study]
    assert f"only {study.code}" in run("org_list")
    with pytest.raises(CommandError, match="no study nowhere"):
        run("org_load", str(published), "--name", "small", "--study", "nowhere")
