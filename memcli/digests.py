"""blake2b, without what hashlib brings along: it loads OpenSSL, 2 ms of every command, for hashes that we don't use."""

try:
    from _blake2 import blake2b  # what hashlib.blake2b is in CPython
except ImportError:  # another implementation of Python
    from hashlib import blake2b

__all__ = ["blake2b"]
