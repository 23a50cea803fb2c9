"""Orgs for measuring: any number of records, sound, skewed, and the same ones for the same seed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from study.generator.flows import write_shapes
from study.generator.shapes import Shapes, build_shapes
from study.sandbox.engine.snapshot import open_snapshot
from study.sandbox.models import Org
from study.sandbox.orgs import orgs_folder

ROOT = Path(__file__).resolve().parents[2]
Tables = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def shapes() -> tuple[Shapes, Tables]:
    made = build_shapes(6_000, 1)
    return made, {name: list(rows) for name, rows in made.tables.items()}


@pytest.mark.parametrize("records", [100, 101, 333, 5_000])
def test_exactly_as_many_records_as_asked_for_in_all_27_objects(records: int) -> None:
    made = build_shapes(records, 3)
    found = {name: sum(1 for _ in rows) for name, rows in made.tables.items()}
    assert found == made.counts
    assert (len(found), sum(found.values())) == (27, records)
    assert min(found.values()) > 0


@pytest.mark.parametrize(("records", "seed"), [(99, 1), (0, 1), (-5, 1), (1_000, -1)])
def test_too_few_records_or_a_negative_seed_are_refused(records: int, seed: int) -> None:
    with pytest.raises(ValueError, match=r"records or more|zero or more"):
        build_shapes(records, seed)


def test_every_lookup_leads_to_a_record_and_ids_rise(shapes: tuple[Shapes, Tables]) -> None:
    made, tables = shapes
    ids = {name: {row["Id"] for row in rows} for name, rows in tables.items()}
    for item in made.registry.objects:
        rows = tables[item.name]
        assert [row["Id"] for row in rows] == sorted(ids[item.name])
        for field in item.fields:
            if field.targets:
                known = set().union(*(ids[target] for target in field.targets))
                assert {row[field.name] for row in rows} - {None} <= known


def test_proportions_are_the_published_ones(shapes: tuple[Shapes, Tables]) -> None:
    counts = {name: len(rows) / 6_000 for name, rows in shapes[1].items()}
    wanted = {"Case": 0.12, "CaseHistory__c": 0.24, "EmailMessage": 0.25, "OrderItem": 0.10, "Task": 0.08}
    assert {name: round(counts[name], 2) for name in wanted} == pytest.approx(wanted, abs=0.015)


def test_work_is_skewed_and_follows_the_week(shapes: tuple[Shapes, Tables]) -> None:
    cases = shapes[1]["Case"]
    accounts = Counter(case["AccountId"] for case in cases if case["AccountId"])
    tenth = sum(n for _, n in accounts.most_common(max(1, len(shapes[1]["Account"]) // 10)))
    assert tenth > 0.3 * sum(accounts.values())
    weekend = sum(case["CreatedDate"].weekday() >= 5 for case in cases)
    assert 0.03 < weekend / len(cases) < 0.12
    assert len({case["CreatedDate"].year for case in cases}) == 5
    still_open = [case for case in cases if case["ClosedDate"] is None]
    assert 0.05 < len(still_open) / len(cases) < 0.13
    assert all((case["Status"] == "Closed") == (case["ClosedDate"] is not None) for case in cases)
    assert all(case["ClosedDate"] > case["CreatedDate"] for case in cases if case["ClosedDate"])


def test_a_case_history_begins_with_the_case(shapes: tuple[Shapes, Tables]) -> None:
    opened = {case["Id"]: case["CreatedDate"] for case in shapes[1]["Case"]}
    first: dict[str, dict[str, Any]] = {}
    for row in shapes[1]["CaseHistory__c"]:
        first.setdefault(row["CaseId__c"], row)
        assert row["CreatedDate"] >= opened[row["CaseId__c"]]
        assert (row["Field__c"] == "Owner Assignment") == (row["NewValue__c"] is not None)
    assert {row["Field__c"] for row in first.values()} == {"Case Creation"}
    assert len(first) == len(opened)


def test_the_same_seed_gives_the_same_org_on_any_machine(tmp_path: Path) -> None:
    code = (
        "import django; django.setup(); from pathlib import Path; from study.generator.flows import write_shapes;"
        f"print(write_shapes(Path({str(tmp_path / 'there.sqlite')!r}), 700, 5).hash)"
    )
    elsewhere = {"PYTHONHASHSEED": "9", "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONPATH": str(ROOT)}
    elsewhere |= {"NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3", "DJANGO_SETTINGS_MODULE": "study.settings"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | elsewhere, cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    here = write_shapes(tmp_path / "here.sqlite", 700, 5)
    assert done.stdout.strip() == here.hash
    assert write_shapes(tmp_path / "other.sqlite", 700, 6).hash != here.hash
    assert open_snapshot(here.path).manifest["world"] == "shapes"


@pytest.mark.django_db
def test_the_command_makes_an_org(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("org_generate", "shapes", "--records", "300", "--seed", "1")
    assert "27 objects, 300 records" in capsys.readouterr().out
    org = Org.objects.get(name="shapes-300-1")
    assert sum(org.counts.values()) == 300
    assert not list(orgs_folder().glob("*.part"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("shapes", "--seed", "1"), "shapes needs --records"),
        (("shapes", "--seed", "1", "--records", "5"), "100 records or more"),
        (("service", "--seed", "1", "--records", "500", "--name", "x"), "use --scale"),
        (("service", "--name", "x"), "--seed"),
        ((), "Name one world"),
    ],
)
def test_what_cannot_be_made_is_said(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("org_generate", *arguments)
    assert not Org.objects.exists()
