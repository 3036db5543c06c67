"""Bugs in how greedy trees choose, in what pays by zero-concentrated privacy, and in votes of subsamples."""

from dplit.court.audit.mutants import at, plant
from dplit.trees.rules import LOCAL_GINI, SQUARES
from tests.audit.mutants._shapes import returned, told, unpaid

LEVELS, GREEDY = (at("trees.greedy_levels", "grow_greedy_level_trees"), at("trees.greedy", "grow_greedy_trees"))
COLUMN, CUT = "a choice of a column draws its law", "a choice of a cut and a column draws its law"
CLASSIFIER = "BoostedForestClassifier, Gaussian noise, what a record moves"
REGRESSOR = "BoostedForestRegressor, Gaussian noise, what a record moves"
PAIRS = at("forests.boosted_releases", "concentrated_pairs")


def _at_the_rate(times):
    return lambda rule: rule._replace(rate=times * rule.rate)


def _global(rule):
    return rule._replace(rate=2 * rule.rate, score=SQUARES) if rule.score == LOCAL_GINI else rule


told("a column by its levels at twice the rate", f"{COLUMN}, squares", LEVELS, rule=_at_the_rate(2))
told("the worst column is the likeliest", f"{COLUMN}, targets", LEVELS, rule=_at_the_rate(-1))
told("a score of local sensitivity at the rate of any other", f"{COLUMN}, local Gini", LEVELS, rule=_global)
told("a cut and its column at twice the rate", f"{CUT}, majority", GREEDY, rule=_at_the_rate(2))
told("a path ends by the true number of records", f"{CUT}, squares", GREEDY,
     rule=lambda rule: rule._replace(count_scale=1e-9))  # fmt: skip
told("no record's entropy is capped", f"{CUT}, entropy", GREEDY, rule=lambda rule: rule._replace(most_bits=1e9))
returned("exact scores of a column at twice their unit", f"{COLUMN}, majority, exact noise",
         at("trees.exact_rules", "exact_scores"), lambda found: found._replace(unit=2 * found.unit))  # fmt: skip
returned("an exact path ends by nearly the true number", f"{CUT}, squares, exact noise",
         at("trees.exact_rules", "exact_stop"), lambda found: found._replace(unit=found.unit * 1024))  # fmt: skip

# Zero-concentrated privacy ------------------------------------------------------------------------

unpaid("Gaussian noise of a leaf at half its deviation", REGRESSOR, PAIRS, rho=lambda rho: 4 * rho)
told("the norm of positive and negative parts is forgotten", CLASSIFIER, PAIRS,
     reach=lambda reach: reach._replace(norm=reach.norm / 2))  # fmt: skip
unpaid("a test pays rho and is chosen at four times its epsilon", CLASSIFIER,
       at("forests.boosted_releases", "concentrated_test"), rho=lambda rho: 16 * rho)  # fmt: skip

# Subsamples ---------------------------------------------------------------------------------------

told("records that are dealt in turn at the price of independent draws", "votes of subsamples, their budget",
     at("matrix.subsample", "_account"), assignment=lambda assignment: "independent")  # fmt: skip


@plant("hard votes of two classes release both columns",
       "MatrixForestClassifier, votes of subsamples, what a record moves",
       at("matrix.subsample", "measured_with"))  # fmt: skip
def _both_columns(original):
    def measured_with(*arguments, rng):
        return original(*arguments[:5], lambda exact: exact, rng=rng)

    return measured_with
