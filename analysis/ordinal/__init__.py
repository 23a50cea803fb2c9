"""Ordinal models of the five points: cumulative link models, plain and with one random intercept per rater.

logit P(Y ≤ c) = θ_c − (x'β + u_rater), u ~ N(0, σ²). A positive β means more realistic; a positive u a milder rater.
"""

from __future__ import annotations

from analysis.ordinal.fitting import NOT_CONVERGED as NOT_CONVERGED
from analysis.ordinal.fitting import CumulativeFit as CumulativeFit
from analysis.ordinal.fitting import fit_cumulative as fit_cumulative
from analysis.ordinal.marginal import Approval as Approval
from analysis.ordinal.marginal import marginal_approval as marginal_approval
from analysis.ordinal.marginal import marginal_difference as marginal_difference
from analysis.ordinal.modes import severities as severities
from analysis.ordinal.proportional import binary_fits as binary_fits
from analysis.ordinal.table import FEWEST_RATERS as FEWEST_RATERS
from analysis.ordinal.table import ScoreTable as ScoreTable
from analysis.ordinal.table import score_table as score_table
