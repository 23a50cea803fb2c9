"""Which language a page of the hour speaks: the participant's, for exactly their pages.

A door of the hour calls ``speak``; from then on, until the request ends, the interface is in that language and
``file_of`` gives the protocol in it. Everything else (staff, exports, jobs) speaks no language, which means the base:
texts as the protocol has them, the interface as the settings say. ``speaking`` does the same for a letter or the dock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import get_language_info
from django.utils.translation.trans_real import parse_accept_lang_header

from study.protocols.translations import languages_of

if TYPE_CHECKING:
    from study.protocols.schema import ProtocolFile

_spoken: ContextVar[str] = ContextVar("spoken", default="")


def spoken() -> str:
    """The language of the page being made; empty where no door has said one."""
    return _spoken.get()


def speak(language: str) -> None:
    """From here on this request speaks a participant's language."""
    _spoken.set(language)
    translation.activate(language or settings.LANGUAGE_CODE)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language for a while: a letter, the dock beside a page that has another one."""
    token = _spoken.set(language)
    try:
        with translation.override(language or settings.LANGUAGE_CODE):
            yield
    finally:
        _spoken.reset(token)


class HourLanguage:
    """Ends with each request what ``speak`` began in it, so that the next one starts with none."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token, before = _spoken.set(""), translation.get_language()
        try:
            response = self.get_response(request)
            if language := spoken():
                response.headers.setdefault("Content-Language", language)
            return response
        finally:
            _spoken.reset(token)
            translation.activate(before or settings.LANGUAGE_CODE)


@dataclass(frozen=True)
class Offered:
    """One language at the door, named in itself."""

    code: str
    name: str
    direction: str
    here: bool


def direction(language: str) -> str:
    """``rtl`` or ``ltr``."""
    return "rtl" if language.split("-")[0] in settings.LANGUAGES_BIDI else "ltr"


def offered(file: ProtocolFile, here: str) -> list[Offered]:
    """The languages to choose from at the door; empty where there is one only."""
    codes = languages_of(file)
    return [Offered(code, _name(code), direction(code), code == here) for code in codes] if len(codes) > 1 else []


def _name(code: str) -> str:
    try:
        return str(get_language_info(code)["name_local"])
    except KeyError:
        return code


def wanted(request: HttpRequest, file: ProtocolFile) -> str:
    """What somebody at the door chose, or a link says (``?lang=``), or their browser asks for; else the base."""
    codes = languages_of(file)
    chosen = request.POST.get("language") or request.GET.get("lang") or ""
    if chosen in codes:
        return chosen
    by_first = {code.split("-")[0].lower(): code for code in reversed(codes)}
    by_code = {code.lower(): code for code in codes}
    for tag, _weight in parse_accept_lang_header(request.headers.get("Accept-Language", "").lower()):
        if found := by_code.get(tag) or by_first.get(tag.split("-")[0]):
            return found
    return codes[0]
