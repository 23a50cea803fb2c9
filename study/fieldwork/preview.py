"""A staff member's walk through the hour. It is marked on every page and counted nowhere (P-14)."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.people import flows as people
from study.people.models import Participant
from study.people.protocol import NoProtocol, file_of, protocol_of
from study.people.ways.joining import keep_language
from study.protocols.translations import languages_of
from study.sandbox.models import Desk, TraceEvent


@transaction.atomic
def start_preview(study: Study, by: User, arm: str = "", language: str = "") -> Participant:
    """A fresh preview from the first question on; the same person's earlier one is deleted with all it left.

    ``arm``: the one to walk through, where the study has several; else the first of the oldest cohort. ``language``:
    one the protocol has; else its base.
    Raises ValidationError with a remedy when the study has no cohort or no frozen protocol.
    """
    cohorts = list(study.cohorts.order_by("created_at", "pk"))
    cohort = next((one for one in cohorts if arm in one.arm_codes), cohorts[0] if cohorts else None)
    if cohort is None:
        raise ValidationError(_("The preview needs a cohort, which names the arm. Make one; it need not be open."))
    try:
        file = file_of(protocol_of(cohort))
    except NoProtocol:
        raise ValidationError(
            _("The preview walks the frozen protocol, and there is none yet. Freeze one first.")
        ) from None
    if arm and arm not in [one.code for one in file.arms]:
        raise ValidationError(_("The frozen protocol has no arm “%(arm)s”.") % {"arm": arm})
    for earlier in Participant.objects.filter(study=study, user=by, preview=True):
        delete_preview(earlier)
    made = people.preview_participant(cohort, by, arm)
    keep_language(made, language if language in languages_of(file) else file.meta.language)
    audit("preview.started", by=by, study=study, target=made.code)
    return made


@transaction.atomic
def delete_preview(participant: Participant) -> None:
    """Delete a preview with its visits, desks and trace. Raises ValueError for anybody who is none."""
    if not participant.preview:
        raise ValueError(f"{participant.code} is not a preview.")
    visits = participant.visits.all()
    desks = Desk.objects.filter(attempt__visit__in=visits) | Desk.objects.filter(visit_desk__visit__in=visits)
    pks = list(desks.values_list("pk", flat=True))
    # Saves, attempts and ratings go with the visit; only then may its desks go.
    visits.delete()
    TraceEvent.objects.filter(desk__in=pks).delete()
    Desk.objects.filter(pk__in=pks).delete()
    participant.delete()
