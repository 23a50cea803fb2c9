"""All settings of Realia. What differs between installations comes from the environment."""

import sys
import tempfile
from datetime import timedelta
from pathlib import Path

from csp.constants import NONE, SELF
from django.core.management.utils import get_random_secret_key

from study import environment as env
from study.mail_settings import mail_settings
from study.openid_settings import openid_providers

BASE_DIR = Path(__file__).resolve().parent.parent
REALIA_DEMO = env.flag("REALIA_DEMO")
REALIA_EPHEMERAL = env.flag("REALIA_EPHEMERAL")
TESTING = "pytest" in sys.modules
# Tests never touch a real data folder, whatever the environment says.
REALIA_VAR = Path(tempfile.mkdtemp(prefix="realia-test-")) if TESTING else env.folder("REALIA_VAR", BASE_DIR / "var")

DEBUG = env.flag("REALIA_DEBUG")


def kept_key(name: str, file_name: str) -> str:
    """The key from the environment, else one made once and kept in the data folder."""
    if given := env.text(name, ""):
        return given
    file = REALIA_VAR / file_name
    # An empty one is left behind by a disk that was full.
    if not file.exists() or not file.stat().st_size:
        REALIA_VAR.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(get_random_secret_key())
    return file.read_text().strip()


SECRET_KEY = kept_key("REALIA_SECRET_KEY", "secret.key")
# Contacts are encrypted with the first and read with each; divided by commas (study/accounts/encrypted.py).
REALIA_KEYS = env.words("REALIA_KEYS") or [kept_key("REALIA_KEYS", "contacts.key")]
REALIA_LOOKUP_KEY = kept_key("REALIA_LOOKUP_KEY", "lookup.key")
REALIA_URL = env.text("REALIA_URL", "http://127.0.0.1:8000").rstrip("/")
HTTPS = REALIA_URL.startswith("https://")
ALLOWED_HOSTS = env.words("REALIA_HOSTS", "127.0.0.1,localhost,testserver")
CSRF_TRUSTED_ORIGINS = [REALIA_URL]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.flag("REALIA_BEHIND_PROXY") else None
# Whose address a request comes from, behind our own proxy: the one that it added itself (P-57).
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if SECURE_PROXY_SSL_HEADER else 0
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# What a session holds for a moment, a resume key say, is not readable in the table.
SESSION_ENGINE = "study.accounts.sealed_sessions"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_SAMESITE = "Lax"
# A page left open overnight must still be able to save (P-06), so tokens live as long as sessions.
CSRF_COOKIE_AGE = SESSION_COOKIE_AGE
CSRF_FAILURE_VIEW = "study.accounts.views.csrf_failure"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "csp",
    "django_htmx",
    "lucide",
    "study.accounts",
    "study.protocols",
    "study.people",
    "study.sandbox",
    "study.benchmark",
    "study.generator",
    "study.assignment",
    "study.fieldwork",
    "study.results",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "study.people.language.HourLanguage",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "study.accounts.middleware.PrivatePages",
    "study.accounts.middleware.NulBytes",
    # Desks of a visit whose clocks stand ask to go on first; the sandbox knows nothing of visits.
    "study.fieldwork.pausing.Desks",
]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# Sessions are encrypted; Django's default may put a message, and an address in it, into a cookie.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

ROOT_URLCONF = "study.urls"
WSGI_APPLICATION = "study.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["lucide.templatetags.lucide", "django.templatetags.i18n", "django.templatetags.static"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                # The dock is seen from the sandbox only through this name.
                "study.fieldwork.dock.dock",
            ],
        },
    }
]

