"""Orgs out and in again: CSV, SQLite in the published layout, Parquet. Every way keeps the Org hash."""

from __future__ import annotations

import json
import shutil
import sqlite3
from datetime import UTC, date, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from study.sandbox.engine.ids import make_id
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
from study.sandbox.engine.snapshot import Snapshot, open_snapshot, write_snapshot
from study.sandbox.exchange.exporting import FORMS, export_org
from study.sandbox.exchange.org_files import read_org
from study.sandbox.models import Org
from study.sandbox.orgs import snapshot_for
from tests.sandbox.small_org import small_snapshot

pytestmark = pytest.mark.django_db

TEXTS = (
    "x" * 40_000, "🙂👨‍👩‍👧", "שלום עולם", "مرحبا", "a\r\nb", "a\rb", "a\nb", "=1+1",
    "=cmd|' /C calc'!A0", '"quoted"', "'", '""',
    "NUL\0dropped", " blank ", "\ufeffmark", "\u2028", "NULL", "\\N", "0", "1.0", "true", "2022-03-16", "-0",
    "a,b;c\td",
)  # fmt: skip
NUMBERS = (-0.0, 1e308, -1e308, 5e-324, 0.1, 1e15, 1e16, 123456789.125, 2.0, None)
WHOLES = (0, 2**62, 1 - 2**63, 2**63 - 1, 10**15, 7, None)
MOMENTS = (
    datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC), datetime(1, 1, 1, tzinfo=UTC),
    datetime(1900, 2, 28, 1, tzinfo=UTC),
    datetime(2024, 2, 29, 12, 0, 0, 1_999, UTC), datetime(9999, 12, 31, 23, 59, 59, 999_000, UTC), None,
)  # fmt: skip
DAYS = (date(1, 1, 1), date(1969, 7, 20), date(2024, 2, 29), date(9999, 12, 31), None)


def odd_snapshot(folder: Path) -> Snapshot:
    """Values that files are known to lose."""
    odd = ObjectDef(
        "Odd__c", "Odd", "Odds", "a0X",
        (
            FieldDef("Id", "id", "Id"), FieldDef("Short", "string", "Short"), FieldDef("Long", "text", "Long"),
            FieldDef("Num", "number", "Num"), FieldDef("Whole", "integer", "Whole"), FieldDef("At", "datetime", "At"),
            FieldDef("Day", "date", "Day"), FieldDef("Yes", "boolean", "Yes"), FieldDef("To", "reference", "To"),
            FieldDef("order", "picklist", "Order", values=("a", "b")),
        ),
        "Short",
    )  # fmt: skip
    rows = [
        {
            "Id": make_id("a0X", n), "Short": text, "Long": text, "Num": NUMBERS[n % len(NUMBERS)],
            "Whole": WHOLES[n % len(WHOLES)], "At": MOMENTS[n % len(MOMENTS)], "Day": DAYS[n % len(DAYS)],
            "Yes": (True, False, None)[n % 3], "To": make_id("zzz", n), "order": ("a", "b", None)[n % 3],
        }
        for n, text in enumerate(TEXTS)
    ]  # fmt: skip
    registry = Registry((odd,), zone="Asia/Kathmandu", company="Odd & Söhne", fiscal_start=4)
    info = write_snapshot(folder / "odd.sqlite", registry, {"Odd__c": rows}, today=date(2024, 3, 1), generator="hand")
    return open_snapshot(info.path)


def back(folder: Path, out: Path) -> Snapshot:
    given = read_org(out)
    assert given.loaded.problems == []
    info = write_snapshot(
        folder / "back.sqlite", given.loaded.registry, given.loaded.tables, today=given.today, extra=given.about
    )
    return open_snapshot(info.path)


def out_path(folder: Path, form: str) -> Path:
    return folder / ("out.db" if form == "sqlite" else "out")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", [odd_snapshot, small_snapshot])
def test_a_round_trip_keeps_hash_rows_and_manifest(tmp_path: Path, form: str, make: Any) -> None:
    before = make(tmp_path)
    export_org(before, form, out_path(tmp_path, form), "out")
    after = back(tmp_path, out_path(tmp_path, form))
    assert after.hash == before.hash
    assert after.registry == before.registry
    assert {name: list(rows) for name, rows in after.tables()} == {name: list(rows) for name, rows in before.tables()}
    assert (after.last_day, after.manifest["generator"]) == (before.last_day, before.manifest["generator"])


def test_the_generated_world_survives_every_form(tmp_path: Path, settings: Any) -> None:
    settings.REALIA_VAR = tmp_path / "var"
    call_command("org_generate", "service", "--seed", "3", "--name", "world", "--scale", "0.2", "--no-instances",
                 stdout=StringIO())  # fmt: skip
    org = Org.objects.get()
    for form in FORMS:
        out = StringIO()
        call_command("org_export", "world", "--to", form, "--out", str(out_path(tmp_path / form, form)), stdout=out)
        assert org.hash in out.getvalue()
    Org.objects.all().delete()
    shutil.rmtree(tmp_path / "var" / "orgs")
    for form in FORMS:
        out = StringIO()
        call_command("org_load", str(out_path(tmp_path / form, form)), "--name", form, "--strict", stdout=out)
        assert f"hash {org.hash}" in out.getvalue()
        again = Org.objects.get()
        assert (again.last_day, again.counts, again.manifest["seed"]) == (org.last_day, org.counts, 3)
        assert snapshot_for(again).hash == org.hash
        again.delete()


