"""One published record of the CRMArena format, checked and completed with what its task says (pure).

Published keys are idx, answer, task, persona, metadata {required, optional}, reward_metric and query. Our own files
may add question, definitions, role, asks, answer_type, answer_object, minutes_by_hand, rule, params, today, skill,
evidence (pairs of object and record Id), forms (what the requester knows, see docs/tasks.md) and audience.
"""

from __future__ import annotations

import ast
import datetime
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from study.accounts.typed_text import visible_text
from study.benchmark.formats import is_record, raw_records
from study.benchmark.grading import split_values
from study.benchmark.problems import Problem, short
from study.benchmark.tasks import TASKS, AnswerType, Metric, Skill, Task
from study.benchmark.wording import definitions_for_people, question_for_people, today_in

ANSWER_TYPES = get_args(AnswerType)
METRICS = get_args(Metric)
SKILLS = get_args(Skill)
AUDIENCES = ("all", "agents")
OWN_KEYS = (
    "question", "definitions", "role", "asks", "skill", "answer_type", "answer_object", "minutes_by_hand", "rule",
    "params", "today", "evidence", "forms", "audience",
)  # fmt: skip


@dataclass(frozen=True)
class Record:
    """A record ready to be stored. ``answer`` is a list whose only None means that no record fits."""

    where: str
    idx: str
    task: str
    skill: str
    role: str
    asks: str
    query: str
    question: str
    definitions: str
    required: str
    optional: str
    persona: str
    today: datetime.date | None
    answer: tuple[str | None, ...]
    metric: str
    answer_type: str
    answer_object: str
    minutes_by_hand: float
    rule: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    evidence: tuple[tuple[str, str], ...] = ()
    forms: Mapping[str, Any] = field(default_factory=dict)
    audience: str = "all"
    # Keys beyond the published ones that the file does not state: what is stored for them is not its business.
    unsaid: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """What makes a record the same one when it is imported again: its number, task and wording, not its answer."""
        named = json.dumps([self.idx, self.task, self.query, self.required], ensure_ascii=False)
        return hashlib.sha256(named.encode()).hexdigest()[:40]


def parse(data: bytes | str) -> Iterator[Record | Problem]:
    """Records and problems in the order of the file. Raises UnreadableFile when nothing in it can be read."""
    for found in raw_records(data):
        if isinstance(found, Problem):
            yield found
        else:
            yield from read_record(*found)


def read_record(where: str, raw: Any) -> Iterator[Record | Problem]:
    """The record at ``where`` with remarks on it, or the one problem for which it is left out."""
    if not is_record(raw):
        yield Problem(where, "", "", f"is {type(raw).__name__}, not a record", "Give one JSON object per record.")
        return
    try:
        yield from _Reader(where, raw).read()
    except _LeftOut as left_out:
        yield left_out.problem


