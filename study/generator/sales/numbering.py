"""Running numbers of quotes, contracts and orders, with the gaps of a used system and apart from other branches'."""

from __future__ import annotations

from study.generator.groundwork.branch import Branch

_PREFIX = {"quote": "Q", "contract": "CT", "order": "SO"}
# More than any branch counts up to.
_BRANCH = 100_000


class Numbering:
    def __init__(self, branch: Branch) -> None:
        self._draw = branch.draw("running numbers")
        self._numbers = {
            kind: self._draw.whole(10_200, 38_900) + branch.number * _BRANCH for kind in _PREFIX
        }  # fmt: skip

    def next(self, kind: str) -> str:
        self._numbers[kind] += self._draw.whole(1, 7)
        return f"{_PREFIX[kind]}-{self._numbers[kind]}"
