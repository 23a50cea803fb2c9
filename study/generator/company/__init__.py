"""The company of a world: what it sells, who works there, who buys, and how its objects look."""

from __future__ import annotations

from study.generator.company.catalogue import catalogue_rows, make_shared
from study.generator.company.members import make_members
from study.generator.company.parties import make_parties
from study.generator.company.registry import world_registry

__all__ = ["catalogue_rows", "make_members", "make_parties", "make_shared", "world_registry"]
