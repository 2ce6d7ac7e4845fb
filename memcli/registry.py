"""Which stores this user has, so that one sweep can visit them all: a list of folders in the user's data directory.

It heals itself: a folder that holds no store any more is passed over and dropped at the next change.
"""

import os

_FILE = "stores"


def add(data_dir: str, folder: str) -> None:
    """Note the folder (a work tree, or a bare repository) as having a store. Never fails: the list is a convenience."""
    known = folders(data_dir)
    if folder in known:
        return
    path = os.path.join(data_dir, _FILE)
    try:
        os.makedirs(data_dir, mode=0o700, exist_ok=True)
        draft = f"{path}.{os.getpid()}.new"
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            there = [known_one for known_one in known if os.path.isdir(known_one)]
            file.write(b"".join(os.fsencode(one) + b"\0" for one in (*there, folder)))
        os.replace(draft, path)
    except OSError:
        return


def folders(data_dir: str) -> list[str]:
    """The folders that were noted, oldest first."""
    try:
        with open(os.path.join(data_dir, _FILE), "rb") as file:
            return [os.fsdecode(one) for one in file.read().split(b"\0") if one]
    except OSError:
        return []
