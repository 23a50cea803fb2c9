"""The atlas Org is what it says: counts, every odd case, pages that open."""

from __future__ import annotations

import unicodedata
from datetime import UTC, date, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.queryspec import And, Compare, Condition, Group, Measure, Not, QuerySpec, Related
from study.sandbox.engine.search import search
from study.sandbox.engine.snapshot import Snapshot
from tests.sandbox.fixtures import atlas as atlas_files
from tests.sandbox.fixtures.atlas import ATLAS_TODAY, atlas_id, atlas_key, atlas_snapshot, atlas_tables
from tests.sandbox.gui_desk import Room

COUNTS = {
    "User": 9, "Account": 15, "Contact": 12, "Case": 55, "Knowledge__kav": 13, "ProductCategory": 3, "Product2": 10,
    "ProductCategoryProduct": 8, "Pricebook2": 2, "PricebookEntry": 11, "Order": 22, "OrderItem": 35,
    "EmailMessage": 9, "LiveChatTranscript": 4, "Issue__c": 6, "CaseHistory__c": 59, "Opportunity": 21,
    "OpportunityLineItem": 8, "Quote": 19, "QuoteLineItem": 13, "Contract": 11, "VoiceCallTranscript__c": 9,
    "Task": 18, "Event": 4, "Territory2": 4, "UserTerritory2Association": 7, "Lead": 27,
}  # fmt: skip


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return atlas_snapshot(Path(tmp_path_factory.mktemp("atlas")))


def found(atlas: Snapshot, name: str, *conditions: Condition) -> set[str]:
    rows = atlas.run(QuerySpec(name, select=("Id",), where=And(*conditions)), ATLAS_TODAY).rows
    return {atlas_key(row[0]) for row in rows}


def test_counts(atlas: Snapshot) -> None:
    assert dict(atlas.counts) == COUNTS
    assert (len(COUNTS), sum(COUNTS.values())) == (27, 414)
    assert (atlas.last_day, atlas.zone) == (ATLAS_TODAY, "UTC")


