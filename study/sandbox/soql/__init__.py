"""SOQL and SOSL: query texts as sales and service people write them, answered by the sandbox engine."""

from study.sandbox.soql.errors import SoqlError
from study.sandbox.soql.running import SoqlResult, run_soql

__all__ = ["SoqlError", "SoqlResult", "run_soql"]
