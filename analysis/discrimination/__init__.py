"""Telling one kind of record from another: detection, forced choice, areas under curves, anchors, paired comparisons.

Cards after the lock are what these are for. Nothing here enters the headline (M6).
"""
