# SPDX-License-Identifier: Apache-2.0
"""Scenarios compile, and scenes of them have the numbers that they say."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from deepsim_scenes import RejectedError, ScenarioError, load_scenario
from deepsim_scenes.language.scenic2 import with_library, with_new

pytestmark = pytest.mark.usefixtures("scenic")


@pytest.fixture(scope="module")
def compiled(kitchen, models):
    def compile_text(text, **options):
        file = kitchen / "one.scenic"
        file.write_text(text)
        return load_scenario(file, models, **options)

    return compile_text


@pytest.fixture(scope="module")
def figure_4(kitchen, models):
    return load_scenario(kitchen / "figure4.scenic", models)


def test_figure_4_as_printed_has_its_numbers(figure_4):
    """All that the scenario leaves to no chance, to 1e-6."""
    scene = figure_4.sample(seed=3)
    walls = [each for each in scene.objects if each.model.class_name == "GreyWall"]
    expected = [
        (0, 3.9, 7.9, math.pi / 2), (0, -3.9, 7.9, math.pi / 2),
        (-3.9, 0, 7.6, 0), (3.9, 0, 7.6, 0),
        (-2, 3.4, 2.4, math.pi / 2), (-2, 0.6, 2.4, math.pi / 2), (-0.85, 2, 2.6, 0),
    ]  # fmt: skip
    got = [(*each.pose.position[:2], each.size.y, each.pose.yaw) for each in walls]
    assert np.allclose(got, expected, rtol=0.0, atol=1e-6)
    first, second = (each for each in scene.objects if each.model.name == "cafe_table")
    assert np.allclose(first.pose.position[:2], (0.99999968, 0.00079633), rtol=0.0, atol=1e-6)
    assert np.allclose(second.pose.position[:2], (-2, 2), rtol=0.0, atol=1e-6)
    (fetch,) = scene.missions
    assert fetch.heading == pytest.approx(-1.57)
    assert fetch.forward_yaw == pytest.approx(math.pi / 2 - 1.57)


def test_what_is_random_stays_where_the_scenario_says(figure_4):
    """The shelf slides along its wall by the centre of its bounds, the lamp keeps to its region."""
    for number in range(5):
        scene = figure_4.sample(seed=7, number=number)
        (shelf,) = (each for each in scene.objects if each.model.name == "bookshelf")
        (lamp,) = (each for each in scene.objects if each.model.name == "LampAndStand")
        assert shelf.position.y == pytest.approx(-3.5)
        assert shelf.pose.position.y == pytest.approx(-3.5 + 0.2025)  # it is turned by 180 degrees
        assert max(abs(lamp.position.x + 2), abs(lamp.position.y + 2)) <= 1.75


def test_the_same_seed_gives_the_same_scene_in_any_process(kitchen, figure_4):
    code = (
        "import sys; from deepsim_scenes import read_models, load_scenario\n"
        "folder = sys.argv[1]\n"
        "models = read_models(folder + '/models.yaml')\n"
        "scenario = load_scenario(folder + '/figure4.scenic', models)\n"
        "scenario.sample(seed=1)\n"
        "print([tuple(each.pose) for each in scenario.sample(seed=5, number=2).objects])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(kitchen)], capture_output=True, text=True, check=True
    )
    here = [tuple(each.pose) for each in figure_4.sample(seed=5, number=2).objects]
    assert done.stdout.strip() == str(here)
    assert here != [tuple(each.pose) for each in figure_4.sample(seed=5, number=3).objects]


def test_global_generators_are_left_as_they_were(figure_4):
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    figure_4.sample()
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002


@pytest.mark.parametrize("module", ["gzscenic.model", "deepsim_scenes.model"])
def test_both_names_of_the_library_can_be_imported(compiled, module):
    scene = compiled(
        f"from {module} import *\nnew DemoCube at (1, 2, 0.5)\n", dimensions=3
    ).sample()
    (cube,) = scene.objects
    assert tuple(cube.position) == pytest.approx((1, 2, 0.5))
    assert tuple(cube.pose.position) == pytest.approx((1, 2, 0.47))


def test_sizes_are_drawn_from_half_to_double(compiled):
    """A crate changes each length, a barrel keeps round, a table is as it is."""
    scenario = compiled("ego = Crate at 0 @ 0\nBarrel at 0 @ 3\nCafeTable at 0 @ -3\n")
    sizes = np.array([[each.size for each in scenario.sample(0, n).objects] for n in range(40)])
    crate = sizes[:, 0] / (0.4, 0.6, 0.3)
    assert (crate.min(axis=0) > 0.5).all()
    assert (crate.max(axis=0) < 2.0).all()
    assert (np.ptp(crate, axis=0) > 1.0).all()
    assert np.allclose(sizes[:, 1, 0], sizes[:, 1, 1])
    assert np.ptp(sizes[:, 1, 2]) > 0.5
    assert np.allclose(sizes[:, 2], (0.913, 0.913, 0.775))


def test_the_workaround_for_stacks_of_the_paper(compiled):
    scene = compiled(
        "ego = CafeTable at 1 @ 1\n"
        "table = ego\n"
        "table.allowCollisions = True\n"
        "cube = DemoCube at table.position, with allowCollisions (True)\n"
        "cube.z = table.height + cube.height\n"
    ).sample()
    assert scene.objects[1].pose.position.z == pytest.approx(0.775 + 0.06)


def test_things_stand_on_and_under_others_in_space(compiled):
    """A cube lies on the table within Scenic's gap; a crate fits below its top, beside its leg."""
    scene = compiled(
        "from deepsim_scenes.model import *\n"
        "floor = RectangularRegion((0, 0, 0), 0, 6, 6)\n"
        "table = new CafeTable on floor\n"
        "new DemoCube on table.topSurface\n"
        "new DemoCube at table offset by (0.3, 0.3, 0)\n"
    ).sample()
    table, cube, below = scene.objects
    assert table.pose.position.z == pytest.approx(0.0, abs=1e-4)
    assert cube.pose.position.z == pytest.approx(0.775, abs=2e-4)
    assert math.hypot(*(below.position - table.position)[:2]) < 0.5


