# SPDX-License-Identifier: Apache-2.0
"""The page of a recording in a real browser; skipped where there is no Chromium with its driver."""

from __future__ import annotations

import shutil

import pytest

from deepsim_btree import Running, Sequence, Success, Tree
from deepsim_btree.trace import Trace, render_html

selenium = pytest.importorskip("selenium.webdriver")
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

pytestmark = [
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="chromium and chromedriver are missing"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of selenium's connections
]
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
PHONE = {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True}


def test_the_page_opens_at_the_last_step_and_fits_a_phone(tmp_path):
    """The last step shows first, the controls are on the screen, and Back goes one step back."""
    leaves = [Success("the door to the laboratory is open"), Running("drive through the door")]
    tree = Tree(Sequence(leaves, "go to the laboratory"))
    with Trace(tree) as watched:
        tree.tick()
        tree.tick()
        tree.halt()
    page = tmp_path / "run.html"
    page.write_text(render_html(watched.recording), encoding="utf-8")
    options = selenium.ChromeOptions()
    options.binary_location = BROWSER
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = selenium.Chrome(options=options, service=selenium.ChromeService(DRIVER))
    try:
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
        driver.get(page.as_uri())
        where = driver.find_element("id", "where")
        assert where.text.startswith("step 4 of 4: halt")
        controls = driver.find_elements("css selector", "#bar > *")
        assert len(controls) == 7
        assert all(each.rect["x"] + each.rect["width"] <= PHONE["width"] for each in controls)
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 390
        driver.find_element("id", "back").click()
        assert where.text.startswith("step 3 of 4: tick")
        assert [each for each in driver.get_log("browser") if each["level"] == "SEVERE"] == []
    finally:
        driver.quit()
