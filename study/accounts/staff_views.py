"""The staff of a study: who is in it, inviting, changing a role, taking out; and the page that accepts."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts import notices, staffing
from study.accounts.access import person, study_for
from study.accounts.models import Role, StaffInvitation, Study, User
from study.accounts.reauth import dangerous, sign_in
from study.accounts.staff_letters import send_invitation


def _page(request: HttpRequest, study: Study, status: int = 200, **more: object) -> HttpResponse:
    rank = {role: n for n, role in enumerate(Role.values)}
    members = sorted(study.memberships.select_related("user"), key=lambda one: (rank[one.role], one.user.email or ""))
    context = {"study": study, "tab": "staff", "members": members, "pending": staffing.pending(study)}
    context |= {"roles": Role.choices, "now": timezone.now(), "role": Role.RESEARCHER, "days": staffing.DAYS}
    return render(request, "accounts/staff.html", context | more, status=status)


@require_GET
def staff(request: HttpRequest, code: str) -> HttpResponse:
    return _page(request, study_for(request, code, Role.OWNER))


@require_POST
@dangerous
def staff_invite(request: HttpRequest, code: str) -> HttpResponse:
    study, by = study_for(request, code, Role.OWNER), person(request)
    email, role = request.POST.get("email", ""), request.POST.get("role", "")
    try:
        row, token = staffing.invite(study, email, role, by=by)
    except ValidationError as error:
        return _page(request, study, 422, problems=error.messages, email=email, role=role)
    if not send_invitation(row, token):
        staffing.revoke(study, row.pk, by=by)
        problem = _("The mail server did not take the letter, so the invitation is withdrawn. Try again later.")
        return _page(request, study, 503, problems=[problem], email=email, role=role)
    notices.done(request, _("The letter to %(address)s is on its way.") % {"address": row.email})
    return redirect("staff", study.code)


@require_POST
def staff_revoke(request: HttpRequest, code: str, pk: int) -> HttpResponse:
    study = study_for(request, code, Role.OWNER)
    if staffing.revoke(study, pk, by=person(request)):
        notices.done(request, _("The invitation is withdrawn. Its link opens nothing any more."))
    elif not StaffInvitation.objects.filter(study=study, pk=pk).exists():
        raise Http404
    return redirect("staff", study.code)


@require_POST
@dangerous
def staff_role(request: HttpRequest, code: str, pk: int) -> HttpResponse:
    study, by = study_for(request, code, Role.OWNER), person(request)
    if staffing.member(study, pk) is None:
        raise Http404
    try:
        if staffing.change_role(study, pk, request.POST.get("role", ""), by=by):
            notices.done(request, _("The role is changed; it holds from the next page they open."))
    except ValidationError as error:
        return _page(request, study, 409, problems=error.messages)
    return redirect("staff" if staffing.is_owner(study, by) else "studies", *_code_if_owner(study, by))


def _code_if_owner(study: Study, user: User) -> list[str]:
    return [study.code] if staffing.is_owner(study, user) else []


@require_POST
@dangerous
def staff_remove(request: HttpRequest, code: str, pk: int) -> HttpResponse:
    study, by = study_for(request, code, Role.OWNER), person(request)
    if staffing.member(study, pk) is None:
        raise Http404
    try:
        if staffing.remove(study, pk, by=by):
            notices.done(request, _("They work on this study no more. What they did stays in the audit log."))
    except ValidationError as error:
        return _page(request, study, 409, problems=error.messages)
    return redirect("staff" if staffing.is_owner(study, by) else "home", *_code_if_owner(study, by))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def staff_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """GET and HEAD change nothing (P-01); only the press accepts, and only for the invited address (P-41)."""
    row = staffing.invitation_of(token)
    if row is None:
        raise Http404
    signed_in = request.user if isinstance(request.user, User) else None
    context: dict[str, object] = {"invitation": row, "over": staffing.why_over(row)}
    context["other"] = signed_in is not None and signed_in.email != row.email
    if context["over"] or context["other"] or request.method != "POST":
        status = 410 if context["over"] else 403 if context["other"] and request.method == "POST" else 200
        return render(request, "accounts/staff_invitation.html", context, status=status)
    try:
        user = staffing.accept(row)
    except ValidationError as error:
        return render(request, "accounts/staff_invitation.html", context | {"over": error.messages[0]}, status=409)
    if signed_in is None:
        sign_in(request, user, by="mail_link")
    return redirect("study", row.study.code) if user.has_usable_password() else redirect("second_factor")
