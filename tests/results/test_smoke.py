"""The checks of make smoke find what they are there for: each damage is done on purpose and must be named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from analysis.bundle import read_bundle
from analysis.results import results
from study.fieldwork.models import Rating, Rationale
from study.results import smoke_run
from study.results.exporting import write_study
from study.results.recount import recount, result_differences
from study.results.smoke import (
    Unreadable,
    bundle_hash,
    bundle_values,
    ledger_differences,
    read_ledger,
)
from study.results.smoke_run import Failed, Smoke, Step, manage, surroundings
from tests.analysis.bundles import tables, write
from tests.results.ledger_lines import OFF, lines_after_the_lock, lines_of_ben, write_ledger


def found(study, lines, folder: Path) -> list[str]:
    write_study(study, folder / "b", blind=False)
    ledger = read_ledger(write_ledger(folder / "ledger.jsonl", lines))
    return [str(one) for one in ledger_differences(ledger, bundle_values(folder / "b"))]


def test_what_ben_saved_is_what_the_bundle_holds(opened, finished, tmp_path):
    lines = lines_of_ben(finished)
    assert found(opened, lines, tmp_path) == []
    assert len(bundle_values(tmp_path / "b")) == len(lines) - 1 == 5 + 5 + 9 + 17 + len(lines_after_the_lock(lines))


def test_a_lost_rating_is_named(opened, finished, tmp_path):
    lines = lines_of_ben(finished)
    Rating.objects.filter(target="Case").delete()
    said = found(opened, lines, tmp_path)
    assert f'{finished.code}, rating/Case: acknowledged as choice "2", and the bundle has no such value' in said
    assert [line.split(":")[0].split(", ")[1] for line in said] == [
        "rating/Case", "rationale/Case/off", "rationale/Case/right",
    ]  # fmt: skip


def test_a_changed_word_is_named_with_both_texts(opened, finished, tmp_path):
    changed = OFF.replace("often", "seldom")
    Rationale.objects.filter(rating__target="Order", side="off").update(text=changed)
    (said,) = found(opened, lines_of_ben(finished), tmp_path)
    assert said.startswith(f"{finished.code}, rationale/Order/off: text")
    assert OFF in said
    assert changed in said


def test_a_long_text_is_told_apart_where_it_differs(opened, finished, tmp_path):
    long = "word " * 300
    Rationale.objects.filter(rating__target="Order", side="off").update(text=long + "one")
    lines = lines_of_ben(finished)
    line = next(line for line in lines if line["field"] == "rationale/Order/off")
    line["value"]["text"] = long + "two"
    (said,) = found(opened, lines, tmp_path)
    assert "one" in said
    assert "two" in said
    assert len(said) < 500


@pytest.mark.parametrize("field", ["rating/Org", "attempt/5", "rationale/Case/right", "closing/rushed"])
def test_what_nobody_acknowledged_is_named(opened, finished, tmp_path, field):
    """The other direction: the bundle must hold nothing that the server never acknowledged."""
    lines = [line for line in lines_of_ben(finished) if line["field"] != field]
    (said,) = found(opened, lines, tmp_path)
    assert said.startswith(f"{finished.code}, {field}: the bundle has")


@pytest.mark.parametrize(
    ("field", "value", "part"),
    [
        ("rating/Org", {"choice": "cannot_judge", "reason": "no_time"}, "choice"),
        ("attempt/1", {"outcome": "none", "answer": None, "reason": ""}, "outcome"),
        ("attempt/5", {"outcome": "skipped", "answer": None, "reason": "too_hard"}, "reason"),
        ("after/2", {"confidence": "70", "frequency_at_work": "never", "one_clear_answer": "yes"}, "frequency_at_work"),
        ("after/5", {"confidence": "10", "frequency_at_work": "weekly", "one_clear_answer": "yes"}, "confidence"),
        ("rationale/Case/off", {"text": OFF, "tags": ["links"]}, "tags"),
        ("closing/umux_easy", "4", "value"),
    ],
)
def test_every_part_is_compared(opened, finished, tmp_path, field, value, part):
    lines = lines_of_ben(finished)
    lines.append(lines[0] | {"field": field, "value": value})
    said = found(opened, lines, tmp_path)
    assert any(line.startswith(f"{finished.code}, {field}: {part} was acknowledged as") for line in said)


def test_texts_that_look_like_formulas_are_compared_as_typed(opened, finished, tmp_path):
    """P-21: the guard before =, + and ' is taken off once, here as in the reader."""
    lines = lines_of_ben(finished)
    for target, text in (("Case", "=1+1"), ("Order", "''quoted"), ("Account", 'two\n"lines", \u2028 one')):
        Rationale.objects.filter(rating__target=target, side="right").update(text=text)
        line = next(line for line in lines if line["field"] == f"rationale/{target}/right")
        line["value"]["text"] = text
    assert found(opened, lines, tmp_path) == []


