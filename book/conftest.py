"""The notebooks' kernels open no connection when they run as tests, by themselves too."""

import tests.conftest  # noqa: F401
