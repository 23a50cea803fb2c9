"""What a question must pass before anybody is asked it: one clear winner, whichever way a careful person reads it.

Pure but for the queries of the rules. ``passes`` gives a list of refusals, empty where the question may be asked; each
has a code (``GATES`` says what they mean), so that whoever makes questions can count what each gate refused.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from study.benchmark.grading import STATES, answer_keys, fold, normal_tokens
from study.benchmark.rules import Answer, RuleError, answer_by_rule
from study.benchmark.rules.quotes import articles_broken
from study.benchmark.rules.stages import stages_held
from study.benchmark.rules.windows import US_ZONES, window
from study.benchmark.tasks import STAGES, TASKS
from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.snapshot import Snapshot

GATES = {
    "rule": gettext_noop("the rule cannot be applied"),
    "answer": gettext_noop("the rule gives another answer"),
    "tie": gettext_noop("the first place is shared"),
    "margin": gettext_noop("the winner leads by less than a tenth, or by less than two"),
    "few": gettext_noop("a mean rests on fewer than three records"),
    "ends": gettext_noop("another answer if the first or last day of the period does not count"),
    "zone": gettext_noop("another answer if the days are those of a zone of the US"),
    "reading": gettext_noop("another careful reading gives another answer"),
    "told": gettext_noop("the answer stands in the question"),
    "distractors": gettext_noop("fewer than two others that a careless reading might take"),
    "evidence": gettext_noop("the records that decide are not known, or not in the Org"),
    "opened": gettext_noop("more records to open than an hour allows"),
    "minutes": gettext_noop("no estimate of the minutes by hand, or one that is too long"),
}
MOST_OPENED = 12
LEAST_OTHERS = 2
LEAST_IN_A_MEAN = 3
MOST_MINUTES = 15


@dataclass(frozen=True)
class Refusal:
    """Why a question is not asked: the code of the gate, and what it saw."""

    code: str
    text: str

    def __str__(self) -> str:
        return f"{self.code}: {self.text}"


def passes(
    question: Mapping[str, Any], snapshot: Snapshot, *, evidence: Sequence[str] = (), others: Sequence[str] = ()
) -> list[Refusal]:
    """What stands against asking a question about an Org; nothing if it may be asked.

    ``question`` is a record as ``instances_import`` reads it with our own further keys: task, question, definitions,
    answer, rule, params, today, minutes_by_hand. Where it has a rule, the rule says which records decide and who else
    there is; else ``evidence`` (Ids) and ``others`` (Ids or words a careless reading might take) say it. The gates on
    periods and readings ask the rule up to nine more times, and only questions that passed the others get there.
    """
    refused = [*_minutes(question), *_told(question, snapshot)]
    if not question.get("rule"):
        return [*refused, *_evidence(evidence, snapshot, reading=True), *_distractors(question, others)]
    today = datetime.date.fromisoformat(str(question["today"])) if question.get("today") else snapshot.last_day
    try:
        found = answer_by_rule(question["rule"], snapshot, question["params"], today)
        refused += _winner(question, found)
        refused += _records(question, found, snapshot)
        return refused or [*_periods(question, snapshot, today), *_readings(question, snapshot, today)]
    except (RuleError, QueryError) as error:
        return [*refused, Refusal("rule", str(error))]


def _winner(question: Mapping[str, Any], found: Answer) -> Iterator[Refusal]:
    if found.tie:
        yield Refusal("tie", _("level with %(other)s") % {"other": found.runner_up})
    elif not _same(question, found):
        yield Refusal("answer", _said(found))
    elif not found.clear:
        yield Refusal("margin", f"{found.measure} {found.margin:.3g}")
    elif found.values and found.measure in ("mean", "share") and len(found.evidence) < LEAST_IN_A_MEAN:
        yield Refusal("few", str(len(found.evidence)))


def _records(question: Mapping[str, Any], found: Answer, snapshot: Snapshot) -> Iterator[Refusal]:
    if found.values or found.reading:  # nothing was counted where nobody takes part
        yield from _evidence(found.evidence, snapshot, reading=found.reading)
        yield from _distractors(question, found.others)


def _evidence(record_ids: Sequence[str], snapshot: Snapshot, *, reading: bool) -> Iterator[Refusal]:
    """Records counted by a report need not be opened; those that are read must be few, and all must exist."""
    if not record_ids:
        yield Refusal("evidence", _("none is named"))
    if not reading:
        return
    lacking = [record_id for record_id in record_ids if not _is_there(snapshot, record_id)]
    if lacking:
        yield Refusal("evidence", _("The Org has no record %(id)s.") % {"id": lacking[0]})
    if len(set(record_ids)) > MOST_OPENED:
        yield Refusal("opened", str(len(set(record_ids))))


def _is_there(snapshot: Snapshot, record_id: str) -> bool:
    item = snapshot.registry.object_for_id(record_id)
    return item is not None and snapshot.record(item.name, record_id) is not None


def _distractors(question: Mapping[str, Any], others: Sequence[str]) -> Iterator[Refusal]:
    """Text that stands in one article, and what must be withheld, have no rivals to count."""
    if TASKS[question["task"]].answer_type in ("text", "refusal") and not others:
        return
    if len(set(others)) < least_others(question["task"]):
        yield Refusal("distractors", str(len(set(others))))


def least_others(task: str) -> int:
    """Stages, months and issues are few and known to everybody: one other in the data will do."""
    kind = TASKS[task]
    return 1 if kind.answer_type in ("stage", "month") or kind.answer_object == "Issue__c" else LEAST_OTHERS


def _minutes(question: Mapping[str, Any]) -> Iterator[Refusal]:
    minutes = question.get("minutes_by_hand")
    if not isinstance(minutes, int | float) or not 0 < minutes <= MOST_MINUTES:
        yield Refusal("minutes", str(minutes))


# The answer must not stand in the question.


def _told(question: Mapping[str, Any], snapshot: Snapshot) -> Iterator[Refusal]:
    kind = TASKS[question["task"]].answer_type
    asked = str(question.get("question") or question.get("query") or "")
    # Definitions list stages and months for everybody; an Id or a name of a record there would be the answer.
    beside = "\n".join(str(question.get(name) or "") for name in ("definitions", "asks"))
    for value in question["answer"]:
        if value is None or kind in ("factors", "refusal"):  # "Budget, Authority, Need or Timeline?" names them all
            continue
        if kind in ("record", "records"):
            told = any(_holds(f"{asked}\n{beside}", text) for text in _names(snapshot, value))
        elif kind == "state":
            told = _holds(asked, STATES.get(value, value)) or re.search(rf"\b{re.escape(value)}\b", asked) is not None
        else:
            told = _holds_words(asked, value)
        if told:
            yield Refusal("told", value)


def _names(snapshot: Snapshot, record_id: str) -> list[str]:
    """An Id in both lengths, and what the record is called."""
    item = snapshot.registry.object_for_id(record_id)
    record = snapshot.record(item.name, record_id) if item else None
    if record is None:
        return [record_id[:15]]
    person = " ".join(str(record.get(name) or "") for name in ("FirstName", "LastName")).strip()
    names = [person, *(str(record.get(name) or "") for name in ("Name", "Title", "Subject"))]
    return [record_id[:15], *(name for name in names if name)]


def _holds(text: str, part: str) -> bool:
    return fold(part) in fold(text)


def _holds_words(text: str, part: str) -> bool:
    said, words = normal_tokens(text), normal_tokens(part)
    return bool(words) and any(said[n : n + len(words)] == words for n in range(len(said) - len(words) + 1))


# The answer must not hang on a reading.


def _periods(question: Mapping[str, Any], snapshot: Snapshot, today: datetime.date) -> Iterator[Refusal]:
    """Each kind once: an end of the period left out, its days those of another zone."""
    params = question["params"]
    if "window" not in params:
        return
    seen: set[str] = set()
    for name, reading in window(params, today).readings():
        code = "zone" if name in US_ZONES else "ends"
        if code in seen:
            continue
        found = answer_by_rule(question["rule"], snapshot, {**params, "window": reading}, today)
        if not _same(question, found):
            seen.add(code)
            yield Refusal(code, f"{name}: {_said(found)}")


def _readings(question: Mapping[str, Any], snapshot: Snapshot, today: datetime.date) -> Iterator[Refusal]:
    rule, params = question["rule"], question["params"]
    if rule == "sales_cycle_understanding":
        found = answer_by_rule(rule, snapshot, {**params, "whole_days": True}, today)
        if not _same(question, found):
            yield Refusal("reading", _("whole days: %(answer)s") % {"answer": _said(found)})
    elif rule in ("invalid_config", "quote_approval"):
        # "Is this quote in order?" Somebody may look at products and prices alike.
        broken = articles_broken(snapshot, params, today)
        if set(broken) - {value for value in question["answer"] if value}:
            yield Refusal("reading", _("all rules of selling: %(articles)s") % {"articles": ", ".join(broken)})
    elif rule == "wrong_stage_rectification":
        record = snapshot.record("Opportunity", params["opportunity_id"]) or {}
        right = question["answer"][0] or record.get("StageName")
        place = STAGES.index(right) if right in STAGES else -1
        for stage in stages_held(snapshot, params, today):
            if STAGES.index(stage) > place:
                yield Refusal("reading", _("an event has taken place at %(stage)s") % {"stage": stage})
                return


def _same(question: Mapping[str, Any], found: Answer) -> bool:
    return answer_keys(question["answer"], question["task"]) == answer_keys(found.as_list(), question["task"])


def _said(found: Answer) -> str:
    return ", ".join(found.values) or "None"
