"""The numbers of the ledger as a table of HTML: how many claims of each paper have which verdict."""

from __future__ import annotations

from dplit.court.ledger.evidence import RUN_VERDICTS
from dplit.court.ledger.glance import SHORT_NAMES, tally


def as_links(claims, page=""):
    """The numbers of `dplit.court.ledger.glance` as a table, in which each leads to its rows of the ledger.

    Parameters
    ----------
    claims : sequence of Claim
    page : str, default ""
        Where the ledger is, as seen from the page that has the table.

    Returns
    -------
    str
        A column a paper; a row a verdict, those of statements first, then those of experiments. At last,
        counted apart, the steps of proofs and the readings of ours.
    """
    parts = [
        *_rows(page, "statement", "statements", tally(claims)),
        *_rows(page, "experiment", "experiments", tally(claims, ("experiment",), RUN_VERDICTS)),
        *_apart(page, "step", "steps of proofs", tally(claims, ("step",))),
        *_apart(page, "reading", "readings of ours", tally(claims, ("reading",))),
    ]
    rows = "\n".join(f"<tr>{row}</tr>" for row in parts)
    return f'<table class="ledger-counts" aria-label="Claims by verdict">\n{rows}\n</table>'


def in_sum(claims, page=""):
    """The same numbers of all papers together, as two sentences of HTML."""
    stated = _added(tally(claims))
    run = _added(tally(claims, ("experiment",), RUN_VERDICTS))
    return (
        f"<p>Of the {sum(stated.values())} statements that it has judged, {stated['fails'] + stated['leaks']} are "
        f'false: <a href="{page}?about=statement&amp;verdict=fails">{stated["fails"]} fail</a>, and '
        f'<a href="{page}?about=statement&amp;verdict=leaks">{stated["leaks"]} promise privacy</a> that they do '
        f"not give. {stated['assumes']} need an assumption that is not named, {stated['loose']} can be sharpened, "
        f"and {stated['holds']} hold as printed. "
        f"Of {sum(run.values())} sentences about experiments our runs agree with {run['agrees']} and differ "
        f"from {run['differs']}, and {run['too close'] + run['undecided']} are too close to matter or "
        "undecided.</p>"
    )


def _added(counts):
    """Numbers by verdict, of all papers together."""
    papers = list(counts.values())
    return {verdict: sum(of[verdict] for of in papers) for verdict in papers[0]}


def _rows(page, about, name, counts):
    """A head that names the papers, and a row a verdict, without their ``tr``."""
    papers = "".join(f'<th scope="col">{SHORT_NAMES[paper]}</th>' for paper in counts)
    yield f'<th scope="col">{name}</th>{papers}'
    for verdict in next(iter(counts.values())):
        numbers = {p: _link(page, c[verdict], p, about, verdict) for p, c in counts.items()}
        chip = f'<span class="verdict verdict-{verdict.replace(" ", "-")}">{verdict}</span>'
        yield f'<th scope="row">{chip}</th>{_cells(numbers)}'


def _apart(page, about, name, counts):
    """One row of all verdicts together."""
    numbers = {p: _link(page, sum(c.values()), p, about) for p, c in counts.items()}
    yield f'<th scope="row">{name}</th>{_cells(numbers)}'


def _cells(numbers):
    return "".join(f"<td>{number}</td>" for number in numbers.values())


def _link(page, count, paper, about, verdict=""):
    """A number; one above 0 leads to the ledger's page with the filter that counts it."""
    if not count:
        return "0"
    chosen = f"paper={paper}" + f"&amp;verdict={verdict}" * bool(verdict) + f"&amp;about={about}"
    return f'<a href="{page}?{chosen}">{count}</a>'
