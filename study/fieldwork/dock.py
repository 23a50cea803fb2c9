"""The dock on sandbox pages: a context processor that acts only where a desk is open."""

from typing import Any

from django.http import HttpRequest


def dock(request: HttpRequest) -> dict[str, Any]:
    return {}
