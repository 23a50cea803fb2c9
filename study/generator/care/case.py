"""A case and who had it when, before they become records."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from study.generator.care.matters import Issue
from study.generator.groundwork.things import Bought, Member


@dataclass
class Handling:
    """Who had the case from when on."""

    member: Member
    since: datetime


@dataclass
class Case:
    """One case before it becomes records. ``closed`` is None while it is open on the last day."""

    line: Bought
    issue: Issue
    created: datetime
    origin: str
    priority: str
    hands: list[Handling] = field(default_factory=list)
    closed: datetime | None = None
    status: str = "New"
    id: str = ""
    number: str = ""
    subject: str = ""
    description: str = ""
    slots: dict[str, str] = field(default_factory=dict)
    solved: bool = False
    # The side of its issue that this case is about; empty for an issue without sides.
    side: str = ""
    # What can still be said: phrases that this case has not used, by rule; and those it has.
    unsaid: dict[str, list[str]] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    # Which steps of its issue were asked for last, by their numbers: an answer is one to these.
    asked: list[str] = field(default_factory=list)

    @property
    def matter(self) -> str:
        """Beginning of the names of the rules for what is said about it."""
        return f"{self.issue.code}/{self.side}" if self.side else self.issue.code

    @property
    def owner(self) -> Member:
        return self.hands[-1].member

    def hand_at(self, at: datetime) -> Member:
        """Who had the case at a moment; before anybody had it, the first one."""
        for hand in reversed(self.hands):
            if hand.since <= at:
                return hand.member
        return self.hands[0].member
