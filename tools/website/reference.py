# SPDX-License-Identifier: Apache-2.0
"""The reference of the libraries: which names are public, and the pages that document them.

Nothing is listed by hand. The public names of a module are those of its `__all__`; the modules are
each library itself, the modules in its `__all__`, and those that a guide, a README or an example
names. Names that live in a folder of the library, which is one concept, share a page.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import griffe

from workspace import ROOT, UMBRELLA, read_libraries

_PROSE = (
    "README.md",
    "docs/**/*.md",
    "libs/*/README.md",
    "libs/*/docs/**/*.md",
    "examples/**/*.py",
)
_OPTIONS = "    options:\n      heading_level: 2\n"
_CLASS = re.compile(r"(?<![`\[\w])`([A-Z]\w+)`(?![`\]\w])")


@dataclass(frozen=True)
class PublicName:
    """A name that users may import from `module`, and the object that it stands for."""

    module: str
    name: str
    target: griffe.Object

    @property
    def path(self) -> str:
        """Where users import it from, `deepsim_sync.World`."""
        return f"{self.module}.{self.name}"

    @property
    def summary(self) -> str:
        """The first sentence of the docstring, or nothing."""
        if self.target.docstring is None:
            return ""
        paragraph = self.target.docstring.value.strip().split("\n\n")[0].replace("\n", " ")
        sentence = re.split(r"(?<=\.)\s", paragraph, maxsplit=1)[0]
        return re.sub(r":$", ".", sentence).replace("|", r"\|")

    def undocumented(self) -> Iterator[str]:
        """Yields names, and methods and properties, without a docstring, their own or inherited."""
        if not self.target.has_docstring:
            yield self.target.path
        if isinstance(self.target, griffe.Class):
            bases = self.target.mro()
            for name, member in self.target.members.items():
                if name.startswith("_") or member.is_alias or member.has_docstring:
                    continue
                if any(name in base.members and base[name].has_docstring for base in bases):
                    continue
                if member.is_function or "property" in member.labels:
                    yield member.path


@dataclass
class Page:
    """A page of the reference: a module, or the part of it that lives in one folder."""

    file: str
    title: str
    module: str
    names: list[PublicName] = field(default_factory=list)


class Reference:
    """The public names of all libraries of a workspace, read from their source without importing.

    Args:
        root: The workspace.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        found = read_libraries(root)
        self.libraries = {library.module: library for library in found.values()}
        loader = griffe.GriffeLoader(search_paths=[each.folder / "src" for each in found.values()])
        for module in self.libraries:
            loader.load(module)
        loader.resolve_aliases(external=False)
        self.collection = loader.modules_collection

    @cached_property
    def modules(self) -> list[str]:
        """The public modules: each library, those in its `__all__`, and those that pages name."""
        named = self._named_in_prose()
        modules = []
        for library in sorted(self.libraries, key=lambda name: (name != UMBRELLA, name)):
            top = self.collection[library]
            exports = {str(name) for name in top.exports or ()}
            listed = {module.path for name, module in top.modules.items() if name in exports}
            below = [module for module in _modules_below(top) if "._" not in module.path]
            modules.append(library)
            modules += [
                module.path
                for module in below
                if module.path in listed or (module.exports and module.path in named)
            ]
        return modules

    def _named_in_prose(self) -> set[str]:
        """Returns all dotted names and imports in guides, READMEs and examples."""
        named = set()
        for pattern in _PROSE:
            for file in self._root.glob(pattern):
                text = file.read_text("utf-8")
                named |= set(re.findall(r"\bdeepsim_\w+(?:\.\w+)+", text))
                for base, names in re.findall(r"from (deepsim[\w.]*) import \(?([\w\s,]+)", text):
                    named |= {f"{base}.{name}" for name in re.findall(r"\w+", names)}
        return named

    def names(self, module: str) -> list[PublicName]:
        """Returns the public names of a module, in alphabetical order, without modules."""
        found = self.collection[module]
        listed = found.exports or [
            name
            for name, member in found.members.items()
            if not name.startswith("_") and not member.is_alias
        ]
        public = []
        for name in sorted(str(name) for name in listed):
            member = found.members.get(name)
            if member is None:
                continue
            target = member.final_target if isinstance(member, griffe.Alias) else member
            if not target.is_module:
                public.append(PublicName(module, name, target))
        return public

    @cached_property
    def pages(self) -> list[Page]:
        """The pages, each name on the first one that has it."""
        pages: dict[str, Page] = {}
        shown: set[str] = set()
        for module in self.modules:
            library = module.partition(".")[0]
            folder = f"reference/{self.libraries[library].name}"
            base = _file(folder, module)
            pages.setdefault(base, Page(base, module, module))
            for name in self.names(module):
                home = name.target.path
                if home in shown or home.partition(".")[0] != library:
                    continue
                shown.add(home)
                file, title = base, module
                parts = home.split(".")
                if module == library and len(parts) > 3 and not parts[1].startswith("_"):
                    title = ".".join(parts[:2])
                    file = _file(folder, title)
                pages.setdefault(file, Page(file, title, title)).names.append(name)
        libraries = set(self.libraries)
        return [page for page in pages.values() if page.names or page.module in libraries]

    @cached_property
    def places(self) -> dict[str, str]:
        """Where each public name is documented that only one library has."""
        names = [name for page in self.pages for name in page.names]
        count = Counter(name.name for name in names)
        return {name.name: name.path for name in names if count[name.name] == 1}

    def undocumented(self) -> list[str]:
        """Returns the public names, methods and properties that have no docstring."""
        return sorted(
            {path for module in self.modules for name in self.names(module)
             for path in name.undocumented()}
        )  # fmt: skip

    def markdown(self, page: Page) -> str:
        """Returns the text of a page, in which `:::` stands for a docstring."""
        lines = [f"# {page.title}", ""]
        docstring = self.collection[page.module].docstring
        if docstring is not None:
            lines += [with_examples(docstring.value), ""]
        if page.module in self.libraries:  # all its names, whichever page documents them
            homes = {name.target.path: name.path for each in self.pages for name in each.names}
            lines += ["| name | summary |", "|---|---|"]
            for name in self.names(page.module):
                home = homes.get(name.target.path, name.path)
                lines.append(f"| [`{name.name}`][{home}] | {name.summary} |")
            lines.append("")
        for name in page.names:
            lines += [f"::: {name.path}", _OPTIONS]
        return "\n".join(lines)

    def navigation(self) -> list[object]:
        """Returns the tree of pages for the menu: a library, and below it its parts."""
        tree: dict[str, list[object]] = defaultdict(list)
        for page in self.pages:
            library = self.libraries[page.module.partition(".")[0]]
            tree[library.name].append(
                page.file if page.module == library.module else {page.title: page.file}
            )
        return ["reference/README.md", *({name: pages} for name, pages in tree.items())]

    def contents(self) -> str:
        """Returns the first page of the reference, a table of the libraries."""
        rows = [f"| [{each.name}]({each.name}/README.md) | {each.project['description']} |"
                for each in self.libraries.values()]  # fmt: skip
        return "\n".join(["# Reference", "", "| library | subject |", "|---|---|", *rows])


