# SPDX-License-Identifier: Apache-2.0
"""tools/pin.py brings up to date what follows from elsewhere: lists, pins, addresses, contracts."""

from __future__ import annotations


def test_a_library_of_the_table_enters_every_list(workspace, add_library, run_tool):
    """A folder, an entry in tools/allowed.py and two rows of prose: the rest is written."""
    add_library("deepsim-sync", "0.2.0", ["deepsim-math>=0.1.0,<0.2"])
    for page, folder in (("README.md", "libs"), ("docs/architecture.md", "../libs")):
        with (workspace / page).open("a") as file:
            file.write(f"[deepsim-sync]({folder}/deepsim-sync)\n")
    umbrella = workspace / "libs/deepsim/pyproject.toml"
    assert run_tool("workspace.py", "--root", workspace).returncode == 1

    assert run_tool("pin.py", "--root", workspace).returncode == 0

    assert run_tool("workspace.py", "--root", workspace).returncode == 0
    assert '    "deepsim-sync==0.2.0",\n' in umbrella.read_text()
    for file, line in {
        "requirements-demo.txt": "-e ./libs/deepsim-sync",
        "tox.ini": "    deepsim-sync",
        "pyproject.toml": '    "libs/deepsim-sync/src",',
        ".importlinter": "    deepsim_colliders | deepsim_sync",
        "libs/deepsim/pyproject.toml": (
            'deepsim-sync = { path = "../deepsim-sync", develop = true }'
        ),
    }.items():
        assert line in (workspace / file).read_text().splitlines(), file


def test_a_sibling_of_an_extra_is_there_for_tests(workspace, run_tool):
    """Poetry installs no extras by itself, but tests need all that tox.ini names."""
    file = workspace / "libs/deepsim-colliders/pyproject.toml"
    path = 'deepsim-math = { path = "../deepsim-math", develop = true }'
    need = '    "deepsim-math>=0.1.0,<0.2",\n'
    extra = (
        "[project.optional-dependencies]\nposes = ['deepsim-math>=0.1.0,<0.2']\n\n[tool.poetry]\n"
    )
    text = file.read_text()
    assert text.count(path) == 1
    file.write_text(text.replace(need, "").replace("[tool.poetry]\n", extra))
    tox = workspace / "libs/deepsim-colliders/tox.ini"
    tox.write_text(tox.read_text() + "    -e ../deepsim-math\n")
    run_tool("pin.py", "--root", workspace)
    assert file.read_text().count(path) == 2


def test_pin_repairs_the_umbrella(workspace, run_tool):
    """After a release, the versions in the pins change and nothing else does."""
    umbrella = workspace / "libs/deepsim/pyproject.toml"
    released = workspace / "libs/deepsim-colliders/pyproject.toml"
    changelog = workspace / "libs/deepsim-colliders/CHANGELOG.md"
    before = umbrella.read_text()
    released.write_text(released.read_text().replace('"0.3.2"', '"0.3.10"'))
    changelog.write_text(changelog.read_text() + "\n## [0.3.10] - 2026-11-22\n")
    assert run_tool("workspace.py", "--root", workspace).returncode == 1

    done = run_tool("pin.py", "--root", workspace)

    assert done.stdout == "libs/deepsim/pyproject.toml\n"
    assert umbrella.read_text() == before.replace("==0.3.2", "==0.3.10")
    assert run_tool("workspace.py", "--root", workspace).returncode == 0
    assert run_tool("pin.py", "--root", workspace).stdout == "all is up to date\n"


def test_a_stated_version_is_the_present_one(workspace, run_tool):
    """`__version__` follows pyproject.toml where a package states it, and appears nowhere else."""
    init = workspace / "libs/deepsim-math/src/deepsim_math/__init__.py"
    init.write_text('"""Toy."""\n\n__version__ = "0.0.9"\n')
    other = workspace / "libs/deepsim-colliders/src/deepsim_colliders/__init__.py"
    before = other.read_text()
    assert "run tools/pin.py" in run_tool("workspace.py", "--root", workspace).stdout
    assert run_tool("pin.py", "--root", workspace).returncode == 0
    assert init.read_text() == '"""Toy."""\n\n__version__ = "0.1.0"\n'
    assert other.read_text() == before


def test_pins_with_extras_keep_them(workspace, run_tool):
    """An extra that the umbrella asks for stays in its pin."""
    umbrella = workspace / "libs/deepsim/pyproject.toml"
    wanted = umbrella.read_text().replace("deepsim-math==", "deepsim-math[fast] == ")
    umbrella.write_text(wanted.replace("[fast] == 0.1.0", "[fast] == 0.0.9"))
    run_tool("pin.py", "--root", workspace)
    assert umbrella.read_text() == wanted


def test_addresses_are_written_once_and_copied(workspace, run_tool):
    """New ones, changed ones, and none again; the rest of each file stays as it is."""
    file = workspace / "libs/deepsim-colliders/pyproject.toml"
    before, root = file.read_text(), workspace / "pyproject.toml"
    settings = root.read_text()
    for address in ("https://example.org/a", "https://example.org/b"):
        urls = f'"Bug tracker" = "{address}"\nSource = "{address}/source"\n'
        root.write_text(f"[tool.deepsim.urls]\n{urls}{settings}")
        assert "run tools/pin.py" in run_tool("workspace.py", "--root", workspace).stdout
        assert run_tool("pin.py", "--root", workspace).returncode == 0
        assert file.read_text() == before.replace(
            "\n[tool.poetry]", f"\n[project.urls]\n{urls}\n[tool.poetry]"
        )
        assert run_tool("workspace.py", "--root", workspace).returncode == 0
    root.write_text(settings)
    run_tool("pin.py", "--root", workspace)
    assert file.read_text() == before
