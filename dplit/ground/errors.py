"""The warnings of the package, the few checks that its public edges share, and errors in a line.

Every message names the argument, the value that came and what would be right.
"""

import math
import traceback
import warnings
from collections.abc import Iterable
from contextlib import contextmanager
from numbers import Real
from pathlib import Path

import numpy as np

NEIGHBOURS = ("add-remove", "replace-one")
LEAST_EPSILON = 1e-200
MOST = 1e150  # the square of a larger number is no float
MOST_INTEGER = 2**63 - 1
MOST_JOBS = 1000
NUMBAS_CACHE = "numba.core.caching"


class MissingExtra(ImportError):
    """A package that an extra of this one installs is not there."""


class PrivacyLeakWarning(UserWarning):
    """Something that leaves the computation depends on the private data and is not paid for."""


warnings.simplefilter("always", PrivacyLeakWarning, append=True)  # each fit says it, if no filter says otherwise


def warn_leak(message, stacklevel=3):
    """Issue a `PrivacyLeakWarning`."""
    warnings.warn(message, PrivacyLeakWarning, stacklevel=stacklevel)


def check_epsilon(epsilon, name="epsilon"):
    """Return `epsilon` as a float, positive (``inf`` means no privacy).

    Noise of a scale near the largest float overflows, so `LEAST_EPSILON` is the least that is taken.
    """
    if isinstance(epsilon, bool) or not isinstance(epsilon, Real) or not epsilon > 0:
        raise ValueError(f"{name} must be a positive number, got {epsilon!r}")
    if epsilon < LEAST_EPSILON:
        raise ValueError(f"{name} must be at least {LEAST_EPSILON:g}, got {epsilon!r}")
    try:
        return float(epsilon)
    except OverflowError:  # an integer beyond the floats
        raise ValueError(
            f"{name} must be a float, or math.inf for no privacy, got an integer beyond the floats"
        ) from None


def check_positive(value, name):
    """Return `value` as a float; it must be positive, and its square finite."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value < math.inf:
        raise ValueError(f"{name} must be a positive finite number, got {value!r}")
    if value > MOST:
        raise ValueError(f"{name} must be a positive finite number, got one beyond {MOST:g}")
    return float(value)


def check_finite(value, name):
    """Return `value`, a finite real number of any kind; a NumPy one as a plain one, of any size."""
    try:
        right = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
        if right and math.isfinite(value):
            return value.item() if isinstance(value, np.generic) else value
    except OverflowError:
        raise ValueError(f"{name} must be a finite number, got one beyond the floats") from None
    raise ValueError(f"{name} must be a finite number, got {value!r}")


def check_between(value, name, least, most):
    """Return `value`, a finite real number of any kind from `least` to `most`."""
    if not least <= (plain := check_finite(value, name)) <= most:
        far = plain > most >= MOST_INTEGER
        got = f"one beyond {float(most):g}" if far else repr(value)
        ends = f"of at least {least:g}" if most >= MOST_INTEGER else f"from {least:g} to {most:g}"
        raise ValueError(f"{name} must be a finite number {ends}, got {got}")
    return plain


def check_range(lower, upper):
    """Return upper - lower; both must be finite and in order, no square beyond floats."""
    lower = check_between(lower, "lower", -MOST, MOST)
    upper = check_between(upper, "upper", -MOST, MOST)
    if lower > upper:
        raise ValueError(f"lower must be at most upper, got lower={lower!r}, upper={upper!r}")
    if upper - lower > MOST:
        raise ValueError(f"upper must be within {MOST:g} of lower, got {lower!r}, {upper!r}")
    return upper - lower


def check_interval(lower, upper):
    """Return upper - lower; both must be finite, and the interval wider than a point."""
    try:
        right = isinstance(lower, Real) and isinstance(upper, Real) and lower < upper
        right = right and math.isfinite(lower) and math.isfinite(upper)
    except OverflowError:  # an integer beyond the floats
        right = False
    if not right:
        raise ValueError(f"lower must be less than upper, both finite, got lower={lower!r}, upper={upper!r}")
    return upper - lower


def check_numbers(values, name, least=-math.inf, most=math.inf, ndim=None):
    """Return `values`, a number or an array_like of numbers, as a float64 array.

    Where `least` or `most` is given, no entry is NaN.
    """
    try:
        if values is None or np.asarray(values).dtype.kind not in "biufO":
            raise TypeError
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        kind = type(values).__name__  # and no value, which may be a record's
        raise ValueError(
            f"{name} must be a number or an array of numbers, none beyond the floats, got a {kind}"
        ) from None
    _check_ndim(found, name, ndim)
    if (least, most) != (-math.inf, math.inf) and not ((found >= least) & (found <= most)).all():
        got = "an array with others" if found.ndim else repr(values)
        ends = f"at least {least:g}" if most >= MOST else f"from {least:g} to {most:g}"
        raise ValueError(f"{name} must be {ends}, got {got}")
    return found


def check_whole(values, name, least=0, most=MOST_INTEGER, ndim=None):
    """Return `values`, an array_like of whole numbers from `least` to `most`, as an int64 array."""
    whole = isinstance(values, np.ndarray) and values.dtype.kind == "i"  # the most common by far
    found = values if whole else check_numbers(values, name)
    _check_ndim(found, name, ndim)
    inside = (found >= least) & (found <= most) if whole else _is_whole(found, least, most)
    if not inside.all():
        got = "an array with others" if found.ndim else repr(values)
        ends = f"of at least {least}" if most == MOST_INTEGER else f"from {least} to {most:,}"
        raise ValueError(f"{name} must be whole numbers {ends}, got {got}")
    return np.asarray(found, dtype=np.int64)


def _is_whole(found, least, most):
    """Where floats are whole numbers in a range, and exact."""
    exact = np.abs(found) <= 2.0**53
    return exact & (found >= least) & (found <= most) & (found == np.floor(found))


def _check_ndim(found, name, ndim):
    if ndim is not None and found.ndim != ndim:
        kind = ("a number", "a vector", "a matrix", "a table of three axes")[ndim]
        raise ValueError(f"{name} must be {kind}, got an array of shape {found.shape}")


def check_one(one):
    """Return `one`: the number 1, in the arithmetic that is wanted."""
    if isinstance(one, bool) or not isinstance(one, Real) or one != 1:
        raise ValueError(f"one must be the number 1 of some type, as Fraction(1), got {one!r}")
    return one


def check_size(size):
    """Return `size`, None or the shape of an array: a whole number or a tuple of them."""
    if size is None:
        return None
    if isinstance(size, tuple):
        return tuple(check_integer(n, "size", 0) for n in size)
    return check_integer(size, "size", 0)


def check_iterable(values, name, text=False):
    """Return `values`, anything that can be gone through, and a text only if asked."""
    point = isinstance(values, np.ndarray) and values.ndim == 0
    letters = isinstance(values, (str, bytes)) and not text
    if letters or point or not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a sequence, got a {type(values).__name__}")
    return values


def check_sequence(values, name, text=False):
    """Return `values` as a list; anything that can be gone through, and a text only if asked."""
    return list(check_iterable(values, name, text))


def check_callable(value, name):
    """Return `value`; it must be a function, or callable like one."""
    if not callable(value):
        raise ValueError(f"{name} must be callable, got a {type(value).__name__}")
    return value


def check_kind(value, kind, name):
    """Return `value`; it must be an instance of the class `kind`."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be a {kind.__name__}, got a {type(value).__name__}")
    return value


