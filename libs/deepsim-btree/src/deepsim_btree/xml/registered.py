# SPDX-License-Identifier: Apache-2.0
"""Types of nodes that the user registers: node classes, function leaves, and partials of them."""

from __future__ import annotations

import inspect
import re
import types
import typing
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Union

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard.key import Key
from deepsim_btree.leaves.function import Action, Check, FunctionLeaf
from deepsim_btree.leaves.ports import Port, PortLeaf
from deepsim_btree.leaves.routine import Routine
from deepsim_btree.parent import Parent
from deepsim_btree.status import INVALID

from .node_type import MISSING, Attribute, NodeType
from .texts import Literal

if TYPE_CHECKING:
    Maker = Callable[..., Behaviour]
    # Any, since mypy infers `object` for a list of classes and partials.
    Nodes = Union[Mapping[str, Any], Iterable[Any]]

# Type hints that name no class, although some are classes in newer versions of Python.
_ANYTHING = (object, Any, Union, getattr(types, "UnionType", Union))
_TAG = re.compile(r"[^\W\d][\w.-]*")


def registered_types(nodes: Nodes) -> dict[str, NodeType]:
    """Returns the types of nodes by tag.

    Args:
        nodes: A mapping from tags to node classes, or node classes with their names as tags. A
            `functools.partial` of a class fixes arguments; elements have no attributes for these.

    Raises:
        TypeError: One of `nodes` is not a class of nodes.
        ValueError: A tag cannot be the name of an XML element.
    """
    makers: Any = nodes
    if not isinstance(nodes, Mapping):
        makers = {getattr(maker, "__name__", repr(maker)): maker for maker in nodes}
    return {tag: registered_type(tag, maker) for tag, maker in makers.items()}


def registered_type(tag: str, maker: Maker) -> NodeType:
    """Returns the type of the nodes that `maker` makes.

    Raises:
        TypeError: `maker` is not a class of nodes.
        ValueError: The tag cannot be the name of an XML element.
    """
    if not _TAG.fullmatch(tag):
        raise ValueError(f"{tag!r} cannot be a tag: register it in a mapping, under a word")
    cls: Any = maker
    while isinstance(cls, partial):
        cls = cls.func
    if not isinstance(cls, type) or not issubclass(cls, Behaviour):
        raise TypeError(
            f"{tag} must be a class of nodes, from @action for example, or a partial of one; "
            f"got {maker!r}"
        )
    if issubclass(cls, FunctionLeaf):
        return FunctionType(tag, cls, maker)
    return ClassType(tag, cls, maker)


class FunctionType(NodeType):
    """The tag for leaves of one function, whose attributes are the arguments of the function."""

    def __init__(self, tag: str, cls: type[FunctionLeaf], maker: Maker) -> None:
        args, given = _arguments(maker)
        if cls in (Action, Check, Routine):
            if not args:
                raise TypeError(f"{tag} lacks its function: partial({cls.__name__}, function)")
            self._function: Callable[..., Any] = args[0]
            args = args[1:]
            if "name" in inspect.signature(self._function).parameters:
                raise TypeError(
                    f"{tag}: {cls.__name__} takes a name for itself: use @action or @condition"
                )
        else:
            self._function = cls.function
        self._maker = maker
        self._signature = inspect.signature(self._function)
        self._fixed = self._signature.bind_partial(*args, **given).arguments
        attributes = _attributes(self._function, self._signature, set(self._fixed), is_called=True)
        super().__init__(tag, cls, attributes)

    def build(self, values: dict[str, Any], children: list[Behaviour]) -> Behaviour:
        """Returns a new node with children and with attribute values by attribute name."""
        return self._maker(**values)

    def fits(self, node: Behaviour) -> bool:
        """Returns whether a node can be written with this tag."""
        if not isinstance(node, FunctionLeaf) or type(node) is not self.cls:
            return False
        if node.function != self._function:
            return False
        its = self._bound(node)
        return all(name in its and _same(its[name], value) for name, value in self._fixed.items())

    def values(self, node: Behaviour) -> dict[str, Any]:
        """Returns the attribute values of a node by attribute name."""
        bound = self._bound(node)
        lost = set(bound) - set(self.attributes) - set(self._fixed)
        if lost:
            raise AttributeError(f"{lost.pop()} is given by position only, or one of any number")
        return {name: bound[name] for name in self.attributes if name in bound}

    def _bound(self, node: Any) -> dict[str, Any]:
        return dict(self._signature.bind_partial(*node.args, **node.kwargs).arguments)


