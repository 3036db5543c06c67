"""A paper's statements at a glance: the scorecard in its own order, and the map of what rests on what."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import cache
from html import escape
from itertools import pairwise

from dplit.court.ledger.cite import row_id
from dplit.court.ledger.evidence import RUN_VERDICTS, VERDICTS
from dplit.court.ledger.evidence_files import quotes, uses
from dplit.court.ledger.glance import SHORT_NAMES
from dplit.ground.printed import data_file

NUMBERED = re.compile(
    r"(?:proof of |section [\d.]+, (?=\w+ \d+$)|technical appendix, )?"
    r"(theorem|lemma|corollary|proposition|property|definition|equation) \(?(\d[\d.]*)",
    re.I,
)
PART = re.compile(r"theorem \d[\d.]*, (equation \(\d+\))$", re.I)  # of a theorem that has several
PLACED = re.compile(r"(table|figure|algorithm) (\d+)", re.I)
NAMED = {
    name.lower(): name
    for name in (
        "MSE",
        "SSE",
        "Laplace",
        "Lambert",
        "Chebyshev",
        "ROSNAM",
        "RF",
        "AUC",
        "F1",
        "FS",
        "JPW",
        "RGV",
    )
}
NAMES = re.compile(rf"\b({'|'.join(NAMED)})\b")
SECTIONS = (  # of a paper without numbers of sections; all others come between
    "abstract", "introduction", "main contributions", "data and schema", "differential privacy",
    "matrix mechanism", "inference query", "decision path", "weight voting", "optimizing decision",
    "DP batch training", "optimizing subsample", "our full", "complexity", "setting", "experimental", "results",
    "", "appendix", "addendum",
)  # fmt: skip
BROKEN = ("leaks", "fails")
WIDE, HIGH, GAP, DROP = 136, 46, 12, 40  # of a box, and between boxes and layers
LANE = 6  # width that a line takes which passes boxes by
MOST = 4  # boxes beside each other


def chip(verdict):
    """A verdict in its colour."""
    return f'<span class="verdict verdict-{verdict.replace(" ", "-")}">{verdict}</span>'


def entry(claim, folder):
    """Address of a claim's own page."""
    return f"{folder}entries/{row_id(claim.id)}.html"


def label(claim):
    """A short name: "Theorem 1", "Theorem 2 model", "Definition 4: exponential mechanism"."""
    words = claim.id.partition("/")[2].replace("-", " ").replace("/", ": ")
    words = NAMES.sub(lambda found: NAMED[found[0]], words)
    place = NUMBERED.match(claim.where) or PLACED.match(claim.where)
    place = f"{place[1]} {place[2]}" if place else ""
    own = re.match(r"[a-z]+ \d", words)
    part = PART.match(claim.where)
    if part and words in (place.lower(), re.sub(r"[()]", "", part[1])):
        return f"{place}, {part[1]}"
    named = f"{place}: {words}" if place and not own else words
    return named[:1].upper() + named[1:]


@cache
def later():
    """What a later version says in the place of an erratum: dict of id to id, "" where it says nothing."""
    named = tomllib.loads(data_file("uses.toml").read_text("utf-8"))["later"]
    return {f"{paper}/{name}": now for paper, has in named.items() for name, now in has.items()}


# The scorecard ---------------------------------------------------------------------------------


def scorecard(paper, claims, folder=""):
    """What became of a paper, on one screen: its numbered statements, then all else as a strip of squares.

    `claims`: of all papers; `folder`: where the ledger's folder is, as seen from the page. Returns HTML.
    """
    own = [c for c in claims if c.paper == paper and not c.ours]
    order = {id: i for i, id in enumerate(uses())}
    numbered = [c for c in own if c.id in order and NUMBERED.match(c.where)]
    numbered.sort(key=lambda c: order[c.id])
    rest = {
        "Other sentences": [],
        "Other steps of proofs": [],
        "Other readings of ours": [],
        "Experiments, tables and figures": [],
    }
    kinds = dict(zip(("statement", "step", "reading", "experiment"), rest))
    for c in sorted((c for c in own if c not in numbered), key=_by_place):
        rest[kinds[c.about]].append(c)
    chips = "".join(_named(c, folder) for c in numbered)
    strips = "".join(_strip(name, found, folder) for name, found in rest.items() if found)
    counts = Counter(c.verdict for c in own)
    tally = " ".join(f"{chip(v)} {counts[v]}" for v in VERDICTS + RUN_VERDICTS if counts[v])
    return (
        f'<section class="scorecard" aria-label="{SHORT_NAMES[paper]}: verdicts"><p class="scores">{chips}</p>'
        f'<dl class="strips">{strips}<dt>All {len(own)} entries</dt><dd class="tally">{tally}</dd></dl></section>'
    )


