"""What the tables of people, letters and pay tell somebody about themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.account.models import EmailAddress
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from study.accounts.models import AuditRow, Erasure, Study, User
from study.accounts.subject_access import Told, Words, tells
from study.people import models as people
from study.people.privacy.erasing import subject

COORDINATORS, PAY = _("coordinators of the study"), _("coordinators; the panel or finance, what they need to pay")
TEAM = _("the study team, under a code")
WITH_CONTACT = _("until contacts are deleted, on a day the study sets and announces")
WITH_DATA = _("with the study's data, under a code")
INVITE, PROOF, RUN = _("to invite and to write to you"), _("proof of what was agreed"), _("to run the study")


def mine(model: type[Any], path: str = "participant") -> Callable[[Study, str], QuerySet[Any]]:
    def rows(study: Study, code: str) -> QuerySet[Any]:
        found: QuerySet[Any] = model.objects.filter(**{f"{path}__in": subject(study, code)}).order_by("pk")
        return found

    return rows


def _account(study: Study, code: str) -> QuerySet[User]:
    return User.objects.filter(participations__in=subject(study, code))


def _addresses(study: Study, code: str) -> QuerySet[EmailAddress]:
    found: QuerySet[EmailAddress] = EmailAddress.objects.filter(user__in=_account(study, code))
    return found


def _by_panel_id(study: Study, code: str) -> QuerySet[people.PanelRow]:
    hashes = people.Contact.objects.filter(participant__in=subject(study, code)).exclude(panel_hash="")
    rows = people.PanelRow.objects.filter(cohort__study=study)
    return rows.filter(panel_hash__in=hashes.values("panel_hash")).order_by("pk")


def _audit(study: Study, code: str) -> QuerySet[AuditRow]:
    return AuditRow.objects.filter(study=study, target=code).order_by("pk")


def _table(label: str, title: Words, purpose: Words, recipients: Words, kept: Words, rows: Any, **more: Any) -> None:
    tells(Told(label, title, purpose, recipients, kept, rows, **more))


_table("accounts.User", _("Your account"), _("to sign in"), COORDINATORS, WITH_CONTACT, _account,
       hide=("is_operator",))  # fmt: skip
_table("account.EmailAddress", _("Addresses you sign in with"), _("to sign in"), COORDINATORS, WITH_CONTACT,
       _addresses)  # fmt: skip
_table("people.Contact", _("Contact"), INVITE, COORDINATORS, WITH_CONTACT, mine(people.Contact))
_table("people.Participant", _("Your part in the study"), RUN, TEAM, WITH_DATA, subject,
       later=("arm", "exclusion", "analysed", "cell"))  # fmt: skip
_table("people.StageEvent", _("How far you came, and when"), RUN, TEAM, WITH_DATA, mine(people.StageEvent))
_table("people.Invitation", _("Invitation"), INVITE, COORDINATORS, WITH_CONTACT, mine(people.Invitation))
_table("people.Letter", _("Letters to you"), INVITE, COORDINATORS, WITH_CONTACT, mine(people.Letter),
       hide=("message_id",))  # fmt: skip
_table("people.Screening", _("First questions"), _("to see who can take part"), TEAM, WITH_DATA,
       mine(people.Screening), answers=True, later=("eligible", "rule_version"))  # fmt: skip
_table("people.Consent", _("What you agreed to"), PROOF, TEAM, WITH_DATA, mine(people.Consent))
_table("people.ConsentChoice", _("Optional lines given or taken back"), PROOF, TEAM, WITH_DATA,
       mine(people.ConsentChoice))  # fmt: skip
_table("people.PanelArrival", _("What your panel sent along"), _("to know you again and to pay"), PAY, WITH_CONTACT,
       mine(people.PanelArrival))  # fmt: skip
_table("people.PanelRow", _("Your line in the panel's own list"), _("to pay"), PAY, WITH_CONTACT, _by_panel_id)
_table("people.Payment", _("Payments"), _("to pay"), PAY, _("as long as the law on accounts asks for"),
       mine(people.Payment))  # fmt: skip
_table("people.PaymentEvent", _("What happened to payments"), _("to pay"), PAY,
       _("as long as the law on accounts asks for"), mine(people.PaymentEvent, "payment__participant"))  # fmt: skip
_table("people.SlotBooking", _("Bookings of a time"), RUN, COORDINATORS, WITH_DATA, mine(people.SlotBooking))
_table("accounts.AuditRow", _("What the team did with your record"), _("so that the team can answer for it"),
       _("owners of the study"), WITH_DATA, _audit, hide=("actor_label", "study_code", "detail"))  # fmt: skip
_table("accounts.Erasure", _("Erasures asked for"), PROOF, COORDINATORS, WITH_DATA,
       lambda study, code: Erasure.objects.filter(study=study, subject=code), hide=("report",))  # fmt: skip
