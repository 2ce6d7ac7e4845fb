"""The files of a work tree as git would store them: ids and contents, without writing an object.

A file that no attribute or setting could convert costs its reading and nothing else. Where one could, git is asked for
the attributes of all such files at once; the conversion itself is `convert`'s.
"""

import os
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import NamedTuple

from memcli.git import attributes, config, convert, hashing
from memcli.git.attributes import AttributeFiles, Attributes
from memcli.git.hashing import Digest
from memcli.git.location import Location
from memcli.git.tree import MAX_BYTES


class Ids(NamedTuple):
    """The id of what git would store, and that of the bytes on disk."""

    blob: str
    disk: str


class _Rule(NamedTuple):
    """How a path is converted."""

    attributes: Attributes
    crlf_in_index: bool


class Stored:
    """Contents below a work tree's root. Paths are plain (`paths.is_plain`) and lead through no link."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._root = location.root or ""
        self._format = location.object_format

    def ids_of_link(self, target: str) -> Ids:
        """The ids of a symbolic link: its content is its target."""
        blob = hashing.blob_id(os.fsencode(target), self._format)
        return Ids(blob, blob)

    def ids(self, paths: Collection[str]) -> dict[str, Ids]:
        """The ids of regular files; those that can't be read are left out."""
        found: dict[str, Ids] = {}
        doubtful: dict[str, Digest] = {}
        asked: dict[str, set[str]] = {}
        for path in paths:
            kinds = self._attribute_files.kinds(path)
            try:
                digest = hashing.digest_file(self._full(path), self._format, with_sha256="filter" in kinds)
            except OSError:
                continue
            found[path] = Ids(digest.disk, digest.disk)
            if self._may_change(digest, kinds):
                doubtful[path], asked[path] = digest, kinds
        rules = self._rules(asked)
        return found | {path: self._converted(path, digest, rules[path]) for path, digest in doubtful.items()}

    def read(self, path: str) -> bytes | None:
        """The content as git would store it; None when it can't be read or is larger than MAX_BYTES."""
        data = self._bytes(path, MAX_BYTES)
        kinds = self._attribute_files.kinds(path)
        if data is None:
            return self._pointer_of_large(path) if "filter" in kinds else None
        marks = Digest("", len(data), None, b"\r\n" in data, b"$Id" in data)
        if not self._may_change(marks, kinds):
            return data
        rule = self._rules({path: kinds})[path]
        return convert.to_git(data, rule.attributes, self._autocrlf, rule.crlf_in_index)

    def _may_change(self, digest: Digest, kinds: Collection[str]) -> bool:
        """Whether git could store something else than the bytes on disk."""
        if "filter" in kinds or "encoding" in kinds or ("ident" in kinds and digest.has_ident):
            return True
        return digest.has_crlf and ("lines" in kinds or self._autocrlf != "false")

    def _rules(self, asked: Mapping[str, Collection[str]]) -> dict[str, _Rule]:
        """How each path is converted, from the kinds that may be set for it; git is asked only where there are any."""
        found = attributes.ask(self._location.git, [path for path, kinds in asked.items() if kinds])
        values = {path: found.get(path, Attributes()) for path in asked}
        guessed = [path for path, value in values.items() if convert.line_rule(value, self._autocrlf) == "auto"]
        stored_so = attributes.with_crlf_in_index(self._location.git, guessed)
        return {path: _Rule(value, path in stored_so) for path, value in values.items()}

    def _converted(self, path: str, digest: Digest, rule: _Rule) -> Ids:
        """The ids of a file under its rule."""
        if rule.attributes.filter == "lfs" and digest.size > convert.MAX_POINTER and digest.sha256:
            pointer = convert.lfs_pointer_for(digest.sha256, digest.size)
            return Ids(hashing.blob_id(pointer, self._format), digest.disk)
        if digest.size > MAX_BYTES:
            return Ids(self._id_of_large(path, rule) or digest.disk, digest.disk)
        data = self._bytes(path, MAX_BYTES)
        if data is None:
            return Ids(digest.disk, digest.disk)
        stored = convert.to_git(data, rule.attributes, self._autocrlf, rule.crlf_in_index)
        return Ids(hashing.blob_id(stored, self._format), digest.disk)

    def _id_of_large(self, path: str, rule: _Rule) -> str | None:
        """The id of a file too large to read at once, of which line ends alone are converted; None where none are."""
        full, lines = self._full(path), convert.line_rule(rule.attributes, self._autocrlf)
        if lines == "keep" or (lines == "auto" and rule.crlf_in_index):
            return None
        try:
            binary = lines == "auto" and convert.looks_binary(hashing.pieces(full))
            return None if binary else hashing.id_with_lf(full, self._format)
        except OSError:
            return None

    def _pointer_of_large(self, path: str) -> bytes | None:
        """The pointer of a file too large to read, where LFS keeps it."""
        if attributes.ask(self._location.git, [path])[path].filter != "lfs":
            return None
        try:
            digest = hashing.digest_file(self._full(path), self._format, with_sha256=True)
        except OSError:
            return None
        return convert.lfs_pointer_for(digest.sha256 or "", digest.size)

    def _bytes(self, path: str, most: int) -> bytes | None:
        """A file's bytes; None when it can't be read or has more than `most`."""
        try:
            with hashing.open_plain(self._full(path)) as file:
                if os.fstat(file.fileno()).st_size > most:
                    return None
                return file.read()
        except OSError:
            return None

    def _full(self, path: str) -> str:
        return f"{self._root}/{path}"

    @cached_property
    def _attribute_files(self) -> AttributeFiles:
        location = self._location
        user = config.user_folder(location.env)
        named = location.config.get("core.attributesfile")
        outer = [] if "GIT_ATTR_NOSYSTEM" in location.env else [f"{config.system_folder(location.env)}/gitattributes"]
        if named:
            outer.append(config.expand(named, self._root, location.env))
        elif user:
            outer.append(f"{user}/attributes")
        outer.append(f"{location.common_dir}/info/attributes")
        return AttributeFiles(self._root, outer, location.folds_case)

    @cached_property
    def _autocrlf(self) -> str:
        """core.autocrlf as true, false or input."""
        if (self._location.config.get("core.autocrlf") or "").lower() == "input":
            return "input"
        return "true" if self._location.config.flag("core.autocrlf") else "false"
