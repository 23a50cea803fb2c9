"""From the name or hash in a protocol's arm to the Org it means, for a study that may see it."""

from __future__ import annotations

from study.accounts.models import Study
from study.sandbox.models import Org, StudyOrg

NAMED = "name:"


def resolve(reference: str, study: Study) -> Org | None:
    """``name:demo-service`` or the beginning of a hash (12 digits or more); None when no such Org is loaded.

    An Org that belongs to other studies only is as absent as one that was never loaded (A15).
    """
    if reference.startswith(NAMED):
        org = Org.objects.filter(name=reference.removeprefix(NAMED)).first()
    else:
        found = list(Org.objects.filter(hash__startswith=reference)[:2])
        org = found[0] if len(found) == 1 else None
    if org is None:
        return None
    owners = set(StudyOrg.objects.filter(org=org).values_list("study_id", flat=True))
    return org if not owners or study.pk in owners else None
