"""A study on the small Org, and Ben, who has gone through the whole hour."""

from __future__ import annotations

import pytest

from study.accounts.flows import unblind
from tests.fieldwork.hour import Hour, make_cohort, make_small_org


@pytest.fixture
def org(db):
    return make_small_org()


@pytest.fixture
def cohort(study, org):
    return make_cohort(study, org)


@pytest.fixture
def finished(cohort, ben, client) -> Hour:
    """Ben, finished, with a rating of 4 for the Org and 2 for every object."""
    hour = Hour.begin(cohort, ben, client)
    hour.orient()
    hour.work()
    hour.rate_all()
    hour.lock()
    hour.close()
    hour.finish()
    return hour


@pytest.fixture
def opened(finished, study, ada):
    """The finished study with its ratings open."""
    unblind(study, by=ada, reason="Everybody has finished.")
    return study


@pytest.fixture
def desk_of_ada(ada):
    """Ada's browser."""
    from django.test import Client

    browser = Client()
    browser.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    return browser
