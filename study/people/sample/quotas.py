"""Quota cells: how a cohort is cut by one or two questions of the screener, and in which cell somebody's answers lie.

An axis is a question and its groups of options; a cell is one group of each axis. Nothing of this is ever shown to a
participant: who lies in no cell, or in a full one, is greeted as anybody whose cohort is full (P-11).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import User
from study.people.models import Cohort, QuotaCell
from study.people.sample.places import holders, lock_cohort
from study.protocols.parts import RATHER_NOT, Item

MOST_AXES, MOST_GROUPS, LONGEST_LABEL = 2, 8, 60
Axis = dict[str, Any]


def group_of(axis: Axis, answers: Mapping[str, Any]) -> str:
    """The code of the first group that holds one of the options chosen; empty for none.

    >>> axis = {"item": "S3", "groups": [{"code": "new", "options": ["y1_2"]}, {"code": "old", "options": ["y3_5"]}]}
    >>> group_of(axis, {"S3": "y3_5"}), group_of(axis, {"S3": ["y1_2", "y3_5"]}), group_of(axis, {"S3": "never"})
    ('old', 'new', '')
    """
    given = answers.get(axis["item"], [])
    chosen = set(given if isinstance(given, list) else [given])
    return next((group["code"] for group in axis["groups"] if chosen & set(group["options"])), "")


def cell_of(axes: Sequence[Axis], answers: Mapping[str, Any]) -> str:
    """The cell these answers lie in: ``"support.y3_5"``; empty when they lie in none, or there are no cells."""
    groups = [group_of(axis, answers) for axis in axes]
    return ".".join(groups) if groups and all(groups) else ""


def cells_of(axes: Sequence[Axis]) -> list[str]:
    """Every cell, row by row: the groups of the first axis are rows, those of the second columns."""
    codes = [""]
    for axis in axes:
        codes = [f"{code}.{group['code']}" if code else group["code"] for code in codes for group in axis["groups"]]
    return codes if axes else []


def can_cut(items: Iterable[Item]) -> list[Item]:
    """The questions that can be an axis: those with options."""
    return [item for item in items if item.options]


def axis_of(item: Item, group_of_option: Mapping[str, str]) -> Axis:
    """An axis from what was typed beside each option: options with the same name are one group, empty is no cell.

    Raises ValidationError with a remedy.
    """
    groups: dict[str, dict[str, Any]] = {}
    for code in options_of(item):
        label = " ".join(group_of_option.get(code, "").split())
        if len(label) > LONGEST_LABEL:
            raise ValidationError(
                _("The name of a group has at most %(n)d characters: “%(name)s…” is longer.")
                % {"n": LONGEST_LABEL, "name": label[:20]}
            )
        if label:
            known = groups.setdefault(label.casefold(), {"code": "", "label": label, "options": []})
            known["options"].append(code)
    if len(groups) < 1:
        raise ValidationError(
            _("Name a group beside at least one answer to “%(item)s”.") % {"item": item.text},
        )
    if len(groups) > MOST_GROUPS:
        raise ValidationError(
            _("“%(item)s” has %(n)d groups; %(most)d are the most. Give several answers the same group.")
            % {"item": item.text, "n": len(groups), "most": MOST_GROUPS}
        )
    taken: Counter[str] = Counter()
    for group in groups.values():
        code = slugify(group["label"])[:24].replace("-", "_") or "group"
        taken[code] += 1
        group["code"] = code if taken[code] == 1 else f"{code}_{taken[code]}"
    return {"item": item.id, "groups": list(groups.values())}


def options_of(item: Item) -> tuple[str, ...]:
    return (*item.codes, RATHER_NOT) if item.offers_rather_not else item.codes


def may_change_axes(cohort: Cohort) -> bool:
    """How the cohort is cut can change until somebody has joined: their cell would mean something else after it."""
    return not cohort.participants.people().filter(joined_at__isnull=False).exists()


def checked_targets(axes: Sequence[Axis], typed: Mapping[str, str]) -> dict[str, int | None]:
    """The target of each cell; empty means as many as the cohort takes. Raises ValidationError naming the cells."""
    found: dict[str, int | None] = {}
    bad = []
    for code in cells_of(axes):
        text = typed.get(code, "").strip()
        if text and not (text.isdecimal() and len(text) < 7):
            bad.append(label_of(axes, code))
        found[code] = int(text) if text.isdecimal() and len(text) < 7 else None
    if bad:
        raise ValidationError(
            _("The target of a cell is a number of people, 0 for nobody, or empty for no limit: %(cells)s.")
            % {"cells": ", ".join(bad)}
        )
    if found and all(target == 0 for target in found.values()):
        raise ValidationError(_("Every cell has the target 0, so nobody could take part."))
    return found


def label_of(axes: Sequence[Axis], code: str) -> str:
    """A cell in words: ``"Support, 3 to 5 years"``; the code where the axes do not have it."""
    labels = [{group["code"]: group["label"] for group in axis["groups"]} for axis in axes]
    parts = code.split(".")
    if len(parts) != len(labels):
        return code
    return ", ".join(labels[n].get(part, part) for n, part in enumerate(parts))


@transaction.atomic
def set_quota(cohort: Cohort, axes: Sequence[Axis], targets: Mapping[str, int | None], *, by: User | None) -> Cohort:
    """Store the cut and its targets. Other axes are refused once somebody joined; a lower target puts nobody out."""
    row = lock_cohort(cohort.pk)
    if list(axes) != row.quota_axes:
        if not may_change_axes(row):
            raise ValidationError(
                _("Somebody has joined this cohort, so how it is cut stays as it is. Targets can still be changed.")
            )
        if len({axis["item"] for axis in axes}) != len(axes) or len(axes) > MOST_AXES:
            raise ValidationError(_("Choose one question, or two different ones."))
        row.quota_axes = list(axes)
        row.save(update_fields=["quota_axes"])
        row.cells.all().delete()
    for code in cells_of(axes):
        QuotaCell.objects.update_or_create(cohort=row, code=code, defaults={"target": targets.get(code)})
    detail = {"axes": [axis["item"] for axis in axes], "targets": dict(targets)}
    audit("cohort.quota", by=by, study=row.study, target=f"cohort {row.code}", **detail)
    return row


@dataclass(frozen=True)
class CellState:
    """One cell as the board shows it."""

    code: str
    label: str
    taken: int
    target: int | None
    complete: int

    @property
    def is_full(self) -> bool:
        return self.target is not None and self.taken >= self.target

    @property
    def is_over(self) -> bool:
        return self.target is not None and self.taken > self.target

    @property
    def percent(self) -> int:
        if self.target is None:
            return 0
        return min(100, round(100 * self.taken / self.target)) if self.target else 100 if self.taken else 0


@dataclass(frozen=True)
class Grid:
    """The cells in rows and columns; a single axis makes one row."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[CellState, ...]], ...]
    total: int | None
    """What the cells take together; None where one of them has no limit."""


def grid(cohort: Cohort) -> Grid | None:
    """The cells of a cohort, counted as places are; None where it has none."""
    axes = cohort.quota_axes
    if not axes:
        return None
    targets = dict(cohort.cells.values_list("code", "target"))
    people = list(holders(cohort).values_list("cell", "end"))
    taken = Counter(cell for cell, _end in people)
    complete = Counter(cell for cell, end in people if end == "complete")

    def state(code: str) -> CellState:
        return CellState(code, label_of(axes, code), taken[code], targets.get(code), complete[code])

    if len(axes) == 1:
        only = tuple(group["label"] for group in axes[0]["groups"])
        rows = (("", tuple(state(group["code"]) for group in axes[0]["groups"])),)
        return Grid(only, rows, together(targets.values()))
    columns = tuple(group["label"] for group in axes[1]["groups"])
    lines = tuple(
        (one["label"], tuple(state(f"{one['code']}.{two['code']}") for two in axes[1]["groups"]))
        for one in axes[0]["groups"]
    )
    return Grid(columns, lines, together(targets.values()))


def together(targets: Iterable[int | None]) -> int | None:
    known = list(targets)
    return None if None in known else sum(target for target in known if target is not None)
