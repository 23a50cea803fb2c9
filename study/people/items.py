"""Questions outside the ratings: in which order options are shown, and what a form said in answer. No database here.

Form fields: ``{item}`` for options, text and scale (repeated for several),
``{item}.{n}`` for the n-th of short texts, ``{item}.{option}`` for the text an
option asks for. ``rather_not_say`` answers every required item (M16).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from study.accounts.typed_text import visible_text
from study.protocols.parts import RATHER_NOT, Item, Option

LONGEST = 20_000
Given = Mapping[str, str | Sequence[str]]


class Form(Protocol):
    def getlist(self, key: str) -> list[str]: ...


def options_in_order(item: Item, order: Sequence[str] = ()) -> tuple[Option, ...]:
    """The item's options as drawn; those the order does not name keep their place at the end."""
    rank = {code: n for n, code in enumerate(order)}
    return tuple(sorted(item.options, key=lambda option: rank.get(option.code, len(rank))))


def draw_orders(items: Iterable[Item], seed: str) -> dict[str, list[str]]:
    """Item id to option codes in the order shown, for every item with options.

    Only items that ask for it are shuffled, and options marked ``last`` stay at
    the end. The same seed gives the same order, so that a page looks the same
    each time somebody opens it.
    """
    orders = {}
    for item in items:
        if not item.options:
            continue
        free = [option.code for option in item.options if not option.last]
        if item.random_order:
            random.Random(f"{seed}:{item.id}").shuffle(free)  # noqa: S311 an order, not a secret
        orders[item.id] = free + [option.code for option in item.options if option.last]
    return orders


@dataclass(frozen=True)
class Filled:
    """What a form held: stored answers; ids of required items without one, with an impossible one, with a text
    that is longer than fits.
    """

    answers: dict[str, str | list[str]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    too_long: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.missing and not self.refused and not self.too_long


def typed(form: Form, key: str) -> str:
    """The last value of a field, visible characters only, without blanks around it. Never cut."""
    values = form.getlist(key)
    return visible_text(values[-1]).strip() if values else ""


def read_items(items: Iterable[Item], form: Form) -> Filled:
    """Read a posted form. An untouched item is absent from the answers, never a default (P-18)."""
    answers: dict[str, str | list[str]] = {}
    missing: list[str] = []
    refused: list[str] = []
    too_long: list[str] = []
    for item in items:
        chosen = [value for value in form.getlist(item.id) if value != ""]
        if RATHER_NOT in chosen and item.offers_rather_not:
            answers[item.id] = RATHER_NOT
            continue
        value = _value(item, chosen, form)
        if value is None:
            refused.append(item.id)
        elif value:
            given = {item.id: value} | _asked(item, value, form)
            if _longest(given.values()) > LONGEST:
                too_long.append(item.id)
            else:
                answers |= given
        elif item.required:
            missing.append(item.id)
    return Filled(answers, tuple(missing), tuple(refused), tuple(too_long))


def _longest(values: Iterable[str | list[str]]) -> int:
    """Characters of the longest text among answers."""
    return max(len(text) for value in values for text in ([value] if isinstance(value, str) else value))


def _value(item: Item, chosen: list[str], form: Form) -> str | list[str] | None:
    """The value of one item, empty when untouched, None when the form holds what no page offers."""
    if item.type == "text":
        return typed(form, item.id)
    if item.type == "texts":
        texts = [typed(form, f"{item.id}.{n}") for n in range(1, item.count + 1)]
        return texts if any(texts) else []
    allowed = [str(point) for point in item.points] if item.type == "scale" else list(item.codes)
    if any(value not in allowed for value in chosen):
        return None
    if item.type == "multi":
        # An option that stands alone ("none of these") with others is a contradiction nobody can mean.
        alone = {option.code for option in item.options if option.alone}
        return None if alone & set(chosen) and len(set(chosen)) > 1 else [c for c in allowed if c in chosen]
    return chosen[-1] if chosen else ""


def _asked(item: Item, value: str | list[str], form: Form) -> dict[str, str | list[str]]:
    chosen = {value} if isinstance(value, str) else set(value)
    keys = [f"{item.id}.{option.code}" for option in item.options if option.ask and option.code in chosen]
    return {key: text for key in keys if (text := typed(form, key))}


@dataclass(frozen=True)
class ShownOption:
    code: str
    text: str
    chosen: bool
    ask: str
    asked: str


@dataclass(frozen=True)
class ShownItem:
    """One question as a template draws it; ``problem`` is "", "missing", "refused" or "too_long"."""

    item: Item
    options: tuple[ShownOption, ...]
    text: str
    texts: tuple[str, ...]
    rather_not: bool
    problem: str


def show_items(
    items: Iterable[Item], orders: Mapping[str, Sequence[str]], form: Form | None, filled: Filled
) -> list[ShownItem]:
    """Questions with what was typed still in them. ``form`` is None for a page nobody has sent yet."""
    shown = []
    for item in items:
        given = form.getlist(item.id) if form else []
        options = tuple(
            ShownOption(
                option.code,
                option.text,
                option.code in given,
                option.ask or "",
                typed(form, f"{item.id}.{option.code}") if form else "",
            )
            for option in options_in_order(item, orders.get(item.id, ()))
        ) or tuple(ShownOption(str(p), str(p), str(p) in given, "", "") for p in item.points)
        texts = tuple(typed(form, f"{item.id}.{n}") if form else "" for n in range(1, item.count + 1))
        kinds = {"missing": filled.missing, "refused": filled.refused, "too_long": filled.too_long}
        problem = next((kind for kind, ids in kinds.items() if item.id in ids), "")
        plain = typed(form, item.id) if form and item.type == "text" and RATHER_NOT not in given else ""
        shown.append(ShownItem(item, options, plain, texts, RATHER_NOT in given, problem))
    return shown
