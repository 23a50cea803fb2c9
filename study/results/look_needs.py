"""What a planned look means to a coordinator: an arm has enough, and a cohort still takes people for it (M13)."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import gettext as _

from study.accounts.models import Study
from study.people.models import CohortState
from study.people.needs_me import Need, source
from study.results.models import PlannedLook


@source("enough")
def enough_cases(study: Study) -> Iterator[Need]:
    """One case for each open cohort of which every arm has enough; the word alone, as the monitor has it."""
    since = dict(PlannedLook.objects.filter(study=study, enough=True).order_by("-at").values_list("arm", "at"))
    if not since:
        return
    for cohort in study.cohorts.filter(state=CohortState.OPEN):
        if all(arm in since for arm in cohort.arm_codes):
            yield Need(
                "enough",
                _("There is enough for “%(name)s”") % {"name": cohort.name},
                _("Joining may be closed. Whoever has begun finishes, is paid and counts."),
                reverse("cohort", args=[study.code, cohort.code]),
                _("Close joining"),
                since=max(since[arm] for arm in cohort.arm_codes),
            )
