"""Proof that the intervals hold their level: many simulated studies of which the truth is known."""
