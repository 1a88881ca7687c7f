# SPDX-License-Identifier: Apache-2.0
"""Models of actuators: DC motors, actuator networks, and delays of any controller.

A PD servo with an effort limit is `JointPosition`; the engine evaluates it in every physics step.
The models here compute an effort in each tick of the world, which is held until the next one. For
efforts at the rate of the physics, make the world with ``steps_per_tick=1``.
"""

from __future__ import annotations

import importlib
import re
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers
from deepsim_sync.untrusted import expect_floats, read_arrays

from .controller import Controller, Drive, Floats, Pair, PerJoint, bounds, gains_of, limits_of
from .joint_position import position_limits

Network: TypeAlias = Callable[[Floats], NDArray[np.floating]]
"""A function of k inputs for each joint, (w, n, k), that returns an effort for each, (w, n).

It must give a world the same bits for any w; see the rules of `deepsim_envs.Area`.
"""
_NAME = re.compile(r"activation|(weights|bias)_\d{1,3}")
_LONG = 0.01  # a tick in which a held effort differs from a motor's [s]
_OTHERS = "delayed "  # prefix of the memory of a delayed drive
_ACTIVATIONS: Mapping[str, Callable[[Floats], Floats]] = {
    "tanh": np.tanh,
    "relu": lambda values: np.maximum(values, 0.0),
    "elu": lambda values: np.where(values > 0.0, values, np.expm1(np.minimum(values, 0.0))),
    "softsign": lambda values: values / (1.0 + np.abs(values)),
    "sigmoid": lambda values: 0.5 + 0.5 * np.tanh(0.5 * values),
}


@dataclass(frozen=True, kw_only=True)
class DCMotor(Controller):
    """Drives joints to target positions [rad or m] by DC motors with a torque-speed curve.

    The motor's controller asks for the effort ``stiffness (target - q) - damping q'``. With the
    velocity q', the motor offers at most ``saturation_effort (1 - q' / velocity_limit)``, at least
    ``saturation_effort (-1 - q' / velocity_limit)``, and never more than the effort limit. The
    effort is computed in each tick.

    >>> motor = DCMotor(stiffness=25.0, damping=0.5, saturation_effort=24.0, velocity_limit=30.0)
    >>> config = replace(find_robot("arm").load(), parts={"arm": Part(["joint_.*"], motor)})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.set_action(np.ones(6))
    >>> robot.world.tick()
    >>> bool((np.abs(robot.joints.rows.feedforward[:, :6]) <= 24.0).all())
    True

    Attributes:
        stiffness, damping: Gains of the motor's controller; by default the robot's.
        saturation_effort: Effort at velocity 0, without the limit (stall torque) [N m or N]; by
            default the effort limit.
        velocity_limit: Velocity at which the motor has no effort left (no-load speed) [rad/s or
            m/s]; by default the joint's velocity limit.
        effort_limit: Largest effort, such as that of the gear or the largest current [N m or N]; by
            default the joint's.
        lower: Lowest target; by default the joint's lower limit, or -pi if it has none.
        upper: Highest target; by default the joint's upper limit, or pi if it has none.
    """

    stiffness: PerJoint | None = None
    damping: PerJoint | None = None
    saturation_effort: PerJoint | None = None
    velocity_limit: PerJoint | None = None
    effort_limit: PerJoint | None = None
    lower: PerJoint | None = None
    upper: PerJoint | None = None

    def drive(self, joints: JointGroup) -> MotorDrive:
        """Returns the drive; its gains can be changed per world."""
        gains = gains_of(joints, self.stiffness, self.damping, held=True)
        limits = limits_of(joints, self.lower, self.upper, position_limits(joints))
        curve = _curve(joints, self.saturation_effort, self.velocity_limit, self.effort_limit)
        return MotorDrive(joints, limits, curve, gains)


