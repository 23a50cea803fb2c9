"""The trace as files: whole, valid by the standard's own schema, the same bytes for the same data, small in memory."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tracemalloc
from datetime import datetime
from pathlib import Path

import jsonschema
import pytest
from django.core.management import CommandError, call_command

from study.people.models import Participant
from study.results.traces import exporting
from study.results.traces.exporting import write_trace
from study.results.traces.many import make_many
from study.results.traces.reading import places_of
from study.sandbox.models import Org, PageFact, TraceEvent

pytestmark = pytest.mark.django_db
SCHEMA = json.loads((Path(__file__).parent / "data" / "ocel20-schema.json").read_text())


def valid(log: dict) -> None:
    checker = jsonschema.FormatChecker()
    checker.checks("date-time", raises=ValueError)(lambda text: datetime.fromisoformat(text).utcoffset() is not None)
    jsonschema.Draft7Validator(SCHEMA, format_checker=checker).validate(log)


def ocel(study, folder) -> dict:
    write_trace(study, "ocel", folder / "t.json")
    return json.loads((folder / "t.json").read_text())


def lines(study, folder) -> list[dict[str, str]]:
    write_trace(study, "csv", folder / "t.csv")
    return list(csv.DictReader(io.StringIO((folder / "t.csv").read_text())))


def test_the_log_is_valid_and_hangs_together(study, finished, tmp_path):
    """Every event and every object it names is there once, under a type that is declared with its attributes."""
    event = TraceEvent.objects.filter(desk__attempt__visit=finished.visit).first()
    PageFact.objects.create(
        desk=event.desk, sequence=event.sequence, visible_ms=900, copied=[finished.right_answer(1)], odd=True
    )
    log = ocel(study, tmp_path)
    valid(log)
    assert len(log["events"]) == TraceEvent.objects.count() > 10
    things = {one["id"]: one for one in log["objects"]}
    assert len(things) == len(log["objects"])
    assert len({one["id"] for one in log["events"]}) == len(log["events"])
    for kind, rows in (("eventTypes", log["events"]), ("objectTypes", log["objects"])):
        declared = {one["name"]: {each["name"] for each in one["attributes"]} for one in log[kind]}
        for row in rows:
            assert {one["name"] for one in row["attributes"]} <= declared[row["type"]]
    links = [(row["type"], link) for row in log["events"] for link in row["relationships"]]
    assert {link["objectId"] for _kind, link in links} <= set(things)
    visit = f"{finished.code}-1"
    assert all({"objectId": visit, "qualifier": "in"} in row["relationships"] for row in log["events"])
    opened = {things[link["objectId"]]["type"] for kind, link in links if link["qualifier"] == "opened"}
    assert opened == set(finished.visit.object_order)
    assert [link["qualifier"] for _kind, link in links].count("copied") == 1
    assert things[f"{visit}/attempt-1"]["relationships"] == [{"objectId": visit, "qualifier": "in"}]
    assert things[visit]["relationships"] == [{"objectId": finished.code, "qualifier": "of"}]
    # A proof must be able to fail.
    log["events"][0]["attributes"][0]["value"] = 7
    with pytest.raises(jsonschema.ValidationError):
        valid(log)


def test_csv_and_log_say_the_same_and_twice_the_same_bytes(study, finished, tmp_path):
    rows, log = lines(study, tmp_path), ocel(study, tmp_path)
    told = [
        f"{row['visit']}/{row['part']}{'-' + row['attempt'] if row['attempt'] else ''}/{row['sequence']}"
        for row in rows
    ]
    assert told == [one["id"] for one in log["events"]]
    assert [row["kind"] for row in rows] == [one["type"] for one in log["events"]]
    assert {row["part"] for row in rows} == {"attempt", "rating"}
    one, two = (write_trace(study, "csv", tmp_path / f"{n}.csv.gz") for n in (1, 2))
    assert one == two
    assert gzip.decompress((tmp_path / "1.csv.gz").read_bytes()).decode() == (tmp_path / "t.csv").read_text()
    # While blind too: no rating, no words, and nobody's address.
    text = (tmp_path / "t.csv").read_text() + (tmp_path / "t.json").read_text()
    assert not [word for word in ("totals add up", "ben@example.test", "Ben ") if word in text]


def test_a_search_that_looks_like_a_formula_is_text(study, finished, tmp_path):
    """P-21: what somebody typed is never run by a spreadsheet."""
    desk = finished.visit.desks.get(purpose="rating").desk
    last = TraceEvent.objects.filter(desk=desk).count()
    TraceEvent.objects.create(desk=desk, sequence=last + 1, kind="search", query={"text": "=1+1"}, address="=x")
    row = lines(study, tmp_path)[-1]
    assert (row["address"], json.loads(row["query"])) == ("'=x", {"text": "=1+1"})


@pytest.mark.parametrize("left_out", [{"preview": True}, {"pilot": True}, {"data_choice": "take_out"}])
def test_previews_pilots_and_what_was_taken_out_are_not_in_it(study, finished, tmp_path, left_out):
    """P-14, M14, M7: nobody who doesn't count is in a file; somebody simulated is marked."""
    Participant.objects.update(simulated=True)
    assert {row["simulated"] for row in lines(study, tmp_path)} == {"true"}
    Participant.objects.update(**left_out)
    assert lines(study, tmp_path) == []
    log = ocel(study, tmp_path)
    valid(log)
    assert (log["events"], log["objects"]) == ([], [])


