"""Addresses as people write them: entries of a pasted text, and what two spellings of one mailbox share."""

from __future__ import annotations

import re
from collections.abc import Iterable

from study.accounts.typed_text import visible_text

NAMED = re.compile(r"^.*<([^<>]*)>$")


def shortened(entry: str) -> str:
    """An entry as a preview shows it: enough to find it again in what was pasted."""
    return entry if len(entry) <= 80 else entry[:79] + "…"


def person_key(address: str) -> str:
    """What two spellings of one mailbox share: lower case, no "+…" part, no dots before the @."""
    local, _at, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0].replace('.', '')}@{domain}"


def entries(text: str) -> Iterable[tuple[int, str]]:
    """Line number and entry; lines, commas and semicolons separate, ``Name <address>`` is its address."""
    for number, line in enumerate(visible_text(text).split("\n"), start=1):
        for part in re.split(r"[,;\t]", line):
            entry = part.strip()
            if not entry:
                continue
            named = NAMED.match(entry)
            yield number, (named.group(1) if named else entry).strip().strip('"')
