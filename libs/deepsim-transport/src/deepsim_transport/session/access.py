# SPDX-License-Identifier: Apache-2.0
"""The users of a master that other machines can reach, their rights, and why one is refused."""

from __future__ import annotations

import json
import os
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deepsim_sync.temporary_folders import temporary_folder
from deepsim_transport.errors import AccessError, NoAnswerError, TransportError

from .participants import TOKENS

CERTIFICATES = "DEEPSIM_CERTIFICATES"
USER = "DEEPSIM_USER"
PASSWORD = "DEEPSIM_PASSWORD"
_FILES = {
    "authority": "authority.pem",
    "certificate": "certificate.pem",
    "private_key": "private_key.pem",
}
_SHORTEST = 8
"""The least number of characters in a password."""
_PATIENCE = 1.0
"""Longest time for one step of the handshake in `refusal` [s]."""
_LOOKING = ("state", "ask")
"""Topics of requests that change nothing."""


@dataclass(frozen=True)
class Certificates:
    """The TLS files of a process; one authority issues the certificates of master and clients.

    Attributes:
        authority: Certificate of the authority that issued all certificates (PEM).
        certificate: The certificate of the process, followed by intermediate certificates (PEM).
            The certificate of a master names its host.
        private_key: The private key of the process (PEM).

    Raises:
        TransportError: A file does not exist.

    >>> Certificates.of_folder("nowhere")
    Traceback (most recent call last):
        ...
    deepsim_transport.errors.TransportError: authority must be a PEM file, and ... does not exist
    """

    authority: Path
    certificate: Path
    private_key: Path

    def __post_init__(self) -> None:
        for name in _FILES:
            path = Path(getattr(self, name))
            if not path.is_file():
                raise TransportError(f"{name} must be a PEM file, and {path} does not exist")
            object.__setattr__(self, name, path)

    @classmethod
    def of_folder(cls, folder: str | Path) -> Certificates:
        """Uses ``authority.pem``, ``certificate.pem`` and ``private_key.pem`` in a folder."""
        return cls(**{name: Path(folder) / file for name, file in _FILES.items()})


@dataclass(frozen=True)
class Credentials:
    """The user, password and certificates with which a process connects to a secured master.

    A master is secured if it has an `Access`.

    Attributes:
        certificates: The files for TLS.
        user: One of the users of the master.
        password: The user's password.

    >>> Credentials.of_environment() is None  # none of DEEPSIM_CERTIFICATES and so on is set
    True

    Given explicitly::

        credentials = Credentials(Certificates.of_folder("certificates"), "ada", "correct horse")
        Transport("physics.example.org", credentials=credentials)
    """

    certificates: Certificates
    user: str
    password: str = field(repr=False)

    @classmethod
    def of_environment(cls) -> Credentials | None:
        """Reads the credentials from environment variables; returns None if none is set.

        ``DEEPSIM_CERTIFICATES`` names the folder for `Certificates.of_folder`; ``DEEPSIM_USER`` and
        ``DEEPSIM_PASSWORD`` hold user and password.

        Raises:
            TransportError: Some of the variables are set, but not all, or a file does not exist.
        """
        given = {name: os.environ.get(name, "") for name in (CERTIFICATES, USER, PASSWORD)}
        if not any(given.values()):
            return None
        if missing := [name for name, value in given.items() if not value]:
            raise TransportError(f"the credentials of a master need {' and '.join(missing)} too")
        return cls(Certificates.of_folder(given[CERTIFICATES]), given[USER], given[PASSWORD])

    def settings(self) -> dict[str, Any]:
        """Returns zenoh's settings for a client."""
        tls = "transport/link/tls"
        return {
            f"{tls}/enable_mtls": True,
            f"{tls}/root_ca_certificate": str(self.certificates.authority),
            f"{tls}/connect_certificate": str(self.certificates.certificate),
            f"{tls}/connect_private_key": str(self.certificates.private_key),
            "transport/auth/usrpwd/user": self.user,
            "transport/auth/usrpwd/password": self.password,
        }


