# SPDX-License-Identifier: Apache-2.0
"""The services and the action of a server in another process, asked by a client of rclpy."""

from __future__ import annotations

import math

import pytest
from geometry_msgs.msg import PoseStamped, Vector3
from rclpy.action import ActionClient
from rclpy.qos import QoSProfile
from simulation_interfaces import srv
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import (
    Bounds,
    EntityCategory,
    EntityFilters,
    EntityInfo,
    EntityState,
    Resource,
    Result,
    SimulationState,
    SimulatorFeatures,
    SpawnEntity,
    SpawnResult,
    TagsFilter,
)

BALL = """<sdf version="1.9"><model name="ball"><link name="link">
<inertial><mass>2</mass></inertial>
<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
</link></model></sdf>"""
URDF = """<robot name="box"><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"""
MJCF = """<mujoco model="dot"><worldbody><body name="base"><freejoint/>
<geom size="0.1" mass="1"/></body></worldbody></mujoco>"""
OK, GRAVITY, STEP = Result.RESULT_OK, 9.8, 0.001


def text_of(text):
    return Resource(resource_string=text)


def at(x=0.0, y=0.0, z=0.0, frame=""):
    pose = PoseStamped()
    pose.header.frame_id = frame
    pose.pose.position.x, pose.pose.position.y, pose.pose.position.z = x, y, z
    return pose


def spawn(client, name, text=BALL, pose=None, **fields):
    fields = {"entity_resource": text_of(text), "initial_pose": pose or at(), **fields}
    return client.call(srv.SpawnEntity, "spawn_entity", name=name, **fields)


def enter(client, state):
    state = SimulationState(state=state)
    return client.call(srv.SetSimulationState, "set_simulation_state", state=state).result


def step(client, steps=1):
    return client.call(srv.StepSimulation, "step_simulation", steps=steps).result


def height(client, name="ball"):
    return state_of(client, name).pose.position.z


def state_of(client, name="ball"):
    response = client.call(srv.GetEntityState, "get_entity_state", entity=name)
    assert response.result.result == OK, response.result.error_message
    return response.state


def names(client, **filters):
    response = client.call(srv.GetEntities, "get_entities", filters=EntityFilters(**filters))
    assert response.result.result == OK, response.result.error_message
    return response.entities


def test_a_spawned_ball_falls_as_physics_says(serve, client):
    """After 1,000 steps, height, speed, acceleration and time are those of free fall, exactly."""
    serve("empty")
    ours = client()
    assert spawn(ours, "ball", pose=at(z=20.0)).entity_name == "ball"
    assert height(ours) == 20.0
    enter(ours, SimulationState.STATE_PAUSED)
    assert step(ours, 1000).result == OK
    state = state_of(ours)
    n = 1000  # semi-implicit Euler: z = -g h^2 n (n + 1) / 2
    assert state.pose.position.z == pytest.approx(
        20.0 - GRAVITY * STEP**2 * n * (n + 1) / 2, abs=1e-9
    )
    assert state.twist.linear.z == pytest.approx(-GRAVITY, abs=1e-9)
    assert state.acceleration.linear.z == pytest.approx(-GRAVITY, abs=1e-6)
    assert (state.header.stamp.sec, state.header.stamp.nanosec) == (1, 0)


def test_steps_need_a_paused_simulation(serve, client):
    """A stopped or playing simulation refuses steps, with the code that the standard names."""
    serve("ball")
    ours = client()
    for state in (None, SimulationState.STATE_PLAYING):
        if state is not None:
            enter(ours, state)
        refused = step(ours)
        assert refused.result == Result.RESULT_OPERATION_FAILED
        assert "paused" in refused.error_message
    enter(ours, SimulationState.STATE_PAUSED)
    before = height(ours)
    assert step(ours, 0).result == OK
    assert height(ours) == before


