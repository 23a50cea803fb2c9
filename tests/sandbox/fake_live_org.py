"""A live org without a network: a session that answers what simple-salesforce asks of the real one.

The library itself is real; only its HTTP session is not. ``trouble`` may raise or
return an answer for any request before the org does.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import requests

from study.sandbox.engine.ids import make_id

SECRET = "00Dxx0000001gER!AQ4AQFsecretsessionsecret"
HOST = "acme.my.salesforce.com"
PAGE = 7


def answer(data: object, status: int = 200, **headers: str) -> requests.Response:
    made = requests.Response()
    made.status_code = status
    made._content = data.encode() if isinstance(data, str) else json.dumps(data).encode()
    made.headers.update(headers)
    made.url = f"https://{HOST}/services"
    return made


def refusal(code: str, message: str, status: int) -> requests.Response:
    return answer([{"errorCode": code, "message": message}], status)


def field(name: str, kind: str = "string", label: str = "", **more: Any) -> dict[str, Any]:
    usual = {"length": 80 if kind == "string" else 0, "referenceTo": [], "picklistValues": [], "inlineHelpText": None}
    return {"name": name, "type": kind, "label": label or name, **usual, **more}


def sobject(name: str, prefix: str, fields: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    usual = {"label": name, "labelPlural": f"{name}s", "queryable": True, "customSetting": False}
    usual |= {"deprecatedAndHidden": False, "childRelationships": []}
    return {"name": name, "keyPrefix": prefix, "fields": [field("Id", "id", "Case ID"), *fields], **usual, **more}


def picklist(*values: str) -> list[dict[str, Any]]:
    return [{"value": value, "label": value.upper(), "active": True} for value in values]


ACCOUNT = sobject(
    "Account", "001",
    [
        field("Name", label="Account Name", nameField=True, length=255),
        field("BillingAddress", "address"), field("Location__c", "location"),
        field("AnnualRevenue", "currency"), field("NumberOfEmployees", "int"),
        field("Description", "textarea", length=32000), field("OwnerId", "reference", "Owner ID", referenceTo=["User"]),
    ],
    childRelationships=[
        {"childSObject": "Case", "field": "AccountId", "relationshipName": "Cases", "deprecatedAndHidden": False},
        {"childSObject": "Task", "field": "WhatId", "relationshipName": "Tasks", "deprecatedAndHidden": False},
        {"childSObject": "Note", "field": "ParentId", "relationshipName": None, "deprecatedAndHidden": False},
    ],
)  # fmt: skip
CASE = sobject(
    "Case", "500",
    [
        field("Subject", nameField=False, length=255, inlineHelpText="What it is about"),
        field("CaseNumber", nameField=True, length=30), field("IsClosed", "boolean"),
        field("Status", "picklist", picklistValues=picklist("New", "Closed")),
        field("CreatedDate", "datetime"), field("Due__c", "date"), field("Hours__c", "double"),
        field("AccountId", "reference", "Account ID", referenceTo=["Account"]),
        field("Old__c", "string", deprecatedAndHidden=True), field("Secret__c", "string"),
    ],
)  # fmt: skip
TASK = sobject("Task", "00T", [
    field("Subject", "combobox", length=255), field("WhatId", "reference", "Related To ID",
                                                    referenceTo=["Account", "Case", "Opportunity"]),
])  # fmt: skip
DEVICE = sobject("Device__c", "a0D", [field("Name", nameField=True), field("Attachment__c", "base64")], label="Device")
SETTING = sobject("Setting__c", "a0S", [], customSetting=True)
HIDDEN = sobject("FieldDefinition", "", [], queryable=True)


def rows() -> dict[str, list[dict[str, Any]]]:
    accounts = [
        {"Id": make_id("001", n), "Name": f"Acme, \"{n}\"\nNorth", "AnnualRevenue": 1e6 + n / 3, "NumberOfEmployees": n,
         "Description": "long " * 400 if n == 2 else None, "OwnerId": make_id("005", n)}
        for n in range(10)
    ]  # fmt: skip
    cases = [
        {"Id": make_id("500", n), "Subject": f"=Zoë's case {n} 🙂", "CaseNumber": f"{n:08}", "IsClosed": n % 2 == 0,
         "Status": ("New", "Closed")[n % 2], "CreatedDate": f"2024-01-{n % 28 + 1:02}T10:00:00.000+0000",
         "Due__c": f"2024-02-{n % 28 + 1:02}" if n % 3 else None, "Hours__c": n / 7,
         "AccountId": make_id("001", n % 10), "Secret__c": "s"}
        for n in range(40)
    ]  # fmt: skip
    tasks = [
        {"Id": make_id("00T", n), "Subject": "Call", "WhatId": make_id(("001", "500")[n % 2], n)} for n in range(9)
    ]
    return {"Account": accounts, "Case": cases, "Task": tasks, "Device__c": []}


class FakeSession(requests.Session):
    """Answers describe, query, queryMore and bulk queries for the org above."""

    def __init__(self, trouble: Callable[[str, str], requests.Response | None] = lambda what, asked: None) -> None:
        super().__init__()
        self.trouble = trouble
        self.data = rows()
        self.objects = [ACCOUNT, CASE, TASK, DEVICE, SETTING, HIDDEN]
        self.asked: list[str] = []
        self.waiting: dict[str, list[dict[str, Any]]] = {}
        self.jobs: dict[str, list[dict[str, Any]]] = {}

    def request(self, method: Any, url: Any, *args: Any, **more: Any) -> requests.Response:
        assert more["headers"]["Authorization"] == f"Bearer {SECRET}"
        place = urlsplit(str(url)).path.partition("/services/data/v60.0/")[2]
        soql = (more.get("params") or {}).get("q", "")
        asked = soql or place
        self.asked.append(asked)
        if (found := self.trouble(place, soql)) is not None:
            return found
        if place == "sobjects":
            return answer({"sobjects": [{k: v for k, v in one.items() if k != "fields"} for one in self.objects]})
        if described := re.fullmatch(r"sobjects/(\w+)/describe", place):
            return answer(next(one for one in self.objects if one["name"] == described[1]))
        if place.startswith("jobs/query"):
            return self._bulk(method, place, more)
        if place.startswith("query/") and soql:
            return self._query(soql)
        return self._page(place.rpartition("/")[2])

    def _query(self, soql: str) -> requests.Response:
        if "FROM Organization" in soql:
            about = {"Name": "Acme GmbH", "TimeZoneSidKey": "Europe/Berlin", "FiscalYearStartMonth": 4}
            return answer({"records": [about], "done": True, "totalSize": 1})
        found = self._found(soql)
        if "COUNT()" in soql:
            return answer({"totalSize": len(found), "done": True, "records": []})
        assert "ORDER BY Id" in soql
        self.waiting["q0"] = found
        return self._page("q0-0")

    def _found(self, soql: str) -> list[dict[str, Any]]:
        match = re.fullmatch(r"SELECT (.+) FROM (\w+)(?: WHERE Id > '(\w+)')?(?: ORDER BY Id)?", soql)
        assert match, soql
        names = [name.strip() for name in match[1].split(",")]
        kept = [row for row in self.data[match[2]] if row["Id"] > (match[3] or "")]
        return [
            {"attributes": {"type": match[2]}} | {name: row.get(name) for name in names if name != "COUNT()"}
            for row in kept
        ]

    def _page(self, locator: str) -> requests.Response:
        key, _, start = locator.partition("-")
        found, first = self.waiting[key], int(start)
        page, end = found[first : first + PAGE], first + PAGE
        more = {} if end >= len(found) else {"nextRecordsUrl": f"/services/data/v60.0/query/{key}-{end}"}
        return answer({"records": page, "done": not more, "totalSize": len(found), **more})

    def _bulk(self, method: str, place: str, more: dict[str, Any]) -> requests.Response:
        if method == "POST":
            job = f"750{len(self.jobs)}"
            self.jobs[job] = self._found(json.loads(more["data"])["query"])
            return answer({"id": job, "state": "UploadComplete"})
        job = place.split("/")[2]
        if job not in self.jobs:
            return refusal("NOT_FOUND", "no such job", 404)
        if not place.endswith("/results"):
            return answer({"id": job, "state": "JobComplete"})
        start = int(more["params"].get("locator", 0))
        page = self.jobs[job][start : start + PAGE]
        text = io.StringIO()
        names = [name for name in (page[0] if page else {"Id": ""}) if name != "attributes"]
        writer = csv.writer(text)
        writer.writerow(names)
        writer.writerows([_csv(row[name]) for name in names] for row in page)
        end = start + PAGE
        locator = str(end) if end < len(self.jobs[job]) else "null"
        return answer(text.getvalue(), **{"Sforce-Locator": locator, "Sforce-NumberOfRecords": str(len(page))})


def _csv(value: object) -> object:
    if isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\dT", value):
        return value.replace("+0000", "Z")
    return str(value).lower() if isinstance(value, bool) else value
