"""Questions that lists ask all day are answered from an index, and files of before these indexes are still read."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from study.sandbox.engine.snapshot import Snapshot, open_snapshot
from study.sandbox.engine.typing_ahead import type_ahead
from tests.sandbox.small_org import small_snapshot


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return small_snapshot(tmp_path_factory.mktemp("org"))


@pytest.mark.parametrize(
    "sql",
    [
        """SELECT count(*) FROM "Case" WHERE "~Status" = 'new' AND "~Priority" = 'high' AND "CreatedDate" > 5""",
        """SELECT count(*) FROM "Case" WHERE "OwnerId" = 'x' AND "~Priority" = 'low'""",
        """SELECT count(*) FROM "Case" WHERE "ClosedDate" < 5 AND "~Priority" IS NOT 'low'""",
        """SELECT min("Status"), count(*) FROM "Case" GROUP BY "~Status" """,
        """SELECT "Id" FROM "Case" WHERE "AccountId" = 'x' ORDER BY "CreatedDate" DESC LIMIT 5""",
        """SELECT "Id" FROM "Case" WHERE "~Status" = 'new' ORDER BY "CreatedDate" DESC LIMIT 50""",
    ],
)
def test_what_lists_ask_is_answered_from_an_index_alone(snapshot: Snapshot, sql: str) -> None:
    connection = sqlite3.connect(snapshot.path)
    plan = " ".join(row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + sql))
    connection.close()
    assert "COVERING INDEX" in plan
    assert "TEMP B-TREE FOR ORDER BY" not in plan


def test_a_beginning_of_a_word_that_is_no_stem_is_found_in_names(snapshot: Snapshot) -> None:
    names = {hit.name for hit in type_ahead(snapshot, "draini", "Case")} | {
        hit.name for hit in type_ahead(snapshot, "drain", "Case")
    }
    assert any("drains" in name for name in names)
    assert type_ahead(snapshot, "crack", "Case")[0].name.startswith("Screen cracked")


@pytest.mark.parametrize("typed", ["bat", "crac", "o'd", "van d", "a", "tent 3", "50%", "%", "zzz"])
def test_a_file_without_the_index_of_names_gives_the_same_suggestions(
    snapshot: Snapshot, tmp_path: Path, typed: str
) -> None:
    old = tmp_path / "old.sqlite"
    shutil.copy(snapshot.path, old)
    old.chmod(0o644)
    connection = sqlite3.connect(old)
    for (name,) in connection.execute(
        "SELECT name FROM sqlite_master WHERE name LIKE 'fts_~%' AND sql LIKE 'CREATE VIRTUAL%'"
    ).fetchall():
        connection.execute(f'DROP TABLE "{name}"')
    manifest = {key: value for key, value in snapshot.manifest.items() if key not in {"indexes", "file_sha256"}}
    connection.execute("UPDATE realia_meta SET value = ? WHERE key = 'manifest'", [json.dumps(manifest)])
    connection.commit()
    connection.close()
    assert type_ahead(open_snapshot(old), typed) == type_ahead(snapshot, typed)