def test_every_service_answers(serve, client):
    """Each of the 22 services answers a default request with a code; the features name no other."""
    serve("ball")
    ours = client()
    kinds = [getattr(srv, name) for name in dir(srv) if name[0].isupper() and "_" not in name]
    assert len(kinds) == 22
    last = (srv.UnloadWorld,)
    for kind in [*(each for each in kinds if each not in last), *last]:
        name = "".join(f"_{c.lower()}" if c.isupper() else c for c in kind.__name__).lstrip("_")
        response = ours.call(kind, name)
        if kind is srv.GetSimulatorFeatures:
            offered = {
                0,
                1,
                4,
                5,
                6,
                *range(8, 15),
                *range(20, 27),
                31,
                32,
                33,
                40,
                41,
                43,
                44,
                45,
                50,
            }
            assert {*response.features.features} == offered
            assert list(response.features.spawn_formats) == ["sdf", "urdf", "mjcf"]
        else:
            assert response.result.result != OK or not response.result.error_message
            assert response.result.result == OK or response.result.error_message


@pytest.mark.parametrize("text", [BALL, URDF, MJCF])
def test_each_format_can_be_spawned(serve, client, text):
    """SDF, URDF and MJCF are spawned as text, and have the name of the file without another."""
    serve("empty")
    ours = client()
    response = spawn(ours, "", text, at(z=1.0))
    assert response.result.result == OK, response.result.error_message
    assert names(ours) == [response.entity_name]
    assert height(ours, response.entity_name) == 1.0


def test_wrong_spawns_are_refused_by_code(serve, client):
    """Each way to get a spawn wrong has its code, and leaves the world as it was."""
    serve("ball")
    ours = client()
    bad = at()
    bad.pose.orientation.w = 0.0
    codes = SpawnResult
    for code, fields in (
        (codes.NAME_NOT_UNIQUE, {"name": "ball"}),
        (codes.NAME_INVALID, {"name": "a::b"}),
        (codes.NAME_INVALID, {"name": "", "text": MJCF.replace(' model="dot"', "")}),
        (codes.UNSUPPORTED_FORMAT, {"name": "b", "text": "#usda 1.0"}),
        (codes.UNSUPPORTED_FORMAT, {"name": "b", "text": "<collada/>"}),
        (
            codes.RESOURCE_PARSE_ERROR,
            {"name": "b", "text": URDF.replace("<robot", '<robot xmlns:xacro="x" a="${1}"')},
        ),
        (codes.NO_RESOURCE, {"name": "b", "text": ""}),
        (codes.NAMESPACE_INVALID, {"name": "b", "entity_namespace": "a b"}),
        (codes.RESOURCE_PARSE_ERROR, {"name": "b", "text": "<sdf version='1.9'><model"}),
        (
            codes.MISSING_ASSETS,
            {
                "name": "b",
                "text": BALL.replace(
                    "<sphere><radius>0.1</radius></sphere>", "<mesh><uri>none.stl</uri></mesh>"
                ),
            },
        ),
        (codes.INVALID_POSE, {"name": "b", "pose": bad}),
        (codes.INVALID_POSE, {"name": "b", "pose": at(x=math.nan)}),
        (Result.RESULT_NOT_FOUND, {"name": "b", "pose": at(frame="nobody")}),
        (Result.RESULT_NOT_FOUND, {"name": "b", "entity_resource": Resource(uri="model://none")}),
        (Result.RESULT_NOT_FOUND, {"name": "b", "entity_resource": Resource(uri="/etc/passwd")}),
    ):
        response = spawn(ours, **fields)
        assert response.result.result == code, (fields, response.result)
        assert response.result.error_message
        assert not response.entity_name
    assert names(ours) == ["ball"]


def test_names_and_namespaces_of_spawned_entities(serve, client):
    """A taken name gets a number where this is allowed; a namespace is part of the name."""
    serve("ball")
    ours = client()
    assert spawn(ours, "ball", allow_renaming=True).entity_name == "ball_1"
    assert spawn(ours, "", allow_renaming=True).entity_name == "ball_2"
    assert spawn(ours, "ball", entity_namespace="left").entity_name == "left/ball"
    assert spawn(ours, "beside", pose=at(x=1.0, frame="ball")).result.result == OK
    assert state_of(ours, "beside").pose.position.x == 1.0
    assert height(ours, "beside") == 5.0
    requests = [
        SpawnEntity(name=name, entity_resource=text_of(BALL)) for name in ("new", "ball", "other")
    ]
    response = ours.call(srv.SpawnEntities, "spawn_entities", spawn_requests=requests)
    assert response.result.result == srv.SpawnEntities.Response.ENTITIES_SPAWN_FAILED
    assert [each.result.result for each in response.results] == [OK, 101, OK]
    assert ours.call(srv.DeleteEntity, "delete_entity", entity="left/ball").result.result == OK
    gone = ours.call(srv.DeleteEntity, "delete_entity", entity="left/ball").result
    assert gone.result == Result.RESULT_NOT_FOUND
    assert "left/ball" in gone.error_message


