"""What of a cohort itself waits for a coordinator: it did not open at its moment, or holds more than was wanted."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from study.accounts.models import Study
from study.people.models import Cohort, CohortState
from study.people.needs_me import Need, source
from study.people.sample.cohorts import not_opened
from study.people.sample.places import holders
from study.people.sample.quotas import grid


@source("cohorts")
def cohort_cases(study: Study) -> Iterator[Need]:
    for cohort in study.cohorts.exclude(state=CohortState.CLOSED):
        if reasons := not_opened(cohort):
            text = _("“%(name)s” did not open at its moment") % {"name": cohort.name}
            url = reverse("cohort", args=[study.code, cohort.code])
            yield Need("not_opened", text, " ".join(reasons), url, _("Look at it"), since=cohort.opens_at)
        if over := too_many(cohort):
            text = ngettext("%(n)d person over quota", "%(n)d people over quota", over) % {"n": over}
            url = reverse("cohort", args=[study.code, cohort.code])
            yield Need("over_quota", text, cohort.name, url, _("Decide"))


def too_many(cohort: Cohort) -> int:
    """How many more there are than the target, or than the cells' targets, whichever is more: a target was lowered."""
    found = grid(cohort)
    cells = [cell for _label, row in found.rows for cell in row] if found else []
    by_cell = sum(cell.taken - cell.target for cell in cells if cell.target is not None and cell.is_over)
    return max(by_cell, holders(cohort).count() - cohort.target, 0)
