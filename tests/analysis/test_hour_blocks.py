"""What the hour says beside its ratings, from bundles whose truth is known; and from every small or strange study."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import bundles
import carebench
import pytest
import yaml

from analysis.blocks import Block, Earlier, manipulation, moderators, requester, software, task_realism, week, work
from analysis.bundle import Bundle, frame_of, read_bundle, write_bundle
from analysis.coding import read_codes as rationale_codes
from analysis.context import Options, context_of
from analysis.document import Figure, Paragraph, Section, Table
from analysis.figures_hour import calibration_svg, coverage_svg, gap_svg
from analysis.flow import success
from analysis.hour.means import cluster_mean
from analysis.plain import read_plain
from analysis.plain_json import plain_json
from analysis.tables import TABLES

BLOCKS = (work, requester, week, task_realism, software, manipulation, moderators)
OWN = ("very_unrealistic", "unrealistic", "neutral", "realistic", "very_realistic")
PROTOCOL = """
name: realia-hour
disclosure: origin_after
screener:
  items:
    - {id: S2, use: products, type: multi, options: [{code: zoho}, {code: sap}, {code: corvane, flag: overclaim}]}
    - {id: S3, use: experience, type: single, options: [{code: under_1}, {code: y1_2}, {code: over_10}]}
"""


def closing(visit: str, **said: str) -> list[dict[str, Any]]:
    """Rows of closing; `rather_not_say` is a blank."""
    return [
        {"visit": visit, "item": item, "value": "" if value == "rather_not_say" else value,
         "value_blank": value if value == "rather_not_say" else ""}
        for item, value in said.items()
    ]  # fmt: skip


def read(folder: Path, made: bundles.Tables, protocol: str = PROTOCOL, **study: Any) -> Bundle:
    write_bundle(folder, made, protocol_yaml=protocol, orgs_json=[], study={**bundles.STUDY, **study})
    return read_bundle(folder)


def held(made: bundles.Tables, protocol: str = PROTOCOL) -> Bundle:
    """The same without the way over files, which is proved for some studies and not for each again."""
    return carebench.in_memory(made, yaml.safe_load(protocol))


def found_in(bundle: Bundle, *modules: Any, codes: Path | None = None) -> dict[str, Any]:
    """results.json of these blocks alone, through JSON so that nothing but JSON is in it."""
    context, earlier = context_of(bundle, Options(codes=codes)), Earlier()
    for module in modules or BLOCKS:
        block: Block = module.BLOCK
        part = block.compute(context, earlier)
        earlier.data[block.key] = plain_json(part.data)
        earlier.estimates += part.estimates
        earlier.contrasts += part.contrasts
    rows: dict[str, list[Any]] = {"estimates": earlier.estimates, "comparisons": earlier.contrasts}
    made = {key: [row.to_json() for row in listed] for key, listed in rows.items()} | earlier.data
    again: dict[str, Any] = json.loads(json.dumps(made, allow_nan=False))
    assert again == made
    return again


def row(found: Mapping[str, Any], estimand: str, target: str, arm: str = "main") -> dict[str, Any]:
    chosen = [
        entry for entry in found["estimates"]
        if (entry["estimand"], entry["target"], entry["arm"]) == (estimand, target, arm)
    ]  # fmt: skip
    assert len(chosen) == 1, (estimand, target, len(chosen))
    one: dict[str, Any] = chosen[0]
    return one


def sections(found: Mapping[str, Any]) -> list[Section]:
    return [section for module in BLOCKS if module.KEY in found for section in module.BLOCK.sections(found)]


def words(found: Mapping[str, Any]) -> str:
    return " ".join(
        " ".join([part.text] if isinstance(part, Paragraph) else map(str, [c for r in part.rows for c in r]))
        for section in sections(found)
        for part in section.parts
        if isinstance(part, (Paragraph, Table))
    )


# Their week


def week_of(experts: int = 10) -> bundles.Tables:
    """Each person names three episodes: fully, only the software, records missing; and rates their own system."""
    made = bundles.tables(experts)
    made["closing"] = []
    for number in range(experts):
        visit = f"P-{number:04d}.1"
        said = {"coverage_1": "fully", "coverage_2": "software_only", "coverage_3": "records_missing"}
        own = {f"own_{name}": OWN[(number + place) % 5] for place, name in enumerate(bundles.OBJECTS)}
        made["closing"] += closing(visit, **said, **own, own_software="same", not_found="" if number else "Contracts.")
    return made


def test_coverage_counts_what_could_be_done_but_for_the_software(tmp_path: Path) -> None:
    found = found_in(held(week_of()), week)
    entry = row(found, "coverage", "episodes")
    assert (entry["k"], entry["n"], entry["raters"]) == (20, 30, 10)
    assert entry["estimate"] == pytest.approx(2 / 3)
    missing = row(found, "episode_answer", "records_missing")
    assert (missing["k"], missing["n"]) == (10, 30)
    assert found["week"]["groups"][0]["not_found"] == {"asked": 10, "written": 1}


def test_can_t_say_is_left_out_of_coverage_shown_and_bounded(tmp_path: Path) -> None:
    made = week_of()
    unsure = [line for line in made["closing"] if line["item"] == "coverage_1"][:4]
    for line in unsure[:3]:
        line["value"] = "cannot_say"
    unsure[3] |= {"value": "", "value_blank": "rather_not_say"}
    found = found_in(held(made), week)
    entry = row(found, "coverage", "episodes")
    assert (entry["k"], entry["n"], entry["cannot_judge"]) == (16, 26, 3)
    ends = [row(found, f"{name}_coverage", "episodes") for name in ("worst", "best")]
    assert [(end["k"], end["n"]) for end in ends] == [(16, 29), (19, 29)]


def test_people_who_are_covered_alike_are_clusters(tmp_path: Path) -> None:
    """Three episodes of one person are no three people: the interval is that of ten, not of thirty."""
    made = week_of()
    for line in made["closing"]:
        if line["item"].startswith("coverage_"):
            line["value"] = "fully" if int(line["visit"][2:6]) % 2 else "records_missing"
    entry = row(found_in(held(made), week), "coverage", "episodes")
    assert entry["deff"] == pytest.approx(3 * 10 / 9)
    assert entry["high"] - entry["low"] > 0.5


def test_the_gap_is_own_minus_org_within_each_rater(tmp_path: Path) -> None:
    made = week_of()
    bundle = held(made)
    scores = {(r["visit"], r["target"]): r["final"] for r in made["ratings"]}
    each = []
    for number in range(10):
        visit = f"P-{number:04d}.1"
        own = [(number + place) % 5 + 1 for place in range(3)]
        each.append(sum(o - scores[visit, name] for o, name in zip(own, bundles.OBJECTS, strict=True)) / 3)
    expected = cluster_mean(each, range(10))
    entry = row(found_in(bundle, week), "gap", "objects")
    assert (entry["estimate"], entry["low"], entry["high"]) == pytest.approx(
        (expected.estimate, expected.low, expected.high), abs=1e-8
    )
    assert (entry["n"], entry["raters"]) == (10, 10)


def test_only_pairs_with_both_ratings_count_and_an_item_that_is_no_object_does_not(tmp_path: Path) -> None:
    made = week_of()
    cases = [line for line in made["closing"] if line["item"] == "own_Case"]
    cases[0]["value"] = "cannot_say"
    made["ratings"][6] |= {"final": None, "final_blank": "cannot_judge"}  # of P-0001, the Case
    found = found_in(held(made), week)
    entry = row(found, "gap", "Case")
    assert (entry["n"], entry["cannot_judge"]) == (8, 1)
    targets = {e["target"] for e in found["estimates"] if e["estimand"] == "gap"}
    assert targets == {"objects", *bundles.OBJECTS}


def test_a_gap_that_is_the_same_for_all_has_no_interval_of_width_nought(tmp_path: Path) -> None:
    """P-33."""
    made = week_of()
    for rating in made["ratings"]:
        rating["final"] = 3
    for line in made["closing"]:
        if line["item"].startswith("own_") and line["item"] != "own_software":
            line["value"] = "realistic"
    entry = row(found_in(held(made), week), "gap", "objects")
    assert (entry["estimate"], entry["low"]) == (1.0, None)
    assert "not estimable" in entry["note"]


def coded(folder: Path, rows: list[tuple[str, int, str, str]]) -> Path:
    """The file of codes of the rationales, with episodes in it as well."""
    path = folder / "codes.csv"
    lines = [f"{coder},{person}.1,episode,{number},,{code}" for person, number, coder, code in rows]
    rationale = "a,P-0000.1,org,Org,right,values"
    path.write_text("\n".join(["coder,visit,kind,target,side,code", *lines, rationale]) + "\n")
    return path


def test_task_coverage_and_kinds_from_two_coders(tmp_path: Path) -> None:
    """Ten people; the first episode is a task of the study, the second none, the third splits the coders."""
    rows = []
    for number in range(10):
        code = f"P-{number:04d}"
        for coder in "ab":
            rows.append((code, 1, coder, "handle_time" if number < 8 else f"kind{number}"))
            rows.append((code, 2, coder, "none: invoices" if number < 2 else "none"))
            rows.append((code, 3, coder, "top_issue" if coder == "a" else "none"))
    bundle = held(week_of())
    found = found_in(bundle, week, codes=coded(tmp_path, rows))
    entry = row(found, "task_coverage", "episodes")
    assert (entry["estimate"], entry["n"], entry["raters"]) == (0.5, 30, 10)
    kinds = found["week"]["groups"][0]["kinds"]
    assert kinds["counts"] == {"handle_time": 8, "none: invoices": 2, "kind8": 1, "kind9": 1}
    assert (kinds["double"], kinds["agreed"]) == (30, 20)
    assert (kinds["chao2"]["once"], kinds["chao2"]["twice"], kinds["chao2"]["units"]) == (2, 1, 10)
    assert kinds["chao2"]["estimate"] == pytest.approx(4 + 9 / 10 * 2)
    assert "not coded" not in words(found)


def test_without_codes_it_says_so_and_with_wrong_ones_it_names_the_line(tmp_path: Path) -> None:
    bundle = held(week_of())
    assert "The episodes are not coded" in words(found_in(bundle, week))
    with pytest.raises(ValueError, match=r"codes\.csv, line 2: visit P-9999\.1 is not in the bundle"):
        found_in(bundle, week, codes=coded(tmp_path, [("P-9999", 1, "a", "handle_time")]))
    twice = [("P-0001", 1, "a", "handle_time"), ("P-0001", 1, "a", "top_issue")]
    with pytest.raises(ValueError, match="line 3: a codes episode 1 of P-0001 twice"):
        found_in(bundle, week, codes=coded(tmp_path, twice))


def test_what_coders_settled_counts_and_how_they_agreed_before_stays(tmp_path: Path) -> None:
    rows = [(f"P-{number:04d}", 1, coder, code) for number in range(6) for coder, code in
            (("a", "handle_time"), ("b", "none"), ("resolved", "none: invoices"))]  # fmt: skip
    found = found_in(held(week_of()), week, codes=coded(tmp_path, rows))
    assert row(found, "task_coverage", "episodes")["k"] == 0
    kinds = found["week"]["groups"][0]["kinds"]
    assert (kinds["coders"], kinds["double"], kinds["agreed"]) == (2, 6, 0)
    assert kinds["counts"] == {"none: invoices": 6}


def test_one_file_holds_the_codes_of_rationales_and_of_episodes(tmp_path: Path) -> None:
    path = coded(tmp_path, [("P-0001", 1, "a", "handle_time")])
    bundle = held(week_of())
    assert rationale_codes(path).rationales == (("P-0000.1", "org", "Org", "right"),)
    assert found_in(bundle, week, codes=path)["week"]["coded"] is True


# Task realism


def realism(experts: int = 8) -> bundles.Tables:
    """First question monthly or oftener for all but two, of whom one has another area; the second never."""
    made = bundles.tables(experts)
    for attempt in made["attempts"]:
        number = int(attempt["visit"][2:6])
        first = "not_my_area" if number == 0 else "less_often" if number == 1 else "weekly"
        attempt["frequency_at_work"] = first if attempt["position"] == 1 else "never"
        attempt["one_clear_answer"] = "unclear_wording" if attempt["position"] == 2 and number < 2 else "yes"
    return made


def test_task_realism_is_among_those_whose_area_it_is(tmp_path: Path) -> None:
    found = found_in(held(realism()), task_realism)
    first, whole = row(found, "task_realism", "handle_time"), row(found, "task_realism", "tasks")
    assert (first["k"], first["n"]) == (6, 7)
    assert (whole["k"], whole["n"], whole["raters"]) == (6, 15, 8)
    assert found["task_realism"]["groups"][0]["frequency"]["not_my_area"] == 1
    assert row(found, "task_realism_by_stratum", "workflow")["n"] == 15


def test_a_replication_asks_after_the_ratings_and_finds_the_same(tmp_path: Path) -> None:
    made, later = realism(), realism()
    later["closing"] = []
    for attempt in later["attempts"]:
        items = {"frequency": attempt.pop("frequency_at_work"), "clear": attempt.pop("one_clear_answer")}
        said = {f"{name}_{attempt['position']}": value for name, value in items.items()}
        later["closing"] += closing(attempt["visit"], **said)
    found = [found_in(read(tmp_path / name, rows), task_realism) for name, rows in (("a", made), ("b", later))]
    assert found[0] == found[1]
    assert found[0]["estimates"]


def test_an_instance_that_two_people_call_unclear_is_listed_and_one_person_is_not_enough(tmp_path: Path) -> None:
    made = realism()
    listed = found_in(held(made), task_realism)["task_realism"]["unclear"]
    assert [(entry["instance"], entry["people"], entry["asked"]) for entry in listed] == [("i2", 2, 8)]
    assert listed[0]["reasons"] == {"unclear_wording": 2}
    made["attempts"][1]["one_clear_answer"] = "yes"
    assert found_in(held(made), task_realism)["task_realism"]["unclear"] == []


# Work


def test_success_is_per_attempted_and_per_assigned(tmp_path: Path) -> None:
    """Ten people, one question right; the other right for five, wrong for three, skipped by two."""
    made = bundles.tables(10)
    for attempt in made["attempts"]:
        number = int(attempt["visit"][2:6])
        attempt["correct"] = True if attempt["position"] == 1 else number < 5
        if attempt["position"] == 2 and number >= 8:
            attempt |= {"outcome": "skipped", "correct": None, "answer": None}
    found = found_in(held(made), work)
    tried, given = (row(found, f"success_{of}", "top_issue") for of in ("attempted", "assigned"))
    assert (tried["k"], tried["n"], given["k"], given["n"]) == (5, 8, 5, 10)
    whole = row(found, "success_assigned", "questions")
    assert (whole["k"], whole["n"], whole["raters"]) == (15, 20, 10)
    assert found["work"]["groups"][0]["outcomes"]["skipped"] == 2
    # A draft that the clock ended stays one, even if it would have been right.
    made["attempts"][1] |= {"outcome": "time_up", "correct": True}
    ended = row(found_in(held(made), work), "success_assigned", "top_issue")
    assert (ended["k"], ended["n"]) == (4, 10)


def test_a_text_that_waits_to_be_marked_is_left_out_and_told(tmp_path: Path) -> None:
    made = bundles.tables(8)
    for attempt in made["attempts"][:6]:
        attempt["correct"] = None
    found = found_in(held(made), work)
    assert row(found, "success_assigned", "questions")["n"] == 10
    assert "6 answers in words have no grade yet" in words(found)


@pytest.mark.parametrize("reason", ["test_run", ""])
def test_who_was_left_out_by_a_rule_is_in_no_success(reason: str) -> None:
    """A release doesn't give the reason; who is complete and not usable was left out all the same."""
    made = bundles.tables(8)
    made["participants"][0] |= {"exclusion_reason": reason, "analysed": False, "usable": False, "complete": True}
    made["visits"][0]["analysed"] = False
    bundle = held(made)
    assert row(found_in(bundle, work), "success_assigned", "questions")["n"] == 14
    assert sum(entry["assigned"] for entry in success(bundle, "task")) == 14