def test_a_scenario_without_a_workspace_has_that_of_the_published_models(compiled):
    """5 m along x and 10 m along y, also by its region's width and length."""
    scenario = compiled(
        "ego = DemoCube\ncreate_room(workspace.region.length, workspace.region.width)\n"
    )
    places = np.array([scenario.sample(number=n).objects[0].position for n in range(60)])
    assert (np.abs(places[:, :2]) <= (2.5, 5.0)).all()
    assert (np.ptp(places[:, :2], axis=0) > (3.0, 6.0)).all()
    walls = {tuple(np.round(each.position[:2], 9)) for each in scenario.sample().objects[1:]}
    assert walls == {(0, 4.9), (0, -4.9), (2.4, 0), (-2.4, 0)}


def test_points_and_lines_that_go_on_as_published_scenarios_have_them(compiled):
    """A gap between two crates, each beside an oriented point of its own."""
    scene = compiled(
        "workspace = Workspace(RectangularRegion(0 @ 0, 0, 9, 9))\n"
        "ego = Fetch at 0 @ -2\n"
        "gap = 4 * ego.width\n"
        "middle = OrientedPoint offset by Range(-1, 1) @ 1.5, facing Range(-30, 30) deg\n"
        "left = OrientedPoint at middle offset by -gap / 2 @ 0,\n"
        "    facing Range(60, 120) deg relative to middle.heading\n"
        "right = OrientedPoint at middle offset by gap / 2 @ 0,\n"
        "    facing Range(-120, -60) deg relative to middle.heading\n"
        "CafeTable ahead of left, with width 0.913\n"
        "CafeTable ahead of right\n"
    ).sample()
    first, second = scene.objects[1:]
    apart = math.dist(first.position[:2], second.position[:2])
    assert 4 * 0.57 + 0.7 < apart < 4 * 0.57 + 0.914


