"""Sensitivity rows and events: all of them, always, and each what it says."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import bundles
import carebench
import pytest
from test_bundle import as_of_format

from analysis.blocks import Block, Earlier, cards, care, losses, sensitivity_rows
from analysis.bundle import Bundle, read_bundle
from analysis.care.headline import ESTIMANDS, counted, headline, leave_one_object_out, leave_one_rater_out
from analysis.context import Context, context_of
from analysis.document import Table
from analysis.estimates import group_estimates
from analysis.plain import read_plain
from analysis.plain_json import plain_json

BLOCKS: tuple[Block, ...] = (care.BLOCK, losses.BLOCK, cards.BLOCK, sensitivity_rows.BLOCK)
ALWAYS = {
    "primary", "org_approval", "pooled_share", "five_only", "first_click", "informed", "exposed_stricter",
    "exposed_looser", "everyone", "without_flags", "without_software_only", "worst", "best", "first_visit",
    "without_split", "without_ai", "without_knows_other", "without_incident", "all_questions", "leave_one_rater_out",
    "leave_one_object_out",
}  # fmt: skip


def rows(context: Context) -> dict[str, dict[str, Any]]:
    found = plain_json(sensitivity_rows.compute(context, Earlier()).data)
    return {row["row"]: row for row in found["groups"][0]["rows"]} if found["groups"] else {}


def rows_of(made: bundles.Tables, **protocol: Any) -> dict[str, dict[str, Any]]:
    return rows(carebench.context(carebench.bundle(made, **protocol)))


def everything(context: Context) -> dict[str, Any]:
    """All four blocks and their sections, as results.json would hold them."""
    found: dict[str, Any] = {"comparisons": []}
    for block in BLOCKS:
        part = block.compute(context, Earlier())
        found[block.key] = plain_json(part.data)
        found["comparisons"] += [row.to_json() for row in part.contrasts]
    sections = [section for block in BLOCKS for section in block.sections(found)]
    tables = [part for section in sections for part in section.parts if isinstance(part, Table)]
    assert len({table.name for table in tables}) == len(tables)
    assert all(len(row) == len(table.head) for table in tables for row in table.rows)
    return found


def by_name(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["row"]: row for row in found["sensitivity_rows"]["groups"][0]["rows"]}


@cache
def careful() -> dict[str, Any]:
    """Everything about eight careful people; read by several tests, changed by none."""
    return everything(carebench.context(carebench.bundle()))


def plain(folder: Path) -> Bundle:
    path = folder / "ratings.csv"
    lines = [f"r{rater},{target},{(rater + place) % 5 + 1}" for rater in range(6) for place, target in enumerate("ABC")]
    path.write_text("\n".join(["participant,object,rating", *lines, "r0,Org,4"]) + "\n")
    return read_plain(path)


def test_a_row_counts_as_the_headline_does(tmp_path: Path) -> None:
    """The three headline numbers are those of `group_estimates`, with nested snapshots as without."""
    for name, orgs in (("one", (bundles.ORG,)), ("five", tuple(str(digit) * 64 for digit in range(5)))):
        bundles.write(tmp_path / name, bundles.tables(15, orgs=orgs))
        group = context_of(read_bundle(tmp_path / name)).groups[0]
        expected = {row.estimand: row for row in group_estimates(group)}
        for estimand in ESTIMANDS:
            found, row = headline(group.ratings, estimand), expected[estimand]
            assert (found.estimate, found.low, found.high) == pytest.approx((row.estimate, row.low, row.high))
            assert (found.k, found.n, found.raters) == (row.k, row.n, row.raters)


def test_leaving_one_out_is_the_estimate_without_it() -> None:
    """Vectorised, against the headline of the rest, one after the other; a rater's object may vanish with them."""
    made = bundles.tables(7)
    made["ratings"] = [row for row in made["ratings"] if row["target"] != "Order" or row["visit"] == "P-0000.1"]
    ratings = carebench.context(carebench.bundle(made)).groups[0].ratings
    for estimand in ESTIMANDS:
        table = counted(ratings, estimand, by="rater")
        found = leave_one_rater_out(table, estimand)
        rest = [headline(ratings[ratings["rater"] != name], estimand).whole for name in table.clusters]
        assert found == pytest.approx(rest)
    table = counted(ratings, "mean_over_objects", by="rater")
    rest = [headline(ratings[ratings["target"] != name], "mean_over_objects").whole for name in table.targets]
    assert leave_one_object_out(table, "mean_over_objects") == pytest.approx(rest)


