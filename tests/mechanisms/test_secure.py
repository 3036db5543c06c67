"""Noise fit for release: the cipher and its keys, rates that never spend more, and laws from secure generators."""

import ast
import copy
import inspect
import math
import os
import pickle
from fractions import Fraction

import numpy as np
import opendp.prelude as dp
import pytest
from scipy.stats import chisquare

from dplit.domain import GRID
from dplit.matrix import exact_treenorm
from dplit.mechanisms import (
    BoundedMean,
    Exponential,
    Geometric,
    Laplace,
    PermuteAndFlip,
    SmoothExponential,
    cipher,
    exact,
    exact_gaussian,
    secure,
    whole_weights,
)
from dplit.mechanisms.secure import exact_rate, is_secure, secure_generator, whole_scores
from dplit.trees import exact_cuts, exact_greedy

FALSE_ALARM = 1e-6  # of each statistical check
dp.enable_features("contrib")


# The source ------------------------------------------------------------------------------------


def block(key, counter):
    """Sixteen words of ChaCha with 20 rounds (Bernstein 2008), by its definition, with a nonce of zeros."""
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key, counter, 0, 0, 0]
    words = list(start)

    def quarter(a, b, c, d):
        for p, q, r, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            words[p] = (words[p] + words[q]) % 2**32
            x = words[r] ^ words[p]
            words[r] = (x << turn | x >> (32 - turn)) % 2**32

    for _ in range(10):
        for column in range(4):
            quarter(column, column + 4, column + 8, column + 12)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return [(a + b) % 2**32 for a, b in zip(words, start)]


def test_words_are_those_of_the_cipher_under_a_key_of_the_operating_system(monkeypatch):
    keys, told = [], os.urandom

    def urandom(size):
        keys.append(told(size))
        return keys[-1]

    monkeypatch.setattr(os, "urandom", urandom)
    rng = secure_generator()
    assert sum(map(len, keys)) >= 32  # 256 bits
    key = np.frombuffer(b"".join(keys)[:32], dtype=np.uint32).tolist()
    drawn = rng.integers(0, 2**32, size=32, dtype=np.uint32)
    assert drawn.tolist() == block(key, 0) + block(key, 1)


def test_every_stream_has_a_key_of_its_own(monkeypatch):
    sizes, told = [], os.urandom
    monkeypatch.setattr(os, "urandom", lambda size: sizes.append(size) or told(size))
    streams = secure_generator().spawn(3)
    assert sum(sizes) >= 4 * 32 and all(map(is_secure, streams))
    assert len({rng.integers(2**62) for rng in (*streams, secure_generator())}) == 4


COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "within": lambda rng: copy.deepcopy({"held": [rng]})["held"][0],
    **{
        f"pickle {p}": lambda rng, p=p: pickle.loads(pickle.dumps(rng, p))
        for p in range(pickle.HIGHEST_PROTOCOL + 1)
    },
}


def words(rng):
    return rng.integers(0, 2**32, size=64, dtype=np.uint32).tobytes()


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_copy_is_secure_and_has_a_stream_of_its_own(copied):
    rng = secure_generator()
    words(rng)
    again, third = copied(rng), copied(rng)
    assert type(again) is type(rng) and is_secure(again)
    assert len({words(rng), words(again), words(third)}) == 3
    with pytest.raises(ValueError, match="laplace has none"):
        again.laplace()
    bits = copied(rng.bit_generator)  # which others may hand around
    assert len({words(np.random.Generator(b)) for b in (rng.bit_generator, bits)}) == 2


def test_a_copy_is_of_the_same_class():
    class Other(secure.SecureGenerator):
        pass

    assert type(copy.copy(Other(secure_generator().bit_generator))) is Other


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_has_no_key(protocol, monkeypatch):
    told = []
    monkeypatch.setattr(os, "urandom", lambda size: told.append(b"\x17" * size) or told[-1])
    rng = secure_generator()
    assert sum(map(len, told)) >= 32
    for held in (rng, rng.bit_generator, [rng.spawn(1)]):
        written = pickle.dumps(held, protocol)
        assert b"\x17" * 8 not in written and b"\\x17" not in written


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_no_two_processes_draw_the_same_words():
    rng = secure_generator()
    held = [rng, rng.spawn(1)[0], np.random.Generator(secure_generator().bit_generator)]
    drawn = []
    for _ in range(2):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writer, b"".join(words(r) for r in held))
            finally:
                os._exit(0)
        os.close(writer)
        with open(reader, "rb") as sent:
            content = sent.read()
        assert os.waitpid(child, 0)[1] == 0 and len(content) == 256 * len(held)
        drawn += [content[i : i + 256] for i in range(0, len(content), 256)]
    assert len({*drawn, *map(words, held)}) == 3 * len(held)


