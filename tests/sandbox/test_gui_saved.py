"""What a person keeps: favourites and named views, their own and nobody else's."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from study.accounts.models import User
from study.sandbox.desks import close_desk, open_desk
from study.sandbox.gui import saved
from study.sandbox.models import Favourite, SavedView, TraceEvent
from tests.sandbox.gui_desk import Room, plain

pytestmark = pytest.mark.django_db
OPEN = "s.Status=New&c=Priority&o=eq&v=High"


def post(gui: Room, where: str, /, **fields: Any) -> Any:
    return gui.client.post(f"/crm/{gui.desk.code}/{where}", fields)


def save(gui: Room, name: str, query: str = OPEN, **fields: Any) -> Any:
    return post(gui, "views/save/", **{"kind": "list", "object": "Case", "name": name, "query": query} | fields)


def test_a_favourite_is_kept_once_and_taken_away(gui: Room) -> None:
    case = gui.some("Case", 1)[0]
    for _click in range(2):
        response = post(gui, f"r/{case}/favourite/", keep="1")
        assert response["Location"] == f"/crm/{gui.desk.code}/r/{case}/"
    assert Favourite.objects.get().record == case
    assert case in gui.get("favourites/").content.decode()
    for _click in range(2):
        post(gui, f"r/{case}/favourite/", keep="0")
    assert not Favourite.objects.exists()
    assert "None yet" in gui.text("favourites/")


def test_favourites_wait_at_the_next_desk_in_the_same_org(gui: Room, ben: User) -> None:
    case = gui.some("Case", 1)[0]
    post(gui, f"r/{case[:15]}/favourite/", keep="1")
    desk = open_desk(org=gui.desk.org, user=ben, purpose="attempt")
    assert case in gui.client.get(f"/crm/{desk.code}/favourites/").content.decode()


def test_only_records_that_are_there_are_kept(gui: Room) -> None:
    assert post(gui, "r/500000000000000AAA/favourite/", keep="1").status_code == 404
    assert post(gui, "r/%00/favourite/", keep="1").status_code == 404
    assert not Favourite.objects.exists()


def test_a_closed_desk_keeps_nothing_and_says_so(gui: Room) -> None:
    case = gui.some("Case", 1)[0]
    save(gui, "Mine")
    view = SavedView.objects.get()
    close_desk(gui.desk)
    before = TraceEvent.objects.count()
    answers = [
        post(gui, f"r/{case}/favourite/", keep="1"),
        save(gui, "Late"),
        post(gui, f"views/{view.pk}/rename/", name="Late"),
        post(gui, f"views/{view.pk}/delete/"),
    ]
    for response in answers:
        assert response.status_code == 409
        assert "nothing is kept any more" in plain(response)
    assert [view.name for view in SavedView.objects.all()] == ["Mine"]
    assert not Favourite.objects.exists()
    assert TraceEvent.objects.count() == before


def test_a_view_is_saved_once_and_leads_to_its_readable_address(gui: Room) -> None:
    """A double click saves once (Post/Redirect/Get); the page of a list is no part of it."""
    for _click in range(2):
        response = save(gui, "  Open,  high ", OPEN + "&page=2")
        assert response.status_code == 302
        assert response["Location"] == f"/crm/{gui.desk.code}/o/Case/?{OPEN}"
    assert [(view.name, view.query) for view in SavedView.objects.all()] == [("Open, high", OPEN)]
    assert TraceEvent.objects.filter(kind="view_saved", object="Case").count() == 2


def test_a_taken_name_loses_nothing(gui: Room) -> None:
    save(gui, "Mine")
    response = save(gui, "Mine", "s.Status=Closed")
    assert response.status_code == 422
    assert "s.Status=Closed" in response.content.decode()
    assert "already" in plain(response)
    assert SavedView.objects.get().query == OPEN
    assert save(gui, "Mine", "s.Status=Closed", replace="1").status_code == 302
    assert SavedView.objects.get().query == "s.Status=Closed"


@pytest.mark.parametrize("name", ["", "   ", "x" * 81, "\x00"])
def test_a_name_is_refused_whole_never_cut(gui: Room, name: str) -> None:
    response = save(gui, name)
    assert response.status_code == 422
    assert OPEN.split("&")[0] in response.content.decode()
    assert not SavedView.objects.exists()


def test_views_are_renamed_and_deleted(gui: Room) -> None:
    save(gui, "Mine")
    save(gui, "Other")
    view = SavedView.objects.get(name="Mine")
    assert post(gui, f"views/{view.pk}/rename/", name="Other").status_code == 422
    assert post(gui, f"views/{view.pk}/rename/", name="Renamed").status_code == 302
    assert sorted(v.name for v in SavedView.objects.all()) == ["Other", "Renamed"]
    assert post(gui, f"views/{view.pk}/delete/")["Location"].endswith(f"/o/Case/?{OPEN}")
    assert post(gui, f"views/{view.pk}/delete/").status_code == 404
    assert [v.name for v in SavedView.objects.all()] == ["Other"]


def test_nobody_elses_views_are_there(gui: Room, cleo: User) -> None:
    """P-39: as for a number that does not exist, from a desk of one's own in the same Org."""
    save(gui, "Bens own")
    post(gui, f"r/{gui.some('Case', 1)[0]}/favourite/", keep="1")
    view = SavedView.objects.get()
    desk = open_desk(org=gui.desk.org, user=cleo, purpose="orientation")
    client = Client()
    client.force_login(cleo, backend="django.contrib.auth.backends.ModelBackend")
    for act in ("rename", "delete"):
        real = client.post(f"/crm/{desk.code}/views/{view.pk}/{act}/", {"name": "Hers"})
        made_up = client.post(f"/crm/{desk.code}/views/999999/{act}/", {"name": "Hers"})
        assert (real.status_code, made_up.status_code) == (404, 404)
        assert re.sub(rb'data-token="\w+"', b"", real.content) == re.sub(rb'data-token="\w+"', b"", made_up.content)
    assert "Bens own" not in client.get(f"/crm/{desk.code}/o/Case/").content.decode()
    assert "None yet" in plain(client.get(f"/crm/{desk.code}/favourites/"))
    assert SavedView.objects.get().name == "Bens own"


def test_acts_need_their_token(gui: Room) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(gui.desk.user, backend="django.contrib.auth.backends.ModelBackend")
    response = client.post(f"/crm/{gui.desk.code}/views/save/", {"kind": "list", "object": "Case", "name": "x"})
    assert response.status_code == 403
    assert not SavedView.objects.exists()


def test_views_go_with_the_person(gui: Room, ben: User) -> None:
    save(gui, "Mine")
    post(gui, f"r/{gui.some('Case', 1)[0]}/favourite/", keep="1")
    saved.forget(ben, [gui.desk.org_id])
    assert not SavedView.objects.exists()
    assert not Favourite.objects.exists()


def test_odd_kinds_and_objects_are_not_there(gui: Room) -> None:
    assert save(gui, "Mine", object="Nope").status_code == 404
    assert post(gui, "views/save/", kind="both", object="Case", name="x").status_code == 404
