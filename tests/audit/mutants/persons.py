"""Several records of a person that are drawn as one, by each estimator; the budget states their share."""

from functools import wraps

from dplit.budget import Budget, Group, Spend
from dplit.court.audit.mutants import at, plant
from dplit.forests import histogram

CLASSIFIERS = (
    "BoostedForestClassifier", "PrivateForestClassifier", "RandomDecisionForestClassifier",
    "HistogramForestClassifier", "MatrixForestClassifier", "MedianForestClassifier",
    "MultinomialForestClassifier", "FSClassifier", "RGVClassifier", "DPRandomForestClassifier",
    "DPDecisionForestClassifier", "JPWClassifier", "DPExtraTreesClassifier",
)  # fmt: skip
REGRESSORS = (
    "BoostedForestRegressor", "PrivateForestRegressor", "MedianForestRegressor",
    "DPRandomForestRegressor", "DPExtraTreesRegressor",
)  # fmt: skip


def ignored(kind):
    """A wrap of `BaseForest._check`: a fit of this kind forgets its persons, and states their share."""

    def wrap(original):
        @wraps(original)
        def _check(self):
            original(self)
            several = self.records_per_person
            if type(self).__name__ == kind and several > 1:
                self.records_per_person, self._store = 1, _stating(self, several)

        return _check

    return wrap


def _stating(forest, several):
    """`_store` of a fit whose budget says that each of so many records has its share."""
    epsilon = float(forest.epsilon)

    def _store(*arguments):
        type(forest)._store(forest, *arguments)
        share = Spend("a record's share", epsilon / several, neighbours=forest.neighbours)
        node = Group("records of a person", share, several, forest.neighbours)
        forest.budget_ = Budget(node, forest.budget_.notes)
        return forest

    return _store


for _kind in CLASSIFIERS + REGRESSORS:
    plant(f"each record of a person at all of epsilon, {_kind}", f"{_kind}, a person of two records",
          at("forests.base", "BaseForest", "_check"))(ignored(_kind))  # fmt: skip


@plant("histograms draw a person's records at the rate of one",
       "HistogramForestClassifier, the share of one of two records",
       at("forests.histogram", "HistogramForestClassifier", "fit"))  # fmt: skip
def _histogram(original):
    """The node says the share, from which the noise is not drawn."""

    def fit(self, X, y):

        sound, several = dict(histogram.NOISES), self.records_per_person

        def loud(release):
            return lambda table, rate, rng: (release(table, rate * several, rng)[0], Spend("counts", rate))

        histogram.NOISES.update({name: loud(release) for name, release in sound.items()})
        try:
            return original(self, X, y)
        finally:
            histogram.NOISES.update(sound)

    return fit
