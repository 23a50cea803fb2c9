"""Parameters of any rule, drawn by chance, for the Orgs made by chance."""

from __future__ import annotations

import random
from typing import Any

from study.benchmark.rules import RULES
from tests.benchmark.hand_deals import any_deal_params
from tests.benchmark.hand_org import contact, issue, product, record_id

PERIODS: tuple[dict[str, Any], ...] = (
    *({"past_months": n} for n in (1, 2, 3, 6, 24)),
    *({"past_quarters": n} for n in (1, 2, 4)),
    *({"past_weeks": n} for n in (1, 4, 6)),
    *({"past_days": n} for n in (1, 30)),
    *({"month": month} for month in ("2023-12", "2024-01", "2024-02", "2024-03")),
    *({"quarter": name} for name in ("2023-Q4", "2024-Q1", "2022-Q2")),
    *({"season": name} for name in ("2023-winter", "2023-summer", "2024-spring", "2023-fall", "2023-Autumn")),
    {"year": 2023},
    {"year": "2024"},
)


SERVICE = (
    "handle_time", "transfer_count", "top_issue_identification", "monthly_trend_analysis",
    "best_region_identification", "case_routing", "named_entity_disambiguation",
)  # fmt: skip
SELLING = tuple(rule for rule in RULES if rule not in SERVICE)
PERIODIC = ("sales_amount_understanding", "sales_cycle_understanding", "conversion_rate_comprehension")


def any_params(rule: str, draw: random.Random) -> dict[str, Any]:
    """Parameters of one rule; a good part of them leads to a tie or to nothing."""
    if rule == "case_routing":
        return {"issue_id": issue(draw.randrange(5)), "product_id": product(draw.randrange(4))}
    if rule == "named_entity_disambiguation":
        params = {"contact_id": contact(draw.randrange(7)), "days_ago": draw.randrange(6)}
        if draw.random() < 0.3:
            return {**params, "category_id": record_id("ProductCategory", 0)}
        return {**params, "product_ids": [product(n) for n in draw.sample(range(4), k=draw.randrange(4))]}
    if rule in SELLING and rule not in PERIODIC:
        return any_deal_params(rule, draw)
    params = {"window": draw.choice(PERIODS), "extremum": draw.choice(("min", "max"))}
    if rule in ("handle_time", "transfer_count"):
        return {**params, "more_than": draw.randrange(10)}
    return params if rule in PERIODIC else {**params, "product_id": product(draw.randrange(5))}
