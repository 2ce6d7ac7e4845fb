"""Which stores this user has, so that one sweep can visit them all: a list of folders in the user's data directory.

It heals itself: a folder that is gone is passed over.
"""

import os

_FILE = "stores"


def add(data_dir: str, folder: str) -> None:
    """Note the folder (a work tree, or a bare repository) as having a store. Never fails: the list is a convenience."""
    if folder in folders(data_dir):
        return
    try:
        os.makedirs(data_dir, mode=0o700, exist_ok=True)
        # one append, so that two at once are both there
        file = os.open(os.path.join(data_dir, _FILE), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, os.fsencode(folder) + b"\0")
        finally:
            os.close(file)
    except OSError:
        return


def folders(data_dir: str) -> list[str]:
    """The folders that were noted and are still there, oldest first."""
    try:
        with open(os.path.join(data_dir, _FILE), "rb") as file:
            noted = dict.fromkeys(os.fsdecode(one) for one in file.read().split(b"\0") if one)
            return [folder for folder in noted if os.path.isdir(folder)]
    except OSError:
        return []
