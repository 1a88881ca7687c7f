# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/viewer.md: ``python tools/viewer_pictures.py [NAME ...]``.

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
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
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

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
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
SHOWN = "arguments[0].scrollIntoView({block: 'start'})"

Place = tuple[float, float, float]
Shown = tuple[Viewer, Callable[[], object]]
"""A viewer, and the function that makes a step of what it shows."""


class Page:
    """A page in the browser, and the hands of its user."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def element(self, path: str) -> Any:
        """Waits for an element that an XPath names."""
        wait = WebDriverWait(self.driver, PATIENCE)
        return wait.until(lambda driver: next(iter(driver.find_elements("xpath", path)), None))

    def click(self, path: str) -> None:
        """Clicks an element."""
        self.driver.execute_script(f"{SHOWN}; arguments[0].click()", self.element(path))

    def open(self, folder: str) -> None:
        """Opens or closes a folder of the panel."""
        self.click(f"//*[text()='{folder}']")

    def check(self, label: str) -> None:
        """Switches a checkbox."""
        self.click(f"//label[contains(., '{label}')]/following::input[@type='checkbox'][1]")

    def choose(self, label: str, option: str) -> None:
        """Chooses from a list."""
        field = f"//label[contains(., '{label}')]/following::input[1]"
        WebDriverWait(self.driver, PATIENCE).until(lambda _: self.element(field).is_displayed())
        self.click(field)
        options = f"//*[@role='option' and contains(., '{option}')]"
        wait = WebDriverWait(self.driver, PATIENCE)
        lists = wait.until(  # those of other controls are there, and hidden
            lambda driver: [e for e in driver.find_elements("xpath", options) if e.is_displayed()]
        )
        self.driver.execute_script("arguments[0].click()", lists[0])

    def scroll(self, text: str) -> None:
        """Scrolls the panel until a text is at its top, or the panel at its end."""
        self.driver.execute_script(SHOWN, self.element(f"//*[text()='{text}']"))

    def wait(self, frames: int) -> None:
        """Waits until some more frames are drawn."""
        end = self.driver.execute_script(FRAMES) + frames
        WebDriverWait(self.driver, PATIENCE).until(lambda d: d.execute_script(FRAMES) >= end)

    def shoot(self) -> Image.Image:
        """Takes a picture of the page."""
        self.driver.execute_script(HIDE)
        self.wait(2)
        data = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


@dataclass(frozen=True)
class Picture:
    """A picture: what is shown, from where, and what the user of the page does first.

    Attributes:
        shown: Opens a viewer.
        size: Width and height [pixels].
        eye: Position of the camera [m].
        target: The point that it looks at [m].
        act: Clicks on the page.
        steps: How many are made before the page opens.
    """

    shown: Callable[[], Any]
    size: tuple[int, int]
    eye: Place
    target: Place
    act: Callable[[Page], object]
    steps: int = 0


def task(name: str, worlds: int = 1) -> Callable[[], Any]:
    """Returns how a task is shown, played by the policy that it names itself."""

    @contextmanager
    def shown() -> Iterator[Shown]:
        loaded = load_task(ROOT / "examples" / name)
        _, maker = chosen_policy(loaded.default_policy, loaded, ROOT / "runs" / name)
        with (
            loaded.environment(0, worlds) as environment,
            EnvironmentViewer(
                environment, slot_policy(maker, environment, 0), port=0, label=loaded.name
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
    walls = "".join(
        _box(f"wall_{n}", place, size, ".85 .83 .78", "<static>true</static>")
        for n, (place, size) in enumerate([
            ("0 1.6 .3", "4.3 .1 .6"), ("0 -1.6 .15", "4.3 .1 .3"), ("2.1 0 .3", ".1 3.1 .6"),
            ("-2.1 .9 .3", ".1 1.3 .6"), ("-2.1 -.9 .3", ".1 1.3 .6"),
        ])
    )  # fmt: skip
    boxes = "".join(
        _box(name, place, ".3 .3 .3", color)
        for name, place, color in [
            ("red", ".2 .6 .15", ".8 .25 .2"), ("blue", ".25 .63 .45", ".2 .45 .75"),
            ("violet", ".22 .58 .75", ".6 .4 .75"), ("yellow", "1.1 -.5 .15", ".9 .75 .3"),
            ("green", "-.5 1 .15", ".3 .65 .45"), ("orange", ".4 -1 .15", ".9 .5 .2"),
            ("cyan", "1.4 .8 .15", ".3 .7 .8"),
        ]
    )  # fmt: skip
    robot = """<model name="robot"><pose>-.8 -.4 0 0 0 .4</pose><link name="body">
      <inertial><pose>0 0 .1 0 0 0</pose><mass>5</mass></inertial>
      <collision name="c"><pose>0 0 .12 0 0 0</pose><geometry><cylinder><radius>.2</radius>
        <length>.24</length></cylinder></geometry></collision>
      <visual name="v"><pose>0 0 .1 0 0 0</pose><geometry><cylinder><radius>.2</radius>
        <length>.2</length></cylinder></geometry><material><ambient>.15 .17 .2 1</ambient>
        <diffuse>.15 .17 .2 1</diffuse></material></visual>
      <visual name="eye"><pose>0 0 .23 0 0 0</pose><geometry><cylinder><radius>.09</radius>
        <length>.06</length></cylinder></geometry><material><ambient>.2 .45 .75 1</ambient>
        <diffuse>.2 .45 .75 1</diffuse></material></visual>
      <sensor name="lidar" type="gpu_lidar"><pose>0 0 .26 0 0 0</pose><update_rate>20</update_rate>
        <lidar><scan><horizontal><samples>90</samples><min_angle>-3.1</min_angle>
          <max_angle>3.1</max_angle></horizontal></scan><range><min>.3</min><max>6</max></range>
        </lidar></sensor></link></model>"""
    ground = """<light name="sun" type="directional"><direction>-.4 .3 -.9</direction></light>
      <model name="ground"><static>true</static><link name="link"><collision name="c"><geometry>
      <plane/></geometry></collision><visual name="v"><geometry><plane><size>40 40</size></plane>
      </geometry><material><ambient>.6 .68 .6 1</ambient><diffuse>.6 .68 .6 1</diffuse></material>
      </visual></link></model>"""
    text = f'<sdf version="1.7"><world name="yard">{ground}{walls}{boxes}{robot}</world></sdf>'
    with (
        World(MujocoSimulator(GazeboXMLLoader().load_world(text)), steps_per_tick=10) as world,
        Viewer(world, port=0, speed=1.0, label="Yard") as viewer,
    ):
        yield viewer, world.tick


def _box(name: str, place: str, size: str, color: str, more: str = "") -> str:
    """Returns a box; place and size in m."""
    shape = f"<geometry><box><size>{size}</size></box></geometry>"
    return f"""<model name="{name}">{more}<pose>{place} 0 0 0</pose><link name="link">
      <inertial><mass>8</mass><inertia><ixx>.12</ixx><iyy>.12</iyy><izz>.12</izz></inertia>
      </inertial><collision name="c">{shape}</collision><visual name="v">{shape}<material>
      <ambient>{color} 1</ambient><diffuse>{color} 1</diffuse></material></visual></link></model>"""


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


def rules(page: Page) -> None:
    """Shows the tree, and where things touch."""
    page.open("Show")
    page.check("Contact")
    page.open("Behaviour trees")
    page.choose("Tree", "courier_0")
    page.open("Show")
    page.wait(4)
    page.scroll("Behaviour trees")


def marks(page: Page) -> None:
    """Shows names, the rays of the lidar and the forces of contacts."""
    page.open("Show")
    for label in ("Names", "Contact", "Lidar"):
        page.check(label)
    page.scroll("Show")


def teleoperation(page: Page) -> None:
    """Takes the wheel of the robot, and shows what its lidar sees."""
    page.open("Show")
    page.check("Lidar")
    page.open("Drive")
    page.choose("By hand", "robot")
    page.scroll("Drive")


def plots(page: Page) -> None:
    """Plots rewards, and what a tick costs."""
    page.open("Rewards")
    page.check("Plot the rewards")
    page.open("Performance")
    page.check("Plot the performance")
    page.wait(30)
    page.scroll("Rewards")


WIDE, SMALL = (1280, 720), (1000, 580)
PICTURES = {
    "racetrack": Picture(
        task("racetrack"), WIDE, (4.0, -8.5, 5.0), (0.6, 0.0, 0.0), plots, steps=60
    ),
    "worlds": Picture(
        task("walk", 16), WIDE, (4.0, -4.6, 3.6), (0.9, -0.3, 0.0), Page.shoot, steps=60
    ),
    "rooms": Picture(house, SMALL, (1.4, -5.2, 4.6), (1.0, 0.0, 0.0), rules, steps=250),
    "marks": Picture(yard, SMALL, (-0.6, -4.2, 3.0), (0.6, 0.0, 0.0), marks, steps=60),
    "teleoperation": Picture(
        task("navigate"), SMALL, (-1.0, -4.6, 4.2), (0.0, 0.2, 0.0), teleoperation, steps=20
    ),
    "phone": Picture(
        task("push"), (390, 780), (1.3, -0.9, 1.1), (0.4, 0.0, 0.2), Page.shoot, steps=40
    ),
}


def draw(picture: Picture, driver: Any) -> Image.Image:
    """Returns a picture."""
    taken: list[Image.Image] = []
    with picture.shown() as (viewer, step):
        speed, viewer.control.speed = viewer.control.speed, None
        for _ in range(picture.steps):
            step()
        viewer.control.speed = speed
        viewer.server.initial_camera.position = picture.eye
        viewer.server.initial_camera.look_at = picture.target

        def look() -> None:
            width, height = picture.size
            metrics = {
                "width": width,
                "height": height,
                "deviceScaleFactor": 1,
                "mobile": width < 600,
            }
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            driver.get(viewer.url)
            page = Page(driver)
            page.element("//button[contains(., 'Pause')]")
            picture.act(page)
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
    with ExitStack() as stack:
        driver = webdriver.Chrome(options=options, service=service)
        stack.callback(driver.quit)
        driver.set_script_timeout(PATIENCE)
        for name in sys.argv[1:] or PICTURES:
            path = IMAGES / f"viewer-{name}.webp"
            draw(PICTURES[name], driver).save(path, quality=82, method=6)
            print(f"{path} {path.stat().st_size // 1000} kB", flush=True)


if __name__ == "__main__":
    main()
