# SPDX-License-Identifier: Apache-2.0
"""The kernels beside those of MuJoCo Warp: copies to and from its fields, servos, checks."""

# The annotations are types of warp, which it evaluates: no `from __future__ import annotations`.

from typing import Any

from .imports import contact_material_params, vec5, wp

_LARGEST = wp.constant(1e10)  # MuJoCo's mjMAXVAL, above which it warns of a bad number
_UNLIMITED = wp.constant(wp.float64(1e12))  # no servo reaches this effort [N m or N]
BAD_POSITION, BAD_VELOCITY, BAD_ACCELERATION, BAD_CONTROL = 1, 2, 4, 8
"""Flags of the first number of a world's status."""


@wp.kernel
def unpack(state: wp.array2d(dtype=wp.float64), first: int, field: wp.array2d(dtype=Any)):
    """Copies a part of the states of all worlds to a field of the data."""
    world, number = wp.tid()
    field[world, number] = field.dtype(state[world, first + number])


@wp.kernel
def pack(
    field: wp.array2d(dtype=float),
    chosen: wp.array(dtype=wp.uint8),
    first: int,
    out: wp.array2d(dtype=wp.float64),
):
    """Copies a field of the data of chosen worlds to the buffer for the host."""
    world, number = wp.tid()
    if chosen[world] != wp.uint8(0):
        out[world, first + number] = wp.float64(field[world, number])


for scalar in (float, wp.uint8):  # all kernels compile at once, not when the first call needs them
    wp.overload(unpack, [wp.array2d(dtype=wp.float64), int, wp.array2d(dtype=scalar)])


@wp.kernel
def record(field: wp.array2d(dtype=float), step: int, out: wp.array3d(dtype=wp.float64)):
    """Keeps a field of the data after a step, (W, steps, n)."""
    world, number = wp.tid()
    out[world, step, number] = wp.float64(field[world, number])


@wp.kernel
def drive_servos(
    servos: wp.array(dtype=int),
    control_start: wp.array(dtype=int),
    state_start: wp.array(dtype=int),
    timestep: wp.array(dtype=float),
    dynamics: wp.array3d(dtype=float),
    bias: wp.array3d(dtype=float),
    control: wp.array2d(dtype=float),
    followed: wp.array2d(dtype=float),
    act: wp.array2d(dtype=float),
):
    """Evaluates MuJoCo's PID actuators without integral: the target moves at a limited speed.

    They become actuators whose force is ``act - stiffness * q - damping * v``, where ``act`` is
    ``stiffness * followed target + damping * target velocity + feedforward``.
    """
    world, number = wp.tid()
    servo = servos[number]
    at = control_start[servo]
    own = state_start[servo]
    reach = dynamics[world % dynamics.shape[0], servo, 1] * timestep[world % timestep.shape[0]]
    before = followed[world, own]
    target = wp.clamp(control[world, at], before - reach, before + reach)
    followed[world, own] = target
    row = world % bias.shape[0]
    held = -bias[row, servo, 1] * target - bias[row, servo, 2] * control[world, at + 1]
    act[world, own] = held + control[world, at + 2]


@wp.kernel
def store_targets(
    servos: wp.array(dtype=int),
    state_start: wp.array(dtype=int),
    followed: wp.array2d(dtype=float),
    act: wp.array2d(dtype=float),
):
    """Puts the followed targets of servos back among the states of all actuators."""
    world, number = wp.tid()
    own = state_start[servos[number]]
    act[world, own] = followed[world, own]


@wp.kernel
def free_servos(
    limits: wp.array2d(dtype=wp.float64),
    freed: wp.array2d(dtype=wp.float64),
    ranges: wp.array3d(dtype=float),
    exact: wp.array3d(dtype=wp.float64),
):
    """Lets light servos, which have finite limits, begin a step without limit."""
    world, servo = wp.tid()
    if wp.isfinite(limits[world, servo]):
        freed[world, servo] = wp.float64(1.0)
        _set_range(world, servo, -_UNLIMITED, _UNLIMITED, ranges, exact)


@wp.func
def _set_range(
    world: int,
    servo: int,
    low: wp.float64,
    high: wp.float64,
    ranges: wp.array3d(dtype=float),
    exact: wp.array3d(dtype=wp.float64),
):
    ranges[world, servo, 0] = float(low)
    ranges[world, servo, 1] = float(high)
    exact[world, servo, 0] = low
    exact[world, servo, 1] = high