def test_every_row_of_the_plan_stands() -> None:
    found = by_name(careful())
    assert set(found) >= ALWAYS
    assert "cohort.one" in found
    assert found["primary"]["difference"] is None
    assert found["five_only"]["k"] < found["primary"]["k"]
    assert all(row["estimate"] is not None or row["is_range"] or row["note"] for row in found.values())


def test_rows_that_cant_be_computed_say_why(tmp_path: Path) -> None:
    found = rows(context_of(plain(tmp_path)))
    assert set(found) >= ALWAYS
    assert found["primary"]["estimate"] is not None
    assert found["first_click"]["note"] == "first choices are not known"
    assert found["without_ai"]["note"] == "help used was not asked"
    assert found["exposed_stricter"]["note"] == "active minutes are not known"
    assert found["worst"]["estimate"] == found["primary"]["estimate"]


def changed(made: bundles.Tables, table: str, people: int = 2, **values: Any) -> None:
    """The rows of the first people in a table, changed."""
    key = "code" if table == "participants" else "visit" if table != "visits" else "id"
    for row in made[table]:
        if int(row[key][2:6]) < people:
            row.update(values)


MARKS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("without_split", "visits", {"split": True}),
    ("without_incident", "visits", {"incident": "I1"}),
    ("without_knows_other", "participants", {"knows_other": "know_someone"}),
    ("first_visit", "visits", {"period": 2}),
    ("all_questions", "attempts", {"outcome": "time_up"}),
)


def test_a_row_leaves_out_whom_it_says_and_nobody_else() -> None:
    """Five things happened, to one person, two, … five of ten; each row is without its own people alone."""
    made = carebench.tables(10)
    for one in made["visits"]:
        one["split"] = False
    for people, (_, table, values) in enumerate(MARKS, start=1):
        changed(made, table, people, **values)
    found = rows_of(made)
    assert [found[row]["raters"] for row, _, _ in MARKS] == [9, 8, 7, 6, 5]
    for row, _, _ in MARKS:
        assert found[row]["difference"] == pytest.approx(found[row]["estimate"] - found["primary"]["estimate"])


def test_an_arm_of_which_nobody_is_analysed_yet_has_its_rows_too_p30() -> None:
    """Reasons are there, ratings that count are not: rows without a number, no fault."""
    made = carebench.tables()
    for one in [*made["visits"], *made["participants"]]:
        one["analysed"] = False
    found = by_name(everything(carebench.context(carebench.bundle(made))))
    assert found["without_software_only"]["note"] == "no ratings"
    assert (found["everyone"]["raters"], found["everyone"]["estimate"] is not None) == (8, True)


def test_worst_and_best_bound_everything_that_was_answered_without_a_score() -> None:
    """Plan 8: can't judge and rather not say fall out of n; what was never asked stays out of the bounds too."""
    made = carebench.tables()
    cards = [row for row in made["ratings"] if row["target"] == "Case"]
    for row, blank in zip(cards, ("cannot_judge", "rather_not_say", "not_asked"), strict=False):
        row.update(final=None, final_blank=blank)
    found = rows_of(made)
    assert [found[name]["n"] for name in ("primary", "worst", "best")] == [21, 23, 23]
    assert found["best"]["k"] - found["worst"]["k"] == 2
    assert found["best"]["estimate"] - found["worst"]["estimate"] == pytest.approx(2 / 7 / 3)


def test_ai_for_solving_is_read_from_what_people_said() -> None:
    made = carebench.tables()
    made["closing"] = [
        {"visit": row["id"], "item": "help_used", "value": '["translator", "ai_solving"]' if n < 3 else '["none"]'}
        for n, row in enumerate(made["visits"])
    ]
    assert rows_of(made)["without_ai"]["raters"] == 5


def test_stricter_and_looser_exposure() -> None:
    """Two worked 35 minutes, one not at all and is not analysed, though she rated everything."""
    made = carebench.tables()
    made["visits"][0]["work_active_s"] = made["visits"][1]["work_active_s"] = 35 * 60
    made["visits"][2].update(work_active_s=0, exposed=False, analysed=False)
    made["participants"][2].update(exposed=False, analysed=False)
    found = rows_of(made)
    assert [found[name]["raters"] for name in ("primary", "exposed_stricter", "exposed_looser", "everyone")] == [
        7,
        2,
        8,
        8,
    ]
    made["participants"][2]["exclusion_reason"] = "test_run"
    assert rows_of(made)["exposed_looser"]["raters"] == 7, "who was left out by a rule stays out"
    assert found["exposed_stricter"]["estimate"] is None
    assert "too few for a percentage" in found["exposed_stricter"]["note"]


