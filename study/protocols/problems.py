"""What can be wrong with a protocol file, said so that its author can mend it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _

Level = Literal["error", "warning"]
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Finding:
    """Something wrong at a path of the parsed value, before it has a line."""

    path: Path
    message: str
    remedy: str
    level: Level = "error"


@dataclass(frozen=True)
class Problem:
    """Something wrong at a line and column of the text, both counted from 1."""

    line: int
    column: int
    path: str
    message: str
    remedy: str
    level: Level = "error"

    def __str__(self) -> str:
        where = _("line %(line)d") % {"line": self.line}
        return (
            f"{where}, {self.path}: {self.message} {self.remedy}"
            if self.path
            else (f"{where}: {self.message} {self.remedy}")
        )


class ProtocolInvalid(ValueError):
    """The text is no valid protocol; ``problems`` says why, in file order."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("; ".join(str(problem) for problem in problems[:3]))


def dotted(path: Path) -> str:
    """``("screener", "items", 0, "text")`` as ``screener.items[0].text``."""
    out = ""
    for part in path:
        out += f"[{part}]" if isinstance(part, int) else (f".{part}" if out else part)
    return out
