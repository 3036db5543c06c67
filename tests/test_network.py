"""The tests' guard: the session, its notebook kernels and its commands reach loopback alone."""

import os
import socket
import subprocess
import sys
import threading

import pytest
from jupyter_client.manager import start_new_kernel

OUTSIDE = "192.0.2.1"  # an address that nobody has (RFC 5737)
CONNECT = f"import socket; socket.create_connection(({OUTSIDE!r}, 80), timeout=5)"


def tcp(address, family=socket.AF_INET):
    with socket.socket(family) as connection:
        connection.settimeout(5)
        connection.connect(address)


def sendto(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.sendto(b"", address)


@pytest.mark.parametrize(
    "open_connection",
    [
        lambda: tcp((OUTSIDE, 80)),
        lambda: tcp(("2001:db8::1", 80, 0, 0), socket.AF_INET6),
        lambda: socket.socket().connect_ex((OUTSIDE, 80)),
        lambda: sendto((OUTSIDE, 53)),
        lambda: socket.create_connection(("example.org", 80), timeout=5),
        lambda: socket.getaddrinfo("example.org", 443),
        lambda: socket.gethostbyname("example.org"),
    ],
)
def test_the_session_refuses_what_is_not_loopback(open_connection):
    with pytest.raises(ConnectionRefusedError, match="the tests use no network: refused"):
        open_connection()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.9.9.9"])
def test_loopback_is_let_through(host):
    with socket.create_server(("127.0.0.1" if host == "localhost" else host, 0)) as server:
        accepted = []
        thread = threading.Thread(target=lambda: accepted.append(server.accept()[0]))
        thread.start()
        with socket.create_connection((host, server.getsockname()[1]), timeout=5):
            thread.join()
        assert len(accepted) == 1
        accepted[0].close()


def test_sockets_of_the_file_system_are_let_through(tmp_path):
    place = os.path.relpath(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place)
        server.listen()
        tcp(place, socket.AF_UNIX)
        peer, _ = server.accept()
        assert peer.family == socket.AF_UNIX
        peer.close()


def test_a_command_of_the_tests_is_guarded():
    done = subprocess.run([sys.executable, "-c", CONNECT], capture_output=True, text=True)
    assert done.returncode == 1
    assert "NetworkRefused: the tests use no network" in done.stderr


def test_a_notebook_kernel_is_guarded():
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        reply = client.execute_interactive(CONNECT, timeout=60, output_hook=lambda message: None)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert reply["content"]["ename"] == "NetworkRefused"


def test_a_proxy_on_loopback_is_no_way_out():
    assert os.environ["NO_PROXY"] == os.environ["no_proxy"] == "*"
