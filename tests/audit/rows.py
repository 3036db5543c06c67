"""Store the parameters of the fits that ``dplit audit`` compares in lockstep: ``python -m tests.audit.rows``.

To find a covering array takes some hundred fits an estimator; `dplit.court.audit.subjects.moved.rows` reads them.
"""

import json
from datetime import UTC, datetime

from dplit.court.audit.subjects import moved
from dplit.ground.printed import data_file
from dplit.ground.work import versions


def found(words):
    """What is stored of a kind: a checksum of its values, and their places in each row."""
    values = moved.values_of(words)
    return {"of": moved.checksum(values), "rows": moved.covering(words, values)}


def main():
    """Write the file."""
    kinds = ",\n".join(f"{json.dumps(words)}: {json.dumps(found(words))}" for words in moved.KINDS)
    head = {"command": "python -m tests.audit.rows", "date": str(datetime.now(UTC).date())}
    head = json.dumps(head | {"versions": versions("numpy", "scikit-learn")})
    path = data_file("results/audit/rows.json")
    path.write_text(f'{head[:-1]}, "kinds": {{\n{kinds}\n}}}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
