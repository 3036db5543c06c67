"""The built site, and a browser that reads it, for the tests of the book."""

import threading
from functools import partial
from http.server import ThreadingHTTPServer

import book_tools
import browser_tools
import pytest


@pytest.fixture(scope="session")
def site(tmp_path_factory, worker_id):
    """Folder of the built site: the one in ``_build`` if it is fresh, else one built now, beside other tests."""
    built = book_tools.ROOT / "_build" / "html"
    if book_tools.is_fresh(built):
        return built
    shared = tmp_path_factory.getbasetemp()
    return book_tools.build((shared if worker_id == "master" else shared.parent) / "site")


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """A headless Chromium, for the tests of one file."""
    driver = browser_tools.browser(tmp_path_factory.mktemp("chromium"))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def server(site):
    """Address of the site on loopback."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(browser_tools.Quiet, directory=str(site))) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}/"
        http.shutdown()