class _LeftOut(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class _Reader:
    """Reads the fields of one record; what is wrong but bearable becomes a remark."""

    def __init__(self, where: str, raw: Mapping[str, Any]) -> None:
        self.where, self.raw = where, raw
        idx = raw.get("idx")
        if isinstance(idx, float) and idx.is_integer():
            idx = int(idx)  # pandas writes a column with a gap as 1.0, 2.0: the same numbers
        self.idx = "" if idx is None else short(visible_text(str(idx)), 40)
        self.remarks: list[Problem] = []

    def read(self) -> Iterator[Record | Problem]:
        code = self._text("task", needed=True)
        query = self._text("query", needed=True)
        task = TASKS.get(code)
        if task is None:
            self._remark(
                "task",
                f"{short(code)!r} is not one of the {len(TASKS)} published tasks",
                "It is kept as it is; give skill, role and answer_type in the record.",
            )
        required, optional = self._metadata()
        answer = self._answer(code)
        record = Record(
            where=self.where,
            idx=self.idx,
            task=short(code, 60),
            query=query,
            required=required,
            optional=optional,
            persona=self._text("persona"),
            today=self._today(required, query),
            answer=answer,
            metric=self._choice("reward_metric", METRICS, task.metric if task else "exact_match"),
            skill=self._choice("skill", SKILLS, task.skill if task else "", strict=task is None),
            role=self._own("role", task.role if task else "", 40),
            asks=self._own("asks", task.asks if task else "", 200),
            question=self._text("question") or question_for_people(query) or query,
            definitions=self._text("definitions") or definitions_for_people(required),
            answer_type=self._choice("answer_type", ANSWER_TYPES, task.answer_type if task else "text"),
            answer_object=self._own("answer_object", task.answer_object if task else "", 80),
            minutes_by_hand=self._minutes(task),
            rule=self._own("rule", "", 60),
            params=self._object("params"),
            evidence=self._evidence(),
            forms=self._object("forms"),
            audience=self._choice("audience", AUDIENCES, "all"),
            unsaid=frozenset(name for name in OWN_KEYS if self.raw.get(name) is None),
        )
        yield from self.remarks
        yield record

    def _remark(self, field: str, message: str, remedy: str) -> None:
        self.remarks.append(Problem(self.where, self.idx, field, message, remedy, kept=True))

    def _leave_out(self, field: str, message: str, remedy: str) -> _LeftOut:
        return _LeftOut(Problem(self.where, self.idx, field, message, remedy))

    def _text(self, name: str, *, needed: bool = False) -> str:
        value = self.raw.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            if needed:
                raise self._leave_out(name, "is missing", f"Give every record a {name}.")
            return ""
        if not isinstance(value, str):
            raise self._leave_out(name, f"is {type(value).__name__}, not text", "Write it as text.")
        return self._clean(name, value)

    def _clean(self, name: str, value: str) -> str:
        if value.replace("\n", "").replace("\t", "").isprintable():
            return value  # nothing in it to be dropped, as in nearly all texts
        if any("\ud800" <= c <= "\udfff" for c in value):
            self._remark(name, "holds bytes that are not UTF-8; they are dropped", "Save the file as UTF-8.")
        return visible_text(value)

    def _own(self, name: str, default: str, length: int) -> str:
        value = self._text(name) or default
        if len(value) > length:
            self._remark(name, f"is longer than {length} characters and is cut", "Shorten it.")
        return value[:length]

    def _choice(self, name: str, known: tuple[str, ...], default: str, *, strict: bool = True) -> str:
        value = self._text(name)
        if not value:
            if name == "reward_metric":
                self._remark(name, f"is missing; {default} is taken, as its task has", "Add it to the record.")
            return default
        if value in known or not strict:
            return value if value in known else default
        raise self._leave_out(name, f"{short(value)!r} is unknown", f"Use one of {', '.join(known)}.")

    def _metadata(self) -> tuple[str, str]:
        """``required`` and ``optional``; the metadata may be an object, or the text of one in JSON or Python."""
        value = self.raw.get("metadata")
        if isinstance(value, str) and value.strip():
            value = self._written_out("metadata", value)
        if value is None or value == "":
            value = {}
        if not isinstance(value, Mapping):
            raise self._leave_out(
                "metadata", f"is {type(value).__name__}, not an object", 'Write {"required": …, "optional": …}.'
            )
        parts = {**{name: self.raw.get(name) for name in ("required", "optional")}, **value}
        return self._context("required", parts), self._context("optional", parts)

    def _context(self, name: str, parts: Mapping[str, Any]) -> str:
        value = parts.get(name)
        if value is None:
            return ""
        return self._clean(name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))

    def _written_out(self, name: str, text: str) -> Any:
        if text.lstrip()[0] not in "{[":
            return {"required": text}
        try:
            return json.loads(text)
        except ValueError:
            pass
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise self._leave_out(name, "is the text of an object that cannot be read", "Write it as JSON.") from None

    def _answer(self, task: str) -> tuple[str | None, ...]:
        if "answer" not in self.raw:
            raise self._leave_out("answer", "is missing", "Write null where no record fits.")
        value = self.raw["answer"]
        if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
            value = self._written_out("answer", value)
        values = list(value) if isinstance(value, list | tuple) else [value]
        if any(isinstance(part, list | dict) for part in values):
            raise self._leave_out("answer", "is nested", "Write a text, a list of texts, or null.")
        answer = [None if part is None else self._clean("answer", str(part)) for part in values] or [None]
        answer = [None if part is None or part.strip().lower() in ("none", "") else part for part in answer]
        if task == "lead_qualification" and any(part and len(split_values(part)) > 1 for part in answer):
            joined = [part for part in answer if part]
            answer = [piece for part in answer for piece in split_values(part)]
            self._remark(
                "answer",
                f"holds two factors in one text ({', '.join(joined)})",
                "They are split for grading; write them as a list of two.",
            )
        if len(answer) > 1 and None in answer:
            raise self._leave_out("answer", "mixes null with values", "Write null alone, or only values.")
        return tuple(answer)

    def _today(self, required: str, query: str) -> datetime.date | None:
        if text := self._text("today"):
            try:
                return datetime.date.fromisoformat(text)
            except ValueError:
                raise self._leave_out("today", f"{short(text)!r} is not a date", "Write it as YYYY-MM-DD.") from None
        today, wrong = today_in(required, query)
        if wrong:
            self._remark("today", f"{wrong} is not a date of the calendar; the Org's last day is taken", "Correct it.")
        return today

    def _minutes(self, task: Task | None) -> float:
        value = self.raw.get("minutes_by_hand")
        if value is None:
            return task.minutes_by_hand if task else 5.0
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 120:
            raise self._leave_out(
                "minutes_by_hand", f"{short(value)!r} is not a number of minutes up to 120", "Give minutes."
            )
        return float(value)

    def _object(self, name: str) -> Mapping[str, Any]:
        value = self.raw.get(name) or {}
        if isinstance(value, str):
            value = self._written_out(name, self._clean(name, value))
        if not isinstance(value, Mapping):
            raise self._leave_out(name, f"is {type(value).__name__}, not an object", "Write an object.")
        return dict(value)

    def _evidence(self) -> tuple[tuple[str, str], ...]:
        value = self.raw.get("evidence") or []
        if not isinstance(value, list) or not all(
            isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
            for pair in value
        ):
            raise self._leave_out("evidence", "is not a list of pairs", 'Write [["Case", "500…"], …].')
        return tuple((name, record_id) for name, record_id in value)
