# SPDX-License-Identifier: Apache-2.0
"""Models in MJCF are drawn as others."""

from __future__ import annotations

import pytest

from deepsim_spawn import MjcfModel, ModelSpawner

MODEL = """<mujoco model="pole"><worldbody><body name="base" pos="0 0 2"><freejoint/>
<geom type="box" size="0.1 0.2 0.3" rgba="1 0 0 1"/>
<body name="arm" pos="0 0 0.5"><joint/><geom type="sphere" size="0.1"/></body>
</body></worldbody></mujoco>"""


def test_a_model_in_mjcf_is_drawn(make_viewer, look, scenes):
    """Its geoms are meshes of the scene, at their links and in their colours."""
    viewer = make_viewer(scenes.described(), rate=1e6)
    client, world = look(viewer), viewer.world
    assert len(client.positions()) == 1
    ModelSpawner(MjcfModel(MODEL)).spawn(world, "pole")
    client.read(lambda it: len(it.positions()) == 3, world)
    base, arm = sorted(client.positions().tolist(), key=lambda each: each[2])[1:]
    assert arm[2] - base[2] == pytest.approx(0.5, abs=0.01)
    assert [255, 0, 0] in [each["batched_colors"].tolist() for each in client.batches()]
