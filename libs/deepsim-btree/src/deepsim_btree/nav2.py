# SPDX-License-Identifier: Apache-2.0
"""The control nodes and decorators of Nav2, to run its trees without ROS.

The page docs/nav2.md shows a test of a tree. The answers are those of nav2_behavior_tree in
ros-navigation/navigation2, folders plugins/control and plugins/decorator, with the clock of the
tree in the place of ROS's.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, Callable, ClassVar, Mapping, Sequence, Union

from .behaviour import Behaviour
from .blackboard import NOTHING, Key, read_int
from .btcpp.script_nodes import Conditions
from .errors import StructureError
from .parent import Children, Composite, Decorator
from .status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status

Point = Sequence[float]
"""Coordinates x and y [m]; further ones count as well."""
IntOrKey = Union[int, Key]
FloatOrKey = Union[float, Key]
AnyOrKey = Union[object, Key]
_GOAL, _GOALS = Key("goal"), Key("goals")


class RecoveryNode(Composite):
    """Runs its first child; whenever that fails, the second one, and then the first again.

    Fails when the first child has failed ``number_of_retries + 1`` times, or the second one fails
    or is skipped; the recoveries before a skipped one count in the next run too, as in Nav2.
    """

    __slots__ = ("_keeps_count", "_recoveries", "number_of_retries")

    def __init__(
        self, children: Children = (), name: str | None = None, *, number_of_retries: IntOrKey = 1
    ) -> None:
        super().__init__(children, name)
        self.number_of_retries = number_of_retries
        self._current = self._recoveries = 0
        self._keeps_count = False

    def update(self) -> Status:
        """Ticks the task or its recovery, also one after the other in the same tick."""
        retries = read_int(self, "number_of_retries", self.number_of_retries)
        if len(self._children) != 2:
            raise StructureError(f"{self.path} needs 2 children, got {len(self._children)}")
        if self.status is not RUNNING:
            self._current = 0
            self._recoveries = self._recoveries if self._keeps_count else 0
            self._keeps_count = False
        while self._recoveries <= retries:
            status = self.tick_child(self._children[self._current])
            if status is RUNNING:
                return RUNNING
            if self._current == 0:
                if status is SUCCESS or status is SKIPPED:
                    return status
                if self._recoveries == retries:
                    return FAILURE
                self._current = 1
            elif status is SUCCESS:
                self._recoveries += 1
                self._current = 0
            else:
                self._keeps_count = status is SKIPPED
                return FAILURE
        _halt(self.children)
        return FAILURE

    def reset(self) -> None:
        super().reset()
        self._keeps_count = False


class Repeating(Composite):
    """Base of composites that tick children again that have finished in the same run.

    Attributes:
        runs: Number of runs so far, by which a decorator below knows that a new one has begun.
    """

    __slots__ = ("runs",)

    def __init__(self, children: Children = (), name: str | None = None) -> None:
        super().__init__(children, name)
        self.runs = 0


class PipelineSequence(Repeating):
    """Ticks all children from the first at every tick, up to the last one that it has reached.

    A child that is RUNNING does not stop it from ticking later children that were RUNNING before.
    Succeeds when the last child succeeds, and fails when any child fails.
    """

    __slots__ = ("_reached",)

    def update(self) -> Status:
        if self.status is not RUNNING:
            self._reached = 0
            self.runs += 1
        skipped = 0
        for place, child in enumerate(self._children):
            status = self.tick_child(child)
            if status is RUNNING:
                if place >= self._reached:
                    self._reached = place
                    return RUNNING
            elif status is SKIPPED:
                skipped += 1
            elif status is not SUCCESS:
                _halt(self._children)
                return FAILURE
        _halt(self._children)
        return SKIPPED if skipped and skipped == len(self._children) else SUCCESS


class NonblockingSequence(Repeating):
    """Ticks all children at every tick; succeeds when all succeed in one, fails when one fails.

    A child that is SKIPPED counts as one that succeeds; Nav2 raises an exception.
    """

    __slots__ = ()

    def update(self) -> Status:
        if self.status is not RUNNING:
            self.runs += 1
        answer = SUCCESS
        for child in self._children:
            status = self.tick_child(child)
            if status is RUNNING:
                answer = RUNNING
            elif status is not SUCCESS and status is not SKIPPED:
                _halt(self._children)
                return FAILURE
        return answer


class RoundRobin(Composite):
    """Runs its next child at each run, and further ones while they fail.

    Fails when all have failed in turn, or at the end of the list unless `wrap_around`; as in Nav2
    it then fails after its last child, whatever that answered. Begins anew after that and a halt.
    """

    __slots__ = ("_failures", "wrap_around")

    def __init__(
        self, children: Children = (), name: str | None = None, *, wrap_around: bool = False
    ) -> None:
        super().__init__(children, name)
        self.wrap_around = wrap_around
        self._current = self._failures = 0

    def update(self) -> Status:
        count = len(self._children)
        skipped = 0
        while self._failures + skipped < count:
            status = self.tick_child(self._children[self._current])
            if status is RUNNING:
                return RUNNING
            self._current += 1
            at_end = self._current == count and not self.wrap_around
            self._current %= count
            if status is SUCCESS and not at_end:
                self._failures = 0
                return SUCCESS
            skipped += status is SKIPPED
            self._failures += status is not SKIPPED and status is not SUCCESS
            if at_end:
                break
        self._current = self._failures = 0
        return SKIPPED if skipped and skipped == count else FAILURE

    def terminate(self, new_status: Status) -> None:
        if new_status is INVALID:
            self._current = self._failures = 0

    def reset(self) -> None:
        super().reset()
        self._current = self._failures = 0


class Controller(Decorator):
    """Base of decorators that tick their child now and then, and until it finishes."""

    __slots__ = ("_run",)
    _run: int | None

    def update(self) -> Status:
        """Ticks the child if it is due or RUNNING."""
        parent = self.parent
        while isinstance(parent, Conditions):  # attributes such as _skipIf are no nodes there
            parent = parent.parent
        run = parent.runs if isinstance(parent, Repeating) else None
        is_kept = run is not None and self.status is not INVALID and run == self._run
        self._run = run
        is_due = self._is_due(self.status is not RUNNING and not is_kept)
        if not is_due and self.child.status is not RUNNING:
            return self._otherwise
        status = self.tick_child(self.child)
        status = FAILURE if status is INVALID else status
        self._on_answer(status)
        return status

    _otherwise: ClassVar[Status] = RUNNING

    @abstractmethod
    def _is_due(self, starts: bool) -> bool:
        """Returns whether to tick a child that is not RUNNING.

        Args:
            starts: Whether a round begins: the parent did not keep the node since its last answer.
        """

    def _on_answer(self, status: Status) -> None:
        """Takes note of an answer of the child."""


class RateController(Controller):
    """Ticks its child at the start, and then `1 / hz` seconds after its last success."""

    __slots__ = ("_since", "hz")
    needs_clock = True

    def __init__(self, child: Behaviour, name: str | None = None, *, hz: FloatOrKey = 10.0) -> None:
        super().__init__(child, name)
        self.hz = hz

    def _is_due(self, starts: bool) -> bool:
        if starts:
            self._since = self.tree.now
        return starts or self.tree.now - self._since >= 1 / _read(self, self.hz)

    def _on_answer(self, status: Status) -> None:
        if status is SUCCESS:
            self._since = self.tree.now


class SingleTrigger(Controller):
    """Runs its child once, and then fails until its parent begins a new run."""

    __slots__ = ("_is_first",)
    _is_first: bool
    _otherwise = FAILURE

    def _is_due(self, starts: bool) -> bool:
        self._is_first = starts or self._is_first
        return self._is_first

    def _on_answer(self, status: Status) -> None:
        self._is_first = status is RUNNING or status is SKIPPED


class GoalUpdatedController(Controller):
    """Ticks its child at the start, and whenever the goal or the goals change."""

    __slots__ = ("_seen", "goal", "goals")
    _seen: list[Any]

    def __init__(
        self,
        child: Behaviour,
        name: str | None = None,
        *,
        goal: AnyOrKey = _GOAL,
        goals: AnyOrKey = _GOALS,
    ) -> None:
        super().__init__(child, name)
        self.goal, self.goals = goal, goals

    def _is_due(self, starts: bool) -> bool:
        seen = [_read(self, value, None) for value in (self.goal, self.goals)]
        is_new = starts or seen != self._seen
        self._seen = seen
        return is_new


class SpeedController(GoalUpdatedController):
    """Ticks its child at the start, at each new goal, and the more often the faster the robot is.

    Args:
        speed: Returns the speed of the robot [m/s].
        min_rate: Rate at `min_speed` and below [Hz].
        max_rate: Rate at `max_speed` and above [Hz].
    """

    __slots__ = ("_period", "_since", "max_rate", "max_speed", "min_rate", "min_speed", "speed")
    needs_clock = True

    def __init__(
        self,
        child: Behaviour,
        name: str | None = None,
        *,
        speed: Callable[[], float],
        min_rate: float = 0.1,
        max_rate: float = 1.0,
        min_speed: float = 0.0,
        max_speed: float = 0.5,
    ) -> None:
        super().__init__(child, name)
        if min_rate <= 0 or max_rate <= 0:
            raise ValueError(f"rates must be > 0 Hz, got {min_rate} and {max_rate}")
        if not min_speed < max_speed:
            raise ValueError(f"max_speed must be > min_speed, got {max_speed} and {min_speed}")
        self.speed = speed
        self.min_rate, self.max_rate = min_rate, max_rate
        self.min_speed, self.max_speed = min_speed, max_speed

    def _is_due(self, starts: bool) -> bool:
        now = self.tree.now
        if super()._is_due(starts):
            self._period, self._since = 1 / self.max_rate, now
            return True
        if now - self._since < self._period:
            return False
        share = (self.speed() - self.min_speed) / (self.max_speed - self.min_speed)
        rate = self.min_rate + share * (self.max_rate - self.min_rate)
        self._period, self._since = 1 / max(min(rate, self.max_rate), self.min_rate), now
        return True


class DistanceController(Controller):
    """Ticks its child at the start, and `distance` metres from the place of its last success.

    Args:
        position: Returns the position of the origin of one frame in another, in the place of
            Nav2's transforms. It is called with `global_frame` and `robot_base_frame`.
        distance: Length of the straight line between the two places [m].
    """

    __slots__ = ("_start", "distance", "global_frame", "position", "robot_base_frame")

    def __init__(
        self,
        child: Behaviour,
        name: str | None = None,
        *,
        position: Callable[[str, str], Point],
        distance: float = 1.0,
        global_frame: str = "map",
        robot_base_frame: str = "base_link",
    ) -> None:
        super().__init__(child, name)
        self.position, self.distance = position, distance
        self.global_frame, self.robot_base_frame = global_frame, robot_base_frame

    def _is_due(self, starts: bool) -> bool:
        if starts:
            self._start = self._place()
        return starts or math.dist(self._start, self._place()) >= self.distance

    def _on_answer(self, status: Status) -> None:
        if status is SUCCESS:
            self._start = self._place()

    def _place(self) -> Point:
        return tuple(self.position(self.global_frame, self.robot_base_frame))


_CLASSES = (RecoveryNode, PipelineSequence, NonblockingSequence, RoundRobin, RateController)
_OTHERS = (SingleTrigger, GoalUpdatedController, SpeedController, DistanceController)
NODES: Mapping[str, type[Behaviour]] = {cls.__name__: cls for cls in (*_CLASSES, *_OTHERS)}
"""The classes by their tags, for `read_xml`."""


def _halt(children: Iterable[Behaviour]) -> None:
    for child in children:
        child.halt()


def _read(node: Behaviour, value: Any, default: object = NOTHING) -> Any:
    if not isinstance(value, Key):
        return value
    is_missing = value.entry(node).source() is None
    return default if is_missing and default is not NOTHING else value.read(node)