def check_choice(value, choices, name):
    """Return `value`; it must be one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")
    return value


def check_neighbours(neighbours):
    """Return `neighbours`; it must be ``"add-remove"`` or ``"replace-one"``."""
    return check_choice(neighbours, NEIGHBOURS, "neighbours")


def check_integer(value, name, minimum, maximum=MOST_INTEGER):
    """Return `value` as an int; it must be a whole number from `minimum` to `maximum`."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    if not whole or value < minimum:
        raise ValueError(f"{name} must be an integer of at least {minimum}, got {value!r}")
    if value > maximum:
        got = f"{value:,}" if value <= MOST_INTEGER else "a larger one"
        raise ValueError(f"{name} must be an integer of at most {maximum:,}, got {got}")
    return int(value)


def check_jobs(n_jobs):
    """Return `n_jobs`; it must be None or an integer other than 0, as joblib counts threads."""
    whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, (bool, np.bool_))
    if not (n_jobs is None or (whole and n_jobs != 0)):
        raise ValueError(f"n_jobs must be a number of threads, -1 for one a core, or None, got {n_jobs!r}")
    if n_jobs is not None and abs(n_jobs) > MOST_JOBS:
        raise ValueError(f"n_jobs must be at most {MOST_JOBS:,} threads, got {n_jobs!r}")
    return None if n_jobs is None else int(n_jobs)


def check_counts(counts, name="counts"):
    """Return `counts` as an int64 array, shape (..., classes); entries are whole and >= 0."""
    try:
        values = np.asarray(counts)
    except ValueError:
        raise ValueError(
            f"{name} must be numbers of shape (..., classes), got rows of different lengths"
        ) from None
    if values.ndim == 0 or values.shape[-1] == 0 or values.dtype.kind not in "iuf":
        kind = f"shape {values.shape} and dtype {values.dtype}"  # and no value: they count records
        raise ValueError(f"{name} must be numbers of shape (..., classes), got an array of {kind}")
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.int64)
    wrong = np.count_nonzero((whole != values) | (whole < 0))
    if wrong:
        raise ValueError(f"{name} must be whole numbers of at least 0, got {wrong} of {values.size} that are not")
    return whole


def check_rng(rng):
    """Return `rng`; it must be a `numpy.random.Generator`, so that every draw is explicit."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator, as np.random.default_rng(seed) makes, got {rng!r}")
    return rng


def summarised(error, frames=3):
    """The exception and the innermost lines that it came through, without folders; str."""
    what = "".join(traceback.format_exception_only(error)).strip().splitlines()[0]
    trail = traceback.extract_tb(error.__traceback__)[1:][-frames:] if frames else []
    places = [f"{Path(f.filename).name}:{f.lineno} in {f.name}" for f in trail]
    return what + (f" ({' > '.join(places)})" if places else "")


@contextmanager
def naming_cache():
    """Context in which numba's error on a damaged file of compiled code names its folder and the remedy."""
    try:
        yield
    except Exception as error:
        frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
        own = (f.f_locals.get("self") for f in frames if f.f_globals["__name__"] == NUMBAS_CACHE)
        folders = [found for cache in own if (found := getattr(cache, "_cache_path", None))]
        if not folders:
            raise
        raise RuntimeError(
            f"numba's cache of compiled code in {str(folders[-1])!r} is damaged ({type(error).__name__}: "
            f"{error}): remove that folder, and the code is compiled again"
        ) from error


def few(values):
    """The first five values, and how many more there are, for a message; str."""
    values = list(values)
    more = f" and {len(values) - 5} more" if len(values) > 5 else ""
    return ", ".join(map(repr, values[:5])) + more
