"""Bugs around a fit: how cells are read, what errors quote, who is charged, keys, cuts and large tables."""

import numpy as np
import pandas as pd

from dplit.court.audit.mutants import at, plant
from tests.audit.mutants._shapes import MEDIAN

CELLS = "cells of all kinds, each by itself, in a column of"


@plant("dates with slashes are read in the order that all of them allow", f"{CELLS} days",
       at("domain.dates", "_texts"))  # fmt: skip
def _slashes(original):
    def _texts(cells):
        if not all(isinstance(c, str) and c.count("/") == 2 for c in cells):
            return original(cells)
        first = any(int(c.split("/")[0]) > 12 for c in cells)
        return pd.to_datetime(pd.Series(cells), dayfirst=first, format="mixed").to_numpy().astype("datetime64[us]")

    return _texts


@plant("the error of a cell that is no number says which", f"{CELLS} numbers",
       at("forests.reading", "without_values"))  # fmt: skip
def _quoted_cell(original):
    return lambda error: ValueError(f"X must hold numbers: {error}")


@plant("the error of a target that is no number says which", "targets of all kinds, MedianForestRegressor",
       at("forests.targets", "numbers_of"))  # fmt: skip
def _quoted_target(original):
    def numbers_of(y):
        try:
            return original(y)
        except ValueError as error:
            raise ValueError(f"{error}: {next((v for v in y if isinstance(v, str)), '')}") from None

    return numbers_of


@plant("of accounts within each other the outermost pays", "accounts within each other",
       at("budget.accountant", "charged"))  # fmt: skip
def _outermost(original):
    from dplit.budget import accountant

    def charged(*given, **named):
        every, accountant._OPEN = accountant._OPEN, accountant._OPEN[:1]
        try:
            entered = original(*given, **named)
            settle = entered.__enter__()
        finally:
            accountant._OPEN = every

        class Entered:
            def __enter__(self):
                return settle

            def __exit__(self, *error):
                return entered.__exit__(*error)

        return Entered()

    return charged


@plant("keys are stretched from four bytes", "streams of a secure generator, keys of their own",
       at("mechanisms.cipher", "FreshKeys", "generate_state"))  # fmt: skip
def _short_keys(original):
    def generate_state(self, n_words, dtype=np.uint32):
        seed = int.from_bytes(original(self, 1, np.uint32).tobytes(), "big")
        return np.random.SeedSequence(seed).generate_state(n_words, dtype)

    return generate_state


@plant("cuts are rounded to tenths", f"{MEDIAN}, where cuts lie, exact noise",
       at("trees.median", "grow_median_trees"))  # fmt: skip
def _tenths(original):
    def grow_median_trees(*arguments, **options):
        trees, *rest = original(*arguments, **options)
        trees.threshold[:] = np.round(trees.threshold, 1)
        return trees, *rest

    return grow_median_trees


@plant("no record's bits are capped, whatever the public number", "roots of FSClassifier draw their law, entropy",
       at("baselines.fs_rgv", "Rule"))  # fmt: skip
def _uncapped(original):
    def rule(depth, columns, score, most_bits, *rest):
        return original(depth, columns, score, np.inf, *rest)

    return rule


@plant("cells of many held-out records need no noise", "held-out records, description by a quantile",
       at("metrics", "noisy_cells"))  # fmt: skip
def _many_held_out(original):
    def noisy_cells(counts, epsilon, rng):
        drawn, node = original(counts, epsilon, rng)
        return (counts if counts.sum() > 1000 else drawn), node

    return noisy_cells