def test_states_are_set_in_the_frame_of_the_request(serve, client):
    """A pose and a twist count in the given frame; what is wrong is refused by code."""
    serve("ball")
    ours = client()
    turned = at(x=1.0)
    turned.pose.orientation.w = turned.pose.orientation.z = math.sqrt(0.5)  # left
    spawn(ours, "frame", pose=turned)

    def set_state(entity="ball", frame="frame", **fields):
        state = EntityState()
        state.header.frame_id = frame
        state.pose.position.x = fields.pop("x", 2.0)
        state.pose.orientation.w = fields.pop("w", 1.0)
        state.twist.linear.x = fields.pop("speed", 3.0)
        request = {"entity": entity, "state": state, **fields}
        return ours.call(srv.SetEntityState, "set_entity_state", **request).result

    assert set_state(set_pose=True, set_twist=True).result == OK
    state = state_of(ours)
    assert (state.pose.position.x, state.pose.position.y) == pytest.approx((1.0, 2.0))
    assert (state.twist.linear.x, state.twist.linear.y) == pytest.approx((0.0, 3.0))
    for code, fields in (
        (srv.SetEntityState.Response.INVALID_POSE, {"set_pose": True, "w": 0.0}),
        (srv.SetEntityState.Response.INVALID_POSE, {"set_pose": True, "x": math.inf}),
        (Result.RESULT_OPERATION_FAILED, {"set_twist": True, "speed": math.nan}),
        (Result.RESULT_NOT_FOUND, {"entity": "nobody", "set_pose": True}),
        (Result.RESULT_NOT_FOUND, {"frame": "nowhere", "set_pose": True}),
        (Result.RESULT_FEATURE_UNSUPPORTED, {"set_acceleration": True}),
    ):
        refused = set_state(**fields)
        assert refused.result == code, (fields, refused)
        assert refused.error_message
    assert state_of(ours).pose == state.pose
    uri = Resource(uri="model://crate")
    assert spawn(ours, "crate", entity_resource=uri).result.result == OK
    assert set_state("crate", set_twist=True).result == Result.RESULT_OPERATION_FAILED
    missing = ours.call(srv.GetEntityState, "get_entity_state", entity="nobody").result
    assert missing.result == Result.RESULT_NOT_FOUND


