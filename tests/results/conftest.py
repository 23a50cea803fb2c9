"""A study on the small Org, and Ben, who has gone through the whole hour."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test import Client, override_settings

from study.accounts.adapter import user_with_address
from study.accounts.flows import create_study, unblind
from study.accounts.models import Study, User
from study.people.models import Cohort, Participant
from study.sandbox.models import Org
from tests.fieldwork.hour import Hour, make_cohort, make_small_org

# What ``_surroundings`` sets for a test, for what is built before the first one.
SURROUNDINGS = {
    "EMAIL_BACKEND": "django.core.mail.backends.locmem.EmailBackend",
    "CACHES": {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
    "READER_ALIAS": "default",
}
BACKEND = "django.contrib.auth.backends.ModelBackend"


def _study() -> Study:
    ada = user_with_address("ada@example.test", name="Ada Lindqvist")
    return create_study(code="spring", name="Spring realism study", owner=ada)


@pytest.fixture(scope="module")
def an_hour(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[None]:
    """Ben's whole hour, gone through once for all tests of a module, each of which works in a savepoint of it."""
    with django_db_blocker.unblock(), override_settings(**SURROUNDINGS), transaction.atomic():
        outer = connection.atomic_blocks[-1]
        outer._from_testcase = True
        # Each test ends by closing its connections; this one is closed with the last of them.
        connection.close = lambda: None
        ben = user_with_address("ben@example.test", name="Ben Okafor")
        hour = Hour.begin(make_cohort(_study(), make_small_org()), ben, Client())
        hour.orient()
        hour.work()
        hour.rate_all()
        hour.lock()
        hour.close()
        hour.finish()
        yield
        transaction.set_rollback(True)
        del connection.close


def _kept(request: pytest.FixtureRequest) -> bool:
    return "an_hour" in request.fixturenames


@pytest.fixture
def _clear(request: pytest.FixtureRequest, db: None) -> None:
    """For a test beside others that share the hour: as if nobody had been here."""
    if not _kept(request) and User.objects.exists():
        with connection.cursor() as cursor:
            for model in apps.get_models():
                if not model.__module__.startswith("django."):
                    cursor.execute(f'DELETE FROM "{model._meta.db_table}"')


@pytest.fixture
def study(request: pytest.FixtureRequest, _clear: None) -> Study:
    return Study.objects.get(code="spring") if _kept(request) else _study()


@pytest.fixture
def ben(request: pytest.FixtureRequest, _clear: None) -> User:
    if _kept(request):
        return User.objects.get(email="ben@example.test")
    return user_with_address("ben@example.test", name="Ben Okafor")


@pytest.fixture
def org(request: pytest.FixtureRequest, _clear: None) -> Org:
    return Org.objects.get(name="demo-service") if _kept(request) else make_small_org()


@pytest.fixture
def cohort(request: pytest.FixtureRequest, study: Study, org: Org) -> Cohort:
    return study.cohorts.get(code="north") if _kept(request) else make_cohort(study, org)


@pytest.fixture
def finished(an_hour: None, study: Study, ben: User, client: Client) -> Hour:
    """Ben, finished, with a rating of 4 for the Org and 2 for every object."""
    client.force_login(ben, backend=BACKEND)
    return Hour(Participant.objects.get(user=ben).code, client)


@pytest.fixture
def opened(finished, study, ada):
    """The finished study with its ratings open."""
    unblind(study, by=ada, reason="Everybody has finished.")
    return study


@pytest.fixture
def desk_of_ada(ada):
    """Ada's browser."""
    browser = Client()
    browser.force_login(ada, backend=BACKEND)
    return browser
