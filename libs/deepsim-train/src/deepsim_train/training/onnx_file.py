# SPDX-License-Identifier: Apache-2.0
"""Writes a trained policy as an ONNX model, by torch's exporter; needs ``deepsim-train[ppo]``."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from deepsim_envs import Environment
from deepsim_envs.spaces import MASK
from deepsim_train.policies.networks import Layer, Lstm, Part
from deepsim_train.policies.trained_policy import RecurrentPolicy, TrainedPolicy, whole_file
from deepsim_train.task_code import TaskError

try:
    import onnx
    import onnxscript as _  # noqa: F401 (torch's exporter imports it late)
    import torch
    from torch import Tensor, nn
except ImportError as error:
    raise ImportError(
        "writing ONNX models needs an extra: pip install --find-links dist 'deepsim-train[ppo]'"
    ) from error

_EXAMPLES = 2  # the exporter takes a batch of one for a constant


def task_facts(environment: Environment) -> dict[str, str]:
    """Returns the metadata of a task for `write_onnx`: agents, names, and the rate of actions.

    These are ``agents``, a JSON list of the names of all agents; ``rate_hz``, the number of actions
    in a second of simulated time; and ``units``.
    """
    period = environment.world.timestep * environment.frame_skip
    return {
        "agents": json.dumps(list(environment.agents)),
        "rate_hz": f"{1.0 / period:.9g}",
        "units": "SI: m, kg, s, rad, N; quaternions as x y z w; z up",
    }


def write_onnx(
    policy: TrainedPolicy | RecurrentPolicy,
    file: Path,
    metadata: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Writes a model with an input for each part of observations, and the output ``action``.

    An input is named after its key in the observation's dict, or ``observation``. The first axis
    of inputs and output is the number of observations, k. Inputs are float32, int64 if discrete, or
    uint8 for pictures; actions are float32, or int64 if discrete.

    A recurrent policy also has the input ``memory``, (k, 2 n) float32 for an LSTM of size n, which
    is 0 at the beginning of an episode, and the output ``next_memory``.

    The metadata of the model has ``inputs`` and ``outputs``, JSON of the names with shapes, types
    and, for actions, bounds.

    Args:
        policy: The policy.
        file: Output file.
        metadata: Further metadata, such as those of `task_facts`.

    Raises:
        TaskError: The file cannot be written.
    """
    network = policy.network if isinstance(policy, RecurrentPolicy) else policy
    memory = policy.memory if isinstance(policy, RecurrentPolicy) else None
    module = _Network(network, memory).eval()
    inputs, outputs = module.examples()
    count = torch.export.Dim("count")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's exporter warns of parts of torch
        program: Any = torch.onnx.export(
            module,
            (tuple(inputs.values()),),
            dynamo=True,
            verbose=False,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_shapes=(tuple({0: count} for _ in inputs),),
        )
    model = program.model_proto
    # The exporter writes the paths of source files beside each node.
    graph = model.graph
    for each in (graph, *graph.node, *graph.input, *graph.output, *graph.value_info):
        del each.metadata_props[:]
    onnx.helper.set_model_props(
        model,
        {
            "inputs": json.dumps({name: _described(each) for name, each in inputs.items()}),
            "outputs": json.dumps(outputs),
            **metadata,
        },
    )
    onnx.checker.check_model(model, full_check=True)
    try:
        with whole_file(file) as stream:
            stream.write(model.SerializeToString(deterministic=True))
    except OSError as error:
        raise TaskError(f"cannot write {file}: {error.strerror or error}") from error


