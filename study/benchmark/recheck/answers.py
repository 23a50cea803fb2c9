"""The answers once more, from the exported tables with pandas alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from study.benchmark.recheck.deals import activity_priority, invalid_config, quote_approval, wrong_stage_rectification
from study.benchmark.recheck.tables import Tables, dated_in_window, in_window, moments, named, one, plain

Params = Mapping[str, Any]
Answer = list[str | None]


def _assignments(tables: Tables) -> pd.DataFrame:
    history = tables["CaseHistory__c"]
    return history[plain(history["Field__c"]) == "owner assignment"]


def _busy_agents(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> pd.Index:
    rows = _assignments(tables)
    rows = rows[in_window(rows["CreatedDate"], params["window"], today, zone) & (rows["NewValue__c"] != "")]
    given = rows["NewValue__c"].value_counts()
    busy: pd.Index[str] = given[given > params["more_than"]].index
    return busy


def handle_time(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    per_case = _assignments(tables)["CaseId__c"].value_counts()
    never_transferred = per_case.index[per_case == 1]
    cases = tables["Case"]
    cases = cases[
        (plain(cases["Status"]) == "closed")
        & (cases["ClosedDate"] != "")
        & cases["Id"].isin(never_transferred)
        & cases["OwnerId"].isin(_busy_agents(tables, params, today, zone))
        & in_window(cases["CreatedDate"], params["window"], today, zone)
    ]
    minutes = _seconds(cases, zone) / 60
    return one(minutes.groupby(cases["OwnerId"]).mean(), highest=params.get("extremum", "max") == "max")


def transfer_count(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    rows = _assignments(tables)
    rows = rows[
        in_window(rows["CreatedDate"], params["window"], today, zone)
        & rows["OldValue__c"].isin(_busy_agents(tables, params, today, zone))
    ]
    return one(rows["OldValue__c"].value_counts(), highest=params.get("extremum", "max") == "max")


def _about_product(tables: Tables, product: str) -> pd.DataFrame:
    items = tables["OrderItem"]
    cases = tables["Case"]
    return cases[cases["OrderItemId__c"].isin(items.loc[named(items["Product2Id"], [product]), "Id"])]


def top_issue_identification(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    cases = _about_product(tables, params["product_id"])
    cases = cases[in_window(cases["CreatedDate"], params["window"], today, zone) & (cases["IssueId__c"] != "")]
    return one(cases["IssueId__c"].value_counts(), highest=True)


def monthly_trend_analysis(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    cases = _about_product(tables, params["product_id"])
    cases = cases[in_window(cases["CreatedDate"], params["window"], today, zone)]
    months = moments(cases["CreatedDate"], zone).dt.month_name()
    return one(months.value_counts(), highest=True)


def best_region_identification(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    cases = tables["Case"].merge(
        tables["Account"][["Id", "ShippingState"]], left_on="AccountId", right_on="Id", suffixes=("", "_of_account")
    )
    cases = cases[
        (plain(cases["Status"]) == "closed")
        & (cases["ClosedDate"] != "")
        & (cases["ShippingState"] != "")
        & in_window(cases["CreatedDate"], params["window"], today, zone)
    ]
    hours = _seconds(cases, zone) / 3600
    means = hours.groupby(plain(cases["ShippingState"]).str.upper()).mean()
    return one(means, highest=params.get("extremum", "min") == "max")


def case_routing(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    cases = tables["Case"]
    cases = cases[cases["OwnerId"] != ""]
    closed = cases[plain(cases["Status"]) == "closed"]
    agents = closed.loc[named(closed["IssueId__c"], [params["issue_id"]]), "OwnerId"].value_counts()
    product = _about_product(tables, params["product_id"])
    board = pd.DataFrame(
        {
            "issue": agents,
            "product": product.loc[plain(product["Status"]) == "closed", "OwnerId"]
            .value_counts()
            .reindex(agents.index),
            "open": cases.loc[plain(cases["Status"]) != "closed", "OwnerId"].value_counts().reindex(agents.index),
        }
    ).fillna(0)
    for column, highest in (("issue", True), ("product", True), ("open", False)):
        found = one(board[column], highest=highest)
        if found != [None] or board.empty:
            break
        board = board[board[column] == (board[column].max() if highest else board[column].min())]
    return found


def named_entity_disambiguation(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    contacts, orders, items = tables["Contact"], tables["Order"], tables["OrderItem"]
    account = contacts.loc[named(contacts["Id"], [params["contact_id"]]) & (contacts["AccountId"] != ""), "AccountId"]
    day = (today - pd.Timedelta(days=params["days_ago"])).strftime("%Y-%m-%d")
    orders = orders[
        orders["AccountId"].isin(account) & (plain(orders["Status"]) == "activated") & (orders["EffectiveDate"] == day)
    ]
    bought = items.loc[items["OrderId"].isin(orders["Id"]), "Product2Id"]
    products = bought[named(bought, _fitting(tables, params))].unique()
    return [str(products[0])] if len(products) == 1 else [None]


def _fitting(tables: Tables, params: Params) -> list[str]:
    if params.get("product_ids") is not None:
        return list(params["product_ids"])
    links = tables["ProductCategoryProduct"]
    return list(links.loc[named(links["ProductCategoryId"], [params["category_id"]]), "ProductId"])


def _seconds(cases: pd.DataFrame, zone: str) -> pd.Series:
    return (moments(cases["ClosedDate"], zone) - moments(cases["CreatedDate"], zone)).dt.total_seconds()


def lead_routing(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    territories, links, quotes, leads = (
        tables[name] for name in ("Territory2", "UserTerritory2Association", "Quote", "Lead")
    )
    entries = (
        territories[["Id"]].assign(state=territories["Description"].str.split(r"[,;]", regex=True)).explode("state")
    )
    listed = entries.loc[plain(entries["state"].str.strip()) == params["state"].strip().casefold(), "Id"]
    members = links.loc[links["Territory2Id"].isin(listed) & (links["UserId"] != ""), "UserId"].unique()
    accepted = quotes[plain(quotes["Status"]) == "accepted"].merge(
        tables["Opportunity"][["Id", "OwnerId"]], left_on="OpportunityId", right_on="Id"
    )
    board = pd.DataFrame(index=pd.Index(members, name="seller"))
    board["quotes"] = accepted["OwnerId"].value_counts().reindex(board.index)
    board["leads"] = leads.loc[leads["IsConverted"] != "true", "OwnerId"].value_counts().reindex(board.index)
    board = board.fillna(0)
    most = one(board["quotes"], highest=True)
    if most != [None] or board.empty:
        return most
    return one(board.loc[board["quotes"] == board["quotes"].max(), "leads"], highest=False)


def sales_amount_understanding(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    orders, contracts = tables["Order"], tables["Contract"]
    signed = contracts[dated_in_window(contracts["CompanySignedDate"], params["window"], today)]
    if "ContractId" in orders.columns:
        counting = named(orders["ContractId"], signed["Id"])
    else:
        counting = named(orders["AccountId"], signed.loc[signed["AccountId"] != "", "AccountId"])
        counting &= dated_in_window(orders["EffectiveDate"], params["window"], today)
    orders = orders[counting & (plain(orders["Status"]) == "activated") & (orders["OwnerId"] != "")]
    items = tables["OrderItem"].merge(orders[["Id", "OwnerId"]], left_on="OrderId", right_on="Id", suffixes=("", "_o"))
    amounts = (pd.to_numeric(items["Quantity"]) * pd.to_numeric(items["UnitPrice"])).groupby(items["OwnerId"])
    return one(amounts.sum(min_count=1).dropna(), highest=params.get("extremum", "max") == "max")


def sales_cycle_understanding(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    deals = tables["Opportunity"].merge(
        tables["Contract"][["Id", "CompanySignedDate"]], left_on="ContractID__c", right_on="Id", suffixes=("", "_c")
    )
    deals = deals[
        dated_in_window(deals["CompanySignedDate"], params["window"], today)
        & (deals["CreatedDate"] != "")
        & (deals["OwnerId"] != "")
    ]
    # A signature is a day: it stands for that day's midnight in the zone of the Org.
    signed = pd.to_datetime(deals["CompanySignedDate"], format="ISO8601").dt.tz_localize(zone)
    took = (signed - moments(deals["CreatedDate"], zone)).dt.total_seconds() / 86_400
    return one(took.groupby(deals["OwnerId"]).mean(), highest=params.get("extremum", "min") == "max")


def conversion_rate_comprehension(tables: Tables, params: Params, today: pd.Timestamp, zone: str) -> Answer:
    leads = tables["Lead"]
    leads = leads[in_window(leads["CreatedDate"], params["window"], today, zone) & (leads["OwnerId"] != "")]
    converted = (leads["IsConverted"] == "true") & dated_in_window(leads["ConvertedDate"], params["window"], today)
    return one(converted.groupby(leads["OwnerId"]).mean(), highest=params.get("extremum", "max") == "max")


RECHECKS: dict[str, Callable[[Tables, Params, pd.Timestamp, str], Answer]] = {
    "handle_time": handle_time,
    "transfer_count": transfer_count,
    "top_issue_identification": top_issue_identification,
    "monthly_trend_analysis": monthly_trend_analysis,
    "best_region_identification": best_region_identification,
    "case_routing": case_routing,
    "named_entity_disambiguation": named_entity_disambiguation,
    "lead_routing": lead_routing,
    "invalid_config": invalid_config,
    "quote_approval": quote_approval,
    "wrong_stage_rectification": wrong_stage_rectification,
    "activity_priority": activity_priority,
    "sales_amount_understanding": sales_amount_understanding,
    "sales_cycle_understanding": sales_cycle_understanding,
    "conversion_rate_comprehension": conversion_rate_comprehension,
}