def test_sqlite_stands_in_the_published_layout(tmp_path: Path) -> None:
    files = export_org(small_snapshot(tmp_path), "sqlite", tmp_path / "out", "small")
    assert [path.name for path in files] == ["small.db", "small.schema.json"]
    with sqlite3.connect(files[0]) as connection:
        made = dict(connection.execute("SELECT name, sql FROM sqlite_master"))
        assert made["Case"].startswith('CREATE TABLE "Case" ("Id" TEXT, "Subject" TEXT')
        assert not any(word in sql.upper() for sql in made.values() for word in (" KEY", "NOT NULL", "INDEX", "UNIQUE"))
        (first,) = connection.execute('SELECT CreatedDate FROM "Case" ORDER BY CreatedDate LIMIT 1').fetchone()
        assert first == "1969-12-31T23:59:59.500+0000"
        assert connection.execute("SELECT DISTINCT IsActive FROM Product2 ORDER BY 1").fetchall() == [(0,), (1,)]
        assert connection.execute('SELECT count(*) FROM "Order"').fetchone() == (30,)
    connection.close()


def test_parquet_is_typed_and_says_what_it_is(tmp_path: Path) -> None:
    before = odd_snapshot(tmp_path)
    export_org(before, "parquet", tmp_path / "out", "odd")
    table = pq.read_table(tmp_path / "out" / "Odd__c.parquet")
    kinds = {name: str(table.schema.field(name).type) for name in table.column_names}
    assert kinds == {
        "Id": "string", "Short": "string", "Long": "string", "Num": "double", "Whole": "int64",
        "At": "timestamp[ms, tz=UTC]", "Day": "date32[day]", "Yes": "bool", "To": "string", "order": "string",
    }  # fmt: skip
    assert table.schema.metadata[b"org"].decode() == before.hash
    assert table.schema.field("At").metadata[b"label"] == b"At"


def test_an_object_without_records_has_its_file_in_every_form(tmp_path: Path) -> None:
    before = small_snapshot(tmp_path)
    assert before.counts["Pricebook2"] == 0
    for form in FORMS:
        export_org(before, form, out_path(tmp_path / form, form), "small")
        (tmp_path / form).mkdir(exist_ok=True)
        assert back(tmp_path / form, out_path(tmp_path / form, form)).hash == before.hash


def test_damage_is_noticed(tmp_path: Path) -> None:
    before = odd_snapshot(tmp_path)
    export_org(before, "parquet", tmp_path / "out", "odd")
    path = tmp_path / "out" / "Odd__c.parquet"
    table = pq.read_table(path)
    pq.write_table(table.set_column(2, "Long", pa.array(["changed"] * len(table))), path)
    assert back(tmp_path, tmp_path / "out").hash != before.hash
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(Exception, match="cannot be read as Parquet"):
        read_org(tmp_path / "out")


def test_parquet_of_others_is_read_by_a_schema(tmp_path: Path) -> None:
    """Decimals, times without zone, nested columns and bytes."""
    from decimal import Decimal

    folder = tmp_path / "foreign"
    folder.mkdir()
    schema = [{"object": "Order", "fields": {"EffectiveDate": "", "TotalPrice": "", "CreatedDate": "", "Name": ""}}]
    (folder / "schema.json").write_text(json.dumps(schema))
    columns = {
        "Id": [make_id("801", 1)], "EffectiveDate": [date(2024, 2, 29)], "TotalPrice": [Decimal("12.50")],
        "CreatedDate": [datetime(2024, 1, 31, 23, 59)], "Name": [b"bytes"], "Nested": [[1, 2]],
    }  # fmt: skip
    pq.write_table(pa.table(columns), folder / "Order.parquet")
    given = read_org(folder)
    assert [str(problem) for problem in given.loaded.problems] == [
        "Order, row 1, Nested: a nested column; it was not read."
    ]
    record = next(iter(given.loaded.tables["Order"]))
    assert record["TotalPrice"] == 12.5
    assert record["CreatedDate"] == datetime(2024, 1, 31, 23, 59, tzinfo=UTC)
    assert record["Name"] == "bytes"


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path, settings: Any) -> None:
    settings.REALIA_VAR = tmp_path / "var"
    small = small_snapshot(tmp_path)
    call_command("org_load", str(small.path), "--name", "small", stdout=StringIO())
    (tmp_path / "file").write_text("in the way")
    for form in FORMS:
        with pytest.raises(CommandError, match="cannot be written"):
            call_command("org_export", "small", "--to", form, "--out", str(tmp_path / "file" / "x"), stdout=StringIO())
