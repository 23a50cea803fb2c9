"""From results to JSON: every number to eight decimals, no NaN, nothing of numpy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np


def plain_json(value: Any) -> Any:
    """The value as JSON has it: mappings, lists, text, whole numbers, floats to eight decimals, true, false, null.

    Raises ValueError for NaN and infinity: what isn't defined is None, with its reason beside it.
    """
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, np.generic):
        return plain_json(value.item())
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} in a result; give None and say why in the note")
        return round(value, 8)
    if isinstance(value, np.ndarray):
        return [plain_json(one) for one in value.tolist()]
    if is_dataclass(value) and not isinstance(value, type):
        return plain_json(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain_json(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(one) for one in value]
    raise ValueError(f"{type(value).__name__} is nothing JSON knows: {value!r}")
