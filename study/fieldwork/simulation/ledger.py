"""The ledger: every save that was acknowledged, in order. What it holds must be in the bundle, and nothing else."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any


class Ledger:
    """Appends one line per acknowledged save: participant, field, value, version, moment, and
    which of a person's visits it is.

    The version is the one the server named; a form that was sent has none.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = 0
        self._lock = Lock()
        path.parent.mkdir(parents=True, exist_ok=True)

    def note(self, participant: str, field: str, value: Any, version: int | None = None, *, period: int = 1) -> None:
        row = {
            "participant": participant, "field": field, "value": value, "version": version,
            "period": period, "at": datetime.now(UTC).isoformat(),
        }  # fmt: skip
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            self.lines += 1
