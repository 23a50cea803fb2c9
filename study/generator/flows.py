"""Build a world and make it an Org of this installation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction

from study.accounts.audit import audit
from study.benchmark.flows import register_instances
from study.benchmark.report import ImportReport
from study.generator.build import Built, build, build_large
from study.generator.instances import Made, make_instances
from study.generator.paraphrase import Endpoint, Paraphraser, paraphrased
from study.generator.recipe import GENERATOR, Recipe
from study.generator.shapes import build_shapes
from study.generator.truth import keep_truth, read_truth
from study.sandbox.engine.snapshot import SnapshotInfo, write_snapshot
from study.sandbox.engine.snapshot_write import Progress
from study.sandbox.engine.workshop import workshop
from study.sandbox.models import Org
from study.sandbox.orgs import orgs_folder, register_org, snapshot_for

STARTER_SCALE = 0.24
"""At this scale ``service`` is the Org of the demo: 5,800 records, made in a few seconds."""


class NameTaken(ValueError):
    """Another Org has the name; the text says which."""


@dataclass(frozen=True)
class Generated:
    """The Org, what was written, and the instances stored (None if none were asked for)."""

    org: Org
    info: SnapshotInfo
    instances: ImportReport | None
    asked: Made | None = None


def _free(name: str) -> None:
    if taken := Org.objects.filter(name=name).first():
        raise NameTaken(
            f"{name} is the name of an Org already ({taken.hash[:12]}). Choose another name, or use it as it is."
        )


def write_shapes(path: Path, records: int, seed: int, progress: Progress | None = None) -> SnapshotInfo:
    """Rows of the right shape and skew without meaning, as a snapshot file."""
    shapes = build_shapes(records, seed)
    return write_snapshot(
        path,
        shapes.registry,
        shapes.tables,
        today=shapes.today,
        generator=GENERATOR,
        seed=seed,
        extra={"world": "shapes", "numpy": np.__version__},
        progress=progress,
        records=records,
    )


def generate_shapes(*, records: int, seed: int, name: str, progress: Progress | None = None) -> Generated:
    """Build, store and register an Org for measuring. NameTaken before any work is done; ValueError for too few."""
    _free(name)
    with workshop(orgs_folder()) as folder:
        info = write_shapes(folder / "org.sqlite", records, seed, progress)
        with transaction.atomic():
            org = register_org(info, name)
            audit("org.generated", by=None, target=org.name, world="shapes", seed=seed, records=records, hash=info.hash)
    return Generated(org, info, None)


def build_recipe(recipe: Recipe, folder: Path, *, cores: int | None = None, progress: Progress | None = None) -> Built:
    """The world of a recipe, ready to be written: in memory, or in ``folder`` if it is large."""
    if recipe.scale <= 1:
        return build(recipe.plan, recipe.seed, recipe.scale)
    spool = folder / "branches"
    spool.mkdir()
    told = (lambda done: progress(done, None, "made")) if progress else None
    return build_large(recipe.plan, recipe.seed, recipe.scale, spool, cores=cores, told=told)


def paraphraser_for(recipe: Recipe, endpoint: Endpoint) -> Paraphraser:
    """One for the texts of a world: it knows the names that must not turn up where they did not stand."""
    material = recipe.plan.material
    names = [name for line in material.product_lines for name in (line.name, line.short)]
    if recipe.plan.sells:
        names += [competitor.name for competitor in material.selling.competitors]
    return Paraphraser(endpoint, Path(settings.REALIA_VAR) / "paraphrases", names)


def reworded(built: Built, paraphraser: Paraphraser) -> Built:
    """The world in other words. ValueError for one that waits on disk: that would be millions of requests."""
    if built.spool is not None:
        raise ValueError("Only a world of scale 1 or less can be paraphrased.")
    tables = {name: list(rows) for name, rows in built.tables.items()}
    return replace(built, tables=paraphrased(tables, built.facts, paraphraser))


def write_built(
    path: Path, built: Built, recipe: Recipe, progress: Progress | None = None, extra: Mapping[str, Any] | None = None
) -> SnapshotInfo:
    """A world as a snapshot file. Its manifest names generator, world, seed, scale, ingredients and numpy."""
    return write_snapshot(
        path,
        built.registry,
        built.tables,
        today=built.plan.today,
        generator=GENERATOR,
        seed=built.seed,
        extra={**recipe.about(), **(extra or {})},
        progress=progress,
        records=built.records,
    )


def org_made_by(recipe: Recipe) -> Org | None:
    """An Org of this installation that this recipe made."""
    same_seed = Org.objects.filter(manifest__seed=recipe.seed, manifest__world=recipe.plan.name)
    return next((org for org in same_seed.order_by("pk") if recipe.made(org.manifest)), None)


def generate(
    recipe: Recipe,
    name: str,
    *,
    instances: bool = True,
    cores: int | None = None,
    progress: Progress | None = None,
    endpoint: Endpoint | None = None,
) -> Generated:
    """Build, store and register, with the truth file in its place.

    With an ``endpoint`` texts are reworded by the model there, and the manifest says so. NameTaken before any work is
    done; ValueError for a recipe that cannot be used. Nothing is left of what is stopped.
    """
    _free(name)
    if endpoint is not None and recipe.scale > 1:
        raise ValueError("Only a world of scale 1 or less can be paraphrased.")
    with workshop(orgs_folder()) as folder:
        built, extra = build_recipe(recipe, folder, cores=cores, progress=progress), {}
        if endpoint is not None:
            paraphraser = paraphraser_for(recipe, endpoint)
            built = reworded(built, paraphraser)
            counts = dict(sorted(paraphraser.counts.items()))
            extra = {"paraphrased": {"model": endpoint.model, "counts": counts}}
        info = write_built(folder / "org.sqlite", built, recipe, progress, extra)
        truth = folder / "truth.jsonl.gz"
        built.write_truth(truth)
        # One transaction: an Org without the questions it was to have is not left behind.
        with transaction.atomic():
            org = register_org(info, name)
            audit(
                "org.generated", by=None, target=org.name, world=recipe.plan.name, seed=recipe.seed,
                scale=recipe.scale, hash=info.hash,
            )  # fmt: skip
            report, asked = _ask(org, recipe, truth) if instances else (None, None)
            keep_truth(truth, info.hash)
    return Generated(org, info, report, asked)


def _ask(org: Org, recipe: Recipe, truth: Path) -> tuple[ImportReport, Made]:
    made = make_instances(snapshot_for(org), read_truth(truth), world=recipe.plan.material.world, seed=recipe.seed)
    source = f"org_generate {recipe.plan.name} --seed {recipe.seed} --scale {recipe.scale:g}"
    return register_instances(org, made.records, source), made


def generate_org(world: str, *, seed: int, name: str, scale: float = 1.0, instances: bool = True) -> Generated:
    """As ``generate``, for the usual recipe of a world."""
    return generate(Recipe(world, seed, scale), name, instances=instances)
