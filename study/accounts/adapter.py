"""How sign-in behaves: nobody signs up by themselves, and addresses are lower case."""

from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django.conf import settings
from django.http import HttpRequest

from study.accounts import reauth, second_factor
from study.accounts.models import User


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def clean_email(self, email: str) -> str:
        return str(super().clean_email(email)).strip().lower()

    def get_reset_password_from_key_url(self, key: str) -> str:
        return public(super().get_reset_password_from_key_url(key))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return public(super().get_email_confirmation_url(request, emailconfirmation))

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """A sign-in of a short while ago is proof enough, unless somebody with a second factor has not shown it."""
        user = self.request.user
        if app == "allauth.mfa" and second_factor.has_factor(user) and not second_factor.shown(self.request, user):
            return True
        return not reauth.proven(self.request, user)

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        """A mailbox does not stand in for a second factor that this session has not seen."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if not user.is_authenticated or not second_factor.has_factor(user):
            return methods
        strong = [method for method in methods if method["id"].startswith("mfa_")]
        return methods if second_factor.shown(self.request, user) else strong


def public(url: str) -> str:
    """A link for a letter: always with the public address, whatever name the request came by (P-57)."""
    return f"{settings.REALIA_URL}{urlsplit(url).path}"


def user_with_address(email: str, *, name: str = "", verified: bool = False) -> User:
    """The one user of an address, made if need be, with the address row that sign-in by code needs.

    Without that row people are asked for two codes.
    """
    address = email.strip().lower()
    user = User.objects.filter(email=address).first() or User.objects.create_user(address, name=name)
    row, _ = EmailAddress.objects.get_or_create(user=user, email=address, defaults={"primary": True})
    if verified and not row.verified:
        row.verified = True
        row.save(update_fields=["verified"])
    return user