def test_who_worked_and_left_before_the_ratings_counts_at_the_questions() -> None:
    made = bundles.tables(8)
    made["participants"][0]["analysed"] = made["visits"][0]["analysed"] = False
    assert row(found_in(held(made), work), "success_assigned", "questions")["n"] == 16


def test_one_person_who_calls_a_question_unclear_twice_is_one() -> None:
    made = realism(8)
    for attempt in made["attempts"]:
        attempt |= {"instance": "i1", "one_clear_answer": "data_missing" if attempt["visit"] == "P-0000.1" else "yes"}
    assert found_in(held(made), task_realism)["task_realism"]["unclear"] == []


def test_success_by_task_keeps_its_fields() -> None:
    fields = {
        "task", "assigned", "attempted", "graded", "correct", "participants", "share_of_attempted", "low", "high",
        "outcomes", "median_minutes",
    }  # fmt: skip
    made = bundles.tables(6)
    frames = {name: frame_of(table, ()) for name, table in TABLES.items()}
    assert success(Bundle("", frames), "task") == []
    frames |= {
        name: frame_of(TABLES[name], [{**empty(name), **entry} for entry in made[name]])
        for name in ("attempts", "visits", "participants")
    }
    assert all(set(entry) == fields for entry in success(Bundle("", frames), "task"))


