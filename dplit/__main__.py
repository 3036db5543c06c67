"""``python -m dplit`` is the command line."""

import sys

from dplit.cli import main

sys.exit(main())
