"""From a recipe to an Org: exact counts, families, ingredients, the truth file, and nothing left of what is stopped."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from study.generator import build as building
from study.generator.build import BuildError, build, build_large
from study.generator.groundwork.material import WORLDS
from study.generator.groundwork.plan import LATENTS
from study.generator.groundwork.scaling import totals
from study.generator.groundwork.world_file import read_plan
from study.generator.truth import NoTruth, truth_for, truth_path
from study.sandbox.models import Org

ROOT = Path(__file__).resolve().parents[2]


def generate(*arguments: str) -> str:
    out = StringIO()
    call_command("org_generate", *arguments, stdout=out, no_color=True)
    return out.getvalue()


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    """A world file of a company a fiftieth as large as b2b."""
    plan = read_plan("b2b")
    raw = yaml.safe_load((WORLDS / "b2b" / "world.yaml").read_text())
    path = tmp_path / "tiny.yaml"
    path.write_text(yaml.safe_dump(raw | {"name": "tiny", "based_on": "b2b", "counts": totals(plan, 0.02)}))
    return str(path)


@pytest.mark.parametrize("world", ["service", "b2b", "b2c"])
@pytest.mark.parametrize("scale", [0.02, 0.13])
def test_counts_are_exact_at_any_scale(world: str, scale: float) -> None:
    plan = read_plan(world)
    made = build(plan, 3, scale)
    assert {name: len(list(rows)) for name, rows in made.tables.items() if rows} == {
        name: n for name, n in totals(plan, scale).items() if n
    }


def test_all_latent_variables_are_told() -> None:
    found = {fact.values["name"] for fact in build(read_plan("b2b"), 3, 0.13).facts if fact.kind == "latent"}
    assert found == set(LATENTS)


@pytest.mark.parametrize("switch", ["cycles", "skew", "gaps", "quoting", "causes"])
def test_every_ingredient_can_be_left_out(switch: str) -> None:
    from study.generator.recipe import Recipe

    recipe = Recipe("b2b", 3, 0.05, (switch,))
    assert not getattr(recipe.plan.ingredients, switch)
    assert build(recipe.plan, 3, 0.05).tables != build(read_plan("b2b"), 3, 0.05).tables


def test_a_part_that_makes_too_few_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    right = building.make_parties

    def one_short(branch: Any) -> None:
        right(branch)
        branch.tables["Contact"].pop()

    monkeypatch.setattr(building, "make_parties", one_short)
    with pytest.raises(BuildError, match="Contact records were made and"):
        build(read_plan("b2c"), 3, 0.05)


@pytest.mark.django_db
def test_an_org_and_its_truth_file(settings: Any, tmp_path: Path) -> None:
    settings.REALIA_VAR = tmp_path
    said = generate("b2b", "--seed", "4", "--scale", "0.05", "--no-instances")
    org = Org.objects.get()
    assert "Generated as b2b-4 in" in said
    assert org.company == "Tessaly Controls"
    assert org.manifest["generator"] == "realia 2"
    assert (org.manifest["world"], org.manifest["seed"], org.manifest["scale"]) == ("b2b", 4, 0.05)
    assert org.manifest["ingredients"]["causes"] is True
    path = truth_path(org.hash)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    truth = truth_for(org)
    assert truth.world()["company"] == "Tessaly Controls"
    assert truth.world()["bant"]["months"] == 6
    products = {row["Id"] for row in org_rows(org, "Product2")}
    assert {rule["product"] for rule in truth.world()["rules"]["limits"]} <= products
    assert not truth.of_kind("said")
    path.unlink()
    with pytest.raises(NoTruth):
        truth_for(org)


def org_rows(org: Org, name: str) -> list[Any]:
    from study.sandbox.orgs import snapshot_for

    return list(snapshot_for(org).records(name))


@pytest.mark.django_db
def test_a_family_is_made_once(settings: Any, tmp_path: Path, tiny: str) -> None:
    settings.REALIA_VAR = tmp_path
    made = ("--world", tiny, "--scale", "1", "--no-instances")
    generate(*made, "--seeds", "1-2", "--name", "kin")
    assert list(Org.objects.order_by("name").values_list("name", flat=True)) == ["kin-01", "kin-02"]
    again = generate(*made, "--seeds", "1-3", "--name", "kin")
    assert "Seed 1 is here already, as kin-01." in again
    assert "Generated as kin-03" in again
    assert "is here already" not in generate(*made, "--seeds", "1,2", "--without", "gaps")
    assert Org.objects.count() == 5
    with pytest.raises(CommandError, match="is the name of an Org already"):
        generate(*made, "--seeds", "2", "--name", "kin", "--without", "skew")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("b2b", "--seed", "1", "--without", "salt"), "There is no ingredient salt"),
        (("b2b", "--seed", "1", "--seeds", "1-2"), "either --seed or --seeds"),
        (("b2b", "--seeds", "5-1"), "write 1-30"),
        (("moon", "--seed", "1"), "There is no world moon"),
        (("b2b", "--seed", "-1"), "seed must be zero or more"),
        (("b2b", "--seed", "1", "--scale", "900"), "scale must lie between"),
        (("b2b", "--seed", "1", "--name", "not a name"), "use letters"),
        (("b2b", "--seed", "1", "--timing", "nowhere.csv"), "cannot be read"),
    ],
)
def test_what_cannot_be_made_is_said(arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        generate(*arguments)
    assert not Org.objects.exists()


def test_branches_do_not_collide(tmp_path: Path, tiny: str) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    made = build_large(read_plan(tiny), 3, 3, spool, cores=1)
    tables = {name: list(rows) for name, rows in made.tables.items()}
    assert {name: len(rows) for name, rows in tables.items()} == dict(made.counts)
    for name, rows in tables.items():
        assert len({row["Id"] for row in rows}) == len(rows), name
    for name, key in (("Order", "OrderNumber"), ("Case", "CaseNumber"), ("Quote", "QuoteNumber"), ("Account", "Name")):
        assert len({row[key] for row in tables[name]}) == len(tables[name]), name
    assert not [path for path in spool.iterdir() if not path.name.endswith("facts")]


def test_nothing_is_left_of_what_is_stopped(tmp_path: Path, tiny: str) -> None:
    env = {**os.environ, "REALIA_VAR": str(tmp_path / "var"), "DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3"}
    subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0"], cwd=ROOT, env=env, check=True, timeout=120)
    command = [
        sys.executable,
        "manage.py",
        "org_generate",
        "--world",
        tiny,
        "--seed",
        "1",
        "--scale",
        "60",
        "--cores",
        "2",
    ]
    running = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    orgs = tmp_path / "var" / "orgs"
    until = time.monotonic() + 60
    while time.monotonic() < until and not list(orgs.glob("*.part/branches/*-facts")):
        time.sleep(0.1)
    running.send_signal(signal.SIGTERM)
    _out, error = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Nothing half-made is left" in error
    assert not list(orgs.iterdir())
    assert not (tmp_path / "var" / "truth").exists()
