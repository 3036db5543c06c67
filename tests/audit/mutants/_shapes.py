"""The shapes that most planted bugs have: another argument, another rate than the budget says, another result."""

from inspect import signature

from dplit.court.audit.mutants import plant

DRAWN = " draws its law, with known power"  # what `dplit audit` calls the test of a release
RDF, MEDIAN = "RandomDecisionForestClassifier", "MedianForestClassifier"


def _changed(original, given, named, changes):
    """The arguments of a call, those of `changes` as its functions give them."""
    bound = signature(original).bind(*given, **named)
    bound.apply_defaults()
    for name, change in changes.items():
        bound.arguments[name] = change(bound.arguments[name])
    return bound.args, bound.kwargs


def told(name, caught_by, place, **changes):
    """A function is told other arguments than it is given: ``epsilon=lambda value: ...``."""

    @plant(name, caught_by, place)
    def wrap(original):
        def careless(*given, **named):
            given, named = _changed(original, given, named, changes)
            return original(*given, **named)

        return careless


def unpaid(name, caught_by, place, **changes):
    """A release, a value and its node, is drawn by other arguments; the node is that of those it was given."""

    @plant(name, caught_by, place)
    def wrap(original):
        def careless(*given, **named):
            others, options = _changed(original, given, named, changes)
            released = original(*others, **options)[0]
            return released, *original(*given, **named)[1:]

        return careless


def returned(name, caught_by, place, change):
    """What a function returns is changed."""

    @plant(name, caught_by, place)
    def wrap(original):
        return lambda *given, **named: change(original(*given, **named))


def instead(name, caught_by, place, stand_in):
    """A function or property stands there in place of the original."""
    plant(name, caught_by, place)(lambda original: stand_in)


def cut_at_twice(found):
    """The rule of a choice at twice its rate, and its node as it was."""
    rule, node = found
    return rule._replace(rate=2 * rule.rate), node
