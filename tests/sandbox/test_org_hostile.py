"""Hostile files are input too: a clear message or a reported problem, never a crash, never a write, never a wait."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.ids import make_id
from study.sandbox.exchange import archives, foreign_sqlite, problem_list
from study.sandbox.exchange.archives import unpacked
from study.sandbox.exchange.org_files import OrgInput, read_org
from tests.sandbox.small_org import small_snapshot
from tests.sandbox.test_org_foreign import made, problems, records

CASE = 'CREATE TABLE "Case" (Id TEXT, Subject TEXT)'
ROWS = {"Case": [(make_id("500", n), f"Case {n}") for n in range(3)]}


def told(path: Path) -> OrgInput | str:
    """What was read, or the words it ended in."""
    try:
        return read_org(path)
    except SnapshotError as error:
        return str(error)


def forged(path: Path, sql: str, *values: Any) -> None:
    """Change the schema of a file behind SQLite's back."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute(sql, values)
    connection.close()


def test_views_triggers_and_virtual_tables_are_not_read(tmp_path: Path) -> None:
    file = made(
        tmp_path / "a.db", CASE, "CREATE TABLE log (Id TEXT)",
        'CREATE VIEW "Order" AS SELECT Id FROM "Case"',
        "CREATE VIEW Contact AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS Id FROM n",
        'CREATE TRIGGER t AFTER INSERT ON "Case" BEGIN INSERT INTO log VALUES (new.Id); END',
        "CREATE VIRTUAL TABLE Account USING fts5(Id, Name)",
        rows=ROWS,
    )  # fmt: skip
    given = read_org(file)
    assert len(records(given, "Case")) == 3
    assert {item.name for item in given.loaded.registry.objects} == {"Case", "log"}
    assert sorted(problems(given)) == [
        "Account: a virtual table; it was not read.",
        "Contact: a view; it was not read.",
        "Order: a view; it was not read.",
    ]


def test_a_view_that_calls_itself_a_table_is_not_read(tmp_path: Path) -> None:
    """The kind column of a schema may be forged, and the name may be another table's."""
    file = made(tmp_path / "a.db", CASE, "CREATE TABLE hidden (Id TEXT)", "CREATE VIEW Quote AS SELECT * FROM hidden",
                rows=ROWS)  # fmt: skip
    forged(file, "UPDATE sqlite_master SET type = 'table' WHERE name = 'Quote'")
    given = told(file)
    assert (
        ("Quote" in given or "damaged" in given) if isinstance(given, str) else not given.loaded.registry.has("Quote")
    )


def test_computed_columns_are_named_and_never_computed(tmp_path: Path) -> None:
    file = made(
        tmp_path / "a.db",
        'CREATE TABLE "Case" (Id TEXT, Subject TEXT, Loud AS (upper(Subject)), Kept AS (printf("%s", Subject)) STORED,'
        " CHECK (length(Subject) < 100))",
    )
    with sqlite3.connect(file) as connection:
        connection.executemany('INSERT INTO "Case" (Id, Subject) VALUES (?, ?)', ROWS["Case"])
    connection.close()
    given = read_org(file)
    assert sorted(problems(given)) == [
        "Case, row 1, Kept: a computed column; it was not read.",
        "Case, row 1, Loud: a computed column; it was not read.",
    ]
    assert records(given, "Case")[0]["Subject"] == "Case 0"
    forged(file, "UPDATE sqlite_master SET sql = replace(sql, 'upper(', 'load_extension(')")
    given = told(file)
    assert "a.db cannot be read" in given if isinstance(given, str) else len(records(given, "Case")) == 3


def test_two_tables_that_differ_in_case(tmp_path: Path) -> None:
    file = made(tmp_path / "a.db", CASE, "CREATE TABLE casex (Id TEXT, Subject TEXT)", rows=ROWS)
    forged(
        file,
        "UPDATE sqlite_master SET name = 'CASE', tbl_name = 'CASE', sql = replace(sql, 'casex', 'CASE') "
        "WHERE name = 'casex'",
    )
    given = told(file)
    if isinstance(given, str):
        assert "damaged" in given
    else:
        assert len([item for item in given.loaded.registry.objects if item.name.lower() == "case"]) == 1


@pytest.mark.parametrize("name", ["a\nb", "naïve", "x" * 200, "'; DROP TABLE x; --", 'q"uote', " ", "\x1b[31mred"])
def test_odd_names_are_shown_fit_to_print(tmp_path: Path, name: str) -> None:
    table = '"' + name.replace('"', '""') + '"'
    file = made(tmp_path / "a.db", CASE, f"CREATE TABLE {table} (Id TEXT, {table} TEXT)", rows=ROWS)
    given = read_org(file)
    assert {item.name for item in given.loaded.registry.objects} == {"Case"}
    (said,) = problems(given)
    assert said.isprintable()
    assert len(said) < 160


