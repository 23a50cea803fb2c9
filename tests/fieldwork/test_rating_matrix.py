"""The published matrix: one page, the same rows, saves and promises as the cards."""

from __future__ import annotations

import re

import pytest

from study.fieldwork.models import Rationale
from study.fieldwork.ratings import sides_of
from study.protocols.library import builtin_text
from study.protocols.reading import parse, read
from tests.fieldwork.rating_hour import at_the_ratings, matrix_protocol

pytestmark = pytest.mark.django_db
REASON = "Like the ones I work with every day."


@pytest.fixture
def hour(study, org, ben, client):
    return at_the_ratings(study, org, ben, client, matrix_protocol())


def filled(hour, choice="4", **more):
    data = {"act": "next"}
    for target in ("Org", *hour.visit.object_order):
        data |= {f"{target}.choice": choice, f"{target}.why": REASON, f"{target}.version": "0"}
    return data | more


def test_every_rating_is_a_named_group_of_one_page_in_the_drawn_order(hour):
    assert hour.get("ratings/")["Location"].endswith("/ratings/all/#row-Org")
    assert hour.get("ratings/Case/")["Location"].endswith("/ratings/all/#row-Case")
    page = hour.get("ratings/all/").content.decode()
    order = ["Org", *hour.visit.object_order]
    assert re.findall(r'id="row-(\w+)"', page) == order
    assert page.count('class="m-scale" role="radiogroup"') == len(order)
    for target in order:
        assert f'aria-labelledby="name-{target} stem-{target}"' in page
        values = re.findall(rf'name="{target}\.choice" value="(\w+)"', page)
        assert values == ["cannot_judge", "1", "2", "3", "4", "5", "rather_not_say"], "can't judge first, as published"
    assert " checked" not in page
    assert "{object" not in page
    assert {row.shown_at is not None for row in hour.visit.ratings.all()} == {True}
    assert sides_of(hour.visit) == ["why"]


def test_one_post_saves_all_rows_and_leads_to_the_lock(hour):
    hour.get("ratings/all/")
    assert hour.post("ratings/all/", filled(hour))["Location"].endswith("/lock/")
    rows = hour.visit.ratings.all()
    assert {(row.first, row.final, row.changes) for row in rows} == {("4", "4", 0)}
    assert set(Rationale.objects.values_list("side", "text")) == {("why", REASON)}
    second = filled(hour, **{f"{hour.visit.object_order[0]}.choice": "1"})
    second = {name: value for name, value in second.items() if not name.endswith(".version")}
    assert hour.post("ratings/all/", second).status_code == 302
    row = hour.visit.ratings.get(target=hour.visit.object_order[0])
    assert (row.first, row.final, row.changes) == ("4", "1", 1)


def test_the_org_need_not_come_first_and_autosaves_are_the_same(hour):
    hour.get("ratings/all/")
    target = hour.visit.object_order[0]
    assert hour.save(f"rating/{target}", {"choice": "5"}).status_code == 200
    assert hour.save(f"rationale/{target}/why", {"text": REASON, "tags": ["values"]}).json()["value"]["tags"] == []
    assert hour.save(f"rationale/{target}/right", {"text": REASON, "tags": []}).status_code == 404


def test_what_is_open_is_listed_and_may_be_left_open(hour):
    hour.get("ratings/all/")
    first, second, third = hour.visit.object_order[:3]
    open_ones = {f"{first}.choice": "", f"{second}.why": "", f"{third}.choice": "cannot_judge", f"{third}.why": ""}
    answer = hour.post("ratings/all/", filled(hour, **open_ones))
    page = answer.content.decode()
    assert answer.status_code == 422
    for target, words in ((first, "A rating"), (second, "A sentence of why"), (third, "Why you can&#x27;t judge")):
        assert re.search(rf'href="#row-{target}">[^<]+</a>: {words}', page)
    assert hour.visit.ratings.exclude(final="").count() == 8
    assert hour.post("ratings/all/", {"act": "later"}).status_code == 302
    lock = hour.get("lock/").content.decode()
    assert lock.count("/ratings/all/#row-") == 3 + 9
    assert "None of this changes your pay" in lock
    assert hour.post("lock/", {}).status_code == 422
    assert hour.post("lock/", {"leave_open": "yes"}).status_code == 302
    assert hour.visit.ratings.get(target=first).final == ""


def test_a_refused_row_keeps_none_of_the_others_from_being_saved(hour):
    hour.get("ratings/all/")
    target = hour.visit.object_order[0]
    hour.save(f"rationale/{target}/why", {"text": "Saved in another tab.", "tags": []})
    stale = {f"{target}.version_why": "0", f"{target}.why": "Typed here, later."}
    answer = hour.post("ratings/all/", filled(hour, **stale))
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Another tab has saved something else: Saved in another tab." in page
    assert ">\nTyped here, later.</textarea>" in page
    assert hour.visit.ratings.filter(final="4").count() == 9
    again = filled(hour, **{f"{target}.why": "Typed here, later."})
    again = {name: value for name, value in again.items() if not name.endswith(".version")}
    assert hour.post("ratings/all/", again).status_code == 302
    assert Rationale.objects.get(rating__target=target).text == "Typed here, later."


def test_cards_and_matrix_do_not_mix(hour, study):
    assert hour.post("ratings/Org/", {"choice": "4"})["Location"].endswith("#row-Org")
    assert not hour.visit.ratings.exclude(final="").exists()
    assert hour.get("ratings/Org/evidence/?side=why").status_code == 404


@pytest.mark.parametrize("name", ["crmarena", "crmarena-pro"])
def test_a_replication_has_the_published_form_and_refuses_what_was_added(name):
    text = builtin_text(name)
    rating = parse(text).rating
    assert (rating.layout, rating.rationale.boxes, rating.cannot_judge.placement) == ("matrix", "one", "first")
    for old, new, path in (
        ("  layout: matrix\n", "  layout: matrix\n  evidence: true\n", "rating.evidence"),
        ("  layout: matrix\n", "  dimensions: [{code: links, text: Links}]\n", "rating.dimensions"),
        ("    boxes: one\n", "", "rating.rationale.boxes"),
    ):
        assert path in {
            problem.path for problem in read(text.replace(old, new, 1)).problems if problem.level == "error"
        }


def test_a_protocol_asks_the_matrix_for_nothing_it_has_no_place_for():
    text = matrix_protocol()
    assert not [problem for problem in read(text).problems if problem.path.startswith("rating")]
    for old, new, path in (
        ("  layout: matrix\n", "  layout: matrix\n  evidence: true\n", "rating.evidence"),
        ("  layout: matrix\n", "  layout: matrix\n  dimensions: [{code: a, text: A}]\n", "rating.dimensions"),
        ("  layout: matrix\n", "  dimensions: [{code: overall, text: A}]\n", "rating.dimensions[0].code"),
        ("    why: Why?\n", "", "rating.rationale"),
    ):
        assert path in {problem.path for problem in read(text.replace(old, new, 1)).problems}, path
