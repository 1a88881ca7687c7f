# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser; skipped where there is no Chromium with its driver."""

from __future__ import annotations

import base64
import io
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from gymnasium.spaces import Discrete, MultiDiscrete
from PIL import Image

from deepsim_math import Color, Euler, Pose, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    LinkDescription,
    Mesh,
    MjcfModel,
    ModelDescription,
    Sphere,
    VisualDescription,
    WorldDescription,
)
from deepsim_sync import CameraView, World
from deepsim_viewer import Recording, ReplayViewer, WorldRecorder

selenium = pytest.importorskip("selenium.webdriver")
ActionChains, Keys = selenium.ActionChains, selenium.Keys
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

pytestmark = [
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="chromium and chromedriver are missing"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of selenium's connections
]
FLAGS = (
    "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1130,450",
)  # fmt: skip


HARMLESS = "Unable to preventDefault inside passive event listener"  # of viser, for a held button
RED = (255, 32, 96)  # of the arrow along x of a gizmo


@pytest.fixture(scope="module")
def browser():
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
def browse(browser, make_viewer, play):
    """Opens a page; before its viewer is closed its console must be free of errors."""

    def browse(url):
        browser.get(url)
        return browser

    yield browse
    severe = [each for each in browser.get_log("browser") if each["level"] == "SEVERE"]
    assert [each for each in severe if HARMLESS not in each["message"]] == []
    browser.get("about:blank")


def screenshot(driver):
    """The page; unlike a screenshot of chromedriver, it may take a busy machine more than 10 s."""
    data = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
    return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


def picture(driver):
    """(height, width, 3) of the part that the panel leaves free."""
    image = screenshot(driver)
    return np.asarray(image, dtype=np.float64)[:, : image.width - 330]


def blue(driver):
    """Middle (x, y) and number of the pixels that are as blue as the box [pixels]."""
    return blue_of(picture(driver))


def blue_of(image):
    """The same for a picture (height, width, 3)."""
    red, green, blue = np.moveaxis(image, -1, 0)
    y, x = np.nonzero((blue > red + 60) & (blue > green + 40))
    return (x.mean(), y.mean(), len(x)) if len(x) else (np.nan, np.nan, 0)


def becomes(condition, timeout):
    """Returns the value of a condition once it is true, or its last value after a time [s]."""
    end = time.monotonic() + timeout
    while not (value := condition()) and time.monotonic() < end:
        pass
    return value


def wait(condition):
    """Waits until a condition is true, and returns its value; a busy machine draws slowly."""
    value = becomes(condition, 120.0)
    assert value, "it never came true"
    return value


def resting(driver):
    """`blue` once the page shows the box, and two pictures of it are equal."""
    return wait(lambda: (seen := blue(driver))[2] > 200 and seen == blue(driver) and seen)


def test_the_page_shows_a_world_that_moves(browse, make_viewer, run, scenes):
    """A blue box is seen and moves; Pause holds it; the console is free of errors."""
    box = scenes.model("box", Box(Vector3(1.0, 1.0, 1.0)), Pose(Vector3(-1.0, -0.8, 1.0)))
    other = scenes.model("other", Box(Vector3(0.1, 0.1, 0.1)), Pose(Vector3(1.0, 0.8, 1.0)))
    viewer = make_viewer(scenes.described(box, other), shadows=False, speed=1.0, rate=5.0)
    world = viewer.world
    run(viewer, world.tick)
    driver = browse(viewer.url)
    x, _, _ = resting(driver)
    viewer.post(lambda: world.models.select(["box"]).put(pose=Pose(Vector3(-0.2, -0.2, 0.6))))
    wait(lambda: (seen := blue(driver))[2] > 200 and seen[0] - x > 30)
    (pause,) = [
        each for each in driver.find_elements("css selector", "button") if each.text == "Pause"
    ]
    pause.click()
    wait(lambda: viewer.control.paused)


