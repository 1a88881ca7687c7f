# SPDX-License-Identifier: Apache-2.0
"""Scenes as files, as worlds of the embedded engine, and as a plot."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import pytest
import yaml

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_scenes import (
    RejectedError,
    Scene,
    SceneError,
    SceneObject,
    load_scenario,
    place_scenes,
    read_models,
    sample_settled,
    scene_world,
    settle,
    spawn_scenes,
    write_plot,
    write_scene,
)
from deepsim_spawn import Bounds, GazeboXMLLoader
from deepsim_sync import World


def placed(models, *places, number=0):
    """A scene of (name, position of the model frame, yaw, size or None)."""
    objects = []
    for index, (name, position, yaw, size) in enumerate(places):
        model = models[name]
        pose = Pose(position, Quaternion.from_euler(0.0, 0.0, yaw))
        size = Vector3(*size) if size else model.size
        objects.append(SceneObject(f"{name}_{index}", model, size, pose.position, yaw, pose))
    return Scene(tuple(objects), models, 0, number, 1, 2)


def test_gazebos_world_has_the_poses_of_the_scene(kitchen, models, scenic, tmp_path):
    """Figure 4 as written reads back as the described world: the same poses, the same sizes."""
    scene = load_scenario(kitchen / "figure4.scenic", models).sample(seed=2)
    write_scene(scene, tmp_path / "000")
    loader = GazeboXMLLoader([tmp_path / "000" / "models", kitchen / "models"])
    read = loader.load_world(tmp_path / "000" / "scene.world")
    described = scene_world(scene)
    assert [each.name for each in read.models] == [each.name for each in described.models]
    for own, other in zip(read.models, described.models, strict=True):
        assert np.allclose(own.pose, other.pose, rtol=0.0, atol=1e-12), own.name
        assert Bounds.of(own) == Bounds.of(other)
    poses = yaml.safe_load((tmp_path / "000" / "poses.yaml").read_text())
    (fetch,) = poses["fetch"]
    assert fetch == {"heading": -1.57, "x": 0.0, "y": 0.0, "z": 0.0, "yaw": np.pi / 2 - 1.57}
    assert "ROS" in (tmp_path / "000" / "poses.yaml").read_text()


def test_resized_copies_bring_their_meshes(tmp_path):
    """A mesh in the model's folder is copied, and the copy refers to its own."""
    folder = tmp_path / "models" / "wedge"
    folder.joinpath("meshes").mkdir(parents=True)
    folder.joinpath("meshes", "wedge.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    folder.joinpath("model.sdf").write_text(
        "<sdf version='1.6'><model name='wedge'><link name='a'><collision name='c'><pose>0.5 0 0 0"
        " 0 0</pose><geometry><mesh><uri>model://wedge/meshes/wedge.obj</uri></mesh></geometry>"
        "</collision></link></model></sdf>"
    )
    file = tmp_path / "models.yaml"
    file.write_text(
        "models_dir: models\nmodels:\n- name: wedge\n  type: CUSTOM_MODEL\n  dynamic_size: true\n"
    )
    models = read_models(file)
    write_scene(placed(models, ("wedge", (0, 0, 0), 0.0, (2, 2, 3))), tmp_path / "000")
    (copy,) = (tmp_path / "000" / "models").iterdir()
    text = (copy / "model.sdf").read_text()
    assert f"model://{copy.name}/meshes/wedge.obj" in text
    assert str(tmp_path) not in text
    folder.rename(tmp_path / "elsewhere")
    bounds = Bounds.of(GazeboXMLLoader(tmp_path / "000" / "models").load_model(copy))
    assert tuple(bounds.lower) == pytest.approx((1, 0, 0))
    assert tuple(bounds.upper) == pytest.approx((3, 2, 3))


def test_scenes_share_copies_of_models(models, tmp_path):
    """Walls of two lengths in three scenes make two folders, and every world finds its own."""
    for number, lengths in enumerate(((2, 3, 2), (3, 3, 3), (2, 2, 3))):
        walls = [
            ("grey_wall", (index, 0, 0), 0.0, (0.1, length, 1))
            for index, length in enumerate(lengths)
        ]
        write_scene(placed(models, *walls), tmp_path / f"{number:03d}", tmp_path / "models")
        read = GazeboXMLLoader([tmp_path / "models"]).load_world(
            tmp_path / f"{number:03d}" / "scene.world"
        )
        found = [Bounds.of(each).size.y for each in read.models if "wall" in each.name]
        assert found == pytest.approx(lengths)
        assert not (tmp_path / f"{number:03d}" / "models").exists()
    assert len([*(tmp_path / "models").iterdir()]) == 2


