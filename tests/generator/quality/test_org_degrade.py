"""Each recipe destroys what it says, and only that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from study.generator.degrade.flows import RECIPES, NoSuchRecipe, write_degraded
from study.generator.degrade.org_tables import OrgTables
from study.generator.degrade.shuffled import bundles
from study.generator.groundwork.facts import Fact, read_facts
from study.generator.verify.report import verify
from study.sandbox.engine.snapshot import Snapshot, open_snapshot
from study.sandbox.orgs import register_org
from tests.generator.quality.small_org import failed, write_info

Made = tuple[Snapshot, list[Fact], Path]


@pytest.fixture(scope="module")
def made(sound: tuple[Snapshot, Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Made]:
    kept: dict[tuple[str, int], Made] = {}

    def control(recipe: str, seed: int = 3) -> Made:
        if (recipe, seed) not in kept:
            folder = tmp_path_factory.mktemp(recipe)
            info, truth = write_degraded(*sound, recipe, seed, folder)
            assert truth is not None
            kept[recipe, seed] = (open_snapshot(info.path), list(read_facts(truth)), truth)
        return kept[recipe, seed]

    return control


def tables(snapshot: Snapshot) -> dict[str, list[dict[str, Any]]]:
    return {name: list(rows) for name, rows in snapshot.tables()}


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_control_is_an_org_of_its_own(recipe: str, sound: tuple[Snapshot, Path], made: Callable[..., Made]) -> None:
    control, _, _ = made(recipe)
    parent = sound[0]
    assert control.hash != parent.hash
    assert (control.manifest["parent"], control.manifest["recipe"]) == (parent.hash, recipe)
    assert control.counts == parent.counts
    assert control.last_day == parent.last_day
    for name, rows in tables(parent).items():
        assert [row["Id"] for row in rows] == [row["Id"] for row in control.records(name)]


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_same_seed_gives_the_same_control(
    recipe: str, sound: tuple[Snapshot, Path], made: Callable[..., Made], tmp_path: Path
) -> None:
    again, _ = write_degraded(*sound, recipe, 3, tmp_path)
    assert again.hash == made(recipe)[0].hash


def test_shuffled_keeps_everything_but_who_belongs_to_whom(
    sound: tuple[Snapshot, Path], made: Callable[..., Made]
) -> None:
    before, after = OrgTables.of(sound[0]), OrgTables.of(made("shuffled")[0])
    moved = Counter[str]()
    for item in before.registry.objects:
        permuted = {name for bundle in bundles(item) for name in bundle}
        seen: dict[str, list[Counter[Any]]] = {name: [Counter(), Counter()] for name in sorted(permuted)}
        for old, new in zip(before.rows(item.name), after.rows(item.name), strict=True):
            assert {k: v for k, v in old.items() if k not in permuted} == {
                k: v for k, v in new.items() if k not in permuted
            }
            for name in permuted:
                assert (old[name] or "")[:3] == (new[name] or "")[:3]
                month = before.month(item, old)
                seen[name][0][month, old[name]] += 1
                seen[name][1][month, new[name]] += 1
                moved[f"{item.name}.{name}"] += old[name] != new[name]
        assert all(one == other for one, other in seen.values()), item.name
    assert moved["Opportunity.AccountId"] > 0.3 * len(before.rows("Opportunity"))
    assert moved["EmailMessage.RelatedToId"] > 0.7 * len(before.rows("EmailMessage"))
    assert moved["Task.WhatId"] > 0.7 * len(before.rows("Task"))


def test_shuffled_holds_together_no_longer(made: Callable[..., Made]) -> None:
    control, facts, truth = made("shuffled")
    found = failed(verify(control, truth))
    assert {"plausible.contact_of_account", "time.letters_in_life_of_opportunity"} <= found.keys() or (
        "time.history_in_order" in found
    )
    assert not {name for name in found if name.startswith(("formats.", "fingerprints.", "facts.", "lookups."))}
    kinds = {fact.kind for fact in facts}
    assert {"world", "said", "article"} <= kinds
    assert not kinds & {"violation", "bant", "insight", "stage", "priority", "configuration", "discount"}


def test_flat_spreads_dates_and_owners_evenly(sound: tuple[Snapshot, Path], made: Callable[..., Made]) -> None:
    control, _, truth = made("flat")
    for name in ("Opportunity", "Lead"):
        for snapshot, flat in ((sound[0], False), (control, True)):
            rows = list(snapshot.records(name))
            weekend = sum(row["CreatedDate"].weekday() >= 5 for row in rows) / len(rows)
            night = sum(row["CreatedDate"].hour < 6 for row in rows) / len(rows)
            assert (weekend > 0.2) == flat, (name, flat, weekend)
            assert (night > 0.15) == flat, (name, flat, night)
    for name in ("Opportunity", "Case"):
        owners = Counter(row["OwnerId"] for row in control.records(name))
        assert max(owners.values()) - min(owners.values()) <= 1, name
    assert not {name for name in failed(verify(control, truth)) if name.startswith(("time.", "formats.", "lookups."))}


def test_flat_keeps_the_order_within_a_record(sound: tuple[Snapshot, Path], made: Callable[..., Made]) -> None:
    control = made("flat")[0]
    for item in control.registry.objects:
        dates = [one.name for one in item.fields if one.type == "datetime"]
        for old, new in zip(sound[0].records(item.name), control.records(item.name), strict=True):
            for one in dates:
                for other in dates:
                    if old[one] and old[other]:
                        assert (new[one] <= new[other]) == (old[one] <= old[other]), (item.name, new["Id"])
            assert {k: v is None for k, v in old.items()} == {k: v is None for k, v in new.items()}


def test_canned_keeps_what_was_said_and_nothing_of_how(sound: tuple[Snapshot, Path], made: Callable[..., Made]) -> None:
    control, facts, truth = made("canned")
    report = verify(control, truth)
    found = failed(report)
    assert {"texts.skeletons", "texts.openings"} <= found.keys()
    assert not {name for name in found if not name.startswith("texts.")}, found
    told = {one.name: one for one in report.variety}
    assert told["EmailMessage.TextBody"].opening_share > 90
    before = [fact for fact in read_facts(sound[1]) if fact.kind in ("said", "article")]
    assert len([fact for fact in facts if fact.kind in ("said", "article")]) > 0.97 * len(before)
    for item in control.registry.objects:
        short = [one.name for one in item.fields if one.type != "text"]
        for old, new in zip(sound[0].records(item.name), control.records(item.name), strict=True):
            assert {k: old[k] for k in short} == {k: new[k] for k in short}


def test_pristine_fills_gaps_and_changes_nothing_that_was_there(
    sound: tuple[Snapshot, Path], made: Callable[..., Made]
) -> None:
    control, _, truth = made("pristine")
    filled = changed = total = 0
    for item in control.registry.objects:
        short = [one for one in item.fields if one.type != "text" and not one.name.endswith("City")]
        for old, new in zip(sound[0].records(item.name), control.records(item.name), strict=True):
            for one in short:
                assert old[one.name] is None or old[one.name] == new[one.name], (item.name, one.name)
                filled += old[one.name] is None and new[one.name] is not None
            total += len(item.fields)
            changed += sum(old[k] is not None and old[k] != new[k] for k in old)
    assert filled > 20
    assert changed < 0.02 * total
    people = [row for name in ("Contact", "Lead") for row in control.records(name)]
    assert all(row["Phone"] and row["Email"] for row in people)
    assert all(row["ClosedDate"] is None for row in control.records("Case") if row["Status"] != "Closed")
    assert set(failed(verify(control, truth))) <= {"texts.copies", "texts.near_duplicates"}


def test_slips_are_mended() -> None:
    from study.generator.degrade.pristine import _meant

    counts = Counter({"sensor": 90, "order": 60, "parts": 40, "snesor": 1, "oder": 1, "orrder": 1, "part": 2})
    common = {"sensor", "order", "parts"}
    assert [_meant(word, common, counts) for word in ("snesor", "oder", "orrder")] == ["sensor", "order", "order"]
    assert _meant("part", common, counts) is None


def test_unknown_recipes_and_bad_seeds_are_refused(sound: tuple[Snapshot, Path], tmp_path: Path) -> None:
    with pytest.raises(NoSuchRecipe, match="shuffled, flat, canned, pristine"):
        write_degraded(*sound, "burnt", 1, tmp_path)
    with pytest.raises(ValueError, match="zero or more"):
        write_degraded(*sound, "flat", -1, tmp_path)


@pytest.mark.django_db
def test_the_command_makes_a_control_and_says_what_is_wrong(
    sound: tuple[Snapshot, Path], tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.REALIA_VAR = tmp_path / "var"
    register_org(write_info(sound[0]), "parent")
    call_command("org_degrade", "parent", recipe="shuffled", seed=3)
    told = capsys.readouterr().out
    assert "parent-shuffled-3" in told
    assert "no truth file" in told
    for name, options, words in (
        ("parent", {"recipe": "burnt", "seed": 1}, "no recipe burnt"),
        ("nobody", {"recipe": "flat", "seed": 1}, "nobody"),
        ("parent", {"recipe": "shuffled", "seed": 3}, "is the name of an Org already"),
        ("parent", {"recipe": "flat", "seed": 3, "called": "no slug!"}, "cannot be a name"),
    ):
        with pytest.raises(CommandError, match=words):
            call_command("org_degrade", name, **options)
