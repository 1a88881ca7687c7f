# SPDX-License-Identifier: Apache-2.0
"""Models are fetched from a real server, and what strangers send is not trusted."""

from __future__ import annotations

import hashlib
import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from deepsim_scenes import DownloadError, ModelDownloads, ModelListError, read_models

CONFIG = "<model><name>crate</name><sdf version='1.7'>model.sdf</sdf></model>"
SDF = """<sdf version='1.7'><model name='crate'><link name='a'>
<inertial><mass>1</mass></inertial>
<collision name='c'><geometry><box><size>.2 .3 .4</size></box></geometry></collision>
</link></model></sdf>"""
FILES = {"model.config": CONFIG, "model.sdf": SDF}


class Server:
    """Serves archives on the loopback, and counts what is asked for."""

    def __init__(self) -> None:
        self.replies: dict[str, bytes] = {}
        self.redirects: dict[str, str] = {}
        self.asked: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                if self.path in server.redirects:
                    self.send_response(302)
                    self.send_header("Location", server.redirects[self.path])
                    self.end_headers()
                    return
                reply = server.replies.get(self.path)
                self.send_response(404 if reply is None else 200)
                self.end_headers()
                self.wfile.write(reply or b"")

            def log_message(self, *_: object) -> None:
                """Prints nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def serve(self, path: str, content: bytes) -> str:
        """Serves bytes, and returns their address with their hash."""
        self.replies[path] = content
        return f"{self.address}{path}#sha256={hashlib.sha256(content).hexdigest()}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    served = Server()
    yield served
    served.close()


def zipped(files: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return buffer.getvalue()


def tarred(files: dict[str, str], *extra: tarfile.TarInfo) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as packed:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            packed.addfile(info, io.BytesIO(text.encode()))
        for info in extra:
            packed.addfile(info)
    return buffer.getvalue()


def link(kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo("model/link")
    info.type, info.linkname = kind, "/etc/passwd"
    return info


def write_list(folder, *, kind="CUSTOM_MODEL", url=""):
    file = folder / "models.yaml"
    extra = f"  url: {url!r}\n" if url else ""
    file.write_text(f"models_dir: kept\nmodels:\n- name: crate\n  type: {kind}\n{extra}")
    return file


@pytest.mark.parametrize(
    "archive",
    [
        zipped(FILES),
        zipped({f"x/{name}": text for name, text in FILES.items()}),
        tarred({f"crate/{name}": text for name, text in FILES.items()}),
    ],
)
def test_a_model_is_fetched_once_and_kept(server, tmp_path, archive):
    """The second time it is found where the first one left it, without the network."""
    file = write_list(tmp_path, url=server.serve("/crate", archive))
    for downloads in (ModelDownloads(), None):
        assert tuple(read_models(file, [], downloads)["crate"].size) == (0.2, 0.3, 0.4)
    assert server.asked == ["/crate"]
    assert [each.name for each in (tmp_path / "kept").iterdir()] == ["crate"]


def test_models_without_an_address_come_from_the_servers(server, tmp_path):
    """The next server is asked where one does not have the model."""
    address = server.serve("/second/crate.zip", zipped(FILES)).replace("crate.zip", "{name}.zip")
    first = server.address + "/first/{name}.zip#" + address.partition("#")[2]
    file = write_list(tmp_path, kind="GAZEBO_MODEL")
    models = read_models(file, [], ModelDownloads(servers=(first, address)))
    assert tuple(models["crate"].size) == (0.2, 0.3, 0.4)
    assert server.asked == ["/first/crate.zip", "/second/crate.zip"]


def test_nothing_is_fetched_unless_asked_for(server, tmp_path):
    file = write_list(tmp_path, url=server.serve("/crate", zipped(FILES)))
    (tmp_path / "kept").mkdir()
    with pytest.raises(ModelListError, match="it can be fetched from"):
        read_models(file, [])
    assert server.asked == []


BAD_ARCHIVES = [
    (b"<html>Sign in</html>", "neither a zip nor a tar"),
    (zipped({"readme.txt": "hello"}), "holds no model"),
    (zipped({**FILES, "../evil": "x"}), "leads out"),
    (zipped({**FILES, "/tmp/evil": "x"}), "leads out"),
    (zipped({**FILES, "a\\..\\..\\evil": "x"}), "leads out"),
    (tarred(FILES, link(tarfile.SYMTYPE)), "no plain file"),
    (tarred(FILES, link(tarfile.LNKTYPE)), "no plain file"),
    (zipped({**FILES, "crate.urdf.XACRO": "<robot/>"}), "is a program"),
    (zipped({**FILES, "zeros": bytes(2 * 2**20)}), "holds more than"),
    (bytes(2 * 2**20), "longer than"),
    (zipped({**FILES, "model.sdf": "<sdf><model name='x'>"}), "what came is refused"),
    (zipped(FILES)[:-30] + bytes(8), "neither|cannot be unpacked"),
    (tarred(FILES)[:150], "cannot be unpacked"),
]


@pytest.mark.parametrize(("archive", "reason"), BAD_ARCHIVES)
def test_what_is_no_model_leaves_nothing_behind(server, tmp_path, archive, reason):
    """The error names the line of the list, and says why."""
    file = write_list(tmp_path, url=server.serve("/crate", archive))
    with pytest.raises(ModelListError, match=reason) as caught:
        read_models(file, [], ModelDownloads(limit=2**20))
    assert caught.value.line == 5
    assert not [*(tmp_path / "kept").iterdir()]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/crate.zip",
        "file:///etc/passwd",
        "ftp://127.0.0.1/crate.zip",
        "data:application/zip;base64,UEsFBg==",
        "https://127.0.0.1:1/crate.zip#sha256=12",
        "https://127.0.0.1:1/crate.zip#md5=12",
        "crate.zip",
    ],
)
def test_other_addresses_are_refused(tmp_path, url):
    with pytest.raises(DownloadError, match=r"is refused|must be sha256"):
        ModelDownloads().fetch("crate", tmp_path, url)


def test_a_wrong_hash_is_refused(server, tmp_path):
    url = server.serve("/crate", zipped(FILES))
    server.replies["/crate"] = zipped({**FILES, "more": "x"})
    with pytest.raises(DownloadError, match="has the hash"):
        ModelDownloads().fetch("crate", tmp_path, url)


@pytest.mark.parametrize(
    ("target", "message"),
    [("file:///etc/passwd", "answers 302"), ("ftp://127.0.0.1/crate.zip", "is refused")],
)
def test_redirects_lead_to_no_other_kind_of_address(server, tmp_path, target, message):
    url = server.serve("/crate", zipped(FILES))
    server.redirects["/crate"] = target
    with pytest.raises(DownloadError, match=message):
        ModelDownloads().fetch("crate", tmp_path, url)


def test_a_redirect_to_the_same_archive_is_followed(server, tmp_path):
    url = server.serve("/there", zipped(FILES)).replace("/there", "/here")
    server.redirects["/here"] = server.address + "/there"
    assert (ModelDownloads().fetch("crate", tmp_path, url) / "model.sdf").is_file()


@pytest.mark.parametrize("name", ["..", ".", "a/b", "/tmp/x", ""])
def test_a_name_is_that_of_a_folder(tmp_path, name):
    with pytest.raises(DownloadError, match="no name of a folder"):
        ModelDownloads().fetch(name, tmp_path, "https://127.0.0.1:1/crate.zip")


def test_a_server_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1:1/crate\.zip cannot be reached"):
        ModelDownloads().fetch("crate", tmp_path, "https://127.0.0.1:1/crate.zip")
