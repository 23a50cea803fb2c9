"""Whose desk is it: the door of the sandbox, and staff who open an Org."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from study.accounts.flows import create_study
from study.accounts.models import Membership, User
from study.sandbox.desks import close_desk, open_desk
from study.sandbox.models import Desk, StudyOrg, TraceEvent
from tests.sandbox.gui_desk import Room

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend=BACKEND)
    return client


def pages(room: Room) -> list[str]:
    case = room.some("Case", 1)[0]
    return [
        "",
        "o/Case/",
        f"r/{case}/",
        f"r/{case}/thread/",
        "search/?q=tent",
        "search/suggest/?q=t",
        "report/",
        "report/Case/",
        "values/Case/?path=OwnerId&q=a",
        "fields/Case/",
        "favourites/",
        "apps/",
    ]


def test_somebody_elses_desk_is_not_found(gui: Room, cleo: User) -> None:
    """P-39: exactly as for a made-up code, and nothing is written."""
    stranger = signed_in(cleo)
    before = TraceEvent.objects.count()
    for page in pages(gui):
        real = stranger.get(f"/crm/{gui.desk.code}/{page}")
        made_up = stranger.get(f"/crm/AAAAAAAAAAAA/{page}")
        assert (real.status_code, real.content) == (404, made_up.content)
    assert TraceEvent.objects.count() == before


def test_a_visitor_is_led_to_sign_in_for_any_code(gui: Room) -> None:
    """P-39: a logged-out visitor learns nothing about which codes exist."""
    real = Client().get(f"/crm/{gui.desk.code}/")
    made_up = Client().get("/crm/AAAAAAAAAAAA/")
    assert real.status_code == made_up.status_code == 302
    assert real["Location"].replace(gui.desk.code, "AAAAAAAAAAAA") == made_up["Location"]


def test_even_staff_do_not_sit_at_somebody_elses_desk(gui: Room, ada: User, study: Any) -> None:
    Desk.objects.filter(pk=gui.desk.pk).update(study=study)
    assert signed_in(ada).get(f"/crm/{gui.desk.code}/").status_code == 404


def test_pages_answer_get_only(gui: Room) -> None:
    for page in pages(gui):
        assert gui.client.post(f"/crm/{gui.desk.code}/{page}").status_code == 405


def test_a_closed_desk_stays_readable_and_says_so(gui: Room) -> None:
    assert "This desk is closed" not in gui.text("")
    assert close_desk(gui.desk) is True
    assert close_desk(gui.desk) is False
    assert "This desk is closed" in gui.text("o/Case/")


def test_at_a_closed_desk_nothing_counts_any_more(gui: Room) -> None:
    gui.get("o/Case/")
    before = TraceEvent.objects.filter(desk=gui.desk).count()
    close_desk(gui.desk)
    for page in pages(gui):
        gui.get(page)
    assert before == TraceEvent.objects.filter(desk=gui.desk).count() == 1


def test_an_unknown_purpose_is_refused(gui: Room, ben: User) -> None:
    with pytest.raises(ValueError, match="purpose"):
        open_desk(org=gui.desk.org, user=ben, purpose="sightseeing")


def test_staff_open_a_desk_of_their_own(gui: Room, ada: User, ben: User, cleo: User) -> None:
    """A member of a study may; a participant and a stranger get 404, as for a made-up name."""
    there = reverse("crm_open", args=["small"])
    assert Client().post(there).status_code == 302
    for nobody in (ben, cleo):
        client = signed_in(nobody)
        refused = client.post(there)
        assert (refused.status_code, refused.content) == (404, client.post(reverse("crm_open", args=["nix"])).content)
    client = signed_in(ada)
    assert client.get(there).status_code == 405
    response = client.post(there)
    desk = Desk.objects.get(user=ada)
    assert response["Location"] == f"/crm/{desk.code}/"
    assert (desk.purpose, desk.today) == ("staff", gui.desk.org.last_day)
    assert client.get(response["Location"]).status_code == 200
    Membership.objects.filter(user=ada).delete()
    assert client.get(response["Location"]).status_code == 404


def test_an_org_of_one_study_is_not_seen_from_another(gui: Room, ada: User, study: Any, cleo: User) -> None:
    """A15: a researcher's own Org stays inside its study; even operators stay outside."""
    other = create_study(code="autumn", name="Autumn", owner=cleo)
    StudyOrg.objects.create(org=gui.desk.org, study=other)
    User.objects.filter(pk=ada.pk).update(is_operator=True)
    ada.refresh_from_db()
    assert signed_in(ada).post(reverse("crm_open", args=["small"])).status_code == 404
    assert signed_in(cleo).post(reverse("crm_open", args=[gui.desk.org.hash])).status_code == 302


def test_two_desks_of_one_person_have_two_todays(gui: Room, ben: User) -> None:
    """Several tabs with different todays: the desk in the address decides, never the session."""
    early = open_desk(org=gui.desk.org, user=ben, purpose="attempt", today=gui.desk.today.replace(month=1))
    assert "31 Jan 2024" in gui.client.get(f"/crm/{early.code}/").content.decode()
    assert "31 Mar 2024" in gui.client.get(f"/crm/{gui.desk.code}/").content.decode()
