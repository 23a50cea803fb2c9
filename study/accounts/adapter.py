"""How sign-in behaves: nobody signs up by themselves, and addresses are lower case."""

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django.http import HttpRequest

from study.accounts.models import User


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def clean_email(self, email: str) -> str:
        return str(super().clean_email(email)).strip().lower()


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
