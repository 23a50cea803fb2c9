"""Dossiers: half from each Org, nothing that tells them apart; samples: some of each object."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from study.generator.degrade.dossier_pages import contents, page
from study.generator.degrade.flows import write_degraded
from study.sandbox.dossiers import dossiers, key
from study.sandbox.engine.snapshot import Snapshot, open_snapshot
from study.sandbox.orgs import register_org
from tests.generator.quality.small_org import write_info

TELLING = re.compile(
    r"\b(?:synthetic|generated|artificial|fake|simulated|AI|LLM|GPT|benchmark|control|shuffled)\b", re.IGNORECASE
)


@pytest.fixture(scope="module")
def pair(sound: tuple[Snapshot, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Snapshot, Snapshot]:
    info, _ = write_degraded(*sound, "shuffled", 3, tmp_path_factory.mktemp("shuffled"))
    return sound[0], open_snapshot(info.path)


def test_three_of_each_in_an_order_that_chance_made(pair: tuple[Snapshot, Snapshot]) -> None:
    found = dossiers(*pair, seed=5)
    assert Counter(one.origin for one in found) == {"org": 3, "control": 3}
    assert len({one.record.id for one in found}) == 6
    by_origin = {origin: Counter(one.object for one in found if one.origin == origin) for origin in ("org", "control")}
    assert by_origin["org"] == by_origin["control"]
    assert all(one.messages and one.parents for one in found)
    assert found == dossiers(*pair, seed=5)
    orders = {tuple(one.origin for one in dossiers(*pair, seed=seed)) for seed in range(8)}
    assert len(orders) > 3
    assert [entry["dossier"] for entry in key(found)] == [1, 2, 3, 4, 5, 6]


def test_pages_do_not_tell_where_a_dossier_is_from(pair: tuple[Snapshot, Snapshot]) -> None:
    found = dossiers(*pair, seed=5)
    for place, one in enumerate(found, 1):
        # Products of this company are controls.
        words = re.sub(r"(?i)\w* ?controls?( engineer| system| room| unit| panel)?", "", page(one, place))
        assert not TELLING.search(words), TELLING.search(words)
        assert one.record.id in page(one, place)
        assert "<script" not in page(one, place)
        assert "href" not in page(one, place)
    assert not TELLING.search(contents(found))


@pytest.mark.parametrize(("n", "seed", "words"), [(5, 1, "halved"), (0, 1, "halved"), (6, -1, "zero or more")])
def test_numbers_that_cannot_be(pair: tuple[Snapshot, Snapshot], n: int, seed: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        dossiers(*pair, seed=seed, n=n)


@pytest.mark.django_db
def test_the_commands_write_pages_key_and_samples(
    pair: tuple[Snapshot, Snapshot], tmp_path: Path, settings: Any
) -> None:
    settings.REALIA_VAR = tmp_path / "var"
    for name, snapshot in zip(("one", "two"), pair, strict=True):
        register_org(write_info(snapshot), name)
    call_command("org_dossiers", "one", control="two", seed=4, out=tmp_path / "dossiers")
    pages = sorted(path.name for path in (tmp_path / "dossiers" / "pages").iterdir())
    assert pages == [*(f"dossier-{n}.html" for n in range(1, 7)), "index.html"]
    told = json.loads((tmp_path / "dossiers" / "key.json").read_text())
    assert (told["org"], told["control"]) == (pair[0].hash, pair[1].hash)
    for wrong in ({"control": "one"}, {"control": "nobody"}, {"control": "two", "number": 3}):
        with pytest.raises(CommandError):
            call_command("org_dossiers", "one", **{"seed": 4, "out": tmp_path / "x", **wrong})
    with pytest.raises(CommandError, match="one is no control of two"):
        call_command("org_dossiers", "two", control="one", seed=4, out=tmp_path / "x")
    call_command("org_sample", "one", out=tmp_path / "samples", each=3, seed=2)
    first = (tmp_path / "samples" / "Opportunity.md").read_text()
    assert first.count("\n## ") == 3
    assert len(list((tmp_path / "samples").glob("*.md"))) == len(pair[0].registry.objects) + 1
    call_command("org_sample", "one", out=tmp_path / "again", each=3, seed=2)
    assert (tmp_path / "again" / "Opportunity.md").read_text() == first
    with pytest.raises(CommandError):
        call_command("org_sample", "one", out=tmp_path / "samples", each=0)
