"""World files: ``worlds/<name>/world.yaml``, or a file of one's own, read and checked into a Plan."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from study.generator.groundwork.latents import SETTINGS, settled
from study.generator.groundwork.material import WORLDS, Material
from study.generator.groundwork.plan import Ingredients, Plan, Timing
from study.sandbox.engine.published import KEY_PREFIXES, SERVICE_OBJECTS

Weight = Annotated[float, Field(ge=0)]
Code = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,40}$")]
Count = Annotated[int, Field(ge=1, le=200_000)]


class WorldFileError(ValueError):
    """A world file that cannot be used; the text names the key and what to do."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Timing(_Strict):
    seasons: Annotated[tuple[Weight, ...], Field(min_length=12, max_length=12)]
    weekdays: Annotated[tuple[Weight, ...], Field(min_length=7, max_length=7)]
    hours: Annotated[tuple[Weight, ...], Field(min_length=24, max_length=24)]
    opens: Annotated[int, Field(ge=0, le=23)] = 8
    closes: Annotated[int, Field(ge=1, le=24)] = 18
    sigma: Annotated[float, Field(gt=0, le=3)] = 0.5
    pace: Annotated[float, Field(gt=0, le=20)] = 1.0
    growth: Annotated[float, Field(gt=-1, le=10)] = 0.4

    @model_validator(mode="after")
    def _something_happens(self) -> _Timing:
        for name in ("seasons", "weekdays", "hours"):
            if not sum(getattr(self, name)):
                raise ValueError(f"every weight of {name} is zero")
        if self.opens >= self.closes:
            raise ValueError("the office must open before it closes")
        return self


class _Ingredients(_Strict):
    cycles: bool = True
    skew: bool = True
    gaps: bool = True
    quoting: bool = True
    causes: bool = True


class _World(_Strict):
    name: Code
    based_on: str | None = None
    company: Annotated[str, Field(min_length=1, max_length=80)]
    mail_domain: Annotated[str, Field(pattern=r"^[a-z0-9-]+\.example$")]
    zone: str = "UTC"
    area: Annotated[str, Field(pattern=r"^[2-9][0-9]{2}$")] = "614"
    consumer: bool
    sells: bool
    first_day: date
    today: date
    counts: dict[str, Count]
    fixed: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    least: dict[str, Count] = Field(default_factory=dict)
    latents: dict[str, dict[str, Any]] = Field(default_factory=dict)
    ingredients: _Ingredients = _Ingredients()
    timing: _Timing

    @field_validator("zone")
    @classmethod
    def _only_utc(cls, zone: str) -> str:
        if zone != "UTC":
            raise ValueError("the Orgs made here keep their clocks in UTC; write UTC")
        return zone

    @field_validator("based_on")
    @classmethod
    def _built_in(cls, name: str | None) -> str | None:
        if name is not None and name not in built_in_worlds():
            raise ValueError(f"there is no such world; use one of {', '.join(built_in_worlds())}")
        return name

    @field_validator("latents")
    @classmethod
    def _known_settings(cls, latents: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        try:
            return settled(latents)
        except KeyError as error:
            name, _, key = str(error.args[0]).partition(".")
            if key:
                raise ValueError(f"{name} has no setting {key}; it has {', '.join(SETTINGS[name])}") from None
            raise ValueError(f"there is no latent variable {name}; they are {', '.join(SETTINGS)}") from None

    @model_validator(mode="after")
    def _whole(self) -> _World:
        needed = set(KEY_PREFIXES) if self.sells else set(SERVICE_OBJECTS)
        for name in sorted(set(self.counts) - needed):
            raise ValueError(f"counts.{name}: no object of {'a world that sells' if self.sells else 'this world'}")
        for name in sorted(needed - set(self.counts)):
            raise ValueError(f"counts.{name} is missing; say how many records there are at scale 1")
        for key in ("fixed", "whole", "least"):
            for name in sorted(set(getattr(self, key)) - needed):
                raise ValueError(f"{key}: {name} is no object of this world")
        if self.today - self.first_day < timedelta(days=365):
            raise ValueError("first_day: the period must be a year at least; choose an earlier first day")
        return self


def built_in_worlds() -> tuple[str, ...]:
    """The names of the worlds that come with the generator."""
    return tuple(sorted(path.parent.name for path in WORLDS.glob("*/world.yaml")))


def read_plan(world: str) -> Plan:
    """The plan of a built-in world, by name, or of a world file, by path. WorldFileError if it cannot be used."""
    path = WORLDS / world / "world.yaml"
    if world not in built_in_worlds():
        path = Path(world)
        if path.suffix not in (".yaml", ".yml") or not path.is_file():
            raise WorldFileError(
                f"There is no world {world}. Use {', '.join(built_in_worlds())}, or the path of a world file (.yaml)."
            )
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise WorldFileError(f"{path.name} cannot be read: {_first_line(error)}") from None
    if not isinstance(raw, Mapping):
        raise WorldFileError(f"{path.name}: a world file is a list of keys and their values, beginning with name.")
    return plan_of(raw, path)


def plan_of(raw: Mapping[str, Any], path: Path) -> Plan:
    """The plan that a world file's content describes; ``path`` says where its material lies and names it in errors."""
    try:
        world = _World.model_validate(dict(raw))
    except ValidationError as error:
        raise WorldFileError("\n".join(f"{path.name}: {_told(found)}" for found in error.errors())) from None
    base = world.based_on or (world.name if world.name in built_in_worlds() else None)
    if base is None:
        raise WorldFileError(f"{path.name}: based_on is missing; name the world whose words it falls back to.")
    return Plan(
        name=world.name, company=world.company, mail_domain=world.mail_domain, zone=world.zone,
        consumer=world.consumer, sells=world.sells, first_day=world.first_day, today=world.today,
        counts=world.counts, fixed=world.fixed, latents=world.latents,
        timing=Timing(**world.timing.model_dump()), material=Material(base, path.resolve().parent),
        ingredients=Ingredients(**world.ingredients.model_dump()), whole=world.whole, least=world.least,
        area=world.area,
    )  # fmt: skip


def _told(found: Any) -> str:
    """One error: the path of the key and the remedy."""
    key = ".".join(str(part) for part in found["loc"])
    if found["type"] == "extra_forbidden":
        return f"{key} is no key of a world file; take it out, or check its spelling."
    if found["type"] == "missing":
        return f"{key} is missing."
    said = str(found["msg"]).removeprefix("Value error, ")
    return f"{key}: {said}." if key else f"{said}."


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())
