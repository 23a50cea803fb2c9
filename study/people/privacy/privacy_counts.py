"""How much a study holds of what identifies people: the counts of its privacy page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from study.accounts.models import Study
from study.people import models as people
from study.people.privacy.erasing import PAY_OPEN


@dataclass(frozen=True)
class Kind:
    what: str
    n: int
    who: str
    """Who may see it."""


def held(study: Study) -> list[Kind]:
    return list(_kinds(study))


def _kinds(study: Study) -> Iterator[Kind]:
    everybody = people.Participant.objects.filter(study=study).people()
    coordinators, nobody = _("owners, coordinators"), _("nobody")
    contacts = people.Contact.objects.filter(participant__study=study)
    yield Kind(_("People with a contact: address, name, panel id, notes"), contacts.count(), coordinators)
    accounts = everybody.exclude(user=None).exclude(user__email=None)
    yield Kind(_("Accounts with an address to sign in with"), accounts.count(), coordinators)
    lists = people.Import.objects.filter(cohort__study=study).exclude(rows=None)
    yield Kind(_("Uploaded lists that still hold their lines"), lists.count(), coordinators)
    arrivals = people.PanelArrival.objects.filter(cohort__study=study).exclude(parameters=None)
    yield Kind(_("Arrivals with what a panel sent along"), arrivals.count(), coordinators)
    rows = people.PanelRow.objects.filter(cohort__study=study)
    yield Kind(_("Lines of panels' own lists"), rows.count(), coordinators)
    letters = people.Letter.objects.filter(participant__study=study, state="due")
    yield Kind(_("Letters that wait"), letters.count(), coordinators)
    payments = people.Payment.objects.filter(participant__study=study, state__in=PAY_OPEN)
    yield Kind(_("Payments that are open"), payments.count(), coordinators)
    yield Kind(_("Addresses never to be written to, as keyed hashes"), study.suppressions.count(), nobody)
    gone = everybody.exclude(erased_at=None)
    yield Kind(_("People who are erased; only the row with their code is left"), gone.count(), nobody)
