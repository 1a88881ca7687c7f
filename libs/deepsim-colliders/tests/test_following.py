# SPDX-License-Identifier: Apache-2.0
"""Colliders that follow something, and queries from several threads."""

from __future__ import annotations

import threading

import pytest

from deepsim_colliders import BoxCollider, CompoundCollider, SphereCollider
from deepsim_math import Pose


class Noted(SphereCollider):
    def __init__(self):
        super().__init__(1)
        self.calls = []

    def on_attach(self, source):
        self.calls.append(("attach", source))

    def on_detach(self, source):
        self.calls.append(("detach", source))


def test_hooks_are_called_once_for_each_change():
    collider, first, second = Noted(), BoxCollider(1, 1, 1), BoxCollider(2, 2, 2)
    collider.attach(first)
    collider.attach(second)
    collider.detach()
    collider.detach()
    assert collider.calls == [
        ("attach", first),
        ("detach", first),
        ("attach", second),
        ("detach", second),
    ]


def test_a_refused_source_changes_nothing():
    collider, first = Noted(), BoxCollider(1, 1, 1)
    collider.attach(first)
    with pytest.raises(TypeError, match="cannot attach to 'car'"):
        collider.attach("car")
    assert collider.calls == [("attach", first)]


def test_a_circle_of_followers_is_refused():
    first, second = BoxCollider(1, 1, 1), BoxCollider(1, 1, 1)
    with pytest.raises(ValueError, match="follows it"):
        first.attach(first)
    second.attach(first)
    with pytest.raises(ValueError, match="follows it"):
        first.attach(second)
    compound = CompoundCollider([first])
    with pytest.raises(ValueError, match="follows it"):
        compound.attach(compound.parts[0])
    assert first.pose == Pose()


class Switching:
    """Gives each thread a pose of its own."""

    def __init__(self):
        self.local = threading.local()

    @property
    def pose(self):
        return self.local.pose


def test_threads_that_share_a_collider_get_their_own_answers():
    source = Switching()
    shared = BoxCollider(2, 2, 2)
    shared.attach(source)
    wrong = []

    def ask(number):
        poses = [Pose((100.0 * number + 10.0 * step, 0, 0)) for step in range(3)]
        for turn in range(600):
            source.local.pose = pose = poses[turn % 3]
            if not shared.contains(pose.position) or shared.contains((-500, 0, 0)):
                wrong.append(pose)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_query_keeps_its_pose_while_another_thread_asks():
    """A slow query is not disturbed by one that another thread finishes in between."""
    source = Switching()

    class Slow(BoxCollider):
        def _holds(self, point):
            if source.local.pose == Pose() and not asked.is_set():
                asked.set()
                other.start()
                other.join()
            return super()._holds(point)

    asked = threading.Event()
    shared = Slow(2, 2, 2)
    shared.attach(source)
    answers = []

    def ask_elsewhere():
        source.local.pose = Pose((100, 0, 0))
        answers.append(shared.contains((100, 0, 0)))

    other = threading.Thread(target=ask_elsewhere)
    source.local.pose = Pose()
    assert shared.intersects((0, 0, 0))
    assert shared.contains((1, 0, 0))
    assert answers == [True]
