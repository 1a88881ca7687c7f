# SPDX-License-Identifier: Apache-2.0
"""Actuator models against laws of motors, undelayed controllers and onnxruntime."""

from __future__ import annotations

import os
import pickle
from itertools import pairwise

import numpy as np
import pytest
from robots_of_tests import ARM, joint, link, model

from deepsim_robots import (
    ActuatorNetwork,
    Controller,
    DCMotor,
    Delayed,
    Gains,
    JointDeltaPosition,
    JointEffort,
    JointPosition,
    JointTrajectory,
    Part,
    Robot,
    RobotConfig,
)

TICK = 0.002  # [s]
INERTIA = 0.01  # of the rotor [kg m²]
ROTOR = model(
    link("rotor"),
    joint("spin", "world", "rotor", limits="<effort>50</effort><velocity>90</velocity>"),
)
FAR = {"lower": -1e6, "upper": 1e6, "normalized": False}


def make_robot(world, controller: Controller | str, source: str = ROTOR) -> Robot:
    config = RobotConfig(
        source, {"all": Part([".*"], controller)}, gains={".*": Gains(200.0, 20.0)}
    )
    return Robot(world, config, "robot")


def speeds(robot: Robot, ticks: int) -> np.ndarray:
    """The velocity before each tick and after the last one, (ticks + 1, W)."""
    found = [robot.joints.rows.velocity[:, 0]]
    for _ in range(ticks):
        robot.world.tick()
        found.append(robot.joints.rows.velocity[:, 0])
    return np.array(found)


def test_a_spinning_motor_approaches_its_no_load_speed(make_world):
    """v(t) = v0 (1 - exp(-t T / (J v0))), the law of a DC motor with stall torque T."""
    world = make_world(1, steps=1)
    robot = make_robot(
        world,
        DCMotor(stiffness=100.0, damping=0.0, saturation_effort=2.0, velocity_limit=30.0, **FAR),
    )
    robot.set_action([1e6])
    found = speeds(robot, 800)[:, 0]
    time = TICK * np.arange(len(found))
    law = 30.0 * (1.0 - np.exp(-time * 2.0 / (INERTIA * 30.0)))
    np.testing.assert_allclose(found, law, atol=0.2)
    assert found[-1] == pytest.approx(30.0, abs=1e-2)
    assert found.max() <= 30.0 + 1e-9


def test_the_effort_stays_under_the_curve_and_the_limit(make_world):
    """J dv/dt lies within the torque-speed curve, whatever targets, and reaches both its sides."""
    world = make_world(64, steps=1)
    motor = DCMotor(
        stiffness=5.0, damping=0.1, saturation_effort=3.0, velocity_limit=20.0, effort_limit=2.0,
        **FAR,
    )  # fmt: skip
    robot, rng = make_robot(world, motor), np.random.default_rng(0)
    robot.joints.rows.velocity = rng.uniform(-30.0, 30.0, (64, 1))
    found = []
    for _ in range(40):
        robot.set_action(rng.uniform(-10.0, 10.0, (64, 1)))
        found.append(speeds(robot, 5))
    before = np.concatenate([each[:-1] for each in found])
    effort = INERTIA * np.concatenate([np.diff(each, axis=0) for each in found]) / TICK
    high = np.clip(3.0 * (1.0 - before / 20.0), -2.0, 2.0)
    low = np.clip(3.0 * (-1.0 - before / 20.0), -2.0, 2.0)
    assert (effort <= high + 1e-9).all()
    assert (effort >= low - 1e-9).all()
    for limit in (high, low):
        at_limit = np.abs(effort - limit) < 1e-9
        assert (at_limit & (np.abs(limit) == 2.0)).any()
        assert (at_limit & (np.abs(limit) < 2.0)).any()


def test_within_its_limits_a_motor_is_a_spring_and_a_damper(make_world):
    """Its efforts are those of the bare spring, computed by hand and applied by `JointEffort`."""
    motors, efforts = (make_world(2, steps=1) for _ in range(2))
    strong = DCMotor(stiffness=8.0, damping=0.3, velocity_limit=1e3, normalized=False)
    motor = make_robot(motors, strong, ARM)
    other = make_robot(efforts, JointEffort(normalized=False), ARM)
    target, rng = np.zeros((2, 2)), np.random.default_rng(0)
    for number in range(100):
        if number % 20 == 0:
            target = rng.uniform(-0.3, 0.3, (2, 2))
            motor.set_action(target)
        rows = other.joints.rows
        other.set_action(8.0 * (target - rows.position) - 0.3 * rows.velocity)
        motors.tick()
        efforts.tick()
    np.testing.assert_array_equal(motor.joints.rows.position, other.joints.rows.position)