@wp.kernel
def limit_servos(
    limits: wp.array2d(dtype=wp.float64),
    damping: wp.array2d(dtype=wp.float64),
    push: wp.array2d(dtype=wp.float64),
    dofs: wp.array(dtype=int),
    chosen: wp.array(dtype=wp.uint8),
    force: wp.array2d(dtype=float),
    before: wp.array2d(dtype=float),
    after: wp.array2d(dtype=float),
    freed: wp.array2d(dtype=wp.float64),
    ranges: wp.array3d(dtype=float),
    exact: wp.array3d(dtype=wp.float64),
    exceeds: wp.array(dtype=int),
):
    """Gives the servo that exceeds its limit by the largest factor the effort of its limit.

    The effort of a step is ``force - damping * (after - before) - push * after``, for velocities
    before and after it. `exceeds` becomes 1 if there is such a servo in any chosen world.
    """
    world = wp.tid()
    if chosen[world] == wp.uint8(0):
        return
    worst = int(-1)
    largest = wp.float64(0.0)
    limited = wp.float64(0.0)
    for servo in range(limits.shape[1]):
        if freed[world, servo] != wp.float64(0.0):
            now = wp.float64(after[world, dofs[servo]])
            change = now - wp.float64(before[world, servo])
            effort = wp.float64(force[world, servo]) - damping[world, servo] * change
            effort -= push[world, servo] * now
            limit = limits[world, servo]
            factor = wp.abs(effort) / limit
            if wp.abs(effort) > limit and (worst < 0 or factor > largest):
                worst = servo
                largest = factor
                limited = wp.where(effort < wp.float64(0.0), -limit, limit)
    if worst >= 0:
        freed[world, worst] = wp.float64(0.0)
        # Equal ends of a range make MuJoCo apply just this effort.
        _set_range(world, worst, limited, limited, ranges, exact)
        exceeds[0] = 1


@wp.kernel
def pack_forces(
    force: wp.array2d(dtype=float),
    is_limited: wp.array(dtype=bool),
    ranges: wp.array3d(dtype=float),
    exact: wp.array3d(dtype=wp.float64),
    chosen: wp.array(dtype=wp.uint8),
    out: wp.array2d(dtype=wp.float64),
):
    """Copies the forces of actuators; one at its limit has all 64 bits of the limit."""
    world, number = wp.tid()
    if chosen[world] == wp.uint8(0):
        return
    value = force[world, number]
    result = wp.float64(value)
    if is_limited[number]:
        row = world % ranges.shape[0]
        if value <= ranges[row, number, 0]:
            result = exact[row, number, 0]
        elif value >= ranges[row, number, 1]:
            result = exact[row, number, 1]
    out[world, number] = result


@wp.func
def _is_bad(value: float) -> bool:
    return not (wp.abs(value) < _LARGEST)  # true for NaN


@wp.kernel
def check(
    position: wp.array2d(dtype=float),
    velocity: wp.array2d(dtype=float),
    acceleration: wp.array2d(dtype=float),
    control: wp.array2d(dtype=float),
    overflow: wp.array(dtype=int),
    chosen: wp.array(dtype=wp.uint8),
    out: wp.array2d(dtype=wp.float64),
):
    """Writes the flags of bad numbers and of exceeded capacities of each world."""
    world = wp.tid()
    if chosen[world] == wp.uint8(0):
        out[world, 0] = wp.float64(0.0)
        out[world, 1] = wp.float64(0.0)
        return
    flags = int(0)
    for i in range(position.shape[1]):
        if _is_bad(position[world, i]):
            flags = flags | BAD_POSITION
    for i in range(velocity.shape[1]):
        if _is_bad(velocity[world, i]):
            flags = flags | BAD_VELOCITY
        if _is_bad(acceleration[world, i]):
            flags = flags | BAD_ACCELERATION
    for i in range(control.shape[1]):
        if not wp.isfinite(control[world, i]):
            flags = flags | BAD_CONTROL
    out[world, 0] = wp.float64(flags)
    out[world, 1] = wp.float64(overflow[world])


@wp.func
def _sign(number: int) -> int:
    return wp.where(number > 0, 1, wp.where(number < 0, -1, 0))


