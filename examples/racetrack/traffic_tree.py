# SPDX-License-Identifier: Apache-2.0
"""How a van drives, as a behaviour tree.

The tree keeps nothing in mind from one tick to the next: what a van remembers is in the van.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_btree import ReactiveSelector, ReactiveSequence, Status, Tree, action, condition

if TYPE_CHECKING:
    from .van import Van

SIGHT = 2.0  # how far ahead somebody matters [m]
STOP = 1.1  # how far from him the van stands still [m]: enough to swing out
PATIENCE = 5.0  # after which a van changes lanes, if it can [s]


@condition
def somebody_is_ahead(van: Van) -> bool:
    """Whether somebody is close ahead in the van's lane."""
    return van.gap_ahead() < SIGHT


@condition
def way_over_is_clear(van: Van) -> bool:
    """Whether the van can change lanes and is in nobody's way."""
    return van.may_change_lane()


@condition
def lane_is_boring(van: Van) -> bool:
    """Whether the van has been in its lane for long."""
    return van.world.time - van.changed >= PATIENCE


@action
def change_lane(van: Van) -> Status:
    """Goes over to the other lane."""
    van.lane = -van.lane
    van.changed = van.world.time
    van.wanted_speed = van.cruise
    return Status.SUCCESS


@action
def keep_distance(van: Van) -> Status:
    """Slows down, and stands still before it touches."""
    share = (van.gap_ahead() - STOP) / (SIGHT - STOP)
    van.wanted_speed = van.cruise * max(0.0, share)
    return Status.RUNNING


@action
def cruise(van: Van) -> Status:
    """Goes at its own speed."""
    van.wanted_speed = van.cruise
    return Status.RUNNING


def traffic_tree(van: Van) -> Tree:
    """The tree of one van: the first branch that can, does."""
    return Tree(
        ReactiveSelector(
            [
                ReactiveSequence(
                    [somebody_is_ahead(van), way_over_is_clear(van), change_lane(van)], "overtake"
                ),
                ReactiveSequence([somebody_is_ahead(van), keep_distance(van)], "brake"),
                ReactiveSequence(
                    [lane_is_boring(van), way_over_is_clear(van), change_lane(van)], "wander"
                ),
                cruise(van),
            ],
            "traffic",
        )
    )
