# SPDX-License-Identifier: Apache-2.0
"""Small scenarios in Scenic 2, whose distributions under Scenic 2.0.0 are in `scenic2.json`.

To record them again, with Python 3.8 and ``pip install scenic==2.0.0``::

    python scenic2_cases.py scenic2.json
"""

import json
import random
import sys

import numpy as np

SAMPLES = 1000
LEVELS = [number / 10 for number in range(11)]

MODEL = """\
from scenic.core.vectors import VectorField
width = 12
length = 10
workspace = Workspace(RectangularRegion(0 @ 0, 0, width, length))
class Robot(Object):
    position: Point in workspace
    heading: 0.5
    width: 0.6
    length: 0.8
class Table(Object):
    position: Point in workspace
    heading: Range(0, 360) deg
    width: 1.0
    length: 2.0
class Post(Object):
    position: Point in workspace
    heading: Range(0, 360) deg
    width: 0.2
    length: 0.2
"""
"""The classes as GzScenic writes them, for Scenic 2."""

EGO = "ego = Robot at 0 @ -1\n"

CASES = {
    "a class": "ego = Robot at 0 @ 0\nTable\n",
    "at": EGO + "Table at 1 @ 2\n",
    "at, facing": EGO + "Table at 1 @ 2, facing Range(-30, 30) deg\n",
    "with heading": EGO + "Table at 1 @ 2, with heading Range(0, 1)\n",
    "offset by": EGO + "Table offset by 1 @ 2\n",
    "offset by, facing": EGO + "Table offset by 1 @ 2, facing 30 deg\n",
    "offset by, from a turned ego": (
        "ego = Robot at 0 @ 0, facing Range(0, 90) deg\nTable offset by Range(-1, 1) @ 3\n"
    ),
    "offset along": EGO + "Table offset along 45 deg by 0 @ 3\n",
    "offset by, in an expression": EGO + "Table at ego offset by 1 @ 3\n",
    "relative to": EGO + "Table at 0 @ 3 relative to ego, facing 20 deg relative to ego.heading\n",
    "oriented point offset by": (
        EGO + "spot = OrientedPoint offset by 1 @ 2\nPost at spot, facing spot.heading\n"
    ),
    "oriented point offset by, facing": (
        EGO + "spot = OrientedPoint offset by 1 @ 2, facing Range(-1, 1)\nPost ahead of spot by 1\n"
    ),
    "beyond": EGO + "Table beyond 1 @ 1 by 1\n",
    "beyond, by a vector": EGO + "Table beyond 1 @ 1 by 0.5 @ 2 from -1 @ 0\n",
    "beyond, an object": EGO + "Post at 2 @ 1\nTable beyond ego by 2 from 0 @ -4\n",
    "left of an object": EGO + "Post left of ego by 1\n",
    "right of an object": EGO + "Table right of ego by 2\n",
    "ahead of an object": EGO + "Post ahead of ego by Range(0.5, 1)\n",
    "behind an object": EGO + "Table behind ego by 0.5 @ 1\n",
    "ahead of a table, facing": (
        EGO + "table = Table at 2 @ 2\nPost ahead of table by 2, facing 1\n"
    ),
    "ahead of front": EGO + "Post ahead of (front of ego) by 0.3\n",
    "left of a corner": EGO + "Post left of (back left of ego) by 0.3\n",
    "ahead of an oriented point": EGO + "p = OrientedPoint at 2 @ 2, facing 1\nTable ahead of p\n",
    "left of a vector": EGO + "Table left of 2 @ 2 by 0.5\n",
    "ahead of a vector": EGO + "Table ahead of 2 @ 2 by 0.5, facing Range(0, 1)\n",
    "facing toward": EGO + "Table in RectangularRegion(0 @ 2, 0, 6, 2), facing toward 1 @ 0\n",
    "apparently facing": EGO + "Table at Range(-3, 3) @ 3, apparently facing 0.5\n",
    "apparently facing, from": EGO + "Table at 2 @ 2, apparently facing 90 deg from 1 @ 0\n",
    "facing a field": (
        EGO + "field = VectorField('field', lambda spot: 0.3 * spot.x)\n"
        "Post at Range(-3, 3) @ 3, facing field\n"
        "Post at Range(-3, 3) @ 2, facing 1 relative to field\n"
    ),
    "following a field": (
        EGO + "field = VectorField('field', lambda spot: 0.2 * spot.x)\n"
        "Post following field from 1 @ 0 for 2\n"
    ),
    "follow a field": (
        EGO + "field = VectorField('field', lambda spot: 0.2 * spot.x)\n"
        "spot = follow field from Range(1, 2) @ 0 for 2\nTable ahead of spot\n"
    ),
    "in a rectangle": EGO + "Table in RectangularRegion(-2 @ 2, 30 deg, 3, 1)\n",
    "in circles and sectors": (
        EGO + "Post in CircularRegion(3 @ 3, 1)\nPost in SectorRegion(-3 @ -3, 2, 45 deg, 90 deg)\n"
    ),
    "in a polygon": EGO + "Post in PolygonalRegion([1 @ 1, 4 @ 1, 1 @ 4])\n",
    "in a line": EGO + "Post in PolylineRegion([1 @ 1, 4 @ 1, 4 @ 4])\n",
    "in an oriented polygon": (
        EGO + "field = VectorField('field', lambda spot: 0.3 * spot.x)\n"
        "Post in PolygonalRegion([1 @ 1, 4 @ 1, 1 @ 4], orientation=field)\n"
    ),
    "visible": (
        "ego = Robot at 0 @ 0, with visibleDistance 4, with viewAngle 90 deg\nPost visible\n"
    ),
    "visible from": EGO + "p = Point at 2 @ 2, with visibleDistance 2\nPost visible from p\n",
    "in a visible region": (
        "ego = Robot at 0 @ 0, with visibleDistance 4, with viewAngle 90 deg\n"
        "Post in visible RectangularRegion(0 @ 2, 0, 8, 4)\n"
    ),
    "objects must be visible": (
        "ego = Robot at 0 @ 0, facing 0, with visibleDistance 3, with viewAngle 60 deg\n"
        "Table in RectangularRegion(0 @ 2, 0, 8, 6)\n"
    ),
    "can see": (
        "ego = Robot at 0 @ 0, facing 0, with visibleDistance 3, with viewAngle 60 deg\n"
        "table = Table in RectangularRegion(0 @ 2, 0, 8, 6), with requireVisible False\n"
        "require not (ego can see table)\n"
    ),
    "require a distance": EGO + "table = Table\nrequire (distance from table to ego) < 3\n",
    "require, softly": EGO + "table = Table\nrequire[0.7] table.position.x > 0\n",
    "require a relative heading": (
        EGO + "table = Table\nrequire abs(relative heading of table) < 20 deg\n"
        "require (angle to table) > 0\n"
    ),
    "mutate": "ego = Robot at 0 @ 0\ntable = Table at 3 @ 0, facing 0.3\nmutate table\n",
    "mutate, with deviations": (
        "ego = Robot at 0 @ 0\n"
        "table = Table at 3 @ 0, facing 0.3, with positionStdDev 0.2, with headingStdDev 0.4\n"
        "mutate table\n"
    ),
    "distributions": (
        EGO + "Post at Normal(2, 0.5) @ TruncatedNormal(2, 1, 1.5, 4), facing Uniform(0, 1, 2)\n"
        "Post at Discrete({-2: 1, -3: 2}) @ DiscreteRange(1, 3)\n"
    ),
    "shared values": (
        EGO + "x = Range(1, 3)\nPost at x @ resample(x)\nPost at -x @ x, facing x\n"
        "for i in range(3):\n    Post at (i - 1) @ (4 + Range(0, 0.5)), facing i\n"
    ),
    "a class of its own": (
        "class Desk(Table):\n    heading: Range(-1, 1)\n    width: Range(0.5, 1)\n"
        + EGO
        + "Desk offset by 1 @ 2\nDesk at 3 @ 2\n"
    ),
    "containment": EGO + "Table at 5.4 @ 3\nTable in CircularRegion(-5 @ -4, 1)\n",
    "contained in a region": (
        EGO + "area = CircularRegion(3 @ 2, 1.6)\nTable in area, with regionContainedIn area\n"
    ),
    "overlaps": EGO + "a = Table in RectangularRegion(2 @ 2, 0, 3, 3)\nTable at 2 @ 2, facing 0\n",
}  # fmt: skip


