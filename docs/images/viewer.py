# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/viewer.md: ``python docs/images/viewer.py [NAME ...]``.

Each one is the page of a viewer in a headless Chromium, which must be installed with its driver.
"""

from __future__ import annotations

import base64
import importlib
import io
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from selenium import webdriver
from selenium.webdriver.support.wait import WebDriverWait

from deepsim import GazeboXMLLoader, MujocoSimulator, World, load_task
from deepsim_btree import Selector, Sequence, Status, Tree, action, condition
from deepsim_train.policies.slot_policy import slot_policy
from deepsim_train.training.run_folder import chosen_policy
from deepsim_viewer import EnvironmentViewer, Viewer

ROOT = Path(__file__).resolve().parents[2]
IMAGES = Path(__file__).resolve().parent
FLAGS = (
    "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-background-networking", "--hide-scrollbars",
)  # fmt: skip
PATIENCE = 300.0  # [s]; a software renderer draws about one frame a second
FRAMES = """
if (window.frames_drawn === undefined) {
  window.frames_drawn = 0;
  const count = () => { window.frames_drawn++; requestAnimationFrame(count); };
  requestAnimationFrame(count);
}
return window.frames_drawn;
"""
HIDE = (
    "document.querySelectorAll('.mantine-Notification-root').forEach(n => n.style.display='none')"
)
SCROLL = "arguments[0].scrollIntoView({block: 'start'})"

Place = tuple[float, float, float]
Shown = tuple[Viewer, Callable[[], object]]
"""A viewer, and the function that makes a step of what it shows."""


class Page:
    """A page in the browser, and the hands of its user."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def until(self, ready: Callable[[Any], Any]) -> Any:
        """Waits for what `ready` returns of the driver."""
        return WebDriverWait(self.driver, PATIENCE).until(ready)

    def act(self, path: str, script: str = "arguments[0].click()") -> None:
        """Scrolls to the first element shown that an XPath names, and runs a script on it."""
        elements = self.until(
            lambda driver: [e for e in driver.find_elements("xpath", path) if e.is_displayed()]
        )
        self.driver.execute_script(f"{SCROLL}; {script}", elements[0])

    def open(self, folder: str) -> None:
        """Opens or closes a folder of the panel."""
        self.act(f"//*[text()='{folder}']")

    def scroll(self, text: str) -> None:
        """Scrolls the panel until a text is at its top, or the panel at its end."""
        self.act(f"//*[text()='{text}']", "")

    def check(self, label: str) -> None:
        """Switches a checkbox, which its style covers."""
        box = f"//label[contains(., '{label}')]/following::input[@type='checkbox'][1]"
        (element, *_) = self.until(lambda driver: driver.find_elements("xpath", box))
        self.driver.execute_script(f"{SCROLL}; arguments[0].click()", element)

    def choose(self, label: str, option: str) -> None:
        """Chooses from a list."""
        self.act(f"//label[contains(., '{label}')]/following::input[1]")
        self.act(f"//*[@role='option' and contains(., '{option}')]")

    def wait(self, frames: int | str) -> None:
        """Waits until some more frames are drawn."""
        end = self.driver.execute_script(FRAMES) + int(frames)
        self.until(lambda driver: driver.execute_script(FRAMES) >= end)

    def shoot(self) -> Image.Image:
        """Takes a picture of the page."""
        self.driver.execute_script(HIDE)
        self.wait(2)
        data = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


def task(name: str, worlds: int = 1) -> Callable[[], Any]:
    """Returns how a task is shown, played by the policy that it names itself."""

    @contextmanager
    def shown() -> Iterator[Shown]:
        loaded = load_task(name)
        _, maker = chosen_policy(loaded.default_policy, loaded, ROOT / "runs" / name)
        with (
            loaded.environment(0, worlds) as environment,
            EnvironmentViewer(
                environment,
                slot_policy(maker, environment, 0),
                port=0,
                label=loaded.name,
                follow=None,  # the picture has a camera of its own
            ) as viewer,
        ):
            yield viewer.viewer, viewer.step

    return shown


@contextmanager
def house() -> Iterator[Shown]:
    """Shows the three rooms of examples/rooms, and the rules of one of its robots as a tree."""
    sys.path.insert(0, str(ROOT / "examples" / "rooms"))
    rooms, robots, scripts = map(importlib.import_module, ("house", "robots", "scripts"))
    with World(MujocoSimulator(rooms.house()), steps_per_tick=10) as world:
        couriers = [robots.Courier(f"courier_{n}", 2 * n, world) for n in range(4)]
        names = [courier.name for courier in couriers]
        robots.Picker("arm", world)
        kept = [scripts.Door(name, names) for name in rooms.DOORS]
        kept += [scripts.Lamp(room, names) for room in rooms.ROOMS]
        tree = courier_tree(couriers[0], robots.CLEAR)

        def step() -> None:
            tree.tick()
            world.tick()

        with Viewer(world, port=0, speed=1.0, label="Three rooms", trees={names[0]: tree}) as shown:
            yield shown, step


