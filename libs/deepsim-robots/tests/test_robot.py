# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from robots_of_tests import ARM

from deepsim_math import Pose
from deepsim_robots import (
    Gains,
    JointPosition,
    JointTrapezoid,
    JointVelocity,
    Mimic,
    MountedSensor,
    Part,
    Robot,
    RobotConfig,
    RobotManager,
    find_robot,
)
from deepsim_spawn import (
    ForceTorque,
    GazeboXMLLoader,
    Imu,
    JointDescription,
    ModelSpawner,
    SensorDescription,
)
from deepsim_sync import COLUMNS, DuplicateEntityError, UnknownEntityError, World
from deepsim_sync.testing import TableModel, TableSimulator


def test_a_robot_is_at_home_after_construction_and_reset(make_world, arm_config):
    """Joints are at home, at rest, and held there, in the worlds that are reset."""
    world = make_world(3)
    robot = Robot(world, arm_config, "arm")
    np.testing.assert_array_equal(robot.joints.rows.position, [[0.5, 0.0]] * 3)
    robot.set_action([1.0, -1.0])
    for _ in range(50):
        world.tick()
    moved = robot.joints.rows.position
    assert (np.abs(moved - [0.5, 0.0]) > 0.3).all()
    world.reset(worlds=np.array([1]))
    np.testing.assert_array_equal(robot.joints.rows.position[1], [0.5, 0.0])
    np.testing.assert_array_equal(robot.joints.rows.position[[0, 2]], moved[[0, 2]])
    for _ in range(20):
        world.tick()
    np.testing.assert_allclose(robot.joints.rows.position[1], [0.5, 0.0], atol=1e-9)


@pytest.mark.parametrize("parts", [True, False])
def test_a_reset_gives_the_joints_of_a_new_robot(make_world, arm_config, parts):
    """Whatever somebody set, in all columns, in the worlds that are reset."""
    fresh, world = make_world(2), make_world(2)
    config = arm_config if parts else replace(arm_config, parts={})
    Robot(fresh, config, "arm")
    robot = Robot(world, config, "arm")
    for column in COLUMNS["joints"]:
        if column != "effort":
            setattr(robot.joints.rows, column, 0.3 + robot.joints.rows.get(column) / 2.0)
    world.tick()
    world.reset(worlds=np.array([1]))
    for column in COLUMNS["joints"]:
        got, expected = (each.joints.get(column) for each in (world, fresh))
        np.testing.assert_array_equal(got[1], expected[1], err_msg=column)
        assert column == "effort" or (got[0] != expected[0]).all(), column
        if "velocity" in column.replace("velocity_limit", "") or column == "feedforward":
            assert (expected == 0.0).all(), column


def test_actions_are_scaled_to_the_limits_of_joints(make_world, arm_config):
    """An action of -1, 0 and 1 is the lower limit, the middle and the upper limit."""
    world = make_world()
    robot = Robot(world, arm_config, "arm")
    np.testing.assert_array_equal(robot.lower, [-1.0, -1.0])
    np.testing.assert_array_equal(robot.upper, [1.0, 1.0])
    assert robot.slices == {"arm": slice(0, 2)}
    for action, target in ((-1.0, -2.0), (0.0, 0.0), (0.25, 0.5), (1.0, 2.0), (7.0, 2.0)):
        robot.set_action([[action, 0.0]])
        assert robot.joints.rows.target_position[0, 0] == target


def test_actions_are_left_as_they_are(make_world, arm_config):
    """The caller's array is not changed, and later changes of it have no effect."""
    robot = Robot(make_world(2), arm_config, "arm")
    action = np.array([[3.0, 0.5], [0.125, -9.0]])
    kept = action.copy()
    robot.set_action(action)
    np.testing.assert_array_equal(action, kept)
    action[:] = 0.0
    np.testing.assert_array_equal(robot.joints.rows.target_position, [[2.0, 1.0], [0.25, -2.0]])


@pytest.mark.parametrize(
    "action", [np.zeros(3), np.zeros((3, 2)), np.zeros((1, 1)), [np.nan, 0.0], [0.0, -np.inf]]
)
def test_actions_that_do_not_fit_are_refused(make_world, arm_config, action):
    """The error says the shape, and nothing changes."""
    robot = Robot(make_world(2), arm_config, "arm")
    with pytest.raises(ValueError, match="robot 'arm'"):
        robot.set_action(action)
    np.testing.assert_array_equal(robot.joints.rows.target_position, [[0.5, 0.0]] * 2)


def test_actions_may_be_for_some_worlds(make_world, arm_config):
    """The other worlds keep their targets."""
    robot = Robot(make_world(3), arm_config, "arm")
    robot.set_action([[1.0, 1.0]], worlds=np.array([1]))
    np.testing.assert_array_equal(
        robot.joints.rows.target_position, [[0.5, 0.0], [2.0, 2.0], [0.5, 0.0]]
    )


