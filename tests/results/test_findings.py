"""What a results page shows beyond the headline, from stored results new and old."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from analysis.bundle import read_bundle, write_bundle
from analysis.context import Options
from analysis.results import results
from study.results.findings import findings, p_words, points
from study.results.models import StoredResult
from tests.analysis.bundles import ORG, STUDY, tables

CONTROL = "1" * 64


def two_orgs(folder: Path, *, alike: bool) -> dict[str, Any]:
    """Results of twelve people who rated an Org and its control; alike: both as often approved."""
    made = tables(12)
    for visit in list(made["visits"]):
        own = [row for row in made["ratings"] if row["visit"] == visit["id"]]
        again = visit["id"].replace(".1", ".2")
        visit["condition"] = "org"
        made["visits"].append({**visit, "id": again, "period": 2, "condition": "control", "org_hash": CONTROL})
        for row in own:
            number = int(visit["id"][2:6])
            row["final"] = row["first"] = 5 if number % 4 else 2
            score = (5 if (number + 1) % 4 else 2) if alike else 2
            made["ratings"].append({**row, "visit": again, "first": score, "final": score})
    orgs = [{"hash": ORG, "name": "a"}, {"hash": CONTROL, "name": "b", "parent": ORG, "recipe": "shuffled"}]
    write_bundle(folder, made, protocol_yaml="name: realia-hour\n", orgs_json=orgs, study=STUDY)
    return results(read_bundle(folder), Options(replicates=999))


def test_a_page_shows_what_the_analysis_found(tmp_path):
    found = two_orgs(tmp_path / "b", alike=False)
    more = findings(found)
    (row,) = [row for row in found["comparisons"] if row["estimand"] == "sensitivity"]
    (shown,) = more.differences
    assert (shown.kind, shown.points, shown.people) == ("within rater", points(row["estimate"]), "12 raters")
    assert shown.p == p_words(row["p"])
    assert more.profile
    assert more.insensitive == ()
    assert [part.arm for part in more.looks] == ["main, control", "main, org"]
    assert sum(look.primary for look in more.looks[1].rows) == 1
    assert more.looks[1].rows[0].share == "75.0"
    assert {row.arm for row in more.agreement} == {"main, control", "main, org"}


def test_approval_without_sensitivity_is_followed_by_its_sentence(tmp_path):
    """M5: an Org rated like its control."""
    more = findings(two_orgs(tmp_path / "b", alike=True))
    (said,) = more.insensitive
    assert said.startswith("Experts did not rate the Org above the same records with their connections destroyed")


def test_results_from_before_show_what_they_have():
    more = findings({"estimates": [], "groups": [], "comparison": "none"})
    assert (more.profile, more.differences, more.agreement, more.looks, more.insensitive) == (False, (), (), (), ())


@pytest.mark.parametrize(("share", "said"), [(0.124, "+12"), (-0.03, "−3"), (0.0, "0"), (-0.004, "0"), (None, "")])
def test_points_carry_their_sign(share, said):
    assert points(share) == said


@pytest.mark.django_db
def test_the_page_holds_the_tables_and_a_way_to_the_report(opened, finished, desk_of_ada, tmp_path):
    from study.results.stored import state_of

    found = two_orgs(tmp_path / "b", alike=True)
    figures = {"realism-profile-light-1132": "<svg id='the-profile'></svg>"}
    stored = {"results": found, "figures": figures, "state": state_of(opened)}
    StoredResult.objects.create(study=opened, fingerprint=found["bundle"], results=stored)
    page = desk_of_ada.get(f"/studies/{opened.code}/results/").content.decode()
    for words in (
        "the-profile",
        "connections destroyed",
        "How far it holds",
        "AC2",
        "Make the report",
        "main, control",
    ):
        assert words in page, words
