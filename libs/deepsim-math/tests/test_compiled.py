# SPDX-License-Identifier: Apache-2.0
"""The compiled wheel beside its own pure Python, run in other processes."""

from __future__ import annotations

import importlib.util
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from deepsim_math import Euler, Point, Pose, Quaternion, Twist, Vector3
from deepsim_math.formulas import rotations

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("deepsim_math._native") is None, reason="this is the pure wheel"
)

VALUES = [Vector3(1, 2, 3), Point(1, 2, 3), Euler(1, 2, 3), Quaternion(1, 2, 3, 4)]
VALUES += [Pose(VALUES[1], VALUES[3]), Twist(VALUES[0], VALUES[0])]
PURE = "import sys; sys.modules['deepsim_math._native'] = None; import pickle, deepsim_math; "


def python(*arguments, given=b""):
    done = subprocess.run([sys.executable, *arguments], input=given, stdout=subprocess.PIPE)
    assert done.returncode == 0, arguments
    return done.stdout


def test_formulas_and_values_are_compiled():
    """Else the other tests would compare the pure wheel with itself."""
    assert not hasattr(rotations.multiply, "__code__")
    assert "_native" in {base.__module__.rpartition(".")[2] for base in Quaternion.__mro__}


def test_the_bits_are_those_of_python():
    """Of every formula and operator, on values and on arrays; errors have the same messages."""
    program = str(Path(__file__).with_name("bits.py"))
    compiled, pure = (json.loads(python(program, *mode)) for mode in ([], ["pure"]))
    assert len(pure) > 70
    assert compiled == pure


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_pickles_go_both_ways(value):
    """The pure wheel reads what this one wrote, and the other way round."""
    echo = PURE + "v = pickle.load(sys.stdin.buffer); sys.stdout.buffer.write(pickle.dumps(v))"
    assert pickle.loads(python("-c", echo, given=pickle.dumps(value))) == value


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_fields_are_read_only_for_everyone(value):
    """Not even object.__setattr__ changes a field that lies in C."""
    name = value.__match_args__[0]
    with pytest.raises(AttributeError):
        setattr(value, name, 5.0)
    if not isinstance(value, Twist):
        with pytest.raises(AttributeError):
            object.__setattr__(value, name, 5.0)


def test_a_subclass_keeps_its_class():
    """Rotating one gives one, as in the pure wheel."""

    class Wheel(Vector3):
        __slots__ = ()

    turned = Quaternion(0, 0, 1, 0).rotate(Wheel(1, 0, 0))
    assert type(turned) is Wheel
    assert turned.isclose((-1, 0, 0))
