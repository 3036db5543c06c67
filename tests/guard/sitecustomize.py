"""Python imports this module when it starts, if its folder is on PYTHONPATH."""

import sys

import network_guard

network_guard.install()
if "ipykernel_launcher" in sys.orig_argv:  # a notebook's kernel
    import one_evidence

    one_evidence.install()
