"""Which arm a person is given and in which order its visits come: permuted blocks, drawn from a seed (M1).

Plain values in, plain values out. Within one stratum (a cohort and a cell of the
screener) people get the slots of one sequence, each the next. A block holds every
arm ``n`` times in random order, ``n`` drawn anew for each block, so that nobody who
counts can tell when a block ends. The orders of a counterbalanced arm come by
blocks of their own, counted over the people of that arm. At the end of a block the
counts are equal; inside one they differ by at most the largest ``n`` (G6).
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice, repeat
from typing import TypeVar

from study.assignment.design import rng_for, shuffled, williams
from study.protocols.design import Arm
from study.protocols.parts import Answers

T = TypeVar("T")
Order = tuple[str, ...]
LABEL = 40
SEED_BITS = 62


@dataclass(frozen=True)
class Slot:
    """One place of a stratum's sequence, and whether anything of it was drawn."""

    number: int
    block: int
    arm: str
    order: Order
    drawn: bool


def orders_of(arm: Arm) -> tuple[Order, ...]:
    """The orders in which an arm's visits may come: one, or for a counterbalanced arm the rows of a Williams design."""
    codes = tuple(plan.code for plan in arm.plans)
    if arm.order == "fixed" or len(codes) < 2:
        return (codes,)
    return tuple(tuple(codes[n] for n in row) for row in williams(len(codes)))


def is_drawn(arms: Sequence[Arm]) -> bool:
    """Whether chance decides anything for people of these arms."""
    return len(arms) > 1 or any(len(orders_of(arm)) > 1 for arm in arms)


def in_blocks(values: Sequence[T], blocks: Sequence[int], rng: random.Random) -> Iterator[tuple[int, T]]:
    """An endless sequence of permuted blocks: each value with its block's number, from 1."""
    for block in count(1):
        times = blocks[int(rng.random() * len(blocks))]
        for value in shuffled([value for value in values for _time in range(times)], rng):
            yield block, value


def slots(arms: Sequence[Arm], blocks: Sequence[int], seed: int) -> Iterator[Slot]:
    """The sequence of the stratum whose seed this is, without end. The same arguments give the same one, always."""
    by_code = {arm.code: arm for arm in arms}
    given = in_blocks(list(by_code), blocks, rng_for(seed, "arms")) if len(arms) > 1 else repeat((1, arms[0].code))
    orders = {
        code: in_blocks(orders_of(arm), blocks, rng_for(seed, f"orders of {code}"))
        for code, arm in by_code.items()
        if len(orders_of(arm)) > 1
    }
    for number, (block, code) in enumerate(given, start=1):
        if code not in orders:
            yield Slot(number, block, code, orders_of(by_code[code])[0], drawn=len(arms) > 1)
            continue
        of_orders, order = next(orders[code])
        yield Slot(number, block if len(arms) > 1 else of_orders, code, order, drawn=True)


def slot(arms: Sequence[Arm], blocks: Sequence[int], seed: int, number: int) -> Slot:
    """The ``number``-th slot of a stratum, from 1."""
    return next(islice(slots(arms, blocks, seed), number - 1, None))


def cell_of(cells: Sequence[str], answers: Answers) -> str:
    """The cell somebody's screener answers put them in, as text: ``S3=y3_5;S4=sell+manage``.

    >>> cell_of(("S3", "S4"), {"S3": "y3_5", "S4": ["sell", "manage"]})
    'S3=y3_5;S4=manage+sell'
    """
    said = []
    for item in cells:
        given = answers.get(item, "")
        codes = [given] if isinstance(given, str) else sorted(given)
        said.append(f"{item}={'+'.join(code for code in codes if code)}")
    return ";".join(said)


def cell_seed(seed: int, cell: str) -> int:
    """The seed of one cell, derived from the cohort's."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{cell}".encode()).digest()[:8]) >> (64 - SEED_BITS)


def commitment(seed: int) -> str:
    """What is published of a seed when the cohort opens: who shows the seed later cannot have changed it."""
    return hashlib.sha256(str(seed).encode()).hexdigest()


def block_label(cohort: str, cell: str, block: int) -> str:
    """The block as the bundle names it, one name per cohort, cell and block; a long one keeps a mark of its stratum."""
    stratum = f"{cohort}:{cell}" if cell else cohort
    label = f"{stratum}:{block}"
    if len(label) <= LABEL:
        return label
    return f"{hashlib.sha256(stratum.encode()).hexdigest()[:12]}:{block}"
