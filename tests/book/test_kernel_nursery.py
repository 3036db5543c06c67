"""A kernel out of the nursery is a kernel: it knows nothing of dplit, opens no connection, stops and ends."""

import os
import sys

import kernel_nursery
import pytest
from nbval.kernel import start_new_kernel

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are processes of their own")

STATE = """
import sys, os, socket
known = [name for name in sys.modules if name.partition(".")[0] in ("dplit", "tests", "conftest")]
try:
    socket.create_connection(("192.0.2.1", 80), timeout=5)
except OSError as refused:
    print(known, os.getcwd(), os.environ.get("OF_A_TEST"), "" in sys.path, type(refused).__name__)
"""


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    monkeypatch.setenv("OF_A_TEST", "said")
    kernel_nursery.install()
    manager, client = start_new_kernel(cwd=str(tmp_path))
    yield manager, client
    client.stop_channels()
    if manager.has_kernel:
        manager.shutdown_kernel(now=True)


def said(client, code):
    """What code prints, or the name of the error that it ends in."""
    texts = []

    def hear(message):
        content = message["content"]
        texts.append(content.get("text") or content.get("ename") or "")

    client.execute_interactive(code, timeout=60, output_hook=hear)
    return "".join(texts)


def test_a_kernel_begins_with_nothing_of_the_package_and_without_a_network(kernel, tmp_path):
    manager, client = kernel
    assert isinstance(manager.provisioner.process, kernel_nursery.Kernel)
    text = said(client, STATE)
    assert text == f"[] {tmp_path} said True NetworkRefused\n"


def test_it_is_interrupted_and_ends(kernel):
    manager, client = kernel
    process = manager.provisioner.process
    # Without stop_on_error=False the kernel refuses, for a moment after the error, whatever is asked next.
    loop = "import time\nprint('on')\nwhile True: time.sleep(0.01)"
    asked = client.execute(loop, stop_on_error=False)
    while client.get_iopub_msg(timeout=60)["msg_type"] != "stream":
        pass
    manager.interrupt_kernel()
    replies = iter(lambda: client.get_shell_msg(timeout=60), None)
    reply = next(reply for reply in replies if reply["parent_header"]["msg_id"] == asked)
    assert reply["content"]["ename"] == "KeyboardInterrupt"
    assert said(client, "print(1)").startswith("1")
    manager.shutdown_kernel(now=True)
    assert process.wait(60) is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


def test_two_kernels_share_nothing_that_they_draw_or_define(kernel):
    _, client = kernel
    other_manager, other = start_new_kernel()
    code = "import numpy as np, random\nprint(np.random.rand(), random.random(), 'a' in globals())\na = 1"
    one, two = said(client, code).split(), said(other, code).split()
    other.stop_channels()
    other_manager.shutdown_kernel(now=True)
    assert one[2] == two[2] == "False" and one[0] != two[0] and one[1] != two[1]
