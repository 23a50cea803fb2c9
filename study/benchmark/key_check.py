"""Whether the keys of an Org's instances fit its data: the rule still gives them, and the records they name exist.

An Org never changes and rules seldom do, so what was found is kept (KeyCheck) and found again only for a key, a rule
or parameters that are new.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from django.utils.translation import gettext as _

from study.benchmark import grading
from study.benchmark.assignability import ids_in
from study.benchmark.grading import answer_keys
from study.benchmark.models import Instance, KeyCheck
from study.benchmark.rules import (
    RULES,
    RuleError,
    agents,
    answer,
    answer_by_rule,
    patterns,
    purchases,
    quotes,
    routing,
    sales,
    stages,
    windows,
)
from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.models import Org
from study.sandbox.opened import snapshot_of

_RULE_MODULES: tuple[ModuleType, ...] = (
    agents, answer, grading, patterns, purchases, quotes, routing, sales, stages, windows,
)  # fmt: skip


@dataclass(frozen=True)
class Misfit:
    """An instance whose key does not fit the Org, and why."""

    instance: Instance
    problem: str


def misfits(org: Org, instances: Iterable[Instance]) -> list[Misfit]:
    """Instances of ``org`` whose key no longer fits its data, in their order. SnapshotError if it cannot be read."""
    checked = [one for one in instances if _is_checked(one)]
    known = {check.instance_id: check for check in KeyCheck.objects.filter(instance__in=[one.pk for one in checked])}
    fingerprints = {one.pk: fingerprint(org, one) for one in checked}
    missing = [one for one in checked if one.pk not in known or known[one.pk].fingerprint != fingerprints[one.pk]]
    found = {pk: check.problem for pk, check in known.items()}
    if missing:
        snapshot = snapshot_of(org)
        fresh = {one.pk: problem_of(one, snapshot) for one in missing}
        rows = [KeyCheck(instance_id=pk, fingerprint=fingerprints[pk], problem=text) for pk, text in fresh.items()]
        KeyCheck.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["instance"], update_fields=["fingerprint", "problem"],
            batch_size=500,
        )  # fmt: skip
        found |= fresh
    return [Misfit(one, found[one.pk]) for one in checked if found[one.pk]]


def problem_of(instance: Instance, snapshot: Snapshot) -> str:
    """Why the key of one instance does not fit; empty where it does."""
    for record_id in _records_named(instance):
        item = snapshot.registry.object_for_id(record_id)
        if item is None or snapshot.record(item.name, record_id) is None:
            return _("the Org has no record %(id)s") % {"id": record_id}
    if not instance.rule:
        return ""
    if instance.rule not in RULES:
        return _("there is no rule “%(rule)s”") % {"rule": instance.rule}
    try:
        found = answer_by_rule(instance.rule, snapshot, instance.params, instance.today or snapshot.last_day)
    except (RuleError, QueryError) as error:
        return _("its rule cannot be applied: %(why)s") % {"why": error}
    if answer_keys(found.as_list(), instance.task) == answer_keys(instance.answer, instance.task):
        return ""
    return _("the key is %(key)s, its rule gives %(rule)s") % {
        "key": said(instance.answer),
        "rule": said(found.as_list()),
    }


def fingerprint(org: Org, instance: Instance) -> str:
    """What a finding holds for: Org, question, key and the text of the rules."""
    today = instance.today.isoformat() if instance.today else ""
    parts = [org.hash, instance.task, instance.rule, instance.params, today, instance.answer, _rules_text()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def said(key: Sequence[str | None]) -> str:
    return ", ".join(value or grading.NONE for value in key)


@cache
def _rules_text() -> str:
    text = "".join(inspect.getsource(module) for module in _RULE_MODULES)
    return hashlib.sha256(text.encode()).hexdigest()


def _is_checked(instance: Instance) -> bool:
    return bool(instance.rule or _records_named(instance))


def _records_named(instance: Instance) -> list[str]:
    if instance.answer_type not in ("record", "records"):
        return []
    return sorted({record_id for text in instance.answer if text for record_id in ids_in(text)})