def test_a_folder_with_content_is_left_alone(models, tmp_path):
    kept = tmp_path / "000" / "mine.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    with pytest.raises(FileExistsError, match="choose another folder"):
        write_scene(placed(models, ("crate", (0, 0, 0), 0.0, None)), kept.parent)
    assert [each.name for each in kept.parent.iterdir()] == ["mine.txt"]


def test_the_users_world_is_added_to(models, tmp_path):
    """Its own models and text stay."""
    base = tmp_path / "base.world"
    base.write_text(
        "<sdf version='1.6'><world name='lab'><!-- mine --><model name='post'><static>1</static>"
        "<link name='a'/></model></world></sdf>"
    )
    text = "world: base.world\nmodels: [{name: crate, type: GAZEBO_MODEL}]\n"
    (tmp_path / "models.yaml").write_text(text)
    own = read_models(tmp_path / "models.yaml", models.search_path)
    scene = placed(own, ("crate", (1, 2, 0), 0.5, None))
    write_scene(scene, tmp_path / "out")
    assert "<!-- mine -->" in (tmp_path / "out" / "scene.world").read_text()
    read = GazeboXMLLoader(models.search_path).load_world(tmp_path / "out" / "scene.world")
    assert (read.name, [each.name for each in read.models]) == ("lab", ["post", "crate_0"])
    assert [each.name for each in scene_world(own and scene).models] == ["post", "crate_0"]


def test_every_world_has_a_scene_of_its_own(models):
    """Four worlds spawn four scenes, and one of them gets another without being compiled."""
    scenes = [
        placed(models, ("crate", (n, 1, 0), 0.3 * n, None), ("cafe_table", (0, -n - 1, 0), 0, None))
        for n in range(4)
    ]
    names = ["crate_0", "cafe_table_1"]
    with World(MujocoSimulator(worlds=4)) as world:
        spawn_scenes(world, scenes)
        generation = world.entities.generation
        rows = world.models.select(names)
        expected = np.array([[each.pose for each in scene.objects] for scene in scenes])
        assert np.allclose(rows.get("pose"), expected, atol=1e-12)
        other = placed(
            models, ("crate", (7, 7, 0), 1.0, None), ("cafe_table", (5, 5, 0), 2.0, None)
        )
        place_scenes(world, [other], np.array([2]))
        world.flush()
        world.refresh()
        expected[2] = [each.pose for each in other.objects]
        assert np.allclose(rows.get("pose"), expected, atol=1e-12)
        assert world.entities.generation == generation


def test_scenes_that_do_not_fit_together_are_refused(models):
    one = placed(models, ("crate", (0, 0, 0), 0, None))
    larger = placed(models, ("crate", (0, 0, 0), 0, (0.5, 0.6, 0.3)))
    two = placed(models, ("crate", (0, 0, 0), 0, None), ("crate", (2, 0, 0), 0, None))
    with World(MujocoSimulator(worlds=2)) as world:
        for scenes, message in (
            ([one, larger], r"has the size \(0\.5, 0\.6, 0\.3\) in scene 1.*dynamic_size: false"),
            ([one, two], "other objects"),
            ([one], "2 worlds need as many scenes, got 1"),
        ):
            with pytest.raises(SceneError, match=message):
                spawn_scenes(world, scenes)
        assert len(world.entities.names("models")) == 0


@pytest.mark.parametrize(
    ("places", "reasons"),
    [
        ([("crate", (0, 0, 0), 0, None), ("cafe_table", (3, 0, 0), 0, None)], ()),
        ([("crate", (0, 0, 0.3), 0, None)], ("crate_0 moves",)),
        ([("crate", (0, 0, -0.05), 0, None)], ("crate_0 overlaps ground_plane", "crate_0 moves")),
        ([("demo_cube", (0.4, 0, 0.775), 0, None), ("cafe_table", (0, 0, 0), 0, None)], ()),
        (
            [("demo_cube", (0.48, 0, 0.775), 0, None), ("cafe_table", (0, 0, 0), 0, None)],
            ("demo_cube_0 falls",),
        ),
    ],
)
def test_what_does_not_stand_is_reported(models, places, reasons):
    """Resting things pass; what hangs, sinks in, or topples over an edge does not."""
    report = settle(placed(models, *places), MujocoSimulator)
    assert report.reasons == reasons
    assert report.stands == (not reasons)


