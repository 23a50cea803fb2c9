"""The published formats: exact keys, both splits, and back again unchanged."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from study.benchmark.models import Instance
from study.benchmark.published import interactive, parted
from study.sandbox.models import Org
from tests.benchmark.conftest import handle_time_record
from tests.benchmark.hand_org import agent, record_id

pytestmark = pytest.mark.django_db

KEYS = ["idx", "answer", "task", "persona", "metadata", "reward_metric", "query"]
POLICY = "## Handle time\n- From opening to closing.\n- Cases handed on are left out.\n\n"
CONTEXT = "- Case Id: {case}\n- Today's date: 2024-03-31"


def records() -> list[dict[str, Any]]:
    case = record_id("Case", 1)
    metadata = {"required": POLICY + CONTEXT.format(case=case), "optional": "Quarters."}
    none = {"answer": [None], "metadata": {"required": "", "optional": ""}}
    return [
        handle_time_record(1, metadata=metadata, forms={"facts": [], "forms": {}}, audience="agents"),
        handle_time_record(2, **none),
        handle_time_record(3, task="lead_qualification", answer=["Budget", "Need"], rule="", params={}),
    ]


def run(name: str, *arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command(name, *arguments, stdout=out, no_color=True, **options)
    return out.getvalue()


@pytest.fixture
def stored(hand_org: Org, tmp_path: Path) -> Org:
    path = tmp_path / "own.json"
    path.write_text(json.dumps(records()))
    run("instances_import", str(path), "--org", "by-hand")
    return hand_org


def export(tmp_path: Path, name: str, *options: str) -> list[dict[str, Any]]:
    run("instances_export", "by-hand", "--out", str(tmp_path / name), *options)
    found: list[dict[str, Any]] = json.loads((tmp_path / name).read_text())
    return found


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("split", ["single", "interactive"])
def test_exactly_the_published_keys(tmp_path: Path, split: str) -> None:
    found = export(tmp_path, "out.json", "--format", "crmarena-pro", "--split", split)
    assert [list(record) for record in found] == [KEYS] * 3
    assert [list(record["metadata"]) for record in found] == [["required", "optional"]] * 3
    assert [record["answer"] for record in found] == [[agent("ann")], [None], ["Budget", "Need"]]
    assert [record["idx"] for record in found] == [1, 2, 3]


@pytest.mark.usefixtures("stored")
def test_the_interactive_split_gives_the_policy_to_the_requester(tmp_path: Path) -> None:
    single = export(tmp_path, "single.json", "--format", "crmarena-pro")
    asked = export(tmp_path, "asked.json", "--format", "crmarena-pro", "--split", "interactive")
    assert single[0]["metadata"]["required"].startswith("## Handle time")
    assert asked[0]["metadata"]["required"] == CONTEXT.format(case=record_id("Case", 1))
    assert asked[0]["query"] == single[0]["query"] + "\n\n" + POLICY.strip()
    assert asked[1] == single[1]


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("split", ["single", "interactive"])
def test_out_and_in_again_changes_nothing(tmp_path: Path, split: str) -> None:
    options = ("--format", "crmarena-pro", "--split", split)
    first = export(tmp_path, "first.json", *options)
    if split == "single":
        said = run("instances_import", str(tmp_path / "first.json"), "--org", "by-hand")
        assert "new 0, unchanged 3, changed 0" in said  # what the file does not say stays as it is
        assert Instance.objects.get(idx="1").rule == "handle_time"
    Instance.objects.all().delete()
    run("instances_import", str(tmp_path / "first.json"), "--org", "by-hand")
    assert export(tmp_path, "again.json", *options) == first
    assert (tmp_path / "first.json").read_bytes() == (tmp_path / "again.json").read_bytes()


@pytest.mark.usefixtures("stored")
def test_the_original_format_has_one_value_or_null(tmp_path: Path) -> None:
    said = run("instances_export", "by-hand", "--out", str(tmp_path / "old.json"), "--format", "crmarena")
    assert "2 instances written" in said
    assert "1 of other tasks than the nine original ones left out" in said
    found = json.loads((tmp_path / "old.json").read_text())
    assert [record["answer"] for record in found] == [agent("ann"), None]
    assert list(found[0]) == ["idx", "answer", "task", "metadata", "reward_metric", "query"]


@pytest.mark.usefixtures("stored")
def test_only_one_format_has_splits() -> None:
    with pytest.raises(CommandError, match="Only --format crmarena-pro"):
        run("instances_export", "by-hand", "--format", "crmarena", "--split", "interactive")


@pytest.mark.usefixtures("stored")
def test_our_own_format_keeps_what_we_know(tmp_path: Path) -> None:
    found = export(tmp_path, "own.json")
    assert (found[0]["audience"], found[0]["forms"]) == ("agents", {"facts": [], "forms": {}})
    assert Instance.objects.get(idx="1").assignable is False
    assert "unchanged 3" in run("instances_import", str(tmp_path / "own.json"), "--org", "by-hand")


def test_only_policy_moves() -> None:
    case = record_id("Case", 1)
    required = f"\n        ## A guide.\n        Look it up.\n\n        - Case Id to be considered is: {case}\n        "
    assert parted(required) == ("## A guide.\nLook it up.", f"- Case Id to be considered is: {case}")
    query, context = interactive("Which?", required)
    assert interactive(query, context) == (query, context)
    assert parted("## Lead's region: OR\n## Today's date: 2024-05-01")[0] == ""