def empty(name: str) -> dict[str, Any]:
    return {column.name: "" if column.kind == "string" else None for column in TABLES[name].columns}


def test_confidence_is_held_against_success(tmp_path: Path) -> None:
    """All 90 sure and half of them right: 40 points too sure."""
    made = bundles.tables(10)
    for number, attempt in enumerate(made["attempts"]):
        attempt |= {"confidence": 90, "correct": number % 4 < 2}
    found = found_in(held(made), work)
    entry = row(found, "overconfidence", "questions")
    assert entry["estimate"] == pytest.approx(0.4)
    # Each person is right twice or not at all, so that there are ten observations.
    assert 0 < entry["low"] < 0.1
    score = found["work"]["groups"][0]["calibration"]["brier"]
    assert (score["reliability"], score["resolution"]) == (pytest.approx(0.16), pytest.approx(0))


def test_evidence_is_the_mean_over_questions_and_nobody_is_called_a_ceiling(tmp_path: Path) -> None:
    made = bundles.tables(6)
    for attempt in made["attempts"]:
        attempt |= {"evidence_needed": 4, "evidence_reached": 3} if attempt["position"] == 1 else {"evidence_needed": 0}
    found = found_in(held(made), work)
    assert row(found, "evidence_reached", "questions")["estimate"] == pytest.approx(0.75)
    said = words(found)
    assert "In this interface, within the time, on first use." in said
    assert "ceiling" not in said
    made["attempts"][0]["evidence_reached"] = 4
    entry = row(found_in(held(made), work), "evidence_reached", "questions")
    assert (entry["k"], entry["n"]) == (None, 6), "a mean of shares has no count of successes"


