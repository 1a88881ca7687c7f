# SPDX-License-Identifier: Apache-2.0
"""Random trees of URDF links against products of 4x4 matrices."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_spawn import GazeboXMLLoader

numbers = st.integers(-3000, 3000).map(lambda n: n / 1000)
poses = st.tuples(*[numbers] * 6)
trees = st.lists(st.tuples(poses, st.integers(0, 10**6)), max_size=8)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees, st.randoms())
def test_every_link_is_where_the_product_of_matrices_puts_it(matrix, rpy_matrix, tree, random):
    """Link i + 1 hangs at a random one of the links before it; the file is in any order."""
    expected = {"l0": np.eye(4)}
    parts = ["<link name='l0'/>"]
    for index, (pose, choice) in enumerate(tree):
        parent, child = f"l{choice % (index + 1)}", f"l{index + 1}"
        expected[child] = expected[parent] @ rpy_matrix(*pose)
        xyz, rpy = (" ".join(map(str, pose[part])) for part in (slice(3), slice(3, 6)))
        parts += [
            f"<link name='{child}'/>",
            f"<joint name='{child}' type='continuous'><origin xyz='{xyz}' rpy='{rpy}'/>"
            f"<parent link='{parent}'/><child link='{child}'/></joint>",
        ]
    random.shuffle(parts)
    model = GazeboXMLLoader().load_model(f"<robot name='r'>{''.join(parts)}</robot>")
    found = {name: matrix(pose) for name, _, pose in model.all_links()}
    assert found.keys() == expected.keys()
    for name, actual in found.items():
        np.testing.assert_allclose(actual, expected[name], atol=1e-9)


def test_a_long_chain_is_no_recursion():
    links = "".join(f"<link name='l{i}'/>" for i in range(3001))
    joints = "".join(
        f"<joint name='j{i}' type='fixed'><origin xyz='0 0 1'/>"
        f"<parent link='l{i}'/><child link='l{i + 1}'/></joint>"
        for i in range(3000)
    )
    model = GazeboXMLLoader().load_model(f"<robot name='r'>{links}{joints}</robot>")
    assert model.links[3000].pose.position.z == 3000
