"""Each task that needs a report can be done with one: its address shows the numbers of the answer rule."""

from __future__ import annotations

from typing import Any

import pytest

from study.benchmark.rules import agents, patterns
from study.benchmark.rules.routing import case_routing
from study.sandbox.engine.queryspec import from_json
from tests.sandbox.fixtures.atlas import ATLAS_TODAY, atlas_id, atlas_key, atlas_tables
from tests.sandbox.fixtures.atlas.by_hand import conversion_rate_comprehension, sales_cycle_understanding
from tests.sandbox.fixtures.atlas.questions import INSTANCES
from tests.sandbox.gui_desk import Room

pytestmark = pytest.mark.django_db
ONCE = "rc=CaseHistory__c.CaseId__c&ro=exactly&rn=1&rf=Field__c&rp=eq&rv=Owner+Assignment"
CLOSED = "c=Status&o=eq&v=Closed"
PARAMS = {instance.task: instance.record()["params"] for instance in INSTANCES}
ANSWERS = {instance.task: instance.answer for instance in INSTANCES}


def shown(room: Room, address: str) -> list[tuple[Any, ...]]:
    """The rows of a report: group as a key, number of records, measures. Every number leads to its records."""
    response = room.client.get(f"/crm/{room.desk.code}/report/{address}")
    assert response.status_code == 200, address
    rows = response.context["view"].rows
    for row in rows:
        assert room.client.get(row.count.url).context["view"].total == row.n, (row.plain, row.count.url)
    return [(atlas_key(row.raw[0]) if isinstance(row.raw[0], str) else row.raw[0], *row.raw[1:]) for row in rows]


def ruled(room: Room, rule: Any) -> list[tuple[dict[str, Any], ...]]:
    """The rows of each step of an answer rule, by the key of their group."""
    answer = rule(room.snapshot, PARAMS[rule.__name__], ATLAS_TODAY)
    assert tuple(map(atlas_key, answer.values)) == ANSWERS[rule.__name__]
    found = []
    for step in answer.steps:
        rows = room.snapshot.run(from_json(step.spec), ATLAS_TODAY).rows
        found.append({atlas_key(first) if isinstance(first, str) else first: rest for first, *rest in rows})
    return found  # type: ignore[return-value]


def test_top_issue(atlas_gui: Room) -> None:
    (counts,) = ruled(atlas_gui, patterns.top_issue_identification)
    found = shown(
        atlas_gui,
        "Case/?g=IssueId__c&c=OrderItemId__c.Product2Id&o=eq&v=Gale+S2+anemometer"
        "&c=CreatedDate&o=past_months&v=5&c=IssueId__c&o=not_null&v=",
    )
    assert found == [("radio", 5), ("drift", 3), ("frost", 2)]
    assert {key: [n] for key, n in found} == counts


def test_monthly_trend(atlas_gui: Room) -> None:
    (counts,) = ruled(atlas_gui, patterns.monthly_trend_analysis)
    found = shown(
        atlas_gui,
        f"Case/?g=CreatedDate&by=month_name&sort=-n&c=OrderItemId__c.Product2Id&o=eq&v={atlas_id('rain')}"
        "&c=CreatedDate&o=past_months&v=6",
    )
    assert found[0] == ("November", 4)
    assert {key: [n] for key, n in found} == counts


def test_best_region(atlas_gui: Room) -> None:
    (means,) = ruled(atlas_gui, patterns.best_region_identification)
    found = shown(
        atlas_gui,
        f"Case/?m=avg&mf=ClosedDate~CreatedDate&u=hours&g=Account.ShippingState&sort=value&{CLOSED}"
        "&c=CreatedDate&o=during&v=2023-Q3&c=Account.ShippingState&o=not_null&v=",
    )
    assert [(state, n, pytest.approx(hours)) for state, n, hours in found] == [
        ("IL", 3, 6.0), ("CA", 3, 9.0), ("TX", 1, 12.0)
    ]  # fmt: skip
    assert {state: [pytest.approx(hours), n] for state, n, hours in found} == means


def test_handle_time(atlas_gui: Room) -> None:
    """Two reports: who was given more than two cases; how long each took, cases that were handed on left out."""
    eligible, means = ruled(atlas_gui, agents.handle_time)
    given = shown(
        atlas_gui,
        "CaseHistory__c/?g=NewValue__c&c=Field__c&o=eq&v=Owner+Assignment&c=CreatedDate&o=past_months&v=2"
        "&c=NewValue__c&o=not_null&v=&hv=2",
    )
    assert {key: [n] for key, n in given} == eligible
    names = ";".join(atlas_id(key) for key, _n in given)
    found = shown(
        atlas_gui,
        f"Case/?m=avg&mf=ClosedDate~CreatedDate&u=minutes&g=OwnerId&sort=value&{CLOSED}&{ONCE}"
        f"&c=CreatedDate&o=past_months&v=2&c=OwnerId&o=in&v={names}",
    )
    assert {key: [pytest.approx(minutes), n] for key, n, minutes in found} == means
    assert found[0][0] == "bram"


