"""Steps that tests of the hour share: an Org by hand, a frozen protocol, the way to consent."""

from __future__ import annotations

import datetime

from django.test import Client

TASKS = {
    "case_routing": "WORKFLOW",
    "handle_time": "DATABASE",
    "transfer_count": "DATABASE",
    "named_entity_disambiguation": "TEXT",
    "knowledge_qa": "TEXT",
    "top_issue_identification": "DATABASE",
    "monthly_trend_analysis": "DATABASE",
    "best_region_identification": "DATABASE",
}
OBJECTS = (
    "Account",
    "Case",
    "Contact",
    "Order",
    "Product2",
    "Knowledge__kav",
    "EmailMessage",
    "LiveChatTranscript",
    "Issue__c",
)


def make_org(name="demo-service", objects=OBJECTS, per_task=3, hash_=None, tasks=tuple(TASKS)):
    from study.benchmark.models import Instance, InstanceSet
    from study.sandbox.models import Org

    org = Org.objects.create(
        name=name,
        hash=hash_ or ("ab" * 32),
        file="none",
        counts=dict.fromkeys(objects, 10),
        last_day=datetime.date(2024, 5, 31),
    )
    made = InstanceSet.objects.create(org=org, source="by hand", sha256="0" * 64)
    for task in tasks:
        for n in range(per_task):
            Instance.objects.create(
                org=org,
                instance_set=made,
                key=f"{task}-{n}",
                task=task,
                skill=TASKS.get(task, "TEXT"),
                question=f"{task} {n}?",
                query=f"{task} {n}?",
                answer=[None],
                metric="exact_match",
                answer_type="record",
                minutes_by_hand=6,
            )
    return org


def freeze(study, text=None):
    from study.protocols.flows import freeze_protocol, import_protocol
    from study.protocols.library import builtin_text

    return freeze_protocol(import_protocol(study, text or builtin_text("realia-hour"), None), None, with_gaps=True)


GOOD = {
    "S1": "about_once_a_day",
    "S2": ["salesforce_lightning", "hubspot"],
    "S3": "y3_5",
    "S4": ["sell"],
    "S5": ["Account", "Case"],
    "S6a": "account_contact",
    "S6b": "history",
    "S7.1": "closed a case",
    "S7.2": "looked up an order",
    "S8a": "service agent",
    "S8b": "retail",
    "S8c": "n10_49",
    "S8d": "experienced",
    "S8e": "Norway",
    "S9": "no",
    "S10": "no",
}
TICKS = ["informed", "voluntary", "data", "adult"]


def code_of(client: Client) -> str:
    from study.people.models import Participant

    return Participant.objects.get(user_id=client.session["_auth_user_id"]).code


def to_consent(client, path):
    """Confirm and pass the screener; the participant's code."""
    client.post(path)
    code = code_of(client)
    assert client.post(f"/hour/{code}/screener/", GOOD).status_code == 302
    return code


def agree(client, code, ticks=TICKS):
    from study.people.consenting.consent import consent_text, text_hash
    from study.people.models import Participant
    from study.people.protocol import file_of, protocol_of

    sha = text_hash(consent_text(file_of(protocol_of(Participant.objects.get(code=code).cohort))))
    return client.post(f"/hour/{code}/consent/", {"statement": ticks, "sha256": sha})
