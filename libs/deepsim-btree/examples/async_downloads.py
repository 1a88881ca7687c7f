# SPDX-License-Identifier: Apache-2.0
"""A tree among tasks of asyncio: it asks two mirrors at once and gives up after a while.

`Background` makes a task of an async function. The task that is not needed is cancelled.
"""

from __future__ import annotations

import asyncio

from deepsim_btree import Background, ParallelSelector, Sequence, Status, Timeout, Tree, action, key

TICKS_PER_SECOND = 50


async def download(mirror: str, seconds: float, files: dict[str, str]) -> Status:
    """Takes a while; a real one would await a library for HTTP here."""
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        print(f"{mirror}: cancelled")
        raise
    files["map"] = f"map of {mirror}"
    print(f"{mirror}: done")
    return Status.SUCCESS


@action
def load(files: dict[str, str]) -> Status:
    """Uses what came."""
    print(f"loading the {files['map']}")
    return Status.SUCCESS


async def main() -> None:
    """Ticks the tree until it has an answer."""
    files: dict[str, str] = {}
    mirrors = [
        Background(download, "slow", 60.0, key("files"), name="slow mirror"),
        Background(download, "fast", 0.1, key("files"), name="fast mirror"),
    ]
    fetch = Timeout(ParallelSelector(mirrors, "any mirror"), "in time", seconds=5.0)
    loop = asyncio.get_running_loop()
    root = Sequence([fetch, load(key("files"))], "get the map")
    tree = Tree(root, clock=loop.time, blackboard={"files": files})
    while tree.tick() is Status.RUNNING:
        await asyncio.sleep(1 / TICKS_PER_SECOND)
    await asyncio.sleep(0)  # the cancelled task says goodbye
    print(tree.status.name)


if __name__ == "__main__":
    asyncio.run(main())
