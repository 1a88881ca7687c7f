# SPDX-License-Identifier: Apache-2.0
"""Typed ports: inputs and outputs of a leaf, declared in its class and connected from outside."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Mapping,
    Type,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    overload,
)

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import NOTHING, Key
from deepsim_btree.errors import StructureError

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")
_Type = Type[T]  # inside of a Port `type` is an attribute


class Port(Generic[T]):
    """Base of `Input`, `Output` and `InOut`.

    Attributes:
        type: Class of the values, such as list for ``list[int]``. For a union it is the only class
            besides None, or object if there are several. Ints are accepted as floats.
        default: Value of an input that is not connected.
        has_default: Whether the port has a default.
        description: Text for users, and for editors of XML files.
        name: Name of the port: that of the class attribute that holds it, unless another one is
            given.
    """

    direction: ClassVar[str]

    @overload
    def __init__(
        self, type: type[T], *, default: T = ..., description: str = ..., name: str = ...
    ) -> None: ...

    @overload  # for unions such as int | None
    def __init__(
        self: Port[Any],
        type: types.UnionType,
        *,
        default: Any = ...,
        description: str = ...,
        name: str = ...,
    ) -> None: ...

    def __init__(
        self, type: Any, *, default: Any = NOTHING, description: str = "", name: str = ""
    ) -> None:
        self._classes = _classes(type)
        some = [cls for cls in self._classes if cls is not _NONE]
        only: Any = some[0] if len(some) == 1 else object
        self.type: _Type[T] = only
        self.type_name = type.__name__ if self._classes == (type,) else str(type)
        self.has_default = default is not NOTHING
        self.default = default
        self.description = description
        self.name = name

    def __set_name__(self, owner: _Type[Any], name: str) -> None:
        self.name = self.name or name

    def check(self, node: Behaviour, value: object) -> T:
        """Returns `value`, which must have the port's type.

        Raises:
            TypeError: `value` has a different type.
        """
        if isinstance(value, self._classes) or (float in self._classes and isinstance(value, int)):
            return cast("T", value)
        raise TypeError(f"port {self.name} of {node.path} takes {self.type_name}, got {value!r}")

    def connection(self, node: PortLeaf) -> object:
        """Returns the `key` or value that the port of `node` is connected to, or its default.

        Raises:
            StructureError: The port has neither a connection nor a default.
        """
        connected = node._connections.get(self.name, self.default)
        if connected is NOTHING:
            raise StructureError(
                f"port {self.name} of {node.path} is not connected and has no default"
            )
        return connected


_NONE = type(None)


def _classes(type_: Any) -> tuple[Any, ...]:
    """Returns the classes of the values of a port, or raises TypeError."""
    origin = get_origin(type_)
    if origin is Union or origin is getattr(types, "UnionType", Union):
        return tuple(cls for choice in get_args(type_) for cls in _classes(choice))
    type_ = _NONE if type_ is None else origin or type_
    if not isinstance(type_, type):
        raise TypeError(f"the type of a port must be a class, got {type_!r}")
    return (type_,)


class Input(Port[T]):
    """A port that a `PortLeaf` reads: ``speed = Input(float, default=1.0)``, then ``self.speed``.

    >>> class IsFast(PortLeaf):
    ...     speed = Input(float, default=1.0)
    ...     def update(self):
    ...         return Status.SUCCESS if self.speed > 2.0 else Status.FAILURE
    >>> Tree(IsFast(speed=3.0)).tick().name
    'SUCCESS'

    Args:
        type: Class of the values, or a union such as ``float | None``. Type checkers take the value
            of a union for Any unless the port is annotated: ``x: Input[float | None] = ...``.
        default: Value if nothing is connected; without it a connection is required.
        description: Text for users, and for editors of XML files.
        name: Name of the port, if it is not that of the attribute.

    Raises:
        TypeError: `type` is neither a class nor a union of classes.
    """

    direction = "input"

    @overload
    def __get__(self, instance: None, owner: _Type[Any]) -> Self: ...

    @overload
    def __get__(self, instance: PortLeaf, owner: _Type[Any]) -> T: ...

    def __get__(self, instance: PortLeaf | None, owner: _Type[Any]) -> Self | T:
        try:
            entry = instance._known.found[self]  # type: ignore[union-attr]
        except (KeyError, AttributeError):  # not connected by a key, or not found yet
            if instance is None:
                return self
            value = self._find(instance)
        else:
            value = entry.value
            if value is NOTHING:
                value = entry.inherited()
        return value if value.__class__ is self.type else self._converted(instance, value)  # type: ignore[arg-type]

    def _converted(self, node: PortLeaf, value: object) -> T:
        connected = node._connections.get(self.name)
        if isinstance(connected, Key):
            value = connected.converted(value)
        return self.check(node, value)

    def _find(self, node: PortLeaf) -> Any:
        connected = self.connection(node)
        if isinstance(connected, Key):
            node._known.found[self] = entry = connected.entry(node)  # type: ignore[union-attr]
            return entry.inherited() if entry.value is NOTHING else entry.value
        if self.direction == "input" and node._find_tree() is not None:
            known = node._known or node._find_known()
            known.found[self] = known.constant(connected)
        return connected

    def __set__(self, instance: PortLeaf, value: T) -> None:
        raise AttributeError(
            f"{self.name} of {instance.path} is an input: declare it InOut to write it"
        )


class Writable(Port[T]):
    """Base of `Output` and `InOut`."""

    def __set__(self, instance: PortLeaf, value: T) -> None:
        if value.__class__ is not self.type:
            self.check(instance, value)
        try:
            entry = instance._known.found[self]  # type: ignore[union-attr]
        except (KeyError, AttributeError):  # not connected, or not found yet
            self._write_first(instance, value)
        else:
            entry.value = value
            entry.writes += 1

    def _write_first(self, node: PortLeaf, value: T) -> None:
        connected = node._connections.get(self.name)
        if isinstance(connected, Key):
            connected.write(node, value)
            node._known.found[self] = connected.entry(node)  # type: ignore[union-attr]
        elif self.direction == "inout":
            raise StructureError(
                f'port {self.name} of {node.path} cannot be written: connect it by key("...")'
            )


class Output(Writable[T]):
    """A port that a `PortLeaf` writes by assignment: ``left = Output(float)``, ``self.left = 2.0``.

    A value that is written to a port without a connection is dropped.

    >>> class Measure(PortLeaf):
    ...     left = Output(float)
    ...     def update(self):
    ...         self.left = 1.5
    ...         return Status.SUCCESS
    >>> tree = Tree(Measure(left=key("distance")))
    >>> tree.tick().name, tree.blackboard["distance"]
    ('SUCCESS', 1.5)

    The arguments are those of `Input`, but there is no default.
    """

    direction = "output"

    @overload
    def __init__(self, type: type[T], *, description: str = ..., name: str = ...) -> None: ...

    @overload
    def __init__(
        self: Output[Any], type: types.UnionType, *, description: str = ..., name: str = ...
    ) -> None: ...

    def __init__(self, type: Any, *, description: str = "", name: str = "") -> None:
        super().__init__(type, description=description, name=name)

    @overload
    def __get__(self, instance: None, owner: _Type[Any]) -> Self: ...

    @overload
    def __get__(self, instance: PortLeaf, owner: _Type[Any]) -> T: ...

    def __get__(self, instance: PortLeaf | None, owner: _Type[Any]) -> Self | T:
        if instance is None:
            return self
        raise AttributeError(
            f"{self.name} of {instance.path} is an output: declare it InOut to read it"
        )


class InOut(Writable[T], Input[T]):
    """A port that a `PortLeaf` both reads and writes.

    >>> class Count(PortLeaf):
    ...     number = InOut(int)
    ...     def update(self):
    ...         self.number += 1
    ...         return Status.SUCCESS
    >>> tree = Tree(Count(number=key("laps")), blackboard={"laps": 2})
    >>> tree.tick().name, tree.blackboard["laps"]
    ('SUCCESS', 3)

    The arguments are those of `Input`.
    """

    direction = "inout"


class PortValues:
    """The values of a node's ports, as attributes; see `PortLeaf.ports`."""

    __slots__ = ("_node",)

    _node: PortLeaf

    def __init__(self, node: PortLeaf) -> None:
        object.__setattr__(self, "_node", node)

    def _port(self, name: str) -> Any:
        node = self._node
        try:
            return type(node).ports[name]
        except KeyError:
            known = ", ".join(type(node).ports) or "none"
            raise AttributeError(f"{node.path} has no port {name}; its ports: {known}") from None

    def __getattr__(self, name: str) -> Any:
        return self._port(name).__get__(self._node, type(self._node))

    def __setattr__(self, name: str, value: object) -> None:
        self._port(name).__set__(self._node, value)

    def __dir__(self) -> list[str]:
        return list(type(self._node).ports)