def test_a_name_with_a_nul_character(tmp_path: Path) -> None:
    file = made(tmp_path / "a.db", CASE, "CREATE TABLE other (Id TEXT)", rows=ROWS)
    forged(file, "UPDATE sqlite_master SET name = ?, tbl_name = ? WHERE name = 'other'", "o\0ther", "o\0ther")
    given = told(file)
    assert given.isprintable() if isinstance(given, str) else len(records(given, "Case")) == 3


def test_a_cell_that_is_too_big(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(foreign_sqlite._LIMITS, sqlite3.SQLITE_LIMIT_LENGTH, 100_000)
    file = made(tmp_path / "a.db", CASE, rows={"Case": [(make_id("500", 1), "x" * 200_000)]})
    with pytest.raises(SnapshotError, match=r"a cell claims more than 16 MB"):
        read_org(file)


def test_a_cell_that_claims_two_gigabytes(tmp_path: Path) -> None:
    """The size of a row is written in it; a lie is met before memory is asked for."""
    file = made(tmp_path / "a.db", CASE, rows={"Case": [(make_id("500", 1), "y" * 2000)]})
    data = file.read_bytes()
    place = data.index(make_id("500", 1).encode())
    # Head of the row: its length, the number of its head's bytes, two types. 2000 y's are type 2*2000+13.
    claimed = bytes([0x88, 0x80, 0x80, 0x80, 0x0D])
    start = data.rindex(b"\x9f\x2d", 0, place)
    file.write_bytes(data[:start] + claimed[:2] + data[start + 2 :])
    before = time.monotonic()
    given = told(file)
    assert "cannot be read" in given if isinstance(given, str) else len(str(records(given, "Case"))) < 20_000_000
    assert time.monotonic() - before < 5


def test_every_corrupt_page_ends_in_words(tmp_path: Path) -> None:
    """Any bytes anywhere: rows, a problem or a message; nothing else."""
    import random

    whole = made(tmp_path / "a.db", CASE, "CREATE TABLE Account (Id TEXT, Name TEXT)",
                 rows={"Case": [(make_id("500", n), "text " * 40) for n in range(200)],
                       "Account": [(make_id("001", n), "name") for n in range(50)]}).read_bytes()  # fmt: skip
    draw, refused = random.Random(5), 0
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(draw.choice([1, 4, 40])):
            place = draw.choice([draw.randrange(100, 400), draw.randrange(100, len(data))])
            data[place] = draw.randrange(256)
        file = tmp_path / "b.db"
        file.write_bytes(data[: draw.choice([len(data), len(data), draw.randrange(100, len(data))])])
        refused += isinstance(told(file), str)
    assert refused > 10


def test_a_page_listed_many_times_does_not_make_endless_rows(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA page_size=512")
    connection.execute(CASE)
    connection.executemany('INSERT INTO "Case" VALUES (?, ?)', [(make_id("500", n), "s") for n in range(20_000)])
    connection.commit()
    (root,) = connection.execute("SELECT rootpage FROM sqlite_master").fetchone()
    connection.close()
    data = bytearray(file.read_bytes())
    start = (root - 1) * 512
    assert data[start] == 5
    cells = int.from_bytes(data[start + 3 : start + 5], "big")
    places = [int.from_bytes(data[start + 12 + 2 * n : start + 14 + 2 * n], "big") for n in range(cells)]
    child = data[start + places[0] : start + places[0] + 4]
    for place in places:
        data[start + place : start + place + 4] = child
    page = (int.from_bytes(child, "big") - 1) * 512
    if data[page] == 5:
        inner = [int.from_bytes(data[page + 12 + 2 * n : page + 14 + 2 * n], "big")
                 for n in range(int.from_bytes(data[page + 3 : page + 5], "big"))]  # fmt: skip
        for place in inner:
            data[page + place : page + place + 4] = data[page + inner[0] : page + inner[0] + 4]
    file.write_bytes(data)
    before = time.monotonic()
    given = told(file)
    if isinstance(given, str):
        assert "damaged" in given
    else:
        assert any("duplicate Id" in line for line in problems(given))
    assert time.monotonic() - before < 20


def test_what_is_no_database_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("hello")
    (tmp_path / "empty.db").write_bytes(b"")
    (tmp_path / "cut.db").write_bytes(b"SQLite format 3\0" + b"\0" * 40)
    (tmp_path / "secret.db").write_bytes(b"SQLite format 3\0" + os.urandom(4096))
    for name, said in [
        ("text", "not an SQLite"),
        ("empty", "not an SQLite"),
        ("cut", "cannot be read"),
        ("secret", "damaged or enc"),
    ]:
        with pytest.raises(SnapshotError, match=said) as caught:
            read_org(tmp_path / f"{name}.db")
        assert name in str(caught.value)


def test_links_pipes_and_devices_are_refused_at_once(tmp_path: Path) -> None:
    real = made(tmp_path / "a.db", CASE, rows=ROWS)
    (tmp_path / "link.db").symlink_to(real)
    (tmp_path / "nowhere.db").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "pipe.db")
    for name, said in [("link", "is a link"), ("nowhere", "is a link"), ("pipe", "not a plain file")]:
        with pytest.raises(SnapshotError, match=said):
            read_org(tmp_path / f"{name}.db")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "schema.json").write_text('[{"object": "Case", "fields": {"Subject": ""}}]')
    (folder / "Case.csv").symlink_to("/etc/passwd")
    with pytest.raises(SnapshotError, match="is a link"):
        read_org(folder)
    (folder / "Case.csv").unlink()
    os.mkfifo(folder / "Case.csv")
    with pytest.raises(SnapshotError, match="not a plain file"):
        read_org(folder)


