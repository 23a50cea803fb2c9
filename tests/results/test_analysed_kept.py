"""Who is analysed is kept with the participant as the bundle works it out; who is left out is so in both (M17)."""

from __future__ import annotations

import pytest

from study.fieldwork.models import Rating
from study.people import flows
from study.people.models import End, Participant, Stage
from study.people.sample import excluding
from study.people.sample.places import places
from study.results.frames import frames
from study.results.stored import state_of

pytestmark = pytest.mark.django_db


def row(study):
    return frames(study, blind=False).tables["participants"][0]


def kept(study):
    """What is kept, once it is seen that the bundle says the same."""
    one = Participant.objects.get(study=study)
    told = row(study)
    assert told["analysed"] == bool(one.analysed)
    return one.analysed, told["complete"], told["usable"], told["exclusion_reason"]


def test_what_is_kept_is_what_the_bundle_says(study, finished):
    """From the lock on; left out and in again; taken out at last. The end and the data stay until then."""
    assert kept(study) == (True, True, True, "")
    one, before = finished.participant, state_of(study)
    visits = frames(study, blind=False).tables["visits"]
    ratings = frames(study, blind=False).tables["ratings"]
    reason = excluding.reasons(one)[0].code
    assert excluding.exclude(one, reason, by=None)
    assert kept(study) == (False, True, False, reason)
    assert frames(study, blind=False).tables["ratings"] == ratings
    assert frames(study, blind=False).tables["visits"] == [line | {"analysed": False} for line in visits]
    assert state_of(study) != before, "results are computed anew"
    assert places(one.cohort).taken == 0
    assert excluding.include(one, by=None)
    assert kept(study) == (True, True, True, "")
    assert places(one.cohort).taken == 1
    flows.take_out_on_request(one, by=None)
    assert kept(study)[:3] == (False, True, False)
    assert places(one.cohort).taken == 0


def test_p13_a_complete_hour_with_too_little_rated_opens_its_place(study, finished):
    """P-13, M17: complete asks more than analysed as a rule, but a set that was cut short is not what was wanted."""
    one = finished.participant
    Participant.objects.filter(pk=one.pk).update(end="", stage=Stage.LOCKED, analysed=None, completion_code="")
    mine = Rating.objects.filter(visit__participant=one, kind="object")
    mine.filter(pk__in=list(mine.values_list("pk", flat=True))[3:]).update(final="")
    one.refresh_from_db()
    assert places(one.cohort).taken == 1
    assert flows.end(one, End.COMPLETE)
    assert kept(study)[:2] == (False, True)
    assert places(one.cohort).taken == 0
