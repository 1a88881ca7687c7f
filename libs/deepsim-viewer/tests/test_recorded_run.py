# SPDX-License-Identifier: Apache-2.0
"""Recordings of episodes are run again, and the first value that differs is named."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from gymnasium.spaces import Box
from mcap.reader import make_reader
from mcap.writer import Writer

from deepsim_envs import Agents, Area, Environment
from deepsim_envs.software import differences, software
from deepsim_math import Pose, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import Sphere
from deepsim_sync import CallbackError, World
from deepsim_viewer import EpisodeRecorder, RecordedRun, Recording, RecordingError, WorldRecorder


class Throw(Area):
    """A ball at a random height that is thrown, and seen; from step 2 on there is another model."""

    def __init__(self, world, scenes, gain):
        super().__init__(world)
        self.scenes, self.gain, self.late = scenes, gain, False
        self.ball = world.models.select(["ball"])
        self.agents = Agents(["hand"], Box(-np.inf, np.inf, (3,), np.float64), Box(-1, 1, (2,)))

    def reset(self, worlds):
        heights = self.world.uniform(1.0, 2.0, worlds=worlds)
        self.ball.put(worlds, pose=[[[-1.0, 0.0, height, 0, 0, 0, 1]] for height in heights])

    def act(self, actions):
        if actions[0, 0, 0] == np.float32(0.75):
            raise RuntimeError("the hand is empty")
        twist = np.zeros((len(self.world), 1, 6))
        twist[:, 0, :2] = actions[:, 0]
        self.ball.put(twist=twist)

    def update(self):
        if not self.late and self.steps_done == 2:
            self.late = True
            model = self.scenes.model("late", Sphere(0.2), Pose())
            self.world.spawn(model, "late", Pose(Vector3(3.0, 3.0, 1.0)))

    @property
    def steps_done(self):
        return int(self.world.ticks[0]) // 10

    def observe(self):
        return self.ball.pose[:, :, :3]

    def reward(self):
        return self.gain * self.ball.pose[:, :, 0]


@pytest.fixture
def throw(scenes):
    """Makes environments; closes them."""
    made = []

    def make(worlds=1, gain=1.0):
        world = World(MujocoSimulator(scenes.falling(), worlds=worlds, threads=1))
        environment = Environment(Throw(world, scenes, gain), frame_skip=10, max_episode_steps=4)
        made.append(environment)
        return environment

    yield make
    for each in made:
        each.close()


@pytest.fixture
def recorded(throw, tmp_path):
    """Records two episodes; returns the file."""

    def record(worlds=1, **settings):
        path, draw = tmp_path / f"run_{worlds}.mcap", np.random.default_rng(1)
        environment = throw(worlds)
        with EpisodeRecorder(environment, path, **settings) as recorder:
            for episode in range(2):
                recorder.reset([10 * episode + world for world in range(worlds)])
                while slots := environment.live_agents:
                    recorder.step({slot: draw.uniform(-0.5, 0.5, 2) for slot in slots})
        return path

    return record


def changed(path, change):
    """Writes a sound copy of a file whose messages and metadata `change` returns."""
    other = path.with_name("changed.mcap")
    with path.open("rb") as file, other.open("wb") as out:
        reader, writer, channels = make_reader(file), Writer(out), {}
        writer.start()
        for each in reader.iter_metadata():
            values = {key: change(key, 0, value) for key, value in each.metadata.items()}
            writer.add_metadata(each.name, values)
        for _, channel, message in reader.iter_messages(log_time_order=False):
            if channel.topic not in channels:
                kind = channel.message_encoding
                channels[channel.topic] = writer.register_channel(channel.topic, kind, 0)
            data = change(channel.topic, message.sequence, message.data)
            if data is not None:
                number, time = channels[channel.topic], message.log_time
                writer.add_message(number, time, data, time, message.sequence)
        writer.finish()
    return other


@pytest.mark.parametrize("worlds", [1, 3])
@pytest.mark.parametrize("settings", [{}, {"shown": 1}, {"rate": 500.0}])
def test_a_run_is_equal_to_itself(worlds, settings, recorded, throw):
    """With spawned models, several episodes, and worlds of which only digests are kept."""
    run = RecordedRun(recorded(worlds, **settings))
    assert (run.episodes, run.steps, run.worlds) == (2, 8, worlds)
    assert run.software == software()
    assert run.verify(throw(worlds)) is None


def test_a_recorded_run_is_a_recording(recorded):
    """It is shown as any other, with the model that came later."""
    frames = Recording(recorded())
    assert "late" in frames.frame(frames.times[-1]).entities.models


def test_recording_changes_no_bit(throw, tmp_path):
    """Nor do the tables that it reads."""
    one, other = throw(2), throw(2)
    action = {"hand/0": [0.1, 0.2], "hand/1": [0.3, 0.4]}
    with EpisodeRecorder(one, tmp_path / "run.mcap") as recorder:
        recorder.reset(5)
        other.reset(5)
        for _ in range(4):
            recorder.step(action)
            other.step(action)
    assert one.world.links.pose.tobytes() == other.world.links.pose.tobytes()


def flipped(data, index):
    """Changes the last bit of a number."""
    numbers = np.frombuffer(data, "<f8").copy()
    numbers.view("<u8")[index] ^= np.uint64(1)
    return numbers.tobytes(), numbers


def test_one_changed_bit_of_a_table_is_named(recorded, throw):
    """With step, tick, world, entity, column and both values."""
    kept, index = {}, (1 * 6 + 3) * 6 + 2  # world 1 of 6 links, link 3, component 2

    def change(topic, number, data):
        if topic == "/deepsim/tables/links/twist" and number == 7:  # the second episode's step 2
            kept["before"] = np.frombuffer(data, "<f8")
            data, kept["after"] = flipped(data, index)
        return data

    found = RecordedRun(changed(recorded(2), change)).verify(throw(2))
    assert found[:6] == (2, 2, 20, 1, "link 'ball::link'", "twist[2]")
    assert (found.recorded, found.repeated) == (kept["after"][index], kept["before"][index])
    assert found.recorded != found.repeated
    assert str(found).startswith(
        "episode 2, step 2 (tick 20), world 1, link 'ball::link', twist[2]"
    )


def test_a_changed_frame_is_named(recorded, throw):
    """What a viewer shows is compared, too, at the tick of the frame."""

    def change(topic, number, data):
        changes = topic == "/deepsim/models" and number == 1
        return flipped(data, 3 * 13 + 2)[0] if changes else data

    found = RecordedRun(changed(recorded(), change)).verify(throw())
    assert found[:6] == (1, 4, 34, 0, "model 'ball'", "pose[2]")
    assert abs(found.recorded - found.repeated) == pytest.approx(0.0, abs=1e-15)


def lines(step, edit):
    """Edits the line of a reset or step."""

    def change(topic, number, data):
        if topic == "/deepsim/steps" and number == step:
            line = json.loads(data)
            edit(line)
            return json.dumps(line).encode()
        return data

    return change


def test_a_changed_action_is_a_difference_in_its_step(recorded, throw):
    """The first table that it moves: the commanded twist of the ball, in the first tick."""

    def edit(line):
        line["actions"]["hand/1"][0][1] += 0.25

    found = RecordedRun(changed(recorded(3), lines(2, edit))).verify(throw(3))
    assert found[:5] == (1, 2, 20, 1, "model 'ball'")
    assert found.column == "pose[1]"
    assert found.repeated - found.recorded == pytest.approx(0.25 * 0.01, rel=0.1)


def test_a_changed_result_is_named_with_its_agent(recorded, throw):
    """Rewards, observations and ends by slot."""
    true = json.loads(RecordedRun(recorded(3))._messages["/deepsim/steps"][1][2])

    def reward(line):
        line["rewards"]["hand/2"] += 1.0

    def ends(line):
        line["terminated"]["hand/0"] = True

    found = RecordedRun(changed(recorded(3), lines(2, reward))).verify(throw(3))
    value = true["rewards"]["hand/2"]
    assert found == (1, 2, 20, 2, "agent 'hand/2'", "rewards", value + 1.0, value)
    found = RecordedRun(changed(recorded(3), lines(2, ends))).verify(throw(3))
    assert found == (1, 2, 20, 0, "agent 'hand/0'", "terminated", True, False)


def test_another_task_differs(recorded, throw):
    """A reward that is computed in another way, though all states are equal."""
    found = RecordedRun(recorded()).verify(throw(gain=2.0))
    assert found[:6] == (1, 1, 10, 0, "agent 'hand'", "rewards")
    assert found.repeated == 2.0 * found.recorded


def test_a_world_that_is_not_shown_is_named(recorded, throw):
    """Of it there is a digest, without the values."""

    def edit(line):
        line["actions"]["hand/2"][0][1] += 0.25

    path = changed(recorded(3, shown=2), lines(2, edit))
    found = RecordedRun(path).verify(throw(3))
    assert found[:6] == (1, 2, 20, 2, "the values of this world are not recorded", "digest")


def test_other_entities_are_a_difference(recorded, throw):
    """A model of another name."""

    def edit(line):
        line["entities"]["models"] = [
            "stone" if n == "ball" else n for n in line["entities"]["models"]
        ]

    found = RecordedRun(changed(recorded(), lines(0, edit))).verify(throw())
    assert found[:2] == (1, 0)
    assert found[4:] == ("ball", "exists", False, True)


def test_a_step_that_failed_fails_again(throw, tmp_path):
    """So that a file of a fault shows it; the error is recorded with its actions."""
    path = tmp_path / "fault.mcap"
    with EpisodeRecorder(throw(), path) as recorder:
        recorder.reset(1)
        recorder.step({"hand": [0.5, 0.5]})
        with pytest.raises(CallbackError, match="the hand is empty"):
            recorder.step({"hand": [0.75, 0.0]})
    run = RecordedRun(path)
    assert run.counted.startswith(
        "1 episodes, 2 steps, 1 worlds; it ends in the error CallbackError"
    )
    assert run.verify(throw()) is None

    def mend(line):
        line["actions"]["hand"][0][0] = 0.5

    found = RecordedRun(changed(path, lines(2, mend))).verify(throw())
    assert found[4:6] == ("the task", "error")
    assert "the hand is empty" in found.recorded
    assert found.repeated is None


def test_an_interrupted_run_is_equal(throw, tmp_path):
    """The frame that closes the file may lie between two steps."""
    environment = throw()
    with EpisodeRecorder(environment, tmp_path / "run.mcap") as recorder:
        recorder.reset(1)
        recorder.step({"hand": [0.5, 0.5]})
        environment.world.tick()
    assert RecordedRun(tmp_path / "run.mcap").verify(throw()) is None


def test_a_writer_that_was_killed_leaves_steps(throw, tmp_path):
    """All that was written whole is run again."""
    path, cut, environment = tmp_path / "run.mcap", tmp_path / "cut.mcap", throw()
    with EpisodeRecorder(environment, path) as recorder:
        for seed in range(30):
            recorder.reset(seed)
            while environment.live_agents:
                recorder.step({"hand": [0.5, 0.5]})
        cut.write_bytes(path.read_bytes())
    run = RecordedRun(cut)
    assert 10 < run.steps < RecordedRun(path).steps
    assert run.verify(throw()) is None


def test_what_differs_of_the_software_is_listed(recorded):
    """Another version, and one that was not installed."""

    def change(name, number, value):
        if name == "run":
            facts = json.loads(value)
            facts["software"] |= {"numpy": "1.2.3", "portable baseline": "perhaps"}
            del facts["software"]["deepsim-math"]
            return json.dumps(facts)
        return value

    before = RecordedRun(changed(recorded(), change)).software
    found = {name: (old, new) for name, old, new in differences(before, software())}
    assert found["numpy"] == ("1.2.3", np.__version__)
    assert found["portable baseline"][0] == "perhaps"
    assert found["deepsim-math"][0] == "missing"
    assert len(found) == 3


def test_other_files_are_refused(world_file, recorded, throw, tmp_path):
    """A recording without actions, another version, other worlds, and missing fields."""
    with pytest.raises(RecordingError, match="has no actions, so that it can be shown but not run"):
        RecordedRun(world_file)

    def newer(name, number, value):
        return json.dumps({**json.loads(value), "version": 2}) if name == "run" else value

    with pytest.raises(RecordingError, match="has version 2 of recorded runs"):
        RecordedRun(changed(recorded(), newer))
    for field in ("worlds", "shown", "rate", "software", "agents"):

        def without(name, number, value, field=field):
            facts = json.loads(value) if name == "run" else {}
            return json.dumps({k: v for k, v in facts.items() if k != field}) if facts else value

        with pytest.raises(RecordingError, match=field):
            RecordedRun(changed(recorded(), without))

    def many(name, number, value):
        facts = json.loads(value) if name == "run" else {}
        return json.dumps(facts | {"worlds": 10**9, "shown": 10**9}) if facts else value

    with pytest.raises(RecordingError, match="it has 1 worlds and 0 digests of 1000000000"):
        RecordedRun(changed(recorded(), many))
    with pytest.raises(RecordingError, match=r"is of 1 worlds with the agents \['hand'\]"):
        RecordedRun(recorded()).verify(throw(2))


@pytest.fixture
def world_file(scenes, tmp_path):
    """A recording of a world, without actions."""
    world = World(MujocoSimulator(scenes.falling()))
    with WorldRecorder(world, tmp_path / "world.mcap"):
        world.tick()
    world.close()
    return tmp_path / "world.mcap"


@pytest.mark.parametrize(
    "edit",
    [
        lambda line: line.pop("actions"),
        lambda line: line.pop("rewards"),
        lambda line: line.update(actions={"hand": "x"}),
        lambda line: line.update(actions={"foot": [[0.0, 0.0]]}),
        lambda line: line.update(rewards=7),
        lambda line: line.update(digests=["x"]),
    ],
)
def test_lines_that_make_no_sense_are_refused(edit, recorded, throw):
    """Or are a difference; no other error comes of them."""
    path = changed(recorded(), lines(2, edit))
    with pytest.raises(RecordingError, match=r"changed\.mcap is not a recording of DeepSim"):
        RecordedRun(path).verify(throw())


def test_damage_is_noticed(recorded):
    """A flipped bit is an error, or touches nothing of the steps."""
    path, draw = recorded(), random.Random(1)
    data, damaged, noticed = path.read_bytes(), path.with_name("damaged.mcap"), 0
    for _ in range(100):
        mutant = bytearray(data)
        mutant[draw.randrange(len(data) - 8)] ^= 1 << draw.randrange(8)
        damaged.write_bytes(mutant)
        try:
            steps = RecordedRun(damaged).steps
        except RecordingError:
            noticed += 1
        else:
            assert steps == 8
    assert noticed > 50
