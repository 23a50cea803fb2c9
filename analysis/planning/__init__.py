"""How many raters, for what, and when to stop: precision, power, equivalence, confidence sequences, alpha spending.

Everything that is simulated is drawn for all replicates at once, from one seed. Only `course` reads a bundle.
"""
