"""Staff bring an Org in by the pages, as a browser sees it: upload, problems, hash to copy, opening it; and axe."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from study.accounts.adapter import user_with_address
from study.accounts.flows import create_study
from study.sandbox.models import Org
from tests.browser.test_crm_axe import checked
from tests.sandbox.published_files import published_file

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def tab(chromium: Any, live_server: Any, tmp_path: Path, settings: Any) -> Any:
    """A tab in which the owner of a study is signed in."""
    settings.REALIA_VAR = tmp_path / "var"
    settings.REALIA_VAR.mkdir()
    ada = user_with_address("ada@example.test", name="Ada Lindqvist")
    create_study(code="spring", name="Spring realism study", owner=ada)
    client = Client()
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    context = chromium.new_context(
        viewport={"width": 1280, "height": 900}, base_url=live_server.url, reduced_motion="reduce"
    )
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=live_server.url)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([cookie])
    context.set_default_timeout(15_000)
    yield context.new_page()
    context.close()


def test_an_org_comes_in_by_the_pages(tab: Any, tmp_path: Path) -> None:
    found: dict[str, Any] = {}
    file = published_file(tmp_path / "crm.db", "original")
    with sqlite3.connect(file) as connection:
        connection.execute('UPDATE "Case" SET ClosedDate = ?', ("yesterday",))
    connection.close()
    tab.goto("/studies/spring/orgs/")
    found["empty"] = checked(tab, narrow=True)
    tab.get_by_role("link", name="Add an Org").first.click()
    found["add"] = checked(tab, narrow=True)
    tab.get_by_label("File", exact=True).set_input_files(file)
    tab.get_by_label("Name").fill("a-rather-long-name-of-an-org-nobody-will-ever-type")
    tab.get_by_role("button", name="Add the Org").click()
    tab.get_by_role("heading", name="Problems").wait_for()
    found["result"] = checked(tab, narrow=True)
    assert tab.get_by_text("'yesterday' is not a date and time").count() == 6
    tab.get_by_role("link", name="All Orgs").click()
    found["list"] = checked(tab, narrow=True)
    org = Org.objects.get()
    tab.get_by_role("button", name="Copy hash").click()
    tab.get_by_text("Copied").wait_for()
    assert tab.evaluate("navigator.clipboard.readText()") == org.hash
    tab.get_by_role("link", name="Delete").click()
    found["delete"] = checked(tab, narrow=True)
    tab.get_by_role("link", name="Keep it").click()
    tab.get_by_role("button", name="Open").click()
    assert "/crm/" in tab.url
    assert {name: faults for name, faults in found.items() if faults} == {}, json.dumps(found, indent=1)
