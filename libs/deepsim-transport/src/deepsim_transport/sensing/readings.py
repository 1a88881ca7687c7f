# SPDX-License-Identifier: Apache-2.0
"""Receives the latest measurement of a sensor in another process."""

from __future__ import annotations

from collections import deque
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import Reading
from deepsim_transport.errors import MessageError
from deepsim_transport.rows import unpack
from deepsim_transport.session import Transport


def sensor_topic(sensor: str) -> str:
    """Returns the topic of a sensor with the name ``model::link::sensor``."""
    return f"sensors/{sensor.replace('::', '/')}"


class Readings:
    """Receives the measurements of one sensor from a `SensorServer`; only the latest is kept.

    Args:
        transport: The session; its namespace is the name of the world.
        sensor: The sensor's name, ``model::link::sensor``.

    Attributes:
        malformed: The number of measurements that could not be read and were dropped.

    >>> with Transport(namespace="lab") as transport:  # needs a master
    ...     with Readings(transport, "car::chassis::lidar") as readings:
    ...         readings.latest() is None  # nobody has measured yet
    True
    """

    def __init__(self, transport: Transport, sensor: str) -> None:
        self.malformed = 0
        self._waiting: deque[bytes] = deque(maxlen=1)
        self._subscriber = transport.declare(
            "subscriber",
            sensor_topic(sensor),
            lambda sample: self._waiting.append(sample.payload.to_bytes()),
        )

    def latest(self) -> tuple[NDArray[np.float64], Reading] | None:
        """Returns simulated times (W,) [s] and quantities of a new measurement, or None."""
        try:
            frame = unpack(self._waiting.popleft())
            arrays = {name: each.copy() for name, each in frame.arrays.items()}
            return arrays.pop("time"), arrays
        except IndexError:
            return None
        except (MessageError, KeyError):
            self.malformed += 1
            return None

    def close(self) -> None:
        """Stops listening."""
        self._subscriber.undeclare()

    def __enter__(self) -> Readings:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