# Someone to ask


def asking(experts: int = 12) -> bundles.Tables:
    """Both tasks both ways in turn; asked whole, right; withheld, right for two thirds. Three of four facts come."""
    made = bundles.tables(experts)
    for attempt in made["attempts"]:
        number = int(attempt["visit"][2:6])
        hidden = (number + attempt["position"]) % 2 == 0
        attempt |= {"withhold": "policy" if hidden else "none", "style": "terse" if number % 3 else "vague"}
        attempt |= {f"questions_{name}": 0 for name in ("needed", "repeated", "unneeded", "other")}
        attempt |= {"facts_needed": 0, "facts_obtained": 0, "correct": True}
        if hidden:
            attempt |= {"facts_needed": 4, "facts_obtained": 3, "questions_needed": 3, "questions_other": 3}
            attempt["correct"] = number % 3 != 0
    return made


def test_facts_questions_and_elicitation_loss(tmp_path: Path) -> None:
    found = found_in(held(asking()), requester)
    facts = row(found, "facts_obtained", "questions")
    assert (facts["k"], facts["n"], facts["estimate"]) == (36, 48, 0.75)
    assert row(found, "questions_per_fact", "questions")["estimate"] == pytest.approx(2)
    assert row(found, "success_given_all_facts", "questions")["n"] == 0
    assert row(found, "facts_obtained_by_withhold", "policy")["n"] == 48
    losses = {entry["estimand"]: entry for entry in found["comparisons"]}
    loss, within = losses["elicitation_loss"], losses["elicitation_loss_within_rater"]
    assert (loss["kind"], loss["a"], loss["b"]) == ("randomised", "nothing withheld", "policy withheld")
    assert loss["estimate"] == pytest.approx(1 / 3)
    assert loss["low"] > 0
    assert (within["kind"], within["n"]) == ("within rater", 12)
    assert within["estimate"] == pytest.approx(1 / 3)
    assert "not a measure of skill" in words(found)


