"""Files of instances for an Org: in once, twice, changed, and where the Org lacks what they name."""

from __future__ import annotations

import gzip
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from study.accounts.models import AuditRow
from study.benchmark.flows import exported, import_instances, register_instances
from study.benchmark.models import Instance, InstanceSet
from study.sandbox.models import Org
from tests.benchmark.conftest import handle_time_record as record
from tests.benchmark.hand_org import agent, product, record_id

pytestmark = pytest.mark.django_db


def run(name: str, *arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command(name, *arguments, stdout=out, no_color=True, **options)
    return out.getvalue()


def file_of(folder: Path, records: list[dict[str, Any]], name: str = "tasks.json") -> str:
    path = folder / name
    path.write_text(json.dumps(records))
    return str(path)


def test_importing_twice_adds_nothing(hand_org: Org, tmp_path: Path) -> None:
    path = file_of(tmp_path, [record(1), record(2)])
    first = run("instances_import", path, "--org", "by-hand")
    assert "2 instances of 1 tasks for Org by-hand" in first
    assert "new 2, unchanged 0, changed 0" in first
    assert "new 0, unchanged 2, changed 0" in run("instances_import", path, "--org", hand_org.hash)
    # The same records in another form of file are the same records.
    lines = tmp_path / "tasks.jsonl.gz"
    lines.write_bytes(gzip.compress("\n".join(json.dumps(record(n)) for n in (1, 2)).encode()))
    assert "new 0, unchanged 2, changed 0" in run("instances_import", str(lines), "--org", "by-hand")
    assert (Instance.objects.count(), InstanceSet.objects.count()) == (2, 1)
    assert AuditRow.objects.filter(act="instances.imported").count() == 1


def test_what_is_stored(hand_org: Org, tmp_path: Path) -> None:
    run("instances_import", file_of(tmp_path, [record(7)]), "--org", "by-hand")
    (found,) = Instance.objects.all()
    assert (found.idx, found.task, found.skill, found.role) == ("7", "handle_time", "DATABASE", "service manager")
    assert found.question == "Question 7: who was quickest in the past two months?"
    assert found.query.endswith("Return only the Id of the agent.")
    assert (found.persona, found.asks) == ("You are curious.", "Your director asks:")
    assert (str(found.today), found.definitions) == ("2024-03-31", "")
    assert (found.answer, found.answer_type, found.answer_object) == ([agent("ann")], "record", "User")
    assert (found.assignable, found.problem) == (True, "")


def test_a_changed_answer_is_named_and_taken_over_only_when_asked_for(hand_org: Org, tmp_path: Path) -> None:
    run("instances_import", file_of(tmp_path, [record(1), record(2)]), "--org", "by-hand")
    path = file_of(tmp_path, [record(1, answer=[agent("bob")]), record(2)], "changed.json")
    said = run("instances_import", path, "--org", "by-hand")
    assert "new 0, unchanged 1, changed 1" in said
    assert "changed since the last import: 1 (answer)" in said
    assert Instance.objects.get(idx="1").answer == [agent("ann")]
    assert "replaced 1" in run("instances_import", path, "--org", "by-hand", "--replace")
    assert Instance.objects.get(idx="1").answer == [agent("bob")]


def test_a_broken_line_is_named_and_the_rest_comes_in(hand_org: Org, tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(record(1)) + "\n{oops\n" + json.dumps(record(2)) + "\n" + json.dumps(record(1)) + "\n")
    said = run("instances_import", str(path), "--org", "by-hand")
    assert "left out: 2" in said
    assert "line 2: is not JSON" in said
    assert "line 4, idx 1: repeats line 1" in said
    assert Instance.objects.count() == 2


def test_nul_characters_do_not_reach_the_database(hand_org: Org, tmp_path: Path) -> None:
    """P-15: invisible characters break neither saving nor export."""
    run(
        "instances_import", file_of(tmp_path, [record(1, query="Who\0 was\x08 it?", persona="\0x")]), "--org", "by-hand"
    )
    assert Instance.objects.get().query == "Who was it?"
    assert "\\u0000" not in json.dumps(exported(Instance.objects.all()))


def test_instances_whose_records_are_missing_are_kept_and_not_assignable(hand_org: Org, tmp_path: Path) -> None:
    records = [
        record(1),
        record(2, answer=[record_id("User", 99)]),
        record(3, metadata={"required": f"- Product: {record_id('Product2', 88)[:15]}", "optional": ""}),
        record(4, metadata={"required": f"- Product: {product(1)[:15]}", "optional": ""}),
        record(5, task="conversion_rate_comprehension"),
    ]
    said = run("instances_import", file_of(tmp_path, records), "--org", "by-hand")
    found = {i.idx: (i.assignable, i.problem) for i in Instance.objects.all()}
    assert [idx for idx, (assignable, _) in sorted(found.items()) if assignable] == ["1", "4"]
    assert record_id("User", 99) in found["2"][1]
    assert record_id("Product2", 88) in found["3"][1]
    assert found["5"][1] == "The Org has no object Lead."
    assert "not assignable: 3 (kept)" in said


def test_questions_of_another_org_s_file_are_not_assignable_even_without_a_record(hand_org: Org) -> None:
    strangers = [record(n, answer=[record_id("User", 90 + n)]) for n in range(3)]
    nameless = record(9, task="best_region_identification", answer=["IL"], rule="", params={})
    import_instances(json.dumps([*strangers, nameless]), hand_org, source="elsewhere")
    assert "belongs to another Org" in Instance.objects.get(idx="9").problem
    Instance.objects.all().delete()
    import_instances(json.dumps([record(1), record(2), strangers[0], nameless]), hand_org, source="here")
    assert Instance.objects.get(idx="9").assignable


def test_an_unreadable_file_and_an_unknown_org_are_said_in_a_line(hand_org: Org, tmp_path: Path) -> None:
    path = file_of(tmp_path, [])
    for arguments, said in (
        ((path, "--org", "nobody"), "No Org is called nobody"),
        ((path, "--org", "by-hand"), "no record can be read"),
        ((str(tmp_path / "none.json"), "--org", "by-hand"), "cannot be read"),
        ((str(tmp_path), "--org", "by-hand"), "cannot be read"),
    ):
        with pytest.raises(CommandError, match=said):
            run("instances_import", *arguments)
    assert not Instance.objects.exists()


@pytest.mark.parametrize("name", ["out.json", "out.jsonl", "out.json.gz", "out.jsonl.gz"])
def test_what_is_exported_comes_in_again_unchanged(hand_org: Org, tmp_path: Path, name: str) -> None:
    register_instances(hand_org, [record(1), record(2, answer=[None])], "by hand")
    path = tmp_path / name
    assert "2 instances written" in run("instances_export", "by-hand", "--out", str(path))
    first = path.read_bytes()
    run("instances_export", "by-hand", "--out", str(path))
    assert path.read_bytes() == first
    assert "new 0, unchanged 2, changed 0" in run("instances_import", str(path), "--org", "by-hand")


def test_the_counts_are_those_of_the_file(hand_org: Org, tmp_path: Path) -> None:
    records = [
        record(1),
        record(2, answer=None),
        record(
            3, answer=["blue"], task="knowledge_qa", reward_metric="fuzzy_match", metadata={}, query="Which colour?"
        ),
    ]
    said = run("instances_import", file_of(tmp_path, records), "--org", "by-hand").splitlines()
    assert [line.split() for line in said if line.startswith(("handle_time", "knowledge_qa", "all"))] == [
        ["handle_time", "2", "1", "50%", "2"],
        ["knowledge_qa", "1", "0", "0%", "1"],
        ["all", "3", "1", "33%", "3"],
    ]
    assert "skill   DATABASE 2, TEXT 1" in said
    assert "metric  exact_match 2, fuzzy_match 1" in said
    assert "today   2 carry their own, 1 take the Org's last day" in said


PUBLISHED = "crmarena_pro_b2b_tasks.json.gz"


@pytest.mark.shared
def test_the_published_file_comes_in_whole_once(hand_org: Org, shared: Path) -> None:
    path = str(shared / "data" / PUBLISHED)
    said = run("instances_import", path, "--org", "by-hand")
    assert f"{PUBLISHED}: 2140 instances of 22 tasks for Org by-hand" in said
    assert "new 2140, unchanged 0, changed 0" in said
    assert "today   900 carry their own, 1240 take the Org's last day" in said
    assert "skill   CONFIDENTIALITY 240, DATABASE 800, POLICY 400, TEXT 500, WORKFLOW 200" in said
    assert "metric  exact_match 1700, fuzzy_match 200, privacy_rejection 240" in said
    assert "policy_violation_identification        100     77     77%           0" in said
    assert "8 × answer holds two factors in one text" in said
    assert "left out" not in said
    assert "not assignable: 2140 (kept)" in said
    assert "new 0, unchanged 2140, changed 0" in run("instances_import", path, "--org", "by-hand")
    assert Instance.objects.count() == 2140


@pytest.mark.shared
def test_no_published_question_tells_people_how_to_write_or_who_they_are(hand_org: Org, shared: Path) -> None:
    """M8: neither an answer format nor a persona is shown; the original stays in the data."""
    import_instances((shared / "data" / PUBLISHED).read_bytes(), hand_org, source=PUBLISHED)
    told = 0
    for found in Instance.objects.all():
        shown = f"{found.question}\n{found.definitions}\n{found.role}\n{found.asks}"
        for words in ("Return only", "return only", "Today's date"):
            assert words not in shown, found.idx
        assert found.persona not in shown, found.idx
        assert len(found.question) > 10, found.idx
        told += "eturn only" in found.query
    assert told > 1000
