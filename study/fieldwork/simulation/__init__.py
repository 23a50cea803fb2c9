"""Simulated experts: people drawn by a program who walk the real pages. Marked as such everywhere."""
