"""Worlds, built once: building is pure, so every test may look at the same ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from study.generator.build import Built, build
from study.generator.care import make_care, make_orders
from study.generator.company import make_members, make_parties, make_shared
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.scaling import shares
from study.generator.groundwork.things import Bought, Sales
from study.generator.groundwork.world_file import read_plan
from study.generator.sales import make_sales


@pytest.fixture(scope="session")
def built_of() -> Callable[..., Built]:
    """``built_of("b2b", scale=0.1)``: a whole world in memory, made once for all tests that ask for the same."""
    made: dict[tuple[str, float, int], Built] = {}

    def built(world: str, scale: float = 0.1, *, seed: int = 7) -> Built:
        key = (world, scale, seed)
        if key not in made:
            made[key] = build(read_plan(world), seed, scale)
        return made[key]

    return built


@pytest.fixture(scope="session")
def branch_of() -> Callable[..., Branch]:
    """``branch_of("b2b", scale=0.1)``: a branch with shared things, members and parties; the rest is for the test.

    ``seed``, ``number`` and ingredient switches (``causes=False``) may be given too. Each call makes a new one.
    """

    def made(world: str, scale: float = 0.1, *, seed: int = 7, number: int = 0, **switches: bool) -> Branch:
        plan = read_plan(world)
        plan = replace(
            plan,
            ingredients=replace(plan.ingredients, **switches),
        )
        counts = shares(plan, scale)[0]
        branch = Branch(plan, make_shared(plan, seed, counts), seed, number, counts)
        make_members(branch)
        make_parties(branch)
        return branch

    return made


@pytest.fixture(scope="session")
def sold(branch_of: Callable[..., Branch]) -> Callable[..., tuple[Branch, Sales]]:
    """``sold("b2b", scale=1.0)``: a branch with everything about selling, made once for all tests that ask for the
    same; arguments as of ``branch_of``."""
    made: dict[tuple[object, ...], tuple[Branch, Sales]] = {}

    def branch_with_sales(world: str, scale: float = 1.0, **options: int | bool) -> tuple[Branch, Sales]:
        key = (world, scale, *sorted(options.items()))
        if key not in made:
            branch = branch_of(world, scale, **options)
            made[key] = branch, make_sales(branch)
        return made[key]

    return branch_with_sales


@pytest.fixture(scope="session")
def cared(branch_of: Callable[..., Branch]) -> Callable[..., tuple[Branch, list[Bought]]]:
    """``cared("b2c")``: a branch with orders and customer care, and what was bought; each is made once."""
    made: dict[tuple[object, ...], tuple[Branch, list[Bought]]] = {}

    def once(world: str, scale: float = 0.4, **switches: bool) -> tuple[Branch, list[Bought]]:
        key = (world, scale, *sorted(switches.items()))
        if key not in made:
            branch = branch_of(world, scale, **switches)
            bought = make_sales(branch).bought if branch.plan.sells else make_orders(branch)
            make_care(branch, bought)
            made[key] = branch, bought
        return made[key]

    return once