class _Ports:
    """The attribute `PortLeaf.ports`."""

    @overload
    def __get__(self, node: None, owner: type[PortLeaf]) -> Mapping[str, Port[Any]]: ...

    @overload
    def __get__(self, node: PortLeaf, owner: type[PortLeaf]) -> PortValues: ...

    def __get__(
        self, node: PortLeaf | None, owner: type[PortLeaf]
    ) -> Mapping[str, Port[Any]] | PortValues:
        return owner._all_ports if node is None else PortValues(node)


class PortLeaf(Behaviour):
    """A leaf with ports: declare them in a subclass, and override `update`.

    Every port is a keyword argument of the constructor: a value, or the `key` of an entry.

    >>> class Drive(PortLeaf):
    ...     speed = Input(float, default=1.0)
    ...     left = InOut(float)
    ...     def update(self):
    ...         self.left -= self.speed
    ...         return Status.RUNNING if self.left > 0 else Status.SUCCESS
    >>> tree = Tree(Drive(speed=2.0, left=key("distance")), blackboard={"distance": 3.0})
    >>> tree.tick().name, tree.blackboard["distance"]
    ('RUNNING', 1.0)

    A port can have any name but ID. Under `ports` a node has the values of all its ports, also of
    those called like an attribute of all nodes, which has precedence in the node itself:

    >>> class Follow(PortLeaf):
    ...     path = Input(list)
    ...     def update(self):
    ...         return Status.SUCCESS if self.ports.path else Status.FAILURE
    >>> follow = Follow(path=[(0, 1)])
    >>> follow.path, follow.ports.path
    ('Follow', [(0, 1)])

    Args:
        name: Name of the node; the class name if None. In a class with a port called ``name`` the
            argument is the connection of that port.
        **ports: Connections of the ports.

    Raises:
        TypeError: No such port exists, a value is of the wrong type, or an output is given a
            value rather than a key.
    """

    __slots__ = ("_connections",)

    ports: ClassVar[_Ports] = _Ports()
    """The ports of the class and its bases, by name; of a node, the values of its ports.

    >>> class Drive(PortLeaf):
    ...     speed = Input(float, default=1.0)
    >>> list(Drive.ports), Drive(speed=2.0).ports.speed
    (['speed'], 2.0)
    """

    _all_ports: ClassVar[Mapping[str, Port[Any]]] = {}
    # Ports whose attribute the class gave back, because all nodes have one of that name.
    _moved_ports: ClassVar[Mapping[str, Port[Any]]] = {}

    def __init_subclass__(cls) -> None:
        declared: dict[str, Port[Any]] = {}
        for base in reversed(cls.__mro__):
            for name, value in {**vars(base), **vars(base).get("_moved_ports", {})}.items():
                if isinstance(value, Port):
                    declared[name] = value
                else:
                    declared.pop(name, None)
        ports: dict[str, Port[Any]] = {}
        for port in declared.values():
            if port.name == "ID":
                raise TypeError(f"{cls.__name__} cannot have a port called ID: files use it")
            if ports.setdefault(port.name, port) is not port:
                raise TypeError(f"{cls.__name__} has two ports called {port.name}")
        cls._all_ports = ports
        cls._moved_ports = {name: port for name, port in declared.items() if name in _TAKEN}
        for name in cls._moved_ports:
            setattr(cls, name, _TAKEN[name])
        super().__init_subclass__()

    def __init__(self, name: str | None = None, **ports: object) -> None:
        known_ports = type(self).ports
        if "name" in known_ports:
            ports, name = (ports if name is None else {"name": name, **ports}), None
        super().__init__(name)
        self._connections: dict[str, object] = {}
        for port_name, connected in ports.items():
            port = known_ports.get(port_name)
            if port is None:
                known = ", ".join(known_ports) or "none"
                raise TypeError(f"{self.name} has no port {port_name}; its ports: {known}")
            if not isinstance(connected, Key):
                if port.direction == "output":
                    raise TypeError(
                        f"port {port_name} of {self.name} is an output and needs a key, "
                        f'such as key("{port_name}"), got {connected!r}'
                    )
                port.check(self, connected)
            self._connections[port_name] = connected

    @property
    def connections(self) -> dict[str, object]:
        """The connections of the ports, as given to the constructor; a copy."""
        return dict(self._connections)

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        for name, port in type(self).ports.items():
            required = port.direction != "output" and not port.has_default
            if required and name not in self._connections:
                yield f"port {name} is not connected and has no default"


_TAKEN = {name: value for base in reversed(PortLeaf.__mro__) for name, value in vars(base).items()}
"""What all nodes have, by name."""