def test_a_log_beside_the_file_is_not_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(CASE)
    connection.executemany('INSERT INTO "Case" VALUES (?, ?)', ROWS["Case"])
    connection.commit()
    with pytest.raises(SnapshotError, match=r"still lie in a\.db-wal"):
        read_org(file)
    connection.close()
    # In the same mode, without a log: all there is stands in the file.
    assert not (tmp_path / "a.db-wal").exists()
    assert len(records(read_org(file), "Case")) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.db"]


def test_more_tables_or_columns_than_anybody_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_sqlite, "MOST_TABLES", 30)
    monkeypatch.setattr(foreign_sqlite, "MOST_COLUMNS", 50)
    many = made(tmp_path / "many.db", *(f"CREATE TABLE t{n} (Id TEXT)" for n in range(31)))
    with pytest.raises(SnapshotError, match="more than 30 tables"):
        read_org(many)
    wide = made(tmp_path / "wide.db", f"CREATE TABLE t (Id, {', '.join(f'c{n}' for n in range(60))})")
    with pytest.raises(SnapshotError, match="61 columns"):
        read_org(wide)


def test_what_keeps_sqlite_busy_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_sqlite, "PATIENCE", -1.0)
    monkeypatch.setattr(foreign_sqlite, "_STEPS", 10)
    file = made(tmp_path / "a.db", CASE, rows={"Case": [(make_id("500", n), "x") for n in range(3000)]})
    with pytest.raises(SnapshotError, match="busy for more than"):
        read_org(file)


def test_texts_that_are_none_are_replaced_and_counted(tmp_path: Path) -> None:
    file = made(tmp_path / "a.db", CASE)
    with sqlite3.connect(file) as connection:
        connection.execute(f"INSERT INTO \"Case\" VALUES ('{make_id('500', 1)}', CAST(x'ff61' AS TEXT))")
        connection.execute(f"INSERT INTO \"Case\" VALUES ('{make_id('500', 2)}', x'6162')")
        connection.execute(f"INSERT INTO \"Case\" VALUES ('{make_id('500', 3)}', x'ff')")
    connection.close()
    given = read_org(file)
    assert [row["Subject"] for row in records(given, "Case")] == ["\ufffda", "ab", "\ufffd"]
    assert problems(given) == ["Case: 2 texts are not UTF-8; unreadable bytes were replaced."]


def test_millions_of_problems_are_counted_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problem_list, "MOST", 3)
    rows = {"Case": [(make_id("500", n), "yesterday", make_id("001", n)) for n in range(9)],
            "Account": [(make_id("001", 99),)]}  # fmt: skip
    file = made(
        tmp_path / "a.db", 'CREATE TABLE "Case" (Id, CreatedDate, AccountId)', "CREATE TABLE Account (Id)", rows=rows
    )
    said = problems(read_org(file))
    assert len(said) == 8
    assert "Case, CreatedDate: 6 more problems like those listed; dealt with in the same way." in said
    assert "Case, AccountId: 6 more problems like those listed; dealt with in the same way." in said


