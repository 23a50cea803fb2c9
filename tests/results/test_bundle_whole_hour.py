"""Everything an hour leaves arrives in the bundle under its documented columns; while blind nothing tells a rating."""

from __future__ import annotations

from datetime import timedelta

import frictionless
import pytest
from django.utils import timezone

from analysis.bundle import read_bundle
from analysis.results import results
from study.accounts.flows import unblind
from study.assignment.models import Allocation, AssignmentEvent, Visit
from study.benchmark.models import Instance
from study.fieldwork.models import (
    Attempt,
    CardShown,
    Clock,
    FluencyMove,
    HelpRequest,
    Note,
    Pin,
    Rating,
    Rationale,
)
from study.people.models import Participant
from study.results.exporting import write_study
from study.results.recount import recount, result_differences
from study.sandbox import trace
from study.sandbox.models import PageFact
from study.sandbox.opened import snapshot_of

pytestmark = pytest.mark.django_db
NOTE, WORDS = "The totals by quarter look copied.", "She said Ms. Pond cannot log in."


@pytest.fixture
def whole(study, finished):
    """Ben's hour with something of every kind."""
    visit, now = finished.visit, timezone.now()
    attempt = visit.attempts.get(position=1)
    cases = [row["Id"] for row in snapshot_of(visit.org).records("Case")]
    Instance.objects.filter(pk=attempt.place.instance_id).update(evidence=[["Case", cases[0]], ["Case", cases[1]]])
    for text in ("tent", "tents"):
        trace.record(attempt.desk, "search", query={"text": text, "only": ""})
    for case in (cases[0], cases[0], cases[5]):
        event = trace.record(attempt.desk, "record", "Case", case)
        PageFact.objects.create(
            desk=attempt.desk, sequence=event.sequence, visible_ms=2_000, focused_ms=1_500, copied=[case], width=768
        )
    rating = visit.ratings.get(target="Case")
    Pin.objects.create(visit=visit, attempt=attempt, object="Case", record=cases[0])
    Pin.objects.create(visit=visit, rating=rating, side="off", object="Case", record=cases[1], field="Status")
    Note.objects.create(visit=visit, attempt=attempt, text=NOTE, object="Case", record=cases[0])
    visit.moves.all().delete()
    FluencyMove.objects.create(
        visit=visit, move="find", started_at=now, done_at=now + timedelta(seconds=12), helped=True
    )
    FluencyMove.objects.create(visit=visit, move="filter", started_at=now, left_at=now + timedelta(seconds=40))
    HelpRequest.objects.create(
        visit=visit,
        kind="stuck",
        words=WORDS,
        page=f"/hour/{finished.code}/work/2/?x=1",
        went_on_at=now + timedelta(60),
    )
    Clock.objects.filter(visit=visit, part="work").update(
        breaks=[
            {"from": now.isoformat(), "seconds": 400},
            {"from": now.isoformat(), "seconds": 90, "for": "pause"},
            {"from": now.isoformat(), "seconds": 30, "for": "help"},
        ]
    )
    Rationale.objects.filter(rating=rating, side="off").update(pasted_share=0.5, pastes=2, focus_seconds=31)
    Rating.objects.filter(visit=visit, target="Order").update(opened_work=0, opened_look=0)
    Rating.objects.create(
        visit=visit, kind="object", target="Case", dimension="texts", position=3, first="2", final="3"
    )
    card(visit, "dossiers", "d_1", {"origin": "control", "org": "c" * 64, "object": "Case", "record": cases[2]}, "2")
    sides = [
        {"origin": one, "org": two * 64, "object": "Case", "record": cases[3]}
        for one, two in (("org", "a"), ("control", "c"))
    ]
    card(visit, "pairs", "p_1", {"first": sides[0], "second": sides[1]}, "1")
    anchor = {"card_set": "reference/v1", "card": "k4", "object": "Lead", "fault": "impossible date", "grade": 2}
    card(visit, "reference", "r_1", anchor, "cannot_judge")
    left = [name for name in visit.object_order if name != "Knowledge__kav"]
    Visit.objects.filter(pk=visit.pk).update(object_order=left, condition="")
    Rating.objects.filter(visit=visit, target="Knowledge__kav").delete()
    last = AssignmentEvent.objects.filter(study=study).order_by("-sequence")[0].sequence
    AssignmentEvent.objects.create(
        study=study, sequence=last + 1, event="allocated", seed=7, detail={"participant": finished.code, "cell": "x"}
    )
    AssignmentEvent.objects.create(
        study=study, sequence=last + 2, event="benched", instance=attempt.place.instance, detail={"reason": "unclear"}
    )
    return finished


