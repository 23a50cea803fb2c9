"""Dangerous acts ask who is there once more: somebody may have left their desk with the browser open.

``dangerous`` only marks a view. The door that the view passes (``study_for``, ``operator``) asks, after it has found
that this person may do the act at all: strangers get what a made-up address gets. What was posted is kept, encrypted,
in the session; after the proof one press does the act.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import quote

from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.login import record_authentication
from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse

from study.accounts.encrypted import opened, sealed
from study.accounts.models import User

View = Callable[..., HttpResponse]
ASKED = "_dangerous"
KEPT = "kept_act"
KEPT_MINUTES = 60
LARGEST = 64 * 1024
PASSWORDLESS = "django.contrib.auth.backends.ModelBackend"


class ProofNeeded(Exception):
    """The act waits until its person has proved themselves."""


def dangerous(view: View) -> View:
    """A view that goes on only when its person has proved themselves a short while ago."""

    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        setattr(request, ASKED, True)
        answer = view(request, *args, **kwargs)
        if getattr(request, ASKED):
            raise RuntimeError(f"{view.__name__} is dangerous and passes no door that asks.")
        return answer

    page.dangerous = True  # type: ignore[attr-defined]
    return page


def ask(request: HttpRequest, user: User) -> None:
    """What doors call. Raises ProofNeeded for a dangerous act without a fresh proof."""
    if getattr(request, ASKED, False):
        if not proven(request, user):
            raise ProofNeeded
        setattr(request, ASKED, False)
        request.session.pop(KEPT, None)


def proven(request: HttpRequest, user: User) -> bool:
    """Whether this person signed in or confirmed in this session a short while ago."""
    if not settings.REALIA_PROOF_MINUTES:
        return True
    since = time.time() - settings.REALIA_PROOF_MINUTES * 60
    return any(one["at"] >= since for one in get_authentication_records(request, user))


def sign_in(request: HttpRequest, user: User, *, by: str) -> None:
    """Sign somebody in who has just proved themselves, and remember how ("operator_link", "mail_link")."""
    login(request, user, backend=PASSWORDLESS)
    record_authentication(request, user, method=by)


def lead(request: HttpRequest, page: str) -> HttpResponse:
    """Lead to the page that asks ("prove", "second_factor") and keep what was posted until the answer."""
    back = request.get_full_path()
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"error": "proof", "url": reverse(page)}, status=401)
    if request.method == "POST":
        keep(request)
        back = reverse("proved")
    url = f"{reverse(page)}?next={quote(back)}"
    if request.headers.get("HX-Request"):
        return HttpResponse(status=204, headers={"HX-Redirect": url})
    return HttpResponseRedirect(url)


def keep(request: HttpRequest) -> None:
    """Remember a posted act, encrypted: it may hold an address. Files and long texts are not kept; the page says so."""
    fields = [(name, value) for name, many in request.POST.lists() for value in many if name != "csrfmiddlewaretoken"]
    whole = not request.FILES and sum(len(value) for _name, value in fields) <= LARGEST
    act = {"path": request.get_full_path(), "fields": fields if whole else [], "whole": whole, "at": int(time.time())}
    act["from"] = _page_of(request)
    user = request.user
    request.session[KEPT] = sealed(json.dumps(act | {"user": user.pk}))


def _page_of(request: HttpRequest) -> str:
    """The path of the page whose form was sent, if it is one of ours."""
    referer = request.headers.get("Referer", "")
    base = request.build_absolute_uri("/")
    # Two slashes at the start would lead to another site.
    return "/" + referer.removeprefix(base).lstrip("/\\") if referer.startswith(base) else ""


def kept(request: HttpRequest, *, take: bool = False) -> dict[str, Any] | None:
    """The act that waits for its person; None when there is none, or it has waited too long."""
    stored = request.session.pop(KEPT, None) if take else request.session.get(KEPT)
    if not stored:
        return None
    act: dict[str, Any] = json.loads(opened(stored))
    if act["user"] != request.user.pk or act["at"] < time.time() - KEPT_MINUTES * 60:
        return None
    return act


def ways(request: HttpRequest) -> list[dict[str, Any]]:
    """How this person can prove themselves, in allauth's pages."""
    return list(get_adapter(request).get_reauthentication_methods(request.user))
