"""The protocol file: everything a participant sees and everything the analysis was promised to do.

One class per section (``design.py``, ``hour.py``, ``promises.py``); ``docs/protocol.md`` explains
each in words. Values are frozen. ``reading.py`` makes one from YAML text,
``checks.py`` says what is wrong with it beyond its shape.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from study.protocols.design import (
    Allocation,
    Arm,
    Clocks,
    Exclusion,
    Length,
    Meta,
    ObjectText,
    Pay,
    Pilot,
    Stratum,
    Tasks,
    Team,
    Unknown,
)
from study.protocols.hour import (
    Completion,
    Consent,
    Debrief,
    Help,
    Module,
    Orientation,
    Position,
    Rating,
    Screener,
    Wording,
    Work,
)
from study.protocols.languages import Translation
from study.protocols.papers import Papers
from study.protocols.parts import Answers, Part
from study.protocols.promises import Analysis


class ProtocolFile(Part):
    """The whole file."""

    realia: Literal[1]
    meta: Meta
    disclosure: Literal["origin_after", "open"] = "origin_after"
    device: Literal["desktop", "any"] = "desktop"
    length: Length
    clocks: Clocks
    pay: Pay
    team: Team
    objects: tuple[ObjectText, ...] = Field(min_length=1)
    arms: tuple[Arm, ...] = Field(min_length=1)
    allocation: Allocation = Allocation()
    tasks: Tasks
    screener: Screener
    consent: Consent
    orientation: Orientation
    work: Work
    rating: Rating
    modules: tuple[Module, ...] = ()
    debrief: Debrief
    completion: Completion
    wording: Wording
    help: Help | None = None
    analysis: Analysis
    pilot: Pilot | None = None
    exclusions: tuple[Exclusion, ...] = ()
    papers: Papers | None = None
    unknowns: tuple[Unknown, ...] = ()
    translations: tuple[Translation, ...] = ()

    def arm(self, code: str) -> Arm:
        """Raises KeyError for an arm the protocol does not have."""
        for arm in self.arms:
            if arm.code == code:
                return arm
        raise KeyError(code)

    def object_text(self, api: str) -> ObjectText:
        """Raises KeyError for an object without texts."""
        for text in self.objects:
            if text.api == api:
                return text
        raise KeyError(api)

    def rated(self, arm: str, condition: str = "") -> tuple[ObjectText, ...]:
        """The objects to rate in a visit of an arm, in file order (the order shown is drawn per person)."""
        return tuple(self.object_text(api) for api in self.arm(arm).plan(condition).rate)

    def oriented(self, arm: str, condition: str = "") -> tuple[ObjectText, ...]:
        """The objects the orientation of a visit names, in file order."""
        return tuple(self.object_text(api) for api in self.arm(arm).plan(condition).orient)

    @property
    def task_names(self) -> tuple[str, ...]:
        return tuple(task for stratum in self.tasks.strata for task in stratum.tasks)

    def stratum_of(self, task: str) -> Stratum:
        """Raises KeyError for a task the protocol does not use."""
        for stratum in self.tasks.strata:
            if task in stratum.tasks:
                return stratum
        raise KeyError(task)

    def modules_at(self, position: Position) -> tuple[Module, ...]:
        return tuple(module for module in self.modules if module.position == position)

    def eligible(self, answers: Answers) -> bool:
        return self.screener.eligibility.rule.holds(answers)