class ClassType(NodeType):
    """The tag for a class of the user, whose attributes are its constructor arguments and ports."""

    def __init__(self, tag: str, cls: type[Behaviour], maker: Maker) -> None:
        args, given = _arguments(maker)
        self._maker = maker
        signature = inspect.signature(cls)
        self._fixed = {**signature.bind_partial(*args).arguments, **given}
        skipped = {"name", *self._fixed}
        if issubclass(cls, Parent):
            skipped |= {"child", "children"}
        attributes = list(_attributes(cls.__init__, signature, skipped))
        if issubclass(cls, PortLeaf):
            attributes += [
                Attribute(
                    name,
                    port.type,
                    _default(port),
                    takes_key=True,
                    direction=port.direction,
                    description=port.description,
                )
                for name, port in cls.ports.items()
                if name not in self._fixed
            ]
        super().__init__(tag, cls, attributes)

    def build(self, values: dict[str, Any], children: list[Behaviour]) -> Behaviour:
        """Returns a new node with children and with attribute values by attribute name.

        Raises:
            TypeError: The constructor wrote an attribute that belongs to the node itself.
        """
        try:
            node = self._maker(*self.arguments(children), **values)
        except AttributeError as error:  # such as a path, which has no setter
            taken = [name for name in values if hasattr(Behaviour, name)]
            advice = f": keep {taken[0]} in an attribute called _{taken[0]}" if taken else ""
            raise TypeError(f"{error}{advice}") from error
        if node.status is not INVALID:
            raise TypeError("its constructor must not write status: call that attribute _status")
        return node

    def fits(self, node: Behaviour) -> bool:
        """Returns whether a node can be written with this tag."""
        return type(node) is self.cls and all(
            _same(_read(node, name), value) for name, value in self._fixed.items()
        )

    def values(self, node: Behaviour) -> dict[str, Any]:
        """Returns the attribute values of a node by attribute name."""
        if isinstance(node, PortLeaf):
            connected = node.connections
            ports = type(node).ports
            own = {name: _read(node, name) for name in self.attributes if name not in ports}
            return {**own, **{n: v for n, v in connected.items() if n in self.attributes}}
        return {name: _read(node, name) for name in self.attributes}


def _arguments(maker: Maker) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the positional and the named arguments of a partial; none for a class."""
    if isinstance(maker, partial):
        return maker.args, dict(maker.keywords)  # nested partials are flattened by Python
    return (), {}


def _attributes(
    function: Any, signature: inspect.Signature, skipped: set[str], *, is_called: bool = False
) -> Iterable[Attribute]:
    """Yields an attribute for each parameter that accepts a keyword argument.

    Entries of the blackboard go to a function that is called at each tick, and to arguments of a
    constructor that are annotated with `Key`.
    """
    classes = _classes(function)
    for name, parameter in signature.parameters.items():
        if name in skipped or parameter.kind not in (
            parameter.POSITIONAL_OR_KEYWORD,
            parameter.KEYWORD_ONLY,
        ):
            continue
        default = MISSING if parameter.default is parameter.empty else parameter.default
        if name == "ID":
            raise TypeError("ID is taken in XML: give that argument another name")
        guessed = Literal if default is MISSING or default is None else type(default)
        class_, takes_key = classes.get(name, (guessed, False))
        yield Attribute(name, class_, default, takes_key=takes_key or is_called)


def _classes(function: Any) -> dict[str, tuple[type, bool]]:
    """Returns the classes that parameters are annotated with, and whether `Key` is one of them."""
    classes = {}
    names = getattr(inspect.unwrap(function), "__globals__", None)
    for name, annotation in getattr(function, "__annotations__", {}).items():
        only = types.SimpleNamespace(__annotations__={name: annotation})
        try:
            hint = typing.get_type_hints(only, names)[name]
        except (NameError, TypeError, AttributeError):  # only for type checkers, or too new
            continue
        # Of X | None | Key take the X: None is the absence of the attribute.
        choices = [one for one in typing.get_args(hint) if one not in (type(None), Key)]
        is_union = typing.get_origin(hint) in _ANYTHING
        chosen = choices[0] if len(choices) == 1 and is_union else hint
        chosen = typing.get_origin(chosen) or chosen  # list for list[int]
        is_class = isinstance(chosen, type) and chosen not in _ANYTHING
        classes[name] = (chosen if is_class else Literal, Key in (hint, *typing.get_args(hint)))
    return classes


def _default(port: Port[Any]) -> Any:
    if port.has_default:
        return port.default
    return None if port.direction == "output" else MISSING


def _read(node: Behaviour, argument: str) -> Any:
    if isinstance(node, PortLeaf) and argument in type(node).ports:
        return node.connections.get(argument, MISSING)
    if hasattr(Behaviour, argument):  # the node's own, which is not that argument
        return getattr(node, f"_{argument}")
    return getattr(node, argument)


def _same(one: object, other: object) -> bool:
    # Objects without a hash, such as lists, are the same only if they are identical.
    return one is other or (type(one).__hash__ is not None and bool(one == other))
