# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser; skipped where there is no Chromium with its driver."""

from __future__ import annotations

import shutil
import threading
import time

import pytest

import deepsim_btree as bt
from deepsim_btree import Running, Sequence, Status, Success, Tree
from deepsim_btree.trace import Trace, render_html
from deepsim_btree.view import TreeViewer

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
PHONE = {"width": 375, "height": 760, "deviceScaleFactor": 2, "mobile": True}
DESKTOP = {"width": 1200, "height": 700, "deviceScaleFactor": 1, "mobile": False}


@pytest.fixture(scope="module")
def driver():
    """A browser without a window."""
    options = selenium.ChromeOptions()
    options.binary_location = BROWSER
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = selenium.Chrome(options=options, service=selenium.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def browse(driver):
    """Opens pages on a screen of a certain size; at the end the console must be free of errors."""

    def browse(url, screen=DESKTOP):
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        driver.get(url)
        return driver

    yield browse
    assert [each for each in driver.get_log("browser") if each["level"] == "SEVERE"] == []
    driver.get("about:blank")


@pytest.fixture
def page_of(tmp_path):
    """Writes the page of a recording and returns its address."""

    def page_of(recording):
        page = tmp_path / "run.html"
        page.write_text(render_html(recording), encoding="utf-8")
        return page.as_uri()

    return page_of


def wait(condition, timeout=60.0):
    """Waits until a condition holds, and returns its value; a busy machine draws slowly."""
    end = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < end, "it never came true"
    return value


def text_of(driver, name):
    """What an element says, on the screen or not."""
    return driver.execute_script("return document.getElementById(arguments[0]).textContent", name)


def click(driver, name):
    driver.execute_script("document.getElementById(arguments[0]).click()", name)


def choose(driver, name):
    """Clicks the row of a node, by its name."""
    driver.execute_script(
        "[...document.querySelectorAll('.name')].find((it) => it.textContent === arguments[0])"
        ".click()",
        name,
    )


def marks(driver):
    """The letter of each row, as far as it is of this tick."""
    return driver.execute_script(
        "return [...document.querySelectorAll('.mark')].filter((it) => it.closest('.row'))"
        ".map((it) => it.dataset.is || '-').join('')"
    )


def colour(driver, row, share):
    """The name of the colour of a row's timeline, at a share of the time."""
    return driver.execute_script(
        """
        const canvas = document.getElementById("chart"), scale = window.devicePixelRatio;
        const left = isPhone() ? 12 : treeWidth(canvas.clientWidth) + 8;
        const right = canvas.clientWidth - 12;
        const bar = isPhone() ? pixels("--row") - 10 : pixels("--row") / 2;
        const y = pixels("--ruler") + arguments[0] * pixels("--row") + bar;
        const x = left + arguments[1] * (right - left);
        const [r, g, b, a] = canvas.getContext("2d").getImageData(x * scale, y * scale, 1, 1).data;
        if (a < 250) return "";
        return r > g + 40 && r > b + 40 ? "F" : b > r + 40 && b > g ? "R" : g > r + 40 ? "S" : "";
        """,
        row,
        share,
    )


def test_the_page_opens_at_the_last_step_and_fits_a_phone(browse, page_of):
    """All is on the screen, with targets for thumbs; Back goes one step back, and tabs change."""
    leaves = [Success("the door to the laboratory is open, says the door itself"), Running("drive")]
    tree = Tree(Sequence(leaves, "go to the laboratory"), blackboard={"goal": (3, 4)})
    with Trace(tree, blackboard=True) as watched:
        tree.tick()
        tree.tick()
        tree.halt()
    driver = browse(page_of(watched.recording), PHONE)
    where = driver.find_element("id", "where")
    assert where.text.startswith("step 4 of 4: halt")
    controls = driver.find_elements("css selector", "#bar button, #scrub, #tabs button")
    shown = [each for each in controls if each.is_displayed()]
    assert len(shown) == 9
    assert all(0 <= each.rect["x"] <= 375 - each.rect["width"] for each in shown)
    assert all(each.rect["height"] >= 40 for each in shown if each.tag_name == "button")
    wide = "return [document.documentElement.scrollWidth, byId('nodes').scrollWidth]"
    assert driver.execute_script(wide) == [375, 375]
    driver.find_element("id", "back").click()
    wait(lambda: where.text.startswith("step 3 of 4: tick"))
    choose(driver, "drive")
    driver.find_element("css selector", "[data-tab=node]").click()
    assert driver.find_element("id", "node").is_displayed()
    assert "RUNNING" in driver.find_element("id", "node").text
    driver.find_element("css selector", "[data-tab=board]").click()
    assert "(3, 4)" in driver.find_element("id", "board").text
    assert not driver.find_element("id", "nodes").is_displayed()
    assert driver.execute_script(wide)[0] == 375


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("has_clock", [False, True])
def test_the_timeline_shows_how_long_things_last(browse, page_of, leaf, has_clock, screen):
    """A state that lasts 80 of 100 ticks takes as much of the width, though it is one step."""
    root = Sequence([leaf("R" * 80 + "S", "long"), leaf("R" * 10 + "F", "short")], "root")
    times = iter(range(7, 1000, 3))
    tree = Tree(root, clock=(lambda: next(times)) if has_clock else None)
    with Trace(tree) as watched:
        while tree.tick() is Status.RUNNING:
            pass
        for _ in range(8):
            tree.tick()
    driver = browse(page_of(watched.recording), screen)
    rows = [
        "".join(colour(driver, row, share / 100) for share in (5, 40, 75, 87, 97))
        for row in (0, 1, 2)
    ]
    assert rows == ["RRRRR", "RRRR", "R"]
    driver.execute_script("go(0)")
    wait(lambda: driver.execute_script("return !isDrawing"))
    assert text_of(driver, "where").startswith("step 1 of")


def test_a_node_has_times_and_changes(browse, page_of, leaf):
    """Its runs are counted and measured, and one goes from change to change of it."""
    tree = Tree(bt.ParallelSequence([leaf("RRSRRF", "task"), leaf("RSR", "other")], "root"))
    with Trace(tree) as watched:
        for _ in range(6):
            tree.tick()
    driver = browse(page_of(watched.recording))
    choose(driver, "task")
    wait(lambda: "root/task" in text_of(driver, "node"))
    cells = [each.text for each in driver.find_elements("css selector", "#node td")]
    assert cells == ["2 \u00d7", "4 ticks", "1 \u00d7", "1 tick", "1 \u00d7", "1 tick"]
    ticks = []
    for _ in range(3):
        click(driver, "earlier")
        wait(lambda: driver.execute_script("return !isDrawing"))
        ticks.append(driver.execute_script("return step().tick"))
    assert ticks == [4, 3, 1]
    click(driver, "stopF")
    click(driver, "play")
    wait(lambda: driver.execute_script("return timer === null"))
    assert driver.execute_script("return step().tick") == 6


def test_search_and_folding(browse, page_of, leaf):
    """Hits are marked and counted, Enter goes to the next also inside what is folded."""
    inner = Sequence([leaf("S", "open the door"), leaf("R", "drive")], "pass")
    tree = Tree(bt.Selector([inner, leaf("R", "ask at the door")], "root"))
    with Trace(tree) as watched:
        tree.tick()
    driver = browse(page_of(watched.recording))
    click(driver, "fold")
    wait(lambda: marks(driver) == "RR.")
    search = driver.find_element("id", "search")
    search.send_keys("DOOR")
    wait(lambda: text_of(driver, "hits") == "1")
    search.send_keys("\ue007")
    wait(lambda: "root/pass/open the door" in text_of(driver, "node"))
    assert text_of(driver, "hits") == "2"
    search.send_keys("\ue007")
    wait(lambda: "root/ask at the door" in text_of(driver, "node"))


def test_a_live_tree(browse, leaf):
    """Colours and entries change as it ticks, also while an earlier step is looked at."""

    class Count(bt.Behaviour):
        def update(self):
            self.blackboard["count"] = self.tree.tick_count
            return Status.SUCCESS

    work = leaf("R" * 6 + "S", "work")
    tree = Tree(bt.ReactiveSequence([Count("count"), work], "root"))
    with TreeViewer(tree, title="A & B") as viewer:
        driver = browse(viewer.url)
        wait(lambda: text_of(driver, "state") == "Live")
        assert marks(driver) == "..."
        tree.tick()
        wait(lambda: marks(driver) == "RSR")
        assert "count1" in text_of(driver, "board")
        choose(driver, "work")
        wait(lambda: "root/work" in text_of(driver, "node"))
        ended = threading.Event()

        def loop():
            while not ended.is_set():
                tree.tick()

        thread = threading.Thread(target=loop)
        thread.start()
        click(driver, "back")  # looks at an earlier step, although more come
        wait(lambda: driver.execute_script("return !choice.isFollowing"))
        click(driver, "last")
        ended.set()
        thread.join()
    wait(lambda: text_of(driver, "state") == "Ended")
    assert text_of(driver, "where").startswith("step ")
    assert f"tick {tree.tick_count}" in text_of(driver, "where")


def test_a_page_that_lost_its_server_comes_back(browse):
    """The same address again shows all anew."""
    tree = Tree(Running("drive"))
    with TreeViewer(tree) as viewer:
        driver = browse(viewer.url)
        tree.tick()
        wait(lambda: marks(driver) == "R")
        driver.refresh()
        wait(lambda: marks(driver) == "R")
        assert text_of(driver, "where").startswith("step 2 of 2")
