# SPDX-License-Identifier: Apache-2.0
"""What a browser is sent."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    Heightmap,
    MjcfModel,
    ModelSpawner,
    Sphere,
    Terrain,
    WorldDescription,
)
from deepsim_sync import World
from deepsim_viewer import Viewer


def places(world, number=0):
    """(n, 3) of all links, sorted."""
    found = world.links.pose[number, :, :3].astype(np.float32)
    return found[np.lexsort(found.T)]


def test_a_mesh_for_each_shape(make_viewer, look):
    """Boxes of different sizes share one mesh; each shape is sent once."""
    client = look(make_viewer())
    assert sorted(len(each["batched_positions"]) // 3 for each in client.batches()) == [1, 1, 1, 2]


def test_bodies_move(make_viewer, look):
    """The browser has the poses of the links, a tick or a frame late."""
    viewer = make_viewer(rate=1e6)
    client, world = look(viewer), viewer.world
    client.read(lambda it: it.positions()[:, 2].max() < 0.9, world)
    viewer.show()
    client.read(lambda it: np.array_equal(it.positions(), places(world)))


def test_colors_are_sent_as_linear_light(make_viewer, look, scenes):
    """The sRGB colour (38, 110, 200) is (5, 40, 147) in linear light, by IEC 61966-2-1."""
    client = look(
        make_viewer(
            scenes.described(scenes.model("box", Box(Vector3(1, 1, 1)), Pose(), scenes.BLUE))
        )
    )
    colors = [each["batched_colors"].tolist() for each in client.batches()]
    assert [5, 40, 147] in colors


def test_colors_follow_the_table(make_viewer, look):
    """A visual that turns red and half transparent does so in the browser."""
    viewer = make_viewer(rate=1e6)
    client, world = look(viewer), viewer.world
    row = world.visuals.select(["box_0::link::visual"])
    row.diffuse = (1.0, 0.0, 0.0, 1.0)
    row.emissive = (0.0, 0.0, 0.0, 1.0)
    client.read(lambda it: any([255, 0, 0] in _colors(each, 2) for each in it.batches()), world)
    row.emissive = (0.0, 0.0, 1.0, 1.0)  # light of its own is added
    client.read(lambda it: any([255, 0, 255] in _colors(each, 2) for each in it.batches()), world)
    row.transparency = 0.5
    client.read(lambda it: any(_opacities(each) == [0.5] for each in it.batches()), world)
    row.visible = False
    client.read(lambda it: len(it.positions()) == 4, world)


def _colors(batch, count):
    found = batch["batched_colors"].reshape(-1, 3).tolist()
    return found if len(found) == count else []


def _opacities(batch):
    found = batch["batched_opacities"]
    return None if found is None else np.round(found, 3).tolist()


def test_models_come_and_go(make_viewer, look, scenes):
    """A model that is spawned appears, one that is deleted disappears."""
    viewer = make_viewer(rate=1e6)
    client, world = look(viewer), viewer.world
    world.spawn(scenes.model("late", Sphere(0.2), Pose()), "late", Pose(Vector3(0, 0, 3)))
    client.read(lambda it: len(it.positions()) == 6, world)
    world.delete("late")
    world.delete("ball")
    client.read(lambda it: len(it.positions()) == 4, world)


def test_worlds_stand_in_a_grid(make_viewer, look, scenes):
    """Four worlds stand 10 m apart around the origin; the ground is drawn once."""
    boxes = scenes.described(
        scenes.model("box", Box(Vector3(1, 1, 1)), Pose(Vector3(0, 0, 2)), static=True)
    )
    client = look(make_viewer(boxes, worlds=4, spacing=10.0))
    assert client.positions().tolist() == [
        [-5, 5, 0], [-5, -5, 2], [5, -5, 2], [-5, 5, 2], [5, 5, 2],
    ]  # fmt: skip


def test_worlds_share_a_landscape(make_viewer, look, scenes):
    """It is drawn once, and robots of all worlds are at their own places on it."""
    heights = np.random.default_rng(0).uniform(0.0, 1.0, (4, 6))
    hills = Terrain(Heightmap(heights, (5.0, 3.0))).model("hills")
    box = scenes.model("box", Box(Vector3(1, 1, 1)), Pose(Vector3(1, 0, 2)), static=True)
    client = look(make_viewer(WorldDescription(models=(hills, box)), worlds=3))
    assert sorted(client.positions().tolist()) == [[0, 0, 0], *[[1, 0, 2]] * 3]


def test_no_more_worlds_than_asked_for(make_viewer, look):
    """Of five worlds two are shown."""
    client = look(make_viewer(worlds=5))
    assert len(client.positions()) == 5 * 4 + 1
    client = look(make_viewer(worlds=5, shown=2))
    assert len(client.positions()) == 2 * 4 + 1


def test_without_a_browser_nothing_is_read(make_viewer):
    """Nobody looks: the simulator is not asked for anything."""
    viewer = make_viewer()
    world = viewer.world
    reads = []
    plain = world.simulator.read
    world.simulator.read = lambda *a: (reads.append(a), plain(*a))
    for _ in range(10):
        world.tick()
    assert not reads


def test_at_most_so_many_frames(make_viewer, look):
    """With a browser, a hundred quick ticks read one frame at one frame in a hundred seconds."""
    viewer = make_viewer(rate=0.01)
    look(viewer)
    reads = []
    plain = viewer.world.simulator.read
    viewer.world.simulator.read = lambda *a: (reads.append(a), plain(*a))
    for _ in range(100):
        viewer.world.tick()
    assert len(reads) == 1


def test_the_run_is_the_same_with_and_without(make_viewer, look, scenes):
    """A viewer changes no bit of a run, nor does closing it."""
    alone = World(MujocoSimulator(scenes.falling()))
    viewer = make_viewer(rate=1e6)
    look(viewer)
    for number in range(300):
        alone.tick()
        viewer.world.tick()
        if number == 200:
            viewer.close()
    assert viewer.world.links.pose.tobytes() == alone.links.pose.tobytes()


@pytest.mark.parametrize("settings", [{"rate": 0.0}, {"rate": float("nan")}, {"shown": 0}])
def test_bad_settings(settings, scenes):
    """Nonsense is refused by name."""
    world = World(MujocoSimulator(scenes.falling()))
    with pytest.raises(ValueError, match=next(iter(settings))):
        Viewer(world, port=0, **settings)


def test_a_notebook_shows_the_page(make_viewer):
    """The output of a cell has the page in it, with its token."""
    viewer = make_viewer()
    assert f'src="{viewer.url}"' in viewer._repr_html_()


POLE = """<mujoco model="pole"><worldbody><body name="base" pos="0 0 2"><freejoint/>
<geom type="box" size="0.1 0.2 0.3" rgba="1 0 0 1"/>
<body name="arm" pos="0 0 0.5"><joint/><geom type="sphere" size="0.1"/></body>
</body></worldbody></mujoco>"""


def test_a_model_in_mjcf_is_drawn(make_viewer, look, scenes):
    """Its geoms are meshes of the scene, at their links and in their colours."""
    viewer = make_viewer(scenes.described(), rate=1e6)
    client, world = look(viewer), viewer.world
    assert len(client.positions()) == 1
    ModelSpawner(MjcfModel(POLE)).spawn(world, "pole")
    client.read(lambda it: len(it.positions()) == 3, world)
    base, arm = sorted(client.positions().tolist(), key=lambda each: each[2])[1:]
    assert arm[2] - base[2] == pytest.approx(0.5, abs=0.01)
    assert [255, 0, 0] in [each["batched_colors"].tolist() for each in client.batches()]


def test_a_jump_is_followed_in_the_same_frame(make_viewer, look, reach):
    """As when an episode ends: no picture is of the place that the model has left."""
    viewer = make_viewer(rate=1e6, follow="ball")
    ball = viewer.world.models.select(["ball"])
    row = viewer.world.entities.models.row("ball")
    camera = viewer.server.initial_camera
    look(viewer)
    viewer.show()
    before = np.array(camera.look_at)
    ball.put(pose=Pose((7.0, 0.0, 1.0)))
    viewer.show()
    reach(lambda: viewer.latest.models[0, row, 0] == 7.0)
    assert camera.look_at[0] - before[0] == pytest.approx(8.0, abs=1e-3)


CORNERS = "".join(f"v {x} {y} {z}\n" for z in (-1, 1) for y in (-1, 1) for x in (-1, 1))
FACES = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"


@pytest.mark.parametrize("place", ["0 0 0", "0.3 0 0.5"])
def test_a_mesh_is_framed_as_the_box_of_its_size(scenes, tmp_path, place):
    """The view is as near, and at the middle of the shape, wherever that is in its link."""
    (tmp_path / "cube.obj").write_text(CORNERS + FACES)
    cube = '<mesh name="cube" file="cube.obj" scale="0.05 0.05 0.05"/>'
    seen = []
    for shape in ('type="box" size="0.05 0.05 0.05"', 'type="mesh" mesh="cube"'):
        (tmp_path / "cube.xml").write_text(f"""<mujoco><asset>{cube}</asset><worldbody>
            <body name="link"><geom pos="{place}" {shape}/></body></worldbody></mujoco>""")
        with World(MujocoSimulator(scenes.described())) as world:
            world.spawn(MjcfModel(tmp_path / "cube.xml"), "cube", Pose((1.0, 0.0, 0.5)))
            with Viewer(world, port=0, follow="cube") as viewer:
                camera = viewer.server.initial_camera
                seen.append(np.array([*camera.look_at, *camera.position]))
    middle = np.array([1.0, 0.0, 0.5]) + np.array(place.split(), dtype=float)
    assert seen[0][:3] == pytest.approx(middle, abs=1e-6)
    assert seen[1] == pytest.approx(seen[0], abs=1e-3)
