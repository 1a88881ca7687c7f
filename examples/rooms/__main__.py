# SPDX-License-Identifier: Apache-2.0
"""Three rooms, four robots that drive and one arm: ``python examples/rooms [--film rooms.webp]``.

Doors open and lamps shine by scripts of their own, while a robot is near.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from house import DOORS, ROOMS, house
from robots import Courier, Picker
from scripts import Door, Lamp

from deepsim import CameraView, MujocoSimulator, Pose, World
from deepsim_math import Euler
from deepsim_train.film import Film

VIEW = CameraView(Pose((0.0, -5.0, 7.0), Euler(0, 0.93, 1.5708)), 1.25, 640, 240)
RATE = 50  # ticks in a second


def main() -> None:
    """Runs the house, and prints what happened in it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30.0, help="simulated time")
    parser.add_argument("--serve", metavar="NAMESPACE", help="serve it to `deepsim view --connect`")
    parser.add_argument("--film", type=Path, help="write a film of it: .webp, .gif or .mp4")
    options = parser.parse_args()

    with World(MujocoSimulator(house()), steps_per_tick=10) as world:
        couriers = [Courier(f"courier_{number}", 2 * number, world) for number in range(4)]
        names = [courier.name for courier in couriers]
        picker = Picker("arm", world)
        doors = [Door(name, names) for name in DOORS]
        lamps = [Lamp(room, names) for room in ROOMS]

        if options.serve:
            from deepsim_transport import PhysicsServer, Transport  # noqa: PLC0415 (of an extra)

            with Transport(namespace=options.serve) as transport:
                PhysicsServer(world, transport, speed=1.0).run()

        film = Film(world, VIEW, options.film, fps=12) if options.film else None
        spent = 0.0
        for _ in range(round(options.seconds * RATE)):
            if film:
                film.shoot()
            start = time.process_time()
            world.tick()
            spent += time.process_time() - start

        if film:
            film.write()

    for courier in couriers:
        print(f"{courier.name} passed {courier.corners} corners")
    for door in doors:
        print(f"{door.name} opened {door.opened} times")
    for lamp in lamps:
        print(f"{lamp.name} {'shines' if lamp.occupied else 'is dark'}")
    print(f"the arm moved the cup {picker.moved} times in {picker.tries} tries")
    print(f"{options.seconds / spent:.1f} times real time on one core")


if __name__ == "__main__":
    main()