@dataclass(frozen=True)
class Access:
    """The users of a master, who connect over TLS with a certificate and a password.

    Attributes:
        certificates: The files for TLS.
        operators: Passwords by name, for users who may publish, request and command everything,
            such as physics and sensors.
        viewers: Passwords by name, for users who may subscribe to all topics and request states,
            but change nothing.

    Raises:
        TransportError: A name or password cannot be used, or `operators` is empty.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for file in ("authority.pem", "certificate.pem", "private_key.pem"):
    ...         Path(folder, file).touch()
    ...     access = Access(Certificates.of_folder(folder), operators={"ada": "correct horse"})
    >>> access.viewers  # Master("0.0.0.0", access=access) then lets in ada, who may do everything
    {}
    """

    certificates: Certificates
    operators: Mapping[str, str] = field(repr=False)
    viewers: Mapping[str, str] = field(repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        if not self.operators:
            raise TransportError("a master needs an operator: nobody else may publish")
        if both := self.operators.keys() & self.viewers.keys():
            raise TransportError(f"{sorted(both)} are operators and viewers at once")
        for name, password in (*self.operators.items(), *self.viewers.items()):
            if not name.isidentifier():
                raise TransportError(f"a user's name has letters, digits and _ only: {name!r}")
            if len(password) < _SHORTEST or not password.isprintable() or ":" in password:
                raise TransportError(
                    f"the password of {name!r} must have {_SHORTEST} printable characters or more, "
                    "and no colon"
                )

    @classmethod
    def of_files(cls, certificates: str | Path, users: str | Path) -> Access:
        """Reads an `Access` from files.

        Args:
            certificates: A folder, see `Certificates.of_folder`.
            users: JSON such as ``{"operators": {"ada": "correct horse"}, "viewers": {}}``.

        Raises:
            TransportError: A file does not exist, or is not in the expected format.
        """
        try:
            found = json.loads(Path(users).read_text(encoding="utf-8"))
            groups = {name: dict(found.pop(name, {})) for name in ("operators", "viewers")}
            words = [word for group in groups.values() for word in group.values()]
            if found or not all(isinstance(word, str) for word in words):
                raise ValueError("it has other things than names and passwords")
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise TransportError(
                f'{users} must be like {{"operators": {{"NAME": "PASSWORD"}}, "viewers": {{}}}}: '
                f"{error}"
            ) from None
        return cls(Certificates.of_folder(certificates), **groups)

    @contextmanager
    def settings(self) -> Iterator[dict[str, Any]]:
        """Yields zenoh's settings for a master; removes the temporary password file afterwards."""
        tls = "transport/link/tls"
        with temporary_folder("deepsim-transport-") as folder:  # only this user may read it
            users = folder / "users"
            everybody = (*self.operators.items(), *self.viewers.items())
            users.write_text("".join(f"{name}:{word}\n" for name, word in everybody), "utf-8")
            yield {
                f"{tls}/enable_mtls": True,
                f"{tls}/root_ca_certificate": str(self.certificates.authority),
                f"{tls}/listen_certificate": str(self.certificates.certificate),
                f"{tls}/listen_private_key": str(self.certificates.private_key),
                "transport/auth/usrpwd/dictionary_file": str(users),
                "access_control": self._rules(),
            }

    def _rules(self) -> dict[str, Any]:
        """Returns zenoh's access rules: the rights of operators and viewers at the master."""
        heard, asked = "gazebo/**", [f"gazebo/*/{topic}" for topic in _LOOKING]
        listed, listening = f"{TOKENS}/**", f"{TOKENS}/subscriber/**"
        allowed = {
            "command": (["ingress", "egress"], _ALL, ["**"]),
            "listen": (["ingress"], ["declare_subscriber"], [heard]),
            "hear": (["egress"], ["put", "delete"], [heard]),
            "ask": (["ingress"], ["query"], asked),
            "answer": (["egress"], ["reply"], asked),
            "be listed": (["ingress"], ["liveliness_token"], [listening]),
            "list": (["ingress"], ["liveliness_query"], [listed]),
            "see": (["egress"], ["liveliness_token"], [listed]),
        }
        parts = ("flows", "messages", "key_exprs")
        rules = [
            {"id": name, "permission": "allow", **dict(zip(parts, each, strict=True))}
            for name, each in allowed.items()
        ]
        groups = {
            "operators": ["command"],
            "viewers": [name for name in allowed if name != "command"],
        }
        users = {"operators": self.operators, "viewers": self.viewers}
        chosen = {name: [*names] for name, names in users.items() if names}
        return {
            "enabled": True,
            "default_permission": "deny",
            "rules": rules,
            "subjects": [{"id": name, "usernames": names} for name, names in chosen.items()],
            "policies": [{"rules": groups[name], "subjects": [name]} for name in chosen],
        }


_ALL = [
    "put", "delete", "declare_subscriber", "query", "declare_queryable", "reply",
    "liveliness_token", "liveliness_query", "declare_liveliness_subscriber",
]  # fmt: skip


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
