"""An account of all fits on the same records, with a limit that no fit passes."""

import math
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from numbers import Real
from typing import Any

from dplit.budget import reads
from dplit.budget.concentrated import check_delta
from dplit.budget.ledger import Ledger
from dplit.budget.nodes import Public, Sequence
from dplit.budget.statement import SUM, Budget
from dplit.ground.errors import check_neighbours, warn_leak

_OPEN = []  # accounts whose context is entered, the innermost last
_FITTED = []  # weak references to what was fitted while one is open
_LOCK = threading.RLock()
_FIT = threading.local()  # `settled`: nodes of fits inside the one that this thread is in; `due`: what charges it
ROUNDED = 1e-12  # of the limit: sums of prices are rounded


class Accountant:
    """What may be spent on one set of records, over all fits.

    Inside its context every private estimator asks before it reads a record: where what it declares to cost
    exceeds what is left, is infinite or is not known beforehand, the fit is refused. It is charged when all that
    it was given is read and found right, before it draws noise; then it asks again. Searches and cross-validation
    are charged for each of their fits, and so is a class of your own for each fit or release inside its ``fit``;
    joblib runs them on threads inside the context. An estimator that was sent to another process, or is in a
    forked one, refuses, for the account isn't there, and so does its clone. One that is built in a process that
    was started anew, as by ``multiprocessing`` with "spawn", knows of no account and is not charged.

    The price of a fit covers one record more or less of *its* records. `KFold` cuts by position: under add-remove
    one record more changes up to three records of a training set, and the fit loses up to three times its price;
    `StratifiedKFold`, the default for classes, moves more. The charges hold for folds that each record decides
    alone (`PredefinedSplit`), and for `KFold` under replace-one; `GroupKFold` balances its folds and moves people.
    A search swallows errors of its fits without ``error_score="raise"``: those that the account refuses score NaN,
    and the best is chosen among the others.

    What stops before that, as bad input does, released nothing and leaves the account untouched. From then on
    a fit stays charged, whatever stops it: what it drew may have been seen, as by a `learner` that is fitted to
    noisy counts. Bad values in memory are refused before; those in blocks of Dask are found when these are read,
    and cost. Nor is in the account what an error tells for nothing: that some record has a level or a class which
    the given domain or list lacks. Fix both once, and choose none to hear an error.

    Scores of private records are releases too, and so is what is chosen by them. `dplit.metrics` has private ones,
    which are charged; others are not, and an account warns once of those that it sees (`dplit.budget.reads`): not
    of copies and parts of the records that were fitted, nor of what is computed from predictions afterwards.

    `limit` and `delta` are the largest sums of the fits' epsilons and deltas; at a delta of 0 fits with pure
    epsilon alone are taken. A fit's delta is charged first, and where its budget says less at its end, as of one
    that had no use for it, that is charged instead. `Budget.converted` may have less; an account sums. All hold
    for `neighbours`, "add-remove" or "replace-one"; estimators of the other relation are refused.
    ``Accountant("fits.jsonl", limit=3.0)`` keeps the account in a file, for all runs and processes that open it
    with the same limits (`dplit.budget.ledger`): a charge is on the disk before noise is drawn. A LedgerError, a
    ValueError, says where the file has other limits, is none or has lost charges.

    Examples
    --------
    >>> import dplit
    >>> from dplit.forests import RandomDecisionForestClassifier
    >>> domain = dplit.Domain({"x": dplit.Continuous(0, 1)})
    >>> forest = RandomDecisionForestClassifier(0.4, domain=domain, classes=["a", "b"])
    >>> with dplit.Accountant(1.0) as account:
    ...     for _ in range(2):
    ...         _ = forest.fit([[0.2], [0.7]], ["a", "b"])
    >>> round(account.left, 6), account.budget
    (0.2, Budget(epsilon=0.8, neighbours='add-remove'))
    """

    def __init__(
        self, file: float | str | os.PathLike | None = None, limit: float | None = None, *, delta: float = 0.0,
        neighbours: str = "add-remove",
    ):  # fmt: skip
        if limit is None and not isinstance(file, (str, os.PathLike)):
            file, limit = None, file
        number = isinstance(limit, Real) and not isinstance(limit, bool)
        if not number or not 0 < limit < math.inf:
            raise ValueError(f"limit must be a positive, finite number, got {limit!r}")
        check_neighbours(neighbours)
        self.limit, self.delta, self.neighbours = float(limit), check_delta(delta), neighbours
        terms = {"limit": self.limit, "delta": self.delta, "neighbours": neighbours}
        self._charges, self._nodes = Ledger(file, terms), []
        self._backend = self._process = None
        self._warned = False

    @property
    def spent(self):
        """Sum of the charged epsilons, in all runs with the same file."""
        return math.fsum(epsilon for epsilon, _ in self._charges.prices().values())

    @property
    def spent_delta(self):
        """Sum of the charged deltas; of a fit that ended, its budget's."""
        return math.fsum(delta for _, delta in self._charges.prices().values())

    @property
    def left(self):
        """The limit less what is spent, an epsilon of at least 0."""
        return max(self.limit - self.spent, 0.0)

    @property
    def budget(self):
        """Sum of the budgets of all fits that ended: what was charged, and the proof trees.

        A fit that stopped after its noise was drawn is in `spent` alone, and so are fits of other runs.
        """
        return Budget(Sequence(SUM, tuple(self._nodes) or (Public("no fit yet"),)))

    def __enter__(self):
        from joblib import parallel_config

        with _LOCK:
            path = self._charges.path
            if any(self is other or (path and path == other._charges.path) for other in _OPEN):
                raise RuntimeError(
                    "an account is entered once at a time, and this one is open already, so that each fit would "
                    "be charged twice: fit inside the context that is open"
                )
            _OPEN.append(self)
        self._warned = False
        self._process = os.getpid()
        self._backend = parallel_config(backend="threading")
        self._backend.__enter__()
        return self

    def __exit__(self, *error):
        self._backend.__exit__(*error)
        with _LOCK:
            _OPEN.remove(self)
            if not _OPEN:
                _FITTED.clear()

    def __repr__(self):
        delta = f", delta={self.delta:g}" if self.delta else ""
        of = f"limit={self.limit:g}{delta}, neighbours={self.neighbours!r}"
        also = f" and delta {self.spent_delta:g}" if self.delta else ""
        return f"Accountant({of}), {self.spent:g}{also} spent"

    def _check(self, name, price, neighbours):
        epsilon, delta, *lacks = price
        if not epsilon < math.inf:
            raise BudgetError(
                f"the account refuses {name}: its price is infinite or not known before the fit. A finite "
                f"one needs {' and '.join(lacks) or 'a finite epsilon='}"
            )
        if neighbours != self.neighbours:
            raise BudgetError(f"the account is for {self.neighbours} neighbours, {name} for {neighbours}")
        if self.spent + epsilon > self.limit * (1 + ROUNDED):
            raise BudgetError(
                f"the account refuses {name}: it costs epsilon {epsilon:g}, and of {self.limit:g} is left "
                f"{self.left:g}"
            )
        if self.spent_delta + delta > self.delta * (1 + ROUNDED):
            raise BudgetError(
                f"the account refuses {name}: it costs delta {delta:g}, and of {self.delta:g} is spent "
                f"{self.spent_delta:g}"
            )

    def _settle(self, node, charge, number):
        """Keep the node; if it has less delta, but for rounding, than the charge of that number, charge that."""
        with _LOCK:
            self._nodes.append(node)
            if node.delta < charge["delta"] * (1 - 1e-9):
                with self._charges.locked():
                    self._charges.append({**charge, "delta": node.delta, "instead": number})


