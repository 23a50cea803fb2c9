"""From an Org to its control: tables changed by a recipe, written, registered, with truth and instances of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

from django.db import transaction

from study.accounts.audit import audit
from study.benchmark.report import ImportReport
from study.generator.degrade.canned import can, slots_of
from study.generator.degrade.flat import Renamed, flatten
from study.generator.degrade.kept_facts import kept_facts
from study.generator.degrade.org_tables import OrgTables
from study.generator.degrade.pristine import fill
from study.generator.degrade.shuffled import shuffle
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.facts import read_facts, write_facts
from study.generator.groundwork.world_file import built_in_worlds
from study.generator.instances import make_instances, register_instances
from study.generator.recipe import GENERATOR
from study.generator.truth import keep_truth, read_truth, truth_path
from study.generator.verify.mentions import mentions_of
from study.generator.verify.source import reading
from study.sandbox.engine.snapshot import Snapshot, SnapshotInfo, write_snapshot
from study.sandbox.engine.workshop import workshop
from study.sandbox.models import Org
from study.sandbox.orgs import orgs_folder, register_org, snapshot_for

RECIPES: Mapping[str, str] = {
    "shuffled": "parents permuted among records of the same object and month",
    "flat": "dates and owners spread evenly",
    "canned": "one pattern of words for each kind of text",
    "pristine": "no gaps and no slips",
}
# What a manifest says about the making of the parent that holds for the control too.
_KEPT = ("world", "scale", "company", "ingredients", "plan", "numpy")


class NoSuchRecipe(ValueError):
    """A recipe that is not one of RECIPES; the text names them."""


@dataclass(frozen=True)
class Degraded:
    """The control Org, what was written, how many facts still hold (None: no truth file) and the instances stored."""

    org: Org
    info: SnapshotInfo
    facts: int | None
    instances: ImportReport | None


def write_degraded(
    snapshot: Snapshot, truth: Path | None, recipe: str, seed: int, folder: Path
) -> tuple[SnapshotInfo, Path | None]:
    """A control of an Org as a snapshot file in ``folder``, with the facts that still hold (None without truth).

    NoSuchRecipe; ValueError for a negative seed or an Org too large.
    """
    if recipe not in RECIPES:
        raise NoSuchRecipe(f"There is no recipe {recipe}. Choose one of {', '.join(RECIPES)}.")
    if seed < 0:
        raise ValueError("The seed must be zero or more.")
    org = OrgTables.of(snapshot)
    renamed = _changed(org, snapshot, truth, recipe, seed)
    about: dict[str, Any] = {key: snapshot.manifest[key] for key in _KEPT if key in snapshot.manifest}
    about |= {"parent": snapshot.hash, "recipe": recipe}
    if recipe == "flat" and isinstance(about.get("ingredients"), dict):
        about["ingredients"] = about["ingredients"] | {"cycles": False, "skew": False}
    if "seed" in snapshot.manifest:
        about["parent_seed"] = snapshot.manifest["seed"]
    info = write_snapshot(
        folder / "org.sqlite", org.registry, org.tables, today=snapshot.last_day,
        generator=GENERATOR if _own(snapshot) else "control", seed=seed, extra=about,
    )  # fmt: skip
    if truth is None or not truth.is_file():
        return info, None
    kept = folder / "truth.jsonl.gz"
    write_facts(kept, kept_facts(read_facts(truth), org, recipe, renamed))
    return info, kept


def _own(snapshot: Snapshot) -> bool:
    return str(snapshot.manifest.get("generator", "")).startswith("realia")


def _changed(org: OrgTables, snapshot: Snapshot, truth: Path | None, recipe: str, seed: int) -> Renamed:
    """Apply a recipe. Names in texts that are others' now, by record."""
    draw = Draw(seed, f"degrade {recipe}")
    if recipe == "shuffled":
        shuffle(org, draw)
    elif recipe == "pristine":
        fill(org, draw)
    elif recipe == "canned":
        told = read_facts(truth, frozenset({"said", "article"})) if truth and truth.is_file() else ()
        with reading(snapshot, truth) as source:
            can(org, slots_of(told), mentions_of(source), str(snapshot.manifest.get("company") or "Customer Care"))
    else:
        # UTC midnight after the last day: dates are days of the Org's zone, and ours are UTC.
        return flatten(org, datetime.combine(snapshot.last_day + timedelta(days=1), time(0), UTC))
    return {}


def degrade_org(parent: Org, recipe: str, seed: int, name: str | None = None) -> Degraded:
    """Make, store and register a control Org. NameTaken, NoSuchRecipe or ValueError before anything is kept."""
    from study.generator.flows import NameTaken

    name = name or f"{parent.name}-{recipe}-{seed}"
    if taken := Org.objects.filter(name=name).first():
        raise NameTaken(f"{name} is the name of an Org already ({taken.hash[:12]}). Choose another with --name.")
    with workshop(orgs_folder()) as folder:
        info, kept = write_degraded(snapshot_for(parent), truth_path(parent.hash), recipe, seed, folder)
        facts = sum(1 for _ in read_facts(kept)) if kept else None
        with transaction.atomic():
            org = register_org(info, name)
            audit(
                "org.degraded", by=None, target=org.name, parent=parent.hash, recipe=recipe, seed=seed, hash=info.hash
            )
            report = _ask(org, info, kept, parent, recipe, seed) if kept else None
            if kept:
                keep_truth(kept, info.hash)
    return Degraded(org, info, facts, report)


def _ask(org: Org, info: SnapshotInfo, truth: Path, parent: Org, recipe: str, seed: int) -> ImportReport | None:
    """Instances of its own, where the world is one that questions can be made for."""
    world = str(info.manifest.get("world", ""))
    if world not in built_in_worlds():
        return None
    made = make_instances(snapshot_for(org), read_truth(truth), world=world, seed=seed)
    return register_instances(org, made.records, source=f"org_degrade {parent.name} --recipe {recipe} --seed {seed}")
