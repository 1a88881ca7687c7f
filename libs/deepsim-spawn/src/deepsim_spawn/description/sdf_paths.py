# SPDX-License-Identifier: Apache-2.0
"""Places of the fields of descriptions in SDF, which its reader and its writer follow.

A field such as ``width: int = field(default=320, metadata=sdf("image/width"))`` is all that both
need. Fields without this metadata have rules of their own, which reader and writer state.
"""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Final, NamedTuple, cast, get_type_hints

from deepsim_sync import Noise

_KEY: Final = "sdf"

MOMENTS: Final = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
"""The elements of an inertia tensor, row by row, by their names in SDF and URDF."""

BOUNCING: Final = {
    "bounce/threshold": 0.0,
    "contact/ode/kp": 2.5e10,
    "contact/ode/kd": 1e8,
    "contact/ode/max_vel": 100.0,
}
"""With these settings of its surface, a ball in Gazebo 11 bounces according to its restitution,
within 0.003 at steps of 1 and 2 ms. By default nothing bounces: a bounce needs a speed of
100000 m/s, and corrections are limited to 0.01 m/s. Without that limit, Gazebo's hard contacts
return 0.75 of the speed whatever the restitution is, so these settings also make them softer.
"""

_OF_NOISE: Final = {  # a class of deepsim-sync, which does not know SDF
    "mean": "mean",
    "stddev": "stddev",
    "bias_mean": "bias_mean",
    "bias_stddev": "bias_stddev",
    "drift_stddev": "dynamic_bias_stddev",
    "drift_time": "dynamic_bias_correlation_time",
    "precision": "precision",
}


def sdf(path: str, *, rare: bool = False) -> dict[str, Any]:
    """Returns the metadata of a field whose value is the element at a path.

    The path starts at the element of the description that has the field. A field whose type is a
    description itself has an element that holds the elements of that description's fields.
    A `rare` field is written only if it differs from its default.
    """
    return {_KEY: (path, rare)}


class SdfField(NamedTuple):
    """A field with a place in SDF."""

    name: str
    path: str
    rare: bool
    type: Any
    default: Any
    """The default, or `MISSING` if SDF requires the element."""
    nested: bool
    """Whether its value is a description with such fields itself."""


@cache
def sdf_fields(description: type) -> tuple[SdfField, ...]:
    """Returns the fields of a class of descriptions that have a place in SDF, in their order."""
    hints = get_type_hints(description)
    found = []
    for each in fields(description):
        metadata = sdf(_OF_NOISE[each.name]) if description is Noise else each.metadata
        if _KEY in metadata:
            made = each.default_factory
            default = each.default if made is MISSING else made()
            path, rare = metadata[_KEY]
            kind = hints[each.name]
            nested = is_dataclass(kind) and bool(sdf_fields(cast(type, kind)))
            found.append(SdfField(each.name, path, rare, kind, default, nested))
    return tuple(found)
