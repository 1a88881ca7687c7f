# SPDX-License-Identifier: Apache-2.0
"""Writes the formulas as C: one function for the floats of a value, others for rows of arrays.

Python and C round the operators and the square root alike. Sine, cosine and the like of a value
are those of the C library, which Python's `math` calls, too. Those of rows are NumPy's own, which
may differ in the last bit: the C for rows stops before them and goes on after them.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Sequence

from .symbols import Program, Step, Symbol, Term, load, trace

# Formula, the components of each argument, those of the result. 0: a number without an axis.
FORMULAS: Sequence[tuple[str, tuple[int, ...], int]] = (
    ("vectors.dot", (3, 3), 0),
    ("vectors.cross", (3, 3), 3),
    ("vectors.length", (3,), 0),
    ("vectors.distance", (3, 3), 0),
    ("vectors.angle", (3, 3), 0),
    ("vectors.normalize", (3,), 3),
    ("vectors.project", (3, 3), 3),
    ("rotations.multiply", (4, 4), 4),
    ("rotations.normalize", (4,), 4),
    ("rotations.inverse", (4,), 4),
    ("rotations.rotate", (4, 3), 3),
    ("rotations.angle", (4, 4), 0),
    ("rotations.from_euler", (3,), 4),
    ("rotations.to_euler", (4,), 3),
    ("rotations.from_matrix", (9,), 4),
    ("rotations.to_matrix", (4,), 9),
    ("rotations.slerp", (4, 4, 0), 4),
    ("rotations.from_unit_axis", (3, 0), 4),
    ("rotations.from_axis_angle", (3, 0), 4),
    ("rotations.from_rotation_vector", (3,), 4),
    ("rotations.to_rotation_vector", (4,), 3),
    ("rotations.look", (3, 3), 4),
    ("rotations.look_rotation", (3, 3), 4),
    ("motions.transform", (7, 3), 3),
    ("motions.inverse_transform", (7, 3), 3),
    ("motions.compose", (7, 7), 7),
    ("motions.inverse", (7,), 7),
    ("motions.relative", (7, 7), 7),
    ("motions.interpolate", (7, 7, 0), 7),
    ("motions.to_matrix", (7,), 16),
    ("motions.from_matrix", (16,), 7),
    ("motions.rotate_twist", (4, 6), 6),
    ("motions.velocity_at", (6, 3), 3),
    ("motions.transform_twist", (7, 6), 6),
    ("motions.inverse_transform_twist", (7, 6), 6),
    ("motions.exponential", (6,), 7),
    ("motions.logarithm", (7,), 6),
)

#: Functions that NumPy has its own code for, by their names in C and in NumPy.
TRIGONOMETRY = {"sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "atan2": "arctan2"}

_OPERATORS = frozenset(["+", "-", "*", "/", "<", ">", "<=", "=="])

# The same in both forms: a place for each argument.
_EXPRESSIONS = {
    "negative": "-{0}",
    "fabs": "fabs({0})",
    "sqrt": "sqrt({0})",
    "copysign": "copysign({0}, {1})",
    "where": "({0} ? {1} : {2})",
    "wrap_once": "wrap_once({0})",
    "pick": "pick({0}, {1}, {2}, {3}, {4})",
    "argmax": "argmax({0}, {1}, {2}, {3})",
}

# Where `math` raises an error, the Python formula is called, which raises it.
_REFUSALS = {
    "/": "{1} == 0.0",
    "sqrt": "{0} < 0.0",
    "sin": "!isfinite({0})",
    "cos": "!isfinite({0})",
    "tan": "!isfinite({0})",
    "asin": "!(fabs({0}) <= 1.0)",
    "atan2": "!isfinite({0}) || !isfinite({1})",
    "argmax": "isnan({0} + {1} + {2} + {3})",
}


class Call(NamedTuple):
    """A call of NumPy after a stage: all functions of one kind there, in neighbouring columns."""

    stage: int
    function: str
    places: int  # arguments of the function
    count: int
    first: int  # column: the first arguments, the second ones, a gap, and the results

    # NumPy 1 takes arrays that touch for arrays that overlap, and then computes other last bits.


class Layout(NamedTuple):
    """Where the values of a formula lie in the scratch memory, a column each."""

    stages: list[int]  # of each step
    last: int
    values: dict[int, int]  # columns of the steps that later stages read
    arguments: dict[int, list[int]]  # columns of what NumPy's functions take, by step
    calls: list[Call]
    width: int


def header(formulas: Path) -> str:
    """Returns the C of all formulas in the folder `formulas`, and the table of them."""
    modules = load(formulas, ["vectors", "rotations", "motions"])
    parts, table = [], []
    for path, widths, width in FORMULAS:
        module, name = path.split(".")
        program = trace(getattr(modules[module], name), sum(size or 1 for size in widths))
        if len(program.results) != (width or 1):
            raise ValueError(f"{path} has {len(program.results)} results, the table says {width}")
        c_name = f"{module}_{name}"
        layout = _layout(program)
        stages, rows = _rows(c_name, program, widths, layout)
        parts += [_scalar(c_name, program), rows]
        sizes = ", ".join(map(str, widths))
        calls = ", ".join(
            f'{{{call.stage}, "{call.function}", {call.places}, {call.count}, {call.first}}}'
            for call in layout.calls
        )
        table.append(
            f'    {{"{module}", "{name}", {len(widths)}, {{{sizes}}}, {width}, '
            f"{c_name}, {{{', '.join(stages)}}}, {len(stages)}, {layout.width}, "
            f"{len(layout.calls)}, {{{calls or '{0}'}}}}},"
        )
    listing = "\n".join(
        [
            "static const Formula FORMULAS[] = {",
            *table,
            "};",
            f"enum {{ FORMULAS_COUNT = {len(table)} }};",
        ]
    )
    return "\n".join(['#include "formula.h"', "", *parts, listing, ""])


def _scalar(name: str, program: Program) -> str:
    lines = [f"static int {name}(const double *in, double *out)", "{"]
    for index, step in enumerate(program.steps):
        terms = [_term(term, {}) for term in step.arguments]
        operation = step.operation
        if operation.startswith("refuse"):
            lines.append(f"    if ({terms[0]} == 0.0) return 0;")
            continue
        if operation in _REFUSALS:
            lines.append(f"    if ({_REFUSALS[operation].format(*terms)}) return 0;")
        lines.append(f"    {_type(step)} v{index} = {_expression(step, terms, 'float')};")
    lines += [f"    out[{i}] = {_term(term, {})};" for i, term in enumerate(program.results)]
    return "\n".join([*lines, "    return 1;", "}", ""])


def _layout(program: Program) -> Layout:
    stages: list[int] = []
    for step in program.steps:
        needs = [term.index for term in step.arguments if isinstance(term, Symbol)]
        stages.append(
            max(
                (stages[n] + (program.steps[n].operation in TRIGONOMETRY) for n in needs), default=0
            )
        )
    last = max(stages) + any(
        isinstance(term, Symbol) and program.steps[term.index].operation in TRIGONOMETRY
        for term in program.results
    )  # a stage more where NumPy's functions give results
    calls: list[Call] = []
    width = 0
    values: dict[int, int] = {}
    arguments: dict[int, list[int]] = {}
    for stage in range(last + 1):
        for operation, function in TRIGONOMETRY.items():
            steps = [
                index
                for index, step in enumerate(program.steps)
                if step.operation == operation and stages[index] == stage
            ]
            if not steps:
                continue
            places, count = len(program.steps[steps[0]].arguments), len(steps)
            calls.append(Call(stage, function, places, count, width))
            for offset, index in enumerate(steps):
                arguments[index] = [width + place * count + offset for place in range(places)]
                values[index] = width + places * count + 1 + offset
            width += (places + 1) * count + 1
    users = [
        (term, stages[index]) for index, step in enumerate(program.steps) for term in step.arguments
    ] + [(term, last) for term in program.results]
    for term, stage in users:
        if not isinstance(term, Symbol) or program.steps[term.index].operation == "input":
            continue
        if stages[term.index] < stage and term.index not in values:
            values[term.index] = width
            width += 1
    return Layout(stages, last, values, arguments, calls, width)


def _rows(
    name: str, program: Program, widths: Sequence[int], layout: Layout
) -> tuple[list[str], str]:
    """Returns the names of the stages and their C."""
    places = [f"in[{a}][{c}]" for a, size in enumerate(widths) for c in range(size or 1)]
    names, parts = [], []
    for stage in range(layout.last + 1):
        names.append(f"{name}_{stage}")
        body: list[str] = []
        known: dict[int, str] = {}
        for index, step in enumerate(program.steps):
            terms = [_term(term, known) for term in step.arguments]
            here, column = layout.stages[index] == stage, layout.values.get(index)
            if step.operation == "input":
                known[index] = places[int(terms[0].partition(".")[0])]
            elif here and step.operation in TRIGONOMETRY:
                body += [
                    f"scratch[{place} * rows + row] = {term};"
                    for place, term in zip(layout.arguments[index], terms)
                ]
            elif here and step.operation.startswith("refuse"):
                body.append(f"if ({terms[0]} == 0.0) return row;")
            elif here:
                body.append(f"{_type(step)} v{index} = {_expression(step, terms, 'row')};")
                if column is not None:
                    body.append(f"scratch[{column} * rows + row] = v{index};")
            elif column is not None:
                known[index] = f"scratch[{column} * rows + row]"
        if stage == layout.last:
            for index, term in enumerate(program.results):
                body.append(f"const double r{index} = {_term(term, known)};")
            body += [f"out[{index}] = r{index};" for index in range(len(program.results))]
        body += [f"in[{argument}] += steps[{argument}];" for argument in range(len(widths))]
        parts.append(_STAGE.format(name=names[-1], body="\n".join(f"        {x}" for x in body)))
    return names, "\n".join(parts)


def _type(step: Step) -> str:
    return "const int" if step.operation in ("<", ">", "<=", "==", "argmax") else "const double"


def _expression(step: Step, terms: list[str], kind: str) -> str:
    operation = step.operation
    if operation == "input":
        return f"in[{int(float(terms[0]))}]"
    if operation in _OPERATORS:
        return f"{terms[0]} {operation} {terms[1]}"
    if operation in ("maximum", "minimum"):  # these differ between math and NumPy
        return f"{kind}_{operation}({', '.join(terms)})"
    if operation in TRIGONOMETRY:
        return f"{operation}({', '.join(terms)})"
    return _EXPRESSIONS[operation].format(*terms)


def _term(term: Term, known: dict[int, str]) -> str:
    if isinstance(term, Symbol):
        return known.get(term.index, f"v{term.index}")
    return f"({term!r})" if term < 0.0 else repr(term)


_STAGE = """\
static npy_intp {name}(
    npy_intp rows, const double **in, const npy_intp *steps, double *out, npy_intp step,
    double *scratch)
{{
    for (npy_intp row = 0; row < rows; ++row) {{
{body}
        out += step;
    }}
    return rows;
}}
"""
