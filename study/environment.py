"""Settings read from the environment, with errors that name the variable and the remedy."""

import os
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}


def text(name: str, default: str | None = None) -> str:
    value = os.environ.get(name, default)
    if value is None:
        raise ImproperlyConfigured(f"{name} is not set. Set it in the environment and start again.")
    return value


def flag(name: str, default: bool = False) -> bool:
    value = os.environ.get(name)
    if value is None:
        return default
    if value.strip().lower() in TRUE:
        return True
    if value.strip().lower() in FALSE:
        return False
    raise ImproperlyConfigured(f"{name} is {value!r}. Use 1 or 0.")


def number(name: str, default: int) -> int:
    value = os.environ.get(name)
    if value is None or not value.strip():
        return default
    try:
        return int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} is {value!r}. Use a whole number.") from None


def words(name: str, default: str = "") -> list[str]:
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def folder(name: str, default: Path) -> Path:
    """An absolute folder; it need not exist yet."""
    return Path(os.environ.get(name) or default).expanduser().absolute()


def database(name: str, default_file: Path) -> dict[str, object]:
    """A Django database entry from a URL such as ``postgresql://user:password@host:5432/realia``.

    Without the variable: SQLite at ``default_file`` with write-ahead log, full
    synchronisation (an acknowledged save is on disk) and immediate transactions
    (a deferred one that reads first fails under concurrent writers).
    """
    url = os.environ.get(name, "").strip()
    if not url:
        return sqlite(default_file)
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return sqlite(Path(unquote(parts.path)))
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured(
            f"{name} begins with {parts.scheme!r}. Use postgresql://user:password@host:5432/name "
            "or leave it empty for SQLite."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": dict(parse_qsl(parts.query)),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def sqlite(file: Path) -> dict[str, object]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(file),
        "CONN_MAX_AGE": 60,
        # A file, as in real life: two connections to one memory database lock each other's tables.
        "TEST": {"NAME": str(file.with_name("test.sqlite3"))},
        "OPTIONS": {
            "timeout": 15,
            "transaction_mode": "IMMEDIATE",
            # Deleted text is overwritten with zeros, so that who is erased is gone from the file as well (P-43).
            "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA secure_delete=ON;",
        },
    }


def reader(default: dict[str, object]) -> dict[str, object]:
    """The same database for long reads: one consistent moment, and never a write lock."""
    options = dict(default["OPTIONS"]) if isinstance(default["OPTIONS"], dict) else {}
    if default["ENGINE"] == "django.db.backends.sqlite3":
        options["transaction_mode"] = "DEFERRED"
    else:
        options["options"] = "-c default_transaction_isolation=repeatable\\ read"
    return default | {"OPTIONS": options, "TEST": {"MIRROR": "default"}}