def test_what_cannot_be_met_names_the_requirement(compiled):
    scenario = compiled("ego = Crate at 0 @ 0\nBarrel at Range(-0.1, 0.1) @ 0\n")
    with pytest.raises(RejectedError, match=r"none of 30 samples.*Crate intersects") as caught:
        scenario.sample(limit=30)
    assert caught.value.samples == 30
    assert sum(caught.value.reasons.values()) == 30
    own = compiled("x = Range(0, 1)\nego = DemoCube at x @ 0\nrequire x > 2\n")
    with pytest.raises(RejectedError, match="requirement on line 3"):
        own.sample(limit=5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CafeTable at\n", r"one\.scenic:1: "),
        ("CafeTabel at 0 @ 0\n", r"one\.scenic"),
        ("new CafeTabel at 0 @ 0\n", "CafeTabel"),
        ("ego = Crate at 0 @ 0\nx = 1 / 0\n", r"one\.scenic:2: .*division"),
        ("Crate at 0 @ 0\n", "no ego is defined"),
        ("import no_such_module\n", "no_such_module"),
        ("create_room(2, 2, sides='NX')\n", "letters of 'NSWE'"),
    ],
)
def test_a_scenario_with_a_mistake_names_it(compiled, text, message):
    with pytest.raises(ScenarioError, match=message):
        compiled(text)


def test_rejected_samples_are_counted(compiled):
    """By the requirement that they did not meet; on average, three of four are rejected."""
    scenario = compiled(
        "x, y = Range(0, 1), Range(0, 1)\nego = DemoCube at x @ y\nrequire x > .5\nrequire y > .5\n"
    )
    scenes = [scenario.sample(0, number) for number in range(60)]
    for scene in scenes:
        assert sum(scene.rejections.values()) == scene.samples - 1
    counted = Counter()
    for scene in scenes:
        counted.update(scene.rejections)
    assert len(counted) == 2
    assert 60 * 2 < sum(counted.values()) < 60 * 4  # 3 on average


def test_a_requirement_that_raises_names_its_line(compiled):
    scenario = compiled("x = Range(0, 1)\nego = DemoCube at x @ 0\nrequire x > 1 / 0\n")
    with pytest.raises(ScenarioError, match=r"one\.scenic:3: ZeroDivisionError"):
        scenario.sample()


def test_in_space_things_stand_on_the_ground_by_default(compiled):
    scene = compiled(
        "from deepsim_scenes.model import *\n"
        "workspace = Workspace(RectangularRegion((0, 0, 0), 0, 6, 6))\n"
        "new Crate\nnew CafeTable\n"
    ).sample()
    for each in scene.objects:
        assert each.pose.position.z == pytest.approx(0.0, abs=1e-12)
        assert max(abs(each.position.x), abs(each.position.y)) <= 3.0


def test_objects_without_a_model_are_refused(compiled):
    with pytest.raises(ScenarioError, match="has no model"):
        compiled("ego = Object at 0 @ 0\n").sample()


def test_a_missing_scenario_is_named(models, tmp_path):
    with pytest.raises(ScenarioError, match=r"none\.scenic: cannot be read"):
        load_scenario(tmp_path / "none.scenic", models)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ego = Car\n", "ego = new Car\n"),
        ("Car at 0 @ 0, facing 3\n", "new Car at 0 @ 0, facing 3\n"),
        ("Car\n", "new Car\n"),
        ("new Car at 0 @ 0\n", "new Car at 0 @ 0\n"),
        ("class Van(Car):\n    width: 2\nVan\n", "class Van(Car):\n    width: 2\nnew Van\n"),
        ("x = [Car at i @ 0 for i in range(3)]\n", "x = [new Car at i @ 0 for i in range(3)]\n"),
        ("p = OrientedPoint on curb\n", "p = new OrientedPoint on curb\n"),
        ("isinstance(x, Car)\n", "isinstance(x, Car)\n"),
        ("from cars import Car\n", "from cars import Car\n"),
        ("x = 'Car at 0'  # Car at 0\n", "x = 'Car at 0'  # Car at 0\n"),
        ("a = Car at 1 @ 2; b = Car\n", "a = new Car at 1 @ 2; b = new Car\n"),
        ("def f():\n    return Car at 0 @ 0\n", "def f():\n    return new Car at 0 @ 0\n"),
        ("Car at 0 @ 0,\n    facing 3\n", "new Car at 0 @ 0,\n    facing 3\n"),
        (
            "ego = Car with width 3,\n  with length 2",
            "ego = new Car with width 3,\n  with length 2",
        ),
    ],
)
def test_new_is_written_where_scenic_2_makes_objects(old, new):
    assert with_new(old, ["Car"]) == new


def test_a_scenario_without_an_import_gets_that_of_the_paper():
    assert with_library("x = 3\n") == ("from gzscenic.model import *\nx = 3\n", 1)
    given = "# a\nfrom deepsim_scenes.model import *\n"
    assert with_library(given) == (given, 0)
