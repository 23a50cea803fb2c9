"""Selling: leads, opportunities, quotes, contracts, orders, and the tasks and events of the people who sell."""

from study.generator.sales.making import make_sales

__all__ = ["make_sales"]