def test_memory_does_not_grow_with_the_events(tmp_path, settings, monkeypatch):
    """P-27: four times the events, hardly more memory. ``bench_trace`` measures ten million."""
    settings.REALIA_VAR = tmp_path
    monkeypatch.setattr("study.results.traces.reading.SLICE", 50)
    monkeypatch.setattr("study.results.traces.many.RECORDS", 50)
    monkeypatch.setattr("study.results.traces.many.PER_DESK", 100)
    study = make_many(2_000)
    every = list(places_of(study))
    most = {}
    for share in (4, 1):
        few = every[: len(every) // share]
        monkeypatch.setattr("study.results.traces.exporting.places_of", lambda _study, few=few: iter(few))
        tracemalloc.start()
        events = write_trace(study, "ocel", tmp_path / "t.json").events
        most[events] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    (few_events, little), (many_events, much) = sorted(most.items())
    assert many_events == 2_000
    assert few_events * 3 < many_events
    assert much < little * 1.5


def test_the_command_says_what_it_wrote_and_what_to_do(study, finished, tmp_path, capsys):
    call_command("export_trace", study.code, "--format", "csv", "--out", str(tmp_path / "t.csv"))
    assert capsys.readouterr().out.splitlines()[0] == f"events {TraceEvent.objects.count()}"
    with pytest.raises(CommandError, match="There is no study 'nope'"):
        call_command("export_trace", "nope", "--out", str(tmp_path / "t.csv"))
    with pytest.raises(CommandError, match="is not a folder"):
        call_command("export_trace", study.code, "--out", str(tmp_path / "none" / "t.csv"))
    with pytest.raises(ValueError, match="no format 'xes'"):
        write_trace(study, "xes", tmp_path / "t")
    exporting.record_type.cache_clear()
    exporting._prefixes.cache_clear()
    Org.objects.update(file="away.sqlite3")
    with pytest.raises(CommandError, match=r"is missing or damaged\. Load it again"):
        call_command("export_trace", study.code, "--format", "ocel", "--out", str(tmp_path / "o.json"))
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    ("peak", "events", "said"), [(399.0, "500", ""), (400.0, "500", "not under 400"), (99.0, "499", "not 500")]
)
def test_the_bench_fails_above_its_limit_and_where_events_are_missing(monkeypatch, capsys, peak, events, said):
    from study.results.management.commands import bench_trace

    def run(place, *words):
        if "--out" in words:
            Path(words[-1]).write_text("x")
        return bench_trace.Measured(1.0, peak if words[0] == "export_trace" else 900.0, {"events": events})

    monkeypatch.setattr(bench_trace, "run", run)
    if said:
        with pytest.raises(CommandError, match=said):
            call_command("bench_trace", "--events", "500")
    else:
        call_command("bench_trace", "--events", "500")
        assert capsys.readouterr().out.splitlines()[-1] == "at most 399 MB, limit 400 MB"
