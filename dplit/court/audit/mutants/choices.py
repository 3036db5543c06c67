"""Bugs in how greedy trees choose, in what pays by zero-concentrated privacy, and in votes of subsamples."""

from __future__ import annotations

from dplit.court.audit.mutants import at, plant
from dplit.trees.rules import LOCAL_GINI, SQUARES

KARY, GREEDY = at("trees.kary", "grow_kary_trees"), at("trees.greedy", "grow_id3_trees")
COLUMN, CUT = "a choice of a column draws its law", "a choice of a cut and a column draws its law"
CLASSIFIER = "BoostedForestClassifier, Gaussian noise, what a record moves"
REGRESSOR = "BoostedForestRegressor, Gaussian noise, what a record moves"


def _by_another_rule(change):
    """A grower of trees whose rule, the argument before the generator, is another one."""

    def wrap(original):
        def grow(*arguments, rng, n_jobs=None):
            return original(*arguments[:-1], change(arguments[-1]), rng=rng, n_jobs=n_jobs)

        return grow

    return wrap


@plant("a column by its levels at twice the rate", f"{COLUMN}, squares", KARY)
def _column_doubled(original):
    return _by_another_rule(lambda rule: rule._replace(rate=2 * rule.rate))(original)


@plant("the worst column is the likeliest", f"{COLUMN}, targets", KARY)
def _worst_first(original):
    return _by_another_rule(lambda rule: rule._replace(rate=-rule.rate))(original)


@plant("a score of local sensitivity at the rate of any other", f"{COLUMN}, local Gini", KARY)
def _global(original):
    change = lambda rule: rule._replace(rate=2 * rule.rate, score=SQUARES)  # noqa: E731
    return _by_another_rule(lambda r: change(r) if r.score == LOCAL_GINI else r)(original)


@plant("a cut and its column at twice the rate", f"{CUT}, majority", GREEDY)
def _cut_doubled(original):
    return _by_another_rule(lambda rule: rule._replace(rate=2 * rule.rate))(original)


@plant("a path ends by the true number of records", f"{CUT}, squares", GREEDY)
def _true_number(original):
    return _by_another_rule(lambda rule: rule._replace(count_scale=1e-9))(original)


@plant("no record's entropy is capped", f"{CUT}, entropy", GREEDY)
def _uncapped(original):
    return _by_another_rule(lambda rule: rule._replace(most_bits=1e9))(original)


@plant("exact scores of a column at twice their unit", f"{COLUMN}, majority, exact noise",
       at("trees.exact_rules", "exact_scores"))  # fmt: skip
def _unit_doubled(original):
    def exact_scores(*arguments, **options):
        found = original(*arguments, **options)
        return found._replace(unit=2 * found.unit)

    return exact_scores


@plant("an exact path ends by nearly the true number", f"{CUT}, squares, exact noise",
       at("trees.exact_rules", "exact_stop"))  # fmt: skip
def _stop_at_once(original):
    def exact_stop(*arguments):
        found = original(*arguments)
        return found._replace(unit=found.unit * 1024)

    return exact_stop


# Zero-concentrated privacy ------------------------------------------------------------------------


@plant("Gaussian noise of a leaf at half its deviation", REGRESSOR,
       at("forests.boosted_releases", "concentrated_pairs"))  # fmt: skip
def _half_noise(original):
    def concentrated_pairs(sums, rho, *rest):
        return original(sums, 4 * rho, *rest)[0], original(sums, rho, *rest)[1]

    return concentrated_pairs


@plant("the norm of positive and negative parts is forgotten", CLASSIFIER,
       at("forests.boosted_releases", "concentrated_pairs"))  # fmt: skip
def _no_norm(original):
    def concentrated_pairs(sums, rho, reach, rng):
        return original(sums, rho, reach._replace(norm=reach.norm / 2), rng)

    return concentrated_pairs


@plant("a test pays rho and is chosen at four times its epsilon", CLASSIFIER,
       at("forests.boosted_releases", "concentrated_test"))  # fmt: skip
def _quadrupled(original):
    def concentrated_test(masses, rho, *rest):
        return original(masses, 16 * rho, *rest)[0], original(masses, rho, *rest)[1]

    return concentrated_test


# Subsamples ---------------------------------------------------------------------------------------


@plant("records that are dealt in turn at the price of independent draws", "votes of subsamples, their budget",
       at("matrix.subsample", "_account"))  # fmt: skip
def _as_independent(original):
    def _account(strategy, noise, neighbours, mechanism, assignment, *rest):
        return original(strategy, noise, neighbours, mechanism, "independent", *rest)

    return _account


@plant("hard votes of two classes release both columns",
       "MatrixForestClassifier, votes of subsamples, what a record moves",
       at("matrix.subsample", "measured_with"))  # fmt: skip
def _both_columns(original):
    def measured_with(*arguments, rng):
        return original(*arguments[:5], lambda exact: exact, rng=rng)

    return measured_with