def test_parts_have_their_joints_in_the_order_of_the_file(make_world):
    """The order in which a part lists them does not count."""
    gains = {".*": Gains(100.0, 10.0)}
    config = RobotConfig(ARM, {"arm": Part(["elbow", "shou.*"], "pd_joint_pos")}, gains=gains)
    robot = Robot(make_world(), config, "arm")
    assert robot.parts["arm"].joints.names == ("shoulder", "elbow")


@pytest.mark.parametrize(
    "config",
    [
        RobotConfig(ARM, {"arm": Part(["sholder"])}),
        RobotConfig(ARM, home={"sholder": 0.1}),
        RobotConfig(ARM, gains={"sholder": Gains()}),
    ],
)
def test_names_that_a_robot_has_not_are_errors(make_world, config):
    """The error suggests a joint that is there, and the world is as it was."""
    world = make_world()
    with pytest.raises(UnknownEntityError, match="did you mean 'shoulder'"):
        Robot(world, config, "arm")
    assert list(world.entities.models) == []
    assert len(world.get(RobotManager)) == 0


def test_unknown_controllers_are_errors(make_world):
    """The error suggests the nearest name."""
    config = RobotConfig(ARM, {"arm": Part([".*"], "pd_joint_poss")})
    with pytest.raises(UnknownEntityError, match="did you mean 'pd_joint_pos'"):
        Robot(make_world(), config, "arm")


def test_joints_that_mimic_others_have_no_action(make_world):
    """The leader alone is driven; its follower goes along, also home."""
    follows = ARM.replace(
        "</axis></joint></model>",
        '<mimic joint="shoulder"><multiplier>-0.5</multiplier><offset>0.1</offset></mimic>'
        "</axis></joint></model>",
    ).replace('version="1.7"', 'version="1.11"')
    gains = {".*": Gains(2000.0, 200.0)}
    config = RobotConfig(follows, {"arm": Part([".*"], JointPosition())}, {"shoulder": 0.4}, gains)
    robot = Robot(make_world(2), config, "arm")
    assert robot.action_size == 1
    np.testing.assert_allclose(robot.joints.rows.position, [[0.4, -0.1]] * 2)
    robot.set_action([[0.5], [-0.5]])
    for _ in range(200):
        robot.world.tick()
    expected = [[1.0, -0.4], [-1.0, 0.6]]
    np.testing.assert_allclose(robot.joints.rows.position, expected, atol=2e-3)


HANGING = ARM.replace("<xyz>0 0 1</xyz>", "<xyz>0 1 0</xyz>")


@pytest.mark.parametrize("balance", ["gravity", "bias"])
def test_passive_forces_are_balanced(make_world, balance):
    """A limp arm stays where it is, and efforts of a controller act besides the balance."""
    world = make_world(2, gravity=True)
    config = RobotConfig(HANGING, {"arm": Part([".*"], "joint_effort")}, balance=balance)
    robot = Robot(world, config, "arm")
    for _ in range(200):
        world.tick()
    np.testing.assert_allclose(robot.joints.rows.position, 0.0, atol=1e-9)
    robot.set_action([[0.0, 0.0], [0.02, 0.0]])
    snapshot = world.get_state()
    for _ in range(20):
        world.tick()
    assert (np.abs(robot.joints.rows.position) > 1e-3).any(axis=1).tolist() == [False, True]
    moved = robot.observe()
    world.set_state(snapshot)
    for _ in range(20):
        world.tick()
    np.testing.assert_array_equal(robot.observe(), moved)


def test_a_configuration_is_pickled(arm_config):
    """A copy is equal, so that workers get the same robot."""
    assert pickle.loads(pickle.dumps(arm_config)) == arm_config


def test_a_joint_belongs_to_one_part(make_world):
    """Two parts that share a joint are an error that names both."""
    config = RobotConfig(ARM, {"a": Part([".*"]), "b": Part(["elbow"])})
    with pytest.raises(ValueError, match="'elbow' is in two parts, 'a' and 'b'"):
        Robot(make_world(), config, "arm")


def test_position_control_without_gains_is_an_error(make_world):
    """A controller that could move nothing is refused."""
    config = RobotConfig(ARM, {"arm": Part([".*"], JointPosition())})
    with pytest.raises(ValueError, match="'shoulder' of part 'arm' has no stiffness"):
        Robot(make_world(), config, "arm")


