"""Help in the hour (M21): the clocks stop, the cohort's contact is told, a neutral reply comes back.

Replies are chosen from the protocol's own texts, since a free one can lead. Each is logged.
"""

from __future__ import annotations

import logging
import smtplib

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
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
from study.people.language import speaking
from study.people.models import Participant
from study.people.protocol import file_of
from study.protocols.parts import Choice

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


def requests_of(study: Study, code: str = "") -> list[HelpRequest]:
    """A study's requests (of one participant if ``code`` is given): those that wait for a reply, then the newest."""
    rows = HelpRequest.objects.filter(visit__participant__study=study, visit__participant__preview=False)
    if code:
        rows = rows.filter(visit__participant__code=code)
    rows = rows.select_related("visit__participant__cohort", "visit__protocol", "replied_by").order_by("-at", "-pk")
    return sorted(rows, key=lambda row: bool(row.replied_at or row.went_on_at))


def replies_of(visit: Visit) -> tuple[Choice, ...]:
    """The neutral texts of the visit's protocol; empty where it has none."""
    section = file_of(visit.protocol).help
    return section.replies if section else ()


@transaction.atomic
def reply(row: HelpRequest, code: str, *, by: User) -> bool:
    """Answer a request with one of the protocol's texts, once; False when it had a reply. KeyError for no such text."""
    with speaking(row.visit.language):
        text = {choice.code: choice.text for choice in replies_of(row.visit)}[code]
    done = HelpRequest.objects.filter(pk=row.pk, replied_at=None).update(
        reply=text, replied_at=timezone.now(), replied_by=by
    )
    if done:
        participant = row.visit.participant
        audit("help.replied", by=by, study=participant.study, target=participant.code, request=row.pk, reply=code)
    return bool(done)
