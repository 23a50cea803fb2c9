"""Schema files: the published form (a list of described objects) and our own, which carries the whole registry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.folding import clean_text
from study.sandbox.engine.published import registry_from_schema
from study.sandbox.engine.registry import Registry
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.exchange.foreign_sqlite import regular_file

SCHEMA_FILE = "schema.json"
SCHEMA_FORMAT = "realia-org"
ABOUT = ("generator", "seed", "numpy", "world", "pulled")
"""What a manifest tells of an Org's origin, kept through exports."""
_LARGEST = 64_000_000
_LONGEST_WORD = 200


@dataclass(frozen=True)
class Schema:
    """A schema file: the registry, and with our own format also the Org's today and origin."""

    registry: Registry
    published: bool
    today: date | None = None
    about: dict[str, Any] = field(default_factory=dict)


def read_schema(path: Path) -> Schema:
    """A schema file in the published form (a list) or our own (with a registry). SnapshotError otherwise."""
    if regular_file(path) > _LARGEST:
        raise SnapshotError(f"The schema {path.name} is larger than {_LARGEST // 1_000_000} MB.")
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
        if isinstance(data, list):
            return Schema(registry_from_schema(data), published=True)
        if not isinstance(data, dict) or data.get("format") != SCHEMA_FORMAT:
            raise SnapshotError(f"{path.name} is neither a published schema (a list of objects) nor one of ours.")
        today = date.fromisoformat(data["today"]) if data.get("today") else None
        return Schema(Registry.from_json(data["registry"]), False, today, told_about(data.get("about")))
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise SnapshotError(f"The schema {path.name} cannot be read: {error}") from error


def told_about(given: object) -> dict[str, Any]:
    """What a file says of where an Org came from: known words and short values only.

    It never says what an Org *is* (hash, counts, days): that is read off the content, and decides who sees it (A15).
    """
    if not isinstance(given, Mapping):
        return {}
    plain = {key: given[key] for key in ABOUT if isinstance(given.get(key), str | int)}
    return {key: clean_text(value)[:_LONGEST_WORD] if isinstance(value, str) else value for key, value in plain.items()}


def schema_in(folder: Path) -> Path:
    """The one schema file of a folder. SnapshotError if there is none, or more than one."""
    named = sorted(folder.glob("*schema.json"))
    if len(named) != 1:
        count = "no schema file" if not named else f"{len(named)} schema files"
        raise SnapshotError(f"{folder} holds {count}. Name one with --schema FILE.")
    return named[0]


def schema_beside(path: Path) -> Path | None:
    """The schema that an export put beside a database: ``org.schema.json`` beside ``org.db``."""
    beside = path.with_name(f"{path.stem}.{SCHEMA_FILE}")
    return beside if beside.is_file() else None


def write_schema(snapshot: Snapshot, path: Path) -> Path:
    """Our schema of a snapshot; with the tables of any export it gives the same Org hash again."""
    schema = {
        "format": SCHEMA_FORMAT,
        "version": 1,
        "hash": snapshot.hash,
        "today": snapshot.last_day.isoformat(),
        "about": {key: snapshot.manifest[key] for key in ABOUT if snapshot.manifest.get(key) is not None},
        "registry": json.loads(snapshot.registry.to_json()),
    }
    path.write_text(json.dumps(schema, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    return path