@pytest.mark.parametrize(
    "value",
    [
        ["one", "two, with a comma"],
        {"choice": "other", "asked": {"rushed.other": "The report, يبدو"}},
        {"choice": ["other"], "asked": {"rushed.other": "both"}},
    ],
)
def test_several_values_of_a_closing_item_arrive(opened, finished, tmp_path, value):
    finished.visit.closing.filter(item="rushed").update(value=value)
    lines = lines_of_ben(finished)
    next(line for line in lines if line["field"] == "closing/rushed")["value"] = value
    assert found(opened, lines, tmp_path) == []
    assert len(bundle_values(tmp_path / "b")[finished.code, "closing/rushed"]["value"]) == 2


def test_second_visits_cards_and_dimensions_are_told_apart(opened, finished, tmp_path):
    """The same field of another visit, a card after the lock and a short dimension are values of their own."""
    visit = finished.visit
    lines = lines_of_ben(finished)
    for kind, target, dimension, field in (
        ("object", "Case", "texts", "rating/Case/texts"),
        ("record", "d_1", "overall", "card/d_1"),
        ("pair", "p_1", "overall", "card/p_1"),
    ):
        visit.ratings.create(kind=kind, target=target, dimension=dimension, first="2", final="2")
        lines.append({"participant": finished.code, "field": field, "value": {"choice": "2"}})
    again = visit.__class__.objects.get(pk=visit.pk)
    again.pk, again.period = None, 2
    again.save()
    again.ratings.create(kind="org", target="Org", first="5", final="5")
    lines.append({"participant": finished.code, "period": 2, "field": "rating/Org", "value": {"choice": "5"}})
    assert found(opened, lines, tmp_path) == []
    lines[-1]["value"] = {"choice": "4"}
    assert found(opened, lines, tmp_path) == [
        f'{finished.code}-2, rating/Org: choice was acknowledged as "4", and the bundle has "5"'
    ]


def test_an_empty_box_is_no_value(opened, finished, tmp_path):
    empty = {"participant": finished.code, "field": "rationale/Org/off", "value": {"text": "", "tags": []}}
    assert found(opened, [*lines_of_ben(finished), empty], tmp_path) == []


BROKEN = (
    "{",
    '{"participant": "P-1"}',
    '{"participant": "P-1", "field": "pay/1", "value": 1}',
    '{"participant": "P-1", "field": "rating/Org", "value": 4}',
)


@pytest.mark.parametrize("line", BROKEN)
def test_a_broken_line_of_the_ledger_is_named(tmp_path, line):
    path = tmp_path / "ledger.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(Unreadable, match="line 2"):
        read_ledger(path)


# --- results = recount


def varied(experts: int = 12) -> dict[str, list[dict[str, Any]]]:
    """Twelve experts: one left out of the analysis, some who cannot judge, some who opened nothing, changed choices."""
    made = tables(experts)
    made["participants"][5]["analysed"] = made["visits"][5]["analysed"] = False
    for number, row in enumerate(made["ratings"]):
        if number % 7 == 3:
            row |= {"final": None, "final_blank": "cannot_judge", "first": None, "first_blank": "cannot_judge"}
        elif number % 5 == 1:
            row |= {"first": 1 + number % 5}
        if number % 3 == 2:
            row |= {"opened_work": 0, "opened_look": 0}
        elif number % 11 == 4:
            row |= {"opened_work": None, "opened_look": None}
    return made


def both(folder: Path, made=None) -> tuple[dict[str, Any], dict[str, Any]]:
    write(folder, made)
    return results(read_bundle(folder)), recount(folder)