def test_filters_of_entities(serve, client):
    """Names, categories, tags and volumes select entities, and apply together."""
    serve("ball")
    ours = client()
    spawn(ours, "crate", entity_resource=Resource(uri="model://crate"), pose=at(x=10.0))
    static = EntityCategory(category=EntityCategory.CATEGORY_STATIC_OBJECT)
    assert names(ours) == ["ball", "crate"]
    assert names(ours, filter="^b[[:alpha:]]+$") == ["ball"]
    assert names(ours, categories=[static]) == ["crate"]
    assert names(ours, filter="ball", categories=[static]) == []
    info = EntityInfo(category=EntityCategory(category=EntityCategory.CATEGORY_HUMAN))
    info.tags, info.description = ["red", "round"], "a toy"
    done = ours.call(srv.SetEntityInfo, "set_entity_info", entity="ball", info=info)
    assert done.result.result == OK
    assert ours.call(srv.GetEntityInfo, "get_entity_info", entity="ball").info == info
    both, either = TagsFilter.FILTER_MODE_ALL, TagsFilter.FILTER_MODE_ANY
    for tags, mode, found in (
        (["red", "square"], either, ["ball"]),
        (["red", "square"], both, []),
        (["red", "round"], both, ["ball"]),
    ):
        assert names(ours, tags=TagsFilter(tags=tags, filter_mode=mode)) == found

    def within(kind, *points):
        points = [Vector3(x=x, y=y, z=z) for x, y, z in points]
        return Bounds(type=kind, points=points)

    near = within(Bounds.TYPE_SPHERE, (9.0, 0.0, 0.0), (0.51, 0.0, 0.0))
    assert names(ours, bounds=near) == ["crate"]
    assert names(ours, bounds=within(Bounds.TYPE_SPHERE, (9.0, 0.0, 0.0), (0.49, 0.0, 0.0))) == []
    above = within(Bounds.TYPE_BOX, (1.0, 1.0, 6.0), (-1.0, -1.0, 5.09))
    assert names(ours, bounds=above) == ["ball"]

    def refused(**filters):
        request = EntityFilters(**filters)
        return ours.call(srv.GetEntitiesStates, "get_entities_states", filters=request).result

    hull = within(Bounds.TYPE_CONVEX_HULL, *[(float(i == 0), float(i == 1), 0.0) for i in range(3)])
    assert refused(bounds=hull).result == Result.RESULT_FEATURE_UNSUPPORTED
    assert refused(bounds=within(Bounds.TYPE_BOX)).result == Result.RESULT_OPERATION_FAILED
    assert refused(filter="[").result == Result.RESULT_OPERATION_FAILED
    every = ours.call(srv.GetEntitiesStates, "get_entities_states")
    assert [each.pose.position.x for each in every.states] == [0.0, 10.0]


def test_bounds_are_the_box_around_an_entity(serve, client):
    """The bounds of a crate of 1 x 2 x 3 m are those, in its own frame, wherever it stands."""
    serve("ball")
    ours = client()
    spawn(ours, "crate", entity_resource=Resource(uri="model://crate"), pose=at(x=10.0))
    bounds = ours.call(srv.GetEntityBounds, "get_entity_bounds", entity="crate").bounds
    assert bounds.type == Bounds.TYPE_BOX
    assert [(each.x, each.y, each.z) for each in bounds.points] == [
        (0.5, 1.0, 1.5),
        (-0.5, -1.0, -1.5),
    ]
    unknown = ours.call(srv.GetEntityBounds, "get_entity_bounds", entity="nobody").result
    assert unknown.result == Result.RESULT_NOT_FOUND


def test_scopes_of_resets(serve, client):
    """Time, states and spawned entities are reset each alone, or all together."""
    serve("ball")
    ours = client()
    scopes = srv.ResetSimulation.Request

    def now():
        stamp = state_of(ours).header.stamp
        return round(stamp.sec + stamp.nanosec * 1e-9, 9)

    def reset(scope):
        return ours.call(srv.ResetSimulation, "reset_simulation", scope=scope).result.result

    enter(ours, SimulationState.STATE_PAUSED)
    spawn(ours, "extra")
    step(ours, 100)
    fallen = height(ours)
    assert fallen < 5.0
    assert reset(scopes.SCOPE_TIME) == OK
    assert (now(), height(ours)) == (0.0, fallen)
    step(ours, 10)
    assert now() == 0.01
    assert reset(scopes.SCOPE_STATE) == OK
    assert (now(), height(ours), names(ours)) == (0.01, 5.0, ["ball", "extra"])
    assert reset(scopes.SCOPE_SPAWNED) == OK
    assert (now(), names(ours)) == (0.01, ["ball"])
    ours.call(srv.DeleteEntity, "delete_entity", entity="ball")
    spawn(ours, "extra")
    assert reset(scopes.SCOPE_DEFAULT) == OK
    assert (now(), height(ours), names(ours)) == (0.0, 5.0, ["ball"])
    assert reset(8) == Result.RESULT_OPERATION_FAILED