def columns(objects):
    """Returns x, y, cosine and sine of the heading, width and length by name, of each object.

    Args:
        objects: For each sample, its objects as rows of x, y, heading, width and length.
    """
    rows = np.array(objects, dtype=float)
    x, y, heading, width, length = np.moveaxis(rows, 2, 0)
    named = {
        "x": x, "y": y, "cos": np.cos(heading), "sin": np.sin(heading), "width": width,
        "length": length,
    }  # fmt: skip
    return {
        f"{number} {name}": values[:, number]
        for number in range(rows.shape[1])
        for name, values in named.items()
    }


def quantiles(values):
    """Returns a number if all values are the same; otherwise their quantiles at `LEVELS`."""
    if np.ptp(values) < 1e-9:
        return round(float(values[0]), 6)
    return [round(float(value), 4) for value in np.quantile(values, LEVELS)]


def main(file):
    """Samples all cases with Scenic 2.0.0, and writes their quantiles."""
    import scenic  # noqa: PLC0415 (of another Python)

    found = {}
    for name, text in CASES.items():
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002
        try:
            scenario = scenic.scenarioFromString(MODEL + text)
            scenes = [scenario.generate(maxIterations=20000)[0] for _ in range(SAMPLES)]
        except Exception as error:  # a case that Scenic 2.0.0 cannot sample
            print(name, repr(error))
            continue
        objects = [
            [
                (each.position.x, each.position.y, each.heading, each.width, each.length)
                for each in scene.objects
            ]
            for scene in scenes
        ]
        found[name] = {key: quantiles(values) for key, values in columns(objects).items()}
        print(name, len(objects[0]))
    with open(file, "w", encoding="utf-8") as out:
        lines = ",\n".join(
            f"{json.dumps(name)}: {json.dumps(rows)}" for name, rows in found.items()
        )
        out.write("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1])