def _file(folder: str, module: str) -> str:
    below = module.split(".")[1:]
    return f"{folder}/{'/'.join(below)}.md" if below else f"{folder}/README.md"


def _modules_below(module: griffe.Module) -> Iterator[griffe.Module]:
    for child in module.modules.values():
        if not child.is_alias:
            yield child
            yield from _modules_below(child)


class Prepare(griffe.Extension):
    """Shows mkdocstrings the docstrings as the pages need them: see mkdocs.yml."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Prepares the docstring of one object."""
        if obj.docstring is not None:
            text = with_examples(obj.docstring.value)
            obj.docstring.value = with_links(text, _reference().places)


@cache
def _reference() -> Reference:
    return Reference(ROOT)


def with_examples(text: str) -> str:
    """Returns `text` with each doctest in a fence, so that it is shown as code."""
    lines: list[str] = []
    inside, fence = False, "```"
    for line in text.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        if not inside and line.lstrip().startswith(">>> "):
            if lines and lines[-1].strip():
                lines.append("")  # a fence begins a block of its own
            fence = f"{indent}```"
            lines.append(f"{fence}pycon")
            inside = True
        elif inside and not line.strip():
            lines.append(fence)
            inside = False
        lines.append(line)
    return "\n".join([*lines, fence] if inside else lines)


def with_links(text: str, names: dict[str, str]) -> str:
    """Returns `text` with each class in backticks that `names` has linked to its place."""

    def link(match: re.Match[str]) -> str:
        place = names.get(match[1])
        return match[0] if place is None else f"[`{match[1]}`][{place}]"

    return _CLASS.sub(link, text)
