"""Query instances of the service world: questions that people can answer by hand, with answers by rule."""

from __future__ import annotations

from typing import Any

from study.benchmark.flows import register_instances as register
from study.benchmark.report import ImportReport
from study.generator.world.asking.agents import ask_handle_time, ask_transfer_count
from study.generator.world.asking.articles import ask_knowledge
from study.generator.world.asking.making import Maker
from study.generator.world.asking.patterns import ask_best_region, ask_busiest_month, ask_top_issue
from study.generator.world.asking.purchases import ask_which_product
from study.generator.world.asking.routing import ask_case_routing
from study.generator.world.service import World
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.models import Org

ASKING = (
    ask_case_routing,
    ask_knowledge,
    ask_which_product,
    ask_handle_time,
    ask_transfer_count,
    ask_top_issue,
    ask_busiest_month,
    ask_best_region,
)


def make_instances(world: World, snapshot: Snapshot) -> list[dict[str, Any]]:
    """Records in the published format with our own further keys; the snapshot is the one written from the world.

    Up to 15 per task: 12 with an answer that leads clearly whichever way the ends of its period are read, and 3 that
    no record fits (for knowledge questions none). Every one has the Org's last day as its today.
    """
    maker = Maker(world, snapshot)
    for ask in ASKING:
        ask(maker)
    return maker.records


def register_instances(
    org: Org, records: list[dict[str, Any]], *, source: str = "org_generate service"
) -> ImportReport:
    """Store the records for an Org; again adds nothing."""
    return register(org, records, source)
