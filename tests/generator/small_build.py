"""A small build of every world in a process of its own: ``small_build.py CORES [planted]`` prints hashes.

Of each world a branch in memory and three branches on disk, with the hash of the Org and of the truth file.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import django


def plant() -> None:
    """What must never happen: an order that depends on how this process hashes texts."""
    from study.generator.company.naming import Naming

    def person(self: Naming) -> tuple[str, str]:
        firsts, lasts = (sorted(names, key=hash) for names in (material.first_names, material.last_names))
        return self.draw.pick(firsts), self.draw.pick(lasts)

    from study.generator.groundwork.world_file import read_plan

    material = read_plan("b2b").material
    Naming.person = person  # type: ignore[method-assign]


def main(cores: int, worlds: list[str]) -> None:
    from study.generator.build import Built, build, build_large
    from study.generator.groundwork.scaling import totals
    from study.generator.groundwork.world_file import read_plan
    from study.sandbox.engine.snapshot import write_snapshot

    def tell(what: str, built: Built, folder: Path) -> None:
        info = write_snapshot(folder / "org.sqlite", built.registry, built.tables, today=built.plan.today)
        built.write_truth(folder / "truth")
        print(what, info.hash, hashlib.sha256((folder / "truth").read_bytes()).hexdigest())

    for world in worlds:
        plan = read_plan(world)
        plan = replace(plan, counts=totals(plan, 0.03))
        with tempfile.TemporaryDirectory() as folder:
            tell(world, build(plan, 5), Path(folder))
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as spool:
            tell(f"{world} x3", build_large(plan, 5, 3, Path(spool), cores=cores), Path(folder))


if __name__ == "__main__":
    django.setup()
    if "planted" in sys.argv:
        plant()
    main(int(sys.argv[1]), ["b2b"] if "planted" in sys.argv else ["service", "b2b", "b2c"])
