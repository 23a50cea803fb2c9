"""Instances in the formats of the published benchmarks, so that agent code written for those runs on our Orgs.

CRMArena-Pro has two splits. ``single``: the question with its context. ``interactive``: what the policy says moves
from the context into the query, which there instructs whoever plays the requester; the context keeps the records that
are talked about and the date. CRMArena has one value or null as its answer, and only the nine original tasks.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import Any, Literal

from study.benchmark.assignability import ids_in
from study.benchmark.models import Instance
from study.benchmark.tasks import ORIGINAL_TASKS

Split = Literal["single", "interactive"]
# "Today's date: 2024-05-01", "Lead's region: OR": facts of the question, no policy.
_OF_THE_QUESTION = re.compile(r"today['’]?s?\s+date\b.*\d{4}-\d{2}-\d{2}|\bregion\s*:\s*[A-Z]{2}\b", re.IGNORECASE)


def number(idx: str) -> int | str | None:
    """``idx`` as its file had it: a number where it is one, null where there is none."""
    return int(idx) if idx.isdecimal() and str(int(idx)) == idx else idx or None


def crmarena_pro(instances: Iterable[Instance], split: Split = "single") -> list[dict[str, Any]]:
    """Records with exactly the seven published keys."""
    return [_pro(instance, split) for instance in instances]


def crmarena(instances: Iterable[Instance]) -> list[dict[str, Any]]:
    """Records of the original benchmark: the answer is one text or null; other tasks than its nine are left out."""
    return [
        {
            "idx": number(i.idx),
            "answer": i.answer[0] if len(i.answer) == 1 else ", ".join(i.answer),
            "task": i.task,
            "metadata": {"required": i.required, "optional": i.optional},
            "reward_metric": i.metric,
            "query": i.query,
        }
        for i in instances
        if i.task in ORIGINAL_TASKS
    ]


def _pro(i: Instance, split: Split) -> dict[str, Any]:
    query, required = interactive(i.query, i.required) if split == "interactive" else (i.query, i.required)
    return {
        "idx": number(i.idx),
        "answer": i.answer,
        "task": i.task,
        "persona": i.persona,
        "metadata": {"required": required, "optional": i.optional},
        "reward_metric": i.metric,
        "query": query,
    }


def interactive(query: str, required: str) -> tuple[str, str]:
    """Query and context with the policy moved from the one to the other; again it finds nothing to move."""
    policy, kept = parted(required)
    return (f"{query}\n\n{policy}", kept) if policy else (query, required)


def parted(required: str) -> tuple[str, str]:
    """The policy of a context, and the lines that name records, a region or the date."""
    lines = textwrap.dedent(required.expandtabs(4)).splitlines()
    kept = [line for line in lines if _OF_THE_QUESTION.search(line) or ids_in(line)]
    moved = "\n".join(line.rstrip() for line in lines if line not in kept)
    return re.sub(r"\n{3,}", "\n\n", moved).strip(), "\n".join(line.strip() for line in kept)
