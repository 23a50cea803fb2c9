"""Staff open an Org to look round in it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from study.accounts.access import person
from study.sandbox.access import org_for
from study.sandbox.desks import open_desk
from study.sandbox.models import Purpose


@require_POST
def open_org(request: HttpRequest, name: str) -> HttpResponse:
    """A staff desk in an Org this person may see."""
    org = org_for(request, name)
    desk = open_desk(org=org, user=person(request), purpose=Purpose.STAFF)
    return redirect("crm_home", desk.code)
