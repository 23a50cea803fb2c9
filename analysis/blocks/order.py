"""Which blocks an analysis has, in the order of computing."""

from __future__ import annotations

from analysis.blocks import Block, approval

BLOCKS: tuple[Block, ...] = (approval.BLOCK,)
