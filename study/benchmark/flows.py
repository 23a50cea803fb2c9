"""What people and commands do with query instances: bring a file in, take a set out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction

from study.accounts.audit import audit
from study.accounts.models import User
from study.benchmark.assignability import Assignability
from study.benchmark.formats import unpacked
from study.benchmark.keys import log_change
from study.benchmark.models import Instance, InstanceSet
from study.benchmark.problems import Problem, UnreadableFile
from study.benchmark.published import number
from study.benchmark.records import Record, parse, read_record
from study.benchmark.report import ImportReport
from study.sandbox.models import Org
from study.sandbox.opened import snapshot_of


def import_instances(
    data: bytes | str, org: Org, *, source: str, by: User | None = None, replace: bool = False
) -> ImportReport:
    """Store the records of a published file for ``org``.

    A record already there (same idx, task and wording) is not added again; one whose answer or other content differs
    is reported as changed, and taken over only with ``replace``; the change of an answer is then
    logged. Raises UnreadableFile when nothing can be read.
    """
    content = data.encode("utf-8", errors="surrogatepass") if isinstance(data, str) else unpacked(data)
    found = list(parse(content))
    if not any(isinstance(item, Record) for item in found):
        first = next((item for item in found if isinstance(item, Problem)), None)
        raise UnreadableFile(f"no record can be read. {first or 'The list is empty.'}")
    return _store(found, org, source, hashlib.sha256(content).hexdigest(), by, replace)


def register_instances(
    org: Org, records: Iterable[Mapping[str, Any]], source: str, *, by: User | None = None, replace: bool = False
) -> ImportReport:
    """Store records made by a program: dicts in the published format with our own further keys (see records.py)."""
    plain = [json.loads(json.dumps(dict(record), default=str)) for record in records]
    found = [item for n, record in enumerate(plain, 1) for item in read_record(f"record {n}", record)]
    content = json.dumps(plain, sort_keys=True, ensure_ascii=False).encode("utf-8", errors="surrogatepass")
    return _store(found, org, source, hashlib.sha256(content).hexdigest(), by, replace)


def exported(instances: Iterable[Instance]) -> list[dict[str, Any]]:
    """Instances in the published format with our own further keys; importing them again changes nothing."""
    return [
        {
            "idx": number(i.idx),
            "answer": i.answer,
            "task": i.task,
            "persona": i.persona,
            "metadata": {"required": i.required, "optional": i.optional},
            "reward_metric": i.metric,
            "query": i.query,
            "question": i.question,
            "definitions": i.definitions,
            "role": i.role,
            "asks": i.asks,
            "skill": i.skill,
            "answer_type": i.answer_type,
            "answer_object": i.answer_object,
            "minutes_by_hand": float(i.minutes_by_hand),
            "rule": i.rule,
            "params": i.params,
            "today": i.today.isoformat() if i.today else None,
            "evidence": i.evidence,
            "forms": i.forms,
            "audience": i.audience,
        }
        for i in instances
    ]


def _store(
    found: list[Record | Problem], org: Org, source: str, sha256: str, by: User | None, replace: bool
) -> ImportReport:
    report = ImportReport(source=source, org=org.name)
    report.problems = [item for item in found if isinstance(item, Problem)]
    records = _once_each([item for item in found if isinstance(item, Record)], report)
    obstacles = Assignability(snapshot_of(org)).obstacles(records)
    with transaction.atomic():
        Org.objects.select_for_update(no_key=True).get(pk=org.pk)  # two imports at once would add the same rows
        stored = {i.key: i for i in Instance.objects.filter(org=org)}
        new, changed = [], []
        for record in records:
            obstacle = obstacles[record.key]
            columns = _columns(record) | {"assignable": obstacle is None, "problem": obstacle.text if obstacle else ""}
            report.count(record, obstacle)
            known = stored.get(record.key)
            if known is None:
                new.append(columns)
            elif differing := _differing(known, stated := _stated(record, columns)):
                report.changed[record.idx or record.where] = differing
                changed.append((known, stated))
        if new:
            instance_set, _created = InstanceSet.objects.get_or_create(
                org=org, sha256=sha256, defaults={"source": source[:200]}
            )
            Instance.objects.bulk_create(
                [Instance(org=org, instance_set=instance_set, **columns) for columns in new], batch_size=500
            )
        report.new, report.replaced = len(new), len(changed) if replace else 0
        report.unchanged = len(records) - len(new) - len(changed)
        if replace:
            for known, columns in changed:
                if known.answer != columns["answer"]:
                    log_change(known, columns["answer"], by=by, reason=f"import of {source}")
                Instance.objects.filter(pk=known.pk).update(**columns)
        if new or report.replaced:
            audit("instances.imported", by=by, target=org.name, source=source, new=len(new), replaced=report.replaced)
    return report


def _once_each(records: list[Record], report: ImportReport) -> list[Record]:
    """Without repeated records; those that differ in number alone are kept and counted."""
    seen: dict[str, Record] = {}
    contents: dict[tuple[Any, ...], Record] = {}
    for record in records:
        if (first := seen.get(record.key)) is not None:
            report.problems.append(
                Problem(
                    record.where, record.idx, "", f"repeats {first.where} (same idx, task and wording)", "Remove one."
                )
            )
            continue
        seen[record.key] = record
        same = contents.setdefault((record.task, record.query, record.required, record.answer), record)
        if same is not record:
            report.twins.append((same.idx or same.where, record.idx or record.where))
    return list(seen.values())


def _columns(record: Record) -> dict[str, Any]:
    named = (
        "key",
        "idx",
        "task",
        "skill",
        "role",
        "question",
        "asks",
        "definitions",
        "query",
        "required",
        "optional",
        "persona",
        "today",
        "metric",
        "answer_type",
        "answer_object",
        "minutes_by_hand",
        "rule",
        "audience",
    )
    return {name: getattr(record, name) for name in named} | {
        "answer": list(record.answer),
        "params": dict(record.params),
        "evidence": [list(pair) for pair in record.evidence],
        "forms": dict(record.forms),
    }


def _stated(record: Record, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Without what a file in the published format says nothing about, such as the rule of a question."""
    return {name: value for name, value in columns.items() if name not in record.unsaid}


def _differing(known: Instance, columns: Mapping[str, Any]) -> list[str]:
    """Fields of content that differ. Whether it can be assigned follows from the Org and is no content."""
    differing = []
    for name, value in columns.items():
        stored = float(known.minutes_by_hand) if name == "minutes_by_hand" else getattr(known, name)
        if name not in ("assignable", "problem") and stored != value:
            differing.append(name)
    return differing
