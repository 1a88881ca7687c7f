#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints where all models are, as often as asked, from the tables in shared memory.

    rosrun gazebo_batch_state follow_table.py 10

It asks for the file once for each generation of entities; after that no message is exchanged. The
layout is declared in gazebo_batch_state/shared_table.hpp. Runs on the host of gzserver and as its
user. `deepsim-gazebo` from PyPI has a complete client, which needs no ROS.
"""

import fcntl
import mmap
import os
import struct
import sys
import time

import numpy as np
import rospy
from gazebo_batch_state_msgs.srv import GetNames, OpenSharedMemory

VERSION = 5
PERIOD = 0.05  # [s]
MODELS, WIDTH = 0, 13  # the table of models; x y z qx qy qz qw, linear and angular velocity
SPACE = "/gazebo_batch_state/"

# magic, version, header size, size, stride, buffers, wanted, boot, generation, latest, obsolete,
# rows of each table
HEADER = struct.Struct("=QIIQQIIQQIIIIIII")
WANTED_AT, LATEST_AT = 36, 56
# sequence, generation, iterations, seconds, nanoseconds, timestep, offset of each table, filled,
# end of validity
BUFFER = struct.Struct("=QQQIIdQQQQQQQ")


class TableFile:
    """A mapped file; it is valid as long as models and all else in the world are the same."""

    def __init__(self, announced):
        if announced.version != VERSION:
            raise RuntimeError(f"layout {announced.version} is unknown, expected {VERSION}")
        self.file = os.open(announced.path, os.O_RDWR)
        fcntl.flock(self.file, fcntl.LOCK_SH)  # shows the server that the file is in use
        self.memory = mmap.mmap(self.file, announced.size)
        header = HEADER.unpack_from(self.memory)
        self.start, self.stride, self.generation, self.rows = (header[i] for i in (2, 4, 8, 11))
        (wanted,) = struct.unpack_from("=I", self.memory, WANTED_AT)
        struct.pack_into("=I", self.memory, WANTED_AT, wanted | 1 << MODELS)

    @property
    def obsolete(self):
        """Whether the server has replaced this file by another one."""
        return struct.unpack_from("=II", self.memory, LATEST_AT)[1] != 0

    def close(self):
        """Gives the file back to the server."""
        os.close(self.file)

    def read(self):
        """Returns the simulated time [s] and an (n, 13) array; None before the first write."""
        while True:
            latest, _ = struct.unpack_from("=II", self.memory, LATEST_AT)
            place = self.start + latest * self.stride
            sequence, _, _, seconds, nanoseconds, _, *offsets, filled, _ = BUFFER.unpack_from(
                self.memory, place
            )
            if sequence % 2:
                continue  # it is being written
            if not filled >> MODELS & 1:
                return None
            rows = np.frombuffer(
                self.memory, dtype="=f8", count=self.rows * WIDTH, offset=offsets[MODELS]
            ).copy()
            if struct.unpack_from("=Q", self.memory, place) == (sequence,):
                return seconds + 1e-9 * nanoseconds, rows.reshape(-1, WIDTH)


def follow(remaining):
    """Follows one generation of entities; returns how many prints remain."""
    ask = rospy.ServiceProxy(SPACE + "open_shared_memory", OpenSharedMemory)
    file = TableFile(ask(""))
    names = rospy.ServiceProxy(SPACE + "get_names", GetNames)(file.generation).models
    while remaining and not file.obsolete and not rospy.is_shutdown():
        read = file.read()
        if read is not None:
            now, rows = read
            for name, row in zip(names, rows):  # noqa: B905  # Python 3.8
                print(f"{now:.3f} {name} {row[0]:.6f} {row[1]:.6f} {row[2]:.6f}", flush=True)
            remaining -= 1
        else:  # the world stands still: to ask again has the server write what is wanted now
            ask("")
        time.sleep(PERIOD)
    file.close()
    return remaining


if __name__ == "__main__":
    rospy.init_node("follow_table", anonymous=True)
    rospy.wait_for_service(SPACE + "get_names")
    wanted = int(rospy.myargv()[1]) if len(rospy.myargv()) > 1 else 10
    while wanted and not rospy.is_shutdown():
        wanted = follow(wanted)
    sys.stdout.flush()
    os._exit(0)  # rospy of ROS Noetic prints an error as it ends on Python 3.9
