"""How many people's tasks will need each rated object, before there is anybody: the draw itself, many times (M3).

Exact seeds, so that the same protocol and pool always say the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from study.assignment.design import Pool
from study.assignment.giving import Ask, Exposure, count, give

PEOPLE = 1000
# Fitting a window of minutes takes ten times as long, and shares settle soon: each study of them is balanced in itself.
PEOPLE_FITTED = 300
HALF = 0.5


def expected(
    pool: Pool, ask: Ask, needed: Callable[[str], Collection[str]], *, study_of: int, people: int = 0
) -> dict[str, float]:
    """Per object to rate: the share of people at least one of whose tasks needs it.

    ``needed`` gives the objects of a task; ``study_of``: how many people one study has, after which all counts start
    anew. ``people``: how many are drawn. Raises design.CannotDraw.
    """
    people = people or (PEOPLE_FITTED if pool.window else PEOPLE)
    pool = coarse(pool)
    found: Counter[str] = Counter()
    seen = Exposure()
    for number in range(people):
        if number % study_of == 0:
            seen = Exposure()
        given = give(pool, seen, ask, number)
        count(seen, given.places, given.objects)
        found.update(met((one.task for one in given.places), ask.rate, needed))
    return {api: found[api] / people for api in ask.rate}


def coarse(pool: Pool) -> Pool:
    """A pool for estimates: of each task one question for each whole minute it may take, the pinned one among them.

    Only which tasks come together counts here; fitting hundreds of questions of a kind to the tenth of a minute takes
    a hundred times as long and leads to the same tasks.
    """
    kept = {}
    for task, ids in pool.instances.items():
        first: dict[int, int] = {}
        for pk in sorted(ids, key=lambda pk: pk != pool.pinned.get(task)):
            first.setdefault(round(pool.minutes.get(pk, 0)), pk)
        kept[task] = tuple(sorted(first.values()))
    minutes = {pk: float(round(pool.minutes.get(pk, 0))) for ids in kept.values() for pk in ids}
    return replace(pool, instances=kept, minutes=minutes)


def met(tasks: Iterable[str], rate: Sequence[str], needed: Callable[[str], Collection[str]]) -> set[str]:
    """The objects to rate that some of these tasks need."""
    objects = {api for task in tasks for api in needed(task)}
    return objects & set(rate)
