# SPDX-License-Identifier: Apache-2.0
"""Workers that are Ray actors: the bytes of one process, on clusters that ask for a token."""

from __future__ import annotations

import gc
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from rollout_tasks import LINEAR, RINK, bytes_of

from deepsim_envs import digest
from deepsim_train.rollout_pool import FragmentError, RolloutPool, Spec

if find_spec("ray") is None:  # which is not imported before the first pool does
    pytest.skip("Ray is not installed", allow_module_level=True)

# Ray ends processes without waiting for them.
pytestmark = pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")

TESTS = str(Path(__file__).parents[1])

# Another process that joins a cluster, or starts one, and says how that went.
STRANGER = """
import sys
from deepsim_envs import digest
from deepsim_train.rollout_pool import OpenClusterError, RolloutPool

def collect(**options):
    with RolloutPool("rollout_tasks:make_rink", "rollout_tasks:Linear", 1, backend="ray",
                     length=150, worlds=2, **options) as pool:
        return digest(pool.collect(1))

"""

# Machines that are lost while they compute; and one that comes late.
LOST_NODES = """
import threading

import ray
from ray.cluster_utils import Cluster

from deepsim_envs import digest
from deepsim_train.rollout_pool import NoWorkerError, RolloutPool

def make(**options):
    return RolloutPool("rollout_tasks:make_rink", "rollout_tasks:Linear",
                       length=400, worlds=8, allow_open_cluster=True, **options)

with make() as local:
    expected = [digest(fragment) for fragment in local.collect(8)]
nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
lost = [nodes.add_node(num_cpus=1, resources={"wheel": 1}) for _ in range(2)]
ray.init(address=nodes.address, log_to_driver=False)
try:
    make(backend="ray", resources={"GPU": 64})
except ValueError as error:
    print(error)
with make(workers=2, backend="ray", resources={"CPU": 1, "wheel": 1}) as pool:
    coming = pool.as_completed(8)
    found = {(first := next(coming)).number: digest(first)}
    for node in lost:
        nodes.remove_node(node, allow_graceful=False)
    rest = threading.Thread(
        target=lambda: found.update((fragment.number, digest(fragment)) for fragment in coming)
    )
    rest.start()
    nodes.add_node(num_cpus=1, resources={"wheel": 1})  # late
    rest.join()
    print("same bytes:", [found[number] for number in range(8)] == expected)
    assert pool.replaced >= 2
    try:
        with make(workers=1, backend="ray", start_timeout=3.0) as other:  # the one CPU is taken
            other.collect(1)
    except NoWorkerError as error:
        print(error)
ray.shutdown()
nodes.shutdown()
"""


@pytest.fixture(scope="module", autouse=True)
def _tasks() -> Iterator[None]:
    """No other cluster is joined."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RAY_ADDRESS", raising=False)
        yield
    gc.collect()  # what Ray leaves behind must not be found after the tests


@pytest.fixture(scope="module")
def own_cluster(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a pool did that starts a cluster of its own."""
    folder = tmp_path_factory.mktemp("workers")
    with make_pool(2, Spec("rollout_tasks:Signs", {"folder": str(folder)})) as pool:
        found = {"bytes": bytes_of(pool)}
        pids = [int(file.name) for file in folder.iterdir()]
        found["workers"] = [os.pidfd_open(pid) for pid in pids]
    return found


@pytest.fixture(scope="module")
def cluster(own_cluster: dict[str, Any]) -> Iterator[str]:
    """A cluster that the user has started before; its address."""
    import ray  # noqa: PLC0415 (not before the first pool does)

    ray.init("local", num_cpus=4, include_dashboard=False, log_to_driver=False)
    yield ray.get_runtime_context().gcs_address
    ray.shutdown()


@pytest.fixture(scope="module")
def expected() -> list[str]:
    """What one worker in this process does."""
    with make_pool(backend="local") as pool:
        return bytes_of(pool)


def make_pool(workers: int = 2, policy: Spec | str = LINEAR, **options: Any) -> RolloutPool:
    return RolloutPool(
        RINK, policy, workers, **{"backend": "ray", "length": 150, "worlds": 2, **options}
    )


def stranger(statements: str, **environment: str) -> str:
    return another_process(STRANGER + statements, **environment)


