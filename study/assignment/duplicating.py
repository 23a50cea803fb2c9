"""A study made from another: its protocol as a draft, its cohorts as they are defined, its letters and Orgs.

Never people, links, codes, tokens or seeds: whatever was somebody's, or must be unique, is made anew.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.flows import create_study
from study.accounts.models import Study, User
from study.people.models import Cohort, LetterTemplate, PayChange, PayRule, QuotaCell, ReminderWave
from study.protocols.flows import newest_of, save_draft
from study.sandbox.models import StudyOrg

COHORT = (
    "code", "name", "channel", "arm", "arms", "pilot", "target", "zone", "contact_email", "most_started", "hold_hours",
    "quota_axes", "moderated",
)  # fmt: skip
PANEL = ("kind", "name", "id", "study", "session")
"""Its codes and return addresses belong to one project at the panel."""


@transaction.atomic
def duplicate(study: Study, *, code: str, name: str, by: User) -> Study:
    """The copy, owned by ``by``. Raises ValidationError for a code that is bad or taken."""
    name = name.strip() or _("%(name)s, copied") % {"name": study.name}
    made = create_study(code=code, name=name[:200], owner=by, simulated=study.simulated)
    Study.objects.filter(pk=made.pk).update(copied_from=study.code, pay_four_eyes=study.pay_four_eyes)
    if protocol := newest_of(study):
        save_draft(made, protocol.text, by)
    for cohort in study.cohorts.order_by("created_at", "pk"):
        _copy_cohort(cohort, made, by)
    for row in StudyOrg.objects.filter(study=study):
        StudyOrg.objects.create(study=made, org_id=row.org_id)
    LetterTemplate.objects.bulk_create(
        LetterTemplate(**_fields(row, "kind", "language", "subject", "text"), study=made, changed_by=by)
        for row in study.letter_templates.all()
    )
    audit("study.duplicated", by=by, study=made, target=made.code, copied_from=study.code)
    audit("study.copied", by=by, study=study, target=study.code, to=made.code)
    made.refresh_from_db()
    return made


def _fields(row: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _copy_cohort(cohort: Cohort, study: Study, by: User) -> Cohort:
    panel = {key: value for key, value in (cohort.panel or {}).items() if key in PANEL}
    made = Cohort.objects.create(**_fields(cohort, *COHORT), study=study, panel=panel)
    QuotaCell.objects.bulk_create(
        QuotaCell(**_fields(row, "code", "target"), cohort=made) for row in cohort.cells.all()
    )
    ReminderWave.objects.bulk_create(
        ReminderWave(**_fields(row, "number", "to", "after_days", "at_time", "active"), cohort=made)
        for row in cohort.waves.all()
    )
    for rule in cohort.pay_rules.all():
        said = _fields(rule, "reason", "amount", "currency")
        PayRule.objects.create(**said, cohort=made)
        PayChange.objects.create(**said, cohort=made, by=by)
    return made
