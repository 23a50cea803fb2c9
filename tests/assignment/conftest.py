"""The same study as the tests of people."""

from tests.people.conftest import cohort, frozen, invite, org

__all__ = ["cohort", "frozen", "invite", "org"]
