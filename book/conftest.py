"""The notebooks' kernels open no connection when they run as tests, by themselves too."""

import tests.conftest  # noqa: F401

collect_ignore = ["_template"]  # a chapter to copy: its module is made up
