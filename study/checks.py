"""System checks: what would go wrong later, said at start with an id and a remedy."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

SHORTEST_KEY = 32
VANISHING = {"tmpfs", "overlay", "ramfs"}


def file_system_of(folder: Path) -> str:
    """The type of the file system that holds ``folder``, read from the kernel's mount table; '' if unknown."""
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return ""
    best, kind = "", ""
    for line in mounts.read_text().splitlines():
        _, point, found, *_ = line.split()
        if (str(folder) + "/").startswith(point.rstrip("/") + "/") and len(point) >= len(best):
            best, kind = point, found
    return kind


@register(Tags.files)
def data_folder(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    kind = file_system_of(settings.REALIA_VAR)
    if kind not in VANISHING or settings.REALIA_DEMO or settings.REALIA_EPHEMERAL or settings.TESTING or settings.DEBUG:
        return []
    return [
        Error(
            f"The data folder lies on {kind}, which vanishes with the machine.",
            hint="Point REALIA_VAR at a disk, or set REALIA_EPHEMERAL=1 if losing everything is fine.",
            id="realia.E001",
        )
    ]


@register(Tags.security)
def keys_of_contacts(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Contacts are as safe as their keys."""
    found: list[CheckMessage] = []
    make = 'Make one: python -c "import secrets; print(secrets.token_urlsafe(48))"'
    keys = [*settings.REALIA_KEYS, settings.REALIA_LOOKUP_KEY]
    if settings.SECRET_KEY in keys or settings.REALIA_LOOKUP_KEY in settings.REALIA_KEYS:
        text = "A key of the contacts is used for something else as well."
        hint = f"Give REALIA_KEYS and REALIA_LOOKUP_KEY keys of their own. {make}; then run manage.py keys_rotate."
        found.append(Error(text, hint=hint, id="realia.E010"))
    if any(len(key) < SHORTEST_KEY for key in keys):
        text = f"A key in REALIA_KEYS or REALIA_LOOKUP_KEY has fewer than {SHORTEST_KEY} characters."
        found.append(
            Error(text, hint=f"{make}; put it first in REALIA_KEYS, run manage.py keys_rotate.", id="realia.E011")
        )
    beside = [name for name in ("contacts.key", "lookup.key") if (settings.REALIA_VAR / name).is_file()]
    if beside and settings.HTTPS and not (settings.REALIA_DEMO or settings.TESTING):
        text = f"Keys of the contacts lie beside the data ({', '.join(beside)}): who copies one has the other."
        hint = "Move them into the environment as REALIA_KEYS and REALIA_LOOKUP_KEY, delete the files."
        found.append(Warning(text, hint=hint, id="realia.W012"))
    return found


@register(Tags.security, deploy=True)
def public_address(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    if settings.REALIA_URL.startswith("https://"):
        return []
    return [
        Warning(
            "REALIA_URL is not https, so links and cookies are not protected.",
            hint="Set REALIA_URL to the public https address.",
            id="realia.W002",
        )
    ]


@register(Tags.database)
def real_database(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    sqlite = str(settings.DATABASES["default"]["ENGINE"]).endswith("sqlite3")
    if not sqlite or settings.REALIA_DEMO or settings.TESTING or not settings.HTTPS:
        return []
    return [
        Warning(
            "A public installation runs on SQLite.",
            hint="Set DATABASE_URL to a PostgreSQL database for a real study.",
            id="realia.W003",
        )
    ]


@register(Tags.compatibility)
def sender_of_letters(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    really = settings.EMAIL_URL == "smtp" or settings.EMAIL_URL.startswith("anymail:")
    if not really or not settings.DEFAULT_FROM_EMAIL.rstrip("> ").endswith("@example.test"):
        return []
    return [
        Warning(
            "Letters leave for real, and their sender is an address that nobody has.",
            hint="Set REALIA_FROM to an address of a domain of yours that may send.",
            id="realia.W004",
        )
    ]
