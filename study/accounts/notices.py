"""One sentence on the next page that something was done."""

from django.contrib import messages
from django.http import HttpRequest


def done(request: HttpRequest, text: str) -> None:
    messages.success(request, text)
