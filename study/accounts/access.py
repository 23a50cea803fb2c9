"""The doors: each returns the object, or raises 404 or 403. Nobody else looks these up from a URL."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from study.accounts import archiving, reauth, second_factor, staff_sessions
from study.accounts.models import Membership, Role, Study, User

STAFF = (Role.OWNER, Role.RESEARCHER, Role.COORDINATOR, Role.VIEWER)
MANAGE_COHORTS = (Role.OWNER, Role.COORDINATOR)
EDIT_PROTOCOL = (Role.OWNER, Role.RESEARCHER)
SEE_RESULTS = (Role.OWNER, Role.RESEARCHER, Role.VIEWER)
SEE_DATA = (Role.OWNER, Role.RESEARCHER)


class SigninNeeded(Exception):
    """Nobody is signed in; the middleware leads to the sign-in page and back."""


def person(request: HttpRequest) -> User:
    """The signed-in user."""
    user = request.user
    if not isinstance(user, User) or not user.is_active:
        raise SigninNeeded
    return user


def study_for(request: HttpRequest, code: str, *roles: str) -> Study:
    """The study, for a member with one of ``roles`` (default: any role).

    A stranger gets 404, exactly as for a code that does not exist (P-39); a
    member whose role is not enough gets 403. ``request.role`` is set. Whoever may
    come in is asked for a second factor, and for a fresh proof before dangerous acts.
    """
    user = person(request)
    membership = Membership.objects.select_related("study").filter(study__code=code, user=user).first()
    if membership is None:
        raise Http404
    if membership.role not in (roles or STAFF):
        raise PermissionDenied
    let_in(request, user, membership.role)
    archiving.ask(request, membership.study)
    request.role = membership.role  # type: ignore[attr-defined]
    return membership.study


def let_in(request: HttpRequest, user: User, role: str) -> None:
    """What every staff door asks of somebody whose role is enough."""
    second_factor.ask(request, user, role)
    reauth.ask(request, user)
    staff_sessions.note(request, user)


def staff_member(request: HttpRequest) -> User:
    """The signed-in user, if they are staff of any study or operator: for the pages of their own account."""
    user = person(request)
    if not user.is_operator and not user.memberships.exists():
        raise Http404
    return user


def operator(request: HttpRequest) -> User:
    """The signed-in user, if they may create studies and load Orgs."""
    user = person(request)
    if not user.is_operator:
        raise PermissionDenied
    let_in(request, user, second_factor.OPERATOR)
    return user