@dataclass(frozen=True, kw_only=True)
class ActuatorNetwork(Controller):
    """Drives joints to target positions [rad or m] by a network that has learnt an actuator.

    The network maps the errors ``target - q`` and velocities q' of a joint, of this and earlier
    ticks, to its effort, as proposed by J. Hwangbo et al., Learning agile and dynamic motor skills
    for legged robots, Science Robotics, 2019. All joints share the network.

    >>> spring = lambda inputs: 20.0 * inputs[..., 0] - 2.0 * inputs[..., 1]
    >>> learnt = ActuatorNetwork(network=spring, history=[0])
    >>> config = replace(find_robot("arm").load(), parts={"arm": Part(["joint_.*"], learnt)})
    >>> Robot(World(MujocoSimulator()), config, "arm").action_size
    6

    Attributes:
        network: An ``.onnx`` file with one input and one output (needs the extra
            ``deepsim-robots[onnx]``); an ``.npz`` file with arrays ``weights_0`` (out, in),
            ``bias_0`` (out,), ``weights_1``, ... and the name of an ``activation`` between layers
            (tanh, relu, elu, softsign or sigmoid; by default tanh); or a `Network`.
        history: The ticks back whose values the network gets, the present first.
        position_scale, velocity_scale, effort_scale: Factors of errors, velocities and the output.
        input_order: Whether errors or velocities are the first inputs.
        saturation_effort, velocity_limit, effort_limit: Limits, as for `DCMotor`; without
            ``saturation_effort``, only the effort limit counts.
        lower: Lowest target; by default the joint's lower limit, or -pi if it has none.
        upper: Highest target; by default the joint's upper limit, or pi if it has none.
    """

    network: str | Path | Network
    history: Sequence[int] = (0, 1, 2)
    position_scale: float = 1.0
    velocity_scale: float = 1.0
    effort_scale: float = 1.0
    input_order: Literal["position_velocity", "velocity_position"] = "position_velocity"
    saturation_effort: PerJoint | None = None
    velocity_limit: PerJoint | None = None
    effort_limit: PerJoint | None = None
    lower: PerJoint | None = None
    upper: PerJoint | None = None

    def __post_init__(self) -> None:
        if not self.history or any(int(back) != back or back < 0 for back in self.history):
            raise ValueError(f"history must be whole numbers of ticks >= 0, got {self.history!r}")
        if self.input_order not in ("position_velocity", "velocity_position"):
            raise ValueError(
                "input_order must be 'position_velocity' or 'velocity_position', "
                f"got {self.input_order!r}"
            )

    def drive(self, joints: JointGroup) -> Drive:
        network = self.network if callable(self.network) else load_network(Path(self.network))
        limits = limits_of(joints, self.lower, self.upper, position_limits(joints))
        saturation = np.inf if self.saturation_effort is None else self.saturation_effort
        curve = _curve(joints, saturation, self.velocity_limit, self.effort_limit)
        return _NetworkDrive(joints, limits, curve, self, network)


@dataclass(frozen=True, kw_only=True)
class Delayed(Controller):
    """Delays the actions of another controller, as a slow bus does.

    >>> late = Delayed(controller=JointPosition(), delay=(0.0, 0.02))
    >>> config = replace(find_robot("arm").load(), parts={"arm": Part(["joint_.*"], late)})
    >>> Robot(World(MujocoSimulator(worlds=2)), config, "arm").action_size
    6

    Attributes:
        controller: The other controller, which also says whether actions are normalized.
        delay: Time from an action until it counts [s], rounded to whole ticks: a number, or the
            least and the largest of a time that is drawn for each world and episode.
    """

    normalized: bool = field(init=False)
    controller: Controller
    delay: float | tuple[float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "normalized", self.controller.normalized)
        low, high = _range(self.delay)
        if not 0.0 <= low <= high < np.inf:
            raise ValueError(
                f"delay must be >= 0 s, or two times in ascending order, got {self.delay!r}"
            )

    def drive(self, joints: JointGroup) -> DelayedDrive:
        """Returns the drive; its delay can be changed per world."""
        return DelayedDrive(self.controller.drive(joints), _range(self.delay))


@dataclass(frozen=True)
class _Curve:
    """The limits of a motor's effort by velocity, (n,) each; see `DCMotor`."""

    saturation: Floats
    no_load: Floats
    limit: Floats

    def clip(self, effort: Floats, velocity: Floats) -> Floats:
        """Returns efforts, (w, n), within the limits."""
        high = low = self.limit
        if np.isfinite(self.saturation).all():
            loss = velocity / self.no_load
            high = np.clip(self.saturation * (1.0 - loss), -self.limit, self.limit)
            low = np.clip(self.saturation * (1.0 + loss), -self.limit, self.limit)
        return np.clip(effort, -low, high)


