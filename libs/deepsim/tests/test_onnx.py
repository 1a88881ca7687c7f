# SPDX-License-Identifier: Apache-2.0
"""Policies as ONNX models: they act as policy.npz does, and `deepsim run` plays them."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import call, completed, said
from gymnasium import spaces

from deepsim_train import TrainedPolicy
from deepsim_train.policies.networks import Convolution, Part, PictureNetwork
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.search import installed_tasks

WHY = "ONNX is not tested: tox -e py311-train in libs/deepsim"
onnxruntime = pytest.importorskip("onnxruntime", reason=WHY)
pytest.importorskip("onnxscript", reason=WHY)
torch = pytest.importorskip("torch", reason=WHY)

from deepsim_train.policies.onnx_policy import load_onnx  # noqa: E402 (as above)
from deepsim_train.training.onnx_file import write_onnx  # noqa: E402 (skipped without it, above)

Floats = np.float32
BOX = spaces.Box(-0.5, 0.75, (2, 2))


def drawn(rng: np.random.Generator, *shape: int) -> Any:
    return rng.normal(size=shape).astype(Floats)


def picture_network(rng: np.random.Generator) -> PictureNetwork:
    """For pictures of 20 x 16 pixels."""
    first = Convolution(drawn(rng, 4, 3, 4, 4) * 0.3, drawn(rng, 4), 2)  # to 9 x 7
    second = Convolution(drawn(rng, 5, 4, 3, 3) * 0.3, drawn(rng, 5), 1)  # to 7 x 5
    return PictureNetwork((first, second), (drawn(rng, 6, 5 * 7 * 5) * 0.1, drawn(rng, 6)))


def make_policy(seen: Any, acted: Any, *, masked: bool = False) -> TrainedPolicy:
    """Returns a policy with any weights for observations and actions of these spaces."""
    rng = np.random.default_rng(7)
    parts, sizes = [], []
    whole = not isinstance(seen, spaces.Dict)
    for key, space in ({None: seen} if whole else seen.spaces).items():
        counts = {
            "Discrete": lambda s: (int(s.n),),
            "MultiDiscrete": lambda s: tuple(s.nvec.tolist()),
        }
        own = counts.get(type(space).__name__, lambda _: ())(space)
        network = picture_network(rng) if space.dtype == np.uint8 else None
        parts.append(Part(space.shape, key, own, network))
        sizes.append(6 if network else sum(own) or int(np.prod(space.shape)))
    size = sum(sizes)
    continuous = isinstance(acted, spaces.Box)
    counts = tuple(acted.nvec.tolist()) if isinstance(acted, spaces.MultiDiscrete) else ()
    outputs = int(np.prod(acted.shape)) if continuous else sum(counts) or int(acted.n)
    layers = tuple(
        (drawn(rng, m, n), 0.1 * drawn(rng, m))
        for n, m in itertools.pairwise((size, 16, 16, outputs))
    )
    limit = np.where(np.arange(size) % 3 == 0, np.inf, 1.5).astype(Floats)
    bounds = (acted.low.ravel(), acted.high.ravel()) if continuous else (None, None)
    plain = whole and type(seen) is spaces.Box and seen.dtype != np.uint8
    return TrainedPolicy(
        0.2 * drawn(rng, size), np.abs(drawn(rng, size)) + 0.5, limit, layers, *bounds, acted.shape,
        () if plain else tuple(parts), counts, masked,
    )  # fmt: skip


def sampled(space: spaces.Space[Any], count: int) -> Any:
    space.seed(4)
    members = [space.sample() for _ in range(count)]
    if isinstance(space, spaces.Dict):
        return {key: np.stack([each[key] for each in members]) for key in space.spaces}
    return np.stack(members)


PARTS = {
    "numbers": spaces.Box(-3.0, 3.0, (2, 3)),
    "double": spaces.Box(-3.0, 3.0, (), np.float64),
    "picture": spaces.Box(0, 255, (20, 16, 3), np.uint8),
    "choice": spaces.Discrete(4),
    "choices": spaces.MultiDiscrete([3, 2]),
    "bits": spaces.MultiBinary(5),
    "action": spaces.Discrete(2),
}


@pytest.mark.parametrize(
    ("seen", "acted"),
    [
        (PARTS["numbers"], BOX),
        (PARTS["picture"], BOX),
        (PARTS["choice"], spaces.Discrete(5)),
        (PARTS["choices"], spaces.MultiDiscrete([3, 4])),
        (PARTS["bits"], spaces.Box(-np.inf, np.inf, ())),
        (spaces.Dict(PARTS), BOX),
        (spaces.Dict(PARTS), spaces.MultiDiscrete([3, 4])),
    ],
)
def test_a_model_acts_as_the_policy_does(seen: Any, acted: Any, tmp_path: Path) -> None:
    policy = make_policy(seen, acted)
    write_onnx(policy, tmp_path / "a.onnx")
    model, observations = load_onnx(tmp_path / "a.onnx"), sampled(seen, 40)
    expected = policy.act("a", observations)
    found = model.act("a", observations, acted)
    assert found.shape == expected.shape
    if isinstance(acted, spaces.Box):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    else:
        assert found.tolist() == expected.tolist()
    assert len(np.unique(found.reshape(40, -1), axis=0)) > 1
    one = {key: part[[7]] for key, part in observations.items()} if isinstance(
        seen, spaces.Dict) else observations[[7]]  # fmt: skip
    assert model.act("a", one, acted).tobytes() == found[[7]].tobytes()
    write_onnx(policy, tmp_path / "b.onnx")
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()


@pytest.mark.parametrize("acted", [spaces.Discrete(6), spaces.MultiDiscrete([2, 4])])
def test_a_model_obeys_masks(acted: Any, tmp_path: Path) -> None:
    seen = spaces.Dict({"x": PARTS["numbers"], "action_mask": spaces.MultiBinary(6)})
    policy = make_policy(seen, acted, masked=True)
    write_onnx(policy, tmp_path / "a.onnx")
    observations = sampled(seen, 60)
    observations["action_mask"][:, [1, 3]] = 1
    found = load_onnx(tmp_path / "a.onnx").act("a", observations, acted)
    assert found.tolist() == policy.act("a", observations).tolist()
    first = found.reshape(60, -1)[:, 0]
    assert observations["action_mask"][np.arange(60), first].all()


def task_with_policy(write_task: Callable[..., Path], *changes: tuple[str, str]) -> Path:
    """A task whose agent earns what its action says, with a policy that is sure of 0.5."""
    folder = write_task("self.add_reward(float(action[0]))", *changes)
    ones = np.ones(1, Floats)
    layers = ((np.array([[2.0]], Floats), ones),)
    TrainedPolicy(0 * ones, ones, 9.0, layers, -ones, 0.5 * ones, (1,)).save(folder / "policy.npz")
    return folder


def test_export_writes_what_run_plays(write_task: Callable[..., Path], tmp_path: Path) -> None:
    task = task_with_policy(write_task)
    result = completed("export", task)
    assert f"wrote {task / 'policy.onnx'}" in said(result)
    completed("export", task, "--out", tmp_path / "mine.onnx")
    assert (tmp_path / "mine.onnx").read_bytes() == (task / "policy.onnx").read_bytes()
    rewards = []
    for number, policy in enumerate(("trained", tmp_path / "mine.onnx")):
        options = ["--policy", policy, "--json", "--out", tmp_path / f"{number}"]
        played = completed("run", task, *options)
        rewards += [each["rewards"] for each in json.loads(played.stdout)["episodes"]]
    assert rewards == [{"puck": 1.5}] * 2


def test_in_the_folder_of_a_training_others_act_as_they_did_there(
    array_task: Path, tmp_path: Path
) -> None:
    ones, folder = np.ones(1, Floats), tmp_path / "training"
    folder.mkdir()
    layers = ((0 * ones[:, None], 0.25 * ones),)
    TrainedPolicy(0 * ones, ones, 9.0, layers, -ones, ones, (1,)).save(folder / "policy.npz")
    config = {"agent": "disc", "others": "hide"}
    (folder / "config.json").write_text(json.dumps(config))
    completed("export", folder)
    texts = []
    for policy in (folder, folder / "policy.onnx"):
        played = completed("run", array_task, "--policy", policy, "--json", "--out",
                      tmp_path / policy.name)  # fmt: skip
        texts.append(json.loads(played.stdout)["episodes"])
    assert texts[0] == texts[1]


def test_what_is_no_model_of_this_task_is_one_line(
    write_task: Callable[..., Path], tmp_path: Path
) -> None:
    task, file = task_with_policy(write_task), tmp_path / "a.onnx"
    out = ["--out", tmp_path / "out"]
    assert "a.onnx is no ONNX model that can be run" in said(
        call("run", task, "--policy", file, *out)
    )
    file.write_bytes(b"text")
    assert "a.onnx is no ONNX model that can be run" in said(
        call("run", task, "--policy", file, *out)
    )
    write_onnx(make_policy(PARTS["numbers"], spaces.Box(-1.0, 1.0, (1,))), file)
    wrong = call("run", task, "--policy", file, *out)
    assert wrong.exit_code == 1
    assert "takes 'observation' of shape (6,), got (1,)" in said(wrong)
    model = load_onnx(file)
    with pytest.raises(TaskError, match=r"returns actions of shape \(1,\), but those of 'a' are"):
        model.act("a", np.zeros((3, 2, 3)), BOX)
    with pytest.raises(TaskError, match=r"inputs \['observation'\], but observations have \['x'\]"):
        model.act("a", {"x": np.zeros((3, 2, 3))}, BOX)
    assert model.act("a", np.zeros((0, 2, 3)), spaces.Discrete(2)).shape == (0,)
    nothing = call("export", tmp_path)
    assert nothing.exit_code == 1
    assert "policy.npz is not a trained policy" in said(nothing)


SHIPPED = [
    task.folder / "policy.npz"
    for task in installed_tasks()
    if (task.folder / "policy.npz").is_file()
]


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.parent.name)
def test_a_shipped_policy_is_the_same_network_in_torch_and_onnx(file: Path, tmp_path: Path) -> None:
    """Its file is read here by NumPy alone, and its layers run as torch's own."""
    arrays = np.load(file)
    rng = np.random.default_rng(5)
    seen = drawn(rng, 50, len(arrays["mean"])) * arrays["scale"] * 2 + arrays["mean"]
    x = torch.from_numpy((seen - arrays["mean"]) / arrays["scale"])
    limit = torch.from_numpy(np.asarray(arrays["limit"], np.float32))
    x = x.clamp(-limit, limit)
    for number in range(sum(name.startswith("weights_") for name in arrays)):
        weights, bias = (torch.from_numpy(arrays[f"{n}_{number}"]) for n in ("weights", "bias"))
        x = torch.nn.functional.linear(torch.tanh(x) if number else x, weights, bias)
    x = x.clamp(torch.from_numpy(arrays["low"]), torch.from_numpy(arrays["high"]))
    policy = TrainedPolicy.load(file)
    acted = policy.act("", seen)
    np.testing.assert_allclose(acted.reshape(50, -1), x.numpy(), atol=1e-5)
    write_onnx(policy, tmp_path / "a.onnx")
    bounds = spaces.Box(-np.inf, np.inf, tuple(arrays["shape"].tolist()))
    np.testing.assert_allclose(
        load_onnx(tmp_path / "a.onnx").act("", seen, bounds), acted, atol=1e-5
    )


