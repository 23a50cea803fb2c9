"""Customer care: cases with their history, letters and chats; orders of a world that sells over the counter."""

from study.generator.care.making import make_care
from study.generator.care.orders import make_orders

__all__ = ["make_care", "make_orders"]