def _curve(
    joints: JointGroup,
    saturation_effort: PerJoint | None,
    velocity_limit: PerJoint | None,
    effort_limit: PerJoint | None,
) -> _Curve:
    """Returns the curve of the motors of a part.

    Raises:
        ValueError: A limit is not > 0, or the curve of a joint is open.
    """
    limit = bounds(effort_limit, joints.traits.effort_limit, joints, "effort_limit")
    saturation = bounds(saturation_effort, limit, joints, "saturation_effort")
    speed = bounds(velocity_limit, joints.traits.velocity_limit, joints, "velocity_limit")
    curved = saturation_effort is None or np.isfinite(saturation).any()
    checked = {"effort_limit": limit, "saturation_effort": saturation, "velocity_limit": speed}
    for name, values in checked.items():
        fit = values > 0.0
        if curved and name != "effort_limit":
            fit &= np.isfinite(values)
        if not fit.all():
            joint = joints.names[int(np.argmin(fit))]
            raise ValueError(
                f"{name} of joint {joint!r} of part {joints.part!r} must be > 0"
                f"{' and finite' if curved else ''}, got {values[int(np.argmin(fit))]}: give it "
                "to the controller"
            )
    return _Curve(saturation, speed, limit)


class _EffortDrive(Drive):
    """A drive to target positions by efforts that it computes in each tick."""

    def __init__(self, joints: JointGroup, limits: Pair, curve: _Curve) -> None:
        super().__init__(joints, *limits)
        self._curve = curve
        self._target = self.remember("target", len(joints))
        if joints.world.delta_time > _LONG:
            warnings.warn(
                f"part {joints.part!r} of {joints.model!r} computes efforts once per tick, and a "
                f"tick takes {joints.world.delta_time:g} s: make the world with steps_per_tick=1",
                stacklevel=2,
            )

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the target positions."""
        self._target[worlds] = action
        self.joints.put(worlds, target_position=action)  # for observers; the gains are 0

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:
        """Applies the efforts of the next tick."""
        rows = self.joints.rows
        velocity = rows.velocity[worlds]
        error = self._target[worlds] - rows.position[worlds]
        self.joints.push(worlds, self._curve.clip(self.effort(error, velocity, worlds), velocity))

    @abstractmethod
    def effort(self, error: Floats, velocity: Floats, worlds: WorldNumbers) -> Floats:
        """Returns the efforts without limits, (w, n), from errors and velocities, (w, n) each."""

    def reset(self, worlds: WorldNumbers) -> None:
        """Holds the joints at home from the next tick on."""
        home = self.joints.traits.home
        self._target[worlds] = home
        self.joints.put(
            worlds,
            target_position=home,
            target_velocity=0.0,
            stiffness=0.0,
            damping=0.0,
            effort_limit=self._curve.limit,
        )
        self.joints.push(worlds, 0.0)


class MotorDrive(_EffortDrive):
    """The drive of `DCMotor`.

    >>> motor = DCMotor(stiffness=25.0, damping=0.5, saturation_effort=24.0, velocity_limit=30.0)
    >>> config = replace(find_robot("arm").load(), parts={"arm": Part(["joint_.*"], motor)})
    >>> robot = Robot(World(MujocoSimulator(worlds=2)), config, "arm")
    >>> robot.parts["arm"].stiffness[1] *= 0.8  # a weaker robot, until its next reset
    >>> robot.parts["arm"].stiffness[:, 0].tolist()
    [25.0, 20.0]

    Args:
        joints: The n joints.
        limits: Lowest and highest target, (n,) each.
        curve: Limits of the efforts.
        gains: Stiffness and damping, (n,) each.

    Attributes:
        stiffness: Stiffness in each world, (W, n) [N m/rad or N/m]; it can be changed in place,
            until the next reset of the world.
        damping: Damping in each world, (W, n) [N m s/rad or N s/m], likewise.
    """

    def __init__(self, joints: JointGroup, limits: Pair, curve: _Curve, gains: Pair) -> None:
        super().__init__(joints, limits, curve)
        self._gains = gains
        self.stiffness: Floats = self.remember("stiffness", len(joints))
        self.damping: Floats = self.remember("damping", len(joints))

    def effort(self, error: Floats, velocity: Floats, worlds: WorldNumbers) -> Floats:
        """Returns the efforts that the motor's controller asks for, (w, n)."""
        return self.stiffness[worlds] * error - self.damping[worlds] * velocity

    def reset(self, worlds: WorldNumbers) -> None:
        """Restores the gains, and holds the joints at home from the next tick on."""
        super().reset(worlds)
        self.stiffness[worlds], self.damping[worlds] = self._gains


