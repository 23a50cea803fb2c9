"""A small bundle for tests, built with `write_bundle`; everything can be changed before it is written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from analysis.bundle import write_bundle

Tables = dict[str, list[dict[str, Any]]]
ORG = "0" * 64
OBJECTS = ("Account", "Case", "Order")
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
STUDY: dict[str, Any] = {
    "code": "demo", "title": "A test study", "replication": False, "blind": False, "simulated": False,
}  # fmt: skip


def tables(experts: int = 6, *, score: int | None = None, orgs: tuple[str, ...] = (ORG,)) -> Tables:
    """Rows of a complete study: `experts` people, one visit each, two attempts, the Org and three objects rated.

    score: everyone gives this score; None: a fixed pattern that varies. orgs: given out in turn.
    """
    made: Tables = {name: [] for name in ("participants", "visits", "attempts", "ratings", "rationales", "opened")}
    for number in range(experts):
        code = f"P-{number:04d}"
        visit = f"{code}.1"
        org = orgs[number % len(orgs)]
        made["participants"].append(participant(code, number))
        made["visits"].append(
            {
                "id": visit, "participant": code, "arm": "main", "allocation": "fixed", "period": 1, "org_hash": org,
                "begun": START + timedelta(hours=number), "work_active_s": 1500, "exposed": True, "analysed": True,
                "end_state": "done",
            }
        )  # fmt: skip
        made["attempts"] += [attempt(visit, position, number) for position in (1, 2)]
        for position, target in enumerate(("Org", *OBJECTS)):
            given = score if score is not None else (number * 7 + position * 3) % 5 + 1
            made["ratings"].append(rating(visit, target, position, given))
            made["rationales"].append(
                {
                    "visit": visit, "kind": "org" if target == "Org" else "object", "target": target,
                    "side": "right", "text": f"=looks fine to {code}", "tags": ["values"], "redacted": False,
                }
            )  # fmt: skip
    made["instances"] = [
        {"instance": f"i{place}", "task": task, "stratum": "workflow", "org_hash": orgs[0], "has_rule": True}
        for place, task in ((1, "handle_time"), (2, "top_issue"))
    ]
    made["objects"] = [
        {"org_hash": org, "object": name, "label": f"{name} label", "records": 10} for org in orgs for name in OBJECTS
    ]
    return made


def participant(code: str, number: int) -> dict[str, Any]:
    return {
        "code": code, "cohort": "one", "channel": "mail", "stage": "done", "end": "complete", "simulated": False,
        "screener": {"S3": "3–5" if number % 6 else "over 10"}, "eligible": True, "started": True, "exposed": True,
        "analysed": True, "complete": True, "usable": True,
    }  # fmt: skip


def attempt(visit: str, position: int, number: int) -> dict[str, Any]:
    return {
        "visit": visit, "position": position, "instance": f"i{position}",
        "task": ("handle_time", "top_issue")[position - 1], "stratum": "workflow", "answer": ["5003E10"],
        "outcome": "answered", "correct": (number + position) % 2 == 0, "active_s": 300 + number,
    }  # fmt: skip


def rating(visit: str, target: str, position: int, final: int | None, blank: str = "") -> dict[str, Any]:
    return {
        "visit": visit, "kind": "org" if target == "Org" else "object", "target": target, "dimension": "overall",
        "position": position, "first": final, "first_blank": blank, "final": final, "final_blank": blank,
        "changes": 0, "opened_work": 2, "opened_look": 1, "shown_at": START, "locked_at": START + timedelta(hours=1),
    }  # fmt: skip


def write(directory: Path, made: Tables | None = None, **study: Any) -> str:
    """Write the rows (a study of six by default) and return the bundle hash."""
    return write_bundle(
        directory, tables() if made is None else made, protocol_yaml="name: realia-hour\n",
        orgs_json=[{"hash": ORG, "name": "demo"}], study={**STUDY, **study},
    )  # fmt: skip