def test_four_people_have_no_loss_in_points() -> None:
    losses = found_in(held(asking(4)), requester)["comparisons"]
    assert losses
    assert all(line["estimate"] is None and "under five raters" in line["note"] for line in losses)


def test_success_given_all_facts_is_of_those_who_got_them(tmp_path: Path) -> None:
    made = asking()
    for attempt in made["attempts"]:
        if attempt["withhold"] == "policy" and int(attempt["visit"][2:6]) < 7:
            attempt["facts_obtained"] = 4
    entry = row(found_in(held(made), requester), "success_given_all_facts", "questions")
    assert (entry["k"], entry["n"]) == (4, 7)


def test_where_nothing_was_ever_asked_whole_there_is_no_loss_but_a_reason(tmp_path: Path) -> None:
    made = asking()
    for attempt in made["attempts"]:
        attempt["withhold"] = "policy"
    found = found_in(held(made), requester)
    assert [entry["estimate"] for entry in found["comparisons"]] == [None, None]
    assert all("both ways" in entry["note"] for entry in found["comparisons"])


def test_a_study_without_a_requester_says_so(tmp_path: Path) -> None:
    found = found_in(held(bundles.tables(6)), requester)
    assert found["comparisons"] == []
    assert "This study had no requester" in words(found)


# Software or data


def tagged(experts: int = 10) -> bundles.Tables:
    """Everyone finds all realistic, but half rate the Case 2: of these three for the software alone."""
    made = bundles.tables(experts, score=4)
    for rating in made["ratings"]:
        number = int(rating["visit"][2:6])
        if rating["target"] == "Case" and number < 5:
            rating["final"] = 2
    for number in range(5):
        made["rationales"].append(
            {"visit": f"P-{number:04d}.1", "kind": "object", "target": "Case", "side": "off", "text": "odd",
             "tags": ["software"] if number < 3 else ["software", "links"] if number == 3 else None}
        )  # fmt: skip
    return made


def test_ratings_that_are_low_for_the_software_alone_are_taken_out_beside_the_headline(tmp_path: Path) -> None:
    found = found_in(held(tagged()), software)
    group = found["software"]["groups"][0]
    assert (group["all"]["k"], group["all"]["n"]) == (25, 30)
    assert (group["without_software"]["k"], group["without_software"]["n"]) == (25, 27)
    assert group["all"]["estimate"] == pytest.approx((1 + 0.5 + 1) / 3)
    assert group["without_software"]["estimate"] == pytest.approx((1 + 5 / 7 + 1) / 3)
    assert group["notes"] == {"all": 5, "tagged": 4}
    # Two notes may be about the software and something else; under five people there are counts only.
    tag = row(found, "off_note_tag", "software")
    assert (tag["k"], tag["n"], tag["estimate"]) == (4, 4, None)
    assert row(found, "off_note_software_alone", "notes")["k"] == 3


