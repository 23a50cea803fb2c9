"""manage.py org_generate service --seed 7 --name demo-service: a generated Org with its query instances.

manage.py org_generate b2b --seeds 1-30: a family. manage.py org_generate shapes --records 55000 --seed 1: rows of the
right shape and skew without meaning, for measuring.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug

from study.generator.flows import Generated, NameTaken, generate, generate_shapes, org_made_by
from study.generator.groundwork.world_file import built_in_worlds
from study.generator.paraphrase import Endpoint
from study.generator.recipe import SWITCHES, Recipe
from study.generator.shapes import LEAST
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.progress import ProgressLine
from study.sandbox.engine.workshop import stoppable

SHAPES = "shapes"
MOST_SEEDS = 1_000


class Command(BaseCommand):
    help = "Generate an Org from a seed, or a family of them; the same seed gives the same Org."

    def add_arguments(self, parser: CommandParser) -> None:
        worlds = ", ".join(built_in_worlds())
        parser.add_argument("world", nargs="?", help=f"{worlds}, {SHAPES}, or the path of a world file")
        parser.add_argument("--world", dest="world_file", help="the path of a world file, or a world's name")
        parser.add_argument("--seed", type=int, help="zero or more")
        parser.add_argument("--seeds", help="a family: 1-30, or 1,4,9-12")
        parser.add_argument("--name", help="the name of the Org: letters, digits, - and _; usually WORLD-SEED")
        parser.add_argument("--records", type=int, help=f"for {SHAPES}: how many records, from {LEAST} up")
        parser.add_argument("--scale", type=float, default=1.0, help="1 has as many records as the published Orgs")
        parser.add_argument("--cores", type=int, help="processes that build a world larger than scale 1; usually all")
        parser.add_argument("--without", default="", help=f"ingredients to leave out, of {', '.join(SWITCHES)}")
        parser.add_argument("--timing", type=Path, help="an event log (CSV or OCEL), or a file of timing_fit")
        parser.add_argument(
            "--paraphrase",
            action="store_true",
            help="reword texts by the model of PARAPHRASE_BASE_URL and PARAPHRASE_MODEL; texts that lose a fact stay",
        )
        parser.add_argument("--no-instances", action="store_true", help="only the Org, no questions about it")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with stoppable(), closing(ProgressLine(self.stdout)) as progress:
                if options["world"] == SHAPES:
                    self._shapes(options, progress)
                else:
                    self._worlds(options, progress)
        except (NameTaken, ValueError, SnapshotError) as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped. Nothing half-made is left.", returncode=130) from None

    def _shapes(self, options: dict[str, Any], progress: ProgressLine) -> None:
        """An Org for measuring, called by its size and seed unless there is a name."""
        if options["records"] is None:
            raise CommandError(f"{SHAPES} needs --records.")
        if options["seed"] is None:
            raise CommandError("The following arguments are required: --seed")
        name = _slug(options["name"] or f"{SHAPES}-{options['records']}-{options['seed']}")
        began = time.monotonic()
        found = generate_shapes(records=options["records"], seed=options["seed"], name=name, progress=progress)
        progress.close()
        self._tell(found, name, time.monotonic() - began)

    def _worlds(self, options: dict[str, Any], progress: ProgressLine) -> None:
        endpoint = Endpoint.of(os.environ) if options["paraphrase"] else None
        if options["paraphrase"] and endpoint is None:
            raise CommandError("--paraphrase needs PARAPHRASE_BASE_URL and PARAPHRASE_MODEL in the environment.")
        for name, recipe in _recipes(options):
            if options["seeds"] and (known := org_made_by(recipe)):
                self.stdout.write(f"Seed {recipe.seed} is here already, as {known.name}.")
                continue
            began = time.monotonic()
            found = generate(
                recipe, name, instances=not options["no_instances"], cores=options["cores"], progress=progress,
                endpoint=endpoint,
            )  # fmt: skip
            progress.close()
            self._tell(found, name, time.monotonic() - began)

    def _tell(self, found: Generated, name: str, seconds: float) -> None:
        width = max(map(len, found.info.counts))
        for item, count in found.info.counts.items():
            self.stdout.write(f"  {item:<{width}}  {count:>9,}")
        total = sum(found.info.counts.values())
        self.stdout.write(f"{len(found.info.counts)} objects, {total:,} records, last day {found.info.last_day}")
        if found.instances is not None:
            self.stdout.write(f"{found.instances.new} query instances")
        for line in (*found.asked.refused, *found.asked.short) if found.asked else ():
            self.stdout.write(f"  {line}")
        if told := found.info.manifest.get("paraphrased"):
            counts = ", ".join(f"{name} {count:,}" for name, count in told["counts"].items())
            self.stdout.write(f"paraphrased by {told['model']}: {counts}")
        self.stdout.write(f"hash {found.info.hash}")
        if found.org.name == name:
            self.stdout.write(self.style.SUCCESS(f"Generated as {name} in {seconds:.1f} s."))
        else:
            self.stdout.write(f"This content is here already, as {found.org.name}; {name} was not added.")


def _recipes(options: dict[str, Any]) -> list[tuple[str, Recipe]]:
    """Names and recipes of what was asked for, all of them checked before the first is made."""
    if options["records"] is not None:
        raise CommandError(f"--records is for {SHAPES}; use --scale.")
    world = options["world"] or options["world_file"]
    if not world or (options["world"] and options["world_file"]):
        raise CommandError("Name one world: a built-in one, or --world with the path of a world file.")
    if (options["seed"] is None) == (options["seeds"] is None):
        raise CommandError("Give either --seed or --seeds.")
    if options["cores"] is not None and options["cores"] < 1:
        raise CommandError("--cores: one at least.")
    without = tuple(part.strip() for part in options["without"].split(",") if part.strip())
    seeds = [options["seed"]] if options["seeds"] is None else seeds_of(options["seeds"])
    recipes = [Recipe(world, seed, options["scale"], without, options["timing"]) for seed in seeds]
    width = max(2, len(str(max(seeds))))
    named = []
    for recipe in recipes:
        name = recipe.usual_name if options["name"] is None else options["name"]
        if options["name"] and options["seeds"]:
            name = f"{name}-{recipe.seed:0{width}d}"
        named.append((_slug(name), recipe))
    return named


def seeds_of(text: str) -> list[int]:
    """``1-30`` or ``1,4,9-12``. CommandError for anything else, and for more than a thousand."""
    seeds: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*", part)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if last < first or last - first >= MOST_SEEDS:
            raise CommandError(f"--seeds {text}: write 1-30, or 1,4,9-12.")
        seeds += range(first, last + 1)
    return list(dict.fromkeys(seeds))


def _slug(name: str) -> str:
    try:
        validate_slug(name)
    except ValidationError:
        raise CommandError(f"--name {name}: use letters, digits, - and _.") from None
    return name
