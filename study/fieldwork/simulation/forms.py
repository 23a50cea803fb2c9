"""Answers of simulated experts to the protocol's own questions, whatever they are."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from study.fieldwork.simulation import distributions as given
from study.fieldwork.simulation.experts import Expert
from study.fieldwork.simulation.links import linked_answer
from study.fieldwork.simulation.words import EPISODES, careless_text, short_text
from study.protocols.parts import RATHER_NOT, Item
from study.protocols.schema import ProtocolFile

TRIES = 2000
Form = dict[str, Any]


def _fill(item: Item, draw: random.Random, expert: Expert) -> tuple[Form, str | list[str] | None]:
    """Form fields of one item, and the value that will be stored."""
    if item.type == "texts":
        texts = draw.sample(EPISODES, item.count)
        return {f"{item.id}.{n}": text for n, text in enumerate(texts, start=1)}, texts
    if item.type == "text":
        text = careless_text(expert) or short_text(item.id, draw, required=item.required, aware=expert.aware)
        return {item.id: text}, text or None
    if item.type == "scale":
        value = str(draw.choice(item.points))
        return {item.id: value}, value
    options = [option for option in item.options if option.flag != "overclaim" and not option.ask]
    if item.type == "multi":
        free = [option for option in options if not option.alone]
        chosen = sorted(option.code for option in draw.sample(free, min(len(free), draw.choice((1, 2, 3)))))
        return {item.id: chosen}, chosen
    code = draw.choice(options).code
    return {item.id: code}, code


def screener_answers(file: ProtocolFile, expert: Expert) -> Form:
    """Answers that qualify, or that don't, as the expert is meant to. Raises ValueError when none were found."""
    items = [*file.screener.items, *(item for module in file.modules_at("screener") for item in module.items)]
    draw = expert.draw("screener")
    for _try in range(TRIES):
        form: Form = {}
        values: dict[str, Any] = {}
        for item in items:
            fields, value = _fill(item, draw, expert)
            form |= fields
            if value is not None:
                values[item.id] = value
        if file.eligible(values) == expert.eligible:
            return form
    raise ValueError("No answers to the screener were found that " + ("qualify." if expert.eligible else "don't."))


def item_answers(
    items: Iterable[Item], expert: Expert, about: str, effects: Mapping[str, float] | None = None
) -> tuple[Form, dict[str, Any]]:
    """Form fields and stored values of some items; some would rather not say, and some optional ones stay empty.

    Each item has a stream of its own: what is asked before it changes nothing.
    """
    form: Form = {}
    values: dict[str, Any] = {}
    for item in items:
        draw = expert.draw(f"{about}/{item.id}")
        if item.offers_rather_not and item.type != "texts" and draw.random() < given.RATHER_NOT_ITEM:
            form[item.id], values[item.id] = RATHER_NOT, RATHER_NOT
            continue
        if not item.required and item.type != "text" and draw.random() < given.LEFT_EMPTY:
            continue
        linked = linked_answer(item, expert, about, effects or {})
        fields, value = ({item.id: linked}, linked) if linked else _fill(item, draw, expert)
        form |= fields
        if value is not None:
            values[item.id] = value
    return form, values
