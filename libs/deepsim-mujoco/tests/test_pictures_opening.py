# SPDX-License-Identifier: Apache-2.0
"""When OpenGL is loaded, and what happens where it is not; each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deepsim_mujoco.rendering import GlUnavailableError, RayCamera, open_camera

WORLD = """
import sys
from deepsim_math import Pose
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.rendering import GlUnavailableError, add_sky, open_camera
from deepsim_sync import CameraView
spec = mujoco.MjSpec()
add_sky(spec)
spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.5, 0, 0], pos=[3, 0, 0], group=2)
model = spec.compile()
data = mujoco.MjData(model)
for _ in range(100):
    mujoco.mj_step(model, data)
view = CameraView(Pose(), 1.0, 32, 24)
"""
NO_OPENGL = {"PYOPENGL_PLATFORM": "osmesa"}  # MuJoCo's EGL refuses to work beside it


def python(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs code after the world above; only the given GL variables are set."""
    environment = {k: v for k, v in os.environ.items() if k not in ("MUJOCO_GL", *NO_OPENGL)}
    return subprocess.run(
        # xacro 2.1 warns when Python 3.10 imports it.
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", "-c", WORLD + code],
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_no_opengl_is_loaded_before_a_camera_is_opened() -> None:
    code = """
def loaded():
    maps = open("/proc/self/maps").read()
    return "OpenGL" in sys.modules or any(name in maps for name in ("libGL", "libEGL", "libglfw"))
print(loaded())
camera = open_camera("ray")
camera.render(model, data, view, 0.1, 10)
print(loaded())
"""
    done = python(code)
    assert done.stdout.split() == ["False", "False"], done.stderr


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_triton_is_loaded_before_opengl(tmp_path: Path) -> None:
    """A process crashes that loads it after Mesa; this one prints whether it was."""
    (tmp_path / "triton.py").write_text("print('libEGL' in open('/proc/self/maps').read())")
    done = python("open_camera(); import triton", PYTHONPATH=str(tmp_path))
    assert done.stdout.split() == ["False"], done.stderr


@pytest.mark.parametrize("platform", ["osmesa", "nonsense"])
def test_mujoco_gl_does_not_matter(platform: str) -> None:
    """MuJoCo itself fails to import where the platform that it names is missing."""
    done = python(
        "print(open_camera().render(model, data, view, 0.1, 10).shape)", MUJOCO_GL=platform
    )
    assert done.stdout.split("\n")[0] == "(24, 32, 3)", done.stderr


def test_without_opengl_rays_take_over_and_one_line_tells_what_to_install() -> None:
    """It is an error if OpenGL was asked for."""
    code = """
for _ in range(3):
    camera = open_camera()
    print(type(camera).__name__, camera.render(model, data, view, 0.1, 10).shape)
try:
    open_camera("gl")
except GlUnavailableError as error:
    print(error)
"""
    done = python(code, **NO_OPENGL)
    assert done.returncode == 0, done.stderr
    *taken, error = done.stdout.splitlines()
    assert taken == ["RayCamera (24, 32, 3)"] * 3
    (line,) = done.stderr.splitlines()
    for told in (line, error):
        assert "PYOPENGL_PLATFORM" in told
        assert "apt install libegl1 libegl-mesa0 libgl1-mesa-dri" in told


def test_a_camera_that_was_never_closed_lets_the_program_end_in_peace() -> None:
    try:
        open_camera("gl").close()
    except GlUnavailableError as error:
        pytest.skip(str(error))
    done = python("""
cameras = [open_camera("gl") for _ in range(2)]
for camera in cameras:
    camera.render(model, data, view, 0.1, 10)
import os
print(os.environ.get("PYOPENGL_PLATFORM"))
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "None\n", "")


def test_the_kind_of_camera_can_be_chosen() -> None:
    assert isinstance(open_camera("ray"), RayCamera)
    with pytest.raises(ValueError, match="'auto', 'gl' or 'ray', got 'best'"):
        open_camera("best")  # type: ignore[arg-type]  # that is the test


@pytest.mark.parametrize(("platform", "word"), [("darwin", "macOS"), ("win32", "Windows")])
def test_elsewhere_the_advice_is_for_that_system(platform: str, word: str) -> None:
    """OpenGL's module of that platform is imported here, and fails."""
    code = f"""
import warnings
warnings.simplefilter("ignore")  # GLFW's, that there is no display
sys.platform = {platform!r}
try:
    open_camera("gl")
except GlUnavailableError as error:
    print(error, repr(error.remedy), "mujoco.egl" in sys.modules)
"""
    done = python(code, DISPLAY="", WAYLAND_DISPLAY="")
    assert word in done.stdout, done.stderr
    assert "apt" not in done.stdout
    assert done.stdout.endswith(" '' False\n")


@pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="needs a display: xvfb-run pytest")
def test_the_picture_is_the_same_by_glfw_as_on_windows() -> None:
    """Also in another thread, which the context must have been released for."""
    code = """
from threading import Thread
import mujoco.glfw  # which looks for a DLL if imported later
pictures = []
def draw():
    pictures.append(camera.render(model, data, view, 0.1, 10).tobytes())
sys.platform = "win32"
camera = open_camera("gl")
draw()
other = Thread(target=draw)
other.start()
other.join()
print("mujoco.egl" in sys.modules)
sys.platform = "linux"
camera = open_camera("gl")
draw()
print(len(pictures), len(set(pictures)))
"""
    done = python(code)
    assert done.stdout.split() == ["False", "3", "1"], done.stderr
