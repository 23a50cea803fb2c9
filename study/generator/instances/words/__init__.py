"""The words of questions, contexts and requesters; YAML files beside this module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Said:
    """Something a requester knows: ``text`` in full and ``short``; ``wrong`` what one says who is mistaken once."""

    topic: str
    text: str
    short: str = ""
    wrong: str = ""
    # Which form withholds it; what is never needed has no part.
    part: str = "policy"
    # Told only after what comes before it.
    stage: int = 1


@dataclass(frozen=True)
class Words:
    """The words of one task: wordings of its question by kind, openings that leave much open, and its policy."""

    title: str
    wordings: Mapping[str, Sequence[str]]
    vague: tuple[str, ...]
    policy: tuple[Said, ...]


@lru_cache
def _file(name: str) -> Any:
    return yaml.safe_load((HERE / f"{name}.yaml").read_text(encoding="utf-8"))


@lru_cache
def words(task: str) -> Words:
    """KeyError for a task without words."""
    for name in ("service", "sales", "customers"):
        if (found := _file(name).get(task)) is not None:
            wordings = {kind: texts for kind, texts in found.items() if kind not in ("title", "policy", "vague")}
            policy = tuple(Said(**entry) for entry in found["policy"])
            return Words(found["title"], wordings, tuple(found.get("vague", ())), policy)
    raise KeyError(task)


def personas(pool: str) -> list[str]:
    """The sixteen personas of a pool: employees, consumers or buyers."""
    return list(_file("personas")[pool])


def contexts() -> Mapping[str, Any]:
    return dict(_file("contexts"))
