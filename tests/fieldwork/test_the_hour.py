"""The whole hour over HTTP, without JavaScript, from orientation to the code."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.django_db


def test_from_orientation_to_the_code(hour):
    assert hour.get("orientation/").status_code == 200
    hour.orient()
    assert hour.participant.stage == "working"
    assert hour.get("work/").status_code == 200
    hour.work()
    assert hour.participant.stage == "rating"
    attempts = list(hour.visit.attempts.all())
    assert [a.outcome for a in attempts] == ["answered"] * 4 + ["skipped"]
    assert attempts[0].answer == [hour.right_answer(1)]
    assert (attempts[0].confidence, attempts[0].frequency_at_work, attempts[0].one_clear_answer) == (
        70,
        "weekly",
        "yes",
    )
    assert attempts[4].reason == "too_long"
    assert all(a.correct is None for a in attempts)
    hour.rate_all()
    assert hour.get("lock/").status_code == 200
    assert hour.lock()["Location"].endswith("/closing/")
    ratings = list(hour.visit.ratings.all())
    assert len(ratings) == 9
    assert {r.final for r in ratings[1:]} == {"2"}
    assert all(r.opened_look == 1 and r.locked_at for r in ratings[1:])
    assert all(
        a.correct for a in hour.visit.attempts.filter(outcome="answered").exclude(place__instance__answer_type="text")
    )
    hour.close()
    page = hour.finish()
    assert hour.participant.end == "complete"
    assert hour.participant.completion_code in page.content.decode()
    assert {place.state for place in hour.visit.places.all()} == {"completed"}
    assert hour.visit.closing.get(item="umux_easy").value == "rather_not_say"
    parts = set(hour.visit.clocks.values_list("part", flat=True))
    assert parts == {"orientation", "work", "rating", "closing"}
