"""Whole commands and what they cost; files in a folder as they appear."""

import ctypes
import dataclasses
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import time

IN_MOVED_TO = 0x80
IN_CLOSE_WRITE = 0x08


@dataclasses.dataclass(frozen=True)
class Cost:
    """What a command took, with its children."""

    seconds: float
    cpu_seconds: float
    # The largest process's.
    peak_bytes: int


def measured(command: list[str], environment: dict[str, str] | None = None) -> Cost:
    """Runs a command to its end; raises where it fails."""
    # What earlier commands wrote goes to the disk before this one's time begins.
    os.sync()
    # From a small process: Linux counts what a command's parent held at the fork as the command's own.
    small = [sys.executable, "-IS", __file__, *command]
    ended = subprocess.run(small, env={**os.environ, **(environment or {})}, check=True, capture_output=True)
    return Cost(**json.loads(ended.stdout))


def run(command: list[str]) -> int:
    """Runs a command and prints its cost; the code that it ended with."""
    start = time.perf_counter()
    child = os.posix_spawnp(
        command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    )
    _, status, usage = os.wait4(child, 0)
    cost = Cost(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
    print(json.dumps(dataclasses.asdict(cost)))
    return os.waitstatus_to_exitcode(status)


def emptied(folder: pathlib.Path) -> pathlib.Path:
    """The folder, new and empty."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def seconds_to_first_file(command: list[str], folder: pathlib.Path, environment: dict[str, str]) -> float:
    """From the start of a command to the first whole PNG in `folder`; waits for its end."""
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_CLOEXEC)
    if watch < 0 or libc.inotify_add_watch(watch, os.fsencode(folder), IN_MOVED_TO | IN_CLOSE_WRITE) < 0:
        raise OSError(ctypes.get_errno(), "inotify", str(folder))
    try:
        start = time.perf_counter()
        child = subprocess.Popen(
            command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        # Partial files are hidden.
        while not any(path.suffix == ".png" and not path.name.startswith(".") for path in folder.iterdir()):
            if select.select([watch], [], [], 0.2)[0]:
                os.read(watch, 65536)
            elif child.poll() is not None:
                raise subprocess.CalledProcessError(child.returncode, command)
        seconds = time.perf_counter() - start
        if child.wait():
            raise subprocess.CalledProcessError(child.returncode, command)
        return seconds
    finally:
        os.close(watch)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
