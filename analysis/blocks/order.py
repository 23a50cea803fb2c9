"""Which blocks an analysis has, in the order of computing."""

from __future__ import annotations

from analysis.blocks import Block, approval, cards, care, losses, profile, sensitivity_rows

BLOCKS: tuple[Block, ...] = (
    care.BLOCK,
    approval.BLOCK,
    losses.BLOCK,
    cards.BLOCK,
    sensitivity_rows.BLOCK,
    profile.BLOCK,
)
