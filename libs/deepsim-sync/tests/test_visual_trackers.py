# SPDX-License-Identifier: Apache-2.0
"""The paper's getter and setter of visuals."""

from __future__ import annotations

import pytest

from deepsim_math import Color, Material
from deepsim_sync import GetVisualTracker, SetVisualTracker, UnknownEntityError, Visual, World
from deepsim_sync.testing import TableSimulator

BALL, ARM = "ball::link::visual", "robot::arm::visual"
RED = Material(Color(0.5, 0, 0), Color(1, 0, 0), Color(0.1, 0.1, 0.1), Color(0, 0, 0, 0.5))


def test_visuals_come_by_name_in_the_order_asked_for(world: World) -> None:
    getter = world.get(GetVisualTracker)
    assert list(getter.get_visuals([ARM, BALL])) == [ARM, BALL]
    assert list(getter.get_visuals()) == list(world.entities.visuals)
    assert getter.get_visuals([]) == {}


def test_visuals_read_back_as_they_were_set(world: World) -> None:
    """Before they are sent and afterwards."""
    visuals = [Visual(BALL, RED, 0.25), Visual(ARM, Material(), 0.75, visible=False)]
    world.get(SetVisualTracker).set_visual(visuals[0])
    world.get(SetVisualTracker).set_visuals(iter(visuals[1:]))
    getter = world.get(GetVisualTracker)
    assert list(getter.get_visuals([BALL, ARM]).values()) == visuals
    world.tick()
    assert [getter.get_visual(BALL), getter.get_visual(ARM)] == visuals


def test_properties_are_set_apart(world: World, simulator: TableSimulator) -> None:
    """Only the property that is set is written."""
    setter = world.get(SetVisualTracker)
    setter.set_transparencies({BALL: 1})
    setter.set_visibles({ARM: False})
    setter.set_materials({ARM: RED})
    world.flush()
    (changes,) = simulator.calls("write")
    assert {column: cells.rows.tolist() for (_, column), cells in changes.cells.items()} == {
        "transparency": [0],
        "visible": [2],
        "ambient": [2],
        "diffuse": [2],
        "specular": [2],
        "emissive": [2],
    }


@pytest.mark.parametrize("visible", ["no", 2, None])
def test_what_is_no_bool_is_no_visibility(world: World, visible: object) -> None:
    """Nothing of the batch is set."""
    setter = world.get(SetVisualTracker)
    with pytest.raises(ValueError, match=f"visible of visuals .*'{BALL}' must be bool"):
        setter.set_visibles({ARM: False, BALL: visible})
    with pytest.raises(ValueError, match=f"visible of visuals .*'{BALL}' must be bool"):
        setter.set_visuals([Visual(ARM, RED), Visual(BALL, RED, visible=visible)])
    assert world.visuals.visible.all()
    assert not world.visuals.diffuse[..., :3].any()


def test_an_unknown_visual_is_told(world: World) -> None:
    """Nothing of the batch is set."""
    with pytest.raises(UnknownEntityError, match="no visual is named 'ball::link::paint'"):
        world.get(SetVisualTracker).set_transparencies({BALL: 0.5, "ball::link::paint": 0.5})
    with pytest.raises(UnknownEntityError, match="no visual is named 'ball'"):
        world.get(GetVisualTracker).get_visual("ball")
    assert world.get(GetVisualTracker).get_visual(BALL).transparency == 0.0