@pytest.mark.parametrize("limit", ["effort_limit", "velocity_limit"])
@pytest.mark.parametrize("controller", [JointPosition(), JointVelocity()])
def test_control_of_a_joint_that_never_moves_is_an_error(make_world, limit, controller):
    """Files often have limits of 0 where their authors left them open."""
    gains = {".*": Gains(10.0, 1.0), "elbow": Gains(10.0, 1.0, **{limit: 0.0})}
    config = RobotConfig(ARM, {"arm": Part([".*"], controller)}, gains=gains)
    with pytest.raises(ValueError, match=f"'elbow' of part 'arm' never moves.* its {limit} is 0"):
        Robot(make_world(), config, "arm")


@pytest.mark.filterwarnings("ignore:robot .* nothing holds")
def test_home_is_within_the_limits_unless_it_is_configured(make_world):
    """Ranges of knees and elbows often exclude 0, where joints are described."""
    source = ARM.replace("<lower>-2</lower>", "<lower>0.3</lower>")
    home = Robot(make_world(), RobotConfig(source), "arm").joints
    assert home.traits.home.tolist() == [0.3, 0.3]
    assert home.rows.position.tolist() == [[0.3, 0.3]]
    with pytest.raises(ValueError, match=r"the home of joint 'elbow' .* 0.3..2, got 0"):
        Robot(make_world(), RobotConfig(source, home={"elbow": 0.0}), "arm")


def test_several_robots_share_a_world(make_world, arm_config):
    """Each has its own joints and actions; a name is taken once."""
    world = make_world(2)
    one = Robot(world, arm_config, "one")
    two = Robot(world, arm_config, "two", Pose((2.0, 0.0, 0.0)))
    two.set_action([1.0, 1.0])
    for _ in range(300):
        world.tick()
    np.testing.assert_allclose(one.joints.rows.position, [[0.5, 0.0]] * 2, atol=1e-6)
    np.testing.assert_allclose(two.joints.rows.position, [[2.0, 2.0]] * 2, atol=1e-2)
    with pytest.raises(DuplicateEntityError):
        Robot(world, arm_config, "one")
    two.delete()
    assert [robot.name for robot in world.get(RobotManager)] == ["one"]


def test_a_state_is_gone_back_to(make_world, arm_config):
    """A run from a state, pickled, repeats the same bits; so does a snapshot of the world."""
    world = make_world(2)
    robot = Robot(world, arm_config, "arm")
    robot.set_action([[0.3, 0.4], [-0.3, 0.9]])
    for _ in range(7):
        world.tick()
    snapshot = world.get_state()
    state = pickle.loads(pickle.dumps(robot.state))
    world.tick()
    after = robot.observe()
    robot.set_action([1.0, 1.0])
    world.tick()
    world.set_state(snapshot)
    world.tick()
    np.testing.assert_array_equal(robot.observe(), after)
    robot.state = state
    np.testing.assert_array_equal(robot.observe()[:, :2], state["joints"]["position"])
    np.testing.assert_array_equal(
        robot.joints.rows.target_position, state["joints"]["target_position"]
    )


def test_world_w_of_many_has_the_bits_of_one(make_world, arm_config):
    """The same actions give the same bits for any number of worlds."""
    actions = np.random.default_rng(3).uniform(-1.0, 1.0, (20, 5, 2))

    def run(chosen: list[int]) -> np.ndarray:
        world = make_world(len(chosen), gravity=True)
        robot = Robot(world, arm_config, "arm")
        for action in actions:
            robot.set_action(action[chosen])
            world.tick()
        return robot.observe()

    many = run([0, 1, 2, 3, 4])
    for w in range(5):
        np.testing.assert_array_equal(many[w], run([w])[0])


def test_a_state_of_other_controllers_is_refused(make_world, arm_config):
    """The joints stay as they are."""
    world = make_world(2)
    robot = Robot(world, arm_config, "arm")
    other = replace(arm_config, parts={"arm": Part([".*"], JointTrapezoid())})
    trapezoid = Robot(world, other, "other", Pose((5.0, 0.0, 0.0)))
    robot.joints.rows.position = 0.25
    before = trapezoid.observe()
    with pytest.raises(ValueError, match=r"state of part 'arm' has .*equal controllers"):
        trapezoid.state = robot.state
    with pytest.raises(ValueError, match=r"the state has parts \['hand'\]"):
        trapezoid.memory = {"hand": {}}
    np.testing.assert_array_equal(trapezoid.observe(), before)