def test_gains_can_differ_by_world_until_a_reset(make_world):
    """The steady effort against a fixed error is stiffness times error, in each world."""
    world = make_world(3, steps=1)
    robot = make_robot(world, DCMotor(stiffness=10.0, damping=0.0, normalized=False))
    drive = robot.parts["all"]
    drive.stiffness[1] *= 0.5
    robot.set_action(np.full((3, 1), 0.1))
    world.tick()
    assert robot.joints.rows.feedforward[:, 0].tolist() == [1.0, 0.5, 1.0]
    drive.damping[2] = 3.0
    world.reset(worlds=np.array([1]))
    assert drive.stiffness[:, 0].tolist() == [10.0, 10.0, 10.0]
    assert drive.damping[:, 0].tolist() == [0.0, 0.0, 3.0]


def test_a_motor_may_be_stronger_than_its_description(make_world):
    """The effort limit of the controller counts, also where the joint's is lower."""
    world = make_world(1, steps=1)
    robot = make_robot(world, DCMotor(stiffness=1e3, damping=0.0, effort_limit=80.0, **FAR))
    robot.set_action([1e6])
    (before, after) = speeds(robot, 1)[:, 0]
    assert (after - before) * INERTIA / TICK == pytest.approx(80.0)


def test_a_long_tick_is_warned_of(make_world):
    with pytest.warns(UserWarning, match="a tick takes 0.02 s: make the world with steps_per_tick"):
        make_robot(make_world(1, steps=10), DCMotor())


