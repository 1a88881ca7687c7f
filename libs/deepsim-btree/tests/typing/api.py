# SPDX-License-Identifier: Apache-2.0
"""How the library is used, for mypy --strict to check; it is never run."""

from __future__ import annotations

from functools import partial
from typing import Generator

import deepsim_btree as bt
from deepsim_btree.testing import play
from deepsim_btree.trace import Recording, Trace, render_html
from deepsim_btree.view import TreeViewer
from deepsim_btree.xml import read_xml, write_xml


@bt.action
def drive(speed: float, *, slow: bool = False) -> bt.Status:
    return bt.Status.SUCCESS if speed > 1 or slow else bt.Status.RUNNING


@bt.condition
def near(distance: float) -> bool:
    return distance < 1.0


@bt.action  # type: ignore[arg-type]  # an action must return a Status
def wrong(speed: float) -> bool:
    return speed > 0.0


@bt.action
def pause(ticks: int) -> Generator[None, None, None]:
    for _ in range(ticks):
        yield


@bt.action
async def fetch(url: str) -> bt.Status:
    await bt.next_tick()
    return bt.Status.SUCCESS


class Move(bt.PortLeaf):
    speed = bt.Input(float, default=1.0)
    count = bt.InOut(int)
    left = bt.Output(float)

    def update(self) -> bt.Status:
        self.count += 1
        self.left = self.speed * self.count
        self.speed = "fast"  # type: ignore[assignment]  # a port has a type
        return bt.Status.RUNNING


class Wait(bt.Behaviour):
    def update(self) -> bt.Status:
        self.blackboard["waited"] = self.tree.now
        return bt.Status.RUNNING

    def terminate(self, new_status: bt.Status) -> None:
        self.feedback_message = new_status.name


class Sometimes(bt.Decorator):
    def update(self) -> bt.Status:
        status: bt.Status = self.tick_child(self.child)
        return status


class Look(bt.PortLeaf):
    far: bt.Input[float | None] = bt.Input(float | None, default=None)
    names = bt.InOut(list[str])

    def update(self) -> bt.Status:
        far: float | None = self.far
        self.names = [str(far)]
        return bt.Status.SUCCESS


moving: bt.Action = drive(2.0, slow=True)
asking: bt.Check = near(0.5)
drive("fast")  # type: ignore[arg-type]  # arguments are those of the function
near(0.5, 1.0)  # type: ignore[call-arg]  # and no others

waits: list[Wait] = [Wait(), Wait()]
root = bt.Selector([bt.Sequence([asking, moving]), bt.Repeater(Sometimes(Wait()), repeat=3)])
root.add_children(waits)
bt.Limit(Wait())  # type: ignore[call-arg]  # the limit has no default

tree = bt.Tree(root, clock=lambda: 0.0, seed=3, blackboard={"goal": (1.0, 2.0)})
status: bt.Status = tree.tick()
problems: list[bt.Problem] = tree.validate()
twin: bt.Selector = root.copy()
children: tuple[bt.Behaviour, ...] = twin.children
parent: bt.Behaviour | None = children[0].parent

pausing: bt.Routine = pause(3)
fetching: bt.Routine = fetch("a")
pause("three")  # type: ignore[arg-type]
keyed: bt.Action = drive(bt.key("speed"))
port: bt.Input[float] = Move.speed
bt.Input("float")  # type: ignore[call-overload]
speed: float = Move(speed=2.0).speed
subtree = bt.SubTree(Move(), remap={"a": "b"})
scope: bt.Blackboard = subtree.scope
branches = bt.Switch({"a": Wait(), 2: Wait()}, Wait(), on=bt.key("mode"))
choice = bt.IfThenElse(asking, Wait(), Wait())

with Trace(tree) as trace:
    recording: Recording = trace.recording
page: str = render_html(recording)
text: str = bt.render_text(recording.at(0))
nodes_by_tag = read_xml(text, {"Drive": partial(drive, slow=True), "Move": Move})
nodes_by_name = read_xml(text, [drive, Move])
again: bt.Behaviour = read_xml(write_xml(root, [drive]), [drive, Move])

weighted = bt.WeightedSelector([Wait(), Wait()], weights=[1, 2.5])
bt.WeightedSelector([Wait()])  # type: ignore[call-arg]  # the weights have no default
best = bt.ReactiveUtilitySelector([Wait()], utilities=[lambda: 0.5], margin=0.1)
utilities: list[float] = best.values()
service = bt.Service(Wait(), asking, seconds=0.5)
thread = bt.Background(bt.InThread(print), "a")
with TreeViewer(tree, port=0, title="a") as viewer:
    url: str = viewer.url
play(tree, "RRS")
play(tree, {"go": "RRS", "go/drive": ".RS"})