class _NetworkDrive(_EffortDrive):
    """The drive of `ActuatorNetwork`."""

    def __init__(
        self,
        joints: JointGroup,
        limits: Pair,
        curve: _Curve,
        model: ActuatorNetwork,
        network: Network,
    ) -> None:
        super().__init__(joints, limits, curve)
        self._network, self._model = network, model
        self._back = list(model.history)
        ticks = max(self._back) + 1
        self._errors = self.remember("errors", ticks, len(joints))  # the present first
        self._velocities = self.remember("velocities", ticks, len(joints))

    def effort(self, error: Floats, velocity: Floats, worlds: WorldNumbers) -> Floats:
        columns = []
        for memory, now, scale in (
            (self._errors, error, self._model.position_scale),
            (self._velocities, velocity, self._model.velocity_scale),
        ):
            memory[worlds, 1:] = memory[worlds, :-1]
            memory[worlds, 0] = now
            columns.append(scale * memory[worlds][:, self._back])  # (w, ticks, joints)
        if self._model.input_order == "velocity_position":
            columns.reverse()
        inputs = np.ascontiguousarray(np.concatenate(columns, axis=1).transpose(0, 2, 1))
        found = np.asarray(self._network(inputs), np.float64)
        if found.shape != error.shape:
            raise ValueError(
                f"the network of part {self.joints.part!r} must return {error.shape} efforts for "
                f"inputs {inputs.shape}, got {found.shape}"
            )
        return self._model.effort_scale * found

    def reset(self, worlds: WorldNumbers) -> None:
        """Forgets errors and velocities, which are 0 before an episode."""
        super().reset(worlds)
        self._errors[worlds] = 0.0
        self._velocities[worlds] = 0.0


