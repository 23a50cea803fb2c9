"""Truth files of this installation: what is known about generated Orgs, apart from them. No page reads these."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from django.conf import settings

from study.generator.groundwork.facts import KINDS, Truth, read_facts
from study.sandbox.models import Org

FOLDER = "truth"
FOR_QUESTIONS = frozenset(KINDS) - {"said", "latent"}
MOST = 400_000
"""Facts that are read at once; of a larger Org they are those of its first branches."""


class NoTruth(LookupError):
    """Nothing is known about an Org: it was not generated here, or its file was taken away."""


def truth_path(org_hash: str) -> Path:
    return Path(settings.REALIA_VAR) / FOLDER / f"{org_hash}.jsonl.gz"


def keep_truth(made: Path, org_hash: str) -> None:
    """Move a truth file to its place, readable by nobody else."""
    place = truth_path(org_hash)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made.chmod(0o600)
    os.replace(made, place)


def truth_for(org: Org, kinds: Iterable[str] | None = FOR_QUESTIONS) -> Truth:
    """What is known about an Org, by kinds of facts (None: all). NoTruth where there is no file."""
    return read_truth(truth_path(org.hash), kinds)


def read_truth(path: Path, kinds: Iterable[str] | None = FOR_QUESTIONS) -> Truth:
    """The truth in a file. NoTruth where there is none; ValueError for one that cannot be read."""
    if not path.is_file():
        raise NoTruth(f"Nothing is known about this Org: there is no {path.name} in {FOLDER}/.")
    return Truth.of(islice(read_facts(path, None if kinds is None else frozenset(kinds)), MOST))