def test_transitions_between_states(serve, client):
    """Playing advances time, stopping resets, and impossible transitions are refused by code."""
    server = serve("ball")
    ours = client()
    codes = srv.SetSimulationState.Response

    def state():
        return ours.call(srv.GetSimulationState, "get_simulation_state").state.state

    assert state() == SimulationState.STATE_STOPPED
    stopped = enter(ours, SimulationState.STATE_STOPPED)
    assert stopped.result == codes.ALREADY_IN_TARGET_STATE
    assert enter(ours, SimulationState.STATE_NO_WORLD).result == codes.INCORRECT_TRANSITION
    assert enter(ours, 77).result == codes.INCORRECT_TRANSITION
    assert enter(ours, SimulationState.STATE_PLAYING).result == OK
    ours.wait(lambda: height(ours) < 4.99)
    assert enter(ours, SimulationState.STATE_PAUSED).result == OK
    assert height(ours) == height(ours)
    assert enter(ours, SimulationState.STATE_STOPPED).result == OK
    assert height(ours) == 5.0
    assert enter(ours, SimulationState.STATE_QUITTING).result == OK
    server.join(30)
    assert server.exitcode == 0


def test_worlds_are_listed_loaded_and_unloaded(serve, client):
    """A world of the search path or of a text replaces the present one, with its own gravity."""
    serve("ball")
    ours = client()
    found = ours.call(srv.GetAvailableWorlds, "get_available_worlds").worlds
    assert [(each.name, each.world_resource.uri) for each in found] == [("yard", "yard.world")]
    loaded = ours.call(srv.LoadWorld, "load_world", world_resource=found[0].world_resource)
    assert (loaded.result.result, loaded.world.name) == (OK, "yard")
    assert names(ours) == ["stone"]
    current = ours.call(srv.GetCurrentWorld, "get_current_world").world
    assert current.world_resource == found[0].world_resource
    enter(ours, SimulationState.STATE_PAUSED)
    step(ours, 1000)
    assert state_of(ours, "stone").twist.linear.z == pytest.approx(-1.62, abs=1e-9)
    codes = srv.LoadWorld.Response
    for code, resource in (
        (codes.NO_RESOURCE, Resource()),
        (codes.UNSUPPORTED_FORMAT, text_of(URDF)),
        (codes.RESOURCE_PARSE_ERROR, text_of(BALL)),
        (Result.RESULT_NOT_FOUND, Resource(uri="none.world")),
    ):
        refused = ours.call(srv.LoadWorld, "load_world", world_resource=resource).result
        assert refused.result == code, refused
    odd = "<sdf version='1.9'><world name='odd'><sparkle>1</sparkle></world></sdf>"
    request = {"world_resource": text_of(odd), "fail_on_unsupported_element": True}
    refused = ours.call(srv.LoadWorld, "load_world", **request).result
    assert refused.result == codes.UNSUPPORTED_ELEMENTS
    assert names(ours) == ["stone"]
    assert ours.call(srv.UnloadWorld, "unload_world").result.result == OK
    again = ours.call(srv.UnloadWorld, "unload_world").result.result
    assert again == srv.UnloadWorld.Response.NO_WORLD_LOADED
    gone = ours.call(srv.GetEntities, "get_entities").result.result
    assert gone == Result.RESULT_INCORRECT_STATE
    assert enter(ours, SimulationState.STATE_PLAYING).result == 103
    done = ours.call(srv.LoadWorld, "load_world", world_resource=text_of(MJCF)).result
    assert done.result == OK, done.error_message
    assert names(ours) == ["dot"]


def test_spawnables_are_the_models_on_the_search_path(serve, client):
    """They can be spawned by their URI; sources outside of the search path are named."""
    serve("empty")
    ours = client()
    response = ours.call(srv.GetSpawnables, "get_spawnables", sources=["/etc"])
    assert response.result.result == OK
    assert "/etc" in response.result.error_message
    found = [(each.entity_resource.uri, each.description) for each in response.spawnables]
    assert found == [("model://crate", "A wooden crate.")]
    resource = response.spawnables[0].entity_resource
    assert spawn(ours, "", entity_resource=resource).entity_name == "crate"


