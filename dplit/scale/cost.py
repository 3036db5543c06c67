"""What a record costs where it lies, and what is sent of a block: counted in bytes, of a boosted forest."""

from dplit.boosting import public_cuts
from dplit.forests.boosted import STEPS_OF_A_COLUMN
from dplit.ground.errors import check_integer

SCORE, RESIDUAL, SUM, CLASS = 8, 4, 8, 4  # bytes of a double, of 32 and of 64 bits, of a class code
DEEPEST = 16  # tests that a cell of two bytes knows


def column_codes() -> int:
    """Codes of a continuous column in a boosted forest: one more than it has public cuts; int."""
    return len(public_cuts(0.0, 1.0, STEPS_OF_A_COLUMN)) + 1


def record_bytes(columns: int, outputs: int = 1, depth: int = 6) -> int:
    """Bytes that a worker keeps of a record within a round.

    Codes of one byte (no column of more than 256 codes), a class, a score and a residual for each output,
    and the cell. The sums of the level, which a worker keeps of each block, come on top: `level_bytes`.
    `outputs`: 1 of two classes, else the number of classes; `depth`: of the trees, from 1 to 16; cells of more
    than 8 tests take two bytes.
    """
    columns = check_integer(columns, "columns", 1)
    outputs, depth = check_integer(outputs, "outputs", 1), check_integer(depth, "depth", 1, DEEPEST)
    return columns + CLASS + (SCORE + RESIDUAL) * outputs + (1 if depth <= 8 else 2)


def level_bytes(codes: int, depth: int, outputs: int = 1) -> int:
    r"""Bytes of the sums that a worker keeps of a block in a round, of its last level: :math:`8 K C 2^{d-1}`."""
    codes, depth = check_integer(codes, "codes", 1), check_integer(depth, "depth", 1, DEEPEST)
    return SUM * check_integer(outputs, "outputs", 1) * codes * 2 ** (depth - 1)


def sent_bytes(codes: int, depth: int, outputs: int = 1) -> int:
    r"""Bytes that a block sends in a round, whatever its number of records.

    A histogram at each level, and the pair sums of the leaves:
    :math:`8 K (C (2^d - 1) + 2 \cdot 2^d)` with C codes of all columns, depth d and K outputs.
    """
    codes, depth = check_integer(codes, "codes", 1), check_integer(depth, "depth", 1, DEEPEST)
    outputs = check_integer(outputs, "outputs", 1)
    return SUM * outputs * (codes * (2**depth - 1) + 2 * 2**depth)
