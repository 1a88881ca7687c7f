# SPDX-License-Identifier: Apache-2.0
"""Repair of malformed XML that the parsers of Gazebo, ROS and Bullet accept."""

from __future__ import annotations

import re

# No token can fail once it has begun, so the time is linear in the length of the text.
_TOKEN = re.compile(
    r"""(?P<comment><!--.*?(?:-->|\Z))|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)"""
    r"""|<(?P<tag>[A-Za-z_][^\s<>"'/]*)(?P<rest>(?:[^<>"']|"[^"]*"?|'[^']*'?)*)>?"""
    r"""|(?P<ampersand>&)(?![\w#]+;)""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([^\s="'<>/]+)\s*=\s*("[^"]*"?|'[^']*'?|(?:[^\s"'<>/]|/(?!\s*\Z))*)""")
_BARE_AMPERSAND = re.compile(r"&(?![\w#]+;)")
_DECLARED = {"xml", "xmlns"}


def mended(text: str) -> str:
    """Returns the text with its malformations repaired; line numbers stay the same.

    Comments may contain ``--``, attribute values may lack quotes or contain ``<`` and ``&``, an
    attribute may occur twice (the first counts), and namespace prefixes may be undeclared.
    """
    prefixes: dict[str, bool] = {}
    """Whether each prefix is declared somewhere."""

    def token(match: re.Match[str]) -> str:
        whole = match.group()
        if match["comment"]:
            return "\n" * whole.count("\n")
        if match["ampersand"]:
            return "&amp;"
        return whole if match["tag"] is None else _mended_tag(match, prefixes)

    text = _TOKEN.sub(token, text.rstrip("\0"))
    unknown = [name for name, declared in prefixes.items() if not declared]
    added = "".join(f' xmlns:{name}="undeclared/{name}"' for name in unknown)
    return re.sub(r"<[A-Za-z_][^\s<>/]*", lambda tag: tag.group() + added, text, count=1)


def _mended_tag(match: re.Match[str], prefixes: dict[str, bool]) -> str:
    rest = match["rest"].rstrip()
    attributes: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(rest):
        bare = value[1:].rstrip(value[0]) if value[:1] in ("'", '"') else value
        bare = _BARE_AMPERSAND.sub("&amp;", bare).replace("<", "&lt;").replace('"', "&quot;")
        attributes.setdefault(name, bare)
    for name in (match["tag"], *attributes):
        prefix, colon, local = name.partition(":")
        if colon and prefix == "xmlns":
            prefixes[local] = True
        elif colon and prefix not in _DECLARED:
            prefixes.setdefault(prefix, False)
    written = "".join(f' {name}="{value}"' for name, value in attributes.items())
    lines = "\n" * (rest.count("\n") - written.count("\n"))
    return f"<{match['tag']}{written}{lines}{'/' if rest.endswith('/') else ''}>"