def test_no_new_estimate_takes_a_name_the_recount_knows(tmp_path: Path) -> None:
    made = tagged() | {"closing": week_of()["closing"]}
    names = {entry["estimand"] for entry in found_in(held(made))["estimates"]}
    known = ("org_approval", "object_approval", "mean_over_objects", "pooled_share")
    assert not [name for name in names if name.endswith(known)]


def test_umux_lite_and_its_correlation_but_no_adjustment(tmp_path: Path) -> None:
    """(a + b − 2)·100/12: two and four are 33.3, seven and seven 100."""
    made = bundles.tables(10)
    made["closing"] = []
    for number in range(10):
        first, second = ("2", "4") if number % 2 else ("7", "7")
        said = {"umux_requirements": first, "umux_easy": second, "own_software": "higher"}
        made["closing"] += closing(f"P-{number:04d}.1", **said)
    found = found_in(held(made), software)
    assert row(found, "umux_lite", "raters")["estimate"] == pytest.approx((100 + 100 / 3) / 2)
    group = found["software"]["groups"][0]
    assert group["umux"]["n"] == 10
    assert group["own_software"] == {"lower": 0, "same": 0, "higher": 10, "cannot_say": 0, "rather_not_say": 0}


def test_products_are_cells_of_five_and_one_that_does_not_exist_is_none(tmp_path: Path) -> None:
    made = bundles.tables(12, score=4)
    for number, person in enumerate(made["participants"]):
        person["screener"] = {"S2": ["zoho", "corvane"] if number < 7 else ["sap"] if number < 10 else ["corvane"]}
    cells = found_in(held(made), software)["software"]["groups"][0]["products"]
    assert [(name, cell["raters"]) for name, cell in cells] == [("zoho", 7)]


def test_thirds_of_fluency_and_records_seen_in_the_look_alone(tmp_path: Path) -> None:
    made = bundles.tables(15, score=4)
    for number, visit in enumerate(made["visits"]):
        visit["fluency_s"] = 60 + number
    for rating in made["ratings"]:
        rating["opened_work"] = 0 if rating["target"] == "Order" else 2
    group = found_in(held(made), software)["software"]["groups"][0]
    assert [cell["raters"] for _, cell in group["fluency"]] == [5, 5, 5]
    assert (group["look_only"]["k"], group["look_only"]["n"]) == (15, 15)


def test_fluency_is_the_persons_whichever_org_came_first(tmp_path: Path) -> None:
    """The moves are timed at the first visit alone; the second Org of a crossover has thirds of everybody too."""
    made = bundles.tables(15)
    for number, visit in enumerate(list(made["visits"])):
        again, first, second = (
            visit["id"].replace(".1", ".2"),
            *(("north", "south") if number % 2 else ("south", "north")),
        )
        made["visits"].append({**visit, "id": again, "period": 2, "condition": second})
        visit |= {"condition": first, "fluency_s": 60 + number}
        made["ratings"] += [{**entry, "visit": again} for entry in made["ratings"] if entry["visit"] == visit["id"]]
    for group in found_in(held(made), software)["software"]["groups"]:
        assert [cell["raters"] for _, cell in group["fluency"]] == [5, 5, 5]


# What people guessed


def guessing(experts: int = 12) -> bundles.Tables:
    """Five guess an AI model and approve of nothing; the others guess rules and approve of all."""
    made = bundles.tables(experts)
    made["closing"] = []
    for number in range(experts):
        guess, sure = ("ai_model", "high") if number < 5 else ("rules_program", "low")
        said = {"origin_guess": guess, "origin_confidence": sure}
        rest = {"hoped": "High ratings." if number % 2 else "", "rushed": str(number % 5 + 1), "use_answers": "yes"}
        made["closing"] += closing(f"P-{number:04d}.1", **said, **rest, help_used='["translator", "colleague"]')
    for rating in made["ratings"]:
        rating["final"] = 2 if int(rating["visit"][2:6]) < 5 else 5
    return made


def test_guesses_have_shares_and_approval_beside_them_is_exploratory(tmp_path: Path) -> None:
    found = found_in(held(guessing()), manipulation)
    entry = row(found, "origin_guess", "ai_model")
    assert (entry["k"], entry["n"], entry["estimator"]) == (5, 12, "Wilson")
    group = found["manipulation"]["groups"][0]
    assert group["guesses"]["ai_model"]["high"] == 5
    assert group["approval"]["difference"]["estimate"] == pytest.approx(-1)
    assert [cell["raters"] for _, cell in group["approval"]["cells"]] == [5, 7]
    assert group["hoped"] == {"asked": 12, "written": 6}
    assert group["help"] == {"asked": 12, "used": {"colleague": 12, "translator": 12}}
    assert found["manipulation"]["disclosure"] == "origin_after"
    tables = [part.caption for section in sections(found) for part in section.parts if isinstance(part, Table)]
    assert any(caption.startswith("Exploratory") for caption in tables)


