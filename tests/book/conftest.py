"""The built site, for the tests of the book."""

import book_tools
import pytest


@pytest.fixture(scope="session")
def site(tmp_path_factory, worker_id):
    """Folder of the built site: the one in ``_build`` if it is fresh, else one built for the session."""
    built = book_tools.ROOT / "_build" / "html"
    if book_tools.is_fresh(built):
        return built
    shared = tmp_path_factory.getbasetemp()
    return book_tools.build((shared if worker_id == "master" else shared.parent) / "site")
