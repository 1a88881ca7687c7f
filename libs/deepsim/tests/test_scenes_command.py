# SPDX-License-Identifier: Apache-2.0
"""The command `deepsim scenes`: a folder for each scene, and nothing of others touched."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import os
import re
import signal
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import typer
import yaml
from typer.testing import CliRunner

import deepsim_scenes.files
import deepsim_tasks
from deepsim.cli import app
from deepsim.commands.scenes import ScenesCommand, scenes

MODELS = """\
models:
- {name: robot, type: MISSION_ONLY, width: 0.4, length: 0.4}
- {name: crate, type: CUSTOM_MODEL}
"""
CRATE = """\
<sdf version="1.6"><model name="crate"><link name="link"><pose>0 0 0.15 0 0 0</pose>
<collision name="c"><geometry><box><size>0.4 0.6 0.3</size></box></geometry></collision>
<visual name="v"><geometry><box><size>0.4 0.6 0.3</size></box></geometry></visual>
</link></model></sdf>
"""
SCENARIO = """\
param side = 3
workspace = Workspace(RectangularRegion(0 @ 0, 0, globalParameters.side, globalParameters.side))
ego = Robot
Crate
Crate
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.joinpath("crate").mkdir()
    tmp_path.joinpath("crate", "model.sdf").write_text(CRATE)
    tmp_path.joinpath("models.yaml").write_text(MODELS)
    tmp_path.joinpath("yard.scenic").write_text(SCENARIO)
    return tmp_path


@pytest.fixture
def scenic() -> None:
    if os.environ.get("DEEPSIM_SCENIC") != "required" and not importlib.util.find_spec("scenic"):
        pytest.skip("the extra deepsim-scenes[scenic] is not installed")


def run(folder: Path, out: str, *options: str, scenario: str = "yard.scenic"):
    words = (scenario, "models.yaml", out)
    return CliRunner().invoke(
        app, ["scenes", *(str(folder / word) for word in words), *options], catch_exceptions=False
    )


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_each_scene_has_a_folder_and_the_seed_gives_its_bytes(folder, scenic):
    """Settled on the embedded engine; the plots are the same bytes, too."""
    for out in ("a", "b"):
        done = run(folder, out, "-n", "3", "-s", "7", "--settle", "0.2")
        assert done.exit_code == 0, done.output
    assert sorted(each.name for each in (folder / "a").iterdir()) == ["000", "001", "002", "models"]
    first, second = files(folder / "a"), files(folder / "b")
    assert first == second
    assert {"000/scene.world", "000/poses.yaml", "000/plot.png"} <= first.keys()
    assert first["000/scene.world"] != first["001/scene.world"]


def verify(folder: Path, *files: str):
    result = CliRunner().invoke(app, ["verify", *(str(folder / file) for file in files)])
    return result.exit_code, " ".join(result.output.split())


def test_recorded_scenes_are_drawn_again(folder, scenic):
    """Equal, or with the scene, object, column and both values; the program is given again."""
    again = ("record.json", "yard.scenic", "models.yaml")
    options = ["-n", "3", "-s", "7", "--noplt", "-p", "side", "4"]
    done = run(folder, "out", *options, "--record", str(folder / "record.json"))
    assert done.exit_code == 0, done.output
    assert verify(folder, *again) == (0, f"ok {folder / 'record.json'} is equal: 3 scenes")
    code, said = verify(folder, "record.json")
    assert (code, "verify FILE SCENARIO MODELS" in said) == (1, True)
    record = json.loads((folder / "record.json").read_text())
    place = record["scenes"][2]["crate_1"]["pose"]
    before, place[0] = place[0], place[0] + 1e-15
    record["facts"]["software"]["numpy"] = "1.0"
    (folder / "record.json").write_text(json.dumps(record))
    code, said = verify(folder, *again)
    assert code == 1
    assert "scene 2, object 'crate_1', pose[0]: recorded" in said
    assert f"recorded {place[0]!r}, here {before!r}" in said
    assert "numpy: 1.0 in the recording" in said
    (folder / "yard.scenic").write_text(SCENARIO + "Crate\n")
    code, said = verify(folder, *again)
    assert "scene 0, object 'crate_3' is only in the scene drawn here" in said
    assert "scenario: " in said


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda found: found.pop("scenes"), "is not a record of scenes: KeyError('scenes')"),
        (lambda found: found.update(version=2), "is not a record of scenes of version 1"),
        (lambda found: found.update(scenes=[7]), "is not a record of scenes"),
        (lambda found: found["facts"].update(seed="x"), "is not a record of scenes"),
        (
            lambda found: found["facts"].update(parameters={"map": "../town.xodr"}),
            "has map='../town.xodr', which may name a file",
        ),
    ],
)
def test_other_records_are_refused(edit, message, folder):
    """In a sentence, before the scenario is read."""
    facts = {"seed": 0, "limit": 1, "settle": 0.0, "parameters": {}, "part": None, "scenic": None}
    facts |= {"files": {"scenario": "", "models": ""}, "software": {}}
    record = {"format": "deepsim-scenes", "version": 1, "facts": facts, "scenes": []}
    edit(record)
    (folder / "record.json").write_text(json.dumps(record))
    code, said = verify(folder, "record.json", "yard.scenic", "models.yaml")
    assert code == 1
    assert message in said


