"""The registry of erasers: who forgets what about one person, told by the apps that keep it (P-43).

An app registers its erasers in ``AppConfig.ready``. Each knows two acts: ``held`` counts what it still keeps about a
subject, and ``erase`` removes it and returns how much that was. Both may run again at any time; the second run finds
nothing. ``study`` and the participant's code are all that is passed: no eraser needs to know another app.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from study.accounts.models import Study

Scope = Literal["identity", "everything"]
Held = Callable[[Study, str], int]
Erase = Callable[[Study, str], int]


@dataclass(frozen=True)
class Eraser:
    """``scope``: what says who somebody is, or what they typed and chose. ``order``: files after rows, logs last."""

    name: str
    what: str
    scope: Scope
    held: Held
    erase: Erase
    order: int = 50


_erasers: dict[str, Eraser] = {}


def register(eraser: Eraser) -> Eraser:
    """Raises ValueError when another eraser has this name."""
    if _erasers.setdefault(eraser.name, eraser) is not eraser:
        raise ValueError(f"There are two erasers called {eraser.name!r}.")
    return eraser


def erasers(scope: Scope) -> Iterator[Eraser]:
    """Those that run for a scope, in their order; "everything" includes the identity."""
    for eraser in sorted(_erasers.values(), key=lambda one: (one.order, one.name)):
        if scope == "everything" or eraser.scope == "identity":
            yield eraser
