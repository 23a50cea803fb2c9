"""Steps of the hour that tests share, taken over HTTP as a participant takes them."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.test import Client

from tests.people.walk import TASKS, TICKS, freeze
from tests.sandbox.small_org import TODAY, small_registry
from tests.sandbox.small_org import small_tables as engine_tables

ROLES = {
    "case_routing": "service manager",
    "handle_time": "service manager",
    "transfer_count": "service manager",
    "named_entity_disambiguation": "service agent",
    "knowledge_qa": "service agent",
    "top_issue_identification": "service analyst",
    "monthly_trend_analysis": "service analyst",
    "best_region_identification": "service analyst",
}
SECRET = "Zebrafinch Quartet"
CLOSING = {
    "origin_guess": "mix", "origin_confidence": "low", "umux_requirements": "5", "umux_easy": "rather_not_say",
    "rushed": "2", "trouble": "None at all.", "use_answers": "yes",
}  # fmt: skip


def first_answer(item: Any) -> str:
    """The first thing an item offers."""
    if item.type == "text":
        return f"Words about {item.id}."
    return item.codes[0] if item.codes else str(item.points[0])


def small_tables() -> dict[str, list[dict[str, Any]]]:
    """The engine's small Org with a few chats, since the protocol rates them."""
    from study.sandbox.engine.ids import make_id

    tables = engine_tables()
    prefix = small_registry().object("LiveChatTranscript").key_prefix
    chats = [
        {"Id": make_id(prefix, n), "Body": "Customer: It broke.\nAgent: I'm sorry to hear that.", "CaseId": case["Id"]}
        for n, case in enumerate(tables["Case"][:5])
    ]
    return tables | {"LiveChatTranscript": chats}


def make_small_org(name: str = "demo-service", tables: dict[str, list[dict[str, Any]]] | None = None):
    from pathlib import Path

    from study.sandbox.engine.snapshot import write_snapshot
    from study.sandbox.models import Org

    file = Path(settings.REALIA_VAR) / f"{name}-{uuid.uuid4().hex}.sqlite3"
    info = write_snapshot(file, small_registry(), tables or small_tables(), today=TODAY)
    org = Org.objects.create(
        name=name, hash=info.hash, file=file.name, counts=info.counts, manifest=info.manifest, last_day=info.last_day
    )
    make_instances(org)
    return org


def make_instances(org) -> None:
    from study.benchmark.models import Instance, InstanceSet
    from study.benchmark.tasks import TASKS as KINDS

    made = InstanceSet.objects.create(org=org, source="by hand", sha256="0" * 64)
    tables = small_tables()
    for task, skill in TASKS.items():
        kind = KINDS[task]
        answers = {"month": ["March"], "state": ["CA"], "text": [SECRET]}
        for n in range(2):
            rows = tables.get(kind.answer_object) or [{}]
            gold = answers.get(kind.answer_type) or [rows[n].get("Id")]
            Instance.objects.create(
                org=org, instance_set=made, key=f"{task}-{n}", task=task, skill=skill, role=kind.role, asks=kind.asks,
                question=f"Number {n}: what about {task.replace('_', ' ')}?", query=f"{task}. Return only the Id.",
                persona="You are quality-focused and never in a hurry.", definitions="A month is a calendar month.",
                answer=gold, metric=kind.metric, answer_type=kind.answer_type, answer_object=kind.answer_object,
                minutes_by_hand=6,
            )  # fmt: skip


def make_cohort(study, org):
    from study.assignment.flows import open_cohort
    from study.people.sample.cohorts import create_cohort

    freeze(study)
    row = create_cohort(
        study, code="north", name="Panel North", arm="main", target=10, contact_email="noor@example.test", by=None
    )
    open_cohort(row, by=None)
    return row