@contextmanager
def yard() -> Iterator[Shown]:
    """Shows a robot with a lidar among boxes, which stand on each other."""
    text = Path(__file__).with_suffix(".world").read_text("utf-8")
    with (
        World(MujocoSimulator(GazeboXMLLoader().load_world(text)), steps_per_tick=10) as world,
        Viewer(world, port=0, speed=1.0, label="Yard") as viewer,
    ):
        yield viewer, world.tick


def courier_tree(courier: Any, clear: float) -> Tree:
    """Returns the rules of a courier as a tree."""

    @condition
    def something_ahead() -> bool:
        ahead = courier.scan.ranges[0].reshape(-1)[155:205]  # 25 degrees to each side
        return bool(ahead.min() < clear)

    @action
    def wait() -> Status:
        return Status.RUNNING

    @action
    def drive_to_next_corner() -> Status:
        return Status.RUNNING

    rules = [Sequence([something_ahead(), wait()], "give way"), drive_to_next_corner()]
    return Tree(Selector(rules, "courier"))


WIDE, SMALL = (1280, 720), (1000, 580)
# What is shown, size [pixels], position of the camera and its target [m], steps before the page
# opens, and what the user of the page does then: a method of Page and its arguments.
PICTURES: dict[str, tuple[Callable[[], Any], tuple[int, int], Place, Place, int, list[str]]] = {
    "racetrack": (task("racetrack"), WIDE, (4.0, -8.5, 5.0), (0.6, 0.0, 0.0), 60,
        ["open Rewards", "check Plot the rewards", "open Performance",
         "check Plot the performance", "wait 30", "scroll Rewards"]),
    "worlds": (task("walk", 16), WIDE, (4.0, -4.6, 3.6), (0.9, -0.3, 0.0), 60, []),
    "rooms": (house, SMALL, (1.4, -5.2, 4.6), (1.0, 0.0, 0.0), 250,
        ["open Show", "check Contact", "open Behaviour trees", "choose Tree: courier_0",
         "open Show", "wait 4", "scroll Behaviour trees"]),
    "marks": (yard, SMALL, (-0.6, -4.2, 3.0), (0.6, 0.0, 0.0), 60,
        ["open Show", "check Names", "check Contact", "check Lidar", "scroll Show"]),
    "teleoperation": (task("navigate"), SMALL, (-1.0, -4.6, 4.2), (0.0, 0.2, 0.0), 20,
        ["open Show", "check Lidar", "open Drive", "choose By hand: robot", "scroll Drive"]),
    "phone": (task("push"), (390, 780), (1.3, -0.9, 1.1), (0.4, 0.0, 0.2), 40, []),
}  # fmt: skip


def draw(name: str, driver: Any) -> Image.Image:
    """Returns a picture."""
    opened, (width, height), eye, target, steps, acts = PICTURES[name]
    taken: list[Image.Image] = []
    with opened() as (viewer, step):
        speed, viewer.control.speed = viewer.control.speed, None
        for _ in range(steps):
            step()
        viewer.control.speed = speed
        viewer.server.initial_camera.position = eye
        viewer.server.initial_camera.look_at = target

        def look() -> None:
            screen = {"width": width, "height": height, "deviceScaleFactor": 1}
            screen["mobile"] = width < 600
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
            driver.get(viewer.url)
            page = Page(driver)
            page.act("//canvas", "")  # on a phone the panel is closed
            for act in acts:
                method, _, arguments = act.partition(" ")
                getattr(page, method)(*arguments.split(": "))
            page.wait(3)
            taken.append(page.shoot())
            driver.get("about:blank")

        watcher = threading.Thread(target=look)
        watcher.start()
        while watcher.is_alive():
            step()
        watcher.join()
    (image,) = taken
    return image


def main() -> None:
    """Draws all pictures, or those that are named."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in FLAGS:
        options.add_argument(flag)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    with webdriver.Chrome(options=options, service=service) as driver:
        driver.set_script_timeout(PATIENCE)
        for name in sys.argv[1:] or PICTURES:
            path = IMAGES / f"viewer-{name}.webp"
            draw(name, driver).save(path, quality=82, method=6)
            print(f"{path} {path.stat().st_size // 1000} kB", flush=True)


if __name__ == "__main__":
    main()
