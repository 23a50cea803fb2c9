"""Which records belong to one story: an order and its cases, an opportunity and all that was said about it."""

from __future__ import annotations

from study.generator.degrade.org_tables import OrgTables
from study.generator.groundwork.things import Row

STORIES = ("Lead", "Opportunity", "Order", "Case", "Contract")
"""Objects a story may begin with. Contracts do where no opportunity names them."""
_PARENTS: dict[str, tuple[str, ...]] = {
    "CaseHistory__c": ("CaseId__c",),
    "EmailMessage": ("ParentId", "RelatedToId"),
    "LiveChatTranscript": ("CaseId",),
    "Quote": ("OpportunityId",),
    "Task": ("WhatId",),
    "Event": ("WhatId",),
    "VoiceCallTranscript__c": ("OpportunityId__c", "LeadId__c"),
    "Order": ("ContractId",),
}


class Stories:
    """Follows records to what they are part of."""

    def __init__(self, org: OrgTables) -> None:
        self.org = org
        self._parent = self._parents()
        self._root: dict[str, str] = {}

    def root(self, record_id: str) -> str:
        """The record its story begins with; itself if it is part of none."""
        if record_id in self._root:
            return self._root[record_id]
        seen = [record_id]
        while (parent := self._parent.get(seen[-1])) and parent not in seen:
            seen.append(parent)
        for one in seen:
            self._root[one] = seen[-1]
        return seen[-1]

    def file(self, record_id: str) -> str | None:
        """The case, opportunity, lead or order that a record lies in; None for one that lies in none."""
        at: str | None = record_id
        for _ in range(6):
            if at is None or at not in self.org.by_id:
                return None
            name = self.org.by_id[at][0].name
            if name in ("Case", "Opportunity", "Lead") or (name == "Order" and at not in self._parent):
                return at
            at = self._parent.get(at)
        return None

    def _parents(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, lookups in _PARENTS.items():
            for row in self.org.rows(name):
                if parent := next((row[one] for one in lookups if row.get(one)), None):
                    self._note(found, row, parent)
        for row in self.org.rows("Opportunity"):
            contract = self.org.found(row.get("ContractID__c"))
            if contract is not None:
                self._note(found, contract, row["Id"])
        for row in self.org.rows("Case"):
            line = self.org.found(row.get("OrderItemId__c"))
            if line is not None and line.get("OrderId"):
                self._note(found, row, line["OrderId"])
        return found

    def _note(self, found: dict[str, str], row: Row, parent: object) -> None:
        if str(parent) in self.org.by_id:
            found[str(row["Id"])] = str(parent)
