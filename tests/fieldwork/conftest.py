"""A frozen study on the small Org with instances made by hand, and a participant who has just consented."""

from __future__ import annotations

import pytest

from tests.fieldwork.hour import Hour, make_cohort, make_small_org


@pytest.fixture
def org(db):
    return make_small_org()


@pytest.fixture
def cohort(study, org):
    return make_cohort(study, org)


@pytest.fixture
def hour(cohort, ben, client) -> Hour:
    """Ben, consented, at his orientation."""
    return Hour.begin(cohort, ben, client)