@pytest.mark.parametrize("kind", ["position", "delta", "motor", "trajectory"])
def test_a_delayed_controller_is_the_other_one_shifted(make_world, kind):
    """Positions with a delay of k ticks are those without it, k ticks later, bit for bit."""
    controller = {
        "position": JointPosition(),
        "delta": JointDeltaPosition(of="target"),
        "motor": DCMotor(stiffness=20.0, damping=1.0),
        "trajectory": JointTrajectory(duration=0.02),
    }[kind]
    rng = np.random.default_rng(0)
    actions = rng.uniform(-1.0, 1.0, (20, 2, 2))

    def positions(controller: Controller) -> list[np.ndarray]:
        world = make_world(2, steps=1)
        robot = make_robot(world, controller, ARM)
        found = []
        for number in range(100):
            if number % 5 == 0:
                robot.set_action(actions[number // 5])
            world.tick()
            found.append(robot.joints.rows.position.copy())
        return found

    plain = positions(controller)
    assert np.abs(plain[-1] - plain[0]).min() > 1e-3
    for ticks in (0, 1, 7):
        late = positions(Delayed(controller=controller, delay=ticks * TICK))
        np.testing.assert_array_equal(late[ticks:], plain[: 100 - ticks])
        assert not np.any(late[:ticks])


def test_delays_of_worlds_are_drawn_by_their_own_numbers(make_world):
    """Each world has its delay, the same as alone; delays fill the range."""
    delayed = Delayed(controller=JointEffort(normalized=False), delay=(0.004, 0.012))

    def moves(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        world = make_world(count, steps=1)
        robot = make_robot(world, delayed)
        world.reset(seed=seed)
        robot.set_action(np.ones((count, 1)))
        return robot.parts["all"].ticks.copy(), speeds(robot, 9)

    ticks, together = moves(40, 0)
    assert set(ticks.tolist()) == {2.0, 3.0, 4.0, 5.0, 6.0}
    assert ((together > 0.0).sum(axis=0) == 9 - ticks).all()
    for seed in (0, 17):
        own, alone = moves(1, seed)
        assert own[0] == ticks[seed]
        np.testing.assert_array_equal(alone[:, 0], together[:, seed])


@pytest.mark.parametrize("kind", ["motor", "network", "delayed", "late trajectory"])
def test_snapshots_hold_the_memory_of_actuators(make_world, kind):
    """A pickled snapshot continues in another world bit for bit."""
    controller: Controller = {
        "motor": DCMotor(stiffness=20.0, damping=1.0),
        "network": ActuatorNetwork(network=lambda inputs: inputs[..., 2] - inputs[..., 5]),
        "delayed": Delayed(controller=DCMotor(stiffness=20.0, damping=1.0), delay=(0.0, 0.02)),
        "late trajectory": Delayed(controller=JointTrajectory(duration=0.02), delay=(0.0, 0.01)),
    }[kind]
    world, other = (make_world(3, steps=1, seed=5) for _ in range(2))
    robot, fresh = (make_robot(each, controller, ARM) for each in (world, other))
    world.reset()
    for action in np.random.default_rng(0).uniform(-1.0, 1.0, (6, 3, 2)):
        robot.set_action(action)
        world.tick()
    state = pickle.dumps(world.get_state())

    def rest(each: Robot) -> list[list[list[float]]]:
        found = []
        for _ in range(20):
            each.world.tick()
            found.append(each.joints.rows.position.tolist())
        return found

    expected = rest(robot)
    other.set_state(pickle.loads(state))
    assert rest(fresh) == expected


def test_a_network_gets_errors_and_velocities_of_earlier_ticks(make_world):
    """Inputs are scaled errors, then velocities, of the ticks in `history`; 0 before an episode."""
    seen: list[np.ndarray] = []

    def network(inputs: np.ndarray) -> np.ndarray:
        seen.append(inputs.copy())
        return np.full(inputs.shape[:2], 0.5)

    learnt = ActuatorNetwork(
        network=network, history=(0, 2), position_scale=10.0, velocity_scale=0.1, effort_scale=3.0,
        normalized=False,
    )  # fmt: skip
    world = make_world(2, steps=1)
    robot = make_robot(world, learnt, ARM)
    errors, velocities = [], []
    robot.set_action(np.array([[0.1, 0.2], [0.3, 0.4]]))
    for number in range(6):
        rows = robot.joints.rows
        errors.append(np.array([[0.1, 0.2], [0.3, 0.4]]) - rows.position)
        velocities.append(rows.velocity.copy())
        world.tick()
        back = number - 2
        none = np.zeros((2, 2))
        expected = [
            10.0 * errors[number],
            10.0 * errors[back] if back >= 0 else none,
            0.1 * velocities[number],
            0.1 * velocities[back] if back >= 0 else none,
        ]
        np.testing.assert_allclose(seen[-1], np.stack(expected, axis=2), rtol=1e-12)
        np.testing.assert_array_equal(robot.joints.rows.feedforward, 1.5)


def test_a_network_forgets_and_remembers_by_world(make_world):
    """Worlds that do not tick keep their memory; a reset clears that of its worlds alone."""
    seen: list[np.ndarray] = []

    def network(inputs: np.ndarray) -> np.ndarray:
        seen.append(inputs.copy())
        return np.zeros(inputs.shape[:2])

    order = {"input_order": "velocity_position", "history": (0, 2), "normalized": False}
    world = make_world(2, steps=1)
    robot = make_robot(world, ActuatorNetwork(network=network, **order))
    robot.joints.rows.velocity = [[4.0], [6.0]]
    robot.set_action(np.array([[0.5], [0.25]]))
    world.tick()  # velocity, that of two ticks ago, error, that of two ticks ago
    np.testing.assert_array_equal(seen[-1][:, 0], [[4.0, 0.0, 0.5, 0.0], [6.0, 0.0, 0.25, 0.0]])
    world.tick(np.array([0]))
    world.tick()
    assert seen[-1][0, 0, [1, 3]].tolist() == [4.0, 0.5]
    np.testing.assert_allclose(seen[-1][1, 0], [6.0, 0.0, 0.25 - 6.0 * TICK, 0.0])
    world.reset(worlds=np.array([1]))
    world.tick()
    np.testing.assert_array_equal(seen[-1][1, 0], [0.0, 0.0, 0.0, 0.0])
    assert seen[-1][0, 0].all()


ACTIVATIONS = {
    "tanh": "Tanh",
    "relu": "Relu",
    "elu": "Elu",
    "softsign": "Softsign",
    "sigmoid": "Sigmoid",
}


def layers_of_test() -> list[tuple[np.ndarray, np.ndarray]]:
    rng, sizes = np.random.default_rng(0), (6, 32, 32, 1)
    return [
        (rng.normal(0.0, 0.5, (out, size)).astype(np.float32), rng.normal(0, 0.3, out).astype("f4"))
        for size, out in pairwise(sizes)
    ]


def write_npz(file, activation: str) -> None:
    arrays = {}
    for number, (weights, bias) in enumerate(layers_of_test()):
        arrays |= {f"weights_{number}": weights, f"bias_{number}": bias}
    np.savez(file, activation=activation, **arrays)


def write_onnx(file, activation: str) -> None:
    onnx = pytest.importorskip("onnx", reason="needs the extra onnx")
    helper, nodes, constants, name = onnx.helper, [], [], "inputs"
    layers = layers_of_test()
    for number, (weights, bias) in enumerate(layers):
        constants.append(onnx.numpy_helper.from_array(weights, f"w{number}"))
        constants.append(onnx.numpy_helper.from_array(bias, f"b{number}"))
        out = "efforts" if number == len(layers) - 1 else f"h{number}"
        nodes.append(helper.make_node("Gemm", [name, f"w{number}", f"b{number}"], [out], transB=1))
        name = out
        if out != "efforts":
            nodes.append(helper.make_node(ACTIVATIONS[activation], [out], [f"a{number}"]))
            name = f"a{number}"
    kind = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        nodes, "actuator",
        [helper.make_tensor_value_info("inputs", kind, ["n", 6])],
        [helper.make_tensor_value_info("efforts", kind, ["n", 1])],
        constants,
    )  # fmt: skip
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made.ir_version = 8
    onnx.save(made, file)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_networks_give_the_efforts_of_onnxruntime(make_world, tmp_path, activation):
    """The efforts of an ONNX file, and of an NPZ file of its layers, are those of onnxruntime."""
    onnxruntime = pytest.importorskip("onnxruntime", reason="needs the extra onnx")
    write_onnx(tmp_path / "net.onnx", activation)
    write_npz(tmp_path / "net.npz", activation)
    session = onnxruntime.InferenceSession((tmp_path / "net.onnx").read_bytes())
    for file in ("net.onnx", "net.npz"):
        world = make_world(3, steps=1)
        learnt = ActuatorNetwork(network=tmp_path / file, normalized=False, history=(0, 1, 2))
        robot = make_robot(world, learnt, ARM)
        errors, velocities = np.zeros((2, 3, 3, 2))  # by ticks back, world and joint
        robot.set_action(np.random.default_rng(0).uniform(-0.5, 0.5, (3, 2)))
        for _ in range(5):
            rows = robot.joints.rows
            errors = np.concatenate([[rows.target_position - rows.position], errors[:2]])
            velocities = np.concatenate([[rows.velocity], velocities[:2]])
            world.tick()
            inputs = np.concatenate([errors, velocities]).transpose(1, 2, 0).reshape(6, 6)
            (expected,) = session.run(None, {"inputs": inputs.astype(np.float32)})
            np.testing.assert_allclose(
                robot.joints.rows.feedforward, expected.reshape(3, 2), rtol=1e-5, atol=1e-6
            )


@pytest.mark.parametrize("file", ["net.onnx", "net.npz"])
def test_networks_give_each_world_its_bits_alone(make_world, tmp_path, file):
    if file.endswith(".onnx"):
        pytest.importorskip("onnxruntime", reason="needs the extra onnx")
        write_onnx(tmp_path / file, "tanh")
    else:
        write_npz(tmp_path / file, "tanh")

    def moves(actions: np.ndarray) -> np.ndarray:
        world = make_world(len(actions), steps=1)
        robot = make_robot(world, ActuatorNetwork(network=str(tmp_path / file)), ARM)
        robot.set_action(actions)
        for _ in range(20):
            world.tick()
        return robot.joints.rows.position.copy()

    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (33, 2))
    together = moves(actions)
    for number in (0, 5, 32):
        np.testing.assert_array_equal(moves(actions[[number]])[0], together[number])


@pytest.mark.parametrize(
    ("controller", "message"),
    [
        (lambda: DCMotor(saturation_effort=-1.0), "saturation_effort of joint 'spin'.*got -1.0"),
        (lambda: DCMotor(velocity_limit=np.inf), "velocity_limit of joint 'spin'.*got inf"),
        (lambda: DCMotor(effort_limit=0.0), "effort_limit of joint 'spin'.*got 0.0"),
        (lambda: DCMotor(stiffness=[1.0, 2.0]), "stiffness of part 'all'"),
        (lambda: Delayed(controller=JointPosition(), delay=-0.1), "delay must be >= 0 s.*-0.1"),
        (lambda: Delayed(controller=JointPosition(), delay=(0.2, 0.1)), "ascending order"),
        (lambda: ActuatorNetwork(network=abs, history=()), r"history must be .*got \(\)"),
        (lambda: ActuatorNetwork(network=abs, input_order="both"), "input_order must be"),  # type: ignore[arg-type]
        (lambda: ActuatorNetwork(network="net.pt"), "is an .onnx or .npz file, got 'net.pt'"),
    ],
)
def test_wrong_settings_are_refused_in_words(make_world, controller, message):
    with pytest.raises(ValueError, match=message):
        make_robot(make_world(1, steps=1), controller())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights_0": np.full((2, 6), np.nan)}, "weights_0 must be finite"),
        ({"weights_0": np.eye(2, dtype=complex)}, "weights_0 must be floats"),
        ({"bias_0": np.zeros(3)}, r"weights_0 must be floats of shape \(3, 6\)"),
        ({"weights_1": np.zeros((1, 5))}, r"weights_1 must be floats of shape \(1, 2\)"),
        ({"weights_1": np.zeros((2, 2)), "bias_1": np.zeros(2)}, "must have one output, got 2"),
        ({"code": np.zeros(1)}, "it has no array 'code'"),
        ({"activation": "gelu"}, "an activation of tanh, .*activation 'gelu'"),
        ({"weights_2": np.zeros((1, 1))}, "must have weights_0, bias_0, .*it has weights_0,"),
    ],
)
def test_arrays_that_do_not_fit_are_named(make_world, tmp_path, changes, message):
    """Before a robot moves by them, with the file."""
    file = tmp_path / "net.npz"
    arrays = {"weights_0": np.zeros((2, 6)), "bias_0": np.zeros(2)}
    arrays |= {"weights_1": np.zeros((1, 2)), "bias_1": np.zeros(1)}
    np.savez(file, **arrays)
    make_robot(make_world(1, steps=1), ActuatorNetwork(network=file))
    np.savez(file, **{**arrays, **changes})
    with pytest.raises(ValueError, match=rf"net\.npz is no network that can be run: .*{message}"):
        make_robot(make_world(1, steps=1), ActuatorNetwork(network=file))


