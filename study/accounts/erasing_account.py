"""What an account holds of its person: address, name, password, ways to sign in, sessions. The row itself stays.

Audit rows name it by number ("user 12"), and sealed rows must not change: a row without address and name is the
pseudonym under which who did what stays known.
"""

from __future__ import annotations

from django.apps import apps
from django.contrib.sessions.models import Session
from django.db.models import ForeignKey, Model, QuerySet

from study.accounts.erasing import keeps
from study.accounts.models import SigninLink, StaffSession, User
from study.accounts.sealed_sessions import SessionStore

COLUMNS = (
    "accounts.User.email", "accounts.User.name", "accounts.User.password", "accounts.SigninLink.*",
    "accounts.StaffSession.*",
    "account.EmailAddress.*", "account.EmailConfirmation.*", "mfa.Authenticator.*",
    "socialaccount.SocialAccount.*", "socialaccount.SocialToken.*",
)  # fmt: skip


def rows_of(user: User) -> list[QuerySet[Model]]:
    """The account's rows in the tables of the sign-in library, whichever parts of it are installed, and our own."""
    found: list[QuerySet[Model]] = []
    for model in apps.get_models():
        if not model.__module__.startswith("allauth.") and model not in (SigninLink, StaffSession):
            continue
        for field in model._meta.concrete_fields:
            if isinstance(field, ForeignKey) and field.related_model is User:
                found.append(model._default_manager.filter(**{field.name: user}))
    return found


def sessions_of(user: User) -> list[str]:
    store = SessionStore()
    rows = Session.objects.values_list("session_key", "session_data").iterator()
    return [key for key, data in rows if store.decode(data).get("_auth_user_id") == str(user.pk)]


def held(user: User) -> int:
    """Texts and rows that say who the account belongs to."""
    texts = sum(1 for text in (user.email, user.name) if text) + user.has_usable_password()
    return texts + sum(rows.count() for rows in rows_of(user)) + len(sessions_of(user))


def forget(user: User) -> int:
    """Empty the account; nobody signs in with it any more."""
    n = held(user)
    for rows in rows_of(user):
        rows.delete()
    Session.objects.filter(session_key__in=sessions_of(user)).delete()
    user.email, user.name, user.is_active, user.last_login = None, "", False, None
    user.set_unusable_password()
    user.save()
    return n


keeps("numbers and kinds of the installation, nothing anybody types",
      "auth.Permission.*", "auth.Group.*", "contenttypes.ContentType.*", "sessions.Session.session_key",
      "accounts.Membership.role", "accounts.AuditSeal.*", "accounts.Erasure.*", "accounts.Job.kind",
      "accounts.Job.state")  # fmt: skip
keeps("the study's own texts, by staff", "accounts.Study.*")
keeps("kinds, codes and counts by rule: no contact, token or panel id is ever written; sealed, so it cannot change",
      "accounts.AuditRow.*")  # fmt: skip
keeps("of staff; docs/privacy.md says how long", "accounts.StaffInvitation.*", "socialaccount.SocialApp.*")
