"""The atlas Org is what it says: counts, odd cases, pages that open."""

from __future__ import annotations

from tests.sandbox.gui_desk import Room


def test_every_object_has_a_list_page(atlas_gui: Room) -> None:
    for name, count in atlas_gui.snapshot.counts.items():
        assert atlas_gui.total(name) == count, name


def test_every_record_page_opens(atlas_gui: Room) -> None:
    for name in atlas_gui.snapshot.counts:
        for record in atlas_gui.snapshot.records(name):
            assert atlas_gui.get(f"r/{record['Id']}/").status_code == 200, record["Id"]
