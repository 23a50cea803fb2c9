"""The company of each world: exact counts, a believable company, nothing twice among branches."""

from __future__ import annotations

from collections import Counter

import pytest

from study.generator.company import catalogue_rows

OWN = ("User", "UserTerritory2Association", "Account", "Contact")


@pytest.mark.parametrize("world", ["service", "b2b", "b2c"])
@pytest.mark.parametrize("scale", [0.02, 0.1, 1])
def test_counts_are_exact(branch_of, world, scale):
    branch = branch_of(world, scale)
    rows = catalogue_rows(branch.plan, branch.shared, branch.seed, branch.counts) | branch.tables
    assert {name: len(found) for name, found in rows.items()} == {name: branch.counts[name] for name in rows}
    for name, found in rows.items():
        ids = [row["Id"] for row in found]
        assert len(set(ids)) == len(ids), name


def test_every_part_of_the_company_stands(branch_of):
    branch = branch_of("b2b", 1)
    assert min(len(party.contacts) for party in branch.parties) >= 1
    assert len({party.name for party in branch.parties}) == len(branch.parties)
    assert max(Counter(party.industry for party in branch.parties).values()) < 40
    held = Counter(at for member in branch.sellers() for at in member.territories)
    assert set(held) == set(range(10))
    assert len(branch.carers()) >= 20
    addresses = [person.email for party in branch.parties for person in party.contacts]
    assert len(set(addresses)) == len(addresses)
    assert all(address.endswith(".example") for address in addresses)


def test_phones_fit_places(branch_of):
    branch = branch_of("b2c", 0.3)
    areas = {place.city.lower(): place.area for place in branch.plan.material.places}
    for party in branch.parties:
        phone = party.row["Phone"]
        assert phone is None or str(phone).startswith(f"({areas[party.city.lower()]}) 555-01")


def test_branches_share_nothing_of_their_own(branch_of):
    one, other = branch_of("b2b", 0.5), branch_of("b2b", 0.5, number=1)
    for name in OWN:
        assert not {row["Id"] for row in one.tables[name]} & {row["Id"] for row in other.tables[name]}
    for field in ("name", "domain"):
        assert not {getattr(p, field) for p in one.parties} & {getattr(p, field) for p in other.parties}
    assert not {m.email for m in one.members} & {m.email for m in other.members}
    assert one.shared == other.shared


def test_ingredients_can_be_left_out(branch_of):
    clean = branch_of("b2b", 0.5, gaps=False)
    assert all(row["Phone"] and row["Title"] for row in clean.tables["Contact"])
    assert {party.shopping.rate for party in branch_of("b2b", 0.3, causes=False, skew=False).parties} == {1.0}
    assert {m.response for m in branch_of("b2b", 0.3, causes=False).members} == {1.0}


def test_the_same_seed_makes_the_same_company(branch_of):
    assert branch_of("b2c", 0.1).tables == branch_of("b2c", 0.1).tables
    assert branch_of("b2c", 0.1).tables != branch_of("b2c", 0.1, seed=8).tables
