"""Which blocks an analysis has, in the order of computing."""

from __future__ import annotations

from analysis.blocks import (
    Block,
    agreement,
    approval,
    cards,
    care,
    comparisons,
    historical,
    losses,
    manipulation,
    moderators,
    profile,
    realism,
    requester,
    sensitivity_rows,
    severity,
    software,
    stopping,
    task_realism,
    week,
    work,
)

BLOCKS: tuple[Block, ...] = (
    care.BLOCK,
    approval.BLOCK,
    agreement.BLOCK,
    severity.BLOCK,
    comparisons.BLOCK,
    historical.BLOCK,
    realism.BLOCK,
    losses.BLOCK,
    work.BLOCK,
    requester.BLOCK,
    week.BLOCK,
    task_realism.BLOCK,
    software.BLOCK,
    manipulation.BLOCK,
    moderators.BLOCK,
    cards.BLOCK,
    stopping.BLOCK,
    sensitivity_rows.BLOCK,
    profile.BLOCK,
)
