"""Keeps personal links out of the log: whoever reads it must not be able to open them (P-41)."""

from __future__ import annotations

import logging
import re
from http import HTTPStatus

# What follows the question mark of a panel's link is somebody's id there.
LINK = re.compile(r"/(i|j|link|staff|p|u)/[^/\s]+(/\?\S*)?")


class HidesLinks(logging.Filter):
    """Writes ``/i/…`` for the link of an invitation, and the same for open links and sign-in links."""

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        if LINK.search(text):
            record.msg, record.args = LINK.sub(r"/\1/…", text), ()
        # A closed door is no fault of ours: one line says enough, a trace would bury real ones.
        if getattr(record, "status_code", 0) == HTTPStatus.FORBIDDEN:
            record.exc_info = None
        return True
