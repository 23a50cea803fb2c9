"""A live org behind simple-salesforce: what is asked of it, with patience, and its errors in plain words."""

from __future__ import annotations

import csv
import io
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

import requests
from simple_salesforce.api import Salesforce
from simple_salesforce.exceptions import (
    SalesforceAuthenticationFailed,
    SalesforceError,
    SalesforceExpiredSession,
    SalesforceGeneralError,
)

from study.sandbox.engine.errors import SnapshotError

API_VERSION = "60.0"
INSTANCE, SESSION = "SALESFORCE_INSTANCE_URL", "SALESFORCE_SESSION_ID"
USER, PASSWORD, TOKEN, DOMAIN = (
    "SALESFORCE_USERNAME", "SALESFORCE_PASSWORD", "SALESFORCE_TOKEN", "SALESFORCE_DOMAIN",
)  # fmt: skip
WAITS = (1, 3, 10, 30)
TIMEOUT = (15, 180)
BULK_PAGE = 50_000
_BULK_WAITS = (1, 2, 5, 10, 20)
T = TypeVar("T")


class PullStopped(SnapshotError):
    """The pull cannot go on now; what it has is kept."""


class Refusal(Exception):
    """The org refuses a question: its code and message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class PatientSession(requests.Session):
    """Nothing waits for ever."""

    def request(self, *args: Any, **kwargs: Any) -> requests.Response:
        kwargs.setdefault("timeout", TIMEOUT)
        return super().request(*args, **kwargs)


def connect(environment: Mapping[str, str], session: requests.Session | None = None) -> LiveOrg:
    """Sign in with what the environment holds. PullStopped says what is missing or refused, without repeating it."""
    # The library must not write addresses or answers into a log.
    logging.getLogger("simple_salesforce").setLevel(logging.CRITICAL)
    given = {key: environment.get(key, "").strip() for key in (INSTANCE, SESSION, USER, PASSWORD, TOKEN, DOMAIN)}
    secrets = [given[key] for key in (SESSION, PASSWORD, TOKEN) if given[key]]
    session = session or PatientSession()
    try:
        if given[INSTANCE] and given[SESSION]:
            if urlsplit(given[INSTANCE]).scheme != "https" or not urlsplit(given[INSTANCE]).hostname:
                raise PullStopped(f"{INSTANCE} must be an address such as https://example.my.salesforce.com.")
            client = Salesforce(
                instance_url=given[INSTANCE], session_id=given[SESSION], session=session, version=API_VERSION
            )
        elif given[USER] and given[PASSWORD]:
            client = Salesforce(
                username=given[USER],
                password=given[PASSWORD],
                security_token=given[TOKEN],
                domain=given[DOMAIN] or None,
                session=session,
                version=API_VERSION,
            )
        else:
            raise PullStopped(
                f"Set {INSTANCE} and {SESSION} in the environment, or {USER}, {PASSWORD} and {TOKEN}. "
                "Nothing of it is stored."
            )
    except SalesforceAuthenticationFailed as error:
        raise PullStopped(f"The org refused the sign-in: {scrubbed(str(error.auth_message), secrets)}") from None
    except (SalesforceError, requests.RequestException, ValueError) as error:
        raise PullStopped(f"The org could not be reached: {scrubbed(type(error).__name__, secrets)}.") from None
    return LiveOrg(client, secrets)


def scrubbed(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "***")
    return text


class LiveOrg:
    """What is asked of an org. Every question is asked again when the line breaks or the org is busy."""

    def __init__(self, client: Any, secrets: list[str], pause: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._secrets = [*secrets, str(getattr(client, "session_id", "") or "")]
        self._secrets = [secret for secret in self._secrets if secret]
        self.pause = pause

    @property
    def host(self) -> str:
        return str(self._client.sf_instance)

    def overview(self) -> dict[str, Any]:
        try:
            return _shaped(self._asked(self._client.describe), sobjects=list)
        except Refusal as refusal:
            raise PullStopped(
                f"The org does not say what it holds: {refusal.message} Ask whether its API is open to this user."
            ) from None

    def describe(self, name: str) -> dict[str, Any]:
        # Through JSON, so that a description read back from disk is the same value.
        told = _shaped(self._asked(getattr(self._client, name).describe), name=str, fields=list)
        found: dict[str, Any] = json.loads(json.dumps(told))
        return found

    def count(self, name: str) -> int:
        counted = self._asked(lambda: self._client.query(f"SELECT COUNT() FROM {name}"))
        return int(_shaped(counted, totalSize=int)["totalSize"])

    def first(self, soql: str) -> dict[str, Any] | None:
        """The first record of a query; None where the org does not answer it."""
        try:
            records = _shaped(self._asked(lambda: self._client.query(soql)), records=list)["records"]
        except Refusal:
            return None
        return dict(records[0]) if records else None

    def pages(self, soql: str) -> Iterator[list[dict[str, Any]]]:
        """The records of a query, page by page."""
        page = self._asked(lambda: self._client.query(soql))
        while True:
            _shaped(page, records=list, done=bool)
            yield [{key: value for key, value in row.items() if key != "attributes"} for row in page["records"]]
            if page["done"]:
                return
            following = page["nextRecordsUrl"]
            page = self._asked(partial(self._client.query_more, following, identifier_is_url=True))

    def start_bulk(self, name: str, soql: str) -> str:
        return str(self._asked(lambda: self._bulk(name).create_job("query", query=soql))["id"])

    def finished_bulk(self, name: str, job: str) -> None:
        """Wait until a bulk query is ready. Refusal if it failed."""
        for turn in range(10_000):
            told = self._asked(lambda: self._bulk(name).get_job(job, True))
            if told["state"] == "JobComplete":
                return
            if told["state"] in {"Failed", "Aborted"}:
                raise Refusal("BULK_FAILED", str(told.get("errorMessage") or told["state"]))
            self.pause(_BULK_WAITS[min(turn, len(_BULK_WAITS) - 1)])
        raise PullStopped(f"The bulk query of {name} did not finish. Run the same command again later.")

    def bulk_page(self, name: str, job: str, locator: str) -> tuple[list[dict[str, Any]], str]:
        """One page of a finished bulk query, and where the next begins (empty: nowhere)."""
        found = self._asked(lambda: self._bulk(name).get_query_results(job, locator, BULK_PAGE))
        csv.field_size_limit(16_000_000)
        rows = [dict(row) for row in csv.DictReader(io.StringIO(found["records"], newline=""))]
        return rows, str(found["locator"] or "")

    def _bulk(self, name: str) -> Any:
        return getattr(self._client.bulk2, name)._client

    def _asked(self, question: Callable[[], T]) -> T:
        for wait in (*WAITS, None):
            try:
                return question()
            except SalesforceExpiredSession:
                raise PullStopped(
                    "The session has expired or was refused. Set a new one in the environment and run the same "
                    "command again: it goes on where it stopped."
                ) from None
            except SalesforceError as error:
                self._refused(error, last=wait is None)
            except (requests.RequestException, RecursionError, TypeError):
                # A page of maintenance, or JSON the library cannot use, is no answer either; its text is not shown.
                if wait is None:
                    raise PullStopped(
                        "The org does not answer. Run the same command again later: it goes on where it stopped."
                    ) from None
            self.pause(wait or 0)
        raise AssertionError("every way through the loop returns or raises")

    def _refused(self, error: SalesforceError, *, last: bool) -> None:
        """Raise what an error of the org means; return only where asking again may help."""
        code, message = _code_of(error)
        message = scrubbed(message, self._secrets)
        if code == "REQUEST_LIMIT_EXCEEDED":
            raise PullStopped(
                "The org's limit of requests is reached (REQUEST_LIMIT_EXCEEDED). Wait until it is renewed, usually "
                "within 24 hours, and run the same command again: it goes on where it stopped."
            ) from None
        busy = code in {"UNABLE_TO_LOCK_ROW", "SERVER_UNAVAILABLE", "QUERY_TIMEOUT"}
        if busy or (isinstance(error, SalesforceGeneralError) and int(error.status) >= 500):
            if last:
                raise PullStopped(
                    f"The org is busy ({code or error.status}). Run the same command again later: it goes on where "
                    "it stopped."
                ) from None
            return
        raise Refusal(code, message or str(error.status)) from None


def _shaped(found: Any, **wanted: type) -> dict[str, Any]:
    """An answer that holds what such an answer holds. PullStopped for any other."""
    if isinstance(found, Mapping) and all(isinstance(found.get(key), kind) for key, kind in wanted.items()):
        return dict(found)
    raise PullStopped(
        "The org answered with something else than was asked. Is the address that of an org? Run the same command "
        "again later: it goes on where it stopped."
    )


def _code_of(error: SalesforceError) -> tuple[str, str]:
    content: Any = error.content
    first = content[0] if isinstance(content, list) and content else content
    if isinstance(first, dict):
        return str(first.get("errorCode") or ""), str(first.get("message") or "")
    return "", str(content)[:300]
