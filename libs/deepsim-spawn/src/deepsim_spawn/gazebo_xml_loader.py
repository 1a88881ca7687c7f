# SPDX-License-Identifier: Apache-2.0
"""The loader of SDF, URDF and xacro."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from .description.model import ModelDescription
from .description.world import WorldDescription
from .errors import ModelFormatError, ModelFormatWarning
from .sdf.include import model_file
from .sdf.model import HARMLESS, read_sdf
from .search_path import SearchPath
from .urdf.robot import read_urdf
from .xml.document import Document, Load, is_xml, parse, read_bytes, without_declaration
from .xml.element import Element

_TEXT = "<string>"
"""The file name of XML that is given as text."""

_NO_ARGUMENTS: Mapping[str, str] = MappingProxyType({})
_READERS = {"sdf": read_sdf, "robot": read_urdf}


class GazeboXMLLoader:
    """Reads SDF, URDF and xacro into descriptions.

    An `UnsupportedElementWarning` reports elements that a description cannot represent, and a
    `ModelFormatWarning` reports repairs; each is issued once per kind and load.

    Args:
        search_path: A search path, or folders, in which ``model://``, ``package://`` and
            ``file://`` URIs are looked up. None searches the folders of the environment alone.
        strict: Whether to refuse malformed input that other tools accept, instead of repairing it.
        skip_missing_collisions: Whether to leave out a collision whose mesh is not found, with a
            warning, instead of raising an error. Visuals are left out in this case unless `strict`.
        xacro: Whether XML given as text may be xacro, as files with the suffix ``.xacro`` are. It
            evaluates Python expressions: only load xacro that you trust.

    Attributes:
        search_path: The search path.

    >>> loader = GazeboXMLLoader()
    >>> loader.load_model("<robot name='dot'><link name='base'/></robot>").links[0].name
    'base'
    """

    def __init__(
        self,
        search_path: SearchPath | str | Path | Iterable[str | Path] | None = None,
        *,
        strict: bool = False,
        skip_missing_collisions: bool = False,
        xacro: bool = False,
    ) -> None:
        self.search_path = SearchPath.of(search_path)
        self._strict = strict
        self._skip_missing_collisions = skip_missing_collisions
        self._xacro = xacro

    def load(
        self, source: str | Path, arguments: Mapping[str, str] = _NO_ARGUMENTS
    ) -> ModelDescription | WorldDescription:
        """Returns the model or world of a source.

        Args:
            source: A file of SDF, URDF or (suffix ``.xacro``) xacro; the folder of a model, whose
                `model.config` names the file; a ``model://`` or ``package://`` URI of either; or
                XML as text, which starts with ``<``.
            arguments: Values of the ``<xacro:arg>`` elements.

        Raises:
            ModelFormatError: The source cannot be read; the error has the file and line if they are
                known.
        """
        return self._load(source, arguments)

    def load_model(
        self, source: str | Path, arguments: Mapping[str, str] = _NO_ARGUMENTS
    ) -> ModelDescription:
        """Returns the model of a source, or the only model of a world; see `load`.

        Raises:
            ModelFormatError: The source cannot be read, or holds a world of any other number of
                models.
        """
        description = self._load(source, arguments)
        if isinstance(description, ModelDescription):
            return description
        error = _unexpected(source, "a model", f"the world {description.name!r}; use load_world")
        if self._strict or len(description.models) != 1:
            raise error
        only = description.models[0]
        what = str(error).rpartition(";")[0]
        warnings.warn(f"{what}; its model {only.name!r} is read", ModelFormatWarning, stacklevel=2)
        return only

    def load_world(
        self, source: str | Path, arguments: Mapping[str, str] = _NO_ARGUMENTS
    ) -> WorldDescription:
        """Returns the world of a source; see `load`.

        Raises:
            ModelFormatError: The source cannot be read, or holds a model.
        """
        description = self._load(source, arguments)
        if isinstance(description, ModelDescription):
            raise _unexpected(source, "a world", f"the model {description.name!r}; use load_model")
        return description

    def _load(
        self, source: str | Path, arguments: Mapping[str, str]
    ) -> ModelDescription | WorldDescription:
        load = Load(self.search_path, self._strict, self._skip_missing_collisions)
        root = self._open(source, arguments, load)
        load.roots.append(root)
        if root.tag not in _READERS:
            other = "; use MjcfModel for MJCF" if root.tag == "mujoco" else ""
            raise root.error(f"expected <sdf> or <robot>, got <{root.tag}>{other}")
        description = _READERS[root.tag](root)
        for document in load.roots:
            document.warn_of_unread(HARMLESS)
        load.findings.emit(stacklevel=3)
        return description

    def _open(self, source: str | Path, arguments: Mapping[str, str], load: Load) -> Element:
        """Returns the root element of a source."""
        if is_xml(source):
            label, path, text = _TEXT, None, without_declaration(str(source))
            declared = b"xmlns:xacro" in text  # also in what xacro made, which has no code left
            is_xacro = declared and self._xacro
            if declared and not self._xacro and (b"<xacro:" in text or b"${" in text):
                raise ModelFormatError(
                    "xacro, which is code, is only expanded in files with the suffix .xacro, "
                    "or in text by GazeboXMLLoader(xacro=True)",
                    file=label,
                )
        else:
            path = self._locate(source, load)
            label, text = str(path), read_bytes(path)
            is_xacro = path.suffix == ".xacro"
        if is_xacro:
            from .xacro_text import expand_xacro  # noqa: PLC0415 (xacro takes a while to import)

            expanded = expand_xacro(text, label, path, arguments, load)
            return parse(expanded, Document(f"{label} (expanded by xacro)", path, load))
        if arguments:
            raise ModelFormatError(
                f"only xacro takes arguments, got {', '.join(arguments)}", file=label
            )
        return parse(text, Document(label, path, load))

    def _locate(self, source: str | Path, load: Load) -> Path:
        """Returns the file of a source that is a path or URI."""
        try:
            if "://" in str(source):
                path = self.search_path.find(str(source))
            else:
                path = Path(source).resolve(strict=True)
        except (OSError, RuntimeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error  # which need not name the file twice
            raise ModelFormatError(f"cannot be opened: {reason}", file=str(source)) from error
        return model_file(path, load) if path.is_dir() else path


def _unexpected(source: str | Path, expected: str, got: str) -> ModelFormatError:
    file = _TEXT if is_xml(source) else str(source)
    return ModelFormatError(f"expected {expected}, got {got}", file=file)
