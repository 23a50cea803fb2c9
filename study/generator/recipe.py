"""What makes an Org the one it is: a world, a seed, a scale, its ingredients and, if it is fitted, a log of events."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from study.generator.groundwork.plan import Ingredients, Plan
from study.generator.groundwork.world_file import read_plan
from study.generator.timing_fit import fitted_timing

VERSION = "2"
GENERATOR = f"realia {VERSION}"
SWITCHES = tuple(field.name for field in fields(Ingredients) if field.name != "fitted")


@dataclass(frozen=True)
class Recipe:
    """``without`` names ingredients that are left out; ``timing`` is a log of events or a file made from one."""

    world: str
    seed: int
    scale: float = 1.0
    without: tuple[str, ...] = ()
    timing: Path | None = None

    @cached_property
    def plan(self) -> Plan:
        """WorldFileError, TimingError or ValueError for what cannot be used; the text says what to do."""
        for name in self.without:
            if name not in SWITCHES:
                raise ValueError(f"There is no ingredient {name}. Leave out some of {', '.join(SWITCHES)}.")
        plan = read_plan(self.world)
        switched = replace(plan.ingredients, **dict.fromkeys(self.without, False))
        plan = replace(plan, ingredients=switched)
        if self.timing is None:
            return plan
        return replace(plan, timing=fitted_timing(self.timing, plan), ingredients=replace(switched, fitted=True))

    @property
    def usual_name(self) -> str:
        return f"{self.plan.name}-{self.seed}"

    def about(self) -> dict[str, Any]:
        """What the manifest tells beside seed and generator."""
        plan = self.plan
        return {
            "world": plan.name,
            "scale": self.scale,
            "numpy": np.__version__,
            "company": plan.company,
            "ingredients": asdict(plan.ingredients),
            "plan": plan.fingerprint,
        }

    def made(self, manifest: dict[str, Any]) -> bool:
        """Whether an Org with this manifest was made by this recipe, neither as a control nor in other words."""
        wanted = {"generator": GENERATOR, "seed": self.seed, "scale": self.scale, "plan": self.plan.fingerprint}
        changed = "parent" in manifest or "paraphrased" in manifest
        return not changed and all(manifest.get(name) == value for name, value in wanted.items())