def test_a_record_takes_no_programs(folder):
    """`--load` and `--model` name code, so that nothing could be drawn again from the record."""
    record = str(folder / "record.json")
    done = run(folder, "out", "--record", record, "--model", "gzscenic.model")
    assert done.exit_code == 1
    assert "--record takes neither --load nor --model" in done.output.replace("\n", "")


def test_parameters_and_the_other_name(folder, scenic):
    """`-p NAME VALUE` repeats; `gzscenic` takes the same arguments."""
    alias = typer.Typer()
    alias.command(cls=ScenesCommand)(scenes)
    words = [str(folder / name) for name in ("yard.scenic", "models.yaml", "out")]
    done = CliRunner().invoke(alias, [*words, "-p", "side", "60", "-p", "other", "x", "--noplt"])
    assert done.exit_code == 0, done.output
    assert not (folder / "out" / "000" / "plot.png").exists()
    (robot,) = yaml.safe_load((folder / "out" / "000" / "poses.yaml").read_text())["robot"]
    assert max(abs(robot["x"]), abs(robot["y"])) > 1.5


def test_the_command_says_which_scenic_it_reads_and_why(folder, scenic):
    """`offset by` leaves the heading to the class in Scenic 2; in Scenic 3 it is that of ego."""
    text = SCENARIO.replace(
        "ego = Robot\n", "ego = Robot at 0 @ 0, facing 1\nRobot offset by 1 @ 0\n"
    )
    headings = {}
    for out, options, line in (
        ("a", (), "read as Scenic 2: it has no construct of Scenic 3"),
        ("b", ("--scenic", "3"), "read as Scenic 3: as requested"),
    ):
        (folder / "yard.scenic").write_text(text)
        done = run(folder, out, "--noplt", *options)
        assert f"yard.scenic: {line}" in " ".join(done.output.split())
        robots = yaml.safe_load((folder / out / "000" / "poses.yaml").read_text())["robot"]
        headings[out] = robots[1]["heading"]
    assert headings["b"] == pytest.approx(1.0)
    assert abs(headings["a"] - 1.0) > 0.01


def test_models_are_dumped_and_loaded_again(folder, scenic):
    dump = str(folder / "models.scenic")
    assert run(folder, "a", "--dump", dump, "--noplt").exit_code == 0
    assert run(folder, "b", "--load", dump, "--noplt").exit_code == 0
    assert files(folder / "a") == files(folder / "b")
    again = run(folder, "c", "--dump", dump, "--noplt")
    assert again.exit_code == 1
    assert "exists: choose another place" in again.output


