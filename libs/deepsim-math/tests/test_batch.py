# SPDX-License-Identifier: Apache-2.0
"""The batch functions: equal to the values row by row; shapes, dtypes and blocks."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

import deepsim_math
from deepsim_math import (
    Euler,
    Pose,
    Quaternion,
    Vector3,
    angles,
    poses,
    quaternions,
    twists,
    vectors,
)
from deepsim_math import lerp_angle as scalar_lerp_angle

# name: kinds of its arguments, kind of its result, the same on values
FUNCTIONS = {
    "vectors.dot": ("vv", "s", lambda a, b: a.dot(b)),
    "vectors.cross": ("vv", "v", lambda a, b: a.cross(b)),
    "vectors.length": ("v", "s", lambda v: v.length),
    "vectors.distance": ("vv", "s", lambda a, b: a.distance(b)),
    "vectors.normalize": ("v", "v", lambda v: v.normalized()),
    "vectors.project": ("vv", "v", lambda a, b: a.project(b)),
    "quaternions.multiply": ("qq", "q", lambda a, b: a * b),
    "quaternions.conjugate": ("q", "q", lambda q: q.conjugate()),
    "quaternions.inverse": ("q", "q", lambda q: q.inverse()),
    "quaternions.normalize": ("q", "q", lambda q: q.normalized()),
    "quaternions.rotate": ("qv", "v", lambda q, v: q.rotate(v)),
    "quaternions.inverse_rotate": ("qv", "v", lambda q, v: q.inverse().rotate(v)),
    "quaternions.from_euler": ("e", "q", Quaternion.from_euler),
    "quaternions.to_euler": ("q", "e", lambda q: q.to_euler()),
    "quaternions.from_axis_angle": ("vs", "q", Quaternion.from_axis_angle),
    "quaternions.look_rotation": ("vv", "q", Quaternion.look_rotation),
    "quaternions.from_wxyz": ("q", "q", Quaternion.from_wxyz),
    "quaternions.to_wxyz": ("q", "q", lambda q: q.to_wxyz()),
    "quaternions.slerp": ("qqs", "q", lambda a, b, t: a.slerp(b, t)),
    "poses.compose": ("pp", "p", lambda a, b: a @ b),
    "poses.inverse": ("p", "p", lambda p: p.inverse()),
    "poses.relative": ("pp", "p", lambda a, b: a.relative(b)),
    "poses.transform_points": ("pv", "v", lambda p, v: p.transform_point(v)),
    "poses.inverse_transform_points": ("pv", "v", lambda p, v: p.inverse_transform_point(v)),
    "angles.wrap": ("s", "s", lambda a: -scalar_lerp_angle(0.0, -a, 1.0)),
    "angles.lerp": ("sss", "s", scalar_lerp_angle),
}
WIDTH = {"s": 0, "v": 3, "e": 3, "q": 4, "p": 7}
KIND = {"s": float, "v": Vector3, "e": Euler, "q": Quaternion, "p": Pose}


def named(name):
    """The batch function of a name such as ``vectors.dot``."""
    module, function = name.split(".")
    return getattr(getattr(deepsim_math, module), function)


def functions(wanted=lambda kinds: True):
    """Parametrise over the functions whose argument kinds are wanted."""
    table = {name: (named(name), *row) for name, row in FUNCTIONS.items() if wanted(row[0])}
    return pytest.mark.parametrize(
        ("function", "kinds", "result", "scalar"), list(table.values()), ids=list(table)
    )


every_function = functions()


def random_rows(kind, lead, seed=0):
    """Values with rotations at multiples of 45 degrees among them, and lengths other than 1."""
    rng = np.random.default_rng([seed, ord(kind)])
    rows = rng.normal(size=(*lead, WIDTH[kind])) if WIDTH[kind] else rng.normal(size=lead) * 3
    if kind == "q":
        turns = rng.integers(-4, 5, size=(*lead, 3)) * (math.pi / 4)
        special = quaternions.from_euler(turns)
        rows = np.where(rng.random(size=(*lead, 1)) < 0.5, rows, special)
    return rows


def arguments(kinds, lead):
    return [random_rows(kind, lead, seed) for seed, kind in enumerate(kinds)]


def value(kind, row):
    return float(row) if kind == "s" else KIND[kind].from_array(row)


@every_function
def test_each_row_equals_the_value(function, kinds, result, scalar):
    """f(batch)[i] == f(value i), in the shape that the kinds say."""
    rows = arguments(kinds, (200,))
    batch = function(*rows)
    assert batch.shape == (200, *([WIDTH[result]] if WIDTH[result] else []))
    assert batch.dtype == np.float64
    for i in range(200):
        single = scalar(*(value(kind, row[i]) for kind, row in zip(kinds, rows)))
        if result == "e":  # rounding may turn pi into -pi
            single = batch[i] + angles.wrap(np.asarray(single) - batch[i])
        np.testing.assert_allclose(batch[i], np.asarray(single), rtol=1e-12, atol=1e-12)


@every_function
def test_values_are_arguments_too(function, kinds, result, scalar):
    rows = arguments(kinds, ())
    values = [value(kind, row) for kind, row in zip(kinds, rows)]
    assert np.array_equal(function(*values), function(*rows))
    assert np.array_equal(function(*(np.asarray(v).tolist() for v in values)), function(*rows))


@every_function
@pytest.mark.parametrize("lead", [(), (0,), (1,), (2, 3), (3, 4099), (9000,)])
def test_blocks_and_leading_axes_change_nothing(function, kinds, result, scalar, lead):
    """However many rows there are, and however they are arranged."""
    rows = arguments(kinds, lead)
    batch = function(*rows)
    assert batch.shape == (*lead, *([WIDTH[result]] if WIDTH[result] else []))
    flat = [row.reshape(-1, *row.shape[len(lead) :]) for row in rows]
    for i in range(0, len(flat[0]), 997):
        np.testing.assert_allclose(
            batch.reshape(len(flat[0]), *batch.shape[len(lead) :])[i],
            function(*(row[i] for row in flat)),
            rtol=1e-12,
            atol=1e-12,
        )


@every_function
def test_leading_axes_broadcast(function, kinds, result, scalar):
    leads = [(5, 1), (4,), (1, 4)]
    rows = [random_rows(kind, lead) for kind, lead in zip(kinds, leads)]
    lead = np.broadcast_shapes(*leads[: len(kinds)])
    full = [
        np.broadcast_to(row, (*lead, *([WIDTH[kind]] if WIDTH[kind] else [])))
        for kind, row in zip(kinds, rows)
    ]
    np.testing.assert_allclose(function(*rows), function(*full), rtol=1e-12, atol=1e-12)


@every_function
def test_few_rows_and_many_give_the_same_numbers(function, kinds, result, scalar):
    """A handful is computed row by row on floats, more in arrays; all have the same bits."""
    rows = arguments(kinds, (40,))
    many = function(*rows)
    for count in (1, 2, 15, 16, 17, 18):
        few = function(*(row[:count] for row in rows))
        np.testing.assert_array_equal(few, many[:count])


@functions(lambda kinds: len(kinds) > 1)
def test_one_value_against_few_and_many_has_the_same_bits(function, kinds, result, scalar):
    """Whichever argument is the single one."""
    for single in range(len(kinds)):
        rows = arguments(kinds, (40,))
        one = rows[single][0]
        many = function(*(one if i == single else row for i, row in enumerate(rows)))
        for count in (1, 2, 16, 17):
            few = function(*(one if i == single else row[:count] for i, row in enumerate(rows)))
            np.testing.assert_array_equal(few, many[:count])


@every_function
def test_float32_is_kept(function, kinds, result, scalar):
    rows = arguments(kinds, (300,))
    if "slerp" in function.__name__:
        rows[0], rows[1] = np.abs(rows[0]), np.abs(rows[1])  # the sign of a tie is rounding
    single = function(*(row.astype(np.float32) for row in rows))
    assert single.dtype == np.float32
    if result != "e":  # at gimbal lock single precision finds other angles of the same rotation
        np.testing.assert_allclose(single, function(*rows), rtol=1e-3, atol=1e-4)
    mixed = function(rows[0].astype(np.float32), *rows[1:])
    assert mixed.dtype == (np.float64 if len(rows) > 1 else np.float32)


@every_function
def test_integers_are_read_as_float64(function, kinds, result, scalar):
    rows = [np.ones(row.shape, int) for row in arguments(kinds, (3,))]
    batch = function(*rows)
    assert batch.dtype == np.float64
    assert np.array_equal(batch, function(*(row.astype(float) for row in rows)))


@every_function
@pytest.mark.parametrize("count", [5, 50])
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_stays_in_its_row(function, kinds, result, scalar, count, bad):
    """No warning, no error, and the neighbours do not notice."""
    rows = arguments(kinds, (count,))
    expected = function(*rows)
    for row in rows:
        row[2] = bad
    batch = function(*rows)
    assert not np.isfinite(batch[2]).all()
    if math.isnan(bad):
        assert np.isnan(batch[2]).all()
    kept = [i for i in range(count) if i != 2]
    np.testing.assert_allclose(batch[kept], expected[kept], rtol=1e-15)


@functions(lambda kinds: set(kinds) != {"s"})  # angles have any shape
def test_wrong_shapes_are_refused(function, kinds, result, scalar):
    width = WIDTH[kinds[0]]
    rows = arguments(kinds, (4,))
    expected = rf"expected shape \(\.\.\., {width}\), got \(4, {width + 1}\)"
    with pytest.raises(ValueError, match=expected):
        function(np.ones((4, width + 1)), *rows[1:])
    if len(kinds) > 1:
        with pytest.raises(ValueError, match="broadcast"):
            function(rows[0][:3], *rows[1:])


@pytest.mark.parametrize(
    "name",
    [
        "vectors.normalize",
        "quaternions.inverse",
        "quaternions.normalize",
        "quaternions.rotate",
        "quaternions.to_euler",
        "quaternions.slerp",
        "poses.compose",
        "poses.inverse",
        "poses.transform_points",
        "quaternions.from_axis_angle",
        "quaternions.look_rotation",
    ],
)
@pytest.mark.parametrize("lead", [(2, 5000), (2, 7)])
def test_zero_length_is_refused_with_its_index(name, lead):
    """The index is that of the row in the whole array, not in its block."""
    rows = arguments(FUNCTIONS[name][0], lead)
    rows[0][1, lead[1] - 2] = 0.0
    with pytest.raises(ValueError, match=rf"at index \(1, {lead[1] - 2}\) has zero length"):
        named(name)(*rows)


@pytest.mark.parametrize("count", [5, 50])
@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-6, 1e-3, 1.0, 3.0])
@pytest.mark.parametrize(("t", "error"), [(0.3, 1e-15), (1.0, 1e-15), (-5.0, 2e-14), (300, 1e-10)])
def test_slerp_is_exact_however_small_the_angle(angle, count, t, error):
    """Beyond the ends, roundings grow with the square of t."""
    ends = np.zeros((count, 3)), np.tile([0.0, 0.0, angle], (count, 1))
    part = quaternions.slerp(*(quaternions.from_euler(end) for end in ends), t)
    expected = quaternions.from_euler(t * ends[1])
    np.testing.assert_allclose(part, expected, rtol=0, atol=error)
    value = Quaternion().slerp(Quaternion.from_euler(0, 0, angle), t)
    np.testing.assert_allclose(value, expected[0], rtol=0, atol=error)


def test_a_single_zero_quaternion_is_refused():
    with pytest.raises(ValueError, match="has zero length"):
        quaternions.rotate([0, 0, 0, 0], np.ones((5, 3)))
    with pytest.raises(ValueError, match="has zero length"):
        vectors.project(np.ones((5, 3)), [0, 0, 0])


def test_matrices():
    """There and back, in every shape; a matrix that is no rotation is refused."""
    q = random_rows("q", (20, 30))
    matrix = quaternions.to_matrix(q)
    assert matrix.shape == (20, 30, 3, 3)
    assert matrix[3, 4] == pytest.approx(Quaternion(*q[3, 4]).to_matrix(), abs=1e-12)
    back = quaternions.from_matrix(matrix)
    assert back[3, 4] == pytest.approx(np.asarray(Quaternion.from_matrix(matrix[3, 4])), abs=1e-12)
    assert np.allclose(quaternions.to_matrix(back), matrix, atol=1e-12)
    assert quaternions.from_matrix(matrix[0, 0].astype(np.float32)).dtype == np.float32
    with pytest.raises(ValueError, match=r"expected shape \(\.\.\., 3, 3\), got \(4, 4\)"):
        quaternions.from_matrix(np.eye(4))
    matrix[7, 7] *= 2
    with pytest.raises(ValueError, match=r"not a rotation matrix .* at index \(7, 7\)"):
        quaternions.from_matrix(matrix)


@pytest.mark.parametrize("count", [4, 40])
@pytest.mark.parametrize("forward", [(0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -2, 0), (1, 0, 0)])
def test_look_rotation_along_up(forward, count):
    """Where up does not say what is left, it is (0, 1, 0) or (-1, 0, 0), for batch and value."""
    for up in ((0, 0, 1), (0, 1, 0), (1, 0, 0), np.negative(forward)):
        batch = quaternions.look_rotation(np.tile(forward, (count, 1)), up)
        np.testing.assert_allclose(batch[-1], Quaternion.look_rotation(forward, up), atol=1e-15)
        turned = quaternions.rotate(batch, [1, 0, 0])
        np.testing.assert_allclose(turned[0], forward / np.linalg.norm(forward), atol=1e-15)
        if not np.cross(forward, up).any():
            left = quaternions.rotate(batch[0], [0, 1, 0])
            np.testing.assert_allclose(left, (-1, 0, 0) if forward[1] else (0, 1, 0), atol=1e-15)


@pytest.mark.parametrize(
    ("angle", "wrapped"),
    [(0, 0), (math.pi, math.pi), (-math.pi, math.pi), (3.5, 3.5 - math.tau), (-9 * math.tau, 0)],
)
def test_wrap_by_hand(angle, wrapped):
    assert angles.wrap(angle) == pytest.approx(wrapped)


def test_a_list_of_functions():
    """`dir` of a batch module, which completion shows, has its functions and nothing else."""
    for module in (angles, poses, quaternions, twists, vectors):
        names = dir(module)
        assert all(inspect.isfunction(getattr(module, name)) for name in names)
        assert not [name for name in names if name.startswith("_")]
    assert dir(angles) == ["lerp", "wrap"]
    assert {"rotate", "mean", "to_euler"} <= set(dir(quaternions))
