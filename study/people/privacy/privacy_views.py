"""The privacy page of a study, erasing somebody, what is held about somebody; the person's own wish to be erased."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts import erasing, erasing_acts, rotating
from study.accounts import retention as rules
from study.accounts.access import MANAGE_COHORTS, person, study_for
from study.accounts.archiving import even_archived
from study.accounts.audit import audit
from study.accounts.erasing import Scope
from study.accounts.models import Erasure, Role, Study
from study.accounts.reauth import dangerous
from study.accounts.subject_access import Access, as_zip, everything
from study.people.access import participant_for, person_of_study
from study.people.frame import hour_frame
from study.people.models import End, Participant
from study.people.privacy import privacy_counts, retention
from study.people.protocol import file_of, protocol_of

ERASURES = 200


def privacy_context(study: Study) -> dict[str, Any]:
    return {
        "study": study,
        "tab": "privacy",
        "held": privacy_counts.held(study),
        "erasures": study.erasures.select_related("requested_by").order_by("-requested_at")[:ERASURES],
        "proposal": retention.proposal(study),
        "acts_on": retention.acts_on(study),
        "held_back": retention.held_back(study) if study.contacts_until else [],
        "failed": retention.failed_job(study),
        "rules": [one for one in rules.rules() if one.name != "contacts"],
        "keys": rotating.state(),
    }


@require_GET
def privacy(request: HttpRequest, code: str) -> HttpResponse:
    return render(request, "people/staff/privacy.html", privacy_context(study_for(request, code, *MANAGE_COHORTS)))


@require_POST
@dangerous
@even_archived
def privacy_limit(request: HttpRequest, code: str) -> HttpResponse:
    """Set or move the day on which contacts are deleted."""
    study = study_for(request, code, *MANAGE_COHORTS)
    typed = request.POST.get("until", "")
    try:
        try:
            day = date.fromisoformat(typed)
        except ValueError:
            raise ValidationError(_("Write the day as 2027-03-31.")) from None
        retention.set_limit(study, day, by=person(request))
    except ValidationError as error:
        context = privacy_context(study) | {"problems": error.messages, "typed": typed}
        return render(request, "people/staff/privacy.html", context, status=422)
    said = _("Contacts are kept until %(day)s. You will be told 14 days before.")
    messages.success(request, said % {"day": f"{day:%-d %B %Y}"})
    return redirect("privacy", study.code)


# Erasing


def scope_of(request: HttpRequest) -> Scope:
    given = request.POST.get("scope") or request.GET.get("scope")
    return "everything" if given == "everything" else "identity"


def erase_page(request: HttpRequest, row: Participant, status: int = 200, **more: Any) -> HttpResponse:
    scope = scope_of(request)
    found = erasing.preview(row.study, row.code, scope)
    context = {
        "study": row.study,
        "tab": "people",
        "one": row,
        "scope": scope,
        "found": [one for one in found if one.n],
        "notes": [one.note for one in found if one.note],
        "total": sum(one.n for one in found),
        "asked": row.study.erasures.filter(subject=row.code).order_by("requested_at"),
    }
    return render(request, "people/staff/erase.html", context | more, status=status)


@never_cache
@require_GET
def participant_erase(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    """What is held where, and what erasing would do. Changes nothing."""
    return erase_page(request, person_of_study(request, code, participant))


@require_POST
@dangerous
@even_archived
def participant_erase_now(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    row = person_of_study(request, code, participant)
    if request.POST.get("again", "").strip().upper() != row.code:
        said = _("Type %(code)s to say that you mean it. Nothing was erased.") % {"code": row.code}
        return erase_page(request, row, 422, problems=[said])
    job = erasing_acts.confirm(row.study, row.code, scope_of(request), by=person(request))
    return redirect("job", job.pk)


# What is held about somebody


@never_cache
@require_GET
def participant_access(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    row = person_of_study(request, code, participant)
    context = {"study": row.study, "tab": "people", "one": row, "answers": _may_tell_answers(request, row)}
    return render(request, "people/staff/access.html", context)


def _may_tell_answers(request: HttpRequest, row: Participant) -> bool:
    """Coordinators never see ratings, and nobody of the team while the study is blind."""
    return getattr(request, "role", "") == Role.OWNER and not row.study.blind


@require_POST
@dangerous
@even_archived
def participant_access_file(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    """The file to hand over. What a person is told only at the end is held back here as well."""
    row = person_of_study(request, code, participant)
    answers = _may_tell_answers(request, row)
    told = everything(row.study, row.code, Access(answers=answers, all_is_told=row.end == End.COMPLETE))
    rows = sum(len(table["rows"]) for table in told)
    audit("subject_access.exported", by=person(request), study=row.study, target=row.code, rows=rows, answers=answers)
    data = {
        "participant": row.code,
        "study": file_of(protocol_of(row.cohort)).meta.public_title,
        "at": timezone.now().isoformat(timespec="seconds"),
        "note": "" if answers else _("Answers and ratings stand on the person's own page, “Your data”, in the hour."),
        "tables": told,
    }
    headers = {"Content-Disposition": f'attachment; filename="{row.code}.zip"'}
    return HttpResponse(as_zip(data), content_type="application/zip", headers=headers)


@never_cache
@require_http_methods(["GET", "POST"])
def hour_erase(request: HttpRequest, code: str) -> HttpResponse:
    """The person's own wish: one page that says what follows, one button. The team carries it out."""
    participant = participant_for(request, code)
    if request.method == "POST":
        erasing_acts.ask(participant.study, participant.code)
        return redirect("hour_erase", code)
    asked = Erasure.objects.filter(study=participant.study, subject=participant.code).first()
    return render(request, "people/hour_erase.html", hour_frame(participant) | {"asked": asked})
