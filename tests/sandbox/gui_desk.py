"""An Org with a desk for Ben, for the tests of the pages."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client

from study.accounts.models import User
from study.sandbox.desks import open_desk
from study.sandbox.engine.snapshot import Snapshot, write_snapshot
from study.sandbox.models import Desk, Org
from study.sandbox.opened import snapshot_of
from study.sandbox.orgs import register_org
from tests.sandbox.small_org import TODAY, small_registry, small_tables


@dataclass
class Room:
    """Ben's desk, the snapshot behind it, and Ben's browser."""

    client: Client
    desk: Desk
    snapshot: Snapshot

    def get(self, where: str, /, **params: Any) -> Any:
        """A page as a browser gets it: on to the short address where there is one."""
        query = f"?{urlencode(params, doseq=True)}" if params else ""
        response = self.client.get(f"/crm/{self.desk.code}/{where}{query}")
        return self.client.get(response["Location"]) if response.status_code == 302 else response

    def text(self, page: str, /, **params: Any) -> str:
        """What a reader sees: no tags, entities as characters, blanks as one."""
        response = self.get(page, **params)
        assert response.status_code == 200, response.content.decode()[:2000]
        return plain(response)

    def some(self, name: str, n: int) -> list[str]:
        return [record["Id"] for record in islice(self.snapshot.records(name), n)]

    def listed(self, name: str, /, **params: Any) -> list[str]:
        """The Ids of all pages of a list, in order."""
        found: list[str] = []
        while True:
            response = self.get(f"o/{name}/", **params, page=len(found) // 50 + 1)
            assert response.status_code == 200, response.content.decode()[:2000]
            page = [row.record_id for row in response.context["view"].rows]
            found += page
            if len(page) < 50:
                return found

    def total(self, name: str, /, **params: Any) -> int:
        response = self.get(f"o/{name}/", **params)
        assert response.status_code == 200, response.content.decode()[:2000]
        return int(response.context["view"].total)


def plain(response: HttpResponse) -> str:
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body)))


def load_org(name: str = "small", **changes: Any) -> Org:
    """The small Org, written into this test's data folder and registered."""
    path = Path(settings.REALIA_VAR) / f"{name}.sqlite"
    return register_org(write_snapshot(path, small_registry(**changes), small_tables(), today=TODAY), name)


@pytest.fixture
def gui(ben: User, tmp_path: Path, settings: Any) -> Room:
    settings.REALIA_VAR = tmp_path
    org = load_org()
    client = Client()
    client.force_login(ben, backend="django.contrib.auth.backends.ModelBackend")
    desk = open_desk(org=org, user=ben, purpose="orientation")
    return Room(client, desk, snapshot_of(org))
