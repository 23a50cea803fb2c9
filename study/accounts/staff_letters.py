"""The letter with a staff invitation: sent in the request, since whoever invites waits to see that it went out."""

from __future__ import annotations

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse

from study.accounts.models import StaffInvitation

log = logging.getLogger(__name__)


def send_invitation(row: StaffInvitation, token: str) -> bool:
    """Whether the mail server took the letter. The link always has the public address of the installation (P-57)."""
    link = settings.REALIA_URL + reverse("staff_invitation", args=[token])
    words = {"invitation": row, "link": link, "inviter": row.invited_by}
    subject = " ".join(render_to_string("accounts/email/staff_invitation_subject.txt", words).split())
    text = render_to_string("accounts/email/staff_invitation.txt", words)
    try:
        send_mail(subject, text, settings.DEFAULT_FROM_EMAIL, [row.email])
    except (OSError, SMTPException):
        log.exception("staff invitation %s was not sent", row.pk)
        return False
    return True
