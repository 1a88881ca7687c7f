# SPDX-License-Identifier: Apache-2.0
"""Who is let in: only whoever knows the address, from this machine, from this page."""

from __future__ import annotations

import http.client
import os
from urllib.parse import urlsplit

import psutil
import pytest
import viser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from deepsim_viewer import Viewer


def status(url, **headers):
    """The status of a GET."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=10)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def opens(url, **headers):
    """Whether a WebSocket opens."""
    try:
        connect(
            url.replace("http", "ws").rstrip("/"),
            subprotocols=[f"viser-v{viser.__version__}"],
            additional_headers=headers,
            max_size=None,
        ).close()
    except InvalidStatus as error:
        assert error.response.status_code == 403  # noqa: PT017 (False is an answer too)
        return False
    return True


def test_the_address_opens_page_and_socket(make_viewer):
    """With the printed address a page and its WebSocket open."""
    url = make_viewer().url
    origin = "http://" + urlsplit(url).netloc
    assert status(url) == 200
    assert opens(url)
    assert opens(url, Origin=origin)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://example.org"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "example.org"},
        {"Host": "127.0.0.1.example.org:80"},
        {"Host": "["},
    ],
)
def test_foreign_pages_are_refused(make_viewer, headers):
    """A foreign Origin or Host is refused, even with the token."""
    url = make_viewer().url
    assert status(url, **headers) == 403
    if "Origin" in headers:
        assert not opens(url, **headers)


@pytest.mark.parametrize("path", ["", "/", "/index.html", "/token/", "/{}x/", "/x/{}/", "?{}"])
def test_without_the_token_nobody_enters(make_viewer, path):
    """Another path than that of the address shows neither page nor scene."""
    parts = urlsplit(make_viewer().url)
    wrong = f"http://{parts.netloc}" + path.format(parts.path.strip("/"))
    assert status(wrong) == 403
    assert not opens(wrong)


def test_keys_are_taken_from_the_page_only(make_viewer):
    """A key without the token, or from a foreign page, does nothing; nonsense is refused."""
    viewer = make_viewer()
    pause = "input?press=pause"
    assert status(viewer.url.rsplit("/", 2)[0] + "/" + pause) == 403
    assert status(viewer.url + pause, Origin="http://example.org") == 403
    assert not viewer.control.paused
    for nonsense in ("input", "input?press=quit", "input?up=nan&left=0", "input?up=1"):
        assert status(viewer.url + nonsense) == 400
    assert status(viewer.url + pause) == 204
    assert viewer.control.paused


def test_each_viewer_has_a_token_of_its_own(make_viewer):
    """Tokens are long, and no two are equal."""
    tokens = {urlsplit(make_viewer().url).path.strip("/") for _ in range(3)}
    assert len(tokens) == 3
    assert min(map(len, tokens)) >= 32


def test_it_listens_on_loopback_only(make_viewer):
    """All new sockets of the process listen on 127.0.0.1."""
    own = psutil.Process(os.getpid())
    before = {each.laddr for each in own.net_connections("all") if each.status == "LISTEN"}
    url = make_viewer().url
    after = {each.laddr for each in own.net_connections("all") if each.status == "LISTEN"}
    assert [(each.ip, each.port) for each in after - before] == [("127.0.0.1", urlsplit(url).port)]


def test_no_tunnel_is_opened(make_viewer, look, monkeypatch):
    """A request to share the world with the outside is not even tried."""
    tried = []
    monkeypatch.setattr("viser._viser.ViserTunnel", lambda *a, **k: tried.append(a))
    viewer = make_viewer()
    client = look(viewer)
    client.send("ShareUrlRequest")
    client.read(lambda it: len(it.positions()) == 5, viewer.world)
    viewer.close()  # waits for the threads that serve requests
    assert not tried


def test_a_taken_port_is_an_error(make_viewer):
    """A port that is taken is named, and no other one is used instead."""
    first = make_viewer()
    port = urlsplit(first.url).port
    with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1:{port}"):
        Viewer(first.world, port=port)


def test_viser_elsewhere_is_left_alone(make_viewer):
    """A viewer changes nothing for other servers of viser in the process."""
    serve = viser.infra._infra.websockets.asyncio.server.serve
    make_viewer()
    assert viser.infra._infra.websockets.asyncio.server.serve is serve
