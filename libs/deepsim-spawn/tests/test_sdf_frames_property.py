# SPDX-License-Identifier: Apache-2.0
"""Random trees of frames and nested models against products of 4x4 matrices."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_spawn import GazeboXMLLoader

numbers = st.integers(-3000, 3000).map(lambda n: n / 1000)
poses = st.tuples(*[numbers] * 6)


@st.composite
def models(draw, name="top", depth=2):
    """A model as (xml without its pose, {frame: steps}); steps lead from the model frame to it.

    A step is a pose, or ("inverse of", steps) for a placement frame.
    """
    steps = {"__model__": []}
    links, parts = set(), []
    for index in range(draw(st.integers(1, 4))):
        own = f"{name}_{index}"
        kind = "link" if not index else draw(st.sampled_from(["link", "frame", "model"]))
        base = draw(st.sampled_from(sorted(steps)))
        pose = draw(poses)
        text = f"<pose relative_to='{base}'>{' '.join(map(str, pose))}</pose>"
        here = [*steps[base], pose]
        if kind == "model" and depth:
            xml, inner, inner_links = draw(models(own, depth - 1))
            placement = draw(st.sampled_from(sorted(inner)))
            parts.append(f"<model name='{own}' placement_frame='{placement}'>{text}{xml}</model>")
            here = [*here, ("inverse of", inner[placement])]
            steps |= {f"{own}::{key}": here + rest for key, rest in inner.items() if rest}
            links |= {f"{own}::{link}" for link in inner_links}
        elif kind == "link":
            parts.append(f"<link name='{own}'>{text}</link>")
            links.add(own)
        else:
            attached = draw(st.sampled_from(sorted(steps)))
            parts.append(f"<frame name='{own}' attached_to='{attached}'>{text}</frame>")
        steps[own] = here
    return "".join(draw(st.permutations(parts))), steps, links


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(models(), poses)
def test_every_link_is_where_the_product_of_matrices_puts_it(matrix, rpy_matrix, model, pose):
    def product(steps):
        result = np.eye(4)
        for step in steps:
            inverse = step[0] == "inverse of"
            result = result @ (np.linalg.inv(product(step[1])) if inverse else rpy_matrix(*step))
        return result

    xml, steps, links = model
    text = " ".join(map(str, pose))
    description = GazeboXMLLoader().load_model(
        f"<sdf version='1.9'><model name='top'><pose>{text}</pose>{xml}</model></sdf>"
    )
    found = {name: matrix(pose) for name, _, pose in description.all_links()}
    assert found.keys() == links
    np.testing.assert_allclose(matrix(description.pose), rpy_matrix(*pose), atol=1e-9)
    for name, actual in found.items():
        np.testing.assert_allclose(actual, product(steps[name]), atol=1e-9)
