# SPDX-License-Identifier: Apache-2.0
"""Sensors of a world: rates in simulated time, delays, noise, resets and snapshots."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_sync import (
    Noise,
    Reading,
    SensorInfo,
    SpawnRequest,
    UnknownEntityError,
    UnsupportedError,
    World,
)
from deepsim_sync.testing import TableModel, TableSimulator

TIMESTEP = 0.01


class Clock:
    """A sensor that measures the time, in three numbers or along three rays."""

    def __init__(self, simulator: TableSimulator, **infos: SensorInfo) -> None:
        self._simulator = simulator
        self.infos: Mapping[str, SensorInfo] = infos
        self.watched: list[str] = []
        self.reads = 0

    def watch(self, name: str) -> None:
        self.watched.append(name)

    def read(self, name: str) -> Reading:
        self.reads += 1
        time = np.repeat(self._simulator.time[:, None], 3, axis=1)
        if self.infos[name].kind == "lidar":
            return {"ranges": np.concatenate([time[:, None], time[:, None] + np.inf], axis=1)}
        zeros = np.zeros_like(time)
        return {"orientation": zeros, "angular_velocity": zeros, "linear_acceleration": time}


def make(worlds: int = 1, seed: int = 0, **settings: Any) -> tuple[World, Clock]:
    simulator = TableSimulator(worlds=worlds, timestep=TIMESTEP)
    clock = Clock(simulator, clock=SensorInfo("imu", **settings), scan=SensorInfo("lidar"))
    simulator.sensors = clock
    return World(simulator, seed=seed), clock


def test_a_sensor_that_nobody_asks_for_is_not_read() -> None:
    """It is watched once it was asked for, and read once at an instant."""
    world, clock = make()
    for _ in range(5):
        world.tick()
    assert (clock.reads, clock.watched) == (0, [])
    sensor = world.sensors["clock"]
    assert clock.watched == ["clock"]
    world.tick()
    assert clock.reads == 0
    for _ in range(3):
        assert sensor.linear_acceleration == pytest.approx(0.06)
    assert clock.reads == 1


def test_sensors_are_found_by_name() -> None:
    world, _ = make()
    assert list(world.sensors) == ["clock", "scan"]
    assert len(world.sensors) == 2
    assert "scan" in world.sensors
    assert world.sensors["clock"] is world.sensors["clock"]
    with pytest.raises(UnknownEntityError, match=r"clok.*clock"):
        world.sensors["clok"]
    with pytest.raises(AttributeError, match="angular_velocity"):
        _ = world.sensors["clock"].ranges


def test_sensors_of_a_kind_are_read_together() -> None:
    """Each with its own rate and noise, in the order of the names."""
    world, clock = make(worlds=2)
    clock.infos = {"slow": SensorInfo("imu", update_rate=10.0), **clock.infos}
    rows = world.sensors.select(["clock", "slow"])
    for _ in range(12):
        world.tick()
    assert rows.names == ("clock", "slow")
    assert len(rows) == 2
    assert rows.linear_acceleration.shape == (2, 2, 3)
    assert rows.linear_acceleration[:, :, 0] == pytest.approx(np.array([[0.12, 0.10]] * 2))
    assert rows.time == pytest.approx(np.array([[0.12, 0.10]] * 2))
    with pytest.raises(AttributeError, match=r"'imu' measure orientation.* not 'ranges'"):
        _ = rows.ranges
    with pytest.raises(ValueError, match=r"'clock' \(imu\), 'scan' \(lidar\)"):
        world.sensors.select(["clock", "scan"])
    with pytest.raises(ValueError, match="of one kind, got None"):
        world.sensors.select([])
    with pytest.raises(TypeError, match="got the str 'clock'"):
        world.sensors.select("clock")


def test_a_simulator_may_have_no_sensors() -> None:
    world = World(TableSimulator())
    assert list(world.sensors) == []
    with pytest.raises(UnsupportedError, match="TableSimulator has no sensors"):
        world.sensors["imu"]


@pytest.mark.parametrize("rate", [10.0, 30.0, 100.0, 1000.0])
def test_a_sensor_measures_at_its_own_rate_of_simulated_time(rate: float) -> None:
    """The latest measurement is that of the first tick at or after a multiple of the period."""
    world, _ = make(update_rate=rate)
    sensor = world.sensors["clock"]
    for tick in range(1, 50):
        world.tick()
        due = [
            n
            for n in range(tick + 1)
            if n == 0 or int(n * rate / 100 + 1e-9) > int((n - 1) * rate / 100 + 1e-9)
        ]
        assert sensor.time == pytest.approx(due[-1] * TIMESTEP)
        assert sensor.linear_acceleration == pytest.approx(due[-1] * TIMESTEP)


def test_a_sensor_with_a_rate_measures_whether_it_is_read_or_not() -> None:
    world, _ = make(update_rate=20.0)
    sensor = world.sensors["clock"]
    for _ in range(12):
        world.tick()
    assert sensor.time == pytest.approx(0.10)


def test_a_delay_holds_measurements_back() -> None:
    """Until the first one arrives, the first one counts."""
    world, _ = make(delay=0.03)
    sensor = world.sensors["clock"]
    seen = []
    for _ in range(6):
        seen.append(float(sensor.time[0]))
        world.tick()
    assert seen == pytest.approx([0, 0, 0, 0, 0.01, 0.02])
    assert sensor.linear_acceleration == pytest.approx(0.03)


def test_a_world_that_ticks_alone_has_a_new_measurement() -> None:
    """The others keep theirs, whether they are read or not."""
    world, _ = make(worlds=3)
    sensor = world.sensors["clock"]
    for ticking in ([0, 1, 2], [2], [0, 2], [1]):
        world.tick(np.array(ticking))
        np.testing.assert_allclose(sensor.linear_acceleration[:, 0], world.time)
        np.testing.assert_allclose(sensor.time, world.time)


def test_noise_has_the_moments_that_it_is_described_by() -> None:
    noise = Noise(mean=1.0, stddev=0.5, bias_mean=3.0, bias_stddev=0.2)
    world, _ = make(worlds=100, noise={"angular_velocity": (noise,)})
    sensor = world.sensors["clock"]
    values = []
    for _ in range(200):
        world.tick()
        values.append(sensor.angular_velocity)
    measured = np.array(values)  # (ticks, worlds, axes)
    means = measured.mean(axis=0)
    assert means.mean() == pytest.approx(4.0, abs=0.1)
    assert measured.std(axis=0).mean() == pytest.approx(0.5, rel=0.05)
    biases = means.mean(axis=1)  # one for all axes
    assert biases.std() == pytest.approx(0.2, rel=0.3)


def test_a_bias_drifts_as_far_as_it_is_described() -> None:
    """After many correlation times, it has the standard deviation of the process."""
    noise = Noise(drift_stddev=0.5, drift_time=0.1)
    world, _ = make(worlds=300, noise={"angular_velocity": (noise,) * 3})
    sensor = world.sensors["clock"]
    for _ in range(100):
        world.tick()
        drift = sensor.angular_velocity
    # Of d' = -d / tau + white noise: stddev * sqrt(tau / 2)
    assert drift.std() == pytest.approx(0.5 * np.sqrt(0.1 / 2), rel=0.15)


def test_noise_is_rounded_and_leaves_infinite_ranges() -> None:
    world, clock = make()
    noise = {"ranges": (Noise(mean=0.26, precision=0.1),)}
    clock.infos = {"scan": SensorInfo("lidar", noise=noise, limits=(0.0, 0.25))}
    assert world.sensors["scan"].ranges[0].tolist() == [[0.25] * 3, [np.inf] * 3]
    world.tick()
    clock.infos = {"scan": SensorInfo("lidar", noise=noise)}
    assert World(world.simulator).sensors["scan"].ranges[0, 0] == pytest.approx([0.3] * 3)


class Grey:
    """A camera that sees 2 x 300 pixels of one colour."""

    infos: Mapping[str, SensorInfo] = {
        "eye": SensorInfo("camera", noise={"rgb": (Noise(0.1, 0.02),)}, limits=(0.0, 1.0)),
        "glare": SensorInfo("camera", noise={"rgb": (Noise(0.9),)}, limits=(0.0, 1.0)),
    }

    def __init__(self, worlds: int) -> None:
        self._worlds = worlds

    def watch(self, name: str) -> None:
        pass

    def read(self, name: str) -> Reading:
        return {"rgb": np.full((self._worlds, 2, 300, 3), (100, 110, 120), np.uint8)}


def test_noise_of_pictures_changes_all_colours_of_a_pixel() -> None:
    """By one deviate on a scale of 0 to 1, in each world as alone."""

    def pictures(worlds: int) -> Any:
        simulator = TableSimulator(worlds=worlds)
        simulator.sensors = Grey(worlds)
        world = World(simulator, seed=5)
        assert (world.sensors["glare"].rgb == 255).all()
        return world.sensors["eye"].rgb

    rgb = pictures(3)
    assert (rgb.shape, rgb.dtype) == ((3, 2, 300, 3), np.dtype(np.uint8))
    deviates = rgb.astype(float) - (100, 110, 120)
    assert np.ptp(deviates, axis=-1).max() == 0.0
    assert deviates.mean() == pytest.approx(25.5, abs=0.5)
    assert deviates.std() == pytest.approx(5.1, abs=0.4)
    np.testing.assert_array_equal(pictures(1)[0], rgb[0])
    assert (rgb[0] != rgb[1]).any()


def test_noise_that_is_not_rounded_leaves_infinite_ranges_without_a_warning() -> None:
    world, clock = make()
    noise = {"ranges": (Noise(stddev=0.01),)}
    clock.infos = {"scan": SensorInfo("lidar", noise=noise)}
    with np.errstate(all="raise"):
        assert np.isposinf(world.sensors["scan"].ranges[0, 1]).all()


def test_a_world_has_the_noise_that_it_has_alone() -> None:
    """Bit for bit, through resets of some worlds."""
    noise = {
        "angular_velocity": (Noise(stddev=1.0, bias_stddev=1.0, drift_stddev=1, drift_time=1),)
    }

    def run(worlds: int, seed: int, whole: bool) -> list[bytes]:
        world, _ = make(worlds, seed, noise=noise, update_rate=50.0, delay=0.02)
        sensor = world.sensors["clock"]
        bits = []
        for tick in range(20):
            world.tick()
            if tick == 7:
                world.reset(worlds=[0] if whole else [2])
            bits.append(sensor.angular_velocity[0 if whole else 2].tobytes())
        return bits

    together = run(4, 5, whole=False)
    assert together == run(1, 7, whole=True)
    assert len(set(together)) > 5


def test_a_reset_begins_a_new_episode_of_some_worlds() -> None:
    world, _ = make(3, update_rate=10.0, delay=0.05)
    sensor = world.sensors["clock"]
    for _ in range(18):
        world.tick()
    assert sensor.time == pytest.approx([0.1] * 3)
    world.reset(worlds=[1])
    assert sensor.time == pytest.approx([0.1, 0.0, 0.1])


def test_snapshots_hold_noise_rates_and_delays() -> None:
    noise = {"angular_velocity": (Noise(stddev=1.0, bias_stddev=1.0),)}
    world, _ = make(2, noise=noise, update_rate=40.0, delay=0.03)
    sensor = world.sensors["clock"]

    def run() -> list[bytes]:
        bits = []
        for _ in range(9):
            world.tick()
            bits.append(sensor.angular_velocity.tobytes() + sensor.time.tobytes())
        return bits

    run()
    state = world.get_state()
    first = run()
    world.set_state(state)
    assert run() == first


def test_a_sensor_of_a_model_that_is_gone_is_refused_and_does_not_stop_the_world() -> None:
    world, clock = make(update_rate=10.0)
    world.spawn_many([SpawnRequest(TableModel(), "ball", Pose())])
    assert world.sensors["clock"].time == 0.0
    clock.infos = {}
    for _ in range(20):
        world.tick()
    with pytest.raises(UnknownEntityError):
        world.sensors["clock"]


@pytest.mark.parametrize("name", ["stddev", "bias_stddev", "drift_stddev", "precision"])
def test_noise_is_checked(name: str) -> None:
    with pytest.raises(ValueError, match=rf"noise {name} must be finite and >= 0, got -1"):
        Noise(**{name: -1.0})
    with pytest.raises(ValueError, match="noise mean must be finite, got nan"):
        Noise(mean=float("nan"))
