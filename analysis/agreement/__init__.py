"""How alike raters rate: alpha, Gwet's coefficients, the kappas, intraclass correlations, and their intervals.

The categories are always the whole scale, never the ones that happen to occur. A missing rating is no category.
Where a coefficient isn't defined it is None, with the reason, and percent agreement stands beside it.
"""

from __future__ import annotations

from analysis.agreement.alpha import krippendorff_alpha as krippendorff_alpha
from analysis.agreement.bootstrap import rater_bootstrap as rater_bootstrap
from analysis.agreement.chance import brennan_prediger as brennan_prediger
from analysis.agreement.chance import fleiss_kappa as fleiss_kappa
from analysis.agreement.chance import gwet_ac as gwet_ac
from analysis.agreement.coders import CodeAgreement as CodeAgreement
from analysis.agreement.coders import CodeCounts as CodeCounts
from analysis.agreement.coders import code_agreement as code_agreement
from analysis.agreement.cohen import weighted_kappa as weighted_kappa
from analysis.agreement.found import NO_VARIATION as NO_VARIATION
from analysis.agreement.found import TOO_FEW as TOO_FEW
from analysis.agreement.found import Agreement as Agreement
from analysis.agreement.intraclass import Reliability as Reliability
from analysis.agreement.intraclass import intraclass as intraclass
from analysis.agreement.intraclass import spearman_brown as spearman_brown
from analysis.agreement.jackknife import Jackknife as Jackknife
from analysis.agreement.jackknife import jackknife as jackknife
from analysis.agreement.matrix import SCALE_POINTS as SCALE_POINTS
from analysis.agreement.retest import Retest as Retest
from analysis.agreement.retest import retest_agreement as retest_agreement
