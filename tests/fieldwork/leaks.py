"""Everything a browser received, and what of it tells a right answer or where the records come from.

The rule, for each gold Id (18 and 15 characters) of the person's own five instances, as long as the person has not
opened that record:

1. A page of the platform (everything outside ``/crm/``), its headers, cookies and mails never hold it. One exception: a
   record that the look or a move of this person drew at random over all records stands where it was drawn.
2. A page of the sandbox holds it exactly as often as the same address does at a desk of staff without any question: a
   list that contains the record as a row is the Org's data; what the dock or the question would add to it is a leak.

A record is opened by a request for its own address. That it stood as a row of a list releases nothing: the dock and the
pages of the hour still may not name it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from study.protocols.checks_texts import forbidden_in

FILES = ("application/pdf", "application/zip")
TOKEN = re.compile(r"[A-Za-z0-9]{15,18}")


@dataclass(frozen=True)
class Response:
    """One response as it went over the wire, headers and cookies too."""

    method: str
    address: str
    status: int
    text: str
    head: str = ""

    @property
    def all(self) -> str:
        return f"{self.address}\n{self.head}\n{self.text}"

    @property
    def of_the_sandbox(self) -> bool:
        return self.address.startswith("/crm/") and self.method == "GET"


class Listening(Client):
    """A browser that keeps every response, redirects on the way too."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.heard: list[Response] = []

    def request(self, **request: Any) -> Any:
        response = super().request(**request)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        if response.streaming:
            response.streaming_content = [body]
        address = request["PATH_INFO"] + (f"?{query}" if (query := request.get("QUERY_STRING")) else "")
        cookies = "\n".join(f"{name}={morsel.value}" for name, morsel in response.cookies.items())
        head = "\n".join(f"{name}: {value}" for name, value in response.items()) + "\n" + cookies
        # A file that is no text keeps its bytes.
        text = body.decode("latin-1" if response.get("Content-Type") in FILES else "utf-8")
        heard = Response(request["REQUEST_METHOD"], address, response.status_code, text, head)
        self.heard.append(heard)
        return response


@dataclass
class Search:
    """Looks through responses in their order. ``same_page`` gives an address as a desk without a question shows it."""

    golds: frozenset[str]
    same_page: Callable[[str], str]
    drawn: frozenset[str] = frozenset()
    seen: set[str] = field(default_factory=set)

    def leaks(self, responses: Iterable[Response]) -> list[tuple[str, str]]:
        """(gold Id, address) of every response that holds one too early."""
        found = []
        for response in responses:
            self.seen |= {gold for gold in self.golds if times(gold, response.address)}
            for gold in sorted(self.golds - self.seen):
                count = times(gold, response.all)
                if not count or (gold in self.drawn and not response.of_the_sandbox):
                    continue
                if not response.of_the_sandbox or count != times(gold, self.same_page(response.address)):
                    found.append((gold, f"{response.method} {response.address}"))
        return found


def times(gold: str, text: str) -> int:
    """How often an Id stands in a text, in either of its lengths."""
    return sum(token in (gold, gold[:15]) for token in TOKEN.findall(text))


def words(responses: Iterable[Response]) -> list[tuple[str, str]]:
    """(word, address) of every word of M7 in a response: titles, addresses, names of classes and headers too."""
    return [(word, one.address) for one in responses for word in forbidden_in(one.all)]
