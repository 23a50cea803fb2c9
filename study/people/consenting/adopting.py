"""A cohort takes on a further frozen version of its protocol: what changes, and for whom (P-44, P-26)."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.people.consenting.consent import BOUND
from study.people.models import Cohort, Participant
from study.people.protocol import file_of, protocol_of
from study.protocols.consent_versions import material_since
from study.protocols.deviations import changed_sections
from study.protocols.models import Protocol, ProtocolState


@dataclass(frozen=True)
class Adoption:
    """What taking on a version would mean. ``asked``: people on the way who would have to agree again."""

    protocol: Protocol
    now: Protocol
    changed: tuple[str, ...]
    consent_before: str
    consent_after: str
    material: bool
    on_the_way: int
    not_yet: int

    @property
    def consent_changes(self) -> bool:
        return self.consent_before != self.consent_after


def count_taking_part(study: Study) -> int:
    """How many people of the study, pilots apart, have agreed to take part: a further version is a deviation then."""
    return Participant.objects.counted().filter(study=study, consents__isnull=False).distinct().count()


def newer_than(cohort: Cohort) -> list[Protocol]:
    """Frozen versions after the cohort's own, newest first; none before it has opened."""
    if cohort.protocol_number is None:
        return []
    rows = Protocol.objects.filter(study_id=cohort.study_id, state=ProtocolState.FROZEN)
    return list(rows.filter(number__gt=cohort.protocol_number).order_by("-number"))


def look(cohort: Cohort, protocol: Protocol) -> Adoption:
    """What would change, before anybody decides."""
    now = protocol_of(cohort)
    before, after = file_of(now, ""), file_of(protocol, "")
    people = cohort.participants.people().active()
    return Adoption(
        protocol=protocol,
        now=now,
        changed=changed_sections(before, after),
        consent_before=before.consent.version,
        consent_after=after.consent.version,
        material=material_since(cohort.study_id, now.number, protocol.number),
        on_the_way=people.filter(stage__in=BOUND).count(),
        not_yet=people.exclude(stage__in=BOUND).count(),
    )


def why_not(cohort: Cohort, protocol: Protocol) -> str:
    """Why the cohort can't take this version on; empty when it can."""
    known = {arm.code for arm in file_of(protocol, "").arms}
    if missing := [arm for arm in cohort.arm_codes if arm not in known]:
        return _("Protocol %(number)d has no arm “%(arm)s”, which this cohort feeds.") % {
            "number": protocol.number, "arm": missing[0]}  # fmt: skip
    return ""


@transaction.atomic
def adopt(cohort: Cohort, number: int, *, by: User | None) -> bool:
    """From now on the cohort's people get this version; visits that have begun keep theirs. False the second time.

    Raises ValidationError for a version that is not frozen, not newer, or without the cohort's arms.
    """
    row = Cohort.objects.select_for_update(no_key=True).get(pk=cohort.pk)
    if row.protocol_number == number:
        return False
    protocol = next((one for one in newer_than(row) if one.number == number), None)
    if protocol is None:
        raise ValidationError(_("There is no frozen version %(number)d after the cohort's own.") % {"number": number})
    if reason := why_not(row, protocol):
        raise ValidationError(reason)
    before = row.protocol_number
    Cohort.objects.filter(pk=row.pk).update(protocol_number=number)
    cohort.protocol_number = number
    target = f"cohort {row.code}"
    audit(
        "protocol.adopted", by=by, study=row.study, target=target, before=before, after=number, sha256=protocol.sha256
    )
    return True
