"""Nobody is both staff and participant of one study: who knows its records or its people cannot judge it unseen.

Staff walk through as a participant by a preview visit, which is left out everywhere (P-14).
"""

from __future__ import annotations

from django.utils.translation import gettext as _

from study.accounts.encrypted import address_hash
from study.accounts.models import Membership, Study, User
from study.accounts.staffing import conflict
from study.people.models import Contact, Participant


@conflict
def takes_part(study: Study, email: str) -> str:
    """Why an address cannot work on a study: it takes part in it, or is invited to."""
    real = Participant.objects.filter(study=study, preview=False)
    if (
        real.filter(user__email=email.strip().lower()).exists()
        or Contact.objects.filter(participant__in=real, email_hash=address_hash(email)).exists()
    ):
        return _("This address belongs to a participant of this study, and nobody can be both.")
    return ""


def why_not_join(study: Study, user: User | None) -> str:
    """Why somebody who is signed in cannot join a study: they work on it. "" if they can."""
    if user is not None and Membership.objects.filter(study=study, user=user).exists():
        return _("You belong to the study team, and the team does not take part.")
    return ""