def card(visit, kind: str, target: str, detail: dict, choice: str) -> None:
    CardShown.objects.create(visit=visit, module=kind, kind=kind, position=1, target=target, detail=detail)
    what = "pair" if kind == "pairs" else "record"
    Rating.objects.create(visit=visit, kind=what, target=target, position=1, first=choice, final=choice)


def test_everything_of_the_hour_arrives(study, whole, ada, tmp_path):
    unblind(study, by=ada, reason="Everybody has finished.")
    write_study(study, tmp_path / "b", blind=False)
    assert frictionless.validate(tmp_path / "b" / "datapackage.json").valid
    bundle = read_bundle(tmp_path / "b")
    frames = bundle.frames
    visit = frames["visits"].iloc[0]
    assert (visit["device"], visit["window_width"]) == ("tablet", 768)
    assert tuple(visit[["breaks", "break_s", "pauses", "paused_s", "help_requests"]]) == (1, 400, 1, 120, 1)
    attempt = frames["attempts"].iloc[0]
    asked = ("searches", "filters", "reformulations", "evidence_needed", "evidence_reached", "records_opened")
    assert tuple(attempt[list(asked)]) == (2, 0, 1, 2, 1, 2)
    opened = frames["opened"].query("object == 'Case' and not in_look").iloc[0]
    told = ("records", "openings", "visible_s", "focused_s", "idle_s", "ids_copied")
    assert tuple(opened[list(told)]) == (2, 3, 6, 4, 0, 2)
    pins = frames["evidence"].set_index("of")
    assert tuple(pins.loc["attempt", ["target", "side", "field"]]) == ("1", "", "")
    assert tuple(pins.loc["rating", ["target", "side", "field"]]) == ("Case", "off", "Status")
    assert tuple(frames["notes"].iloc[0][["attempt", "object", "text"]]) == (1, "Case", NOTE)
    moves = frames["moves"].set_index("move")
    assert (moves.loc["find", "seconds"], bool(moves.loc["find", "helped"])) == (12.0, True)
    assert moves["seconds"].isna().tolist() == [False, True]
    assert tuple(frames["help"].iloc[0][["kind", "page", "replied"]]) == ("stuck", "hour/work/2", False)
    off = frames["rationales"].query("target == 'Case' and side == 'off'").iloc[0]
    assert tuple(off[["pasted_share", "pastes", "focus_seconds"]]) == (0.5, 2, 31)
    ratings = frames["ratings"].set_index(["kind", "target", "dimension"])
    assert ratings.loc[("object", "Order", "overall"), "unopened"]
    assert not ratings.loc[("object", "Case", "overall"), "unopened"]
    assert ratings.loc[("object", "Knowledge__kav", "overall"), "final_blank"] == "not_asked"
    assert ratings.loc[("object", "Case", "texts"), "final"] == 3
    assert ratings.loc[("pair", "p_1", "overall"), "final"] == 1
    assert ratings.loc[("record", "r_1", "overall"), "final_blank"] == "cannot_judge"
    cards = frames["cards"].set_index(["target", "side"])
    assert [str(one) for one in cards["control"]] == ["True", "False", "True", "<NA>"]
    assert tuple(cards.loc[("r_1", ""), ["card_set", "card", "grade", "fault"]]) == (
        "reference/v1", "k4", 2, "impossible date",
    )  # fmt: skip
    log = frames["assignment_log"].set_index("event")
    assert tuple(log.loc["allocated", ["visit", "participant", "instance"]]) == ("", whole.code, "")
    assert log.loc["benched", "detail"] == {"reason": "unclear"}
    person = frames["participants"].iloc[0]
    assert person["agreed_to"] == []
    # Words of a request for help stay with those who answer it.
    assert not [path for path in (tmp_path / "b").iterdir() if WORDS in path.read_text(encoding="utf-8")]
    # Other kinds of rating, dimensions and blanks change no estimate, and a second count agrees.
    assert result_differences(results(bundle), recount(tmp_path / "b")) == []


