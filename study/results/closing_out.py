"""Closing a study out: what has to be done before, line by line, each told by what is there (M21)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from study.accounts import archiving
from study.accounts.audit import audit
from study.accounts.models import AuditRow, Study, User
from study.fieldwork import helping
from study.people.models import CohortState, PaymentState
from study.people.pay.pay_flows import payments_of
from study.people.ways.reconciling import compared
from study.results.models import Export, ExportKind

LOOKED = "deviations.looked"
SHORTEST = 5


@dataclass(frozen=True)
class Line:
    """One line of the list. ``url`` leads to where it is dealt with; empty for none."""

    key: str
    done: bool
    title: str
    text: str
    url: str = ""


def lines(study: Study) -> list[Line]:
    return [
        _cohorts(study),
        _hour(study),
        _pay(study),
        _panels(study),
        _help(study),
        _incidents(study),
        _withdrawals(study),
        _contacts(study),
        _blind(study),
        _deviations(study),
        _export(study),
    ]


def _page(study: Study, name: str) -> str:
    return reverse(name, args=[study.code])


def _names(names: Iterable[str]) -> str:
    return ", ".join(names)


def _cohorts(study: Study) -> Line:
    going = [row.name for row in study.cohorts.exclude(state=CohortState.CLOSED)]
    text = _("Not closed: %(names)s.") % {"names": _names(going)} if going else ""
    return Line("cohorts", not going, _("All cohorts are closed"), text, _page(study, "cohorts"))


def _hour(study: Study) -> Line:
    inside = study.participants.people().filter(end="", joined_at__isnull=False)
    codes = list(inside.order_by("pk").values_list("code", flat=True))
    more = _names(codes[:5]) + (_(" and more") if len(codes) > 5 else "")
    text = ngettext("%(n)d person: %(codes)s.", "%(n)d people: %(codes)s.", len(codes)) % {
        "n": len(codes),
        "codes": more,
    }
    return Line("hour", not codes, _("Nobody is in the hour"), text if codes else "", _page(study, "cohorts"))


def _pay(study: Study) -> Line:
    left = payments_of(study).exclude(state__in=(PaymentState.PAID, PaymentState.CANCELLED)).count()
    text = ngettext("%d payment is not settled.", "%d payments are not settled.", left) % left if left else ""
    return Line("pay", not left, _("Everybody is paid, or it is settled otherwise"), text, _page(study, "payments"))


def _panels(study: Study) -> Line:
    """Agreed or settled in words; a panel whose list was never brought here has not been looked at."""
    title = _("Panels and platform agree")
    for cohort in study.cohorts.exclude(panel={}):
        url = reverse("panel_reconcile", args=[study.code, cohort.code])
        if not cohort.panel_files.exists() and cohort.participants.people().exists():
            said = _("The panel's list for %(cohort)s was not brought here.") % {"cohort": cohort.name}
            return Line("panels", False, title, said, url)
        if n := sum(1 for one in compared(cohort) if one.kind != "agree" and not one.settled):
            said = _("%(cohort)s: %(n)d left to settle.") % {"cohort": cohort.name, "n": n}
            return Line("panels", False, title, said, url)
    return Line("panels", True, title, "")


def _help(study: Study) -> Line:
    n = helping.waiting_of(study).count()
    text = ngettext("%d request waits.", "%d requests wait.", n) % n if n else ""
    return Line("help", not n, _("Everybody who asked for help has an answer"), text, _page(study, "help_requests"))


def _incidents(study: Study) -> Line:
    going = [row.code for row in study.incidents.filter(over_at=None)]
    text = _("Still going on: %(codes)s.") % {"codes": _names(going)} if going else ""
    return Line("incidents", not going, _("Incidents are over"), text, _page(study, "incidents"))


def _withdrawals(study: Study) -> Line:
    """Taking answers out happens with the choice itself; what can lie is an erasure."""
    left = study.erasures.exclude(state="done").count()
    text = ngettext("%d erasure is not done.", "%d erasures are not done.", left) % left if left else ""
    return Line("withdrawals", not left, _("Withdrawals and erasures are done"), text, _page(study, "privacy"))


def _contacts(study: Study) -> Line:
    title = _("The day is set on which contacts are deleted")
    if study.contacts_deleted_at:
        return Line(
            "contacts", True, title, _("Deleted on %(day)s.") % {"day": date_format(study.contacts_deleted_at, "j M Y")}
        )
    if study.contacts_until:
        return Line("contacts", True, title, date_format(study.contacts_until, "j M Y"))
    return Line("contacts", False, title, _("No day is set."), _page(study, "privacy"))


def _blind(study: Study) -> Line:
    title = _("The ratings are open, and it is known by whom")
    if study.unblinded_at is None:
        return Line("blind", False, title, _("They are blind."), _page(study, "unblind"))
    said = {
        "who": study.unblinded_by or "",
        "when": date_format(study.unblinded_at, "j M Y, H:i"),
        "why": study.unblind_reason,
    }
    return Line("blind", True, title, _("%(who)s, %(when)s UTC: %(why)s") % said)


def _deviations(study: Study) -> Line:
    """Looked through since the newest was written down; the log itself says by whom."""
    title, n = _("Deviations from the protocol are looked through"), study.deviations.count()
    newest = study.deviations.aggregate(newest=Max("at"))["newest"]
    seen = AuditRow.objects.filter(study=study, act=LOOKED).order_by("-at").select_related("actor").first()
    if seen and (newest is None or seen.at >= newest):
        said = {"who": str(seen.actor or ""), "when": date_format(seen.at, "j M Y"), "n": n}
        return Line("deviations", True, title, _("%(n)d in the log. %(who)s, %(when)s.") % said)
    text = ngettext("%d is in the log.", "%d are in the log.", n) % n if n else _("The log is empty. Is that so?")
    return Line("deviations", False, title, text, _page(study, "deviations"))


def _export(study: Study) -> Line:
    title = _("The data are exported")
    last = study.participants.aggregate(last=Max("ended_at"))["last"]
    made = Export.objects.filter(study=study, kind=ExportKind.BUNDLE).order_by("-created_at").first()
    if made and (last is None or made.created_at >= last):
        return Line("export", True, title, _("%(when)s UTC") % {"when": date_format(made.created_at, "j M Y, H:i")})
    text = _("The newest is older than the last end.") if made else _("No export was made.")
    return Line("export", False, title, text, _page(study, "export"))


def look_through(study: Study, *, by: User) -> None:
    """Somebody has read the deviations log as it stands."""
    if not _deviations(study).done:
        audit(LOOKED, by=by, study=study, target=study.code, deviations=study.deviations.count())


def close(study: Study, reasons: Mapping[str, str], *, by: User) -> bool:
    """Close a study: everything is done, or each open line has a reason. Raises ValidationError naming lines."""
    left = [line for line in lines(study) if not line.done]
    given = {line.key: reasons.get(line.key, "").strip()[:400] for line in left}
    lacking = {
        line.key: [_("Say in a few words why this stays open.")] for line in left if len(given[line.key]) < SHORTEST
    }
    if lacking:
        raise ValidationError(lacking)
    return archiving.close(study, by=by, left_open=given)


def archive(study: Study, *, by: User) -> bool:
    """Raises ValidationError while the study is not closed, a cohort is open or somebody is in the hour."""
    if study.closed_at is None:
        raise ValidationError(_("Close the study first."))
    for line in (_cohorts(study), _hour(study)):
        if not line.done:
            raise ValidationError(f"{line.title}? {line.text} " + _("An archived study lets nobody go on."))
    return archiving.archive(study, by=by)


def closing_told(study: Study) -> AuditRow | None:
    """Who closed it, when, and what was left open and why."""
    if study.closed_at is None:
        return None
    rows = AuditRow.objects.filter(study=study, act="study.closed", at__lte=timezone.now())
    return rows.order_by("-at", "-pk").select_related("actor").first()
