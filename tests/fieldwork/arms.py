"""Protocols with several arms and visits, for tests: the recommended one with its list of arms exchanged."""

from __future__ import annotations

from study.protocols.library import builtin_text

RATE = "rate: [Account, Case, Contact, Order, Product2, Knowledge__kav, EmailMessage, LiveChatTranscript]"
ORIENT = "orient: [Account, Contact, Case, EmailMessage, LiveChatTranscript, Order, Product2, Knowledge__kav, Issue__c]"
CROSSOVER = f"""  - code: cross
    label: Two Orgs, one after the other
    orgs: []
    {RATE}
    {ORIENT}
    order: counterbalanced
    washout: {{at_least_days: 1, at_most_days: 14}}
    visits:
      - {{code: north, orgs: ["name:demo-service"]}}
      - {{code: south, orgs: ["name:second"]}}
"""
AGAIN = f"""  - code: again
    label: The same Org twice
    orgs: ["name:demo-service"]
    {RATE}
    {ORIENT}
    visits:
      - {{code: first}}
      - {{code: retest, repeats: first, same_tasks: true}}
"""


def single(code: str, org: str = "name:demo-service") -> str:
    return f'  - code: {code}\n    label: Arm {code}\n    orgs: ["{org}"]\n    {RATE}\n    {ORIENT}\n'


def protocol_with(arms: str, more: str = "") -> str:
    """The recommended protocol with these arms; ``more`` comes before the tasks."""
    text = builtin_text("realia-hour")
    start = text.index("\narms:\n") + len("\narms:\n")
    end = text.index("\n# Two, two and one over")
    # Names a kind of help by a word that may not be read before the second ratings are locked.
    said = text[end:].replace("  - id: hour\n", "  - id: hour\n    visits: last\n")
    return text[:start] + arms + more + said


def cohort_for(study, arms: list[str], text: str, *, target: int = 40, **more):
    from study.assignment.flows import open_cohort
    from study.people.sample.cohorts import create_cohort
    from tests.people.walk import freeze

    freeze(study, text)
    row = create_cohort(
        study, code="north", name="Panel", arms=arms, target=target, contact_email="noor@example.test", by=None, **more
    )
    open_cohort(row, by=None)
    return row


def second_org():
    """Another small Org: the same kinds of record, one account renamed, so that its hash is its own."""
    from tests.fieldwork.hour import make_small_org, small_tables

    tables = small_tables()
    first, *others = tables["Account"]
    return make_small_org("second", tables | {"Account": [first | {"Name": "Second Harbour Ltd"}, *others]})


def at(monkeypatch, moment):
    """Let the server's clock stand at this moment."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: moment)
