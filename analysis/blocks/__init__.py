"""The parts of an analysis beyond the headline estimates: each computes its rows and says how a report shows them.

A block is one module with `compute` and `sections`. The order below is the order of computing: a later block may read
what an earlier one found. The order on the page is `analysis.pages`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.context import Context
from analysis.contrasts import Contrast
from analysis.document import Section
from analysis.estimates import Estimate


@dataclass(frozen=True)
class Found:
    """What a block found. data: its own entry of results.json; estimates and contrasts join the common lists."""

    data: Any
    estimates: Sequence[Estimate] = ()
    contrasts: Sequence[Contrast] = ()


@dataclass
class Earlier:
    """What the blocks before this one found."""

    data: dict[str, Any] = field(default_factory=dict)
    estimates: list[Estimate] = field(default_factory=list)
    contrasts: list[Contrast] = field(default_factory=list)


@dataclass(frozen=True)
class Block:
    """key: the entry of results.json. sections: what a report shows of it, from results.json alone."""

    key: str
    compute: Callable[[Context, Earlier], Found]
    sections: Callable[[Mapping[str, Any]], Sequence[Section]]
