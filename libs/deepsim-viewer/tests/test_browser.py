# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser; skipped where there is no Chromium with its driver."""

from __future__ import annotations

import io
import shutil
import time

import numpy as np
import pytest
from PIL import Image

from deepsim_math import Pose, Vector3
from deepsim_spawn import Box

selenium = pytest.importorskip("selenium.webdriver")
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

pytestmark = [
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="chromium and chromedriver are missing"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of selenium's connections
]
FLAGS = (
    "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=800,450",
)  # fmt: skip


@pytest.fixture
def browse():
    """Opens pages in a browser without a window."""
    opened = []

    def browse(url):
        options = selenium.ChromeOptions()
        options.binary_location = BROWSER
        for flag in FLAGS:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = selenium.Chrome(options=options, service=selenium.ChromeService(DRIVER))
        opened.append(driver)
        driver.get(url)
        return driver

    yield browse
    for driver in opened:
        driver.quit()


def picture(driver):
    """(height, width, 3) of the part that the panel leaves free."""
    image = Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")
    return np.asarray(image, dtype=np.float64)[:, : image.width - 330]


def blue(driver):
    """Middle (x, y) and number of the pixels that are as blue as the box [pixels]."""
    red, green, blue = np.moveaxis(picture(driver), -1, 0)
    y, x = np.nonzero((blue > red + 60) & (blue > green + 40))
    return (x.mean(), y.mean(), len(x)) if len(x) else (np.nan, np.nan, 0)


def wait(condition, timeout=120.0):
    """Waits until a condition holds, and returns its value; a busy machine draws slowly."""
    end = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < end, "it never came true"
    return value


def test_the_page_shows_a_world_that_moves(browse, make_viewer, run, scenes):
    """A blue box is seen and moves; Pause holds it; the console is free of errors."""
    box = scenes.model("box", Box(Vector3(1.0, 1.0, 1.0)), Pose(Vector3(-1.0, -0.8, 1.0)))
    other = scenes.model("other", Box(Vector3(0.1, 0.1, 0.1)), Pose(Vector3(1.0, 0.8, 1.0)))
    viewer = make_viewer(scenes.described(box, other), shadows=False, speed=1.0, rate=5.0)
    world = viewer.world
    run(viewer, world.tick)
    driver = browse(viewer.url)
    x, _, _ = wait(lambda: (seen := blue(driver))[2] > 200 and seen)
    viewer.post(lambda: world.models.select(["box"]).put(pose=Pose(Vector3(-0.2, -0.2, 0.6))))
    wait(lambda: (seen := blue(driver))[2] > 200 and seen[0] - x > 30)
    (pause,) = [
        each for each in driver.find_elements("css selector", "button") if each.text == "Pause"
    ]
    pause.click()
    wait(lambda: viewer.control.paused)
    assert [each for each in driver.get_log("browser") if each["level"] == "SEVERE"] == []


def test_a_model_is_inserted_and_deleted(browse, make_viewer, run, scenes):
    """Insert adds a box, which is seen and selected; Delete removes it again."""
    viewer = make_viewer(scenes.described(), shadows=False, speed=1.0, rate=5.0)
    world = viewer.world
    run(viewer, world.tick)
    driver = browse(viewer.url)
    press = "document.evaluate(\"//button[contains(., '%s')]\", document, null, 9).singleNodeValue"
    wait(lambda: driver.execute_script(f"return {press % 'Insert'} !== null"))
    assert blue(driver)[2] < 50
    driver.execute_script(f"{press % 'Insert'}.click()")
    wait(lambda: "box_0" in world.simulator.entities.models and blue(driver)[2] > 200)
    wait(lambda: "velocity" in driver.find_element("css selector", "body").text)
    driver.execute_script(f"{press % 'Delete selected'}.click()")
    wait(lambda: "box_0" not in world.simulator.entities.models and blue(driver)[2] < 50)
    assert [each for each in driver.get_log("browser") if each["level"] == "SEVERE"] == []
