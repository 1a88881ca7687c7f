# SPDX-License-Identifier: Apache-2.0
"""The memory of the viewer's page over ten minutes, in Chromium, with eight more clients.

The racetrack runs at real time with a viewer at 30 Hz. A headless Chromium draws its page, and
eight clients of the browser's protocol receive every frame in processes of their own. Twice a
minute the page collects its garbage; its JavaScript heap, the memory of the renderer's process and
that of the task are noted. Chromium and its driver must be installed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from report import write
from selenium import webdriver

from deepsim import load_task
from deepsim_viewer import EnvironmentViewer, Viewer

ROOT = Path(__file__).resolve().parents[1]
CLIENTS = 8
EVERY = 30.0  # [s] between two samples
WARM_UP = 60.0  # [s] in which the page builds its scene and its shaders
BARS = {
    "page, MB per minute": 0.1,
    "page, MB per minute of the second half": 0.1,
    "task, MB per minute": 0.1,
}
FLAGS = (
    "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-background-networking", "--window-size=800,450",
)  # fmt: skip


def main() -> int:
    """Measures, prints, and writes results/viewer_page.json."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    minutes = parser.parse_args().minutes
    task = load_task(ROOT / "examples" / "racetrack")
    with task.environment(0, 1) as environment:
        idle = {
            slot: np.zeros(space.shape, space.dtype)
            for slot, space in environment.action_space.items()
        }
        with EnvironmentViewer(environment, lambda _: idle, port=0, shadows=False) as viewer:
            samples: list[dict[str, float]] = []
            watcher = threading.Thread(target=watch, args=(viewer.viewer, minutes, samples))
            watcher.start()
            while watcher.is_alive():
                viewer.step()
            watcher.join()
    found: dict[str, Any] = {"minutes": minutes, "clients": CLIENTS, "bars": BARS}
    for name in ("page", "renderer", "task"):
        sizes = [sample[name] for sample in samples]
        times = [sample["minute"] for sample in samples]
        found[f"{name}, MB at first"], found[f"{name}, MB at last"] = sizes[0], sizes[-1]
        found[f"{name}, MB per minute"] = float(np.polyfit(times, sizes, 1)[0])
        half = len(times) // 2
        slope = float(np.polyfit(times[half:], sizes[half:], 1)[0])
        found[f"{name}, MB per minute of the second half"] = slope
    found["clients connected at last"] = samples[-1]["connected"]
    found["samples"] = samples
    write("viewer_page", found, "viser")
    return int(any(found[name] > bar for name, bar in BARS.items()))


def watch(viewer: Viewer, minutes: float, samples: list[dict[str, float]]) -> None:
    """Opens the page and the other clients, and samples memory until the time is over."""
    client = [sys.executable, str(ROOT / "benchmarks" / "viewer_client.py"), viewer.url]
    others = [subprocess.Popen(client, stdout=subprocess.DEVNULL) for _ in range(CLIENTS)]
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in FLAGS:
        options.add_argument(flag)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    try:
        driver.execute_cdp_cmd("Performance.enable", {})
        driver.get(viewer.url)
        time.sleep(WARM_UP)
        start = time.monotonic()
        while (passed := time.monotonic() - start) <= 60.0 * minutes:
            connected = float(viewer.clients)
            samples.append({"minute": passed / 60.0, "connected": connected, **memory(driver)})
            time.sleep(EVERY)
    finally:
        driver.quit()
        for other in others:
            other.kill()
            other.wait()


def memory(driver: Any) -> dict[str, float]:
    """Returns the heap of the page after its garbage is collected, and what processes hold [MB]."""
    driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    (heap,) = [each["value"] for each in metrics if each["name"] == "JSHeapUsedSize"]
    chromium = psutil.Process(driver.service.process.pid).children(recursive=True)
    renderers = [each for each in chromium if "--type=renderer" in each.cmdline()]
    return {
        "page": heap / 1e6,
        "renderer": sum(each.memory_info().rss for each in renderers) / 1e6,
        "task": psutil.Process().memory_info().rss / 1e6,
    }


if __name__ == "__main__":
    sys.exit(main())
