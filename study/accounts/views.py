"""The front page, signing in by a printed link, the list of studies, and jobs."""

from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts import flows
from study.accounts.access import STAFF, operator, person, study_for
from study.accounts.models import Job, Membership, Role
from study.accounts.reauth import PASSWORDLESS as PASSWORDLESS
from study.accounts.reauth import dangerous, sign_in


@require_GET
def front(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/front.html")


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Where a signed-in person belongs: staff to their studies, participants to their hour."""
    user = person(request)
    if user.is_operator or user.memberships.exists():
        return redirect("studies")
    return redirect("hour")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def signin_link(request: HttpRequest, token: str) -> HttpResponse:
    """GET and HEAD change nothing (P-01); only the button uses the link."""
    if request.method != "POST":
        link = flows.usable_link(token)
        return render(request, "accounts/link.html", {"link": link}, status=200 if link else 404)
    user = flows.use_link(token)
    if user is None:
        return render(request, "accounts/link.html", {"link": None}, status=404)
    sign_in(request, user, by="operator_link")
    return redirect("home")


@require_GET
def studies(request: HttpRequest) -> HttpResponse:
    user = person(request)
    memberships = Membership.objects.filter(user=user).select_related("study").order_by("study__name")
    if not memberships and not user.is_operator:
        raise Http404
    context = {
        "memberships": [one for one in memberships if not one.study.archived_at],
        "archived": [one for one in memberships if one.study.archived_at],
    }
    return render(request, "accounts/studies.html", context)


@require_http_methods(["GET", "POST"])
def study_create(request: HttpRequest) -> HttpResponse:
    user = operator(request)
    context: dict[str, object] = {"code": request.POST.get("code", ""), "name": request.POST.get("name", "")}
    if request.method == "POST":
        try:
            study = flows.create_study(code=str(context["code"]), name=str(context["name"]), owner=user)
        except ValidationError as error:
            context["problems"] = error.messages
        else:
            return redirect("wizard", study.code)
    return render(request, "accounts/study_create.html", context, status=422 if "problems" in context else 200)


@require_POST
@dangerous
def study_unblind(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, Role.OWNER)
    try:
        flows.unblind(study, by=person(request), reason=request.POST.get("reason", ""))
    except ValidationError as error:
        context = {"study": study, "problems": error.messages, "reason": request.POST.get("reason", "")}
        return render(request, "accounts/unblind.html", context, status=422)
    return redirect("monitor", study.code)


@require_GET
def study_unblind_form(request: HttpRequest, code: str) -> HttpResponse:
    return render(request, "accounts/unblind.html", {"study": study_for(request, code, Role.OWNER)})


def job_for(request: HttpRequest, pk: int) -> Job:
    """A job is seen by the study's staff, or by whoever started it."""
    user = person(request)
    job = Job.objects.select_related("study").filter(pk=pk).first()
    if job is None:
        raise Http404
    if job.study:
        study_for(request, job.study.code, *STAFF)
    elif job.created_by_id != user.pk:
        raise Http404
    return job


@require_GET
def job(request: HttpRequest, pk: int) -> HttpResponse:
    row = job_for(request, pk)
    template = "accounts/_job.html" if request.headers.get("HX-Request") else "accounts/job.html"
    # A trace says what was at hand: an address, a line of an answer. Only owners may see both.
    shows = not row.error.startswith("Traceback") or getattr(request, "role", Role.OWNER) == Role.OWNER
    return render(request, template, {"job": row, "study": row.study, "shows_error": shows})


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Never a bare 403: say what happened and how to go on without losing what was typed (P-06)."""
    if "application/json" in request.headers.get("Accept", ""):
        return HttpResponse('{"error": "csrf"}', status=403, content_type="application/json")
    return render(request, "403_csrf.html", status=403)


def forbidden(request: HttpRequest, exception: PermissionDenied | None = None) -> HttpResponse:
    return render(request, "403.html", status=403)
