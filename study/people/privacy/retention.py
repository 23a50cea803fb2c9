"""The day on which a study's contacts are deleted: proposed, set, announced 14 days before, carried out once (P-43).

Nothing acts that was not announced, nothing while somebody is still to be paid or still takes part. What happens then
is an erasure of the identity for each person; what they answered stays as they agreed.
"""

from __future__ import annotations

import logging
import re
import smtplib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Max, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from study.accounts.access import MANAGE_COHORTS
from study.accounts.audit import audit
from study.accounts.erasing_acts import ASKED, FAILED, carry_out
from study.accounts.jobs import Running, enqueue, job_kind
from study.accounts.models import Erasure, Job, Study, User
from study.accounts.retention import rule
from study.people.models import Import, PanelArrival, PanelRow, Participant, Payment
from study.people.needs_me import Need, source
from study.people.privacy.erasing import PAY_OPEN
from study.people.protocol import file_of, newest_frozen

log = logging.getLogger(__name__)
KIND = "erase contacts"
NOTICE = timedelta(days=14)
USUAL = timedelta(days=90)
AGAIN = timedelta(hours=6)
LISTS = timedelta(days=7)
DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


@dataclass(frozen=True)
class Proposal:
    """A day to keep contacts until, and why that one."""

    day: date
    why: str


def proposal(study: Study) -> Proposal:
    """From what the protocol's papers promise, counted from the last visit; where they say nothing, 90 days."""
    frozen = newest_frozen(study.pk)
    papers = getattr(file_of(frozen), "papers", None) if frozen else None
    lines = [line for line in getattr(papers, "retention", ()) if "contact" in line.what.lower()]
    found = re.search(r"(\d+)\s+(day|week|month|year)", lines[0].how_long) if lines else None
    last = Participant.objects.filter(study=study).aggregate(at=Max("ended_at"))["at"]
    start = max((last or timezone.now()).date(), timezone.now().date())
    if found:
        wait = timedelta(days=int(found[1]) * DAYS[found[2]])
        return Proposal(start + wait, _("The protocol's papers say: %(words)s.") % {"words": lines[0].how_long})
    return Proposal(start + USUAL, _("The protocol's papers name no limit; this is 90 days from now."))


@transaction.atomic
def set_limit(study: Study, day: date, *, by: User) -> None:
    """Set or move the day. What was announced for another day is announced again. ValidationError for a past one."""
    if day < timezone.now().date():
        raise ValidationError(_("%(day)s is over. Choose a day that is still to come.") % {"day": day.isoformat()})
    before = study.contacts_until
    Study.objects.filter(pk=study.pk).update(contacts_until=day, contacts_announced_at=None, contacts_deleted_at=None)
    audit("contacts.limit_set", by=by, study=study, target=study.code, until=day.isoformat(), before=str(before or ""))
    study.refresh_from_db()


def acts_on(study: Study) -> date | None:
    """The day it really happens: the one that was set, never less than 14 days after it was announced."""
    if study.contacts_until is None:
        return None
    announced = study.contacts_announced_at
    return max(study.contacts_until, (announced + NOTICE).date()) if announced else study.contacts_until


def held_back(study: Study) -> list[str]:
    """Why contacts stay although their day has come; empty when nothing speaks against it."""
    found = []
    if n := Payment.objects.filter(participant__study=study, state__in=PAY_OPEN).count():
        found.append(ngettext("%(n)d payment is open", "%(n)d payments are open", n) % {"n": n})
    inside = Participant.objects.filter(study=study, end="", preview=False, joined_at__isnull=False).count()
    if inside:
        found.append(ngettext("%(n)d person takes part", "%(n)d people take part", inside) % {"n": inside})
    return found


# The tick


def _waiting() -> QuerySet[Study]:
    return Study.objects.filter(contacts_until__isnull=False, contacts_deleted_at=None)


@rule("contacts", gettext_lazy("Contacts of a study's people"),
      gettext_lazy("the day the study sets, announced 14 days before"))  # fmt: skip
def contacts(now: datetime) -> int:
    """Announce what is near, begin what was announced and is due."""
    for study in _waiting().filter(contacts_announced_at=None, contacts_until__lte=(now + NOTICE).date()):
        announce(study, now)
    begun = 0
    for study in _waiting().filter(contacts_announced_at__lte=now - NOTICE, contacts_until__lte=now.date()):
        tried = study.jobs.filter(kind=KIND, finished_at__gt=now - AGAIN)
        if not held_back(study) and not tried.exists():
            enqueue(KIND, study=study, once_key=f"contacts:{study.pk}")
            begun += 1
    return begun


