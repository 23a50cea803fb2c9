"""How sign-in behaves: nobody signs up by themselves, and addresses are lower case."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django.http import HttpRequest

from study.accounts import reauth, second_factor
from study.accounts.models import User


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def clean_email(self, email: str) -> str:
        return str(super().clean_email(email)).strip().lower()

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
