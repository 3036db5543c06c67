"""Python imports this module when it starts, if its folder is on PYTHONPATH."""

import network_guard

network_guard.install()
