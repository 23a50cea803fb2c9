"""Problems of one table, listed up to a number and counted beyond it: a file may have millions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from study.sandbox.exchange.table_files import Problem

MOST = 1_000
"""How many problems of one field of one table are listed."""


class ProblemList:
    """Takes problems one by one; gives them back with a line for those beyond the limit of their field."""

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        self._listed: list[Problem] = []
        self._counted: Counter[tuple[str, str]] = Counter()
        for problem in problems:
            self.append(problem)

    def append(self, problem: Problem) -> None:
        kind = (problem.table, problem.field)
        self._counted[kind] += 1
        if self._counted[kind] <= MOST:
            self._listed.append(problem)

    def __iter__(self) -> Iterator[Problem]:
        yield from self._listed
        for (table, field), count in self._counted.items():
            if count > MOST:
                message = f"{count - MOST:,} more problems like those listed"
                yield Problem(table, None, field, message, "dealt with in the same way")