def test_a_model_that_is_not_here_is_fetched_if_asked(folder, scenic):
    """Without --download the command says where it could come from."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("model.sdf", CRATE)
    content = packed.getvalue()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            """Prints nothing."""

    digest = hashlib.sha256(content).hexdigest()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        url = f"http://127.0.0.1:{server.server_port}/box.zip#sha256={digest}"
        entry = f"- {{name: box, type: CUSTOM_MODEL, url: {url!r}}}\n"
        (folder / "models.yaml").write_text(MODELS + entry)
        (folder / "yard.scenic").write_text(SCENARIO.replace("Crate\n", "Box\n"))
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        try:
            refused = run(folder, "out", "--noplt")
            done = run(folder, "out", "--noplt", "--download")
        finally:
            server.shutdown()
    assert refused.exit_code == 1
    assert "it can be fetched from" in " ".join(refused.output.split())
    assert done.exit_code == 0, done.output
    assert (folder / "box" / "model.sdf").read_text() == CRATE


def test_what_is_there_stays(folder, scenic):
    """A folder of an earlier run, or of the user, ends the command before it writes."""
    kept = folder / "out" / "001" / "mine.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine")
    done = run(folder, "out", "-n", "2", "--noplt")
    assert done.exit_code == 1
    assert "exists: choose another place" in done.output
    assert files(folder / "out") == {"001/mine.txt": b"mine"}


def test_a_run_that_is_ended_leaves_no_parts(folder, scenic, monkeypatch):
    """By Ctrl-C or SIGTERM; and the part of a run that was killed is in nobody's way."""
    stray = folder / "out" / ".000.part"
    stray.mkdir(parents=True)
    for number in (signal.SIGINT, signal.SIGTERM):
        monkeypatch.setattr(
            deepsim_scenes.files,
            "write_plot",
            lambda *_, number=number, **__: signal.raise_signal(number),
        )
        assert run(folder, "out").exit_code != 0
        assert [*(folder / "out").iterdir()] == [stray]
    assert run(folder, "out", "--noplt").exit_code == 0
    assert sorted(each.name for each in (folder / "out").iterdir()) == [
        ".000.part",
        "000",
        "models",
    ]


def test_what_cannot_be_satisfied_names_the_requirement(folder, scenic):
    (folder / "tight.scenic").write_text("ego = Robot at 0 @ 0\nCrate at Range(-0.1, 0.1) @ 0\n")
    done = run(folder, "out", "--limit", "20", "--noplt", scenario="tight.scenic")
    assert done.exit_code == 1
    assert "none of 20 samples met all requirements; most often" in done.output
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("models.yaml", "models: [\n", "models.yaml:2: is not YAML"),
        ("models.yaml", "models:\n- {name: crat, type: CUSTOM_MODEL}\n", "did you mean 'crate'"),
        ("yard.scenic", "ego = Robot at\n", "yard.scenic:1: "),
    ],
)
def test_mistakes_are_one_line(folder, scenic, name, text, message):
    (folder / name).write_text(text)
    done = run(folder, "out")
    assert done.exit_code == 1
    assert message in done.output
    assert "Traceback" not in done.output


def falsify(*words: str | Path):
    return CliRunner().invoke(app, ["scenes", "falsify", *map(str, words)], catch_exceptions=False)


def test_falsify_writes_the_worst_scenes_and_replays_them(scenic, tmp_path, monkeypatch):
    """Alone or among others, in its own world or in the first, a scene has the same outcome."""
    monkeypatch.chdir(tmp_path)
    yard = Path(deepsim_tasks.__file__).parent / "navigate" / "yard.scenic"
    words = ("navigate", yard, "--policy", "follow_gap")
    done = falsify(*words, "--rounds", 2, "--batch", 4, "--keep", 3, "--seed", 2, "--out", "out")
    assert done.exit_code == 0, done.output
    assert "of 8 scenes failed; the worst:" in done.output
    worst = yaml.safe_load(Path("out", "scenes.yaml").read_text(encoding="utf-8"))
    assert [each["seed"] for each in worst] == [2, 2, 2]
    assert {"000", "001", "002", "scenes.yaml"} <= {each.name for each in Path("out").iterdir()}
    places = yaml.safe_load(Path("out", "001", "poses.yaml").read_text(encoding="utf-8"))
    assert {name: len(each) for name, each in places.items()} == {"robot": 1, "goal": 1, "post": 10}
    all_fail = falsify(*words, "--replay", Path("out", "scenes.yaml"), "--below", 1e9)
    assert "3 of 3 scenes failed" in all_fail.output
    Path("one.yaml").write_text(yaml.safe_dump(worst[1:2]), encoding="utf-8")
    for file, listed in ((Path("out", "scenes.yaml"), worst), (Path("one.yaml"), worst[1:2])):
        again = falsify(*words, "--replay", file)
        assert again.exit_code == 0, again.output
        for each in listed:
            failed = "yes" if each["failed"] else "no"
            row = rf"2 +{each['number']} +{round(each['score'], 3)} +{failed}"
            assert re.search(row, again.output), again.output


def test_falsify_refuses_tasks_that_take_no_scenes(folder, scenic):
    done = falsify("cartpole", folder / "yard.scenic")
    assert done.exit_code == 1
    assert "cartpole" in done.output
    assert "scenes" in done.output
    assert "Traceback" not in done.output
