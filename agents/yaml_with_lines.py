"""Reads hand-written YAML safely, and keeps the line of every value for error messages.

A document is bounded data: aliases, explicit tags, repeated keys and oversized files are rejected.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import yaml
import yaml.composer
import yaml.constructor
import yaml.parser
import yaml.reader
import yaml.resolver
import yaml.scanner

if yaml.__with_libyaml__:  # it reads ten times as fast
    from yaml.cyaml import CParser as _EventParser  # type: ignore[attr-defined]
else:

    class _EventParser(  # type: ignore[no-redef]
        yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser
    ):
        """Reads the events of a document where PyYAML was built without libyaml."""

        def __init__(self, text: str) -> None:
            yaml.reader.Reader.__init__(self, text)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)


MAX_CHARS = 1_000_000
"""Characters in one file. The bundled sample world has about 20,000."""

_MAX_NUMBER = 2**63
"""The first whole number that a library cannot hold."""

ValuePath = tuple[int | str, ...]
"""The path to a value: field names and list positions, as pydantic reports it."""


class UnreadableYaml(ValueError):
    """The text is no YAML that is accepted here; the message says where and why."""


class YamlDocument:
    """A document's plain values, and the nodes that know their lines."""

    def __init__(self, data: object, root: yaml.Node) -> None:
        self.data = data
        self.root = root
        self._children: dict[int, Mapping[str, yaml.Node]] = {}
        """The children of a mapping by key, and by the mapping's identity: found once, for large files."""

    def line_of(self, path_to_value: ValuePath) -> str:
        """Return the line of the value at `loc` (or the nearest one), with its path."""
        node, path_parts = self.root, []
        for step in path_to_value:
            child = self._find_child(node, step)
            if child is None:
                break
            node = child
            path_parts.append(self._describe_entry(node, step) if isinstance(step, int) else step)
        line = f"line {node.start_mark.line + 1}"
        return f"{line} ({', '.join(path_parts)})" if path_parts else line

    def _find_child(self, node: yaml.Node, step: int | str) -> yaml.Node | None:
        if isinstance(node, yaml.MappingNode) and isinstance(step, str):
            if id(node) not in self._children:
                self._children[id(node)] = {
                    key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)
                }
            return self._children[id(node)].get(step)
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            child: yaml.Node = node.value[step]
            return child
        return None

    def _describe_entry(self, node: yaml.Node, position: int) -> str:
        key = self._find_child(node, "key")
        return str(key.value) if isinstance(key, yaml.ScalarNode) else f"entry {position + 1}"


def load_yaml(text: str) -> YamlDocument:
    """Read one YAML document. Raises Unreadable."""
    if len(text) > MAX_CHARS:
        raise UnreadableYaml(f"it has {len(text):,} characters, and {MAX_CHARS:,} is the most that is read")
    try:
        loader = _PlainLoader(text)
        root = loader.get_single_node()
        if root is None:
            raise UnreadableYaml("it is empty")
        return YamlDocument(loader.construct_document(root), root)
    except yaml.MarkedYAMLError as error:
        raise UnreadableYaml(_describe_error(error, text)) from None
    except (yaml.reader.ReaderError, UnicodeEncodeError):
        raise UnreadableYaml(_describe_bad_character(text)) from None
    except RecursionError:
        raise UnreadableYaml("its lists and mappings are nested too deep") from None


def describe_faults(faults: Iterable[tuple[str, str]], limit: int = 3) -> str:
    """Join (where, what) pairs into one sentence: the first fault of each place, `most` of them in full."""
    by_place: dict[str, str] = {}
    for where, message in faults:
        by_place.setdefault(where, message)
    listed_faults = [f"{where}: {what}" for where, what in list(by_place.items())[:limit]]
    if len(by_place) > limit:
        listed_faults.append(f"and {len(by_place) - limit} more")
    return "; ".join(listed_faults)


class _PlainLoader(
    yaml.composer.Composer, _EventParser, yaml.constructor.SafeConstructor, yaml.resolver.Resolver
):
    """Rejects aliases (a small file could unfold to a huge one), explicit tags and repeated keys."""

    def __init__(self, text: str) -> None:
        _EventParser.__init__(self, text)
        yaml.composer.Composer.__init__(self)
        yaml.constructor.SafeConstructor.__init__(self)
        yaml.resolver.Resolver.__init__(self)

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent):
            raise _composer_error(event, "aliases (*name) are not read here")
        if getattr(event, "tag", None) is not None:
            raise _composer_error(event, "explicit tags (such as !!int) are not read here")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen_keys: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen_keys:
                    raise _mapping_error(key, f"{key.value!r} is given twice in one place")
                seen_keys.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            value = super().construct_object(node, deep)
        except ValueError:  # Python cannot hold it
            raise _mapping_error(node, "this cannot be read: there is no such number or date") from None
        if isinstance(value, int) and abs(value) >= _MAX_NUMBER:
            raise _mapping_error(node, "this number is too large")
        return value


def _composer_error(event: Any, message: str) -> yaml.composer.ComposerError:
    return yaml.composer.ComposerError(None, None, message, event.start_mark)


def _mapping_error(node: yaml.Node, message: str) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, message, node.start_mark)


def _describe_error(error: yaml.MarkedYAMLError, text: str) -> str:
    mark = error.problem_mark or error.context_mark
    line_count = max(1, len(text.splitlines()))
    where = ""
    if mark is not None and mark.line >= line_count:
        where = f"line {line_count}, at its end: "
    elif mark is not None:
        where = f"line {mark.line + 1}, column {mark.column + 1}: "
    return f"{where}{error.problem or error.context}"


def _describe_bad_character(text: str) -> str:
    # Looked for here: libyaml tells its place in bytes, PyYAML in characters.
    match = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if match is None:
        return "it has a character that is not read here"
    line = text.count("\n", 0, match.start()) + 1
    return f"line {line}: the character U+{ord(match[0]):04X} is not read here"