class DelayedDrive(Drive):
    """The drive of `Delayed`.

    >>> late = Delayed(controller=JointPosition(), delay=0.01)
    >>> config = replace(find_robot("arm").load(), parts={"arm": Part(["joint_.*"], late)})
    >>> robot = Robot(World(MujocoSimulator(worlds=2)), config, "arm")
    >>> robot.parts["arm"].ticks[1] = 0.0  # no delay in world 1, until its next reset
    >>> robot.parts["arm"].ticks.tolist()
    [10.0, 0.0]

    Args:
        drive: The other drive.
        delay: Least and largest delay [s].

    Attributes:
        drive: The other drive.
        ticks: Delay in each world, (W,) ticks; it can be changed in place up to the largest, until
            the next reset of the world.
    """

    def __init__(self, drive: Drive, delay: tuple[float, float]) -> None:
        super().__init__(drive.joints, drive.lower, drive.upper)
        self.drive, self.controls = drive, drive.controls
        self._delay = delay
        tick = drive.joints.world.delta_time
        self._most = round(delay[1] / tick)
        self.ticks: Floats = self.remember("ticks")
        # Actions of the latest ticks, the present first, and whether one was given in the tick.
        self._actions = self.remember("actions", self._most + 1, len(drive.lower))
        self._given = self.remember("given", self._most + 1)

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Keeps the actions until they count."""
        self._actions[worlds, 0] = action
        self._given[worlds, 0] = 1.0

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:
        """Passes on the actions whose time has come, and updates the other drive."""
        back = np.clip(self.ticks[worlds], 0, self._most).astype(np.intp)
        given = self._given[worlds, back] > 0.0
        if given.any():
            self.drive.act(self._actions[worlds, back][given], worlds[given])
        self._actions[worlds, 1:] = self._actions[worlds, :-1]
        self._given[worlds, 1:] = self._given[worlds, :-1]
        self._given[worlds, 0] = 0.0
        self.drive.update(delta_time, worlds)

    def get_state(self) -> dict[str, Floats]:
        """Returns a copy of the memory, with that of the other drive."""
        others = {_OTHERS + name: array for name, array in self.drive.get_state().items()}
        return {**super().get_state(), **others}

    def set_state(self, state: Mapping[str, Floats]) -> None:
        """Restores the result of `get_state`."""
        super().set_state(state)
        others = {
            name.removeprefix(_OTHERS): array
            for name, array in state.items()
            if name.startswith(_OTHERS)
        }
        self.drive.set_state(others)

    def reset(self, worlds: WorldNumbers) -> None:
        """Forgets actions, and draws the delays of new episodes."""
        world, (low, high) = self.joints.world, self._delay
        seconds = np.full(len(worlds), low)
        if low < high:
            seconds = world.uniform(low, high, (), worlds)
        self.ticks[worlds] = np.rint(seconds / world.delta_time)
        self._given[worlds] = 0.0
        self.drive.reset(worlds)


def _range(delay: float | tuple[float, float]) -> tuple[float, float]:
    low, high = delay if isinstance(delay, (tuple, list)) else (delay, delay)
    return float(low), float(high)


def load_network(file: Path) -> Network:
    """Reads the file of a network.

    Raises:
        ValueError: The file has another format, or does not hold a network.
        FileNotFoundError: There is no such file.
        ImportError: An ONNX file needs the extra ``deepsim-robots[onnx]``.
    """
    if file.exists() and not file.is_file():
        raise ValueError(f"{file} is no network that can be run: it is not a regular file")
    if file.suffix == ".onnx":
        return _OnnxNetwork(file)
    if file.suffix != ".npz":
        raise ValueError(f"an actuator network is an .onnx or .npz file, got {str(file)!r}")
    try:
        arrays = read_arrays(file, _NAME)
        activation = str(arrays.pop("activation", "tanh"))
        count = len(arrays) // 2
        needed = {f"{kind}_{n}" for n in range(count) for kind in ("weights", "bias")}
        if not count or needed != arrays.keys() or activation not in _ACTIVATIONS:
            raise ValueError(
                f"it must have weights_0, bias_0, ..., and an activation of "
                f"{', '.join(_ACTIVATIONS)}; it has {', '.join(arrays)}, activation {activation!r}"
            )
        layers = [(arrays[f"weights_{n}"], arrays[f"bias_{n}"]) for n in range(count)]
        inputs = layers[0][0].shape[-1] if layers[0][0].ndim else 0
        for number, (weights, bias) in enumerate(layers):
            expect_floats(f"weights_{number}", weights, (bias.size, inputs))
            expect_floats(f"bias_{number}", bias, (bias.size,))
            inputs = bias.size
        if inputs != 1:
            raise ValueError(f"it must have one output, got {inputs}")
    except ValueError as error:
        raise ValueError(f"{file} is no network that can be run: {error}") from error

    def network(inputs: Floats) -> Floats:
        values: Floats = inputs.astype(layers[0][0].dtype)
        for number, (weights, bias) in enumerate(layers):
            values = _ACTIVATIONS[activation](values) if number else values
            # A matrix-vector product for each joint, whose bits do not depend on the worlds.
            values = np.matmul(weights, values[..., None])[..., 0] + bias
        return values[..., 0]

    return network


class _OnnxNetwork:
    """A network that onnxruntime evaluates, world by world: bits do not depend on their number."""

    def __init__(self, file: Path) -> None:
        try:  # here, because the import takes long, and few robots need it
            onnxruntime = importlib.import_module("onnxruntime")
        except ImportError as error:
            raise ImportError(
                "actuator networks in ONNX need an extra: "
                "pip install --find-links dist 'deepsim-robots[onnx]'"
            ) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # only fatal errors: all others are raised
        try:
            self._session = onnxruntime.InferenceSession(
                file.read_bytes(), options, providers=["CPUExecutionProvider"]
            )
        except OSError:
            raise
        except Exception as error:  # the runtime's errors have no common base class
            raise ValueError(f"{file} is no ONNX model that can be run: {error}") from error
        given, *others = self._session.get_inputs()
        if others or len(self._session.get_outputs()) != 1:
            names = [each.name for each in (given, *others, *self._session.get_outputs())]
            raise ValueError(f"{file} must have one input and one output, got {', '.join(names)}")
        self._input = given.name
        self._type = np.float64 if given.type == "tensor(double)" else np.float32

    def __call__(self, inputs: Floats) -> Floats:
        rows = inputs.astype(self._type)
        found = [self._session.run(None, {self._input: each})[0] for each in rows]
        return np.reshape(found, inputs.shape[:2])
