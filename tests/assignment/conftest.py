"""The same study as the tests of people."""

from tests.people.conftest import _fieldwork_pages, cohort, frozen, invite, org

__all__ = ["_fieldwork_pages", "cohort", "frozen", "invite", "org"]