def test_a_damaged_network_is_refused(make_world, tmp_path):
    """A flipped bit of it, a file cut short, none, and a pipe, which would be waited for."""
    file = tmp_path / "net.npz"
    np.savez(file, weights_0=np.full((1, 6), 0.5), bias_0=np.zeros(1))
    data = file.read_bytes()
    place = data.index(np.float64(0.5).tobytes())
    for damaged in (data[:place] + b"\1" + data[place + 1 :], data[:-9], b"", b"no zip"):
        file.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"net\.npz is no network"):
            make_robot(make_world(1, steps=1), ActuatorNetwork(network=file))
    with pytest.raises(FileNotFoundError):
        make_robot(make_world(1, steps=1), ActuatorNetwork(network=tmp_path / "other.npz"))
    for suffix in ("npz", "onnx"):
        os.mkfifo(tmp_path / f"pipe.{suffix}")
        with pytest.raises(ValueError, match="it is not a regular file"):
            make_robot(make_world(1, steps=1), ActuatorNetwork(network=tmp_path / f"pipe.{suffix}"))


def test_a_file_that_is_no_onnx_model_is_refused(make_world, tmp_path):
    pytest.importorskip("onnxruntime", reason="needs the extra onnx")
    (tmp_path / "net.onnx").write_bytes(b"no model")
    with pytest.raises(ValueError, match="is no ONNX model that can be run"):
        make_robot(make_world(1, steps=1), ActuatorNetwork(network=tmp_path / "net.onnx"))
