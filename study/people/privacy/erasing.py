"""What identifies a participant, table by table, and how it goes. The row stays as a tombstone (P-43).

``study/accounts/erasing.py`` has the registry; ``erasing_lists.py`` has imports and what panels sent.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts import erasing_account
from study.accounts.encrypted import address_hash, readable
from study.accounts.erasing import Eraser, identified_by, keeps, register
from study.accounts.models import Study, User
from study.people import flows
from study.people.models import (
    Contact,
    End,
    Invitation,
    Letter,
    Participant,
    Payment,
    PaymentEvent,
    StageEvent,
    Suppression,
)

ERASED = "erased"
OUR_WORDS = re.compile(
    r"declined the invitation|took the no back|left the study|invitation taken back|invited again|moved from [\w-]+"
    r"|the cohort was [a-z ]+|answers taken out on request|rule [\w.-]+|after the screener"
    r"|visit \d+( was not begun in time)?|the (hour|next visit) was not [a-z ]+|(left out|taken in again): \w+"
    rf"|{flows.TWICE}|{ERASED}( before joining)?|"
)
"""Reasons that the program writes; every other one was typed by somebody about somebody, or names another code."""
OUR_NOTES = re.compile(r"\d+|\d{4}-\d\d-\d\d|approve")
PAY_OPEN = ("due", "approved", "sent", "failed")


def subject(study: Study, code: str) -> QuerySet[Participant]:
    return Participant.objects.filter(study=study, code=code)


def user_of(study: Study, code: str) -> User | None:
    row = subject(study, code).select_related("user").first()
    return row.user if row else None


def is_shared(user: User, code: str) -> bool:
    """Whether this account is needed elsewhere: its person takes part in another study, or works for one."""
    elsewhere = Participant.objects.filter(user=user, erased_at=None).exclude(code=code)
    return user.is_operator or user.memberships.exists() or elsewhere.exists()


@identified_by
def names(study: Study, code: str) -> Iterator[str]:
    """Address, name, telephone and panel id. Of an account that is needed elsewhere the address too."""
    contact = Contact.objects.filter(participant__study=study, participant__code=code).first()
    if contact is not None:
        # Of what cannot be read, for want of a key, nothing is known to look for.
        yield from filter(readable, (contact.email, contact.name, contact.phone, contact.panel_id))
    user = user_of(study, code)
    if user is not None and not is_shared(user, code):
        yield from (user.email or "", user.name)


# The participation ends first: places go back, nothing is sent or asked any more.


def _going(study: Study, code: str) -> int:
    return subject(study, code).active().count()  # type: ignore[attr-defined, no-any-return]


def _end(study: Study, code: str) -> int:
    row = subject(study, code).filter(end="").first()
    if row is None:
        return 0
    joined = row.joined_at is not None
    return int(
        flows.end(row, End.WITHDRAWN if joined else End.LAPSED, ERASED if joined else f"{ERASED} before joining")
    )


# Letters: those that wait are dropped; of those that went, kind and moment stay.


def _letters(study: Study, code: str) -> QuerySet[Letter]:
    says = ~Q(error="") | ~Q(message_id="") | ~Q(detail={})
    rows = Letter.objects.filter(participant__in=subject(study, code))
    return rows.filter(Q(state__in=["due", "sending"]) | says)


def _erase_letters(study: Study, code: str) -> int:
    rows = list(_letters(study, code).values_list("pk", flat=True))
    Letter.objects.filter(pk__in=rows, state__in=["due", "sending"]).update(state="dropped")
    return Letter.objects.filter(pk__in=rows).update(error="", message_id="", detail={})


# Typed reasons and notes, keys, the invitation.


def _reasons(study: Study, code: str) -> tuple[list[int], list[int]]:
    """Participants and stage events with such a reason."""
    people = subject(study, code)
    events = StageEvent.objects.filter(participant__in=people).exclude(reason="")
    typed = [pk for pk, said in people.values_list("pk", "end_reason") if not OUR_WORDS.fullmatch(said)]
    return typed, [pk for pk, said in events.values_list("pk", "reason") if not OUR_WORDS.fullmatch(said)]


def _erase_reasons(study: Study, code: str) -> int:
    people, events = _reasons(study, code)
    n = Participant.objects.filter(pk__in=people).update(end_reason="")
    return n + StageEvent.objects.filter(pk__in=events).update(reason="")


def _keys(study: Study, code: str) -> QuerySet[Participant]:
    return subject(study, code).exclude(resume_key_hash="", completion_code="", zone="")


def _invitations(study: Study, code: str) -> QuerySet[Invitation]:
    rows = Invitation.objects.filter(participant__in=subject(study, code))
    return rows.exclude(email_hash__startswith=ERASED)


def _erase_invitations(study: Study, code: str) -> int:
    """The link opens nothing, the address is no longer known by its hash; when it was sent and used stays."""
    rows = _invitations(study, code)
    rows.filter(used_at=None, revoked_at=None, declined_at=None).update(revoked_at=timezone.now())
    return rows.update(email_hash=f"{ERASED} {code}", token_hash=f"{ERASED} {secrets.token_hex(24)}")


def _pay_notes(study: Study, code: str) -> tuple[list[int], list[int]]:
    """Payments and events of payments with words of somebody; the number of a batch and a day are none."""
    payments = Payment.objects.filter(participant__in=subject(study, code))
    noted = list(payments.exclude(note="", reference="").values_list("pk", flat=True))
    events = PaymentEvent.objects.filter(payment__in=payments).exclude(note="").values_list("pk", "note")
    return noted, [pk for pk, said in events if not OUR_NOTES.fullmatch(said)]


def _erase_pay_notes(study: Study, code: str) -> int:
    """What was paid for what reason, and when, stays: books must add up. Finance keeps the reference."""
    payments, events = _pay_notes(study, code)
    n = Payment.objects.filter(pk__in=payments).update(note="", reference="")
    return n + PaymentEvent.objects.filter(pk__in=events).update(note="")


def _pay_open(study: Study, code: str) -> str:
    n = Payment.objects.filter(participant__in=subject(study, code), state__in=PAY_OPEN).count()
    return _("A payment is still open. Settle it first: afterwards nobody knows whom to pay.") if n else ""


# Who it was: last, and the suppression with it, so that no letter ever goes there again.


def _contacts(study: Study, code: str) -> QuerySet[Contact]:
    return Contact.objects.filter(participant__in=subject(study, code))


def _erase_contact(study: Study, code: str) -> int:
    user = user_of(study, code)
    n = 0
    for contact in _contacts(study, code):
        hashes = {contact.email_hash, contact.panel_hash, address_hash((user.email if user else "") or "")} - {""}
        for one in hashes:
            Suppression.objects.update_or_create(study=study, email_hash=one, defaults={"reason": ERASED})
        contact.delete()
        n += 1
    return n


def _account_held(study: Study, code: str) -> int:
    user = user_of(study, code)
    return 0 if user is None else 1 + (0 if is_shared(user, code) else erasing_account.held(user))


def _erase_account(study: Study, code: str) -> int:
    """Empty the account, or only take it off this participation where its person needs it elsewhere."""
    user, n = user_of(study, code), _account_held(study, code)
    if user is None:
        return 0
    if user.email:
        Suppression.objects.update_or_create(
            study=study, email_hash=address_hash(user.email), defaults={"reason": ERASED}
        )
    if not is_shared(user, code):
        erasing_account.forget(user)
    subject(study, code).update(user=None)
    return n


def _account_note(study: Study, code: str) -> str:
    user = user_of(study, code)
    if user is None or not is_shared(user, code):
        return ""
    return _("The account itself stays: its person takes part in, or works for, another study here.")


def _alive(study: Study, code: str) -> int:
    return subject(study, code).filter(erased_at=None).count()


def _bury(study: Study, code: str) -> int:
    return subject(study, code).filter(erased_at=None).update(erased_at=timezone.now())


PERSON = "people.Participant."
for eraser in (
    Eraser("participation", "A participation that still goes on: it ends", "identity", _going, _end, 10),
    Eraser("letters", "Letters that wait, and providers' words about those that went", "identity",
           lambda s, c: _letters(s, c).count(), _erase_letters, 20,
           ("people.Letter.error", "people.Letter.message_id", "people.Letter.detail")),
    Eraser("reasons", "Reasons that staff typed", "identity",
           lambda s, c: sum(map(len, _reasons(s, c))), _erase_reasons, 40,
           (PERSON + "end_reason", "people.StageEvent.reason")),
    Eraser("pay notes", "Notes and references of payments", "identity",
           lambda s, c: sum(map(len, _pay_notes(s, c))), _erase_pay_notes, 40,
           ("people.Payment.note", "people.Payment.reference", "people.PaymentEvent.note"), _pay_open),
    Eraser("keys", "Resume key, completion code and zone", "identity", lambda s, c: _keys(s, c).count(),
           lambda s, c: _keys(s, c).update(resume_key_hash="", completion_code="", zone=""), 60,
           (PERSON + "resume_key_hash", PERSON + "completion_code", PERSON + "zone")),
    Eraser("invitation", "The invitation's link and the hash of its address", "identity",
           lambda s, c: _invitations(s, c).count(), _erase_invitations, 75, ("people.Invitation.*",)),
    Eraser("account", "The account: address, name, ways to sign in, sessions", "identity", _account_held,
           _erase_account, 85, erasing_account.COLUMNS, _account_note),
    Eraser("contact", "Address, name, telephone, panel id and notes", "identity",
           lambda s, c: _contacts(s, c).count(), _erase_contact, 84, ("people.Contact.*",)),
    Eraser("tombstone", "The participant's row says that they were erased", "identity", _alive, _bury, 95),
):  # fmt: skip
    register(eraser)

keeps("the pseudonym, and how far it came", PERSON + "code", PERSON + "stage", PERSON + "end", PERSON + "channel",
      PERSON + "arm", PERSON + "language", PERSON + "moved_from", PERSON + "exclusion", PERSON + "cell",
      PERSON + "data_choice", "people.StageEvent.stage", "people.StageEvent.end")  # fmt: skip
keeps("that somebody consented to which text, and when, is proof and stays under the code", "people.Consent.*",
      "people.ConsentChoice.*")  # fmt: skip
keeps("a keyed hash, so that nobody who was erased is written to again", "people.Suppression.*")
keeps("kinds, states, codes and money by rule", "people.Letter.kind", "people.Letter.state", "people.Payment.reason",
      "people.Payment.currency", "people.Payment.state", "people.PaymentEvent.what", "people.PayBatch.*",
      "people.PayRule.*", "people.PayChange.*", "people.QuotaCell.*", "people.ReminderWave.*", "people.Slot.*",
      "people.SlotBooking.*",
      "people.Screening.rule_version")  # fmt: skip
keeps("the study's own texts, by staff, to everybody", "people.Cohort.*", "people.LetterTemplate.*",
      "protocols.Protocol.*")  # fmt: skip
