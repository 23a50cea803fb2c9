"""Dangerous acts ask who is there once more: somebody may have left their desk with the browser open."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse

View = Callable[..., HttpResponse]


def dangerous(view: View) -> View:
    """A view that goes on only when its person has proved themselves a short while ago."""

    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return view(request, *args, **kwargs)

    return page
