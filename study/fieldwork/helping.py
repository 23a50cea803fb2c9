"""Help in the hour (M21): the clocks stop, the cohort's contact is told, a neutral reply comes back.

Replies are chosen from the protocol's own texts, since a free one can lead. Each is logged.
"""

from __future__ import annotations

import logging
import smtplib
from dataclasses import dataclass

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.assignment.models import Visit
from study.fieldwork import pausing
from study.fieldwork.answers import BadValue, typed
from study.fieldwork.models import HelpKind, HelpRequest
from study.people.frame import cohort_frame
from study.people.language import direction, speaking
from study.people.models import Participant
from study.people.protocol import file_of

log = logging.getLogger(__name__)


@transaction.atomic
def ask(visit: Visit, *, kind: str, words: str, page: str) -> tuple[HelpRequest, bool]:
    """Store one request and stop the clocks; the request, and whether it is new.

    The same words again while it is open are the same request (P-08). Raises
    BadValue for a kind there is none of, or words that cannot be kept.
    """
    if kind not in HelpKind.values:
        raise BadValue(_("Choose what kind of help you need."))
    kept = typed(words).strip()
    Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
    pausing.stop(visit, pausing.HELP)
    row, made = HelpRequest.objects.get_or_create(
        visit=visit, kind=kind, words=kept, went_on_at=None, defaults={"page": pausing.page_from(page)}
    )
    return row, made


def tell(row: HelpRequest) -> bool:
    """Write to the cohort's contact at once; False when the mail could not be sent.

    Code, kind, page and what the participant wrote; no address or name of theirs.
    """
    participant = row.visit.participant
    # Asked in the participant's language, told in the team's.
    with speaking(""):
        subject, lines = _letter(row, participant)
    try:
        EmailMessage(subject, "\n\n".join(lines), None, [cohort_frame(participant.cohort)["ask"]]).send()
    except (smtplib.SMTPException, OSError) as error:
        log.warning("help request %s: the contact was not told: %s", row.pk, type(error).__name__)
        return False
    return True


def _letter(row: HelpRequest, participant: Participant) -> tuple[str, list[str]]:
    lines = [
        _("%(code)s asks for help: %(kind)s.") % {"code": participant.code, "kind": row.get_kind_display()},
        _("Page: %(page)s") % {"page": row.page or "–"},
        *([_("In their words:"), row.words] if row.words else []),
        _("The clocks of this visit stand until they go on. Requests and replies:"),
        settings.REALIA_URL + reverse("help_requests", args=[participant.study.code]),
    ]
    return _("Help asked for: %(code)s") % {"code": participant.code}, lines


def of_study(study: Study, code: str = "") -> QuerySet[HelpRequest]:
    """A study's requests, or one participant's; previews ask nobody."""
    rows = HelpRequest.objects.filter(visit__participant__study=study, visit__participant__preview=False)
    if code:
        rows = rows.filter(visit__participant__code=code)
    return rows.select_related("visit__participant__cohort", "visit__protocol", "replied_by")


def waiting_of(study: Study, code: str = "") -> QuerySet[HelpRequest]:
    """Those that nobody has answered, of people who still wait; the longest waiting first."""
    waits = {"replied_at": None, "went_on_at": None, "visit__participant__end": ""}
    return of_study(study, code).filter(**waits).order_by("at", "pk")


def settled_of(study: Study, code: str = "") -> QuerySet[HelpRequest]:
    """Answered, or gone on without an answer; the newest first."""
    waiting = waiting_of(study, code).order_by().values("pk")
    return of_study(study, code).exclude(pk__in=waiting).order_by("-at", "-pk")


@dataclass(frozen=True)
class Offered:
    """One neutral text: as the person would read it, and in the protocol's own language where that is another."""

    code: str
    text: str
    language: str
    direction: str
    base: str = ""


def replies_of(visit: Visit) -> tuple[Offered, ...]:
    """The neutral texts of the visit's protocol in the person's language; empty where it has none."""
    base = file_of(visit.protocol, "")
    if base.help is None:
        return ()
    language = visit.language or base.meta.language
    own = file_of(visit.protocol, language).help
    same = language == base.meta.language
    read = own.replies if own else base.help.replies
    return tuple(
        Offered(choice.code, choice.text, language, direction(language), "" if same else first.text)
        for choice, first in zip(read, base.help.replies, strict=True)
    )


@transaction.atomic
def reply(row: HelpRequest, code: str, *, by: User) -> bool:
    """Answer a request with one of the protocol's texts, once; False when it had a reply. KeyError for no such text."""
    text = {choice.code: choice.text for choice in replies_of(row.visit)}[code]
    done = HelpRequest.objects.filter(pk=row.pk, replied_at=None).update(
        reply=text, replied_at=timezone.now(), replied_by=by
    )
    if done:
        participant = row.visit.participant
        audit("help.replied", by=by, study=participant.study, target=participant.code, request=row.pk, reply=code)
    return bool(done)