def test_controllers_are_replaced_by_a_new_robot_in_the_same_place(make_world, arm_config):
    """The parts of a robot are read-only, because its bounds and memory belong to them."""
    world = make_world(2)
    robot = Robot(world, arm_config, "arm")
    with pytest.raises(TypeError):
        robot.parts["arm"] = robot.parts["arm"]
    robot.set_action([1.0, 1.0])
    for _ in range(20):
        world.tick()
    position = robot.joints.rows.position
    robot.delete()
    config = replace(arm_config, parts={"arm": Part([".*"], JointVelocity())})
    robot = Robot(world, config, "arm")
    robot.joints.rows.position = position
    robot.set_action([0.0, 0.0])
    for _ in range(20):
        world.tick()
    np.testing.assert_allclose(robot.joints.rows.position, position, atol=1e-9)


@pytest.mark.filterwarnings("ignore:robot .* nothing holds")
def test_a_force_torque_sensor_needs_a_joint(make_world):
    """A free base has none above it; a fixed one is held by that of the world."""
    wrist = MountedSensor("base", SensorDescription("ft", measurement=ForceTorque()))
    world = make_world(gravity=True)
    with pytest.raises(ValueError, match="no joint has the child 'base'"):
        Robot(world, RobotConfig(ARM, sensors=(wrist,), fixed_base=False), "arm")
    Robot(world, RobotConfig(ARM, sensors=(wrist,), fixed_base=True), "arm")
    world.tick()
    np.testing.assert_allclose(world.sensors["arm::base::ft"].force, [[0, 0, 3 * 9.81]], atol=1e-6)


def test_a_robot_is_mounted_on_another_one(make_world):
    """As a nested model on a fixed joint; sensors and parts name what is nested."""
    arm = replace(GazeboXMLLoader().load_model(ARM), name="arm", pose=Pose((0.0, 0.0, 0.1)))
    base = find_robot("diffbot").load()
    mount = JointDescription("mount", "fixed", parent="base", child=f"arm::{arm.canonical_link}")
    config = replace(
        base,
        source=replace(base.source, models=(arm,), joints=(*base.source.joints, mount)),
        parts={**base.parts, "arm": Part(["arm::.*"], JointPosition(lower=-1, upper=1))},
        gains={**base.gains, "arm::.*": Gains(50.0, 5.0)},
        sensors=(MountedSensor("arm::lower", SensorDescription("imu", measurement=Imu())),),
    )
    world = make_world(2)
    robot = Robot(world, config, "mobile")
    assert robot.slices == {"base": slice(0, 2), "arm": slice(2, 4)}
    assert repr(robot) == "Robot('mobile', 4 joints, actions {base: 2, arm: 2}, 2 worlds)"
    world.tick()
    assert world.sensors["mobile::arm::lower::imu"].linear_acceleration.shape == (2, 3)


def test_a_model_of_the_world_has_its_limits_and_followers(make_world):
    """As if the robot had spawned it: its description is known to the simulator."""
    world = make_world(2)
    limits = "<limit lower='-0.2' upper='0.7' effort='9' velocity='2'/>"
    links = "".join(
        f"<link name='{name}'><inertial><mass value='1'/><inertia ixx='.01' iyy='.01' izz='.01' "
        "ixy='0' ixz='0' iyz='0'/></inertial></link>"
        for name in ("palm", "one", "two")
    )
    joints = "".join(
        f"<joint name='{child}' type='revolute'><parent link='palm'/><child link='{child}'/>"
        f"<axis xyz='0 0 1'/>{limits}{mimic}</joint>"
        for child, mimic in (("one", ""), ("two", "<mimic joint='one'/>"))
    )
    hand = f"<robot name='hand'>{links}{joints}</robot>"
    ModelSpawner(hand).spawn(world, "hand")
    config = RobotConfig(None, {"fingers": Part(".*", Mimic())}, gains={".*": Gains(50.0, 5.0)})
    robot = Robot(world, config, "hand")
    assert robot.parts["fingers"].joints.names == ("one",)
    assert robot.joints.traits.upper.tolist() == [0.7, 0.7]
    assert robot.joints.traits.stiffness.tolist() == [50.0, 0.0]


def test_a_model_with_another_description_becomes_a_robot():
    """Simulators may also spawn texts, or objects of their own."""
    world = World(TableSimulator())
    world.spawn(TableModel(), "thing", Pose())
    assert Robot(world, RobotConfig(None), "thing").action_size == 0


def test_a_model_of_the_world_becomes_a_robot(make_world, arm_config):
    """Without a source the model is that of the name."""
    world = make_world()
    ModelSpawner(ARM).spawn(world, "there")
    config = RobotConfig(
        None, {"arm": Part([".*"], JointPosition(lower=-1, upper=1))}, gains=arm_config.gains
    )
    robot = Robot(world, config, "there")
    robot.set_action([1.0, 0.0])
    assert robot.joints.rows.target_position[0, 0] == 1.0
    with pytest.raises(UnknownEntityError, match="did you mean 'there'"):
        Robot(world, config, "their")