def announce(study: Study, now: datetime) -> bool:
    """Once: a letter to owners and coordinators; banner and "needs you" follow from the row. Retried if it fails."""
    claimed = Study.objects.filter(pk=study.pk, contacts_announced_at=None).update(contacts_announced_at=now)
    if not claimed:
        return False
    study.contacts_announced_at = now
    staff = study.memberships.filter(role__in=MANAGE_COHORTS).exclude(user__email=None)
    to = [str(address) for address in staff.values_list("user__email", flat=True)]
    try:
        EmailMessage(_("Contacts of %(name)s will be deleted") % {"name": study.name}, _words(study), None, to).send()
    except (smtplib.SMTPException, OSError) as error:
        log.warning("the limit of study %s was not announced: %s", study.pk, type(error).__name__)
        Study.objects.filter(pk=study.pk).update(contacts_announced_at=None)
        return False
    audit("contacts.announced", by=None, study=study, target=study.code, on=str(acts_on(study)))
    return True


def _words(study: Study) -> str:
    on = acts_on(study)
    lines = [
        _("On %(day)s the contacts of everybody in the study “%(name)s” will be deleted: addresses, names, panel ids, "
          "notes. Answers and ratings stay under their codes.") % {"day": f"{on:%-d %B %Y}", "name": study.name},
        _("Nothing happens while a payment is open or somebody still takes part. Until then the day can be moved:"),
        settings.REALIA_URL + reverse("privacy", args=[study.code]),
    ]  # fmt: skip
    return "\n\n".join(lines)


@job_kind(KIND)
def erase_contacts(running: Running) -> dict[str, int]:
    """Erase the identity of everybody, one after the other; cut short, it goes on with those who are left."""
    study = running.job.study
    if study is None or held_back(study):
        return {}
    left = list(Participant.objects.filter(study=study, erased_at=None, preview=False).values_list("code", flat=True))
    for n, code in enumerate(left):
        row, _made = Erasure.objects.get_or_create(
            study=study, subject=code, scope="identity", defaults={"requested_by": None}
        )
        carry_out(row)
        running.progress(n + 1, len(left))
    _empty_lists(study)
    Study.objects.filter(pk=study.pk, contacts_deleted_at=None).update(contacts_deleted_at=timezone.now())
    audit("contacts.deleted", by=None, study=study, target=study.code, people=len(left))
    return {"people": len(left)}


def _empty_lists(study: Study) -> None:
    """What came in lists and through panels of people who never joined."""
    Import.objects.filter(cohort__study=study).update(rows=None, content="")
    PanelArrival.objects.filter(cohort__study=study).update(parameters=None, panel_hash="")
    PanelRow.objects.filter(cohort__study=study).delete()


@rule("imports", gettext_lazy("Lines of uploaded lists"), gettext_lazy("7 days after the upload; counts stay"))
def lists(now: datetime) -> int:
    over = Import.objects.filter(at__lt=now - LISTS).exclude(rows=None, content="")
    return over.update(rows=None, content="")


@source("retention")
def announced(study: Study) -> Iterable[Need]:
    if study.contacts_announced_at is None or study.contacts_deleted_at is not None:
        return
    held = held_back(study)
    detail = _("held back: %(why)s") % {"why": ", ".join(held)} if held else _("Answers and ratings stay.")
    yield Need(
        kind="retention",
        text=_("Contacts will be deleted on %(day)s") % {"day": f"{acts_on(study):%-d %B %Y}"},
        detail=detail,
        url=reverse("privacy", args=[study.code]),
        act=_("See what is held"),
        since=study.contacts_announced_at,
    )


@source("erasure")
def asked(study: Study) -> Iterable[Need]:
    """Erasures that a person asked for, and those that did not come to their end."""
    for row in Erasure.objects.filter(study=study, state__in=[ASKED, FAILED]):
        failed = row.state == FAILED
        yield Need(
            kind="erasure",
            text=_("An erasure did not finish") if failed else _("Asks to be erased"),
            detail=_("run it again") if failed else _("within a month, by law in many places"),
            url=reverse("participant_erase", args=[study.code, row.subject]),
            act=_("Look and decide"),
            since=row.requested_at,
            code=row.subject,
        )


def failed_job(study: Study) -> Job | None:
    """The last try, if it failed: the page says so."""
    last = study.jobs.filter(kind=KIND).order_by("-pk").first()
    return last if last is not None and last.state == "failed" else None
