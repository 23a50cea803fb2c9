"""The coordinator's pages of a list: bring it in, look at it row by row, say who is left out, send."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.access import person
from study.accounts.audit import audit, viewed
from study.accounts.reauth import dangerous
from study.people.access import cohort_for, person_of_study
from study.people.models import Cohort, CohortState, Import
from study.people.ways import importing, invitations
from study.people.ways.spreadsheets import MOST_BYTES

PER_PAGE = 500
BAD_SHOWN = 200


def import_for(request: HttpRequest, code: str, cohort: str, pk: int) -> Import:
    """A list of this cohort, for an owner or coordinator of its study."""
    row = Import.objects.filter(cohort=cohort_for(request, code, cohort), pk=pk).select_related("job").first()
    if row is None:
        raise Http404
    return row


def frame(cohort: Cohort, **more: Any) -> dict[str, Any]:
    return {"study": cohort.study, "tab": "cohorts", "cohort": cohort} | more


@require_http_methods(["GET", "POST"])
def cohort_invite(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    """Paste or upload. Nothing is sent from here; the next page shows what would go out."""
    row = cohort_for(request, code, cohort)
    text, file = request.POST.get("addresses", ""), request.FILES.get("file")
    if request.method != "POST":
        waiting = Import.objects.filter(cohort=row, state="read").order_by("-pk")
        return render(request, "people/invite.html", frame(row, waiting=waiting))
    try:
        brought = bring(row, text, file, request)
    except ValidationError as error:
        return render(request, "people/invite.html", frame(row, text=text, problems=error.messages), status=422)
    if brought.state == "reading" and brought.job_id:
        return redirect("job", brought.job_id)
    return redirect("cohort_import", row.study.code, row.code, brought.pk)


def bring(cohort: Cohort, text: str, file: UploadedFile[Any] | None, request: HttpRequest) -> Import:
    """The list that a form holds. Raises ValidationError with a remedy."""
    if file is not None and file.size and not text.strip():
        if file.size > MOST_BYTES:
            raise ValidationError(_("This file is larger than 5 MB. Keep the list alone in it, or send it in parts."))
        return importing.begin(cohort, file_name=file.name or "list", content=file.read(), by=person(request))
    if file is not None and text.strip():
        raise ValidationError(_("Paste addresses or choose a file, not both. Nothing was read."))
    if not text.strip():
        raise ValidationError(_("Paste addresses or choose a file with at least one row."))
    return importing.begin_pasted(cohort, text, by=person(request))


@never_cache
@require_GET
def cohort_import(request: HttpRequest, code: str, cohort: str, pk: int) -> HttpResponse:
    """What would go out, what would not and why, and who may be somebody known."""
    row = import_for(request, code, cohort, pk)
    rows = row.rows or [] if row.state == "read" else []
    bad = [one for one in rows if one["problem"]]
    doubts = [one for one in rows if one["doubt"] and not one["problem"]]
    good = [one for one in rows if not one["problem"] and not one["doubt"]]
    page = Paginator(good, PER_PAGE).get_page(request.GET.get("page"))
    if rows:
        viewed("list of people", by=person(request), study=row.cohort.study, n=len(rows))
    context = frame(row.cohort, list=row, bad=bad[:BAD_SHOWN], doubts=doubts, page=page, rows=len(rows))
    return render(request, "people/import.html", context)


@require_POST
def cohort_import_send(request: HttpRequest, code: str, cohort: str, pk: int) -> HttpResponse:
    row = import_for(request, code, cohort, pk)
    leave = {int(number) for number in request.POST.getlist("leave") if number.isdecimal() and len(number) < 9}
    try:
        n = importing.confirm(row, leave, by=person(request))
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return redirect("cohort_import", row.cohort.study.code, row.cohort.code, row.pk)
    row.refresh_from_db()
    if row.rows is not None and row.job_id:
        return redirect("job", row.job_id)
    if n:
        said = ngettext("%d person is invited.", "%d people are invited.", n) % n
        if row.cohort.state != CohortState.OPEN:
            said += " " + _("The letters wait until the cohort is open.")
        messages.success(request, said)
    return redirect("cohort", row.cohort.study.code, row.cohort.code)


@require_POST
def cohort_import_drop(request: HttpRequest, code: str, cohort: str, pk: int) -> HttpResponse:
    row = import_for(request, code, cohort, pk)
    if importing.drop(row, by=person(request)):
        messages.success(request, _("The list is forgotten. Nobody was invited from it."))
    return redirect("cohort_invite", row.cohort.study.code, row.cohort.code)


@never_cache
@require_GET
@dangerous
def cohort_import_bad(request: HttpRequest, code: str, cohort: str, pk: int) -> HttpResponse:
    """The refused rows as CSV, to be put right and uploaded again."""
    row = import_for(request, code, cohort, pk)
    if row.state != "read":
        raise Http404
    audit("list.bad_rows", by=person(request), study=row.cohort.study, target=f"cohort {row.cohort.code}", n=row.bad)
    response = HttpResponse(importing.bad_rows(row), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{row.cohort.code}-to-correct.csv"'
    return response


@require_POST
def participant_resend(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    """The same link once more to the same mailbox."""
    row = person_of_study(request, code, participant)
    if letter := invitations.resend(row, by=person(request)):
        sent, waits = _("The letter was sent a moment ago."), _("A letter with the same link is on its way.")
        messages.success(request, sent if letter.sent_at else waits)
    else:
        messages.error(request, _("No letter was sent: the link is over or used, or this address is not written to."))
    return redirect("participant", row.study.code, row.code)
