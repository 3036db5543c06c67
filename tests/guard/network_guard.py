"""Refuses every connection but loopback, in the process that calls `install`.

`tests/conftest.py` installs it in the test session, and puts this folder at the head of PYTHONPATH, so
that `sitecustomize` installs it in every Python process that the session starts: notebook kernels,
workers, commands. It listens to the interpreter's audit events and so sees what libraries do, too.
"""

import ipaddress
import os
import socket
import sys

CONNECTING = {"socket.connect", "socket.sendto", "socket.sendmsg"}
RESOLVING = {"socket.getaddrinfo", "socket.gethostbyname"}
INTERNET = {socket.AF_INET, socket.AF_INET6}


class NetworkRefused(ConnectionRefusedError):
    """A connection that the tests may not open; an OSError, as where there is no network."""


def install():
    """Refuse from now on; once in a process, for good. Proxies are passed over, on loopback too."""
    if not getattr(sys, "_network_is_guarded", False):
        sys._network_is_guarded = True
        os.environ["NO_PROXY"] = os.environ["no_proxy"] = "*"
        sys.addaudithook(_refuse)


def _refuse(event, arguments):
    if event in CONNECTING:
        connection, address = arguments[0], arguments[-1]
        if connection.family in INTERNET and address and not _is_loopback(address[0]):
            raise NetworkRefused(f"the tests use no network: refused a connection to {address}")
    elif event in RESOLVING and not (_is_number(arguments[0]) or _is_own(arguments[0])):
        raise NetworkRefused(f"the tests use no network: refused to look up {arguments[0]!r}")


def _is_loopback(host):
    host = _text(host)
    return host in ("", "localhost") or (_is_number(host) and ipaddress.ip_address(host).is_loopback)


def _is_own(host):
    return not host or _text(host) in ("localhost", socket.gethostname())


def _is_number(host):
    try:
        return bool(ipaddress.ip_address(_text(host)))
    except ValueError:
        return False


def _text(host):
    return host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)
