"""Accounts meet people where both must be kept apart."""

from tests.people.conftest import cohort as cohort
from tests.people.conftest import frozen as frozen
from tests.people.conftest import invite as invite
from tests.people.conftest import org as org
