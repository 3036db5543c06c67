"""What the claims on attacks share: counts that are held against what privacy allows."""

from dplit.court import attacks
from dplit.court.ledger import interval
from dplit.court.ledger.compare import need


def above(events, draws, bound, mean):
    """That a share lies above `bound` with the whole interval of its count; `mean` is shown for it."""
    span = interval(events, draws)
    return need(span[0] > bound, mean, ">", bound)._replace(span=span, weight=draws)


def attacked(seen, draws, bound, relation="<=", law=(), **data):
    """That an attack's advantage may be at most `bound`, or that it lies above it, by the interval that follows
    from those of its two counts; and that both counts have their law, where there is one. Returns the
    advantage on the draws, and the least that the intervals allow."""
    spans = [interval(events, draws) for events in seen]
    low, high = attacks.advantage_range(*spans)
    share = (seen[0] - seen[1]) / draws
    good, exact = (low <= bound, share) if relation == "<=" else (low > bound, low)
    case = need(good, exact, relation, bound, low=low, high=high, **data)
    yield from (case._replace(span=span, weight=draws) for span in spans)
    for events, p, (least, most) in zip(seen, law, spans):
        yield need(least <= p <= most, events / draws, "within", p, **data)
    return share, low