def test_transfer_count(atlas_gui: Room) -> None:
    eligible, counts = ruled(atlas_gui, agents.transfer_count)
    window = "c=Field__c&o=eq&v=Owner+Assignment&c=CreatedDate&o=during&v=2023-Q2"
    given = shown(atlas_gui, f"CaseHistory__c/?g=NewValue__c&{window}&c=NewValue__c&o=not_null&v=&hv=1")
    assert {key: [n] for key, n in given} == eligible
    names = ";".join(atlas_id(key) for key, _n in given)
    found = shown(atlas_gui, f"CaseHistory__c/?g=OldValue__c&{window}&c=OldValue__c&o=in&v={names}")
    assert {key: [n] for key, n in found} == counts
    assert found[0] == ("greg1", 3)


def test_case_routing(atlas_gui: Room) -> None:
    issue, product = ruled(atlas_gui, case_routing)[:2]
    by_issue = shown(atlas_gui, f"Case/?g=OwnerId&{CLOSED}&c=IssueId__c&o=eq&v={atlas_id('power')}")
    assert {key: [n] for key, n in by_issue if key} == issue
    level = ";".join(atlas_id(key) for key, n in by_issue if n == by_issue[0][1])
    where = f"&c=OrderItemId__c.Product2Id&o=eq&v={atlas_id('beacon')}&c=OwnerId&o=in&v={level}"
    by_product = shown(atlas_gui, f"Case/?g=OwnerId&{CLOSED}{where}")
    assert {key: [n] for key, n in by_product} == product
    assert by_product[0][0] == "chidi"


def test_lead_routing(atlas_gui: Room) -> None:
    """Accepted quotes by owner of the opportunity, members of the territory only; then leads not converted."""
    members = ";".join(atlas_id(key) for key in ("emil", "fay", "bram"))
    quotes = shown(
        atlas_gui,
        f"Quote/?g=Opportunity.OwnerId&c=Status&o=eq&v=Accepted&c=Opportunity.OwnerId&o=in&v={members}",
    )
    assert quotes == [("emil", 3), ("fay", 3), ("bram", 1)] or quotes == [("fay", 3), ("emil", 3), ("bram", 1)]
    level = ";".join(atlas_id(key) for key in ("emil", "fay"))
    leads = shown(atlas_gui, f"Lead/?g=OwnerId&c=IsConverted&o=eq&v=false&c=OwnerId&o=in&v={level}&sort=n")
    assert leads == [("emil", 1), ("fay", 3)]


def test_conversion_rate(atlas_gui: Room) -> None:
    """A share: of the leads created in the window, those converted in the same window."""
    assert conversion_rate_comprehension(atlas_tables()) == ("greg2",)
    found = shown(
        atlas_gui,
        "Lead/?m=share&mc=ConvertedDate&mo=past_months&mv=9&m2=count&mc2=ConvertedDate&mo2=past_months&mv2=9"
        "&g=OwnerId&sort=-value&c=CreatedDate&o=past_months&v=9",
    )
    assert found[:2] == [("greg2", 4, 0.75, 3), ("dana", 4, 0.5, 2)]


def test_sales_amount(atlas_gui: Room) -> None:
    """A product summed up, three lookups' worth of conditions; the accounts come from the list of contracts."""
    signed = ";".join(atlas_id(key) for key in ("odell", "fifty", "quell", "alvaro"))
    found = shown(
        atlas_gui,
        "OrderItem/?m=sum&mf=Quantity*UnitPrice&g=Order.OwnerId&sort=-value&c=Order.Status&o=eq&v=Activated"
        f"&c=Order.EffectiveDate&o=past_months&v=1&c=Order.AccountId&o=in&v={signed}",
    )
    assert [(key, amount) for key, _n, amount in found] == [("chidi", 7000.0), ("ana", 3200.0), ("dana", 2700.0)]


def test_sales_cycle(atlas_gui: Room) -> None:
    """The signature's date lies one lookup away from the deal's creation."""
    assert sales_cycle_understanding(atlas_tables()) == ("dana",)
    found = shown(
        atlas_gui,
        "Opportunity/?m=avg&mf=ContractID__c.CompanySignedDate~CreatedDate&g=OwnerId&sort=value"
        "&c=ContractID__c.CompanySignedDate&o=past_weeks&v=6",
    )
    # Deals are created at nine in the morning, signatures are days: 0.375 days less than whole days.
    assert [(key, n, days) for key, n, days in found] == [("dana", 3, 29.625), ("ana", 3, 49.625)]
