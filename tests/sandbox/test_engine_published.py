"""The published objects: types, key prefixes and layouts that hold together."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import lucide
import pytest

from study.sandbox.engine.published import KEY_PREFIXES, SERVICE_OBJECTS, published_registry, registry_from_schema
from study.sandbox.engine.published_fields import FIELDS
from study.sandbox.engine.published_layouts import LAYOUTS
from study.sandbox.engine.queryspec import QuerySpec
from study.sandbox.engine.registry import Registry
from study.sandbox.engine.snapshot import open_snapshot, write_snapshot
from tests.conftest import SHARED
from tests.sandbox.small_org import TODAY


def check(registry: Registry, folder: Path) -> None:
    """Every path of every layout can be queried, every child is in sight, JSON gives the same back."""
    assert Registry.from_json(registry.to_json()) == registry
    snapshot = open_snapshot(write_snapshot(folder / "x.sqlite", registry, {}).path)
    for item in registry.objects:
        paths = ("Id", *item.columns, *item.highlights, *([item.second_field] if item.second_field else []))
        snapshot.run(QuerySpec(item.name, paths), TODAY)
        assert item.columns
        assert sorted(name for s in item.sections for name in s.fields) == sorted(f.name for f in item.fields)
        for related in item.related:
            snapshot.run(QuerySpec(related.object, ("Id", *related.columns)), TODAY)
        children = {(child.name, field.name) for child, field in registry.references_to(item.name)}
        assert {(r.object, r.field) for r in item.related} == children


def test_all_27_objects_hold_together(tmp_path: Path) -> None:
    registry = published_registry(tuple(FIELDS))
    assert len(registry.objects) == 27
    assert set(FIELDS) == set(LAYOUTS) == set(KEY_PREFIXES)
    check(registry, tmp_path)
    case = registry.object("Case")
    assert case.name_field == "Subject"
    assert case.field("OrderItemId__c").targets == ("OrderItem",)
    assert case.field("Description").type == "text"
    assert registry.object("User").field("Name").joined == ("FirstName", "LastName")
    assert [f.name for _, f in registry.references_to("Issue__c")] == ["IssueId__c"]
    assert registry.object_for_id("500Hy0000000000IAA") == case


def test_the_service_org_has_the_16_objects(tmp_path: Path) -> None:
    check(published_registry(SERVICE_OBJECTS), tmp_path)
    assert len(SERVICE_OBJECTS) == 16


def test_icons_exist_and_colours_carry_a_white_glyph() -> None:
    names = {Path(name).stem for name in zipfile.ZipFile(Path(lucide.__file__).parent / "lucide.zip").namelist()}
    for layout in LAYOUTS.values():
        assert layout.icon in names
        assert contrast_with_white(layout.color) >= 4.5, layout.label


def contrast_with_white(color: str) -> float:
    shares = [int(pair, 16) / 255 for pair in re.findall("..", color.lstrip("#"))]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def test_objects_nobody_knows_get_a_layout_of_their_own(tmp_path: Path) -> None:
    registry = registry_from_schema(
        [
            {"object": "Delivery__c", "fields": {
                "Id": "Id", "Name": "Name", "Shipped__c": "in 'YYYY-MM-DD' format", "Fast__c": "Boolean: is it fast",
                "CaseId__c": "References Case object", "State__c": "One of ['On its way', 'There']"}},
            {"object": "Case", "fields": {"Id": "Id", "Subject": "Subject"}},
        ]
    )  # fmt: skip
    check(registry, tmp_path)
    made = registry.object("Delivery__c")
    assert (made.label, made.plural, made.name_field) == ("Delivery", "Deliveries", "Name")
    assert [made.field(name).type for name in ("Shipped__c", "Fast__c", "CaseId__c", "State__c")] == [
        "date", "boolean", "reference", "picklist",
    ]  # fmt: skip
    assert made.field("State__c").values == ("On its way", "There")
    assert [r.object for r in registry.object("Case").related] == ["Delivery__c"]


@pytest.mark.shared
@pytest.mark.parametrize(("file", "objects"), [("b2b", 27), ("b2c", 27), ("original", 16)])
def test_the_published_schemas(file: str, objects: int, tmp_path: Path) -> None:
    schema = json.loads((SHARED / "data" / f"{file}_schema.json").read_text())
    registry = registry_from_schema(schema)
    assert len(registry.objects) == objects
    check(registry, tmp_path)
    assert all(item.has("Id") for item in registry.objects)
    assert {item.name for item in registry.objects} <= set(KEY_PREFIXES)