def test_four_who_guessed_so_are_too_few_for_a_difference(tmp_path: Path) -> None:
    made = guessing()
    made["closing"][0]["value"] = "rules_program"
    approval = found_in(held(made), manipulation)["manipulation"]["groups"][0]["approval"]
    assert approval["difference"] is None
    assert "too few" in approval["note"]


def test_what_was_not_asked_at_a_visit_is_no_guess_and_nobody_who_was_asked(tmp_path: Path) -> None:
    """A crossover asks at the last visit what would give the origin away; the first one has rows that say so."""
    made = guessing()
    for number, line in enumerate(made["closing"]):
        if int(line["visit"][2:6]) in (0, 11):
            line |= {"value": "", "value_blank": ("not_asked", "not_reached", "removed")[number % 3]}
    found = found_in(held(made), manipulation, week)
    entry = row(found, "origin_guess", "ai_model")
    assert (entry["k"], entry["n"], entry["raters"]) == (4, 10, 10)
    group = found["manipulation"]["groups"][0]
    assert set(group["guesses"]) == set(manipulation.GUESSES)
    assert (group["asked"], group["hoped"]["asked"], group["help"]["asked"]) == (10, 10, 10)
    assert sum(group["rushed"].values()) == 10
    assert [cell["raters"] for _, cell in group["approval"]["cells"]] == [4, 6]
    assert "not asked" not in words(found)


# Order, experience and role


def test_an_order_effect_is_found_within_raters(tmp_path: Path) -> None:
    """Ratings fall a point with each card for everyone, whatever their level."""
    made = bundles.tables(8)
    for rating in made["ratings"]:
        rating["final"] = 5 - rating["position"] - (0 if int(rating["visit"][2:6]) % 2 else 1)
    cards = found_in(held(made), moderators)["moderators"]["groups"][0]["cards"]
    assert cards["estimate"] == pytest.approx(-1)
    assert (cards["low"], cards["n"]) == (None, 8)


def test_experience_is_merged_with_its_neighbour_and_unadjusted(tmp_path: Path) -> None:
    made = bundles.tables(15)
    for number, person in enumerate(made["participants"]):
        person["screener"] = {"S3": "under_1" if number < 2 else "y1_2" if number < 8 else "over_10"}
    for rating in made["ratings"]:
        rating["final"] = 5 if int(rating["visit"][2:6]) < 8 else 1
    group = found_in(held(made), moderators)["moderators"]["groups"][0]
    assert [(cell["cell"], cell["mean"]["n"], cell["others"]) for cell in group["experience"]] == [
        ("under_1 · y1_2", 8, 7), ("over_10", 7, 8),
    ]  # fmt: skip
    assert group["experience"][0]["difference"]["estimate"] == pytest.approx(1)
    assert group["experience"][0]["mean"]["high"] == 1
    assert group["role"] == []
    for number, person in enumerate(made["participants"]):
        person["screener"] = {"S4": ["sell", "quote"] if number < 11 else ["sell"] if number < 13 else ["quote"]}
    group = found_in(held(made), moderators)["moderators"]["groups"][0]
    roles = [(cell["cell"], cell["mean"]["n"], cell["others"], cell["difference"]) for cell in group["role"]]
    assert roles == [("quote", 13, 2, None), ("sell", 13, 2, None)], "two people are no side of a comparison"


# Every input


def as_of_format(bundle: Bundle, version: int) -> Bundle:
    """As the reader gives a bundle of an earlier format: what came later is there and empty."""
    frames = {}
    for name, table in TABLES.items():
        frame = bundle.frames[name].copy() if table.since <= version else frame_of(table, ())
        blank = frame_of(table, [empty(name)] * len(frame))
        for column in table.columns:
            if column.since > version:
                frame[column.name] = blank[column.name].set_axis(frame.index)
        frames[name] = frame
    return replace(bundle, frames=frames)


def full(experts: int) -> bundles.Tables:
    """Everything at once."""
    made = week_of(experts)
    for other in (guessing(experts), asking(experts), realism(experts)):
        made["closing"] += [line for line in other.get("closing", []) if line["item"] != "own_software"]
    visits = {visit["id"] for visit in made["visits"]}
    off = [note for note in tagged(5)["rationales"] if note["side"] == "off"]
    made["rationales"] += [note for note in off if note["visit"] in visits]
    others = zip(asking(experts)["attempts"], realism(experts)["attempts"], strict=True)
    for attempt, (asked, real) in zip(made["attempts"], others, strict=True):
        attempt |= {**real, **asked, "confidence": 70}
    return made


def plain(folder: Path) -> Bundle:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ratings.csv").write_text("participant,object,rating\na,Org,4\na,Case,3\nb,Org,cannot_judge\n")
    return read_plain(folder / "ratings.csv")