def test_the_codebook_has_every_item_that_could_be_asked(study, whole, tmp_path):
    write_study(study, tmp_path / "b", blind=False)
    frames = read_bundle(tmp_path / "b").frames
    items = frames["codebook"].query("table == 'closing'").set_index("column")["text"]
    assert set(frames["closing"]["item"]) - {"results_wanted"} <= set(items.index)
    assert "cases" in items["own_Case"].lower()
    asked = frames["closing"].set_index("item")["value_blank"]
    assert asked["own_Knowledge__kav"] == ""  # it was answered before the object was left out
    assert asked["trouble"] == ""


def test_while_blind_nothing_tells_how_somebody_rated(study, whole, tmp_path):
    """M13: no rating, no words, no note, no side of a pin, no closing answer; what was done is there."""
    write_study(study, tmp_path / "b", blind=True)
    frames = read_bundle(tmp_path / "b").frames
    for name in ("ratings", "rationales", "closing", "notes"):
        assert frames[name].empty, name
    assert list(frames["evidence"]["of"]) == ["attempt"]
    assert len(frames["attempts"]) == 5
    assert len(frames["cards"]) == 4
    everything = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "b").glob("*.csv"))
    assert not [one for one in (NOTE, "totals add up", WORDS) if one in everything]


def test_what_was_taken_out_is_nowhere(study, whole, tmp_path):
    """M7: scores and words of every new kind are gone too; ``removed`` says that there was something."""
    person = Participant.objects.get()
    Participant.objects.update(data_choice="take_out", knows_other="independent_no", conflict="conflict_yes")
    Allocation.objects.update(cell="S3=y3_5")
    Visit.objects.update(block="north:S3=y3_5:1")
    drawn = AssignmentEvent.objects.filter(event="allocated")
    drawn.update(detail={"participant": person.code, "cohort": "north", "cell": "S3=y3_5", "arm": "main"})
    Attempt.objects.filter(position=2).update(outcome="none")
    write_study(study, tmp_path / "b", blind=False)
    frames = read_bundle(tmp_path / "b").frames
    assert frames["notes"].empty
    assert set(frames["closing"]["value_blank"]) == {"removed"}
    # What was derived from answers goes with them; what cannot be counted any more is empty, not nought.
    text = "".join((tmp_path / "b" / f"{name}.csv").read_text() for name in frames if name != "codebook")
    assert not [word for word in ("y3_5", "independent_no", "conflict_yes", ",none,") if word in text]
    for name, column in (("attempts", "records_opened"), ("attempts", "evidence_reached"), ("opened", "records")):
        assert frames[name][column].isna().all(), column


def test_the_seed_of_the_arms_is_told_once_nobody_can_come_any_more(study, whole, tmp_path):
    """M1: whoever has it can work out the arms of those who are still to come."""
    drawn = AssignmentEvent.objects.filter(event="allocated")
    drawn.update(detail={"participant": whole.code, "cohort": "north", "cell": "", "arm": "main"})
    seeds = []
    for state in ("open", "paused", "closed"):
        study.cohorts.update(state=state)
        write_study(study, tmp_path / state, blind=True)
        log = read_bundle(tmp_path / state).frames["assignment_log"]
        assert log.query("event == 'assigned'")["seed"].notna().all()
        seeds.append(log.query("event == 'allocated'")["seed"].iloc[0])
    assert [str(seed) for seed in seeds] == ["<NA>", "<NA>", "7"]
