"""Fields whose text is encrypted before it reaches the database, and the keyed hash that finds it again.

What identifies somebody (addresses, names, panel ids, notes) is kept in these fields only. The newest key of
``REALIA_KEYS`` encrypts, every key decrypts; ``keys_rotate`` writes all of it again with the newest. The keyed hash
uses a key of its own, ``REALIA_LOOKUP_KEY``: it stays when the others change, since hashes of people who were erased
(never write to them again) have nothing left to be made from.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from functools import lru_cache
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import models
from django.utils.translation import gettext as _


class Unreadable(ValueError):
    """No key of the settings opens this text."""


def fernet_key(secret: str) -> bytes:
    """The Fernet key of a secret of any length: its sha256, as Fernet writes keys."""
    return base64.urlsafe_b64encode(hashlib.sha256(secret.encode()).digest())


@lru_cache(maxsize=8)
def _box(secrets: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(fernet_key(secret)) for secret in secrets])


def box() -> MultiFernet:
    """Encrypts with the first key of the settings, decrypts with each of them."""
    return _box(tuple(settings.REALIA_KEYS))


def sealed(text: str) -> str:
    """The text as it is stored; an empty one stays empty, so that "none" can be asked for."""
    return box().encrypt(text.encode()).decode() if text else ""


def opened(stored: str) -> str:
    """What was sealed. Raises Unreadable when none of the keys fits."""
    if not stored:
        return ""
    try:
        return box().decrypt(stored.encode()).decode()
    except InvalidToken:
        raise Unreadable("No key in REALIA_KEYS opens this text. Put the key back that it was written with.") from None


def keyed_hash(kind: str, value: str) -> str:
    """64 hexadecimal digits by which a value is found again; empty for an empty one.

    ``kind`` keeps the same value in two uses apart ("address", "panel:7"). HMAC with SHA-256 (RFC 2104).
    """
    if not value:
        return ""
    message = f"{kind}\0{value}".encode()
    return hmac.new(settings.REALIA_LOOKUP_KEY.encode(), message, hashlib.sha256).hexdigest()


def address_hash(address: str) -> str:
    """The keyed hash of an e-mail address; case and blanks around it make no difference (P-03)."""
    return keyed_hash("address", address.strip().lower())


class UnreadText(str):
    """Stands where a text cannot be read, and says so on a page. Saved again, it leaves what is stored as it is."""

    __slots__ = ("stored",)
    stored: str

    @classmethod
    def of(cls, stored: str) -> UnreadText:
        text = cls(_("cannot be read: key missing"))
        text.stored = stored
        return text


class UnreadJSON(dict[str, Any]):
    """The same for a JSON value: empty, so that nothing is shown of it."""

    def __init__(self, stored: str) -> None:
        super().__init__()
        self.stored = stored


def readable(value: Any) -> bool:
    """Whether a value of an encrypted field is what was written. Nobody is written to at an address that is not."""
    return not isinstance(value, UnreadText | UnreadJSON)


class EncryptedText(models.TextField):  # type: ignore[type-arg]
    """A text that the database holds encrypted. It can be compared with the empty text only: look up by a hash.

    A page never fails for a key that is missing: the text is then an ``UnreadText``.
    """

    def get_prep_value(self, value: Any) -> Any:
        if isinstance(value, UnreadText):
            return value.stored
        value = super().get_prep_value(value)
        return sealed(value) if value else value

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> str | None:
        if not value:
            return value
        try:
            return opened(value)
        except Unreadable:
            return UnreadText.of(value)


class EncryptedJSON(models.TextField):  # type: ignore[type-arg]
    """A JSON value that the database holds encrypted; ``default`` makes the empty one."""

    def get_prep_value(self, value: Any) -> Any:
        if isinstance(value, UnreadJSON):
            return value.stored
        return None if value is None else sealed(json.dumps(value, ensure_ascii=False))

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        try:
            return json.loads(opened(value)) if value else None
        except Unreadable:
            return UnreadJSON(value or "")

    def to_python(self, value: Any) -> Any:
        return value
