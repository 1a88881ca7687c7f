# SPDX-License-Identifier: Apache-2.0
"""Checks of documentation and public names that every library has; conftest.py adds them.

Whatever the readers of a library's docstrings know besides public names is in the fixture
`names_of_examples` of its own conftest.py.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import linecache
import re
from contextvars import copy_context
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, get_origin

import pytest

_BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)")

_SORTED = {
    *("deepsim_btree", "deepsim_colliders", "deepsim_math", "deepsim_envs"),
    *("deepsim_envs.pettingzoo", "deepsim_envs.ude", "deepsim_train"),
    "deepsim_train.rollout_pool",
}
"""Packages whose lists of names are in alphabetical order; others have tiers."""
_NAMED = {
    *("deepsim", "deepsim_btree", "deepsim_colliders", "deepsim_envs", "deepsim_math"),
    *("deepsim_spawn", "deepsim_sync", "deepsim_train", "deepsim_warp"),
}
"""Libraries whose README names everything public."""
_EXAMPLES = {
    *("deepsim", "deepsim_envs", "deepsim_fx", "deepsim_gazebo", "deepsim_mujoco"),
    *("deepsim_robots", "deepsim_soccer", "deepsim_transport", "deepsim_viewer"),
}
"""Libraries whose public classes all have an example."""
_NOT_RUN = {
    "deepsim_conformance": "its tests run the README as tests",
    "deepsim_gazebo": "its tests run the README on a server",
    "deepsim_ros2": "the README needs ROS 2",
    "deepsim_scenes": "the README needs Scenic",
    "deepsim_transport": "the README needs a master and several processes",
    "deepsim_viewer": "the README needs a browser",
}


class Library:
    """A folder of libs/ and its package.

    Args:
        folder: The folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.name.replace("-", "_")
        self.package = importlib.import_module(self.name)
        self.readme = (folder / "README.md").read_text(encoding="utf-8")
        self.pages = [folder / "README.md", *sorted((folder / "docs").rglob("*.md"))]

    def modules(self, text: str, pattern: str = "*.py") -> list[str]:
        """Returns the names of modules whose source has this text."""
        source = self.folder / "src"
        found = []
        for file in sorted(source.rglob(pattern)):
            if text in file.read_text(encoding="utf-8"):
                parts = file.relative_to(source).with_suffix("").parts
                found.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
        return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Gives each test the pages, modules or packages of the library whose tests are collected."""
    module = metafunc.definition.getparent(pytest.Module)
    folder = module.parent.path.parent
    if find_spec(folder.name.replace("-", "_")) is None:
        pytest.skip(f"{folder.name} is not installed: see CONTRIBUTING", allow_module_level=True)
    library = Library(folder)
    metafunc.parametrize("library", [library], ids=[library.name], scope="module")
    if "page" in metafunc.fixturenames:
        metafunc.parametrize("page", library.pages, ids=lambda page: page.name)
    if "module" in metafunc.fixturenames:
        metafunc.parametrize("module", library.modules(">>> "))
    if "package" in metafunc.fixturenames:
        metafunc.parametrize("package", library.modules("__all__ = [", "__init__.py"))


def imported(name: str) -> ModuleType:
    """Returns a module; the test is skipped where an extra of its library is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        pytest.skip(str(error))


def test_pages(library: Library, page: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """Blocks of Python run one after another; a text block is the output of those before it.

    Doctests give what they show.
    """
    if library.name in _NOT_RUN:
        pytest.skip(_NOT_RUN[library.name])
    text = page.read_text(encoding="utf-8")
    for package in ("numpy", "gymnasium"):
        if re.search(rf"^(?:>>> )?(?:import|from) {package}\b", text, re.MULTILINE):
            pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}  # a module that exists, for dataclasses
    output, shown = "", 0
    for language, block in _BLOCK.findall(text):
        if language == "text":
            assert output.rstrip() == block.rstrip()
            output, shown = "", shown + 1
        elif ">>> " not in block:
            stream = io.StringIO()
            with contextlib.redirect_stdout(stream):
                # Where `inspect` finds the source, as in a notebook.
                file = f"<{page.name} {len(linecache.cache)}>"
                linecache.cache[file] = len(block), None, block.splitlines(True), file
                exec(compile(block, file, "exec"), names)
            output += stream.getvalue()
    assert output == "", "the last block prints what the page does not show"
    if ">>> " in text:
        results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
        assert results.failed == 0
        shown += results.attempted
    assert shown or page.name != "README.md"


def test_links(library: Library, page: Path) -> None:
    """Links lead to files of the repository."""
    links = _LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_docstrings(
    library: Library, module: str, names_of_examples: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    """Examples give what they show."""
    found = imported(module)
    monkeypatch.chdir(tmp_path)
    names = dict(names_of_examples)
    for each in (library.package, imported(module.rpartition(".")[0] or module), found):
        names.update(
            (name, value)
            for name, value in vars(each).items()
            if each is found or not isinstance(value, ModuleType)
        )
    results = copy_context().run(  # some make a world current
        doctest.testmod, found, globs=names, optionflags=doctest.ELLIPSIS
    )
    assert results.attempted > 0
    assert results.failed == 0


def test_public_names(library: Library, package: str) -> None:
    """`__all__` lists each public name once, and no other, except modules."""
    found = imported(package)
    listed = found.__all__
    public = {
        name
        for name in dir(found)
        if not name.startswith("_") and not isinstance(getattr(found, name), ModuleType)
    }
    assert public - {"annotations"} == {
        name for name in listed if not isinstance(getattr(found, name), ModuleType)
    }
    assert len(set(listed)) == len(listed)
    if package in _SORTED:
        assert listed == sorted(listed)


def test_the_readme_names_everything_public(library: Library) -> None:
    """Its table of names is complete."""
    if library.name not in _NAMED:
        pytest.skip("the README has no table of all names")
    missing = [
        name
        for name in library.package.__all__
        if not re.search(rf"`[^`\n]*\b{name}\b", library.readme)
    ]
    assert missing == []


def test_public_classes_have_an_example(library: Library) -> None:
    """In their docstrings, but for exceptions."""
    if library.name not in _EXAMPLES:
        pytest.skip("some classes have none")
    classes = {
        name: found
        for name, found in (
            (name, getattr(library.package, name)) for name in library.package.__all__
        )
        if isinstance(found, type)
        and get_origin(found) is None  # dict[str, Any] is a type on 3.10
        and not issubclass(found, Exception)
    }
    assert [name for name, found in classes.items() if ">>> " not in (found.__doc__ or "")] == []


def test_version(library: Library) -> None:
    """`__version__`, where a package states it, is what an installer knows."""
    if hasattr(library.package, "__version__"):
        assert library.package.__version__ == metadata.version(library.folder.name)
