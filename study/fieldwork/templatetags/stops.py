"""For the buttons that stop the clocks, on pages and in the dock."""

from django import template

from study.assignment.models import Visit
from study.fieldwork import pausing

register = template.Library()


@register.filter
def may_pause(visit: Visit) -> bool:
    """Whether this visit has a pause button."""
    return pausing.offered(visit)
