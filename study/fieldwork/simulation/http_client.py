"""A small browser for simulated experts: cookies, CSRF token, redirects; the standard library is enough."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

from study.fieldwork.simulation.hands import Unexpected

TIMEOUT = 60


@dataclass(frozen=True)
class Answer:
    path: str
    status: int
    text: str

    def json(self) -> dict[str, Any]:
        found = json.loads(self.text)
        return found if isinstance(found, dict) else {}


class Browser:
    """One person's browser. Every method follows redirects and returns where they ended."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.closed = False
        self.jar = CookieJar()
        # Never by way of a proxy: the server is on this machine.
        self.opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(self.jar))

    def get(self, path: str) -> Answer:
        return self._ask(Request(urljoin(self.base, path)), (200,))  # noqa: S310

    def post(
        self, path: str, fields: Mapping[str, str | Sequence[str]] | None = None, *, expect: tuple[int, ...] = (200,)
    ) -> Answer:
        """Send a form as a page would, token included."""
        body = urlencode({**(fields or {}), "csrfmiddlewaretoken": self.token}, doseq=True).encode()
        request = Request(urljoin(self.base, path), data=body, method="POST")  # noqa: S310
        return self._ask(request, expect)

    def save(self, path: str, value: Mapping[str, Any]) -> dict[str, Any]:
        """One autosave; only an acknowledged one returns."""
        request = Request(urljoin(self.base, path), data=json.dumps(value).encode(), method="POST")  # noqa: S310
        request.add_header("Content-Type", "application/json")
        request.add_header("Accept", "application/json")
        return self._ask(request, (200,)).json()

    @property
    def token(self) -> str:
        return next((cookie.value or "" for cookie in self.jar if cookie.name == "csrftoken"), "")

    def _ask(self, request: Request, expect: tuple[int, ...]) -> Answer:
        if self.closed:
            raise Unexpected("the browser was closed")
        request.add_header("X-CSRFToken", self.token)
        try:
            with self.opener.open(request, timeout=TIMEOUT) as response:
                answer = Answer(urlsplit(response.url).path, response.status, response.read().decode())
        except HTTPError as error:
            answer = Answer(urlsplit(request.full_url).path, error.code, error.read().decode(errors="replace"))
        if answer.status not in expect:
            raise Unexpected(f"{request.get_method()} {answer.path} answered {answer.status}: {answer.text[:300]}")
        return answer