def test_the_metadata_say_what_the_numbers_are(write_task: Callable[..., Path]) -> None:
    """Names and bounds from the policy; agents and the rate of actions from the task."""
    slow = ("TableSimulator()", "TableSimulator(timestep=0.02)"), ("=seed)", "=seed, frame_skip=5)")
    task = task_with_policy(write_task, *slow)
    completed("export", task)
    session = onnxruntime.InferenceSession(task / "policy.onnx")
    found = session.get_modelmeta().custom_metadata_map
    assert json.loads(found["inputs"]) == {"observation": {"shape": [1], "dtype": "float32"}}
    action = {"shape": [1], "dtype": "float32", "low": [-1.0], "high": [0.5]}
    assert json.loads(found["outputs"]) == {"action": action}
    assert json.loads(found["agents"]) == ["puck"]
    assert float(found["rate_hz"]) == pytest.approx(10.0)
    assert "rad" in found["units"]
    assert str(Path(__file__).parents[3]).encode() not in (task / "policy.onnx").read_bytes()


@pytest.mark.parametrize("module", ["onnx", "onnxruntime"])
def test_without_the_extra_it_is_named(
    write_task: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    task = task_with_policy(write_task)
    monkeypatch.setitem(sys.modules, module, None)
    for name in ("training.onnx_file", "policies.onnx_policy"):
        monkeypatch.delitem(sys.modules, f"deepsim_train.{name}")
    arguments = ["export", task] if module == "onnx" else ["run", task, "--policy", "a.onnx"]
    result = call(*arguments)
    assert result.exit_code == 1
    wanted = {
        "onnx": "error: writing ONNX models needs an extra: "
        "pip install --find-links dist 'deepsim-train[ppo]'",
        "onnxruntime": "error: ONNX models need an extra: "
        "pip install --find-links dist 'deepsim-train[onnx]'",
    }
    assert said(result) == wanted[module]
