# SPDX-License-Identifier: Apache-2.0
"""Finds out why a master refuses a session, which zenoh does not report."""

from __future__ import annotations

import socket
import ssl

from deepsim_transport.errors import AccessError, NoAnswerError, TransportError

from .access import CERTIFICATES, Credentials

_PATIENCE = 1.0
"""Longest time for one step of the handshake [s]."""


def refusal(host: str, port: int, credentials: Credentials | None) -> TransportError:
    """Returns an error that says why a session could not be opened.

    The steps of a connection are repeated in turn: the port, TLS, both certificates. If none of
    them fails, the user or the password was refused.
    """
    where = f"{host}:{port}"
    nobody = NoAnswerError(f"no master answers at {where}: start one by `deepsim master`")
    try:
        with socket.create_connection((host, port), _PATIENCE) as plain:
            if credentials is None:
                return _wants_credentials(plain, where) or nobody
            return _refused(plain, host, where, credentials)
    except OSError:  # nothing listens there, or it hangs
        return nobody


def _wants_credentials(plain: socket.socket, where: str) -> TransportError | None:
    """Returns an error if a master requires TLS and a user, else None."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # nothing is sent
    try:
        context.wrap_socket(plain).close()
    except ssl.SSLError as error:
        if "ALERT" not in str(error.reason):
            return None
    return AccessError(
        f"the master at {where} wants TLS and a user: give credentials, or set {CERTIFICATES}, "
        "DEEPSIM_USER and DEEPSIM_PASSWORD"
    )


def _refused(
    plain: socket.socket, host: str, where: str, credentials: Credentials
) -> TransportError:
    files = credentials.certificates
    context = ssl.create_default_context(cafile=str(files.authority))
    try:
        context.load_cert_chain(files.certificate, files.private_key)
    except ssl.SSLError as error:
        return AccessError(
            f"{files.certificate} and {files.private_key} are no certificate with its key: "
            f"{error.reason}"
        )
    try:
        safe = context.wrap_socket(plain, server_hostname=host)
    except TimeoutError:
        return AccessError(
            f"the master at {where} does not answer by TLS: it has no access, or hangs"
        )
    except ssl.SSLCertVerificationError as error:
        return AccessError(
            f"the certificate of the master at {where} is not trusted by {files.authority}: "
            f"{error.verify_message}"
        )
    except ssl.SSLError as error:
        return _refused_certificate(where, credentials, error)
    try:
        with safe:
            safe.recv(1)  # with TLS 1.3 a certificate is refused after the handshake
    except TimeoutError:
        pass  # the master accepted TLS, and waits for zenoh's first message
    except ssl.SSLError as error:
        return _refused_certificate(where, credentials, error)
    return AccessError(
        f"the master at {where} refuses the user {credentials.user!r}: unknown, or a wrong password"
    )


def _refused_certificate(
    where: str, credentials: Credentials, error: ssl.SSLError
) -> TransportError:
    file = credentials.certificates.certificate
    return AccessError(f"the master at {where} refuses TLS with {file}: {error.reason}")
