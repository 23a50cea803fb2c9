"""Differences between two things rated: tests, intervals and effect sizes, numbers in and frozen results out.

The rater is the unit: several ratings of one person are first reduced to one number. Every p stands beside an
estimate and its interval, or is left out.
"""