ARMS = tables(12)
for place, visit in enumerate(ARMS["visits"]):
    visit["arm"] = ("real", "drawn")[place % 2]
TWICE = tables(12)
TWICE["participants"] = TWICE["participants"][:6]
for place in range(6):
    TWICE["visits"][place + 6] |= {"participant": TWICE["visits"][place]["participant"], "period": 2}
UNKNOWN = tables()
for rating in UNKNOWN["ratings"]:
    rating |= {"opened_work": None, "opened_look": None, "first": None}


@pytest.mark.parametrize(
    "made",
    [tables(), varied(), tables(3), tables(0), tables(score=5), ARMS, TWICE, UNKNOWN, tables(12, orgs=tuple("abcdef"))],
    ids=["plain", "varied", "three", "nobody", "alike", "arms", "twice", "unknown", "snapshots"],
)
def test_the_recount_agrees_with_the_analysis(tmp_path, made):
    said, counts = both(tmp_path / "b", made)
    assert result_differences(said, counts) == []
    assert counts


def test_the_recount_is_right_by_hand(tmp_path):
    """Six experts, scores (number * 7 + position * 3) % 5 + 1; the Org has position 0."""
    _, counts = both(tmp_path / "b")
    org = counts["main.org_approval"]
    assert (org.k, org.n, org.share) == (2, 6, 2 / 6)  # 1 3 5 2 4 1
    pooled = counts["main.pooled_share"]
    assert (pooled.k, pooled.n) == (8, 18)  # 4 1 3 5 2 4, 2 4 1 3 5 2, 5 2 4 1 3 5
    assert counts["main.mean_over_objects"].share == pytest.approx((3 / 6 + 2 / 6 + 3 / 6) / 3)
    assert counts["main.five_only_pooled_share"].k == 4


def test_few_raters_have_no_percentage(tmp_path):
    """P-33: a share that results.json shows for three raters is a difference too."""
    said, counts = both(tmp_path / "b", tables(3))
    row = next(row for row in said["estimates"] if row["id"] == "main.org_approval")
    row["estimate"] = row["k"] / row["n"]
    (line,) = result_differences(said, counts)
    assert line.startswith("main.org_approval: the estimate is")


@pytest.mark.parametrize("part", ["k", "n", "estimate"])
@pytest.mark.parametrize("name", ["main.org_approval", "main.informed_object_approval.Case", "main.worst_pooled_share"])
def test_one_changed_result_is_named(tmp_path, name, part):
    said, counts = both(tmp_path / "b", varied())
    row = next(row for row in said["estimates"] if row["id"] == name)
    row[part] += 1e-6 if part == "estimate" else 1
    (line,) = result_differences(said, counts)
    assert line.startswith(f"{name}: ")


def test_a_changed_row_of_the_pages_is_named(tmp_path):
    said, counts = both(tmp_path / "b")
    row = said["groups"][0]["objects"][0]
    row["counts"][4] += 1
    (line,) = result_differences(said, counts)
    assert row["target"] in line


def test_a_missing_and_an_invented_result_are_named(tmp_path):
    said, counts = both(tmp_path / "b")
    gone = next(row for row in said["estimates"] if row["id"] == "main.pooled_share")
    said["estimates"].remove(gone)
    said["estimates"].append(gone | {"id": "main.object_approval.Lead", "estimand": "object_approval"})
    assert [line.split(":")[0] for line in result_differences(said, counts)] == [
        "main.object_approval.Lead", "main.pooled_share",
    ]  # fmt: skip


# --- the run


@pytest.fixture
def smoke(opened, finished, tmp_path) -> Smoke:
    """A run whose steps are done: Ben's bundle twice, its results, his ledger."""
    run = Smoke(tmp_path, tell=lambda line: None, experts=1)
    for folder in (run.bundle, Path(f"{run.bundle}2")):
        write_study(opened, folder, blind=False)
    run.results.parent.mkdir()
    run.results.write_text(json.dumps(results(read_bundle(run.bundle))))
    write_ledger(run.ledger, lines_of_ben(finished))
    return run


def test_a_run_that_agrees_ends_with_one_line(smoke):
    digest = bundle_hash(smoke.bundle)
    said = smoke.verdict()
    assert said.startswith("completed 1, ratings 9, rationales 17, estimates ")
    assert said.endswith(f", ledger = bundle, results = recount, bundle {digest}, OK")


