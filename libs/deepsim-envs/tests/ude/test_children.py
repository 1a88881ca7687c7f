# SPDX-License-Identifier: Apache-2.0
"""Programs that are started while this process makes calls."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, subprocess, threading
from concurrent.futures import ThreadPoolExecutor
import deepsim_envs.ude
import grpc

class Echo(grpc.GenericRpcHandler):
    def service(self, details):
        return grpc.unary_unary_rpc_method_handler(lambda request, context: request)

server = grpc.server(ThreadPoolExecutor(4), handlers=[Echo()])
port = server.add_insecure_port("127.0.0.1:0")
server.start()
call = grpc.insecure_channel(f"127.0.0.1:{port}").unary_unary("/any/echo")
done = threading.Event()

def make_calls():
    while not done.is_set():
        call(bytes(1000))

with ThreadPoolExecutor(2) as callers:
    for _ in range(2):
        callers.submit(make_calls)
    for _ in range(300):
        child = subprocess.run(["echo"], capture_output=True, preexec_fn=os.setpgrp)  # a real fork
        if (child.stdout, child.stderr) != (b"\\n", b""):
            print(child)
    done.set()
server.stop(None).wait()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_children_start_while_calls_are_made():
    """As imageio starts ffmpeg: none crashes, and none says a word of gRPC's."""
    environment = {key: value for key, value in os.environ.items() if "GRPC" not in key}
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == ""
