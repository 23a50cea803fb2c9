"""A study with the recommended protocol frozen, an Org with instances made by hand, and an open cohort."""

from __future__ import annotations

import pytest

from tests.people.walk import freeze, make_org


@pytest.fixture
def org(db):
    return make_org()


@pytest.fixture
def frozen(study):
    return freeze(study)


@pytest.fixture
def cohort(study, org, frozen):
    """An open cohort of ten."""
    from study.assignment.flows import open_cohort
    from study.people.sample.cohorts import create_cohort

    row = create_cohort(
        study, code="north", name="Panel North", arm="main", target=10, contact_email="noor@example.test", by=None
    )
    open_cohort(row, by=None)
    return row


@pytest.fixture
def invite(cohort):
    """Invite addresses and get each one's link path."""

    def run(*addresses):
        from study.people.ways.invitations import invite as act
        from study.people.ways.tokens import make_token

        people = act(cohort, "\n".join(addresses), by=None)
        return [f"/i/{make_token(one, one.invitation.created_at)}/" for one in people]

    return run


@pytest.fixture
def hour(study, ben, client):
    """Ben, consented, at his orientation, in an Org whose records can be opened."""
    from tests.fieldwork.hour import Hour, make_cohort, make_small_org

    return Hour.begin(make_cohort(study, make_small_org()), ben, client)
