"""Python imports this module when it starts, if its folder is on PYTHONPATH.

Who imports packages or compiles makes a million objects that stay: to look among them for what can go back, as
often as Python does unasked, takes an eighth of that time.
"""

import gc
import sys

import network_guard

network_guard.install()
gc.set_threshold(100_000, 50, 100)
if "ipykernel_launcher" in sys.orig_argv:  # a notebook's kernel
    import one_evidence

    one_evidence.install()