class _Network(nn.Module):  # type: ignore[misc]  # not typed where it is not installed
    """The arrays of a policy as a module of torch; an LSTM, if any, comes before the layers."""

    def __init__(self, policy: TrainedPolicy, memory: Lstm | None) -> None:
        super().__init__()
        self._policy = policy
        self._parts = policy.parts or (Part(policy.mean.shape),)
        self._pictures = nn.ModuleList(_picture(part) for part in self._parts if part.network)
        self._mean, self._scale = _buffer(policy.mean), _buffer(policy.scale)
        self._limit = _buffer(np.broadcast_to(policy.limit, policy.mean.shape))
        first, *others = map(_linear, policy.layers)
        self._layers = nn.Sequential(first, *(nn.Sequential(nn.Tanh(), each) for each in others))
        if policy.low is not None and policy.high is not None:
            self._low, self._high = _buffer(policy.low), _buffer(policy.high)
        self._memory = None if memory is None else _cell(memory)

    def examples(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Returns inputs of a batch by name, and descriptions of the outputs by name."""
        inputs: dict[str, Tensor] = {}
        for part in self._parts:
            kind = torch.uint8 if part.network else torch.int64 if part.counts else torch.float32
            name = "observation" if part.key is None else part.key
            inputs[name] = torch.zeros((_EXAMPLES, *part.shape), dtype=kind)

        def unused(name: str) -> str:
            return f"/{name}" if name in inputs else name

        policy, action = self._policy, unused("action")
        bounds: dict[str, Any] = {}
        if policy.low is not None and policy.high is not None:
            bounds = {"low": _plain(policy.low), "high": _plain(policy.high)}
        kind = torch.float32 if bounds else torch.int64
        outputs = {action: {"shape": list(policy.shape), "dtype": _name(kind), **bounds}}
        if self._memory is not None:
            name, size = unused("memory"), 2 * self._memory.hidden_size
            inputs[name] = torch.zeros(_EXAMPLES, size)
            outputs[f"next_{name}"] = _described(inputs[name])
        return inputs, outputs

    def forward(self, inputs: tuple[Tensor, ...]) -> Any:
        """Returns the most likely actions (k, ...), and the memory (k, 2 n) after them, if any."""
        pictures = iter(self._pictures)
        features = [
            next(pictures)(rows.permute(0, 3, 1, 2).float() / 255.0)
            if part.network
            else _features(part, rows.flatten(1) if rows.ndim > 1 else rows[:, None])
            for part, rows in zip(self._parts, inputs, strict=False)
        ]
        values = (torch.cat(features, dim=1) - self._mean) / self._scale
        values = values.clamp(-self._limit, self._limit)
        if self._memory is None:
            return self._actions(self._layers(values), inputs)
        outputs, cell = self._memory(values, inputs[-1].chunk(2, dim=1))
        return self._actions(self._layers(outputs), inputs), torch.cat([outputs, cell], dim=1)

    def _actions(self, values: Tensor, inputs: tuple[Tensor, ...]) -> Tensor:
        policy = self._policy
        if policy.low is not None:
            return values.clamp(self._low, self._high).reshape(-1, *policy.shape)
        if policy.masked:
            mask = inputs[[part.key for part in self._parts].index(MASK)]
            values = torch.where(mask != 0, values, -torch.inf)
        if not policy.counts:
            return values.argmax(dim=1)
        choices = values.split(list(policy.counts), dim=1)
        return torch.stack([part.argmax(dim=1) for part in choices], dim=1)


def _features(part: Part, rows: Tensor) -> Tensor:
    """Returns the features of numbers or discrete values, as `Part.features` does."""
    if not part.counts:
        return rows
    chosen = [rows[:, [n]] == torch.arange(count) for n, count in enumerate(part.counts)]
    return torch.cat(chosen, dim=1).float()


def _picture(part: Part) -> nn.Sequential:
    assert part.network is not None  # for mypy: the caller checked it
    layers: list[nn.Module] = []
    for each in part.network.convolutions:
        outputs, channels, *kernel = each.weights.shape
        convolution = nn.Conv2d(channels, outputs, (kernel[0], kernel[1]), each.stride)
        layers += [_filled(convolution, each.weights, each.bias), nn.ReLU()]
    return nn.Sequential(*layers, nn.Flatten(), _linear(part.network.layer), nn.ReLU())


def _linear(layer: Layer) -> nn.Module:
    outputs, inputs = layer[0].shape
    return _filled(nn.Linear(inputs, outputs), *layer)


def _cell(memory: Lstm) -> nn.LSTMCell:
    cell = nn.LSTMCell(memory.weights_in.shape[1], memory.weights_out.shape[1])
    arrays = memory.weights_in, memory.weights_out, memory.bias, np.zeros_like(memory.bias)
    return _filled(cell, *arrays)


def _filled(module: Any, *arrays: Any) -> Any:
    """Returns a module with the arrays as its parameters, in their order."""
    for parameter, array in zip(module.parameters(), arrays, strict=True):
        parameter.data = torch.tensor(array, dtype=torch.float32)
    return module


def _buffer(array: Any) -> Tensor:
    return nn.Buffer(torch.tensor(np.asarray(array), dtype=torch.float32))


def _described(example: Tensor) -> dict[str, Any]:
    return {"shape": list(example.shape[1:]), "dtype": _name(example.dtype)}


def _name(kind: torch.dtype) -> str:
    return str(kind).removeprefix("torch.")


def _plain(bounds: Any) -> list[Any]:
    """Returns bounds as JSON has them: infinite ones are null."""
    return [value if np.isfinite(value) else None for value in bounds.tolist()]
