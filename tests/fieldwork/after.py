"""Hours at their lock, with whatever cards a test adds to the protocol, and a control Org of the small one."""

from __future__ import annotations

import textwrap
import uuid
from pathlib import Path
from typing import Any

from django.conf import settings

from study.protocols.library import builtin_text
from tests.fieldwork.hour import Hour, small_tables
from tests.sandbox.small_org import TODAY, small_registry

POINTS = """
    options:
      - {label: Very Unrealistic, line: Made up throughout.}
      - {label: Unrealistic, line: Mostly it would not occur.}
      - {label: Neutral, line: As much right as wrong.}
      - {label: Realistic, line: Could come from a system in use.}
      - {label: Very Realistic, line: I would take it for a real one.}
"""
CARDS = {
    "anchors": "    card_set: small\n    count: 6",
    "reference": "    count: 12",
    "dossiers": '    control: "name:demo-control"\n    count: 6',
    "pairs": '    control: "name:demo-control"\n    count: 4',
}
SIDES = """
    options:
      - {label: The first one, line: "On the left, or above."}
      - {label: The second one, line: "On the right, or below."}
"""


def module(kind: str, **more: str) -> str:
    """A module of the protocol file that shows cards of a kind."""
    lines = "".join(f"\n  {key}: {value}" for key, value in more.items())
    options = SIDES if kind == "pairs" else POINTS
    text = (
        f"- id: {kind}\n  position: after_ratings\n  title: Some single records{lines}\n  cards:\n    kind: {kind}\n"
        f"{CARDS[kind]}\n    stem: How realistic is this {{object}}?\n    cannot_judge: I can't judge this{options}"
    )
    return textwrap.indent(text, "  ")


def with_cards(*kinds: str, name: str = "realia-hour") -> str:
    """A built-in protocol with modules of cards in front of its questions after the ratings."""
    text = builtin_text(name)
    place = text.index("  - id: own_system\n")
    return text[:place] + "".join(module(kind) + "\n" for kind in kinds) + text[place:]


def shuffled_tables() -> dict[str, list[dict[str, Any]]]:
    """Every case belongs to another account and contact: each looks right, nothing hangs together."""
    tables = {name: [dict(row) for row in rows] for name, rows in small_tables().items()}
    cases = tables["Case"]
    for row, other in zip(cases, [*small_tables()["Case"][7:], *small_tables()["Case"][:7]], strict=True):
        row |= {"AccountId": other["AccountId"], "ContactId": other["ContactId"], "OrderItemId__c": None}
    return tables


def make_control(org: Any, name: str = "demo-control") -> Any:
    from study.sandbox.engine.snapshot import write_snapshot
    from study.sandbox.models import Org

    file = Path(settings.REALIA_VAR) / f"{name}-{uuid.uuid4().hex}.sqlite3"
    info = write_snapshot(file, small_registry(), shuffled_tables(), today=TODAY, extra={"parent": org.hash})
    return Org.objects.create(
        name=name, hash=info.hash, file=file.name, counts=info.counts, manifest=info.manifest, last_day=info.last_day
    )


def begin(study: Any, user: Any, client: Any, text: str) -> Hour:
    from study.assignment.flows import open_cohort
    from study.people.sample.cohorts import create_cohort
    from tests.people.walk import freeze

    freeze(study, text)
    cohort = create_cohort(study, code="c", name="C", arm="main", target=3, contact_email="n@example.test", by=None)
    open_cohort(cohort, by=None)
    return Hour.begin(cohort, user, client)


def to_the_lock(hour: Hour) -> Hour:
    """Everything rated without a look at any record, quickly, and locked."""
    from study.fieldwork.models import Rating

    hour.orient()
    hour.work()
    hour.get("ratings/", follow=True)
    Rating.objects.filter(visit=hour.visit).update(first="4", final="4", version=1)
    assert hour.post("lock/", {"leave_open": "yes"}).status_code == 302
    assert hour.participant.stage == "locked"
    return hour
