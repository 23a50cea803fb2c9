"""All checks of an Org, and what they found together."""

from __future__ import annotations

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


def verify(snapshot: Snapshot, truth: Path | None = None) -> Report:
    """Every check of an Org. ``truth``: its truth file; without one, checks against it are not made and say so."""
    with reading(snapshot, truth) as source:
        return verify_source(source)


def verify_source(source: Source) -> Report:
    checks = [*check_formats(source), *check_lookups(source), *check_time_order(source), *check_plausible(source)]
    names = known_names(source)
    variety = [measure(source, item, one, names) for item, one in text_fields(source)]
    for found in variety:
        checks += check_variety(found)
    mentions = mentions_of(source)
    checks += check_own_numbers(source, mentions)
    checks += check_facts(source, mentions)
    checks += check_fingerprints(source)
    return Report(source.snapshot.hash, tuple(checks), tuple(variety))
