"""The protocols that ship with Realia, as files beside this module."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "builtin"


def builtin_names() -> tuple[str, ...]:
    """The recommended study first, then the replications by name."""
    names = sorted(path.stem for path in FOLDER.glob("*.yaml"))
    return tuple(sorted(names, key=lambda name: (name != "realia-hour", name)))


def builtin_text(name: str) -> str:
    """Raises KeyError for a name that is not built in."""
    if name not in builtin_names():
        raise KeyError(name)
    return (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
