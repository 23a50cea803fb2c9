"""A real browser against a live server, and a folder for screenshots that people look at."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
SCREENS = Path(__file__).resolve().parents[2] / "var" / "screens"
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(params=[(1280, 900), (375, 812)], ids=["1280", "375"])
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    return request.param


@pytest.fixture(autouse=True)
def quiet(request: pytest.FixtureRequest) -> Iterator[None]:
    """Before the tables are emptied every page is closed and its last request over, whoever opened it."""
    if "live_server" not in request.fixturenames:
        yield
        return
    # Asked for here, the database is taken down after this.
    request.getfixturevalue("transactional_db")
    yield
    if "chromium" in request.fixturenames:
        for context in list(request.getfixturevalue("chromium").contexts):
            context.close()
    until_nobody_asks()


@pytest.fixture
def page(chromium, size, live_server):  # type: ignore[no-untyped-def]
    """A page of its own context; what its console or the policy complains about fails the test."""
    width, height = size
    context = chromium.new_context(
        viewport={"width": width, "height": height}, base_url=live_server.url, has_touch=width < 500
    )
    context.set_default_timeout(15_000)
    opened = context.new_page()
    complaints: list[str] = []
    context.on("page", lambda other: other.on("pageerror", lambda error: complaints.append(str(error))))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    yield opened
    # Closing breaks off what is still under way, and the page complains about that: it is not what is tested.
    said = list(complaints)
    context.close()
    # A form that was sent with open items answers 422 on purpose.
    assert [c for c in said if "status of 422" not in c] == []


def until_nobody_asks(seconds: float = 5) -> None:
    """A page that was closed may have left a request under way: emptying the tables would wait for it in a ring."""
    deadline = time.monotonic() + seconds
    # Between two queries of a request the database hears nothing of it; the thread that serves it is still there.
    while time.monotonic() < deadline and any("process_request" in one.name for one in threading.enumerate()):
        time.sleep(0.02)
    if connection.vendor != "postgresql":
        return
    asking = (
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'"
    )
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute(asking)
            if not cursor.fetchone()[0]:
                return
        time.sleep(0.05)


@pytest.fixture
def shoot():  # type: ignore[no-untyped-def]
    """Hold that nothing runs off the side; with ``REALIA_SCREENS`` set, a numbered screenshot too."""
    taken = [0]

    def take(page, name: str) -> None:  # type: ignore[no-untyped-def]
        taken[0] += 1
        width = page.viewport_size["width"]
        if os.environ.get("REALIA_SCREENS"):
            SCREENS.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=SCREENS / f"{taken[0]:02d}-{name}-{width}.png", full_page="crm" not in name)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 1, f"{name} scrolls sideways by {wide} pixels at {width}"

    return take


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What each task took by hand, and how many screens axe saw, is said even where passed tests are not."""
    from tests.browser.clicking import LINES
    from tests.browser.screens import HELD, counted

    for said in [*LINES, *([counted(HELD)] if HELD else [])]:
        terminalreporter.write_line(said)
