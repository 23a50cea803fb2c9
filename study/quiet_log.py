"""Keeps personal links out of the log: whoever reads it must not be able to open them (P-41)."""

from __future__ import annotations

import logging
import re

LINK = re.compile(r"/(i|j|link)/[^/\s]+")


class HidesLinks(logging.Filter):
    """Writes ``/i/…`` for the link of an invitation, and the same for open links and sign-in links."""

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        if LINK.search(text):
            record.msg, record.args = LINK.sub(r"/\1/…", text), ()
        return True
