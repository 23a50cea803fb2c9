"""What simulated experts answer where the answer hangs together with who they are (instrument 2.8).

An item is known by its id as the built-in protocols have it, or by its options; ``distributions.py`` states the links.
All other items are answered evenly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from statistics import NormalDist
from typing import Any

from study.fieldwork.simulation import distributions as given
from study.fieldwork.simulation.experts import Expert, point
from study.protocols.parts import Item

Value = str | list[str]
Effects = Mapping[str, float]
PREFIXES = ("own", "coverage", "frequency_at_work", "frequency", "one_clear_answer", "clear")


def linked_answer(item: Item, expert: Expert, about: str, effects: Effects) -> Value | None:
    """What an expert says where a link is stated and the item offers it; None where there is none."""
    if expert.kind == "straightliner" and item.type == "scale":
        return straight(item, expert)
    if expert.kind in ("straightliner", "random") and item.id.startswith("own_"):
        score = expert.score(item.id, 0)
        return item.codes[score - 1] if len(item.codes) >= 5 else None
    if expert.kind == "random":
        return None
    link = LINKS.get(item.id) or next((LINKS[one] for one in PREFIXES if item.id.startswith(f"{one}_")), None)
    value = link(item, expert, about, effects) if link else None
    offered = {*item.codes, *map(str, item.points)}
    return value if value is not None and set([value] if isinstance(value, str) else value) <= offered else None


def straight(item: Item, expert: Expert) -> str:
    """The same place on a scale of any length."""
    share = (expert.straight - 1) / 4
    return str(item.points[round(share * (len(item.points) - 1))])


def _own(item: Item, expert: Expert, about: str, effects: Effects) -> str:
    """One's own system: the Org's latent value + the gap, by the same person and so with the same severity."""
    effect = effects.get(item.id.removeprefix("own_"), given.OBJECT_MEAN)
    return item.codes[point(expert.latent(item.id, effect + expert.gap)) - 1] if len(item.codes) >= 5 else ""


def _coverage(item: Item, expert: Expert, about: str, effects: Effects) -> str:
    covered = expert.happens(expert.coverage, f"covered/{item.id}")
    return expert.one_of(f"coverage/{item.id}", given.OF_COVERED if covered else given.OF_NOT_COVERED)


def _frequency(item: Item, expert: Expert, about: str, effects: Effects) -> str:
    name = f"{about}/{item.id}"
    if expert.happens(given.NOT_MY_AREA, f"area/{name}"):
        return "not_my_area"
    latent = (
        given.FREQUENCY_MEAN + given.FREQUENCY_SEVERITY * expert.severity + expert.draw(f"often/{name}").gauss(0, 1)
    )
    return given.FREQUENCIES[sum(latent > cut for cut in given.FREQUENCY_CUTS)]


def _clear(item: Item, expert: Expert, about: str, effects: Effects) -> str:
    name = f"{about}/{item.id}"
    number = item.id.rpartition("_")[2] if item.id.rpartition("_")[2].isdecimal() else about.rpartition("/")[2]
    skipped = expert.happens(expert.rates.skip, f"skip/{number}")
    chance = given.CLEAR_IF_SKIPPED if skipped else given.CLEAR_IF_ANSWERED
    return "yes" if expert.happens(chance, f"clear/{name}") else expert.one_of(f"unclear/{name}", given.UNCLEAR)


def _umux(item: Item, expert: Expert, about: str, effects: Effects) -> str:
    mean, by_severity, by_fluency, sd = given.UMUX
    level = mean + by_severity * expert.severity + by_fluency * math.log(expert.fluency)
    return _on(item, level + expert.draw(item.id).gauss(0, sd))


def _rushed(item: Item, expert: Expert, about: str, effects: Effects) -> str:
    mean, by_fluency, sd = given.RUSHED
    return _on(item, mean + by_fluency * math.log(expert.fluency) + expert.draw(item.id).gauss(0, sd))


def _on(item: Item, level: float) -> str:
    """The nearest point of a scale."""
    return str(min(item.points, key=lambda one: abs(one - level))) if item.points else ""


def _origin(item: Item, expert: Expert, about: str, effects: Effects) -> str:
    base, by_severity = given.AI_GUESS
    if expert.happens(NormalDist().cdf(base + by_severity * expert.severity), "guesses ai"):
        return "ai_model"
    return expert.one_of(item.id, given.OTHER_GUESSES)


def _use(item: Item, expert: Expert, about: str, effects: Effects) -> str:
    return expert.one_of(item.id, given.USE_ANSWERS if expert.kind == given.CAREFUL else given.CARELESS_USE)


def _evenly_stated(weights: Mapping[str, float]) -> Callable[[Item, Expert, str, Effects], Value]:
    def drawn(item: Item, expert: Expert, about: str, effects: Effects) -> Value:
        code = expert.one_of(item.id, weights)
        return [code] if item.type == "multi" else code

    return drawn


LINKS: Mapping[str, Callable[[Item, Expert, str, Effects], Value]] = {
    "own": _own,
    "coverage": _coverage,
    "frequency": _frequency,
    "frequency_at_work": _frequency,
    "clear": _clear,
    "one_clear_answer": _clear,
    "umux_requirements": _umux,
    "umux_easy": _umux,
    "rushed": _rushed,
    "origin_guess": _origin,
    "origin_confidence": _evenly_stated(given.ORIGIN_CONFIDENCE),
    "own_software": _evenly_stated(given.OWN_SOFTWARE),
    "help_used": _evenly_stated(given.HELP),
    "use_answers": _use,
}


def card_choice(expert: Expert, target: str, kind: str, detail: dict[str, Any]) -> str:
    """What an expert chooses on a card after the lock; ``detail`` is what stands behind it, which no page tells."""
    if expert.happens(expert.rates.cannot_judge, f"cannot/{target}"):
        return "cannot_judge"
    if kind == "pairs":
        if expert.kind in ("straightliner", "random"):
            return "1" if expert.kind == "straightliner" or expert.happens(0.5, f"pair/{target}") else "2"
        org_first = detail["first"]["origin"] == "org"
        return "1" if expert.happens(given.ORG_PREFERRED, f"pair/{target}") == org_first else "2"
    worse = given.PER_GRADE * int(detail.get("grade") or 0)
    worse += given.SHUFFLED if detail.get("origin") == "control" else 0
    return str(expert.score(target, given.CARD_EFFECT - worse))