def test_reading_tells_how_far_it_is(tmp_path: Path) -> None:
    file = made(tmp_path / "a.db", CASE, rows={"Case": [(make_id("500", n), "x") for n in range(4500)]})
    heard: list[tuple[int, int | None, str]] = []
    read_org(file, progress=lambda *told: heard.append(told))
    # Once to learn the types, once to load.
    assert heard == [(2000, None, "read"), (4000, None, "read")] * 2


def test_utf16_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA encoding='UTF-16le'")
    connection.execute(CASE)
    connection.execute('INSERT INTO "Case" VALUES (?, ?)', (make_id("500", 1), "Zoë 🙂"))
    connection.commit()
    connection.close()
    assert records(read_org(file), "Case")[0]["Subject"] == "Zoë 🙂"


def test_nothing_is_written_beside_or_into_the_file(tmp_path: Path) -> None:
    file = made(tmp_path / "a.db", CASE, rows=ROWS)
    before = hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns
    read_org(file)
    assert (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns) == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]
    assert not file.stat().st_mode & stat.S_IXUSR


def test_a_snapshot_with_a_lie_inside_is_refused(tmp_path: Path) -> None:
    whole = small_snapshot(tmp_path).path.read_bytes()
    for sql, said in [
        ("UPDATE realia_meta SET value = '{' WHERE key = 'manifest'", "cannot be read as a snapshot"),
        ("UPDATE realia_meta SET value = '[]' WHERE key = 'registry'", "cannot be read as a snapshot|not a registry"),
        ("""UPDATE realia_meta SET value = '{"format": 99}' WHERE key = 'manifest'""", "format 99"),
        ('UPDATE "Case" SET CreatedDate = 9e18 WHERE rid = 1', "cannot be read as a snapshot"),
    ]:
        copy = tmp_path / "copy.sqlite"
        copy.write_bytes(whole)
        with sqlite3.connect(copy) as connection:
            connection.execute(sql)
        connection.close()
        with pytest.raises(SnapshotError, match=said):
            [list(rows) for rows in read_org(copy).loaded.tables.values()]


SCHEMA = '[{"object": "Case", "fields": {"Subject": "Subject"}}]'


def packed(path: Path, *files: tuple[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return path


def test_a_zip_of_tables_and_schema(tmp_path: Path, settings: Any) -> None:
    settings.REALIA_VAR = tmp_path / "var"
    csv = f"Id,Subject\n{make_id('500', 1)},Broken\n"
    file = packed(tmp_path / "a.zip", ("org/Case.CSV", csv), ("org/schema.json", SCHEMA), ("__MACOSX/._Case.csv", "x"),
                  ("org/readme.txt", "hello"), ("../../escape.json.txt", "x"))  # fmt: skip
    with unpacked(file) as folder:
        assert sorted(path.name for path in folder.iterdir()) == ["Case.csv", "schema.json"]
        assert records(read_org(folder), "Case")[0]["Subject"] == "Broken"
    assert not folder.exists()


def test_zips_past_a_limit_are_refused(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REALIA_VAR = tmp_path / "var"
    monkeypatch.setattr(archives, "_SMALL", 100_000)
    link = zipfile.ZipInfo("Case.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    packed(tmp_path / "bomb.zip", ("Case.csv", b"\0" * 60_000_000), ("schema.json", SCHEMA))
    packed(tmp_path / "up.zip", ("../Case.csv", "Id\n"), ("../../schema.json", SCHEMA))
    packed(tmp_path / "twice.zip", ("a/Case.csv", "Id\n"), ("b/case.csv", "Id\n"))
    packed(tmp_path / "none.zip", ("readme.md", "x"))
    (tmp_path / "cut.zip").write_bytes((tmp_path / "bomb.zip").read_bytes()[:3000])
    for name, said in [("link", "holds a link"), ("bomb", "more than 250 times"), ("twice", "two files called"),
                       ("none", "no CSV file"), ("cut", "cannot be unpacked")]:  # fmt: skip
        with pytest.raises(SnapshotError, match=said), unpacked(tmp_path / f"{name}.zip"):
            pass
    with unpacked(tmp_path / "up.zip") as folder:
        assert {path.parent for path in folder.rglob("*")} == {folder}
    monkeypatch.setattr(archives, "MOST_BYTES", 1000)
    packed(tmp_path / "big.zip", ("Case.csv", os.urandom(2000).hex()))
    with pytest.raises(SnapshotError, match="unpacks to more than"), unpacked(tmp_path / "big.zip"):
        pass
    monkeypatch.setattr(archives, "MOST_FILES", 1)
    with pytest.raises(SnapshotError, match="holds 2 files"), unpacked(tmp_path / "twice.zip"):
        pass
    assert list((tmp_path / "var" / "orgs").iterdir()) == []
