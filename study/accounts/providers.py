"""Sign-in through somebody else's OpenID provider: opens an account of staff that is here already."""

from __future__ import annotations

from typing import Any

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.http import HttpRequest

from study.accounts.models import User


class Adapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return False

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> Any:
        """Of what a provider tells, only its number for the person is kept: no picture, no other address."""
        sociallogin.account.extra_data = {}
        return super().populate_user(request, sociallogin, data)

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[User, str] | None:
        """The user with an address that the provider calls verified.

        Staff only. An account bound to one person at a provider is not opened by another with the same address.
        """
        found: Any = super().authenticate_by_email(sociallogin)
        if found is None:
            return None
        user, email = found
        if not user.is_operator and not user.memberships.exists():
            return None
        bound = SocialAccount.objects.filter(user=user, provider=sociallogin.account.provider)
        return None if bound.exclude(uid=sociallogin.account.uid).exists() else (user, email)
