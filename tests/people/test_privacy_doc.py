"""docs/privacy.md lists every table of the program and of what it is built on, and every rule of keeping."""

from __future__ import annotations

import re
from pathlib import Path

from django.apps import apps

from study.accounts.retention import rules

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "privacy.md").read_text()


def test_every_table_and_every_rule_is_in_the_docs() -> None:
    said = set(re.findall(r"`([a-z]+\.[A-Z]\w+)`", TEXT))
    there = {model._meta.label for model in apps.get_models(include_auto_created=True)}
    assert there - said == set(), "say what it holds, why, how long and who sees it"
    assert said - there == set(), "tables that are gone"
    assert {one.name for one in rules()} - set(re.findall(r"`([\w -]+)`", TEXT)) == set()
