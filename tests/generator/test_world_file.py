"""World files: what they say becomes a plan, and what they get wrong is named with its key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from study.generator.groundwork.latents import SETTINGS
from study.generator.groundwork.material import WORLDS
from study.generator.groundwork.plan import LATENTS
from study.generator.groundwork.scaling import shares, totals
from study.generator.groundwork.world_file import WorldFileError, built_in_worlds, plan_of, read_plan


def raw(world: str = "b2b") -> dict[str, Any]:
    return yaml.safe_load((WORLDS / world / "world.yaml").read_text())


def test_there_are_three_worlds_with_the_published_counts() -> None:
    assert built_in_worlds() == ("b2b", "b2c", "service")
    sums = {name: sum(read_plan(name).counts.values()) for name in built_in_worlds()}
    junctions = {name: read_plan(name).counts.get("UserTerritory2Association", 0) + 100 for name in ("b2b", "b2c")}
    assert sums["b2b"] - junctions["b2b"] == 29_101
    assert sums["b2c"] - junctions["b2c"] == 54_569
    assert [len(read_plan(name).counts) for name in built_in_worlds()] == [27, 27, 16]


def test_all_latent_variables_have_settings() -> None:
    assert set(SETTINGS) == set(LATENTS)
    assert len(LATENTS) == 21
    assert set(read_plan("b2c").latents) == set(LATENTS)


def test_no_setting_is_without_effect() -> None:
    code = "".join(
        path.read_text() for path in sorted(WORLDS.parent.rglob("*.py")) if path.name not in ("latents.py", "facts.py")
    )
    unread = [(name, key) for name in SETTINGS for key in SETTINGS[name] if f'"{key}"' not in code]
    assert (
        unread == [("ConversationInsights", feeling) for feeling in ("positive", "neutral", "negative")] or not unread
    )


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("colour", "red", "colour is no key of a world file"),
        ("timing.tempo", 3, "timing.tempo is no key of a world file"),
        ("timing.hours", [1] * 23, "timing.hours"),
        ("timing.opens", 19, "must open before it closes"),
        ("counts.Case", 0, "counts.Case"),
        ("counts.Campaign", 3, "counts.Campaign: no object"),
        ("latents.Skil", {}, "there is no latent variable Skil"),
        ("latents.Skill", {"knwn": 2}, "Skill has no setting knwn; it has known"),
        ("mail_domain", "tessaly.com", "mail_domain"),
        ("zone", "Europe/Berlin", "write UTC"),
        ("today", "2021-11-01", "a year at least"),
        ("based_on", "moon", "use one of b2b, b2c, service"),
        ("fixed", ["Cases"], "Cases is no object of this world"),
    ],
)
def test_a_wrong_key_is_named(path: str, value: Any, said: str) -> None:
    world = raw()
    *steps, last = path.split(".")
    inner = world
    for step in steps:
        inner = inner[step]
    inner[last] = value
    with pytest.raises(WorldFileError, match=said):
        plan_of(world, Path("mine.yaml"))


def test_a_world_of_ones_own_falls_back_to_one_that_is_built_in(tmp_path: Path) -> None:
    world = raw() | {"name": "mine", "company": "Mine"}
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(world))
    with pytest.raises(WorldFileError, match="based_on is missing"):
        read_plan(str(path))
    path.write_text(yaml.safe_dump(world | {"based_on": "b2b"}))
    (tmp_path / "first_names.txt").write_text("Ann Bo")
    plan = read_plan(str(path))
    assert plan.company == "Mine"
    assert plan.material.first_names == ("Ann", "Bo")
    assert plan.material.selling.territories == read_plan("b2b").material.selling.territories


def test_a_world_that_is_not_there_is_said() -> None:
    with pytest.raises(WorldFileError, match=r"There is no world moon\. Use b2b, b2c, service"):
        read_plan("moon")


@pytest.mark.parametrize("scale", [0.02, 0.3, 1, 2.5, 7])
@pytest.mark.parametrize("world", ["service", "b2b", "b2c"])
def test_branches_share_out_exactly_what_there_is(world: str, scale: float) -> None:
    plan = read_plan(world)
    wanted, parts = totals(plan, scale), shares(plan, scale)
    assert len(parts) == max(1, -(-scale // 1))
    for name, n in wanted.items():
        assert n == (parts[0][name] if name in plan.fixed else sum(part[name] for part in parts))
        if scale >= 1:
            assert n == plan.counts[name] if name in plan.fixed else round(plan.counts[name] * scale)
    assert wanted["PricebookEntry"] <= wanted["Product2"] * wanted["Pricebook2"]


@pytest.mark.parametrize("scale", [0, 0.01, 201])
def test_scales_out_of_range_are_refused(scale: float) -> None:
    with pytest.raises(ValueError, match="scale must lie between"):
        totals(read_plan("b2b"), scale)
