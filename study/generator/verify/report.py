"""All checks of an Org, and what they found together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from study.generator.verify.fingerprints import check_fingerprints
from study.generator.verify.formats import check_formats
from study.generator.verify.lookups import check_lookups
from study.generator.verify.mentions import mentions_of
from study.generator.verify.outcome import Check
from study.generator.verify.own_numbers import check_own_numbers
from study.generator.verify.plausible import check_plausible
from study.generator.verify.retold import check_facts
from study.generator.verify.source import Source, reading
from study.generator.verify.texts import Variety, check_variety, known_names, measure, text_fields
from study.generator.verify.time_order import check_time_order
from study.sandbox.engine.snapshot import Snapshot

GROUPS = ("formats", "lookups", "time", "plausible", "texts", "facts", "fingerprints")
_RECORDS: dict[str, Callable[[Source], Iterator[Check]]] = {
    "formats": check_formats,
    "lookups": check_lookups,
    "time": check_time_order,
    "plausible": check_plausible,
}


@dataclass(frozen=True)
class Report:
    """Checks in order, and the variety of each text field."""

    hash: str
    checks: tuple[Check, ...]
    variety: tuple[Variety, ...] = field(default=())

    @property
    def failed(self) -> list[Check]:
        return [check for check in self.checks if not check.passed]

    def as_dict(self) -> dict[str, Any]:
        return {
            "hash": self.hash,
            "passed": not self.failed,
            "checks": [check.as_dict() for check in self.checks],
            "texts": [asdict(found) for found in self.variety],
        }


def verify(snapshot: Snapshot, truth: Path | None = None, groups: Collection[str] = GROUPS) -> Report:
    """Every check of an Org, or those of some groups. ``truth``: its truth file; without one, checks against it are
    not made and say so. ValueError for a group that does not exist."""
    if unknown := sorted(set(groups) - set(GROUPS)):
        raise ValueError(f"There are no checks called {', '.join(unknown)}; choose from {', '.join(GROUPS)}.")
    with reading(snapshot, truth) as source:
        return verify_source(source, groups)


def verify_source(source: Source, groups: Collection[str] = GROUPS) -> Report:
    checks: list[Check] = []
    variety: list[Variety] = []
    for group, look in _RECORDS.items():
        if group in groups:
            checks += look(source)
    if "texts" in groups:
        names = known_names(source)
        variety = [measure(source, item, one, names) for item, one in text_fields(source)]
        checks += [check for found in variety for check in check_variety(found)]
        checks += check_own_numbers(source, mentions_of(source))
    if "facts" in groups:
        checks += check_facts(source, mentions_of(source))
    if "fingerprints" in groups:
        checks += check_fingerprints(source)
    return Report(source.snapshot.hash, tuple(checks), tuple(variety))
