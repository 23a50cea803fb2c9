"""SOQL and SOSL: query texts as sales and service people write them, answered by the sandbox engine."""

from study.sandbox.soql.errors import SoqlError
from study.sandbox.soql.parser import is_sosl
from study.sandbox.soql.running import SoqlResult, run_soql
from study.sandbox.soql.sosl import SoslResult, run_sosl

__all__ = ["SoqlError", "SoqlResult", "SoslResult", "is_sosl", "run_soql", "run_sosl"]
