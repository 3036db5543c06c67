"""The notebooks' kernels open no connection when they run as tests, by themselves too, and begin at once."""

import tests.conftest  # noqa: F401, I001
import kernel_nursery

collect_ignore = ["_template"]  # a chapter to copy: its module is made up
kernel_nursery.install()
