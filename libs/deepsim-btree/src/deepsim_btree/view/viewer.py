# SPDX-License-Identifier: Apache-2.0
"""TreeViewer, which shows a tree on a page in the browser while it ticks."""

from __future__ import annotations

from deepsim_btree.arguments import check_count
from deepsim_btree.errors import TickError
from deepsim_btree.trace import Step, Trace
from deepsim_btree.trace.observer import Closing
from deepsim_btree.trace.recording import render_page
from deepsim_btree.tree import Tree

from .server import Feed, Server


class TreeViewer(Closing):
    """A web server for a page that shows a tree in colours while it ticks.

    The page shows the tree, a timeline of every node and the blackboard, with search.

    The server listens on this machine only, and its address contains a secret token: everybody who
    knows the address can watch the tree. Browsers do not slow the tree, even if they are
    slow or lost, since its thread only records changes. Trees without a viewer are not slowed at
    all.

    >>> from deepsim_btree import Running, Tree
    >>> tree = Tree(Running("drive"))
    >>> with TreeViewer(tree) as viewer:
    ...     print(viewer.url[:17])
    ...     status = tree.tick()
    http://127.0.0.1:

    Args:
        tree: The tree.
        port: The TCP port on 127.0.0.1; 0 for any free one.
        title: Text at the top of the page; the name of the root if None.
        limit: Number of latest steps to keep.

    Raises:
        OSError: The port is taken.
        ValueError: `limit` is less than 1.
    """

    def __init__(
        self, tree: Tree, *, port: int = 0, title: str | None = None, limit: int = 10_000
    ) -> None:
        check_count("limit", limit, 1)
        self._tree = tree
        self._feed = Feed(limit)
        page = render_page(tree.root.name if title is None else title)
        self._server = Server(port, page, self._feed)
        self._last: Step | None = None
        self._is_closed = False
        self._trace = Trace(tree, limit=1, blackboard=True)
        self._observe("start", None)
        tree.subscribe(self._observe)

    @property
    def url(self) -> str:
        """The address of the page, including its token."""
        return self._server.url

    @property
    def watchers(self) -> int:
        """Number of pages that are open."""
        return self._feed.watchers

    def close(self) -> None:
        """Stops the server and the recording; open pages keep their last state.

        Any thread may call this method, even during a tick, and more than once.
        """
        if self._is_closed:
            return
        self._is_closed = True
        self._tree.unsubscribe(self._observe)
        self._trace.close()
        self._feed.close()
        self._server.close()

    def _observe(self, call: str, error: TickError | None) -> None:
        recording = self._trace.recording
        step = recording.steps[-1]
        is_new = step is not self._last
        self._last = step
        self._feed.put(step if is_new else None, recording.last_tick, recording.last_time)
