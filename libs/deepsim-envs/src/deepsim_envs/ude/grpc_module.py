# SPDX-License-Identifier: Apache-2.0
"""gRPC, or an error that says how to get it."""

try:
    import grpc
except ImportError as error:
    raise ImportError(
        "deepsim_envs.ude needs grpcio and protobuf: pip install 'deepsim-envs[ude]'"
    ) from error

__all__ = ["grpc"]