@wp.kernel
def mix_surfaces(
    count: wp.array(dtype=int),
    geoms: wp.array(dtype=wp.vec2i),
    worlds: wp.array(dtype=int),
    pairs: wp.array(dtype=wp.vec2i),
    described: wp.array(dtype=int),
    priorities: wp.array2d(dtype=int),
    dimensions: wp.array(dtype=int),
    mixes: wp.array2d(dtype=float),
    references: wp.array2d(dtype=wp.vec2),
    impedances: wp.array2d(dtype=vec5),
    frictions: wp.array2d(dtype=wp.vec3),
    adhesions: wp.array2d(dtype=float),
    pair_dimensions: wp.array(dtype=int),
    pair_references: wp.array2d(dtype=wp.vec2),
    pair_friction_references: wp.array2d(dtype=wp.vec2),
    pair_impedances: wp.array2d(dtype=vec5),
    pair_adhesions: wp.array2d(dtype=float),
    pair_frictions: wp.array2d(dtype=vec5),
    dimension: wp.array(dtype=int),
    friction: wp.array(dtype=vec5),
    reference: wp.array(dtype=wp.vec2),
    impedance: wp.array(dtype=vec5),
):
    """Sets the parameters of contacts by the priorities that geoms have in each world.

    MuJoCo Warp applies MuJoCo's rule (documentation, Computation, "Contact") to the priorities of
    the model, which are the same in all worlds. Contacts of explicit pairs keep their own
    parameters.
    """
    number = wp.tid()
    if number >= count[0]:
        return
    both = geoms[number]
    one = both[0]
    other = both[1]
    if one < 0 or other < 0:
        return
    for pair in range(pairs.shape[0]):
        if pairs[pair] == both or pairs[pair] == wp.vec2i(other, one):
            return
    world = worlds[number]
    own = priorities[world]
    if _sign(own[one] - own[other]) == _sign(described[one] - described[other]):
        return  # MuJoCo Warp has done it, with bits that another kernel may not have
    size, sliding, soft, _soft_sliding, hard, _adhesion = contact_material_params(
        dimensions, own, mixes, references, impedances, frictions, adhesions,
        pair_dimensions, pair_references, pair_friction_references, pair_impedances,
        pair_adhesions, pair_frictions, both, -1, world,
    )  # fmt: skip
    dimension[number] = size
    friction[number] = sliding
    reference[number] = soft
    impedance[number] = hard


@wp.kernel
def gather(
    field: wp.array2d(dtype=float), places: wp.array(dtype=int), out: wp.array2d(dtype=float)
):
    """Copies some numbers of a field, (W, n)."""
    world, row = wp.tid()
    out[world, row] = field[world, places[row]]


@wp.func
def _placed(place: wp.vec3, stored: wp.quat, frames: wp.array2d(dtype=float), row: int):
    """Composes the pose of a body with a frame in it, x y z and quaternion x y z w.

    MuJoCo Warp stores quaternions as w, x, y, z.
    """
    turn = wp.quat(stored[1], stored[2], stored[3], stored[0])
    within = wp.transform(
        wp.vec3(frames[row, 0], frames[row, 1], frames[row, 2]),
        wp.quat(frames[row, 3], frames[row, 4], frames[row, 5], frames[row, 6]),
    )
    return wp.transform_multiply(wp.transform(place, turn), within)


@wp.kernel
def link_poses(
    positions: wp.array2d(dtype=wp.vec3),
    turns: wp.array2d(dtype=wp.quat),
    bodies: wp.array(dtype=int),
    frames: wp.array2d(dtype=float),
    out: wp.array3d(dtype=float),
):
    """Composes the poses of bodies with those of links in them, (W, n, 7)."""
    world, row = wp.tid()
    body = bodies[row]
    pose = _placed(positions[world, body], turns[world, body], frames, row)
    for i in range(7):
        out[world, row, i] = pose[i]


@wp.kernel
def aim_camera(
    positions: wp.array2d(dtype=wp.vec3),
    turns: wp.array2d(dtype=wp.quat),
    body: int,
    frames: wp.array2d(dtype=float),
    camera: int,
    places: wp.array2d(dtype=wp.vec3),
    axes: wp.array2d(dtype=wp.mat33),
):
    """Places a camera on a body by its frame in each world, (W, 7).

    MuJoCo's cameras look along -z with +y up, those of descriptions along +x with +z up.
    """
    world = wp.tid()
    pose = _placed(positions[world, body], turns[world, body], frames, world)
    places[world, camera] = wp.transform_get_translation(pose)
    turn = wp.quat_to_matrix(wp.transform_get_rotation(pose))
    axes[world, camera] = turn * wp.mat33(0.0, 0.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0)


@wp.kernel
def aim_rays(
    places: wp.array2d(dtype=wp.vec3),
    turns: wp.array2d(dtype=wp.mat33),
    site: int,
    rays: wp.array(dtype=wp.vec3),
    origins: wp.array2d(dtype=wp.vec3),
    directions: wp.array2d(dtype=wp.vec3),
):
    """Turns the rays of a sensor into the frame of each world."""
    world, ray = wp.tid()
    origins[world, ray] = places[world, site]
    directions[world, ray] = turns[world, site] * rays[ray]
