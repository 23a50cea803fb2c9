"""Quotes and stages once more: rules of the company from the parameters, lines and tasks from the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from study.benchmark.recheck.tables import Tables, named, plain

Params = Mapping[str, Any]
Answer = list[str | None]

IN_ORDER = ("qualification", "discovery", "quote", "negotiation", "closed")


def _lines(tables: Tables, params: Params) -> pd.DataFrame:
    if not named(tables["Quote"]["Id"], [params["quote_id"]]).any():
        raise ValueError(f"the tables have no quote {params['quote_id']}")
    lines = tables["QuoteLineItem"]
    lines = lines[named(lines["QuoteId"], [params["quote_id"]])]
    return pd.DataFrame(
        {
            "product": lines["Product2Id"].str[:15],
            "pieces": pd.to_numeric(lines["Quantity"]).fillna(0),
            "off": pd.to_numeric(lines["Discount"]).fillna(0),
        }
    )


def invalid_config(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    pieces = _lines(tables, params).groupby("product")["pieces"].sum()

    def on_quote(product: str) -> float:
        return float(pieces.get(product[:15], 0))

    rules = params["rules"]
    broken = [rule["article"] for rule in rules.get("limits", []) if on_quote(rule["product"]) > rule["most"]]
    for rule in rules.get("exclusions", []):
        if min(on_quote(rule["one"]), on_quote(rule["other"])) > 0:
            broken.append(rule["article"])
    for rule in rules.get("requirements", []):
        # What is there must serve all: n pieces of the needed product serve n times ``each``.
        if int(on_quote(rule["needs"])) * rule["each"] < on_quote(rule["product"]):
            broken.append(rule["article"])
    return _single(broken)


def quote_approval(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    steps = params["rules"].get("steps")
    if not steps:
        return [None]
    broken = []
    lines = _lines(tables, params)
    for pieces, off in zip(lines["pieces"].tolist(), lines["off"].tolist(), strict=True):
        most = 0.0
        for least, percent in sorted(steps["steps"]):
            if pieces >= least:
                most = percent
        if off > most + 1e-9:
            broken.append(steps["article"])
    return _single(broken)


def _single(articles: list[str]) -> Answer:
    once = sorted(set(articles))
    return [once[0]] if len(once) == 1 else [None]


def _deal(tables: Tables, params: Params) -> tuple[str, pd.DataFrame]:
    """The recorded stage, and the tasks with status and place of their stage in the order of stages."""
    deals, tasks = tables["Opportunity"], tables["Task"]
    (recorded,) = plain(deals.loc[named(deals["Id"], [params["opportunity_id"]]), "StageName"])
    tasks = tasks[named(tasks["WhatId"], [params["opportunity_id"]])]
    subjects = plain(tasks["Subject"])
    places = pd.Series(-1, index=tasks.index)
    longest = pd.Series(0, index=tasks.index)
    for stage, phrases in params["stages"].items():
        for phrase in phrases:
            here = subjects.str.contains(" ".join(phrase.casefold().split()), regex=False) & (longest < len(phrase))
            places[here] = IN_ORDER.index(stage.casefold())
            longest[here] = len(phrase)
    if (places < 0).any():
        raise ValueError("a task has no phrase of the guide in its subject")
    return str(recorded), pd.DataFrame({"Id": tasks["Id"], "status": plain(tasks["Status"]), "place": places})


def wrong_stage_rectification(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    recorded, tasks = _deal(tables, params)
    begun = tasks[tasks["status"].isin(["in progress", "completed"])]
    if begun.empty:
        return [None]
    furthest = IN_ORDER[int(begun["place"].max())]
    return [None] if furthest == recorded else [furthest.capitalize()]


def activity_priority(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    recorded, tasks = _deal(tables, params)
    waiting = tasks[tasks["status"] == "not started"]
    unfit = waiting[waiting["place"] != IN_ORDER.index(recorded)]
    return [str(task) for task in unfit["Id"]] or [None]
