"""The second factor of staff: an authenticator app or a passkey, and who has to have one.

What allauth keeps of it (the secret of an app, the seed of recovery codes) is encrypted like contacts are.
Participants never meet any of this: the doors of staff pages ask, nobody else.
"""

from __future__ import annotations

from allauth.account.authentication import get_authentication_records
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest

from study.accounts.encrypted import opened, sealed
from study.accounts.models import Role, User

OPERATOR = "operator"
REQUIRED = (Role.OWNER, Role.COORDINATOR, OPERATOR)
FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
SECRETS = {Authenticator.Type.TOTP: ("secret",), Authenticator.Type.RECOVERY_CODES: ("seed", "migrated_codes")}
# Proofs that stand beside a second factor: the operator's printed link comes from whoever runs the machine.
STRONG = ("mfa", "operator_link")


class SecondFactorNeeded(Exception):
    """A staff page is closed until a second factor is set up (``missing``) or shown in this session."""

    def __init__(self, *, missing: bool) -> None:
        super().__init__("set up" if missing else "show")
        self.missing = missing


class Adapter(DefaultMFAAdapter):  # type: ignore[misc]
    def encrypt(self, text: str) -> str:
        return sealed(text)

    def decrypt(self, encrypted_text: str) -> str:
        return opened(encrypted_text)


def has_factor(user: User) -> bool:
    return bool(Authenticator.objects.filter(user=user, type__in=FACTORS).exists())


def must_have(user: User) -> bool:
    """Whether some role of theirs asks for a second factor (outside the demo)."""
    return user.is_operator or user.memberships.filter(role__in=REQUIRED).exists()


def shown(request: HttpRequest, user: User) -> bool:
    """Whether this session was opened, or confirmed later, by more than a mailbox or a password."""
    return any(one["method"] in STRONG for one in get_authentication_records(request, user))


def ask(request: HttpRequest, user: User, role: str) -> None:
    """Raises SecondFactorNeeded where a staff page must stay closed.

    Whoever has a factor shows it once in each session, however the session came to be: the confirm page of a
    participant's invitation opens no owner's pages. Owners and coordinators have to have one. A session that nobody
    signed in to, since a letter or a key of the hour opened it, shows nothing of the staff to anybody.
    """
    if has_factor(user):
        if not shown(request, user):
            raise SecondFactorNeeded(missing=False)
    elif settings.REALIA_REQUIRE_MFA and role in REQUIRED:
        raise SecondFactorNeeded(missing=True)
    elif settings.REALIA_PROOF_MINUTES and not get_authentication_records(request, user):
        raise SecondFactorNeeded(missing=False)


@transaction.atomic
def seal_again() -> int:
    """Write the secrets again with the newest key (``keys_rotate``); how many were written."""
    rows = list(Authenticator.objects.select_for_update().filter(type__in=SECRETS))
    for row in rows:
        for name in SECRETS[row.type]:
            kept = row.data.get(name)
            if isinstance(kept, str) and kept:
                row.data[name] = sealed(opened(kept))
            elif isinstance(kept, list):
                row.data[name] = [sealed(opened(one)) for one in kept]
        row.save(update_fields=["data"])
    return len(rows)
