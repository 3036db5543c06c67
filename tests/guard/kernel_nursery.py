"""A notebook's kernel as a fork of a process that has imported what notebooks need: it begins at once.

A kernel takes two seconds before its first cell, nearly all of them to import packages, and there are as many
kernels as notebooks. Of the tests' processes, each starts one nursery, which imports IPython and the packages that
dplit needs, but nothing of dplit: what a notebook of it forgets to import is missing as in any kernel. Each kernel
is a fork with the arguments, the environment and the folder that `jupyter_client` has asked for.
"""

import atexit
import builtins
import contextlib
import functools
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

IMPORTED = (
    "IPython", "ipykernel.kernelapp", "debugpy", "matplotlib.pyplot", "numba",
    "flint", "pandas", "scipy.optimize", "scipy.stats", "seaborn", "sklearn.ensemble", "sklearn.model_selection",
)  # fmt: skip


class Kernel:
    """A fork, as `subprocess.Popen` shows a child."""

    stdin = stdout = stderr = None

    def __init__(self, nursery, arguments, env, folder):
        self._nursery, self.returncode = nursery, None
        self.pid = nursery.ask(arguments=arguments, env=dict(env), folder=str(folder))

    def poll(self):
        if self.returncode is None:
            self.returncode = self._nursery.ask(poll=self.pid)
        return self.returncode

    def wait(self, timeout=None):
        ends = time.monotonic() + (1e9 if timeout is None else timeout)
        while self.poll() is None:
            if time.monotonic() > ends:
                raise subprocess.TimeoutExpired("kernel", timeout)
            time.sleep(0.02)
        return self.returncode

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)


class Nursery:
    """The process that forks, started when the first kernel is asked for; it ends with the one that started it."""

    def __init__(self):
        self._process, self._one_at_a_time = None, threading.Lock()

    def ask(self, **what):
        with self._one_at_a_time:
            if self._process is None:
                command = [sys.executable, "-m", "kernel_nursery"]
                self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                atexit.register(self._process.communicate)  # its input ends, and so does it
            print(json.dumps(what), file=self._process.stdin, flush=True)
            return json.loads(self._process.stdout.readline())


@functools.cache
def install():
    """Kernels of Python that `jupyter_client` starts in this process come out of a nursery, on Linux: elsewhere
    libraries may not outlive a fork."""
    if sys.platform != "linux":
        return
    from jupyter_client.provisioning import local_provisioner

    nursery, launch = Nursery(), local_provisioner.launch_kernel

    def launched(cmd, env=None, cwd=None, **options):
        if "ipykernel_launcher" not in cmd:
            return launch(cmd, env=env, cwd=cwd, **options)
        arguments = cmd[cmd.index("ipykernel_launcher") + 1 :]
        return Kernel(nursery, arguments, os.environ if env is None else env, cwd or os.getcwd())

    local_provisioner.launch_kernel = launched


def run(arguments, env, folder):
    """In a fork: all that a process of its own would have, then the kernel."""
    for number in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), number)
    os.environ.clear()
    os.environ.update(env, JPY_PARENT_PID=str(os.getppid()))
    os.chdir(folder)
    sys.stdin, sys.argv = open(0, closefd=False), ["ipykernel_launcher", *arguments]
    np = sys.modules["numpy"]
    np.random.seed()
    import one_evidence
    from ipykernel import kernelapp

    one_evidence.install()
    kernelapp.launch_new_instance()


def main():
    del sys.path[0]  # a kernel has the folder of the notebook there
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")  # as a kernel's own
    builtins.get_ipython = lambda: SimpleNamespace(kernel=None)  # pandas asks at its import how wide to print
    for name in IMPORTED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    del builtins.get_ipython
    gc.freeze()
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        asked = json.loads(line)
        if "poll" in asked:
            pid, status = os.waitpid(asked["poll"], os.WNOHANG)
            said = os.waitstatus_to_exitcode(status) if pid else None
        elif said := os.fork():
            os.setpgid(said, said)  # before it is told: what ends the kernel ends its whole group
        else:
            answers.close()
            return run(**asked)
        print(json.dumps(said), file=answers, flush=True)


if __name__ == "__main__":
    main()
