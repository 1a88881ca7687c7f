# SPDX-License-Identifier: Apache-2.0
"""Random harm: whatever a file holds, it loads or is refused by one error, soon and in one line."""

from __future__ import annotations

import subprocess
import sys
import warnings
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepsim_spawn import GazeboXMLLoader, ModelFormatError, ModelFormatWarning

WHOLE = b"""<?xml version="1.0"?>
<sdf version="1.7"><world name="w"><gravity>0 0 -9.8</gravity>
<model name="m"><pose relative_to="f">0 0 1 0 0 0</pose><link name="a"><inertial><mass>1</mass>
</inertial><collision name="c"><geometry><polyline><point>0 0</point><point>1 0</point>
<point>0 1</point><height>1</height></polyline></geometry></collision></link><link name="b">
<visual name="v"><geometry><cone><radius>1</radius><length>1</length></cone></geometry>
</visual></link><joint name="j" type="revolute"><parent>a</parent><child>b</child><axis>
<xyz>0 0 1</xyz></axis></joint><frame name="g" attached_to="a"/></model><frame name="f"/>
</world></sdf>"""

TAGS = [
    "world", "model", "link", "joint", "collision", "visual", "geometry", "box", "sphere",
    "cylinder", "cone", "polyline", "heightmap", "mesh", "plane", "pose", "frame", "include",
    "uri", "inertial", "mass", "inertia", "ixx", "axis", "axis2", "xyz", "limit", "lower",
    "upper", "parent", "child", "size", "radius", "length", "height", "point", "light",
    "sensor", "camera", "plugin", "material", "script", "name", "ambient", "scene", "physics",
    "gravity", "static", "surface", "friction", "ode", "mu",
]  # fmt: skip
WORDS = st.sampled_from(
    """
a|b|world|__model__|a::b|0|1|-1|0 0 1|1 1 1|0 0 0 0 0 0|nan|1e999|true|model://a|../x|/|file://
0 0 1 1|revolute|\x7f""".replace("\n", "|").split("|")
)
ATTRIBUTES = st.sampled_from([
    "name", "type", "relative_to", "attached_to", "expressed_in", "degrees", "merge", "version",
    "rotation_format", "placement_frame", "canonical_link", "filename",
])  # fmt: skip


def loads_or_is_refused(source):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelFormatWarning)
        try:
            GazeboXMLLoader().load(source)
        except ModelFormatError as error:
            said = str(error)
        else:
            said = ""
    assert "\n" not in said


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_bytes_that_were_cut_doubled_or_overwritten(tmp_path_factory, data):
    text = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 30)))
        piece = text[start:end]
        text[start:end] = data.draw(st.sampled_from([b"", piece * 2, b"<", b"\0"]) | st.binary())
    path = tmp_path_factory.getbasetemp() / "fuzz.world"
    path.write_bytes(text)
    loads_or_is_refused(path)


@st.composite
def elements(draw, depth=4):
    tag = draw(st.sampled_from(TAGS))
    attributes = draw(st.dictionaries(ATTRIBUTES, WORDS, max_size=2))
    inside = escape(draw(WORDS))
    if depth:
        inside += "".join(draw(st.lists(elements(depth=depth - 1), max_size=3)))
    given = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    return f"<{tag}{given}>{inside}</{tag}>"


@settings(max_examples=150, deadline=None)
@given(st.lists(elements(), max_size=4), st.sampled_from(["1.3", "1.5", "1.7", "1.11"]))
def test_elements_in_any_order(inside, version):
    link = "<link name='l'/>"
    for start, end in (("<world name='w'>", "</world>"), (f"<model name='m'>{link}", "</model>")):
        text = f"<sdf version='{version}'>{start}{''.join(inside)}{end}</sdf>"
        loads_or_is_refused(text)


SLOTS = [b"0 0 -9.8", b"0 0 1 0 0 0", b"1</mass>", b"0 1</point>", b"1</height>", b"0 0 1</xyz>"]


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(SLOTS), st.text(st.characters(codec="utf-8"), max_size=40))
def test_any_text_where_numbers_are_expected(slot, text):
    tag = slot[slot.find(b"<") :] if b"<" in slot else b""
    loads_or_is_refused(WHOLE.replace(slot, escape(text).encode() + tag, 1).decode())


LARGE = {
    "links": "<model name='m'>" + "<link/>" * 1_000_000 + "</model>",
    "anything": "<a/>" * 6_000_000,
    "comments": "<!---->" * 4_000_000,
    "attributes": "<model " + " ".join(f"a{n:x}=''" for n in range(2_000_000)) + "/>",
    "text": "<model name='" + "m" * 20_000_000 + "'/>",
}


@pytest.mark.parametrize("what", LARGE)
def test_a_million_of_anything_is_refused_within_bounds(tmp_path, what):
    """In a process that has 1 GiB of address space; more than a minute would be a hang."""
    path = tmp_path / "large.sdf"
    path.write_text(f"<sdf version='1.6'>{LARGE[what]}</sdf>")
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
        "from deepsim_spawn import *\n"
        "try: GazeboXMLLoader().load(sys.argv[1])\n"
        "except ModelFormatError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PYTHONPATH": ":".join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.stderr == ""
    assert done.stdout.startswith(str(path))
    assert done.stdout.count("\n") == 1
