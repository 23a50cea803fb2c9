"""From what is asked to a record of the published format with our own further keys; counts what is still wanted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Any

from study.benchmark.gates import MOST_OPENED, passes
from study.benchmark.grading import STATES
from study.benchmark.rules import RULES, Answer, RuleError, answer_by_rule
from study.benchmark.tasks import TASKS
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.phrases import Grammar, Phrases, sentence_case
from study.generator.instances.forms import forms
from study.generator.instances.source import Source
from study.generator.instances.tallies import Refusals
from study.generator.instances.words import Said, contexts, personas, words
from study.sandbox.engine.errors import QueryError

MOST_EVIDENCE = 60


@dataclass
class Quota:
    """How many instances of a task are wanted and made: for people with and without an answer, and for agents."""

    answered: int
    silent: int
    agents_answered: int = 0
    agents_silent: int = 0

    def left(self, *, silent: bool, people: bool) -> int:
        name = "agents_" * (not people) + ("silent" if silent else "answered")
        return int(getattr(self, name))

    def take(self, *, silent: bool, people: bool) -> None:
        name = "agents_" * (not people) + ("silent" if silent else "answered")
        setattr(self, name, getattr(self, name) - 1)

    def move(self, *, silent: bool, to_people: bool) -> None:
        """What one side could not find is wanted of the other."""
        kind = "silent" if silent else "answered"
        here, there = (kind, f"agents_{kind}") if to_people else (f"agents_{kind}", kind)
        setattr(self, here, getattr(self, here) + getattr(self, there))
        setattr(self, there, 0)

    def give_people_silent(self) -> None:
        """For each answer people could not be asked for they get a question without one that agents were to have."""
        given = min(self.answered, self.agents_silent)
        self.silent, self.agents_silent = self.silent + given, self.agents_silent - given
        self.answered, self.agents_answered = self.answered - given, self.agents_answered + given

    @property
    def missing(self) -> int:
        return self.answered + self.silent + self.agents_answered + self.agents_silent


@dataclass
class Asked:
    """One question before it is a record. ``expected`` is the answer; with a rule it has to say the same."""

    task: str
    expected: list[str | None]
    params: Mapping[str, Any] = field(default_factory=dict)
    today: date | None = None
    wording: str = "ask"
    slots: Mapping[str, str] = field(default_factory=dict)
    # What follows the question, such as the words of a new case.
    below: str = ""
    # Label, Id and name of the records the question is about.
    about: Sequence[tuple[str, str, str]] = ()
    # Texts of the policy that this question words otherwise, by topic; empty: left out.
    policy: Mapping[str, str] = field(default_factory=dict)
    facts: Sequence[Said] = ()
    openings: Mapping[str, str] = field(default_factory=dict)
    evidence: Sequence[str] = ()
    others: Sequence[str] = ()
    opened: int = 0
    answer_format: str = ""
    required: str | None = None


class Maker:
    """Collects the instances of one Org."""

    def __init__(self, source: Source, seed: int, quotas: Mapping[str, Quota]) -> None:
        self.source, self.seed, self.quotas = source, seed, dict(quotas)
        self.records: dict[str, list[dict[str, Any]]] = {task: [] for task in quotas}
        self.refusals = Refusals()
        self.short: dict[str, str] = {}
        self.draw = cache(self._draw)
        self._said: dict[str, Phrases] = {}
        self._texts: set[tuple[str, str, str]] = set()
        self._answers: Counter[tuple[str, str]] = Counter()

    def _draw(self, task: str) -> Draw:
        return Draw(self.seed, f"instances {self.source.world} {task}")

    def phrases(self, task: str) -> Phrases:
        if task not in self._said:
            self._said[task] = Phrases(self.draw(f"{task} words"), Grammar({}))
        return self._said[task]

    def wants(self, task: str, *, silent: bool, people: bool = True) -> bool:
        return self.quotas[task].left(silent=silent, people=people) > 0

    def refuse(self, task: str, reason: str) -> None:
        self.refusals.add(task, reason)

    def times(self, task: str, key: str) -> int:
        """How often an answer or a thing asked about has been used in a task."""
        return self._answers[task, key]

    def used(self, task: str, key: str) -> None:
        self._answers[task, key] += 1

    def ask(self, asked: Asked) -> bool:
        """Keep the question if it passes every gate; whether it was kept."""
        task, silent = asked.task, asked.expected == [None]
        today = asked.today or self.source.today
        people = today == self.source.today
        if not self.wants(task, silent=silent, people=people):
            return False
        windowed = "window" in asked.params
        found = self._by_rule(asked, today) if windowed else None
        if windowed and found is None:
            return False
        record = self._record(asked, today, found)
        if (task, record["query"], record["metadata"]["required"]) in self._texts:
            return False
        refused = self._quick(record, asked) if windowed else self._slow(record, asked)
        if refused:
            for reason in refused:
                self.refuse(task, reason)
            return False
        if not windowed:
            self._add_evidence(record, asked, today)
        self._texts.add((task, record["query"], record["metadata"]["required"]))
        self.quotas[task].take(silent=silent, people=people)
        self.records[task].append(record)
        return True

    def _by_rule(self, asked: Asked, today: date) -> Answer | None:
        try:
            found = answer_by_rule(asked.task, self.source.snapshot, asked.params, today)
        except (RuleError, QueryError):
            self.refuse(asked.task, "rule")
            return None
        if found.as_list() != asked.expected or not found.clear:
            self.refuse(asked.task, "rule")
            return None
        return found

    def _quick(self, record: Mapping[str, Any], asked: Asked) -> list[str]:
        """For questions of periods, whose other readings have been seen by their tallies."""
        named = [record_id for record_id in asked.expected if record_id and len(record_id) >= 15]
        words = [*named, *(name for _object, name in self.source.snapshot.names(named).values())]
        if TASKS[asked.task].answer_type in ("month", "state"):
            words += [word for value in asked.expected if value for word in (value, STATES.get(value, value))]
        asks = record["question"]
        # Capitals count: "IN" is a state, "in" is none.
        return ["told"] if any(re.search(rf"\b{re.escape(word)}\b", asks) for word in words) else []

    def _slow(self, record: Mapping[str, Any], asked: Asked) -> list[str]:
        """For questions of single records: all gates, which ask the rule themselves."""
        # The stage guide lists the kinds of all tasks; only what is asked could name those that are the answer.
        seen = {**record, "definitions": ""} if asked.task == "activity_priority" else record
        refused = passes(seen, self.source.snapshot, evidence=asked.evidence, others=asked.others)
        return [refusal.code for refusal in refused]

    def _add_evidence(self, record: dict[str, Any], asked: Asked, today: date) -> None:
        evidence: Sequence[str] = asked.evidence
        if record["rule"] and not evidence:
            evidence = answer_by_rule(asked.task, self.source.snapshot, asked.params, today).evidence
        record["evidence"] = self._pairs(evidence)

    def _pairs(self, evidence: Sequence[str]) -> list[list[str]]:
        registry = self.source.snapshot.registry
        named = [(registry.object_for_id(record_id), record_id) for record_id in dict.fromkeys(evidence)]
        return [[item.name, record_id] for item, record_id in named if item][:MOST_EVIDENCE]

    def _record(self, asked: Asked, today: date, found: Answer | None) -> dict[str, Any]:
        task, kind, own = asked.task, TASKS[asked.task], words(asked.task)
        said = self.phrases(task)
        question = worded(said, own.wordings[asked.wording], asked.slots)
        if asked.below:
            question = f"{question}\n\n{asked.below}"
        policy = [fact for fact in own.policy if asked.policy.get(fact.topic, fact.text)]
        policy = [_with(fact, asked.policy.get(fact.topic, fact.text)) for fact in policy]
        facts = [*policy, *asked.facts]
        shown = [fact.text for fact in facts if fact.part in ("policy", "definitions")]
        ids = [f"- {label}: {record_id}" for label, record_id, _name in asked.about]
        named = [f"{label}: {name} ({record_id})." if name else f"{label}: {record_id}."
                 for label, record_id, name in asked.about]  # fmt: skip
        stated = today.isoformat()
        required = asked.required
        if required is None:
            head = [f"## {own.title}", *(f"- {text}" for text in shown), ""] if shown else []
            required = "\n".join([*head, *ids, f"- Today's date: {stated}"])
        return {
            "answer": asked.expected,
            "task": task,
            "persona": self.draw(f"{task} persona").pick(personas(self._pool(task))),
            "metadata": {"required": required, "optional": contexts()["optional"].strip()},
            "reward_metric": kind.metric,
            "query": f"{question}{self._format(asked)}",
            "question": _with_records(question, asked),
            "definitions": " ".join([*shown, *named]) if asked.required is None else "",
            "role": kind.role,
            "asks": kind.asks,
            "skill": kind.skill,
            "answer_type": kind.answer_type,
            "answer_object": kind.answer_object,
            "minutes_by_hand": self._minutes(asked),
            "rule": task if task in RULES else "",
            "params": dict(asked.params),
            "today": stated,
            "evidence": self._pairs(found.evidence) if found else [],
            "forms": self._forms(asked, question, facts, own.vague),
            "audience": "all" if today == self.source.today else "agents",
        }

    def _format(self, asked: Asked) -> str:
        kind, known = TASKS[asked.task], contexts()
        if kind.answer_type == "refusal":
            return ""
        formats = known["formats"]
        name = asked.answer_format or kind.answer_object or kind.answer_type
        none = "" if kind.answer_type == "text" or asked.task in NEVER_NONE else f" {known['none']}"
        gap = "\n\n" if asked.below else " "
        return f"{gap}{formats[name]}{none}"

    def _minutes(self, asked: Asked) -> float:
        base = TASKS[asked.task].minutes_by_hand
        if not asked.opened:
            return base
        return round(min(15.0, 0.5 * base + 0.5 * base * asked.opened / (0.5 * MOST_OPENED)), 1)

    def _forms(self, asked: Asked, question: str, facts: Sequence[Said], vague: Sequence[str]) -> dict[str, Any]:
        if TASKS[asked.task].answer_type == "refusal":
            return {}
        draw = self.draw(f"{asked.task} forms")
        known = draw.shuffled(contexts()["spare"][self._pool(asked.task)])
        spare = [next(one for one in known if one["topic"] == topic) for topic in ("deadline", "purpose")]
        openings = dict(asked.openings)
        if vague and "definitions" not in openings:
            text = worded(self.phrases(f"{asked.task} openings"), vague, {})
            part = "diagnosis" if any(fact.part == "diagnosis" for fact in facts) else "definitions"
            openings.setdefault(part, text)
        return forms(question, facts, spare, openings)

    def _pool(self, task: str) -> str:
        if task == "named_entity_disambiguation":
            return "consumers" if self.source.consumer else "buyers"
        if TASKS[task].stance == "external" and task != "internal_operation_data":
            return "consumers"
        return "employees"


NEVER_NONE = ("case_routing", "lead_routing", "monthly_trend_analysis")


def _with_records(question: str, asked: Asked) -> str:
    """For people: the records the question is about below it, which the screens turn into links."""
    records = [f"{label.split(' Id')[0]}: {record_id}" for label, record_id, _name in asked.about]
    return "\n\n".join([question, *records])


def worded(said: Phrases, options: Sequence[str], slots: Mapping[str, str]) -> str:
    """One of the wordings. Capitals are set before names come in: after "Elmstead Brewing Inc." none begins."""
    draft = said.one_of(options, {name: f"{{{name}}}" for name in slots})
    text = sentence_case(draft).format_map(slots)
    return text[0].upper() + text[1:]


def _with(fact: Said, text: str) -> Said:
    return fact if text == fact.text else Said(fact.topic, text, fact.short, fact.wrong, fact.part, fact.stage)
