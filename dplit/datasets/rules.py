"""Two data sets that are a rule: every combination of levels once, labelled by the rule.

`balance` (Siegler 1976): which way a balance tips. `car` (Bohanec and Rajkovic 1988): the decision
model of the expert-system shell DEX, a tree of concepts

    CAR = f(PRICE(buying, maint), TECH(COMFORT(doors, persons, lug_boot), safety))

each of which is a small table over the concepts below it. The documentation gives the tree; the
tables here are the coarsest ones that give the published label of all 1728 combinations, so two
inputs share a value if and only if no combination tells them apart.
"""

from itertools import product

import pandas as pd

from dplit.datasets.registry import Entry


def balance(entry: Entry) -> pd.DataFrame:
    """The 625 states of the balance; the side with the greater weight times distance goes down."""
    names = [c.name for c in entry.columns]
    frame = pd.DataFrame(list(product(range(1, 6), repeat=4)), columns=names)
    left, right = (frame[f"{side}_weight"] * frame[f"{side}_distance"] for side in ("left", "right"))
    frame[entry.target] = (left - right).map(lambda d: "L" if d > 0 else "R" if d < 0 else "B")
    return frame


# Rows: buying; columns: maint.
MAINT = ("vhigh", "high", "med", "low")
PRICE = {
    "vhigh": ("excessive", "excessive", "high", "high"),
    "high": ("excessive", "high", "high", "high"),
    "med": ("high", "high", "medium", "low"),
    "low": ("high", "medium", "low", "low"),
}

# Rows: persons and lug_boot; columns: doors.
DOORS = ("2", "3", "4", "5more")
COMFORT = {
    ("2", "small"): ("low", "low", "low", "low"),
    ("2", "med"): ("low", "low", "low", "low"),
    ("2", "big"): ("low", "low", "low", "low"),
    ("4", "small"): ("medium", "medium", "medium", "medium"),
    ("4", "med"): ("medium", "medium", "high", "high"),
    ("4", "big"): ("high", "high", "high", "high"),
    ("more", "small"): ("low", "medium", "medium", "medium"),
    ("more", "med"): ("medium", "high", "high", "high"),
    ("more", "big"): ("high", "high", "high", "high"),
}

# Rows: COMFORT; columns: safety.
SAFETY = ("low", "med", "high")
TECH = {"low": ("bad", "bad", "bad"), "medium": ("bad", "fair", "good"), "high": ("bad", "good", "excellent")}

# Rows: PRICE; columns: TECH.
QUALITY = ("bad", "fair", "good", "excellent")
CAR = {
    "excessive": ("unacc", "unacc", "unacc", "unacc"),
    "high": ("unacc", "unacc", "acc", "acc"),
    "medium": ("unacc", "acc", "acc", "vgood"),
    "low": ("unacc", "acc", "good", "vgood"),
}


def car_class(buying: str, maint: str, doors: str, persons: str, lug_boot: str, safety: str) -> str:
    """The decision model: a car's class by way of its PRICE, COMFORT and TECH."""
    price = PRICE[buying][MAINT.index(maint)]
    comfort = COMFORT[persons, lug_boot][DOORS.index(doors)]
    tech = TECH[comfort][SAFETY.index(safety)]
    return CAR[price][QUALITY.index(tech)]


def car(entry: Entry) -> pd.DataFrame:
    """The 1728 cars and their classes."""
    cars = list(product(*(c.levels for c in entry.columns)))
    frame = pd.DataFrame(cars, columns=[c.name for c in entry.columns])
    frame[entry.target] = [car_class(*c) for c in cars]
    return frame


RULES = {"balance": balance, "car": car}


def by_rule(entry: Entry) -> pd.DataFrame:
    """The records of a data set that is a rule."""
    return RULES[entry.name](entry)