def test_a_picture_and_a_film_of_the_view(browse, make_viewer, run, scenes, tmp_path):
    """Picture and Film download what the page shows: the box where it is, and then its way."""
    box = scenes.model("box", Box(Vector3(0.6, 0.6, 0.6)), Pose(Vector3(0.0, 0.0, 0.3)))
    viewer = make_viewer(scenes.described(box), shadows=False, speed=1.0, rate=5.0)
    world = viewer.world
    run(viewer, world.tick)
    driver = browse(viewer.url)
    folder = {"behavior": "allow", "downloadPath": str(tmp_path)}
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", folder)
    seen = resting(driver)

    def click(label):
        button = element(driver, f"//button[contains(., '{label}')]")
        driver.execute_script("arguments[0].click()", button)

    def downloaded(name):
        file = tmp_path / name
        wait(lambda: file.is_file() and file.stat().st_size)
        return Image.open(file)

    click("Picture")
    image = downloaded("view.png").convert("RGB")
    x, y, count = blue_of(np.asarray(image, dtype=np.float64))
    share = np.array([x / image.width, y / image.height])
    height, width, _ = picture(driver).shape
    np.testing.assert_allclose(share, (seen[0] / width, seen[1] / height), atol=0.05)
    assert count / image.width / image.height == pytest.approx(seen[2] / width / height, rel=0.3)
    click("Film")
    stop = element(driver, "//button[contains(., 'Stop film (')]")  # after the first frame
    viewer.post(lambda: world.models.select(["box"]).put(pose=Pose(Vector3(0.6, 0.5, 0.3))))
    wait(lambda: abs(blue(driver)[0] - seen[0]) > 40)
    for _ in range(2):  # the frame that is being drawn, and one more
        label = stop.text
        wait(lambda label=label: stop.text != label)
    click("Stop film")
    film = downloaded("view.webp")
    assert film.n_frames > 1
    film.seek(film.n_frames - 1)
    last = np.asarray(film.convert("RGB"), dtype=np.float64)
    assert abs(blue_of(last)[0] / film.width - share[0]) > 40 / width / 2


