"""The command lines that oracles share: one that freezes what other programs make, one that checks Safelight's tool."""

import argparse
import inspect
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def parser(description: str) -> argparse.ArgumentParser:
    """A parser named like the script: `freeze-tone` for freeze_tone.py."""
    return argparse.ArgumentParser(
        prog=Path(sys.argv[0]).stem.replace("_", "-"), description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def freezing(description: str) -> argparse.ArgumentParser:
    """The parser of a script that freezes."""
    made = parser(description)
    made.add_argument("--check", action="store_true", help="write nothing; exit 1 where the file is out of date")
    return made


def freeze(
    path: Path, text: str, count: int, *, check: bool, what: str = "pictures", remark: str = "", part=None
) -> int:
    """Writes `text`, the hashes of `count` pictures, to `path`, or compares it with what is there.

    `part` chooses what of the decoded text must be equal; without it the bytes must.
    """
    if count == 0:
        print(f"{Path(sys.argv[0]).stem}: there are no fixtures", file=sys.stderr)
        return 2
    remark = f", {remark}" if remark else ""
    if check:
        frozen = path.read_text() if path.exists() else "{}"
        current = part(json.loads(frozen)) == part(json.loads(text)) if part else frozen == text
        print(f"{count} {what}{remark}, hashes {'as frozen' if current else 'differ from those frozen'}")
        return 0 if current else 1
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    print(f"{count} {what} frozen{remark}")
    return 0


def check_tool(description: str, check) -> int:
    """Calls `check` with the tool, a device and an empty folder."""
    made = parser(description)
    made.add_argument("--device", default="software", help="as given to Safelight")
    made.add_argument("tool", nargs="?", default=".build/release/safelight", help="the program safelight")
    arguments = made.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            return check(arguments.tool, arguments.device, Path(folder))
        except (OSError, subprocess.CalledProcessError) as problem:
            print(f"{made.prog}: {problem}", file=sys.stderr)
            return 2


def self_test(tests: dict) -> int:
    """Runs functions by name, in an empty folder each if they take one; prints what fails, and a count."""
    failed = 0
    for name, test in tests.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(*[Path(folder)] if inspect.signature(test).parameters else [])
            except AssertionError as problem:
                failed += 1
                print(f"{name}: {problem}")
    print(f"{len(tests)} tests, {failed} failed")
    return 1 if failed else 0
