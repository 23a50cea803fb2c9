"""What the browser says of how a text came about: kept only of people who agreed to it, and measured of nobody else.

Three numbers: characters pasted, pastes, seconds the box had the focus. They come with a save, as client facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from study.assignment.models import Visit
from study.fieldwork.models import Rationale
from study.people.consenting.consent import agreed

STATEMENT = "typing"
"""The optional line of the consent that this waits for."""
MOST_PASTES, MOST_SECONDS, MOST_CHARACTERS = 1_000, 24 * 3600, 1_000_000


@dataclass(frozen=True)
class TypingFacts:
    pasted: int
    pastes: int
    seconds: int

    def columns(self, text: str) -> dict[str, Any]:
        """Columns of a rationale. What was pasted and deleted again cannot be told, so the share ends at 1."""
        share = min(self.pasted / len(text), 1.0) if text else 0.0
        return {"pasted_share": round(share, 4), "pastes": self.pastes, "focus_seconds": self.seconds}


def measured(visit: Visit) -> bool:
    """Whether the page measures at all."""
    return agreed(visit.participant, STATEMENT)


def facts_from(value: object) -> TypingFacts | None:
    """Three numbers as a list, or with commas between as a form has them; None for anything else."""
    parts: Sequence[Any] = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else ()
    numbers = [int(part) for part in map(str, parts) if part.isascii() and part.isdecimal() and len(part) < 10]
    if len(numbers) != 3 or len(parts) != 3:
        return None
    most = (MOST_CHARACTERS, MOST_PASTES, MOST_SECONDS)
    return TypingFacts(*(min(n, top) for n, top in zip(numbers, most, strict=True)))


def columns_for(visit: Visit, value: object, text: str) -> dict[str, Any]:
    """What to store with a text; nothing where it was not agreed to or not said."""
    facts = facts_from(value)
    return facts.columns(text) if facts and measured(visit) else {}


def stored(box: Rationale | None) -> str:
    """What a page goes on counting from."""
    if box is None:
        return "0,0,0"
    pasted = round((box.pasted_share or 0) * len(box.text))
    return f"{pasted},{box.pastes or 0},{box.focus_seconds or 0}"