REALIA_VAR.mkdir(parents=True, exist_ok=True)
_default = env.database("DATABASE_URL", REALIA_VAR / "realia.sqlite3")
if TESTING and "init_command" in _default["OPTIONS"]:  # type: ignore[operator]
    # A test database need not survive a power cut.
    _default["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL;PRAGMA synchronous=OFF;PRAGMA secure_delete=ON;"  # type: ignore[index]
DATABASES = {"default": _default, "reader": env.reader(_default)}
# Long reads go through this alias: one consistent moment, and nobody who saves waits for them.
READER_ALIAS = "reader"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Write transactions are opened where they are needed, and are short.
ATOMIC_REQUESTS = False

# Limits on signing in live in the cache, so every process must share it.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": env.text("CACHE_URL", "")}
    if env.text("CACHE_URL", "")
    else {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "shared_cache"}
}

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_LOGOUT_REDIRECT_URL = "front"
ACCOUNT_ADAPTER = "study.accounts.adapter.Adapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_UNIQUE_EMAIL = True
ACCOUNT_PREVENT_ENUMERATION = True
# Strangers who type an address into the sign-in form are not written to.
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = 15 * 60
ACCOUNT_SESSION_REMEMBER = True
# Limits are per account. The one per address is a flood bound: a campus or a
# panel may stand behind a single address (P-57).
ACCOUNT_RATE_LIMITS = {
    "login": "300/m/ip",
    "login_failed": "300/m/ip,10/5m/key",
    "request_login_code": "300/m/ip,5/5m/key",
    "reset_password": "300/m/ip,5/5m/key",
    "change_password": "10/m/user",
    "manage_email": "10/m/user",
    "reauthenticate": "10/m/user",
    "confirm_email": "5/5m/key",
    "signup": "20/m/ip",
}
# Owners and coordinators need a second factor; the demo's people sign in by the links that it prints.
REALIA_REQUIRE_MFA = env.flag("REALIA_REQUIRE_MFA", not (REALIA_DEMO or TESTING))
# How long a proof of who is there counts for dangerous acts; 0 never asks (study/accounts/reauth.py).
REALIA_PROOF_MINUTES = 0 if TESTING else 10
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 600
MFA_ADAPTER = "study.accounts.second_factor.Adapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Realia"
# A clock may be half a minute off.
MFA_TOTP_TOLERANCE = 1
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_RATE_LIMITS = {"webauthn_login": "300/m/ip"}
# Nobody can sign up with an address of somebody else, which is what this would guard against.
MFA_ALLOW_UNVERIFIED_EMAIL = True
# Sign-in through Google, ORCID, Salesforce or an own provider; none is set by default (docs/staff.md).
SOCIALACCOUNT_ADAPTER = "study.accounts.providers.Adapter"
SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": openid_providers(), "OAUTH_PKCE_ENABLED": True}}
# From the first time on the provider's number for the person counts, not the address.
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
# A form that is posted may not lead to another site (form-action), a link may.
SOCIALACCOUNT_LOGIN_ON_GET = True

# What staff read. Participants are spoken to in the languages of their protocol (study/people/language.py).
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
LANGUAGES_BIDI = ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = REALIA_VAR / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG or TESTING
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG or TESTING

# EMAIL_BACKEND and what it needs, by EMAIL_URL.
_mail = mail_settings(REALIA_VAR)
EMAIL_URL, MAIL_REPORTS = str(_mail["EMAIL_URL"]), str(_mail["MAIL_REPORTS"])
EMAIL_FILE_PATH = REALIA_VAR / "mail"
globals().update(_mail)
DEFAULT_FROM_EMAIL = env.text("REALIA_FROM", "Realia <no-reply@example.test>")

CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", "filesystem://localhost//")
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
if CELERY_BROKER_URL.startswith("filesystem"):
    _broker = REALIA_VAR / "broker"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_broker / "queue"),
        "data_folder_out": str(_broker / "queue"),
        "control_folder": str(_broker / "control"),
        "store_processed": False,
    }
    for _name in ("queue", "control"):
        (_broker / _name).mkdir(parents=True, exist_ok=True)
# Beat only ticks; what is due is a row with its own moment.
CELERY_BEAT_SCHEDULE = {"tick": {"task": "study.accounts.tasks.tick", "schedule": timedelta(minutes=1)}}
CELERY_BEAT_SCHEDULE_FILENAME = str(REALIA_VAR / "beat-schedule")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {"links": {"()": "study.quiet_log.HidesLinks"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["links"]}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {"study": {"level": "INFO"}, "django.request": {"filters": ["links"]}},
}
# What an Org uploaded in the pages may weigh; larger ones are loaded on the command line.
ORG_UPLOAD_MB = env.number("REALIA_ORG_UPLOAD_MB", 512)
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024
