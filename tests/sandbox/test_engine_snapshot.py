"""The snapshot file: its name, its guards, its threads."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from study.sandbox.engine.connections import CONNECTIONS_PER_THREAD, read_only_uri
from study.sandbox.engine.errors import QueryTimeout, SnapshotError
from study.sandbox.engine.ids import make_id
from study.sandbox.engine.queryspec import QuerySpec
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
from study.sandbox.engine.snapshot import open_snapshot, write_snapshot
from study.sandbox.engine.snapshot_write import content_hash
from tests.sandbox.small_org import TODAY, small_registry, small_snapshot, small_tables

ALL = QuerySpec("Case", ("Id",))
ROOT = Path(__file__).resolve().parents[2]


def write(path: Path, tables: dict) -> str:
    return write_snapshot(path, small_registry(), tables).hash


def test_the_hash_is_of_the_content_not_of_order_or_file(tmp_path: Path) -> None:
    tables = small_tables()
    first = write(tmp_path / "a.sqlite", tables)
    turned = {name: list(reversed(rows)) for name, rows in reversed(tables.items())}
    assert write(tmp_path / "b.sqlite", turned) == first
    tables["Case"][7]["Priority"] = "high"
    assert write(tmp_path / "c.sqlite", tables) != first


def test_the_hash_tells_values_apart_that_join_to_the_same_text(tmp_path: Path) -> None:
    hashes = set()
    for first, last in (("ab", "c"), ("a", "bc"), ("abc", None), (None, "abc")):
        user = {"Id": make_id("005", 1), "FirstName": first, "LastName": last, "Name": "same"}
        hashes.add(write(tmp_path / "x.sqlite", {"User": [user]}))
    assert len(hashes) == 4


def test_layout_and_zone_are_part_of_the_hash(tmp_path: Path) -> None:
    plain = small_registry()
    case = replace(plain.object("Case"), columns=("Subject",))
    other = replace(plain, objects=tuple(case if o.name == "Case" else o for o in plain.objects))
    hashes = {write_snapshot(tmp_path / "x", r, {}).hash for r in (plain, other, small_registry(zone="Asia/Tokyo"))}
    assert len(hashes) == 3


def test_the_hash_does_not_depend_on_the_machines_settings(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from tests.sandbox.small_org import small_snapshot;"
        f"print(small_snapshot(Path({str(tmp_path)!r})).hash)"
    )
    found = set()
    for seed, zone in (("0", "UTC"), ("7", "Asia/Tokyo")):
        environment = os.environ | {"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C", "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.add(done.stdout.strip())
    assert found == {small_snapshot(tmp_path).hash}


def test_paths_with_signs_that_mean_something_in_a_uri(tmp_path: Path) -> None:
    folder = tmp_path / "a #b ?c %41 d"
    folder.mkdir()
    snapshot = small_snapshot(folder)
    assert snapshot.count(ALL, TODAY) == 70
    assert [path.name for path in folder.iterdir()] == ["small.sqlite"]
    assert not list(tmp_path.glob("a "))
    connection = sqlite3.connect(read_only_uri(snapshot.path), uri=True)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute('DELETE FROM "Case"')
    connection.close()


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH 'other.sqlite' AS other", "PRAGMA user_version", "PRAGMA writable_schema = 1",
        'DELETE FROM "Case"', "CREATE TABLE x (y)", "CREATE TEMP TABLE x (y)", "SELECT load_extension('x')",
        "SELECT * FROM sqlite_master", "SELECT value FROM realia_meta", "SELECT randomblob(9)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT 3", "VACUUM INTO 'x'",
    ],
)  # fmt: skip
def test_a_connection_reads_registered_tables_and_does_nothing_else(tmp_path: Path, sql: str) -> None:
    snapshot = small_snapshot(tmp_path)
    with pytest.raises(sqlite3.DatabaseError, match=r"authoriz|prohibited"):
        snapshot.connection.rows(sql)
    assert snapshot.count(ALL, TODAY) == 70


def test_a_query_that_takes_too_long_is_stopped_and_the_next_one_runs(tmp_path: Path) -> None:
    snapshot = small_snapshot(tmp_path)
    endless = "SELECT count(*) FROM " + ", ".join(f'"Case" AS t{n}' for n in range(7))
    with pytest.raises(QueryTimeout) as caught:
        snapshot.connection.rows(endless, seconds=0.2)
    assert caught.value.code == "QUERY_TIMEOUT"
    assert "nothing is lost" in caught.value.message
    assert snapshot.count(ALL, TODAY) == 70


def test_the_file_is_read_only_and_nothing_lies_beside_it(tmp_path: Path) -> None:
    snapshot = small_snapshot(tmp_path)
    assert stat.S_IMODE(snapshot.path.stat().st_mode) == 0o444
    assert list(tmp_path.iterdir()) == [snapshot.path]


@pytest.mark.parametrize(
    "rows",
    [
        [{"Id": None}],
        [{"Id": make_id("500", 1)}, {"Id": make_id("500", 1)[:15]}],
        [{"Id": make_id("500", 1), "Nonsense": "x"}],
        [{"Id": make_id("500", 1), "CreatedDate": datetime(2024, 1, 1)}],
        [{"Id": make_id("500", 1), "CreatedDate": "2024-01-01"}],
        [{"Id": make_id("500", 1), "Subject": 5}],
    ],
)
def test_unsound_records_are_refused_and_nothing_is_left(tmp_path: Path, rows: list) -> None:
    with pytest.raises(SnapshotError):
        write_snapshot(tmp_path / "x.sqlite", small_registry(), {"Case": rows})
    assert list(tmp_path.iterdir()) == []


def test_values_come_back_as_they_went_in(tmp_path: Path) -> None:
    kinds = ("reference", "string", "text", "picklist", "datetime", "date", "boolean", "number", "integer")
    fields = [FieldDef("Id", "id", "Id"), *(FieldDef(kind, kind, kind) for kind in kinds)]  # type: ignore[arg-type]
    registry = Registry((ObjectDef("Order", "Order", "Orders", "801", tuple(fields), "Id"),))
    record = {
        "Id": make_id("801", 1), "reference": make_id("001", 1), "string": "a\tÁ 👨‍👩‍👧", "text": "x\r\ny",
        "picklist": "p",
        "datetime": datetime(2024, 2, 29, 1, 2, 3, 4_000, UTC), "date": date(1, 1, 1), "boolean": False,
        "number": 0.1, "integer": 2**62,
    }  # fmt: skip
    empty = {"Id": make_id("801", 2)}
    snapshot = open_snapshot(write_snapshot(tmp_path / "x", registry, {"Order": [record, empty]}).path)
    assert list(snapshot.records("Order")) == [record, dict.fromkeys(kinds) | empty]
    assert snapshot.record("Order", record["Id"][:15]) == record
    assert snapshot.record("Order", "nonsense") is None


def test_nul_characters_are_dropped(tmp_path: Path) -> None:
    """P-15: by a stated rule, and the rest of the text is kept."""
    rows = [{"Id": make_id("500", 1), "Subject": "a\0b\ud800", "Description": "\0"}]
    snapshot = open_snapshot(write_snapshot(tmp_path / "x", small_registry(), {"Case": rows}).path)
    record = snapshot.record("Case", make_id("500", 1))
    assert record is not None
    assert (record["Subject"], record["Description"]) == ("ab?", None)


def test_threads_share_a_snapshot_and_many_orgs_are_open_at_once(tmp_path: Path) -> None:
    orgs = []
    for n in range(CONNECTIONS_PER_THREAD + 3):
        path = tmp_path / f"{n}.sqlite"
        rows = [{"Id": make_id("500", k)} for k in range(n)]
        orgs.append(open_snapshot(write_snapshot(path, small_registry(), {"Case": rows}).path))

    def counts(_: int) -> list[int]:
        return [len(org.run(ALL, TODAY).rows) for org in orgs]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(counts, range(8))) == [list(range(len(orgs)))] * 8


def test_a_file_exchanged_under_the_same_name_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    for n in (1, 2):
        write_snapshot(path, small_registry(), {"Case": [{"Id": make_id("500", k)} for k in range(n)]})
        assert len(open_snapshot(path).run(ALL, TODAY).rows) == n


def test_damage_changes_the_hash(tmp_path: Path) -> None:
    snapshot = small_snapshot(tmp_path)
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(snapshot.path.read_bytes())
    connection = sqlite3.connect(copy)
    assert content_hash(connection, snapshot.registry) == snapshot.hash
    connection.execute("""UPDATE "Case" SET "Priority" = 'Low' WHERE rid = 2""")
    assert content_hash(connection, snapshot.registry) != snapshot.hash
    connection.close()


@pytest.mark.parametrize("content", [None, b"", b"not a database", "sqlite"])
def test_what_is_no_snapshot_is_not_opened(tmp_path: Path, content: bytes | str | None) -> None:
    path = tmp_path / "x.sqlite"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        sqlite3.connect(path).execute("CREATE TABLE t (x)")
    with pytest.raises(SnapshotError):
        open_snapshot(path)


@pytest.mark.parametrize("name", ["sqlite_x", "fts_Case", "realia_meta", "a b", 'a"b', "", "1a"])
def test_names_that_could_do_harm_are_refused(tmp_path: Path, name: str) -> None:
    bad = ObjectDef(name, "x", "x", "zzz", (FieldDef("Id", "id", "Id"),), "Id")
    with pytest.raises(SnapshotError):
        write_snapshot(tmp_path / "x", Registry((bad,)), {})


@pytest.mark.parametrize("changes", [{"zone": "Mars/Olympus"}, {"zone": "../etc"}, {"fiscal_start": 13}])
def test_a_registry_with_an_impossible_calendar_is_refused(tmp_path: Path, changes: dict) -> None:
    with pytest.raises(SnapshotError):
        write_snapshot(tmp_path / "x", replace(small_registry(), **changes), {})


def test_the_last_day_is_when_something_happened_not_what_lies_ahead(tmp_path: Path) -> None:
    tables = {
        "Case": [{"Id": make_id("500", 1), "CreatedDate": datetime(2024, 5, 1, 23, 30, tzinfo=UTC)}],
        "Order": [{"Id": make_id("801", 1), "EffectiveDate": date(2030, 1, 1)}],
    }
    assert write_snapshot(tmp_path / "x", small_registry(), tables).last_day == date(2024, 5, 1)
    tokyo = write_snapshot(tmp_path / "y", small_registry(zone="Asia/Tokyo"), tables)
    assert tokyo.last_day == date(2024, 5, 2)
    del tables["Case"]
    assert write_snapshot(tmp_path / "x", small_registry(), tables).last_day == date(2030, 1, 1)