def test_leaving_out_one_rater_names_a_number_and_no_code() -> None:
    """M20: which rater, by place in the order, never by the person's code."""
    every = by_name(careful())
    found = every["leave_one_rater_out"]
    assert found["is_range"]
    assert found["low"] <= every["primary"]["estimate"] <= found["high"]
    assert found["lowest"].startswith("rater ")
    assert "P-00" not in str(careful())


def test_the_promised_estimand_is_the_first_row() -> None:
    analysis = {**carebench.PROTOCOL["analysis"], "primary": "org_approval"}
    found = rows_of(carebench.tables(), analysis=analysis)
    assert found["primary"]["estimand"] == "org_approval"
    assert found["leave_one_object_out"]["note"] == "the Org as a whole is one rating"
    assert "mean_over_objects" in found


def test_protocol_versions_have_a_row_each() -> None:
    made = carebench.tables(12)
    for number, row in enumerate(made["visits"]):
        row["protocol_sha256"] = ("a" if number < 6 else "b") * 64
    found = rows_of(made)
    assert [found[f"protocol.{letter * 8}"]["raters"] for letter in "ab"] == [6, 6]


def test_events_stand_with_the_estimate_without_them() -> None:
    made = carebench.tables()
    for row in made["visits"]:
        row["split"] = False
    changed(made, "visits", split=True)
    context = carebench.context(carebench.bundle(made))
    events = {event["code"]: event for event in plain_json(care.compute(context, Earlier()).data)["events"]}
    assert (events["split"]["count"], events["split"]["of"]) == (2, 8)
    assert events["split"]["without"][0]["estimate"] == rows(context)["without_split"]["estimate"]
    assert events["origin_known"]["count"] is None
    assert events["taken_out"]["count"] == 0
    assert events["left_before_ratings"]["count"] == 0
    assert len(events) == 13


def test_who_left_before_the_ratings_is_counted_and_who_is_on_the_way_is_not() -> None:
    made = carebench.tables()
    for person, end in zip(made["participants"], ("withdrawn", "", "lapsed"), strict=False):
        person.update(stage="working", end=end)
    made["participants"][3].update(stage="rating", end="lapsed")
    events = {event["code"]: event for event in everything(carebench.context(carebench.bundle(made)))["care"]["events"]}
    assert (events["left_before_ratings"]["count"], events["left_before_ratings"]["of"]) == (2, 8)


def test_ratings_of_objects_alone_are_unopened() -> None:
    """The Org is not a kind of record: its card is in no count of ratings without a record opened."""
    made = carebench.tables()
    for row in made["ratings"]:
        row.update(opened_work=0 if row["target"] in ("Org", "Case") else 1, opened_look=0)
    events = {event["code"]: event for event in everything(carebench.context(carebench.bundle(made)))["care"]["events"]}
    assert (events["unopened"]["count"], events["unopened"]["of"]) == (8, 24)


@pytest.mark.parametrize("experts", [0, 1, 2, 5])
def test_few_people_p30(experts: int) -> None:
    """P-30: nobody, one, two; every block says what there is, and no percentage stands under five raters."""
    found = everything(carebench.context(carebench.bundle(bundles.tables(experts))))
    shares = [row["estimate"] for group in found["sensitivity_rows"]["groups"] for row in group["rows"]]
    assert any(share is not None for share in shares) == (experts >= 5)


def test_everybody_rates_the_same() -> None:
    found = everything(carebench.context(carebench.bundle(bundles.tables(8, score=4))))
    assert {row["estimate"] for row in found["sensitivity_rows"]["groups"][0]["rows"] if row["row"] == "primary"} == {
        1.0
    }


@pytest.mark.parametrize("version", [1, 2])
def test_bundles_of_earlier_formats(tmp_path: Path, version: int) -> None:
    bundles.write(tmp_path / "b", carebench.with_anchors(carebench.tables(), lambda r, c, g: 5 - g))
    as_of_format(tmp_path / "b", version)
    found = everything(context_of(read_bundle(tmp_path / "b")))
    assert bool(found["cards"]["arms"]) == (version == 2)


def test_plain_files_and_blind_bundles(tmp_path: Path) -> None:
    found = everything(context_of(plain(tmp_path)))
    assert found["care"]["why"]
    assert found["losses"]["why"]
    made = carebench.tables()
    made["ratings"], made["rationales"] = [], []
    blind = everything(carebench.context(carebench.bundle(made)))
    assert blind["losses"]["groups"] == []
    assert "can't be worked out again" in blind["care"]["sets"]["why"]
    assert [row["set"] for row in blind["care"]["sets"]["checks"]] == ["exposed"]