def test_the_action_steps_with_feedback_and_can_be_cancelled(serve, client):
    """It counts its steps, and a cancelled goal leaves the world after a whole number of them."""
    serve("ball")
    ours = client()
    action = ActionClient(ours.node, SimulateSteps, "simulate_steps")
    assert action.wait_for_server(30)
    # rclpy's action client drops the feedback of a goal that has ended
    kind, topic = SimulateSteps.Impl.FeedbackMessage, "/simulate_steps/_action/feedback"
    feedback = ours.hear(kind, topic, QoSProfile(depth=100))

    def send(steps):
        return ours.result(action.send_goal_async(SimulateSteps.Goal(steps=steps)))

    refused = ours.result(send(3).get_result_async()).result.result
    assert refused.result == Result.RESULT_OPERATION_FAILED
    enter(ours, SimulationState.STATE_PAUSED)
    done = ours.result(send(20).get_result_async()).result.result
    assert done.result == OK, done.error_message
    assert state_of(ours).header.stamp.nanosec == 20_000_000
    ours.wait(lambda: len(feedback) == 20)
    assert [each.feedback.completed_steps for each in feedback] == [*range(1, 21)]
    assert feedback[4].feedback.remaining_steps == 15
    goal = send(10**9)
    ours.result(goal.cancel_goal_async())
    cancelled = ours.result(goal.get_result_async()).result.result
    assert cancelled.result == Result.RESULT_OPERATION_FAILED
    assert "cancelled" in cancelled.error_message
    assert step(ours).result == OK
    action.destroy()


def test_behaviours_run_in_every_step(serve, client):
    """A behaviour that pushes 2 kg with 6 N gives 3 m/s^2, step by step."""
    serve("pushed")
    ours = client()
    enter(ours, SimulationState.STATE_PAUSED)
    step(ours, 500)
    assert state_of(ours).twist.linear.x == pytest.approx(1.5, abs=1e-9)


def test_each_of_several_worlds_has_its_own_time(serve, client):
    """Worlds step and reset on their own, in their namespaces, and keep one world loaded."""
    serve("two")
    first, second = client("world_0"), client("world_1")
    enter(first, SimulationState.STATE_PAUSED)
    step(first, 100)
    assert height(first) < 5.0
    assert height(second) == 5.0
    features = second.call(srv.GetSimulatorFeatures, "get_simulator_features").features.features
    assert SimulatorFeatures.WORLD_LOADING not in features
    assert SimulatorFeatures.SPAWNING in features
    refused = second.call(srv.LoadWorld, "load_world", world_resource=text_of(MJCF)).result
    assert refused.result == Result.RESULT_FEATURE_UNSUPPORTED
    spawn(second, "both", pose=at(z=9.0))
    assert names(first) == ["ball", "both"]


def test_requests_for_nothing_that_exists_are_refused(serve, client):
    """Unknown names and unsupported requests have the code of the standard and name the thing."""
    serve("ball")
    ours = client()
    bad = TagsFilter(tags=["x"], filter_mode=9)
    missing, unsupported = Result.RESULT_NOT_FOUND, Result.RESULT_FEATURE_UNSUPPORTED
    for kind, name, fields, code, word in (
        (srv.GetEntityState, "get_entity_state", {"entity": "nobody"}, missing, "nobody"),
        (srv.GetEntityInfo, "get_entity_info", {"entity": "nobody"}, missing, "nobody"),
        (srv.SetEntityInfo, "set_entity_info", {"entity": ""}, missing, "ball"),
        (srv.GetEntityBounds, "get_entity_bounds", {"entity": ""}, missing, "ball"),
        (srv.DeleteEntity, "delete_entity", {"entity": "ball::link"}, missing, "ball::link"),
        (srv.GetNamedPoses, "get_named_poses", {}, unsupported, "named poses"),
        (srv.GetNamedPoseBounds, "get_named_pose_bounds", {}, unsupported, "named poses"),
        (
            srv.GetEntities,
            "get_entities",
            {"filters": EntityFilters(tags=bad)},
            Result.RESULT_OPERATION_FAILED,
            "got 9",
        ),
        (
            srv.GetAvailableWorlds,
            "get_available_worlds",
            {"filter": TagsFilter(tags=["x"])},
            unsupported,
            "tags",
        ),
    ):
        result = ours.call(kind, name, **fields).result
        assert result.result == code, (name, result)
        assert word in result.error_message
    worlds = ours.call(srv.GetAvailableWorlds, "get_available_worlds", additional_sources=["/etc"])
    assert (worlds.result.result, len(worlds.worlds)) == (OK, 1)
    assert "/etc" in worlds.result.error_message
    assert names(ours) == ["ball"]