def test_compiled_samplers_draw_other_noise_after_a_fork():
    """The state is where compiled code reads it: the key is changed there, and not in a copy."""
    rng, law = secure_generator(), Geometric(1e-9)
    law.sample(np.zeros(1, dtype=np.int64), rng=rng)
    at, before = rng.bit_generator.ctypes.state_address, rng.bit_generator.state["state"]
    cipher._new_keys()
    after = rng.bit_generator.state["state"]
    assert rng.bit_generator.ctypes.state_address == at
    assert not np.array_equal(before["keysetup"], after["keysetup"])
    assert set(after["ctr"]) == {0} and after["rounds"] == before["rounds"] == 20
    law.sample(np.zeros(100, dtype=np.int64), rng=rng)
    assert not np.array_equal(rng.bit_generator.state["state"]["ctr"], after["ctr"])


def test_only_a_secure_generator_is_one():
    assert is_secure(secure_generator()) and not is_secure(np.random.default_rng(0))


OTHERS = {n for n in dir(np.random.Generator) if not n.startswith("_")} - secure.EXACT - secure.BLIND


@pytest.mark.parametrize("name", sorted(OTHERS - {"choice"}))
def test_rounded_laws_are_refused(name):
    with pytest.raises(ValueError, match=f"{name} has none"):
        getattr(secure_generator(), name)(1.0)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: Laplace(1.0).sample(np.zeros(3), rng=rng),
        lambda rng: SmoothExponential(1.0).sample([3, 2], rng=rng),
        lambda rng: PermuteAndFlip(1.0).sample([0.5, 0.0], rng=rng),
        lambda rng: Exponential(1.0).sample([0.5, 0.0], rng=rng),
        lambda rng: Exponential(1.0).sample([2.0**53 + 2, 0.0], rng=rng),
    ],
)
def test_what_has_no_exact_sampler_raises(draw):
    with pytest.raises(ValueError, match="noise='secure' needs an exact sampler"):
        draw(secure_generator())


@pytest.mark.parametrize(
    "module", [exact, exact_gaussian, whole_weights, exact_cuts, exact_greedy, exact_treenorm]
)
def test_compiled_samplers_take_nothing_but_whole_numbers_from_a_generator(module):
    tree = ast.parse(inspect.getsource(module))
    names = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "rng"]
    asked = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "rng"
    }
    assert names and asked <= {"integers"}


# Rates -----------------------------------------------------------------------------------------


def test_a_rate_is_the_largest_float_that_spends_no_more():
    rng = np.random.default_rng(0)
    nearest_is_too_much = 0
    for epsilon, power in zip(10 ** rng.uniform(-10, 3, 500), rng.integers(0, 40, 500)):
        sensitivity = int(rng.integers(1, 2 + 2 ** int(power)))
        rate = exact_rate(epsilon, sensitivity)
        assert Fraction(rate) * sensitivity <= Fraction(epsilon)
        assert Fraction(math.nextafter(rate, math.inf)) * sensitivity > Fraction(epsilon)
        nearest_is_too_much += epsilon / sensitivity > rate
    assert nearest_is_too_much > 50


def test_rates_beyond_what_samplers_take():
    assert exact_rate(math.inf, 7) == math.inf
    assert exact_rate(1e308) == exact_rate(1e300, 3) == secure.LARGEST_RATE


@pytest.mark.parametrize("choice", [PermuteAndFlip, Exponential])
def test_the_largest_sensitivity_is_taken_as_it_is(choice):
    """Its square is a float, and all candidates are alike, nearly. One beyond is named."""
    with pytest.raises(ValueError, match=r"sensitivity must be .* got one beyond 1e"):
        choice(1.0, 1.7e308)
    drawn = choice(1.0, 1e150).sample([0, 2**40], 400, rng=secure_generator())
    assert fits(np.bincount(drawn, minlength=2), [0.5, 0.5]) > FALSE_ALARM


def test_scores_have_to_be_whole():
    assert whole_scores([3.0, -(2.0**53)]).tolist() == [3, -(2**53)]
    for wrong in (0.5, 2.0**54, math.inf):
        with pytest.raises(ValueError, match="put the scores on a public grid"):
            whole_scores([0.0, wrong])


# Laws: ours, and those of OpenDP, which draws them by methods of its own --------------------------


def fits(counts, law):
    """p-value of counts of outcomes against their probabilities, the last one of all others."""
    return chisquare(counts, sum(counts) * np.array(law)).pvalue


def geometric_fits(drawn, law):
    reach = round(4 / law.rate) + 1
    inside = np.arange(-reach, reach + 1)
    counts = [(drawn < -reach).sum(), *((drawn == k).sum() for k in inside), (drawn > reach).sum()]
    return fits(counts, [law.cdf(-reach - 1), *law.pmf(inside), law.sf(reach)])


