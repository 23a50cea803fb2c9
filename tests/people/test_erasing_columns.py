"""P-43 for what is still to come: every column that can hold words has an eraser, or a reason why it needs none."""

from __future__ import annotations

from django.apps import apps
from django.db import models

from study.accounts import erasing

WORDS = (models.CharField, models.TextField, models.JSONField, models.BinaryField, models.FileField,
         models.GenericIPAddressField)  # fmt: skip

TABLES_WITHOUT_WORDS = {"people.SlotBooking", "fieldwork.VisitDesk", "fieldwork.MarkingPlan", "sandbox.StudyOrg"}


def columns() -> set[str]:
    return {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.concrete_fields
        if isinstance(field, WORDS)
    }


def unnamed(found: set[str]) -> set[str]:
    named = {column for one in erasing.erasers("everything") for column in one.columns} | set(erasing.kept())

    def is_named(column: str) -> bool:
        app, model, _name = column.split(".")
        return bool({column, f"{app}.{model}.*", f"{app}.*.*"} & named)

    return {column for column in found if not is_named(column)}


def test_every_column_of_words_has_an_eraser_or_a_reason() -> None:
    assert sorted(unnamed(columns())) == [], "name it in the columns of an eraser, or in erasing.keeps with the reason"
    assert all(len(reason) > 10 for reason in erasing.kept().values())


def test_a_column_that_nobody_names_is_found() -> None:
    assert unnamed({"people.Participant.nickname", "people.Contact.email"}) == {"people.Participant.nickname"}


def test_columns_that_are_gone_are_taken_out() -> None:
    """A name that fits no column protects nothing."""
    there = {column.rsplit(".", 1)[0] for column in columns()}
    named = {column for one in erasing.erasers("everything") for column in one.columns} | set(erasing.kept())
    single = {column for column in named if not column.endswith("*")}
    assert single - columns() == set()
    gone = {c.removesuffix(".*") for c in named if c.endswith(".*") and not c.endswith("*.*")} - there
    assert gone <= TABLES_WITHOUT_WORDS