def test_a_model_is_inserted_and_deleted(browse, make_viewer, run, scenes):
    """Insert adds a box, which is seen and selected; Delete removes it, and Ctrl+Z is an undo."""
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
    driver.execute_script("document.activeElement.blur()")
    ActionChains(driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    wait(lambda: "box_0" in world.simulator.entities.models and blue(driver)[2] > 200)


def test_a_value_is_plotted(browse, make_viewer, run):
    """A plot is drawn in the panel when it is asked for, and not before."""
    viewer = make_viewer(shadows=False, speed=1.0, rate=5.0)
    run(viewer, viewer.world.tick)
    driver = browse(viewer.url)
    box = element(driver, "//label[contains(., 'Plot the values')]/following::input[1]")
    assert not driver.find_elements("css selector", ".uplot canvas")
    driver.execute_script("arguments[0].click()", box)
    wait(lambda: driver.find_elements("css selector", ".uplot canvas"))


def element(driver, path):
    """Waits for an element of the page."""
    return wait(lambda: next(iter(driver.find_elements("xpath", path)), None))


def pixels(driver, color):
    """(n, 2) pixels (x, y) of a colour, to 40 of 255."""
    y, x = np.nonzero(np.abs(picture(driver) - color).max(axis=-1) < 40)
    return np.stack([x, y], axis=-1)


def greenish(driver):
    """(n, 2) pixels (x, y) that are as green as the knob of the stick."""
    red, green, blue = np.moveaxis(picture(driver), -1, 0)
    y, x = np.nonzero((green > red + 30) & (green > blue + 15))
    return np.stack([x, y], axis=-1)


def drag(driver, start, way, then=lambda: None):
    """Drags the mouse from a pixel along a way [pixels], and lets go when something was done."""
    press, move, release = (ActionChains(driver, duration=100) for _ in range(3))
    x, y = start
    press.w3c_actions.pointer_action.move_to_location(int(x), int(y)).pointer_down()
    for part in np.linspace(0.2, 1.0, 5):
        pointer = move.w3c_actions.pointer_action
        pointer.move_to_location(int(x + part * way[0]), int(y + part * way[1]))
    release.w3c_actions.pointer_action.pointer_up()
    press.perform()
    move.perform()
    then()
    release.perform()


def test_a_model_is_dragged_by_its_gizmo(browse, make_viewer, run, scenes):
    """Drawn along its red arrow, the box moves along x alone, and rests there."""
    box = scenes.model("box", Box(Vector3(0.3, 0.3, 0.3)), Pose(Vector3(0.0, 0.0, 1.0)))
    far = scenes.model("far", Box(Vector3(0.1, 0.1, 0.1)), Pose(Vector3(2.0, 2.0, 2.0)))
    viewer = make_viewer(scenes.described(box, far), shadows=False, rate=5.0)
    world = viewer.world
    viewer.control.pause()
    run(viewer, world.tick)
    driver = browse(viewer.url)
    viewer.select("box")
    element(driver, "//label[contains(., 'Move by gizmo')]").click()
    wait(lambda: len(pixels(driver, RED)) > 50)
    found = pixels(driver, RED)

    def moved():
        return viewer.latest.models[0, viewer.latest.entities.models.row("box")]

    tip = found[found.sum(axis=1).argmax()] - (3, 3)  # x is to the right and down
    drag(driver, tip, (60, 25))
    wait(lambda: moved()[0] > 0.05)
    assert moved()[1:] == pytest.approx([0.0, 1.0, 0.0, 0.0, 0.0, 1.0, *np.zeros(6)], abs=1e-3)


AT_REST = """
const [button, done] = arguments;
const place = () => JSON.stringify(button.getBoundingClientRect());
const before = place(), { x, y, width, height } = button.getBoundingClientRect();
const above = document.elementFromPoint(x + width / 2, y + height / 2);
const twice = then => requestAnimationFrame(() => requestAnimationFrame(then));
twice(() => done(button.contains(above) && place() === before));
"""  # whether a button neither moves nor lies below the list that was just closed


def hold(driver, button, condition):
    """Holds a button until a condition is true; a page that moved below the mouse ends a press."""
    for _ in range(6):
        wait(lambda: driver.execute_async_script(AT_REST, button))
        ActionChains(driver).click_and_hold(button).perform()
        held = becomes(condition, 20.0)
        ActionChains(driver).release().perform()
        if held:
            return
    raise AssertionError("no press of the button was noticed")


@pytest.fixture
def stepping():
    """Steps an environment in a thread of its own, and collects its actions."""

    @contextmanager
    def stepping(viewer):
        acted, done = [], threading.Event()

        def drive():
            viewer.environment.world.claim()
            while not done.is_set():
                viewer.step()
                acted.append(viewer.environment.area.acted)

        with ThreadPoolExecutor(1) as pool:
            driving = pool.submit(drive)
            try:
                yield acted
            finally:
                done.set()
                driving.result()
        viewer.environment.world.claim()

    return stepping


def test_an_agent_is_driven_by_button_stick_keys_and_gamepad(browse, play, stepping):
    """Each acts while it is held, and not after it was let go."""
    viewer = play(shadows=False, rate=5.0)
    with stepping(viewer) as acted:
        driver = browse(viewer.url)
        folder = element(driver, "//*[text()='Drive']")
        driver.execute_script("arguments[0].scrollIntoView(); arguments[0].click()", folder)
        choice = element(driver, "//label[contains(., 'By hand')]/following::input[1]")
        wait(choice.is_displayed)
        driver.execute_script("arguments[0].scrollIntoView(); arguments[0].click()", choice)
        element(driver, "//*[@role='option' and contains(., 'pusher')]").click()
        element(driver, "//*[contains(text(), 'action 0')]")  # the last control
        button = element(driver, "//button[contains(., 'Hold 0 -')]")
        wait(lambda: acted[-1] == 0.0)
        hold(driver, button, lambda: acted[-1] == -1.0)
        wait(lambda: acted[-1] == 0.0)
        wait(lambda: len(greenish(driver)) > 50)
        knob = greenish(driver).mean(axis=0)
        drag(driver, knob, (20, 0), lambda: wait(lambda: acted[-1] > 0.3))
        wait(lambda: acted[-1] == 0.0)
        driver.execute_script("document.activeElement.blur()")
        for key, action in ((Keys.ARROW_RIGHT, 1.0), ("a", -1.0)):
            ActionChains(driver).key_down(key).perform()
            wait(lambda action=action: acted[-1] == action)
            ActionChains(driver).key_up(key).perform()
            wait(lambda: acted[-1] == 0.0)
        driver.execute_script(GAMEPAD, 0.5)
        wait(lambda: acted[-1] == 0.5)
        driver.execute_script(GAMEPAD, 0.05)  # a worn stick at rest
        wait(lambda: acted[-1] == 0.0)


@pytest.mark.parametrize(
    ("space", "keys", "chosen", "rest"),
    [
        (Discrete(3), "3", 2, 0),
        (Discrete(3, start=5), "2", 6, 5),
        (MultiDiscrete([4, 3]), "4w", [3, 1], [0, 0]),
    ],
)
def test_keys_make_discrete_choices(space, keys, chosen, rest, browse, play, stepping):
    """Each value of each choice has a key, which the page lists, and holds while it is held."""
    viewer = play(shadows=False, rate=5.0, space=space, driven="pusher")
    driver = browse(viewer.url)
    area = viewer.environment.area
    with stepping(viewer):
        choices = np.atleast_1d(chosen)
        for entry, (key, choice) in enumerate(zip(keys, choices, strict=True)):
            element(driver, f"//div[contains(., '{key.upper()}: action {entry} = {choice}')]")
        wait(lambda: area.chosen == rest)
        for key in keys:
            ActionChains(driver).key_down(key).perform()
        wait(lambda: area.chosen == chosen)
        for key in keys:
            ActionChains(driver).key_up(key).perform()
        wait(lambda: area.chosen == rest)


def test_a_gamepad_turns_the_camera(browse, make_viewer, run, scenes):
    """The right stick turns the view around the box, which then is elsewhere in the picture."""
    box = scenes.model("box", Box(Vector3(0.4, 0.4, 0.4)), Pose(Vector3(1.0, 0.0, 0.5)))
    other = scenes.model("other", Sphere(0.1), Pose(Vector3(-1.0, 0.0, 0.5)), Color(1, 0, 0))
    viewer = make_viewer(scenes.described(box, other), shadows=False, speed=1.0, rate=5.0)
    run(viewer, viewer.world.tick)
    driver = browse(viewer.url)
    seen = wait(lambda: (seen := blue(driver))[2] > 100 and seen)
    driver.execute_script(GAMEPAD, 0.0, 1.0)
    wait(lambda: abs(blue(driver)[0] - seen[0]) > 40)
    driver.execute_script(GAMEPAD, 0.0, 0.0)


GAMEPAD = """
const pad = { axes: [arguments[0], 0, arguments[1] ?? 0, 0], buttons: [] };
navigator.getGamepads = () => [null, pad];
window.dispatchEvent(new Event("gamepadconnected"));
"""  # as a browser reports sticks that are pushed to the right


def test_keys_pause_step_and_follow(browse, make_viewer, run, scenes):
    """Space pauses, N steps, F holds the view, Space plays; in a text field they are text."""
    viewer = make_viewer(shadows=False, speed=1.0, rate=5.0, follow="ball")
    run(viewer, viewer.world.tick)
    driver = browse(viewer.url)
    wait(lambda: "real time" in driver.find_element("css selector", "body").text)
    press = ActionChains(driver)
    press.send_keys(" ").perform()
    wait(lambda: viewer.control.paused)
    wait(lambda: "paused" in driver.find_element("css selector", "body").text)
    paused = viewer.latest.time[0]
    ActionChains(driver).send_keys("n").perform()
    wait(lambda: viewer.latest.time[0] > paused)
    assert viewer.control.paused
    follow = element(driver, "//label[contains(., 'Follow')]/following::input[1]")
    assert follow.is_selected()
    ActionChains(driver).send_keys("f").perform()
    wait(lambda: not follow.is_selected())
    seed = element(driver, "//label[contains(., 'Seed')]/following::input[1]")
    seed.click()
    seed.send_keys(" ")
    driver.execute_script("document.activeElement.blur()")
    assert viewer.control.paused
    ActionChains(driver).send_keys(" ").perform()
    wait(lambda: not viewer.control.paused)


GRIPPER = MjcfModel(
    """<mujoco model="gripper"><worldbody><body name="palm" pos="0 0 .5">
<geom type="box" size=".2 .5 .1"/>
<body name="left" pos=".3 .06 0"><joint name="left" type="slide" axis="0 1 0" range="0 .4"/>
  <geom type="box" size=".1 .05 .1" mass="1"/></body>
<body name="right" pos=".3 -.06 0"><joint name="right" type="slide" axis="0 -1 0" range="0 .4"/>
  <geom type="box" size=".1 .05 .1" mass="1"/></body></body></worldbody>
<tendon><fixed name="width"><joint joint="left" coef="1"/><joint joint="right" coef="1"/></fixed>
</tendon><actuator><general name="grip" tendon="width" gainprm="100" biasprm="0 -100 -30"
  biastype="affine" ctrlrange="0 .8"/></actuator></mujoco>"""
)


def test_a_gripper_is_opened_by_its_slider(browse, make_viewer, run, scenes):
    """End on the slider of an actuator sets its highest control; the panel shows the length."""
    viewer = make_viewer(scenes.described(), shadows=False, speed=1.0, rate=5.0)
    viewer.world.spawn(GRIPPER, "gripper", Pose())
    run(viewer, viewer.world.tick)
    driver = browse(viewer.url)
    wait(lambda: "gripper" in viewer.latest.entities.models)
    viewer.select("gripper")
    slider = element(driver, "//*[text()='grip']/following::*[@role='slider'][1]")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", slider)
    slider.send_keys(Keys.END)
    wait(lambda: viewer.latest.actuators[0, 0, 2] > 0.79)
    body = driver.find_element("css selector", "body")
    wait(lambda: "grip: 0.8, effort" in body.text)


COUNTING = """
window.frames_drawn = window.bound_again = 0;
const bind = Function.prototype.bind, bound = new WeakSet();
Function.prototype.bind = function (...given) {
  if (bound.has(this)) window.bound_again++;
  const made = bind.apply(this, given);
  bound.add(made);
  return made;
};
const count = () => { window.frames_drawn++; requestAnimationFrame(count); };
requestAnimationFrame(count);
"""


def test_the_page_does_not_grow_with_the_frames(browse, browser, make_viewer, run):
    """No function that is bound is bound again as frames go by, which would keep all of them."""
    given = {"source": COUNTING}
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", given)
    viewer = make_viewer(shadows=False, speed=1.0, rate=5.0)
    run(viewer, viewer.world.tick)
    driver = browse(viewer.url)
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    wait(lambda: blue(driver)[2] > 50)
    drawn, before = driver.execute_script("return [window.frames_drawn, window.bound_again]")
    wait(lambda: driver.execute_script("return window.frames_drawn") > drawn + 5)
    assert driver.execute_script("return window.bound_again") == before


CORNERS = [(x, y, z) for z in (-0.2, 0.2) for y in (-0.2, 0.2) for x in (-0.2, 0.2)]
SIDES = [(1, 2, 6, 5), (2, 4, 8, 6), (4, 3, 7, 8), (3, 1, 5, 7), (5, 6, 8, 7), (3, 4, 2, 1)]
CUBE = "".join(
    [
        *(f"v {x} {y} {z}\n" for x, y, z in CORNERS),
        "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n",
        *(f"f {a}/1 {b}/2 {c}/3 {d}/4\n" for a, b, c, d in SIDES),
    ]
)
TEXTURED = """<mujoco model="tile"><asset>
<mesh name="tile" file="tile.obj"/><texture name="tile" type="2d" file="tile.png"/>
<material name="tile" texture="tile"/></asset>
<worldbody><body><geom type="mesh" mesh="tile" material="tile"/></body></worldbody></mujoco>"""
QUARTERS = {"red": (220, 30, 30), "green": (30, 200, 30), "blue": (30, 30, 230), "grey": (40,) * 3}


def quarters(image):
    """(3, 2) middles (x, y) of the red, green and blue parts of a picture, in heights of all."""
    found = []
    for channel in range(3):
        others = np.delete(image, channel, axis=-1).max(axis=-1)
        y, x = np.nonzero(image[..., channel] > 2.0 * others + 30.0)
        found.append((x.mean(), y.mean()) if len(x) > 30 else (np.nan, np.nan))
    places = np.array(found)
    return (places - places.mean(axis=0)) / np.ptp(places[:, 1])


MJCF_BOX = """<mujoco model="tile"><asset><texture name="tile" type="2d" file="tile.png"/>
<material name="tile" texture="tile"/></asset>
<worldbody><body><geom type="box" size=".2 .2 .2" material="tile"/></body></worldbody></mujoco>"""
FACING = CameraView(Pose(Vector3(0.0, -2.0, 0.0), Euler(0.0, 0.0, np.pi / 2)), 0.8, 400, 400)


@pytest.fixture
def tile(tmp_path):
    """A model of a cube with a picture, by how it has it."""

    def tile(kind):
        colors = np.array([QUARTERS[name] for name in ("red", "green", "blue", "grey")], np.uint8)
        image = colors.reshape(2, 2, 3).repeat(32, axis=0).repeat(32, axis=1)
        Image.fromarray(image).save(tmp_path / "tile.png")
        (tmp_path / "tile.obj").write_text("mtllib tile.mtl\nusemtl tile\n" + CUBE)
        (tmp_path / "tile.mtl").write_text("newmtl tile\nmap_Kd tile.png\n")
        if kind.startswith("mjcf"):
            (tmp_path / "tile.xml").write_text(TEXTURED if kind == "mjcf mesh" else MJCF_BOX)
            return MjcfModel(tmp_path / "tile.xml")
        shape = Mesh(tmp_path / "tile.obj") if kind == "mesh" else Box((0.4, 0.4, 0.4))
        own = None if kind == "mesh" else tmp_path / "tile.png"
        links = (LinkDescription("tile", visuals=(VisualDescription("v", shape, texture=own),)),)
        return ModelDescription("tile", links=links, static=True)

    return tile


@pytest.mark.parametrize("kind", ["mjcf mesh", "mjcf box", "box", "mesh"])
def test_a_texture_is_as_in_a_film(browse, make_viewer, run, tile, kind):
    """The quarters of a picture on a cube lie as the engine's own renderer draws them."""
    viewer = make_viewer(WorldDescription(), shadows=False, rate=5.0, camera=FACING)
    world = viewer.world
    world.spawn(tile(kind), "tile", Pose())
    expected = quarters(world.render(FACING).astype(np.float64))
    assert np.isfinite(expected).all()
    run(viewer, world.tick)
    driver = browse(viewer.url)
    wait(lambda: np.abs(quarters(picture(driver)) - expected).max() < 0.1)


@pytest.fixture
def replay():
    """Opens viewers of recordings; closes them."""
    made = []

    def replay(path):
        made.append(ReplayViewer(Recording(path), port=0, shadows=False))
        return made[-1]

    yield replay
    for each in made:
        each.close()


def test_a_replay_shows_textures(replay, browse, tile, tmp_path):
    """A recording has them in itself: it is replayed without the files."""
    world = World(MujocoSimulator(WorldDescription()))
    world.spawn(tile("box"), "tile", Pose())
    with WorldRecorder(world, tmp_path / "run.mcap"):
        world.tick()
    expected = quarters(world.render(FACING).astype(np.float64))
    world.close()
    viewer = replay(tmp_path / "run.mcap")
    viewer.server.initial_camera.look_at = (0.0, 0.0, 0.0)
    viewer.server.initial_camera.position = tuple(FACING.pose.position)
    (tmp_path / "tile.png").unlink()
    driver = browse(viewer.url)
    wait(lambda: np.abs(quarters(picture(driver)) - expected).max() < 0.1)


@pytest.fixture
def screen(browser):
    """Sets the size of the page [pixels]; a narrow one is a phone's."""

    def screen(width, height):
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )

    yield screen
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("size", [(1280, 720), (1000, 640), (390, 800)])
def test_a_followed_model_stays_in_the_free_part(
    size, browse, browser, screen, make_viewer, run, scenes
):
    """After 1, 5 and 20 m at 1 m/s, the box is near the middle of what the panel leaves free.

    It waits there, since viser draws a mesh one picture after the view: far on a slow machine.
    """
    box = scenes.model("box", Box(Vector3(0.5, 0.5, 0.5)), Pose(Vector3(0.0, 0.0, 0.25)))
    ground = scenes.described(box)
    viewer = make_viewer(ground, shadows=False, rate=5.0, speed=4.0, follow="box", label="a box")
    world = viewer.world
    rows = world.models.select(["box"])

    def slide():
        rows.put(twist=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        world.tick()

    run(viewer, slide)
    screen(*size)
    driver = browse(viewer.url)
    panel = 330 if size[0] > 600 else 0

    def place():
        image = screenshot(driver)
        assert image.size == size
        free = np.asarray(image, dtype=np.float64)[: size[1] - 60, : size[0] - panel]
        red, green, blue = np.moveaxis(free, -1, 0)
        y, x = np.nonzero((blue > red + 60) & (blue > green + 40))
        return (x.mean() / free.shape[1], y.mean() / free.shape[0]) if len(x) > 100 else (0, 0)

    for way in (1.0, 5.0, 20.0):
        wait(
            lambda way=way: (
                viewer.latest.models[0, viewer.latest.entities.models.row("box"), 0] > way
            )
        )
        viewer.control.pause()
        wait(lambda: np.abs(np.array(place()) - 0.5).max() < 0.2)
        viewer.control.resume()
    assert driver.title == "a box - DeepSim"

    def is_open():
        buttons = driver.find_elements("xpath", "//button[contains(., 'Pause')]")
        return any(each.is_displayed() for each in buttons)

    wait(lambda: is_open() == (panel > 0))


def test_a_phone_shows_a_pause(browse, screen, make_viewer, run):
    """The head of the closed panel has the label, and says so while the world is paused."""
    viewer = make_viewer(shadows=False, rate=5.0, speed=1.0, label="a box")
    run(viewer, viewer.world.tick)
    screen(390, 800)
    driver = browse(viewer.url)
    text = driver.find_element("css selector", "body")
    wait(lambda: "a box" in text.text and "Pause" not in text.text)
    ActionChains(driver).send_keys(" ").perform()
    wait(lambda: "a box · paused" in text.text)
    ActionChains(driver).send_keys(" ").perform()
    wait(lambda: "paused" not in text.text)
