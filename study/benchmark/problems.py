"""What is wrong with a file of instances, said so that someone can mend it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Problem:
    """``where`` is a line or record of the file; ``kept`` says whether the record went in all the same."""

    where: str
    idx: str
    field: str
    message: str
    remedy: str
    kept: bool = False

    def __str__(self) -> str:
        named = f"{self.where}, idx {self.idx}" if self.idx else self.where
        field = f", {self.field}" if self.field else ""
        outcome = "" if self.kept else " (left out)"
        return f"{named}{field}: {self.message}{outcome}. {self.remedy}"


class UnreadableFile(ValueError):
    """The whole file cannot be read; the text says why and what to do."""


def short(value: Any, length: int = 60) -> str:
    text = str(value)
    return text if len(text) <= length else text[: length - 1] + "…"