class BudgetError(RuntimeError):
    """A fit that an account refuses. No record was read."""


def is_open():
    """The number of the process in which an account is open; None if none is. A fork still knows it.

    Of several it is the outermost: a fork may have opened one of its own inside the copy of its parent's.
    """
    return _OPEN[0]._process if _OPEN else None


def note_fitted(*objects: Any):
    """Keep weak references to what was fitted, as long as an account is open."""
    with _LOCK:
        if _OPEN:
            _FITTED.extend(reads.weak(objects))


def warn_of_read(X: Any):
    """Warn, once in each open account, where predictions for `X` are a read that nobody pays for."""
    paid = not _OPEN or getattr(_FIT, "settled", None) is not None
    found = None if paid or all(account._warned for account in _OPEN) else reads.seen(X, _FITTED)
    if found is not None:
        for account in _OPEN:
            account._warned = True
        warn_leak(found[0], found[1] + 2)


def has_drawn():
    """Say that the fit of this thread, if there is one, is about to draw noise: it is charged now."""
    due = getattr(_FIT, "due", None)
    if due is not None:
        due()


@contextmanager
def charged(name: str, neighbours: str, price: Callable, sent_from: int | None = None) -> Iterator[Callable]:
    """Ask every open account for a fit, or another release of this name, and charge it when it draws: `has_drawn`.

    What is inside a fit is charged by itself, as a learner's fits. Where the outer one draws nothing and ends with
    the budget of an inner one, as a subclass does that calls its parent's, that has paid. What else draws nothing
    is charged at its end.

    ``price()``: the epsilon and delta that the fit declares to cost, and where that is infinite the arguments that
    it lacks; what is yielded is to be called with the node of what it really spent. `sent_from`: number of the
    process with an open account that the estimator was sent from, if it was; a process that was forked inside the
    context has copies of the account, which nobody adds up. Raises a BudgetError if an account has too little
    left, or stands in another process; or if the fit spent more than it declared, which then stays charged.
    """
    if {sent_from, is_open()} - {None, os.getpid()}:
        raise BudgetError(
            f"{name} was sent to another process, where the account isn't: run it on threads, by n_jobs=1 "
            "or joblib.parallel_config(backend='threading')"
        )
    before, accounts = (getattr(_FIT, "settled", None), getattr(_FIT, "due", None)), list(_OPEN)
    paid = price() if accounts else (0.0, 0.0)
    charge = {"of": name, "epsilon": paid[0], "delta": paid[1]}
    waiting, numbers, settled = list(accounts), {}, [] if before[0] is None else before[0]

    def ask(charging=False):
        with _LOCK, ExitStack() as locks:
            for account in sorted(waiting, key=lambda one: str(one._charges.path)):  # no two runs wait for another
                locks.enter_context(account._charges.locked())
            for account in waiting:
                account._check(name, paid, neighbours)
            while charging and waiting:
                numbers[waiting[-1]] = waiting[-1]._charges.append(charge)
                waiting.pop()

    ask()

    def settle(node):
        if waiting and any(node is one for one in settled):
            waiting.clear()
            return
        spent = node.epsilon, node.delta
        if accounts and any(s > p * (1 + ROUNDED) for s, p in zip(spent, paid)):
            raise BudgetError(
                f"{name} declared to cost epsilon {paid[0]:g} and delta {paid[1]:g}, and would spend "
                f"{spent[0]:g} and {spent[1]:g}; nothing was kept"
            )
        ask(charging=True)
        settled.append(node)
        for account in accounts:
            account._settle(node, charge, numbers[account])

    _FIT.settled, _FIT.due = settled, partial(ask, charging=True)
    try:
        yield settle
        ask(charging=True)
    finally:
        _FIT.settled, _FIT.due = before