def test_ids_are_real_ones_and_each_is_there_once(atlas: Snapshot) -> None:
    every = [record["Id"] for records in atlas_tables().values() for record in records]
    assert len(set(every)) == len(every) == 414
    assert all(normal_id(i) == i and normal_id(i[:15]) == i for i in every)
    assert all(atlas.registry.object_for_id(r["Id"]).name == name for name, rs in atlas_tables().items() for r in rs)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("Contact", {"AccountId": "nobody-knows"}, "AccountId: no record has the key nobody-knows"),
        ("Contact", {"Id": "003290000004GNyEAM"}, "is not an Id of 18 characters"),
        ("Order", {"AccountId": "001Hy0000000zzzMAA"}, "no record has the key 001Hy"),
        ("Lead", {"key": "ana"}, "the key ana is used twice"),
    ],
)
def test_a_slip_in_the_files_is_said(
    name: str, change: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {**atlas_files._rows(), name: [{**atlas_files._rows()[name][0], **change}, *atlas_files._rows()[name][1:]]}
    for part in ("_ids", "_tables"):
        monkeypatch.setattr(atlas_files, part, cache(getattr(atlas_files, part).__wrapped__))
    monkeypatch.setattr(atlas_files, "_rows", lambda: rows)
    with pytest.raises(ValueError, match=said):
        atlas_files.atlas_tables()


def test_two_ids_differ_in_letter_case_only(atlas: Snapshot) -> None:
    """P-49"""
    mira, miro = atlas_id("mira"), atlas_id("miro")
    assert mira[:15] != miro[:15]
    assert mira[:15].lower() == miro[:15].lower()
    assert found(atlas, "Contact", Compare("Id", "eq", mira[:15])) == {"mira"}
    assert found(atlas, "Contact", Compare("Id", "eq", miro)) == {"miro"}


@pytest.mark.parametrize(
    ("name", "field", "dangling", "empty"),
    [
        ("Contact", "AccountId", {"orphan"}, {"nobody"}),
        ("Case", "AccountId", {"r13"}, {"r14"}),
        ("Order", "AccountId", {"o-astray"}, set()),
        ("OrderItem", "Product2Id", {"s-astray"}, {"s-empty"}),
        ("CaseHistory__c", "CaseId__c", {"ch-astray"}, {"ch-gone"}),
        ("Opportunity", "OwnerId", {"o-lost"}, {"o-bare"}),
        ("Quote", "OpportunityId", {"q-lost"}, {"q-bare"}),
        ("Task", "WhatId", {"tx4"}, {"tx3"}),
        ("VoiceCallTranscript__c", "LeadId__c", {"v-lost"}, {f"v-ins{n}" for n in range(1, 6)}),
        ("UserTerritory2Association", "UserId", {"um7"}, set()),
        ("ProductCategoryProduct", "ProductId", {"pcp8"}, set()),
    ],
)
def test_parents_that_are_missing_or_were_never_named(
    atlas: Snapshot, name: str, field: str, dangling: set[str], empty: set[str]
) -> None:
    """P-52: a record without parent is one, whether the parent is gone or was never there."""
    parents = {record["Id"] for target in atlas.registry.object(name).field(field).targets
               for record in atlas.records(target)}  # fmt: skip
    named = found(atlas, name, Compare(field, "not_null"))
    assert {key for key in named if atlas.record(name, atlas_id(key))[field] not in parents} == dangling
    assert found(atlas, name, Compare(field, "null")) == empty


def test_is_not_keeps_accounts_without_a_state(atlas: Snapshot) -> None:
    """P-52"""
    others = found(atlas, "Account", Compare("ShippingState", "ne", "IL"))
    assert {"noorco", "empty"} <= others
    assert not {"odell", "prairie"} & others
    assert found(atlas, "Case", Compare("Account.ShippingState", "null")) >= {"r12", "r13", "r14"}


def test_two_people_of_one_name(atlas: Snapshot) -> None:
    for name, person, keys in (
        ("User", "Greg Miller", {"greg1", "greg2"}),
        ("Contact", "Sam Brook", {"sam1", "sam2"}),
        ("Lead", "Jo Marsh", {"jo1", "jo2"}),
    ):
        assert found(atlas, name, Compare("Name", "eq", person)) == keys
    spec = QuerySpec("Lead", groups=(Group("OwnerId"),), measures=(Measure("count", alias="n"),))
    by_owner = {atlas_key(owner): n for owner, n in atlas.run(spec, ATLAS_TODAY).rows if owner}
    assert (by_owner["greg1"], by_owner["greg2"]) == (5, 4)


@pytest.mark.parametrize(
    ("text", "name", "keys"),
    [
        ("O'Dell", "Account", {"odell"}),
        ("o’dell", "User", {"dana"}),
        ("50% off", "Account", {"fifty"}),
        ("50% off", "Case", {"r5"}),
        ("A_B", "Account", {"ab"}),
        ("A_B", "Case", {"r14"}),
        ("Back\\Slash", "Account", {"slash"}),
        ("alvaro", "Account", {"alvaro", "alvaro2"}),
        ("ÁLVARO", "Contact", {"alvaro-c", "alvaro-d"}),
        ("A\u0301lvaro Ruiz", "Contact", {"alvaro-c", "alvaro-d"}),
        ("strauss", "User", {"emil"}),
        ("للأرصاد", "Account", {"noorco"}),
        ("לוי", "Contact", {"levi"}),
        ("fred@o-dell.example", "Contact", {"fred"}),
        ("thunderhead", "Case", {"log"}),
    ],
)
def test_odd_texts_are_found_by_search(atlas: Snapshot, text: str, name: str, keys: set[str]) -> None:
    """P-45, P-51"""
    hits = search(atlas, text, name, limit=20).objects
    assert {atlas_key(hit.id) for hits_of in hits for hit in hits_of.hits} == keys


def test_accents_are_stored_both_ways(atlas: Snapshot) -> None:
    """P-51: one letter, or a letter and its accent; nothing on the way makes them one."""
    names = {key: atlas.record("Account", atlas_id(key))["Name"] for key in ("alvaro", "alvaro2")}
    assert unicodedata.is_normalized("NFC", names["alvaro"])
    assert not unicodedata.is_normalized("NFC", names["alvaro2"])
    assert found(atlas, "Account", Compare("Name", "contains", "álvaro")) == {"alvaro", "alvaro2"}


def test_emoji_right_to_left_and_very_long_texts(atlas: Snapshot) -> None:
    assert "🥶" in atlas.record("Case", atlas_id("h16"))["Subject"]
    assert "👩‍🔬" in atlas.record("Account", atlas_id("sunny"))["Description"]
    assert unicodedata.bidirectional(atlas.record("User", atlas_id("noor"))["FirstName"][0]) == "AL"
    assert unicodedata.bidirectional(atlas.record("Contact", atlas_id("levi"))["LastName"][0]) == "R"
    assert len(atlas.record("Case", atlas_id("log"))["Description"]) == 40_000
    assert len(atlas.record("Account", atlas_id("longname"))["Name"]) > 250


def test_amounts_are_in_three_currencies(atlas: Snapshot) -> None:
    """P-50"""
    spec = QuerySpec(
        "Opportunity", where=Compare("Amount", "not_null"), groups=(Group("CurrencyIsoCode"),),
        measures=(Measure("sum", "Amount", alias="total"),),
    )  # fmt: skip
    totals = dict(atlas.run(spec, ATLAS_TODAY).rows)
    assert {"EUR", "GBP", "USD"} <= set(totals)
    assert totals["GBP"] == 300
    assert found(atlas, "Opportunity", Compare("Amount", "eq", 343.19)) == {"of1", "of-q"}


def test_first_and_last_moments_of_months(atlas: Snapshot) -> None:
    """P-46"""

    def opened(first: datetime, after: datetime) -> set[str]:
        return found(atlas, "Case", Compare("CreatedDate", "ge", first), Compare("CreatedDate", "lt", after))

    months = [datetime(2023, month, 1, tzinfo=UTC) for month in (9, 10, 11, 12)]
    september, october, november = (opened(*pair) for pair in pairwise(months))
    assert {"r2", "m12"} <= september
    assert {"r9", "m8"} <= october
    assert november == {"m1", "m2", "m3", "m4"}
    assert "m5" not in november


def test_the_29th_of_february_and_what_lies_ahead(atlas: Snapshot) -> None:
    leap = datetime(2024, 2, 29, tzinfo=UTC)
    on_it = And(Compare("CreatedDate", "ge", leap), Compare("CreatedDate", "lt", datetime(2024, 3, 1, tzinfo=UTC)))
    assert found(atlas, "Case", on_it) == {"h5"}
    assert found(atlas, "Contract", Compare("CompanySignedDate", "eq", date(2024, 2, 29))) == {"k-odell"}
    tomorrow = datetime(2024, 4, 1, tzinfo=UTC)
    assert found(atlas, "Case", Compare("CreatedDate", "ge", tomorrow)) == {"h14"}
    assert found(atlas, "Opportunity", Compare("CreatedDate", "ge", tomorrow)) == {"of1"}
    assert found(atlas, "Contract", Compare("CompanySignedDate", "gt", ATLAS_TODAY)) == {"k-ahead"}


def test_records_with_nothing_in_them_and_nothing_around_them(atlas: Snapshot) -> None:
    bare = {field for field, value in atlas.record("Opportunity", atlas_id("o-bare")).items() if value is not None}
    assert bare == {"Id", "Name"}
    for name, key in (("User", "noor"), ("Account", "quiet"), ("Issue__c", "dim")):
        for child, field in atlas.registry.references_to(name):
            assert not found(atlas, child.name, Compare(field.name, "eq", atlas_id(key))), f"{child.name} of {key}"
    without = Not(Related("Contact", "AccountId", "at_least", 1))
    assert "quiet" in found(atlas, "Account", without)


ODD = (
    "mira", "miro", "orphan", "nobody", "levi", "r13", "r14", "h16", "log", "o-astray", "o-empty", "s-astray",
    "s-empty", "ch-astray", "ch-gone", "o-lost", "o-bare", "insight2", "q-lost", "q-bare", "ql-lost",
    "oli-bare", "k-none", "tx2", "tx3", "tx4", "ev3", "ev4", "l-bare", "l-fa-3", "v-lost", "v-ins4", "em-rtl",
    "em-quote", "em-lost", "lc-lost", "kb-odd", "noor", "noorco", "sunny", "longname", "empty", "quiet", "slash",
    "alvaro2", "dim", "thermo", "pcp8", "um7", "tr-no", "pe-thermo",
)  # fmt: skip


def test_every_list_and_the_records_open(atlas_gui: Room) -> None:
    """Odd texts, missing parents, bare records: no page breaks on any of them."""
    assert {name: atlas_gui.total(name) for name in COUNTS} == COUNTS
    usual = [record["Id"] for records in atlas_tables().values() for record in records[:1]]
    opened = {atlas_key(i): atlas_gui.get(f"r/{i}/").status_code for i in {*usual, *map(atlas_id, ODD)}}
    assert {key: status for key, status in opened.items() if status != 200} == {}
