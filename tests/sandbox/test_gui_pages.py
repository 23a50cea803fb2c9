"""The pages of a desk: each opens, shows what the Org holds, and leaves its event in the trace."""

from __future__ import annotations

import pytest

from tests.sandbox.gui_desk import Room

pytestmark = pytest.mark.django_db


def test_every_object_has_a_list_a_report_and_records(gui: Room) -> None:
    for item in gui.snapshot.registry.objects:
        assert gui.get(f"o/{item.name}/").status_code == 200
        assert gui.get(f"report/{item.name}/").status_code == 200
        for record in gui.some(item.name, 3):
            assert gui.get(f"r/{record}/").status_code == 200, (item.name, record)
    for page in ("", "report/", "search/", "search/?q=tent", "search/suggest/?q=ten"):
        assert gui.get(page).status_code == 200
