"""kill -9 in the middle of writes, again and again: `python -m benchmarks.soak [ROUNDS]` (60: two minutes).

Four processes save without pause, one reads; a random one is killed every few milliseconds and started anew. After each
round the store must hold every save that was acknowledged, and every index must agree with the records.
"""

import contextlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from memcli.model import Fragment, Stamp
from memcli.store import Reader, Store

WRITERS = 4
LETTERS = "klmnopqrst"


def main(rounds: int) -> int:
    """Run the rounds; gives 1 at the first loss."""
    dice, acknowledged, kills = random.Random(1), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            workers = [_worker(folder, dice.randrange(10**9)) for _ in range(WRITERS)] + [_worker(folder, -1)]
            dice.shuffle(workers)
            saved = {worker.stdout.readline().strip() for worker in workers if worker.stdout}
            for worker in workers:
                time.sleep(dice.random() / 10)
                worker.kill()
                kills += 1
            said = [worker.communicate()[0].split() for worker in workers]
            if any(worker.returncode != -signal.SIGKILL for worker in workers):
                print(f"round {number}: a process ended by itself")
                return 1
            saved = {ident for lines in (*said, list(saved)) for ident in lines if len(ident) == 16}
            acknowledged += len(saved)
            with Store(folder).reading() as reader:
                if saved and (reader is None or not _whole(reader, saved)):
                    print(f"round {number}: not all that was acknowledged is there")
                    return 1
        with Store(folder).writing() as writer:
            print(f"{rounds} rounds, {kills} kills, {acknowledged} saves acknowledged, {writer.count('active')} stored")
    return 0


def _whole(reader: Reader, saved: set[str]) -> bool:
    """Whether each saved fragment is there and stands in the index of search, and the counts agree."""
    found = {fragment.id: fragment for fragment in reader.fragments(reader.newest("active"))}
    documents = {standing[0] for doc, *_ in reader.texts([""]) if (standing := reader.standing(doc))}
    return saved <= found.keys() == documents and len(found) == reader.count("active") == reader.size()[0]


def _worker(folder: str, seed: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.soak", "--work", folder, str(seed)], stdout=subprocess.PIPE, text=True
    )


def work(folder: str, seed: int) -> None:
    """Save until killed and print each id that was acknowledged; with a negative seed, read."""
    dice, store = random.Random(seed), Store(folder)
    if seed < 0:
        print("reading", flush=True)
    while seed < 0:
        with store.reading() as reader:
            list(reader.fragments(reader.newest("active"))) if reader else time.sleep(0.01)
    while True:
        ident = "".join(dice.choice(LETTERS) for _ in range(16))
        text = f"{ident} create_user lowers the address " * dice.randrange(1, 60)
        with store.writing() as writer:
            writer.put(Fragment(ident, None, "note", "workspace", "active", text, 1.0, Stamp(None, None, False, 1)))
        print(ident, flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        with contextlib.suppress(BrokenPipeError):
            work(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 60))
