"""What every request passes: the way to the sign-in page, and no NUL bytes."""

from collections.abc import Callable
from urllib.parse import quote

from allauth.core.exceptions import ReauthenticationRequired
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers

from study.accounts import reauth
from study.accounts.access import SigninNeeded
from study.accounts.archiving import StudyArchived
from study.accounts.second_factor import SecondFactorNeeded

NUL = "\x00"


def without_nul(values: QueryDict) -> QueryDict:
    cleaned = QueryDict(mutable=True)
    for key, many in values.lists():
        cleaned.setlist(key.replace(NUL, ""), [value.replace(NUL, "") for value in many])
    return cleaned


class PrivatePages:
    """Pages of signed-in people are not kept by browsers, so that Back after signing out shows nothing.

    The sandbox is left out: its pages hold no personal data, and Back must be quick there.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if "Cache-Control" not in response.headers and request.user.is_authenticated and not hasattr(request, "desk"):
            add_never_cache_headers(response)
        return response


class NulBytes:
    """Drops NUL characters from what was sent: PostgreSQL refuses them and nobody can see them (P-15)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if NUL in request.path_info:
            raise Http404
        if "%00" in request.META.get("QUERY_STRING", "") or NUL in request.META.get("QUERY_STRING", ""):
            request.GET = without_nul(request.GET)  # type: ignore[assignment]
        if request.method == "POST" and any(NUL in v for _, many in request.POST.lists() for v in many):
            request.POST = without_nul(request.POST)  # type: ignore[assignment]
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, StudyArchived):
            return render(request, "accounts/archived.html", {"code": str(exception)}, status=409)
        if isinstance(exception, reauth.ProofNeeded):
            return reauth.lead(request, "prove")
        if isinstance(exception, SecondFactorNeeded):
            return reauth.lead(request, "second_factor" if exception.missing else "prove")
        if isinstance(exception, ReauthenticationRequired) and request.user.is_authenticated:
            # Not left to allauth, which would write the address of the network into the session.
            return reauth.lead(request, "prove")
        if not isinstance(exception, (SigninNeeded, ReauthenticationRequired)):
            return None
        # Participants may have no address: their page offers the key as well as the code.
        page = "hour" if request.path.startswith("/hour/") else "account_login"
        return HttpResponseRedirect(f"{reverse(page)}?next={quote(request.get_full_path())}")