def another_process(program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": TESTS, **environment},
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0
    return done.stdout.strip()


def test_a_cluster_of_its_own(own_cluster: dict[str, Any], expected: list[str]) -> None:
    """It asks for a token."""
    assert own_cluster["bytes"] == expected
    assert os.environ["RAY_AUTH_MODE"] == "token"


def test_a_cluster_that_is_gone_is_not_joined() -> None:
    """Ray keeps the address of the last one that was started on a machine."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "ray").mkdir()
        (Path(folder) / "ray" / "ray_current_cluster").write_text("127.0.0.1:1")
        said = stranger("print(collect())", RAY_TMPDIR=folder)
    with make_pool(backend="local") as pool:
        assert said.splitlines()[-1] == digest(pool.collect(1))


def test_closing_ends_the_workers(own_cluster: dict[str, Any]) -> None:
    for worker in own_cluster["workers"]:
        assert select.select([worker], [], [], 30.0)[0], "an actor outlived its pool"
        os.close(worker)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_bytes_are_those_of_one_process(
    cluster: str, expected: list[str], workers: int
) -> None:
    with make_pool(workers) as pool:
        assert bytes_of(pool) == expected
        assert pool.replaced == 0


def test_closing_leaves_the_users_cluster(cluster: str, tmp_path: Path) -> None:
    """But none of the actors."""
    import ray  # noqa: PLC0415 (see above)

    with make_pool(2, Spec("rollout_tasks:Signs", {"folder": str(tmp_path)})) as pool:
        pool.collect(4)
        workers = [os.pidfd_open(int(file.name)) for file in tmp_path.iterdir()]
    assert ray.is_initialized()
    for worker in workers:
        assert select.select([worker], [], [], 30.0)[0], "an actor outlived its pool"
        os.close(worker)


def test_the_fragment_of_an_actor_that_is_killed_is_computed_again(
    cluster: str, expected: list[str], tmp_path: Path
) -> None:
    """In the middle of it, by SIGKILL."""
    policy = Spec("rollout_tasks:DiesOnce", {"marker": str(tmp_path / "died")})
    with make_pool(2, policy) as pool:
        assert bytes_of(pool) == expected
        assert 1 <= pool.replaced <= 2


def test_streams_go_on_where_an_actor_is_killed(cluster: str, tmp_path: Path) -> None:
    """In the middle of a fragment, with a memory of the episodes."""
    dies = {"marker": str(tmp_path / "died"), "nth": 60}
    options: dict[str, Any] = {"policy": Spec("rollout_tasks:DiesRemembering", dies), "length": 20}
    found = []
    for own in ({"workers": 2}, {"backend": "local"}):
        with make_pool(**{**options, **own}, streams=3) as pool:
            found.append(bytes_of(pool))
            assert (pool.replaced > 0) == (pool.backend == "ray")
    assert found[0] == found[1]


def test_an_actor_that_is_killed_between_two_collections_is_replaced(
    cluster: str, expected: list[str], tmp_path: Path
) -> None:
    with make_pool(1, Spec("rollout_tasks:Signs", {"folder": str(tmp_path)})) as pool:
        found = [digest(fragment) for fragment in pool.collect(1)]
        (worker,) = [int(file.name) for file in tmp_path.iterdir()]
        os.kill(worker, signal.SIGKILL)
        found += [digest(fragment) for fragment in pool.collect(2)]
        assert found == expected[:3]
        assert pool.replaced == 1


def test_lost_machines_lose_no_fragment_and_hang_nothing() -> None:
    """Though no other has room for their workers, until one comes late."""
    said = another_process(LOST_NODES, RAY_AUTH_MODE="disabled")
    assert "has room for 0 of 1 workers, each of which takes {'GPU': 64}" in said
    assert "same bytes: True" in said
    assert "none of 1 has started within 3 s: each takes {'CPU': 1.0} of the Ray cluster" in said


def test_the_first_error_comes_back_with_its_traceback(cluster: str) -> None:
    policy = Spec("rollout_tasks:Stumbles", {"limit": 0.05})
    with make_pool(2, policy, length=6, worlds=1, seed=16) as pool:
        with pytest.raises(FragmentError, match="fragment 2 raised KeyError") as told:
            pool.collect(9)
        assert 'rollout_tasks.py", line' in told.value.traceback
        assert [fragment.number for fragment in pool.collect(2)] == [0, 1]


def test_workers_beyond_the_cpus_wait_for_room(
    cluster: str, expected: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    with make_pool(5) as pool:
        assert bytes_of(pool) == expected
        assert pool.replaced == 0
    assert "has room for 4 of 5 workers; the others start when machines join" in caplog.text


def test_another_process_joins_with_the_token(cluster: str, expected: list[str]) -> None:
    said = stranger(f"print(collect(ray_address={cluster!r}))")
    with make_pool(backend="local") as pool:
        assert said.splitlines()[-1] == digest(pool.collect(1))


def test_a_cluster_without_a_token_is_refused() -> None:
    """Unless it is wanted; and the one who refuses leaves nothing behind."""
    said = stranger(
        "import ray\n"
        "ray.init('local', num_cpus=1, include_dashboard=False, log_to_driver=False)\n"
        "try:\n"
        "    collect()\n"
        "except OpenClusterError as error:\n"
        "    print(error)\n"
        "print(collect(allow_open_cluster=True))\n",
        RAY_AUTH_MODE="disabled",
    )
    error, found = said.splitlines()[-2:]
    assert "asks for no token, so that everyone who reaches it can run code on it" in error
    with make_pool(backend="local") as pool:
        assert found == digest(pool.collect(1))
