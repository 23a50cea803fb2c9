"""Fixtures for every test: three people, an eager worker, and a data folder that vanishes."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A slow machine is no fault of a test: how long drawing takes depends on what else runs.
settings.register_profile("realia", suppress_health_check=[HealthCheck.too_slow], deadline=None)
settings.load_profile("realia")

SHARED = Path(os.environ.get("REALIA_SHARED") or Path(__file__).resolve().parents[2] / "shared")
REQUIRED = {word for word in os.environ.get("REALIA_TEST_REQUIRE", "").split(",") if word}


def available(marker: str) -> str:
    """Why tests with this marker cannot run here; empty when they can."""
    if marker == "postgres":
        return "" if os.environ.get("DATABASE_URL", "").startswith("postgres") else "DATABASE_URL names no PostgreSQL"
    if marker == "redis":
        return "" if os.environ.get("CELERY_BROKER_URL", "").startswith("redis") else "CELERY_BROKER_URL names no Redis"
    if marker == "browser":
        if importlib.util.find_spec("playwright") is None:
            return "playwright is not installed"
        return "" if shutil.which("chromium") else "no chromium on the path"
    return "" if SHARED.is_dir() else "the folder of shared reference data is not beside the project"


MARKERS = ("postgres", "redis", "browser", "shared")
# What a test asks for when it meets the database.
DATABASE = {"db", "transactional_db", "live_server", "django_db_reset_sequences"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database-only",
        action="store_true",
        help="leave out tests that never meet the database: they are the same whichever it is",
    )
    parser.addoption(
        "--database-elsewhere", default="", metavar="PATHS",
        help="leave out tests at PATHS (divided by commas) that meet the database: another run, on another, has them",
    )  # fmt: skip


def meets_database(item: pytest.Item) -> bool:
    marked = any(item.get_closest_marker(name) for name in ("django_db", "browser", "postgres"))
    return marked or bool(DATABASE & set(getattr(item, "fixturenames", ())))


def runs_elsewhere(config: pytest.Config, item: pytest.Item) -> str:
    """Why a test is left to another run; empty if it is not."""
    elsewhere = [config.rootpath / path for path in config.getoption("database_elsewhere").split(",") if path]
    if config.getoption("database_only") and not meets_database(item):
        return "they never meet the database"
    if meets_database(item) and any(item.path.is_relative_to(path) for path in elsewhere):
        return "they meet the database of another run"
    return ""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what this machine cannot run, and remember it for the closing lines."""
    left_out: dict[str, tuple[int, str]] = {}
    missing = {marker: available(marker) for marker in MARKERS}
    kept, dropped = [], []
    for item in items:
        lacking = [m for m in MARKERS if item.get_closest_marker(m) and missing[m]]
        if why := runs_elsewhere(config, item):
            n, _ = left_out.get("nothing", (0, ""))
            left_out["nothing"] = (n + 1, why)
            dropped.append(item)
        elif lacking:
            n, _ = left_out.get(lacking[0], (0, ""))
            left_out[lacking[0]] = (n + 1, missing[lacking[0]])
            dropped.append(item)
        else:
            kept.append(item)
    if errors := [f"{m}: {missing[m]}" for m in MARKERS if m in REQUIRED and missing[m]]:
        raise pytest.UsageError("REALIA_TEST_REQUIRE asks for what is not here: " + "; ".join(errors))
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept
    config.stash[LEFT_OUT] = left_out


LEFT_OUT = pytest.StashKey[dict[str, tuple[int, str]]]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for marker, (count, why) in sorted(terminalreporter.config.stash.get(LEFT_OUT, {}).items()):
        marked = "" if marker == "nothing" else f" marked {marker}"
        terminalreporter.write_line(f"left out: {count}{marked} ({why})")


def pytest_sessionfinish() -> None:
    from django.conf import settings

    shutil.rmtree(settings.REALIA_VAR, ignore_errors=True)


@pytest.fixture(autouse=True)
def _surroundings(settings: object, tmp_path: Path) -> None:
    settings.CELERY_TASK_ALWAYS_EAGER = True  # type: ignore[attr-defined]
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"  # type: ignore[attr-defined]
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}  # type: ignore[attr-defined]
    # Rows of a test that is rolled back are seen by its own connection only.
    settings.READER_ALIAS = "default"  # type: ignore[attr-defined]
    from study.celery import app

    app.conf.task_always_eager = True


@pytest.fixture
def shared() -> Path:
    """The folder of reference data beside the project."""
    return SHARED


@pytest.fixture
def study(db: None):  # type: ignore[no-untyped-def]
    from study.accounts.flows import create_study

    return create_study(code="spring", name="Spring realism study", owner=_user("ada@example.test", "Ada Lindqvist"))


@pytest.fixture
def ada(study):  # type: ignore[no-untyped-def]
    """The researcher who owns the study."""
    return study.memberships.get(role="owner").user


@pytest.fixture
def ben(db: None):  # type: ignore[no-untyped-def]
    """A participant (of whatever a test puts him into)."""
    return _user("ben@example.test", "Ben Okafor")


@pytest.fixture
def cleo(db: None):  # type: ignore[no-untyped-def]
    """A stranger who must see nothing."""
    return _user("cleo@example.test", "Cleo Marchetti")


def _user(email: str, name: str):  # type: ignore[no-untyped-def]
    from study.accounts.adapter import user_with_address

    return user_with_address(email, name=name)
