"""How mail leaves, read from ``EMAIL_URL``: files, the console, an SMTP server, or a provider through django-anymail.

A provider's own settings have the names that django-anymail gives them (``MAILGUN_API_KEY``). With
``ANYMAIL_WEBHOOK_SECRET`` (``user:password``) the provider may report what became of letters, at ``/mail-reports/``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from study import environment as env

SHORTEST_SECRET = 16


@dataclass(frozen=True)
class Provider:
    name: str
    needed: tuple[str, ...]
    offered: tuple[str, ...] = ()
    reports: str = ""
    """The class of django-anymail that reads its reports; empty for a provider that sends none."""


PROVIDERS = {
    "brevo": Provider("Brevo", ("API_KEY",), (), "brevo.BrevoTrackingWebhookView"),
    "mailersend": Provider(
        "MailerSend", ("API_TOKEN",), ("SIGNING_SECRET",), "mailersend.MailerSendTrackingWebhookView"
    ),
    "mailgun": Provider(
        "Mailgun",
        ("API_KEY", "SENDER_DOMAIN"),
        ("API_URL", "WEBHOOK_SIGNING_KEY"),
        "mailgun.MailgunTrackingWebhookView",
    ),
    "mailjet": Provider("Mailjet", ("API_KEY", "SECRET_KEY"), (), "mailjet.MailjetTrackingWebhookView"),
    "mailtrap": Provider("Mailtrap", ("API_TOKEN",), ("SANDBOX_ID",), "mailtrap.MailtrapTrackingWebhookView"),
    "postmark": Provider("Postmark", ("SERVER_TOKEN",), ("MESSAGE_STREAM",), "postmark.PostmarkTrackingWebhookView"),
    "scaleway": Provider("Scaleway", ("SECRET_KEY", "PROJECT_ID"), ("REGION",)),
    "sparkpost": Provider("SparkPost", ("API_KEY",), ("API_URL",), "sparkpost.SparkPostTrackingWebhookView"),
}


def mail_settings(var: Path) -> dict[str, Any]:
    """The settings of ``EMAIL_URL``. Raises ImproperlyConfigured that names the variable and the remedy."""
    url = os.environ.get("EMAIL_URL", "").strip()
    common = {"EMAIL_URL": url, "EMAIL_FILE_PATH": var / "mail", "EMAIL_TIMEOUT": 30, "MAIL_REPORTS": ""}
    if url in ("", "file"):
        return common | {"EMAIL_BACKEND": "study.people.mail.letter_files.EmailBackend"}
    if url == "console":
        return common | {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    if url == "smtp":
        return common | _smtp()
    how, colon, code = url.partition(":")
    if how == "anymail" and colon:
        return common | _provider(code.strip().lower())
    raise ImproperlyConfigured(
        f"EMAIL_URL is {url!r}. Use file, console, smtp, or anymail:<provider> with one of {', '.join(PROVIDERS)}."
    )


def _smtp() -> dict[str, Any]:
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": env.text("EMAIL_HOST"),
        "EMAIL_PORT": env.number("EMAIL_PORT", 587),
        "EMAIL_HOST_USER": env.text("EMAIL_USER", ""),
        "EMAIL_HOST_PASSWORD": env.text("EMAIL_PASSWORD", ""),
        "EMAIL_USE_TLS": env.flag("EMAIL_TLS", True),
    }


def _provider(code: str) -> dict[str, Any]:
    if code not in PROVIDERS:
        raise ImproperlyConfigured(f"EMAIL_URL names the provider {code!r}. Known: {', '.join(PROVIDERS)}.")
    provider, before = PROVIDERS[code], code.upper()
    if missing := [
        f"{before}_{name}" for name in provider.needed if not os.environ.get(f"{before}_{name}", "").strip()
    ]:
        raise ImproperlyConfigured(
            f"EMAIL_URL is anymail:{code}, and {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set. "
            f"{provider.name} shows them in its settings; put them into the environment and start again."
        )
    named = [f"{before}_{name}" for name in (*provider.needed, *provider.offered)]
    found: dict[str, Any] = {name: value for name in named if (value := os.environ.get(name, "").strip())}
    secret = os.environ.get("ANYMAIL_WEBHOOK_SECRET", "").strip()
    if secret and provider.reports:
        user, colon, password = secret.partition(":")
        if not (user and colon and len(password) >= SHORTEST_SECRET):
            raise ImproperlyConfigured(
                f"ANYMAIL_WEBHOOK_SECRET needs user:password with a password of {SHORTEST_SECRET} characters or more."
            )
        found["WEBHOOK_SECRET"] = secret
    return {
        "EMAIL_BACKEND": f"anymail.backends.{code}.EmailBackend",
        "ANYMAIL": found,
        "MAIL_REPORTS": f"anymail.webhooks.{provider.reports}" if found.get("WEBHOOK_SECRET") else "",
    }
