"""A desk of Ben's in the odd Org, for the tests of record pages and search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from study.accounts.models import User
from study.sandbox.desks import open_desk
from study.sandbox.engine.snapshot import write_snapshot
from study.sandbox.opened import snapshot_of
from study.sandbox.orgs import register_org
from tests.sandbox.gui_desk import Room
from tests.sandbox.odd_org import TODAY, odd_registry, odd_tables


def open_odd(ben: User, folder: Path, busy: int = 12) -> Room:
    """Ben's browser at a desk in the odd Org, written into a folder that is the test's data folder."""
    info = write_snapshot(folder / f"odd{busy}.sqlite", odd_registry(), odd_tables(busy), today=TODAY)
    org = register_org(info, f"odd{busy}")
    client = Client()
    client.force_login(ben, backend="django.contrib.auth.backends.ModelBackend")
    return Room(client, open_desk(org=org, user=ben, purpose="orientation"), snapshot_of(org))


@pytest.fixture
def odd(ben: User, tmp_path: Path, settings: Any) -> Room:
    settings.REALIA_VAR = tmp_path
    return open_odd(ben, tmp_path)
