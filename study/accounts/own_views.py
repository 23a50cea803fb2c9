"""A person's own account (staff): name, ways to sign in, sessions; and the pages that ask who is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.views import activate_totp, deactivate_totp
from allauth.mfa.webauthn.views import add_webauthn, remove_webauthn
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth import logout
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from study.accounts import notices, reauth, second_factor, staff_sessions
from study.accounts.access import person, staff_member
from study.accounts.audit import audit
from study.accounts.models import User

LONGEST_NAME = 150


@never_cache
@require_GET
def own_account(request: HttpRequest) -> HttpResponse:
    user = staff_member(request)
    context: dict[str, Any] = {"me": user, "here": request.session.session_key}
    # Whoever has a factor shows it before their devices are listed here.
    second_factor.ask(request, user, "")
    staff_sessions.note(request, user)
    context |= {"sessions": staff_sessions.sessions_of(user), "factor": second_factor.has_factor(user)}
    context["must"] = settings.REALIA_REQUIRE_MFA and second_factor.must_have(user)
    context["offered"] = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]
    context["bound"] = SocialAccount.objects.filter(user=user).count()
    return render(request, "accounts/own_account.html", context)


@require_POST
def own_name(request: HttpRequest) -> HttpResponse:
    user = staff_member(request)
    user.name = " ".join(request.POST.get("name", "").split())[:LONGEST_NAME]
    user.save(update_fields=["name"])
    notices.done(request, _("Your name is saved."))
    return redirect("own_account")


@require_POST
def session_end(request: HttpRequest, pk: int) -> HttpResponse:
    user = staff_member(request)
    second_factor.ask(request, user, "")
    key = staff_sessions.end(user, pk)
    if not key:
        raise Http404
    if key == request.session.session_key:
        logout(request)
        return redirect("front")
    notices.done(request, _("That session is ended; its browser is signed out."))
    return redirect("own_account")


def _after(request: HttpRequest) -> str:
    after = request.GET.get("next", "")
    return after if url_has_allowed_host_and_scheme(after, allowed_hosts=None) else reverse("home")


@never_cache
@require_GET
def prove(request: HttpRequest) -> HttpResponse:
    """Leads to the first way to prove oneself; a page of ours says what to do where there is none."""
    person(request)
    ways, after = reauth.ways(request), _after(request)
    if ways:
        return redirect(f"{ways[0]['url']}?next={quote(after)}")
    return render(request, "accounts/prove.html", {"after": after, "demo": settings.REALIA_DEMO})


@never_cache
@require_GET
def proved(request: HttpRequest) -> HttpResponse:
    """What was asked for before the proof waits here for one press; nothing that was posted is dropped unsaid."""
    user = person(request)
    act = reauth.kept(request)
    if act is None:
        return render(request, "accounts/proved.html", {"act": None})
    if not reauth.proven(request, user):
        return redirect(f"{reverse('prove')}?next={quote(reverse('proved'))}")
    return render(request, "accounts/proved.html", {"act": act})


@never_cache
@require_GET
def second_factor_page(request: HttpRequest) -> HttpResponse:
    """Where owners and coordinators are led until they have a second factor; signing out stays in reach."""
    user = staff_member(request)
    context = {"me": user, "after": _after(request), "factor": second_factor.has_factor(user)}
    context["must"] = settings.REALIA_REQUIRE_MFA and second_factor.must_have(user)
    return render(request, "accounts/second_factor.html", context)


View = Callable[..., HttpResponse]


def watched(view: View) -> View:
    """allauth's page for adding or removing a factor, with its row in the audit log.

    Whoever has just set one up has shown it: they are not asked for it again in this session.
    """

    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        before = _factors(request)
        answer = view(request, *args, **kwargs)
        after = _factors(request)
        for kind in {**after, **before}:
            if isinstance(request.user, User) and len(after.get(kind, ())) != len(before.get(kind, ())):
                added = len(after.get(kind, ())) > len(before.get(kind, ()))
                act = "second_factor.added" if added else "second_factor.removed"
                audit(act, by=request.user, target=f"user {request.user.pk}", kind=kind)
                if added:
                    record_authentication(request, request.user, method="mfa", type=kind, reauthenticated=True)
        return answer

    return page


def _factors(request: HttpRequest) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    if request.method == "POST" and isinstance(request.user, User):
        rows = Authenticator.objects.filter(user=request.user, type__in=second_factor.FACTORS)
        for kind, pk in rows.values_list("type", "pk"):
            found.setdefault(kind, []).append(pk)
    return found


totp_on, totp_off = watched(activate_totp), watched(deactivate_totp)
key_add, key_remove = watched(add_webauthn), watched(remove_webauthn)
