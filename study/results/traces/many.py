"""A study with a great many events, for measuring exports: rows as the sandbox writes them, put in by the thousand."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from study.accounts.models import Study
from study.assignment.models import Place, Visit
from study.benchmark.models import Instance, InstanceSet
from study.fieldwork.models import Attempt, VisitDesk
from study.people.models import Cohort, Participant
from study.protocols.models import Protocol, ProtocolState
from study.sandbox.engine.ids import make_id
from study.sandbox.engine.published import published_registry
from study.sandbox.engine.snapshot import write_snapshot
from study.sandbox.models import Desk, Org, TraceEvent
from study.sandbox.orgs import register_org

CODE = "many-events"
TODAY = date(2023, 1, 16)
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
PER_DESK = 1_000
ATTEMPTS = 5
RECORDS = 200_000
CHUNK = 20_000
DRAWN = 5_000


def make_many(events: int, seed: int = 1) -> Study:
    """A study whose visits hold exactly this many events: lists, records, searches, a thread now and then."""
    study = Study.objects.create(code=CODE, name="Many events", simulated=True)
    desks = _desks(study, -(-events // PER_DESK))
    fill = random.Random(seed)  # noqa: S311 nothing secret is drawn
    rows = islice(_rows(desks, fill), events)
    while chunk := list(islice(rows, CHUNK)):
        _insert(chunk)
    return study


def _desks(study: Study, n: int) -> list[int]:
    """At least ``n`` desks of visits: orientation, five questions and rating of each."""
    org = _org()
    protocol = Protocol.objects.create(study=study, number=1, text="", state=ProtocolState.FROZEN, sha256="0" * 64)
    cohort = Cohort.objects.create(study=study, code="many", name="Many", arm="main")
    made = InstanceSet.objects.create(org=org, source="made", sha256="0" * 64)
    instances = [
        Instance(org=org, instance_set=made, key=f"made-{k}", task=f"task_{k}", skill="workflow", question="", query="",
                 answer=[None], metric="exact_match", answer_type="record")
        for k in range(ATTEMPTS)
    ]  # fmt: skip
    Instance.objects.bulk_create(instances)
    found: list[int] = []
    for number in range(-(-n // (ATTEMPTS + 2))):
        person = Participant.objects.create(study=study, cohort=cohort, code=f"M-{number:06d}", simulated=True)
        visit = Visit.objects.create(participant=person, arm="main", org=org, protocol=protocol, seed=number)
        found += _of_visit(visit, instances)
    return found


def _of_visit(visit: Visit, instances: list[Instance]) -> list[int]:
    begun = [
        Desk(code=f"{visit.pk}x{k}", org=visit.org, purpose="attempt", today=TODAY, opened_at=START)
        for k in range(ATTEMPTS + 2)
    ]
    first, *asked, last = Desk.objects.bulk_create(begun)
    for purpose, desk in (("orientation", first), ("rating", last)):
        VisitDesk.objects.create(visit=visit, purpose=purpose, desk=desk)
    places = Place.objects.bulk_create(
        Place(visit=visit, position=k, instance=one, task=one.task, stratum="workflow")
        for k, one in enumerate(instances, start=1)
    )
    Attempt.objects.bulk_create(
        Attempt(visit=visit, position=place.position, place=place, desk=desk, outcome="answered", started_at=START)
        for place, desk in zip(places, asked, strict=True)
    )
    return [desk.pk for desk in begun]


def _org() -> Org:
    file = settings.REALIA_VAR / "many.sqlite"
    return register_org(write_snapshot(file, published_registry(company="Many"), {}, today=TODAY), "many-events")


def _rows(desks: list[int], fill: random.Random) -> Iterator[tuple[Any, ...]]:
    """Events desk by desk. What they say is drawn from a few thousand, so that making them takes no longer than SQL."""
    drawn = [_event(fill) for _ in range(DRAWN)]
    at = START
    for desk in desks:
        for sequence in range(1, PER_DESK + 1):
            at += timedelta(seconds=2)
            yield (desk, sequence, at, *drawn[fill.randrange(DRAWN)])


def _event(fill: random.Random) -> tuple[Any, ...]:
    """Kind, object, record, query, n and address of one event."""
    case = make_id("500", fill.randrange(RECORDS))
    kind = fill.choices(("record", "list", "search", "thread"), (5, 3, 2, 0.3))[0]
    if kind == "record":
        return "record", "Case", case, None, None, f"r/{case}/"
    if kind == "list":
        where = {
            "and": [{"field": "Status", "op": "eq", "value": "Closed"}, {"field": "OwnerId", "op": "eq", "value": case}]
        }
        query = {"object": "Case", "v": 2, "where": where, "order": [{"key": "CreatedDate"}], "limit": 50}
        return "list", "Case", "", json.dumps(query), fill.randrange(400), "o/Case/?c=Status&o=eq&v=Closed"
    if kind == "search":
        return (
            "search",
            "",
            "",
            json.dumps({"text": "battery", "only": "", "hits": {"Case": 12}}),
            12,
            "search/?q=battery",
        )
    shown = [make_id("02s", fill.randrange(RECORDS)) for _ in range(6)]
    return "thread", "EmailMessage", case, json.dumps({"shown": shown}), 6, f"r/{case}/thread/"


def _insert(rows: list[tuple[Any, ...]]) -> None:
    """Rows as they are, past the ORM: ten million objects would take half an hour."""
    columns = "desk_id, sequence, at, kind, object, record, query, n, address"
    json_cell = "%s::jsonb" if connection.vendor == "postgresql" else "%s"
    marks = f"%s, %s, %s, %s, %s, %s, {json_cell}, %s, %s"
    table = TraceEvent._meta.db_table
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)