def blind(folder: Path) -> Bundle:
    made = full(8)
    made |= {"ratings": [], "rationales": [], "closing": []}
    return read(folder, made, blind=True)


def alike(folder: Path) -> Bundle:
    made = full(8)
    for rating in made["ratings"]:
        rating["final"] = 4
    for line in made["closing"]:
        line["value"] = {"coverage": "fully", "own": "realistic"}.get(line["item"].split("_")[0], line["value"])
    return read(folder, made)


def crossed(folder: Path) -> Bundle:
    """Each person in two Orgs of one arm."""
    made = full(8)
    for visit in list(made["visits"]):
        again = visit["id"].replace(".1", ".2")
        made["visits"].append({**visit, "id": again, "period": 2, "condition": "south"})
        visit["condition"] = "north"
        for name in ("ratings", "closing", "attempts", "rationales"):
            made[name] += [{**entry, "visit": again} for entry in made[name] if entry["visit"] == visit["id"]]
    return read(folder, made)


def nested(folder: Path) -> Bundle:
    made = full(12)
    for number, visit in enumerate(made["visits"]):
        visit["org_hash"] = str(number % 6) * 64
    return read(folder, made)


INPUTS: dict[str, Callable[[Path], Bundle]] = {
    "plain": plain,
    "blind": blind,
    "nobody": lambda folder: held(bundles.tables(0)),
    "one": lambda folder: held(full(1)),
    "two": lambda folder: held(full(2)),
    "many": lambda folder: read(folder, full(20)),
    "alike": alike,
    "ratings alone": lambda folder: held({**bundles.tables(6), "attempts": [], "rationales": []}),
    "crossed": crossed,
    "nested": nested,
    "format 1": lambda folder: as_of_format(held(full(8)), 1),
    "format 2": lambda folder: as_of_format(held(full(8)), 2),
}


@pytest.mark.parametrize("name", INPUTS)
def test_every_study_gives_rows_and_sections(tmp_path: Path, name: str) -> None:
    """P-30 and P-33: none, one, two, all alike, several Orgs, old formats: no NaN, no share from under five."""
    found = found_in(INPUTS[name](tmp_path / "b"))
    ids = [entry["id"] for entry in [*found["estimates"], *found["comparisons"]]]
    assert len(ids) == len(set(ids))
    for entry in found["estimates"]:
        assert entry["k"] is None or entry["raters"] >= 5 or entry["estimate"] is None
        assert entry["low"] is None or entry["low"] <= entry["estimate"] + 1e-9 <= entry["high"] + 2e-9
        assert entry["estimate"] is not None or entry["note"]
    made = sections(found)
    tables = [part for section in made for part in section.parts if isinstance(part, Table)]
    assert len({table.name for table in tables}) == len(tables)
    for table in tables:
        assert all(len(line) == len(table.head) for line in table.rows)
        assert table.data is None or len({len(line) for line in table.data}) == 1
    assert len({section.name for section in made}) == len(made)


def test_snapshots_are_the_outer_clusters_where_raters_are_nested_in_them(tmp_path: Path) -> None:
    found = found_in(nested(tmp_path / "b"), week)
    assert "snapshots as outer clusters" in row(found, "coverage", "episodes")["estimator"]
    assert "snapshots as outer clusters" in row(found, "gap", "objects")["estimator"]


@pytest.mark.parametrize(("theme", "width"), [("light", 872), ("dark", 320)])
def test_figures_have_a_sentence_and_no_type_under_eleven(theme: str, width: int) -> None:
    bins: list[dict[str, Any]] = [
        {"confidence": 0.8, "share": 0.6, "share_low": 0.4, "share_high": 0.8, "n": 12},
        {"confidence": 0.2, "share": None, "share_low": None, "share_high": None, "n": 2},
    ]
    gaps: list[dict[str, Any]] = [{"label": "Case", "estimate": -0.5, "low": -1.0, "high": 0.0, "n": 9},
            {"label": "Order", "estimate": None, "low": None, "high": None, "n": 0}]  # fmt: skip
    counts = {"fully": 12, "software_only": 3, "links_missing": 1, "records_missing": 0}
    for drawn in (
        calibration_svg(bins, theme, width), coverage_svg(counts, 2, theme, width), gap_svg(gaps, theme, width),
        calibration_svg([], theme, width), coverage_svg({}, 0, theme, width), gap_svg([], theme, width),
    ):  # fmt: skip
        assert 'role="img"' in drawn
        sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)', drawn)]
        assert sizes
        assert min(sizes) >= 11


def test_the_figures_of_a_report_are_drawn_from_results_alone(tmp_path: Path) -> None:
    made = sections(found_in(held(full(10))))
    figures = [part for section in made for part in section.parts if isinstance(part, Figure)]
    assert {figure.name for figure in figures} == {"calibration-main", "coverage-main", "gap-main"}
    assert all("aria-label" in figure.draw("light", 320) for figure in figures)
