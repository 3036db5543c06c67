"""The figures with controls, in headless Chromium: they move, say their values, and give way to pictures."""

import re

import book_tools
import pytest
from browser_tools import problems, visit, wait

pytestmark = pytest.mark.browser

CURVES = "return [...document.querySelectorAll('.moving-line')].map((line) => line.getAttribute('d'))"
SAID = "return document.querySelector('.moving-values').textContent"


SERVED = ("book/index.html", "book/bench.html")  # beside the other pages a server adds nothing of theirs
PLACES = [(page, where) for where in ("disk", "server") for page in book_tools.MOVING]


@pytest.mark.parametrize(
    "page, where",
    [
        pytest.param(page, where, marks=[pytest.mark.deep] * (where == "server" and page not in SERVED))
        for page, where in PLACES
    ],
)
def test_a_figure_moves(driver, site, server, page, where):
    from selenium.webdriver.common.keys import Keys

    visit(driver, (site / page).as_uri() if where == "disk" else server + page)
    before = wait(driver, CURVES)
    assert len(before) >= 3 and all(path.startswith("M") for path in before)
    assert not driver.execute_script("return document.querySelector('figure.is-moving > img').offsetParent")
    first = driver.find_element("css selector", ".moving-controls :is(input, select)")
    first.send_keys(Keys.ARROW_RIGHT if first.tag_name == "input" else Keys.ARROW_DOWN)
    assert driver.execute_script(CURVES) != before
    said = driver.execute_script(SAID)
    reader = driver.find_elements("css selector", ".moving-controls input")[-1]
    reader.send_keys(Keys.ARROW_LEFT)
    assert driver.execute_script(SAID) != said
    assert problems(driver) == []


def test_curves_that_coincide_have_a_panel_of_their_ratios(driver, site):
    visit(driver, (site / "book" / "occupancy.html").as_uri())
    drawn = wait(driver, CURVES)
    upper, lower = drawn[:5], drawn[5:]
    assert len(lower) == 3, "the model, the exact law and the corrected bound over the exact law"
    heights = [[float(at.split(",")[1]) for at in re.split("[ML]", d)[1:]] for d in drawn]
    assert min(map(min, heights[5:])) > max(map(max, heights[:5])), "below the upper panel"
    model, exact, _ = heights[5:]
    assert len(set(exact)) == 1 and min(model[5:]) > exact[0], "the model is below the exact law"
    assert len(upper) == 5 and "over exact" in driver.page_source


def test_a_figure_says_its_values_under_the_pointer(driver, site):
    from selenium.webdriver.common.action_chains import ActionChains

    visit(driver, (site / "book" / "majority.html").as_uri())
    wait(driver, CURVES)
    plot = driver.find_element("css selector", ".moving-plot")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)
    ActionChains(driver).move_to_element_with_offset(plot, -plot.size["width"] // 2 + 80, 0).perform()
    said = driver.execute_script(SAID)
    assert said.startswith("At gap j = 0") and "ROSNAM0.5" in said
    assert "gap j = 0; " in driver.execute_script("return arguments[0].getAttribute('aria-label')", plot)


def test_a_figure_shows_its_picture_again_and_in_print(driver, site):
    visit(driver, (site / "book" / "majority.html").as_uri())
    wait(driver, CURVES)
    shown = (
        "return ['figure:has(.moving) > img', '.moving-plot']"
        ".map((which) => !!document.querySelector(which).getClientRects().length)"
    )
    assert driver.execute_script(shown) == [False, True]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert driver.execute_script(shown) == [True, False]
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    driver.execute_script("document.querySelector('.moving-still').click()")
    assert driver.execute_script(shown) == [True, False]
    driver.execute_script("document.querySelector('.moving-still').click()")
    assert driver.execute_script(shown) == [False, True]


def test_without_scripts_a_figure_is_a_picture(driver, site):
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        driver.get((site / "book" / "majority.html").as_uri())
        figure = driver.find_element("css selector", "figure#fig-majority-bound")
        assert figure.find_element("css selector", "img").is_displayed()
        assert "frames" not in figure.text
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
