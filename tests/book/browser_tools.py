"""A headless Chromium for the tests that open the built book, and a server of the site on loopback."""

import shutil
from http.server import SimpleHTTPRequestHandler

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
CHROMEDRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-background-networking "
    "--disable-component-update --disable-sync --no-first-run --window-size=1400,1000"
).split()
SECONDS = 120  # at most: on a busy machine the whole ledger takes half a minute


def browser(profile):
    """A headless Chromium with a profile of its own; skips the test where there is none."""
    if not (CHROMIUM and CHROMEDRIVER):
        pytest.skip("needs chromium and chromedriver on the path")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in [*FLAGS, f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(CHROMEDRIVER))
    driver.set_page_load_timeout(SECONDS)
    driver.set_script_timeout(SECONDS)
    return driver


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def visit(driver, address):
    """Open a page and wait until it is complete and its formulas are typeset."""
    for log in ("browser", "performance"):
        driver.get_log(log)
    driver.get(address)
    wait(driver, "return document.readyState === 'complete'")
    settle(driver)


def settle(driver):
    """Wait until what is to be typeset is."""
    driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "window.MathJax ? MathJax.startup.promise.then(() => done()) : done();"
    )


def keep(driver, address):
    """As `visit`, unless the page is open: the ledger is opened once for tests that set what they look at."""
    if driver.current_url.partition("?")[0].partition("#")[0] != address:
        visit(driver, address)


def wait(driver, script):
    """Wait until `script` returns something true, and return that."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(driver, SECONDS, 0.1).until(lambda d: d.execute_script(script))


def problems(driver):
    """What the console calls severe."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
