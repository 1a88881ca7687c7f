# SPDX-License-Identifier: Apache-2.0
"""Play, pause, step, reset and speed from the browser."""

from __future__ import annotations

import threading
import time

import pytest

from deepsim_viewer.control import Control


def holds(value, seconds=0.1):
    """Whether a value stays as it is for a while."""
    before = value()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value() != before:
            return False
        time.sleep(0.001)
    return True


def ticks(viewer):
    return int(viewer.world.ticks[0])


def test_pause_step_and_play(make_viewer, look, run, reach):
    """Pause holds the world, a step is one tick, and play goes on."""
    viewer = make_viewer(rate=1e6)
    client = look(viewer)
    client.wait_for("Pause")
    run(viewer, viewer.world.tick)
    reach(lambda: ticks(viewer) > 10)
    client.press("Pause")
    client.wait_for("Play")
    reach(lambda: holds(lambda: ticks(viewer)))
    held = ticks(viewer)
    client.press("Step")
    reach(lambda: ticks(viewer) == held + 1)
    assert holds(lambda: ticks(viewer))
    client.press("Play")
    reach(lambda: ticks(viewer) > held + 10)


def test_reset_with_a_seed(make_viewer, look, run, reach):
    """A reset goes back to the start, and seeds the world; also while it is paused."""
    viewer = make_viewer(rate=1e6)
    client = look(viewer)
    client.wait_for("Seed")
    run(viewer, viewer.world.tick)
    reach(lambda: ticks(viewer) > 10)
    viewer.control.pause()
    reach(lambda: holds(lambda: ticks(viewer)))
    state = viewer.world.rngs[0].bit_generator.state
    client.set("Seed", 7)
    client.press("Reset")
    reach(lambda: ticks(viewer) == 0)
    assert viewer.world.rngs[0].bit_generator.state != state
    client.read(lambda it: it.positions()[:, 2].max() == 1.0)


def test_what_the_world_refuses_is_shown(make_viewer, look, run, reach):
    """A refused change ends itself alone, with a message in the browser."""
    viewer = make_viewer(rate=1e6)
    client = look(viewer)
    run(viewer, viewer.world.tick)
    viewer.post(lambda: viewer.world.delete("nobody"))
    client.read(lambda it: it.notes)
    assert "nobody" in client.notes[0]
    held = ticks(viewer)
    reach(lambda: ticks(viewer) > held)


class Clock:
    """A wall clock that only sleep advances."""

    now = 100.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


def test_speed(monkeypatch):
    """At half real time 0.1 s take 0.2 s; a long delay, as of a lid that was shut, is lost."""
    clock = Clock()
    monkeypatch.setattr("deepsim_viewer.control.time", clock)
    for delay, made_up in ((0.0, 0.0), (0.1, 0.1), (3600.0, 0.0)):
        control = Control(lambda f: f(), speed=0.5)
        control.wait(0.0, lambda: None)
        clock.now += delay
        control.wait(0.0, lambda: None)
        begin = clock.now
        for tick in range(1, 101):
            control.wait(tick * 0.001, lambda: None)
        assert clock.now - begin + made_up == pytest.approx(0.2, abs=0.003)


def test_functions_run_while_it_is_held(reach):
    """A function of another thread runs in the held thread, and something is shown after it."""
    control = Control(lambda f: f(), speed=None)
    control.pause()
    log = []
    thread = threading.Thread(target=control.wait, args=(0.0, lambda: log.append("shown")))
    thread.start()
    control.call(lambda: log.append(threading.current_thread() is thread))
    reach(lambda: len(log) == 2)
    assert log == [True, "shown"]
    assert thread.is_alive()
    control.resume()
    thread.join(10.0)
    assert not thread.is_alive()


class FarClock:
    """The clock of a world that another process runs."""

    def __init__(self):
        self.paused = False
        self.steps = 0

    def pause(self):
        self.paused = True

    def resume(self):
        self.paused = False

    def advance(self, steps):
        self.paused = True
        self.steps += steps


def test_a_clock_of_another_process_is_asked_and_the_world_goes_on(make_viewer, look, run, reach):
    """Buttons are those of the clock, its pauses show, and closing the viewer leaves it."""
    clock = FarClock()
    viewer = make_viewer(rate=1e6, clock=clock)
    client = look(viewer)
    client.wait_for("Pause")
    run(viewer, viewer.world.tick)
    client.press("Pause")
    reach(lambda: clock.paused)
    held = ticks(viewer)
    reach(lambda: ticks(viewer) > held + 10)
    client.wait_for("Play")
    client.press("Step")
    reach(lambda: clock.steps == viewer.world.steps_per_tick)
    client.press("Play")
    reach(lambda: not clock.paused)
    clock.paused = True  # somebody else
    client.wait_for("Play")
    assert viewer.control.paused
    viewer.control.release()
    held = ticks(viewer)
    reach(lambda: ticks(viewer) > held + 2)
    assert clock.paused
