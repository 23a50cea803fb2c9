"""Selling: leads, opportunities, quotes, contracts, orders, and the tasks and events of the people who sell."""
