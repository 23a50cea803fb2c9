"""What a provider reports about letters after it took them: delivered, bounced, called unwanted.

Reports come to ``/mail-reports/``, which exists only with a provider and a secret; a report finds its letter by the
message's id. They come twice, late and out of order, so each may be taken any number of times. An answer of
somebody's absence is no bounce (P-37).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from study.accounts.models import Study
from study.people.mail import unsubscribing
from study.people.mail.letter_failures import Trouble, of_recipient
from study.people.models import Contact, Letter
from study.people.needs_me import Need, source

DEAD = ("invalid", "bounced")
HARD = 550


class Taken:
    """Stands where django-anymail would send a signal: each report is taken here, in the request."""

    def send(self, sender: Any, event: Any, esp_name: str) -> None:
        take(event)


@csrf_exempt
def mail_reports(request: HttpRequest) -> HttpResponseBase:
    """The provider's door: django-anymail checks the secret, and the signature where there is one."""
    reports: Any = type("Reports", (import_string(settings.MAIL_REPORTS),), {"signal": Taken()})
    response: HttpResponseBase = reports.as_view()(request)
    return response


def take(event: Any) -> None:
    """One report. Of a letter that nobody here wrote (a sign-in code) nothing is kept."""
    letter = Letter.objects.select_related("participant__study").filter(message_id=event.message_id or "-").first()
    if letter is None:
        return
    if event.event_type == "delivered":
        Letter.objects.filter(pk=letter.pk).update(detail=letter.detail | {"delivered": str(event.timestamp or "")})
    elif event.event_type in ("bounced", "rejected"):
        _bounced(letter, event)
    elif event.event_type == "complained":
        unsubscribing.complained(letter.participant)
    elif event.event_type == "unsubscribed":
        unsubscribing.unsubscribe(letter.participant)


def _bounced(letter: Letter, event: Any) -> None:
    reason = str(event.reject_reason or "")
    Letter.objects.filter(pk=letter.pk, state="sent").update(
        state="bounced", error=f"reported: {reason}" if reason else ""
    )
    answer = str(event.mta_response or "")
    # Mailboxes that are full, and filters that did not like a letter, belong to addresses that work.
    if reason in DEAD and (not answer or of_recipient(HARD, answer) is Trouble.DEAD):
        unsubscribing.address_is_dead(letter.participant)


@source("bounced")
def bounced(study: Study) -> Iterable[Need]:
    """People whose address refuses: they were not reached, and somebody has to find another way."""
    rows = Contact.objects.filter(participant__study=study, participant__end="", bounced_at__isnull=False)
    for contact in rows.filter(participant__excluded_at=None).select_related("participant"):
        code = contact.participant.code
        yield Need(
            kind="bounced",
            text=_("Letters do not arrive"),
            detail=_("The address refuses for good. Nothing more is sent there."),
            url=reverse("participant", args=[study.code, code]),
            act=_("See the participant"),
            since=contact.bounced_at,
            code=code,
        )
