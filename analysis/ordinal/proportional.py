"""Whether one effect serves all cuts of the scale: the same model fitted to "3 or more", "4 or more" and "5".

Under proportional odds the binary effects are estimates of the ordinal one. It is a look, not a test.
"""

from __future__ import annotations

from dataclasses import dataclass

from analysis.ordinal.fitting import CumulativeFit
from analysis.ordinal.table import ScoreTable

CUTS = (3, 4, 5)
APART = 2.0  # standard errors


@dataclass(frozen=True)
class AtCut:
    """An effect by the binary fit at one cut beside the ordinal one, both in log odds.

    kind: object (against the mean of the objects estimable there) or group (against the first group).
    """

    cut: int
    kind: str
    name: str
    binary: float
    se: float
    ordinal: float

    @property
    def apart(self) -> bool:
        """More than two standard errors from the common effect."""
        return abs(self.binary - self.ordinal) > APART * self.se


@dataclass(frozen=True)
class Proportionality:
    """What the binary fits say. not_estimable: effects at cuts that the ratings put no bound on, as (cut, name)."""

    effects: tuple[AtCut, ...]
    not_estimable: tuple[tuple[int, str], ...]
    unfitted: tuple[int, ...]


def binary_fits(table: ScoreTable, common: CumulativeFit) -> Proportionality:
    """Binary random-intercept fits at each cut, compared with `common`, the ordinal fit of the same ratings."""
    effects: list[AtCut] = []
    missing: list[tuple[int, str]] = []
    unfitted: list[int] = []
    for cut in CUTS if not common.reason else ():
        binary = table.at_cut(cut)
        fit = binary.fit()
        if fit.reason:
            unfitted.append(cut)
            continue
        missing += [(cut, name) for name in table.objects if name not in binary.objects]
        for name in binary.objects:
            among = binary.objects
            value, se = fit.combined(binary.object_weights(name, among))
            other, _ = common.combined(table.object_weights(name, among))
            _keep(effects, missing, cut, "object", name, value, se, other)
        for group in table.group_names[1:]:
            if group not in binary.group_names[1:]:
                missing.append((cut, group))
                continue
            first = table.objects[0]
            value, se = fit.combined(binary.row("", group), robust=True)
            other, _ = common.combined(table.row(first, group) - table.row(first))
            _keep(effects, missing, cut, "group", group, value, se, other)
    return Proportionality(tuple(effects), tuple(missing), tuple(unfitted))


def _keep(
    effects: list[AtCut], missing: list[tuple[int, str]], cut: int, kind: str, name: str, value: float | None,
    se: float | None, common: float | None,
) -> None:  # fmt: skip
    if value is None or se is None or common is None:
        missing.append((cut, name))
    else:
        effects.append(AtCut(cut, kind, name, value, se, common))
