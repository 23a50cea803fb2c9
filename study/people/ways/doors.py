"""What the doors into the hour share: who is at them, in which language they are met, and a page that only says."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from study.accounts.models import User
from study.people.language import speak, wanted
from study.people.models import Cohort
from study.people.protocol import file_of, protocol_of

KEY = "resume_key"
OPENING = ["GET", "HEAD", "POST"]


def somebody_else(request: HttpRequest, email: str) -> bool:
    """Whether this browser is signed in as another person than the one a link was sent to (P-05)."""
    user = request.user
    return isinstance(user, User) and user.email != email.strip().lower()


def notice(request: HttpRequest, title: str, text: str, status: int, **context: object) -> HttpResponse:
    return render(request, "people/notice.html", context | {"title": title, "text": text}, status=status)


def meet(request: HttpRequest, cohort: Cohort) -> str:
    """Speak at a cohort's door as somebody chose, their link says or their browser asks; the language."""
    language = wanted(request, file_of(protocol_of(cohort), ""))
    speak(language)
    return language