@dataclass
class Hour:
    """One participant with their browser."""

    code: str
    client: Client
    bodies: list[str] = field(default_factory=list)

    @classmethod
    def begin(cls, cohort, user, client: Client) -> Hour:
        from study.assignment.flows import consent_and_begin
        from study.people import flows
        from study.people.models import Stage
        from study.people.protocol import protocol_of

        one = flows.new_participant(cohort, user=user, stage=Stage.ELIGIBLE, joined_at=cohort.created_at)
        consent_and_begin(one, protocol_of(cohort), TICKS)
        client.force_login(user)
        return cls(one.code, client)

    @property
    def participant(self):
        from study.people.models import Participant

        return Participant.objects.get(code=self.code)

    @property
    def visit(self):
        """The newest one: an hour is one visit, and a person may have several."""
        return self.participant.visits.order_by("period").last()

    def attempt(self, n: int):
        return self.visit.attempts.get(position=n)

    def url(self, path: str) -> str:
        return path if path.startswith("/crm/") else f"/hour/{self.code}/{path}"

    def get(self, path: str, **more: Any):
        response = self.client.get(self.url(path), **more)
        self.bodies.append(response.content.decode())
        return response

    def post(self, path: str, data: dict[str, Any] | None = None, **more: Any):
        response = self.client.post(self.url(path), data or {}, **more)
        self.bodies.append(response.content.decode())
        return response

    def save(self, field: str, value: Any, base: int = 0, save_id: str = "", participant: str | None = None):
        body = {
            "field": field, "value": value, "base": base, "save_id": save_id or uuid.uuid4().hex,
            "participant": participant or self.visit.owner,
        }  # fmt: skip
        return self.client.post(
            self.url("save/"), json.dumps(body), content_type="application/json", headers={"Accept": "application/json"}
        )

    def orient(self) -> None:
        for move in ("find", "filter", "follow"):
            self.post(f"orientation/moves/{move}/leave/")
        self.post("orientation/practice/", {"practice": "4"})
        self.post("orientation/check/", {"records": "true", "none": "true", "pay": "false"})
        self.post("orientation/start/")

    def open_question(self, n: int = 1) -> str:
        """Open the next question; the address of its desk."""
        return self.post("work/open/")["Location"]

    def right_answer(self, n: int) -> str:
        return self.attempt(n).place.instance.answer[0]

    def answer(self, n: int, text: str | None = None, **more: Any):
        data = {"act": "next", "answer": text if text is not None else self.right_answer(n), "confidence": "70"} | more
        return self.post(f"work/{n}/answer/", data)

    def after(self, n: int):
        return self.post(
            f"work/{n}/after/", {"frequency_at_work": "weekly", "one_clear_answer": "yes", "confidence": "50"}
        )

    def work(self) -> None:
        """All five questions: four answered, the last one skipped."""
        self.open_question()
        for n in range(1, 6):
            self.get(f"/crm/{self.attempt(n).desk.code}/")
            if n < 5:
                self.answer(n)
            else:
                self.post(f"work/{n}/answer/", {"act": "skip", "reason": "too_long"})
            self.after(n)

    def look(self, target: str) -> None:
        """Open the first record of a card's look."""
        rating = self.visit.ratings.get(target=target)
        desk = self.visit.desks.get(purpose="rating").desk
        assert self.get(f"/crm/{desk.code}/r/{rating.look_ids[0]}/").status_code == 200

    def rate(self, target: str, choice: str = "4", **more: Any):
        data = {"choice": choice, "right": "The totals add up and so do dates.", "act": "next"} | more
        return self.post(f"ratings/{target}/", data)

    def rate_all(self) -> None:
        self.get("ratings/", follow=True)
        self.rate("Org", "4")
        for api in self.visit.object_order:
            self.get(f"ratings/{api}/")
            self.look(api)
            self.rate(api, "2", off="Dates repeat too often here.", tags=["values"])

    def lock(self):
        return self.post("lock/")

    def close(self, **given: Any) -> None:
        """Every module after the ratings, cards too; ``given`` says what an item is answered with."""
        from study.fieldwork.cards import open_card
        from study.fieldwork.modules import modules_of

        for module in modules_of(self.visit):
            form = {item.id: given.get(item.id, CLOSING.get(item.id, first_answer(item))) for item in module.items}
            while (n := open_card(self.visit, module)) is not None:
                assert self.post(f"closing/{module.id}/{n}/", {"choice": given.get("choice", "1")}).status_code == 302
            self.post(f"closing/{module.id}/", form)

    def finish(self, choice: str = "keep"):
        self.post("debrief/", {"data_choice": choice})
        return self.get("finish/")