def test_a_sabotage_that_nothing_notices_is_a_failure(smoke):
    smoke.sabotage = "drop-one-rating"
    with pytest.raises(Failed, match="nothing noticed"):
        smoke.verdict()


def test_a_changed_result_fails_the_run(smoke):
    smoke.sabotage = "change-one-result"
    done = smoke_run.change_one_result(smoke.results)
    with pytest.raises(Failed) as failed:
        smoke.verdict()
    name = done.split("k of ")[1].split(" is now")[0]
    assert any(line.startswith(f"results and recount: {name}: k is") for line in failed.value.lines)


@pytest.mark.parametrize("sabotage", ["drop-one-rating", "change-one-word"])
def test_each_sabotage_of_the_database_is_noticed(smoke, opened, sabotage):
    exec(smoke_run.SABOTAGES[sabotage])
    shutil.rmtree(smoke.bundle)
    write_study(opened, smoke.bundle, blind=False)
    with pytest.raises(Failed) as failed:
        smoke.verdict()
    assert any(line.startswith("ledger and bundle: P-") for line in failed.value.lines)


def test_another_hash_of_the_second_export_fails_the_run(smoke, opened):
    Rationale.objects.filter(side="off").first().delete()
    write_study(opened, Path(f"{smoke.bundle}2"), blind=False)
    with pytest.raises(Failed) as failed:
        smoke.verdict()
    assert any("another hash" in line for line in failed.value.lines)


def test_somebody_who_did_not_finish_fails_the_run(smoke):
    smoke.experts = 2
    with pytest.raises(Failed) as failed:
        smoke.verdict()
    assert "1 of 2 experts completed" in failed.value.lines


def test_a_file_changed_after_the_export_fails_the_run(smoke):
    file = smoke.bundle / "ratings.csv"
    file.write_text(file.read_text().replace(",4,", ",5,"))
    with pytest.raises(Failed, match=r"ratings\.csv: its checksum"):
        smoke.verdict()


def test_an_empty_ledger_proves_nothing(smoke):
    smoke.ledger.write_text("")
    with pytest.raises(Failed) as failed:
        smoke.verdict()
    assert any("nothing was acknowledged" in line for line in failed.value.lines)


def test_a_failing_step_shows_its_last_lines(tmp_path):
    with pytest.raises(Failed) as failed:
        Smoke(tmp_path, tell=lambda line: None).take(
            Step("counting", ("-c", "print(1); print(2); raise SystemExit(3)"))
        )
    assert failed.value.lines == ("1", "2", "counting ended with 3.")


def test_steps_see_nothing_of_the_callers_data(monkeypatch, tmp_path):
    for name in ("DATABASE_URL", "REALIA_DEMO", "REALIA_URL", "EMAIL_URL", "CELERY_BROKER_URL", "CACHE_URL"):
        monkeypatch.setenv(name, "something")
    seen = surroundings(tmp_path / "var")
    assert {name: seen[name] for name in seen if name.startswith("REALIA_")} == {
        "REALIA_VAR": str(tmp_path / "var"), "REALIA_EPHEMERAL": "1",
    }  # fmt: skip
    assert not {"DATABASE_URL", "EMAIL_URL", "CELERY_BROKER_URL", "CACHE_URL"} & set(seen)


def test_the_run_has_every_step(tmp_path):
    labels = [step.label for step in Smoke(tmp_path, print, sabotage="drop-one-rating").steps()]
    assert labels.index("simulate") + 1 == labels.index("sabotage: drop-one-rating") < labels.index("export_bundle")
    assert manage("migrate").words == ("manage.py", "migrate")


def test_an_unknown_sabotage_lists_the_known_ones(monkeypatch):
    monkeypatch.setenv("SABOTAGE", "burn-it")
    with pytest.raises(CommandError, match="change-one-result, change-one-word, drop-one-rating") as refused:
        call_command("smoke")
    assert refused.value.returncode == 2


def test_a_folder_in_use_is_left_alone(monkeypatch, tmp_path):
    monkeypatch.delenv("SABOTAGE", raising=False)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CommandError, match="not empty"):
        call_command("smoke", folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
