# SPDX-License-Identifier: Apache-2.0
"""Writes a trained policy as an ONNX model; needs ``deepsim-train[onnx]``, but not torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from deepsim_envs.spaces import MASK
from deepsim_train.policies.features import Part
from deepsim_train.policies.networks import Layer, Lstm
from deepsim_train.policies.recurrent_policy import RecurrentPolicy
from deepsim_train.policies.trained_policy import TrainedPolicy
from deepsim_train.policies.whole_file import whole_file
from deepsim_train.task_code import TaskError

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    raise ImportError("ONNX models need an extra: pip install 'deepsim-train[onnx]'") from error

OPSET, FORMAT = 17, 8  # from 2022; all current runtimes read them


def write_onnx(policy: TrainedPolicy | RecurrentPolicy, file: Path) -> None:
    """Writes a model with an input for each part of observations, and the output ``action``.

    An input is named after its key in the observation's dict, or ``observation``. The first axis
    of inputs and output is the number of observations, k. Inputs are float32, int64 if discrete, or
    uint8 for pictures; actions are float32, or int64 if discrete.

    A recurrent policy also has the input ``memory``, (k, 2 n) float32 for an LSTM of size n, which
    is 0 at the beginning of an episode, and the output ``next_memory``.

    Raises:
        TaskError: The file cannot be written.
    """
    if isinstance(policy, RecurrentPolicy):
        model = _Graph().model(policy.network, policy.memory)
    else:
        model = _Graph().model(policy)
    onnx.checker.check_model(model, full_check=True)
    try:
        with whole_file(file) as stream:
            stream.write(model.SerializeToString(deterministic=True))
    except OSError as error:
        raise TaskError(f"cannot write {file}: {error.strerror or error}") from error


class _Graph:
    """Collects the nodes of an ONNX graph; methods take and return the names of values."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def model(self, policy: TrainedPolicy, memory: Lstm | None = None) -> Any:
        """Returns the model of a policy; an LSTM, if any, comes before the layers."""
        parts = policy.parts or (Part(policy.mean.shape),)
        features = [self._features(part) for part in parts]
        values = self.node("Concat", *features, axis=1) if len(features) > 1 else features[0]
        values = self.node("Sub", values, self.constant(policy.mean))
        values = self.node("Div", values, self.constant(policy.scale))
        limit = np.asarray(policy.limit, np.float32)
        values = self._clipped(values, -limit, limit)
        if memory is not None:
            values = self._remembered(memory, values)
        for number, layer in enumerate(policy.layers):
            values = self._dense(layer, self.node("Tanh", values) if number else values)
        if policy.low is not None and policy.high is not None:
            values = self._clipped(values, policy.low, policy.high)
            values = self._reshaped(values, policy.shape)
            kind = TensorProto.FLOAT
        else:
            values = self._chosen(policy, values)
            kind = TensorProto.INT64
        self._output(self._unused("action"), values, kind, policy.shape, first=True)
        graph = helper.make_graph(
            self._nodes,
            "policy",
            self._inputs,
            self._outputs,
            self._constants,
        )
        opset = [helper.make_opsetid("", OPSET)]
        made = helper.make_model(graph, producer_name="deepsim", opset_imports=opset)
        made.ir_version = FORMAT
        return made

    def node(self, kind: str, *inputs: str, outputs: int = 0, **attributes: Any) -> Any:
        """Adds a node; returns the name of its output, or a list of names if it has several."""
        name = f"/{kind}_{len(self._nodes)}"
        names = [f"{name}_{number}" for number in range(outputs)] if outputs else [name]
        self._nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names if outputs else name

    def constant(self, value: Any) -> str:
        """Adds a constant array; returns its name."""
        name = f"/constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _features(self, part: Part) -> str:
        name = "observation" if part.key is None else part.key
        kind = TensorProto.INT64 if part.counts else TensorProto.FLOAT
        kind = TensorProto.UINT8 if part.network is not None else kind
        self._inputs.append(helper.make_tensor_value_info(name, kind, ["count", *part.shape]))
        if part.network is not None:
            return self._picture(part, name)
        size = int(np.prod(part.shape))
        rows = self._reshaped(name, (size,))
        if not part.counts:
            return rows
        chosen = []
        for number, count in enumerate(part.counts):
            column = self.node("Gather", rows, self.constant(np.array([number])), axis=1)
            same = self.node("Equal", column, self.constant(np.arange(count)))
            chosen.append(self.node("Cast", same, to=TensorProto.FLOAT))
        return str(self.node("Concat", *chosen, axis=1))

    def _picture(self, part: Part, name: str) -> str:
        assert part.network is not None  # for mypy: the caller checked it
        values = self.node("Transpose", name, perm=[0, 3, 1, 2])
        values = self.node("Cast", values, to=TensorProto.FLOAT)
        values = self.node("Div", values, self.constant(np.float32(255.0)))
        for layer in part.network.convolutions:
            weights, bias = self.constant(layer.weights), self.constant(layer.bias)
            strides = [layer.stride, layer.stride]
            values = self.node("Relu", self.node("Conv", values, weights, bias, strides=strides))
        return str(self.node("Relu", self._dense(part.network.layer, self.node("Flatten", values))))

    def _remembered(self, memory: Lstm, values: str) -> str:
        """Adds an LSTM, with its state as input and output of the graph; returns its output."""
        size = len(memory.bias) // 4
        name = self._unused("memory")
        shape = ["count", 2 * size]
        self._inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        halves = self.constant(np.array([size, size]))
        outputs, cell = self.node("Split", name, halves, axis=1, outputs=2)
        gates = self._dense((memory.weights_in, memory.bias), values)
        weights = self.constant(memory.weights_out.T)
        gates = self.node("Add", gates, self.node("MatMul", outputs, weights))
        quarters = self.constant(np.array([size] * 4))
        enters, keeps, content, leaves = self.node("Split", gates, quarters, axis=1, outputs=4)
        kept = self.node("Mul", self.node("Sigmoid", keeps), cell)
        new = self.node("Mul", self.node("Sigmoid", enters), self.node("Tanh", content))
        cell = self.node("Add", kept, new)
        outputs = self.node("Mul", self.node("Sigmoid", leaves), self.node("Tanh", cell))
        after = self.node("Concat", outputs, cell, axis=1)
        self._output(f"next_{name}", after, TensorProto.FLOAT, (2 * size,))
        return str(outputs)

    def _unused(self, name: str) -> str:
        """Returns the name, or a similar one if an input already has it."""
        return f"/{name}" if name in [each.name for each in self._inputs] else name

    def _output(
        self, name: str, values: str, kind: int, shape: Sequence[int], *, first: bool = False
    ) -> None:
        self._nodes.append(helper.make_node("Identity", [values], [name]))
        info = helper.make_tensor_value_info(name, kind, ["count", *shape])
        self._outputs.insert(0 if first else len(self._outputs), info)

    def _dense(self, layer: Layer, values: str) -> str:
        weights, bias = map(self.constant, layer)
        return str(self.node("Gemm", values, weights, bias, transB=1))

    def _clipped(self, values: str, low: Any, high: Any) -> str:
        values = self.node("Min", values, self.constant(np.asarray(high, np.float32)))
        return str(self.node("Max", values, self.constant(np.asarray(low, np.float32))))

    def _reshaped(self, values: str, shape: tuple[int, ...]) -> str:
        return str(self.node("Reshape", values, self.constant(np.array([-1, *shape]))))

    def _chosen(self, policy: TrainedPolicy, values: str) -> str:
        """Adds the choice of the most likely discrete actions, (k,) or (k, entries)."""
        if policy.masked:
            allowed = self.node("Cast", MASK, to=TensorProto.BOOL)
            values = self.node("Where", allowed, values, self.constant(np.float32(-np.inf)))
        if not policy.counts:
            return str(self.node("ArgMax", values, axis=1, keepdims=0))
        sizes = self.constant(np.array(policy.counts))
        parts = self.node("Split", values, sizes, axis=1, outputs=len(policy.counts))
        return str(self.node("Concat", *(self.node("ArgMax", p, axis=1) for p in parts), axis=1))