SLIPPERY = """\
<sdf version="1.6"><model name="{0}"><link name="link"><pose>0 0 0.1 0 0 0</pose>
<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry>
<surface><friction><ode><mu>1</mu><mu2>0.5</mu2></ode></friction></surface></collision></link>
</model></sdf>
"""


def test_settling_warns_once_of_what_the_engine_leaves_out(scenic, tmp_path):
    """For each of two models, although several samples of three scenes are rejected."""
    for name in ("left", "right"):
        tmp_path.joinpath(name).mkdir()
        tmp_path.joinpath(name, "model.sdf").write_text(SLIPPERY.format(name))
    tmp_path.joinpath("base.world").write_text("<sdf version='1.6'><world name='w'/></sdf>")
    tmp_path.joinpath("models.yaml").write_text(
        "world: base.world\nmodels:\n- {name: left, type: CUSTOM_MODEL}\n"
        "- {name: right, type: CUSTOM_MODEL}\n"
    )
    tmp_path.joinpath("one.scenic").write_text(
        "ego = Left at 0 @ 0, with z Uniform(0, 1)\n"
        "for i in range(3):\n    Right at 1 @ i, with z Uniform(0, 1)\n"
    )
    scenario = load_scenario(tmp_path / "one.scenic", read_models(tmp_path / "models.yaml"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        for number in range(3):
            with contextlib.suppress(RejectedError):
                sample_settled(scenario, MujocoSimulator, 0, number, seconds=0.1, limit=4)
    texts = [str(each.message) for each in said]
    assert len(texts) == 2, texts
    assert all("a second friction coefficient" in text for text in texts)


def test_the_plot_shows_the_workspace(kitchen, models, scenic, tmp_path):
    """Its dashed outline is 8 m wide, beyond the walls at 7.9 m."""
    from PIL import Image  # noqa: PLC0415 (of the extra)

    scenario = load_scenario(kitchen / "figure4.scenic", models)
    write_plot(scenario.sample(seed=2), tmp_path / "plot.png")
    pixels = np.asarray(Image.open(tmp_path / "plot.png").convert("RGB")).astype(int)
    gray = (np.ptp(pixels, axis=2) < 5) & (np.abs(pixels[..., 0] - 0.4 * 255) < 8)
    red = (pixels[..., 0] > 200) & (pixels[..., 1] < 60) & (pixels[..., 2] < 60)
    columns = np.nonzero(gray.sum(axis=0) > 100)[0]
    walls = np.nonzero(red.any(axis=0))[0]
    assert np.ptp(columns) / np.ptp(walls) == pytest.approx(8.0 / 7.9, abs=0.01)


def test_the_plot_shows_where_things_are(models, scenic, tmp_path):
    from PIL import Image  # noqa: PLC0415 (of the extra)

    scene = placed(models, ("crate", (0, 0, 0), 0, None), ("fetch", (2, 0, 0), 0, None))
    write_plot(scene, tmp_path / "plot.png")
    write_plot(scene, tmp_path / "same.png")
    pixels = np.asarray(Image.open(tmp_path / "plot.png").convert("RGB")).astype(int)
    red = (pixels[..., 0] > 200) & (pixels[..., 1] < 60) & (pixels[..., 2] < 60)
    blue = (pixels[..., 2] > 200) & (pixels[..., 0] < 60) & (pixels[..., 1] < 60)
    assert red.sum() > 100
    assert np.nonzero(blue)[1].mean() > np.nonzero(red)[1].mean()
    per_metre = np.ptp(np.nonzero(red)[1]) / 0.4  # the crate is 0.4 m wide, fetch 0.57 m
    assert np.ptp(np.nonzero(blue)[1]) / per_metre == pytest.approx(0.57, abs=0.03)
    assert (tmp_path / "plot.png").read_bytes() == (tmp_path / "same.png").read_bytes()
    with pytest.raises(ValueError, match="zoom must be > 0"):
        write_plot(scene, tmp_path / "none.png", zoom=0)
