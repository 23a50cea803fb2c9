"""Sessions whose content is encrypted in the database.

They hold what nobody else may read even for a moment: a resume key until its owner has noted it, the code and the
address of somebody who is signing in, the parameters of a panel. A copy of the table tells none of it.
"""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.backends.db import SessionStore as Stored

from study.accounts.encrypted import Unreadable, opened, sealed


class SessionStore(Stored):
    def encode(self, session_dict: dict[str, Any]) -> str:
        return sealed(super().encode(session_dict))

    def decode(self, session_data: Any) -> dict[str, Any]:
        """Empty for a session that no key opens: its person signs in again."""
        try:
            return super().decode(opened(session_data))
        except Unreadable:
            return {}
