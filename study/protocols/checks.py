"""What is wrong with a protocol beyond its shape."""

from __future__ import annotations

from collections.abc import Iterator

from study.protocols.problems import Finding
from study.protocols.schema import ProtocolFile


def check(protocol: ProtocolFile, *, private_names: tuple[str, ...] = ()) -> Iterator[Finding]:
    yield from ()
