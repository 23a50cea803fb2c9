"""The one family of errors a query can end in, with codes a CRM's users know."""

from __future__ import annotations

INVALID_TYPE = "INVALID_TYPE"
INVALID_FIELD = "INVALID_FIELD"
MALFORMED_QUERY = "MALFORMED_QUERY"
INVALID_OPERATOR = "INVALID_QUERY_FILTER_OPERATOR"
INVALID_VALUE = "INVALID_QUERY_VALUE"
QUERY_TIMEOUT = "QUERY_TIMEOUT"
INVALID_SEARCH = "INVALID_SEARCH"


class QueryError(Exception):
    """A query that cannot be answered.

    ``code`` is one of the codes above, ``message`` a sentence for the person who
    asked, ``place`` the object, field or part of the query it is about.
    """

    def __init__(self, code: str, message: str, place: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.place = place


class UnknownObject(QueryError, KeyError):
    """No object of this name in the Org."""

    def __init__(self, name: str) -> None:
        super().__init__(INVALID_TYPE, f"There is no object called {name!r} in this Org.", name)

    def __str__(self) -> str:
        return self.message


class UnknownField(QueryError, KeyError):
    """No field of this name on the object."""

    def __init__(self, name: str, object_name: str) -> None:
        super().__init__(INVALID_FIELD, f"{object_name} has no field called {name!r}.", name)

    def __str__(self) -> str:
        return self.message


class QueryTimeout(QueryError):
    """The query ran longer than it may and was stopped; nothing was changed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            QUERY_TIMEOUT,
            f"This took longer than {seconds:g} seconds. We stopped it; nothing is lost. A narrower filter will help.",
        )
        self.seconds = seconds


class SnapshotError(Exception):
    """A file that is not a sound snapshot, or tables that cannot become one."""
