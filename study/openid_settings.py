"""Sign-in through somebody else's OpenID provider, read from the environment; nothing set means none is offered.

``REALIA_OIDC_GOOGLE``, ``REALIA_OIDC_ORCID`` and ``REALIA_OIDC_SALESFORCE`` hold ``client_id:secret``. Any other
provider: ``REALIA_OIDC`` with ``name|server URL|client_id:secret``, several divided by blanks.
"""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

KNOWN = {
    "google": ("Google", "https://accounts.google.com"),
    "orcid": ("ORCID", "https://orcid.org"),
    "salesforce": ("Salesforce", "https://login.salesforce.com"),
}


def app(code: str, name: str, server: str, keys: str, variable: str) -> dict[str, Any]:
    client, colon, secret = keys.partition(":")
    if not (client and colon and secret):
        raise ImproperlyConfigured(f"{variable} needs client_id:secret, divided by a colon.")
    parts = urlsplit(server)
    if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "localhost"):
        raise ImproperlyConfigured(f"{variable} names the server {server!r}. Use its https address.")
    # The address counts only when the provider says that it is verified (study/accounts/providers.py).
    settings = {"server_url": server.rstrip("/"), "email_authentication": True}
    return {"provider_id": code, "name": name, "client_id": client, "secret": secret, "settings": settings}


def openid_providers() -> list[dict[str, Any]]:
    """The providers that the environment names, as allauth takes them. Raises ImproperlyConfigured with a remedy."""
    apps = []
    for code, (name, server) in KNOWN.items():
        variable = f"REALIA_OIDC_{code.upper()}"
        if keys := os.environ.get(variable, "").strip():
            apps.append(app(code, name, server, keys, variable))
    for entry in os.environ.get("REALIA_OIDC", "").split():
        try:
            name, server, keys = entry.split("|")
        except ValueError:
            raise ImproperlyConfigured("REALIA_OIDC needs name|server URL|client_id:secret.") from None
        code = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        if not code or any(code == one["provider_id"] for one in apps):
            raise ImproperlyConfigured(f"REALIA_OIDC: {name!r} is empty or used twice.")
        apps.append(app(code, name.replace("_", " "), server, keys, "REALIA_OIDC"))
    return apps