def _named(claim, folder):
    return f'<a href="{entry(claim, folder)}">{escape(label(claim))} {chip(claim.verdict)}</a>'


def _strip(name, found, folder):
    squares = "".join(
        f'<a class="square verdict-{c.verdict.replace(" ", "-")}" href="{entry(c, folder)}" '
        f'title="{escape(label(c))}: {c.verdict}" aria-label="{escape(label(c))}: {c.verdict}"></a>'
        for c in found
    )
    return f"<dt>{name} ({len(found)})</dt><dd>{squares}</dd>"


def _by_place(claim):
    """By the place in the paper, numbers as numbers."""
    place = quotes()[claim.id].place if claim.id in quotes() else claim.where.lower()
    section = next((s for s in SECTIONS if s and place.startswith(s)), "")
    numbers = [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", place)]
    return SECTIONS.index(section), numbers, claim.id


# The map ---------------------------------------------------------------------------------------


def shaken(of):
    """What rests on a statement that fails or leaks: dict of id to the ids of such statements below it."""
    found = {}
    for id in uses():  # what is used stands before what uses it
        below = [u for u in uses()[id] if u in of]
        found[id] = {u for u in below if of[u].verdict in BROKEN}.union(*(found[u] for u in below))
    return found


def users():
    """What uses a statement, dict of id to list of ids."""
    found = {id: [] for id in uses()}
    for id, below in uses().items():
        for used in below:
            found[used].append(id)
    return found


def map_html(paper, claims, folder=""):
    """The map of a paper as SVG, and the same in words. Arguments as `scorecard`."""
    of = {c.id: c for c in claims}
    below = {
        id: list(used) for id, used in uses().items() if id.startswith(f"{paper}/") and id in of
    }
    above = {id: found for id, found in users().items() if id in below}
    joined = {id: below[id] for id in below if below[id] or above[id]}
    parts = [_placed(part) for part in _components(joined)]
    boxes, lines, right, bottom = {}, [], 0, 0
    left = top = 0
    for places, paths, wide, high in sorted(parts, key=lambda part: -part[2]):
        if left and left + wide > (MOST + 1.2) * (WIDE + GAP):
            left, top = 0, bottom + DROP
        boxes |= {id: (x + left, y + top) for id, (x, y) in places.items()}
        lines += [[(x + left, y + top) for x, y in path] for path in paths]
        left, right, bottom = left + wide + GAP, max(right, left + wide), max(bottom, top + high)
    rests = shaken(of)
    drawn = "".join(f'<path d="{_curve(path)}"/>' for path in lines)
    nodes = "".join(_node(of[id], xy, bool(rests[id]), folder) for id, xy in boxes.items())
    name = f"map-{paper}"
    title = f"Statements of {SHORT_NAMES[paper]}, each with an arrow to what uses it"
    return (
        f'<figure class="claim-map"><div tabindex="0" role="region" aria-label="{title}">'
        f'<svg viewBox="-2 -2 {right + 4} {bottom + 8}" style="width:{right + 4}px" role="group" '
        f'aria-label="{title}">'
        f'<defs><marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        f'orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
        f'<g class="uses" style="--tip:url(#{name})">{drawn}</g>{nodes}</svg></div>'
        f"<figcaption>An arrow leads from a statement to one whose proof in the paper uses it. A dashed frame: "
        f"the paper's proof rests on a statement that fails or leaks.</figcaption></figure>"
        f'<details class="map-words"><summary>The map in words</summary><ul>'
        f"{''.join(_in_words(of, id, above[id], rests[id], folder) for id in joined)}</ul></details>"
    )


def _components(below):
    """The connected parts, list of dict of id to what it uses."""
    part = {id: id for id in below}

    def root(id):
        return id if part[id] == id else root(part[id])

    for id, used in below.items():
        for u in used:
            part[root(id)] = root(u)
    found = {}
    for id in below:
        found.setdefault(root(id), {})[id] = below[id]
    return list(found.values())


def _placed(below):
    """Places of the boxes of one part, paths of its lines, width and height: what is used stands above."""
    layers = _layers(below)
    depth = {id: level for level, layer in enumerate(layers) for id in layer}
    links = {}
    for id, used in below.items():
        for u in used:
            chain = [u, *((u, id, level) for level in range(depth[u] + 1, depth[id])), id]
            for way in chain[1:-1]:
                layers[way[2]].append(way)
            links[u, id] = chain
    _order(layers, links)
    sizes = [sum(_size(n) + GAP for n in layer) - GAP for layer in layers]
    place, wide = {}, max(sizes)
    for level, layer in enumerate(layers):
        x = (wide - sizes[level]) / 2
        for n in layer:
            place[n] = (x + _size(n) / 2, level * (HIGH + DROP))
            x += _size(n) + GAP
    paths = [_path(chain, place) for chain in links.values()]
    boxes = {n: (x - WIDE / 2, y) for n, (x, y) in place.items() if isinstance(n, str)}
    return boxes, paths, wide, len(layers) * (HIGH + DROP) - DROP


def _layers(below):
    """Lists of ids, at most `MOST` in each: an id stands below all that it uses, and not far above its users."""
    depth = {}
    for id, used in below.items():
        level = max((depth[u] + 1 for u in used), default=0)
        while sum(d == level for d in depth.values()) >= MOST:
            level += 1
        depth[id] = level
    for id in reversed(below):
        if not below[id]:
            level = min((depth[i] for i in below if id in below[i]), default=1) - 1
            while level > depth[id] and sum(d == level for d in depth.values()) >= MOST:
                level -= 1
            depth[id] = level
    levels = sorted(set(depth.values()))
    return [[id for id in below if depth[id] == level] for level in levels]


def _size(node):
    return WIDE if isinstance(node, str) else LANE


def _order(layers, links):
    """Order each layer by the mean place of its neighbours, down and up, so that few lines cross."""
    near = {}
    for chain in links.values():
        for one, other in pairwise(chain):
            near.setdefault(one, []).append(other)
            near.setdefault(other, []).append(one)
    for sweep in range(12):
        at = {n: (i + 0.5) / len(layer) for layer in layers for i, n in enumerate(layer)}
        for level in range(len(layers))[:: -1 if sweep % 2 else 1]:
            beside = {m for k in (level - 1, level + 1) if 0 <= k < len(layers) for m in layers[k]}
            means = {n: [at[m] for m in near.get(n, ()) if m in beside] for n in layers[level]}
            layers[level].sort(key=lambda n: sum(means[n]) / len(means[n]) if means[n] else at[n])
            at |= {n: (i + 0.5) / len(layers[level]) for i, n in enumerate(layers[level])}


def _path(chain, place):
    """The corners of a line from the foot of a box, past the boxes between, to the head of another."""
    (x, y), *ways, (end, head) = (place[n] for n in chain)
    return [
        (x, y + HIGH),
        *(p for wx, wy in ways for p in ((wx, wy), (wx, wy + HIGH))),
        (end, head),
    ]


def _curve(path):
    (x, y), *others = path
    text = f"M{x:.0f} {y:.0f}"
    for nx, ny in others:
        half = (y + ny) / 2
        text += f"C{x:.0f} {half:.0f} {nx:.0f} {half:.0f} {nx:.0f} {ny:.0f}"
        x, y = nx, ny
    return text


def _node(claim, place, rests, folder):
    """A box with a name of at most two lines and the verdict; dashed if its proof rests on a broken one."""
    x, y = place
    dashed = " rests" if rests else ""
    lines = _two_lines(label(claim))
    text = "".join(
        f'<text x="12" y="{14 + 11 * i}"{_fitted(line)}>{escape(line)}</text>'
        for i, line in enumerate(lines)
    )
    return (
        f'<a class="verdict-{claim.verdict.replace(" ", "-")}{dashed}" href="{entry(claim, folder)}" '
        f'transform="translate({x:.0f} {y:.0f})"><title>{escape(label(claim))}: {claim.verdict}</title>'
        f'<rect width="{WIDE}" height="{HIGH}" rx="4"/><rect class="bar" width="6" height="{HIGH}"/>{text}'
        f'<text class="said" x="12" y="{HIGH - 6}">{claim.verdict}</text></a>'
    )


def _fitted(line):
    """A long line is as wide as its box in every font."""
    return f' textLength="{WIDE - 16}" lengthAdjust="spacingAndGlyphs"' if len(line) > 18 else ""


def _two_lines(words, longest=21):
    first = words if len(words) <= longest else words[: longest + 1].rsplit(" ", 1)[0]
    rest = words[len(first) :].strip()
    return (
        [first, rest if len(rest) <= longest else rest[: longest - 1].rstrip() + "…"]
        if rest
        else [first]
    )


def _in_words(of, id, above, rests, folder):
    """ "Lemma 4 (fails): uses equation 8; used by equation 9." as an item of a list."""

    def named(ids):
        return ", ".join(f"{label(of[i])} ({of[i].verdict})" for i in ids)

    said = [f"uses {named(uses()[id])}"] if uses()[id] else []
    said += [f"used by {named(above)}"] if above else []
    said += [f"rests on {named(i for i in uses() if i in rests)}"] if rests else []
    link = f'<a href="{entry(of[id], folder)}">{escape(label(of[id]))}</a>'
    return f"<li>{link} {chip(of[id].verdict)}{': ' if said else ''}{escape('; '.join(said))}.</li>"
