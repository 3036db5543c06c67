"""The leaves that this chapter's searches go through, and the score of a class at one."""

from dplit import majority


def score(counts, best=max):
    """Equation 7: 1 for each most frequent class, or for each that is `best` in another way, else 0."""
    return tuple(int(c == best(counts)) for c in counts)


def two_and_three(effort):
    """Leaves of two and three classes up to a size, and these sizes in words."""
    n2, n3 = effort.pick((7, 4), (10, 6), (16, 9))
    leaves = [*majority.leaves(n2, 2), *majority.leaves(n3, 3)]
    return leaves, f"leaves of two classes up to {n2} records and of three up to {n3}"