@pytest.mark.parametrize(("epsilon", "sensitivity"), [(2.0, 1), (1.0, 3), (0.1, 1)])
def test_geometric_noise_has_its_law_ours_and_the_judges(epsilon, sensitivity):
    law, n = Geometric(epsilon, sensitivity), 20_000
    drawn = law.sample(np.full(n, 7), rng=secure_generator()) - 7
    assert geometric_fits(drawn, law) > FALSE_ALARM
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    judge = dp.m.make_laplace(*space, scale=sensitivity / epsilon)
    assert geometric_fits(np.array(judge([7] * n)) - 7, law) > FALSE_ALARM


def selections(law, scores, n, rng):
    return np.bincount(law.sample(scores, n, rng=rng), minlength=len(scores))


@pytest.mark.parametrize("monotonic", [True, False])
def test_permute_and_flip_has_its_law_ours_and_the_judges(monotonic):
    scores, n, law = [5, 3, 5, 0, 4], 4000, PermuteAndFlip(0.8, 2.0, monotonic)
    assert fits(selections(law, scores, n, secure_generator()), law.pmf(scores)) > FALSE_ALARM
    space = (dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64", monotonic=monotonic))
    judge = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=1 / law.rate)
    drawn = np.bincount([judge(scores) for _ in range(n)], minlength=len(scores))
    assert fits(drawn, law.pmf(scores)) > FALSE_ALARM


def test_the_exponential_mechanism_has_its_law_ours_and_the_judges():
    scores, law = [[5, 3, 5, 0], [0, 0, 9, 1]], Exponential(0.8)
    drawn = law.sample(scores, 20_000, rng=secure_generator())
    for row, pmf in enumerate(law.pmf(scores)):
        counts = np.bincount(drawn[:, row], minlength=4)
        assert fits(counts, pmf) > FALSE_ALARM
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64", monotonic=False)
    judge = dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=1 / law.rate)
    judged = np.bincount([judge(scores[0]) for _ in range(4000)], minlength=4)  # by Gumbel noise
    assert fits(judged, law.pmf(scores[0])) > FALSE_ALARM


def test_votes_are_whole_steps_with_geometric_noise():
    mechanism, n = BoundedMean(0.7, 0, GRID), 4000
    votes = mechanism.sample(np.full(n, 3 * GRID // 2), np.full(n, 2), rng=secure_generator())
    steps = (votes * GRID).astype(np.int64)
    noise, law = steps - [GRID // 2, 3 * GRID // 2], Geometric(0.7, GRID)
    edges = np.quantile(np.concatenate([[0], law.sample(np.zeros(9999, int), rng=np.random.default_rng(0))]),
                        np.linspace(0.1, 0.9, 9)).astype(int)  # fmt: skip
    pieces = np.diff([0.0, *(law.cdf(e) for e in edges), 1.0])
    for column in noise.T:
        counts = np.bincount(np.searchsorted(edges, column), minlength=10)
        assert fits(counts, pieces) > FALSE_ALARM


def test_an_infinite_epsilon_is_no_noise():
    rng, scores = secure_generator(), [3, 9, 9, 1]
    assert Geometric(math.inf).sample([5, -2], rng=rng).tolist() == [5, -2]
    for law in (PermuteAndFlip(math.inf), Exponential(math.inf)):
        assert set(law.sample(scores, 200, rng=rng)) == {1, 2}


def test_what_is_released_is_clipped_to_its_public_range():
    drawn = Geometric(1e-200).sample(np.zeros(100, int), rng=secure_generator())
    assert set(np.abs(drawn)) == {2**61} and len(set(drawn)) == 2


@pytest.mark.parametrize(("size", "shape"), [(None, (2,)), (3, (3, 2)), ((0, 4), (0, 4, 2)), (0, (0, 2))])
def test_shapes_are_those_of_simulated_draws(size, shape):
    scores = [[1, 2, 3], [4, 4, 4]]
    for law in (PermuteAndFlip(1.0), Exponential(1.0)):
        assert law.sample(scores, size, rng=secure_generator()).shape == shape
        assert law.sample(scores, size, rng=np.random.default_rng(0)).shape == shape
        assert np.ndim(law.sample(scores[0], rng=secure_generator())) == 0


# Mutants ---------------------------------------------------------------------------------------


def test_a_doubled_rate_is_noticed(monkeypatch):
    from dplit.mechanisms import _selection, geometric

    for module in (_selection, geometric):
        monkeypatch.setattr(module, "exact_rate", lambda *of: 2 * exact_rate(*of))
    law, choice, scores = Geometric(0.5), PermuteAndFlip(0.8), [5, 3, 5, 0, 4]
    assert geometric_fits(law.sample(np.zeros(20_000, int), rng=secure_generator()), law) < FALSE_ALARM
    assert fits(selections(choice, scores, 4000, secure_generator()), choice.pmf(scores)) < FALSE_ALARM


def test_a_choice_by_weights_is_refused():
    rng = secure.secure_generator()
    assert sorted(rng.choice(5, 5, replace=False).tolist()) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="choice with p"):
        rng.choice(2, p=[0.5, 0.5])
