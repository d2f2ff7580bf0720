"""Times comparing PNGs with Safelight and with its peers, in turn, and prints a table."""

import argparse
import dataclasses
import datetime
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable

import cv2
import numpy
import real_frames
from compare_peers import processor
from contenders import said
from measurement import emptied, measured

ROOT = pathlib.Path(__file__).resolve().parents[2]
DESCRIPTION = """\
Compares 1920x1080 frames with Safelight, idiff (OpenImageIO), ImageMagick's compare -metric AE and pixelmatch (the port
pixelmatch-fast): one pair and a sequence of pairs, equal ones and ones that differ by a step in every 64th sample. Whole
commands with the same number of workers, each alone on the machine and all in turn, with the files in memory already.
A program that ends with another code than the pictures ask for ends the run. Medians over the rounds; a ratio is that of two
commands of one round, so that a machine whose speed drifts gives honest ones."""


@dataclasses.dataclass
class Comparator:
    """A program, and how it is called with (expected folder, actual folder, workers)."""

    name: str
    version: str
    command: Callable[[pathlib.Path, pathlib.Path, int], list[str]]
    # The code that it ends with where something differs; xargs makes 123 of it.
    differing: set[int]
    # It overlooks steps that an eye does not see.
    is_perceptual: bool = False


def each(*command: str) -> Callable[[pathlib.Path, pathlib.Path, int], list[str]]:
    """Calls a program once a pair, as many at a time as there are workers."""

    def call(expected: pathlib.Path, actual: pathlib.Path, workers: int) -> list[str]:
        line = " ".join(command).replace("EXPECTED", f"'{expected}'/{{}}").replace("ACTUAL", f"'{actual}'/{{}}")
        return ["sh", "-c", f"ls '{expected}' | xargs -P {workers} -I {{}} {line}"]

    return call


def comparators(tool: str) -> list[Comparator]:
    """Ours first."""

    def safelight(expected: pathlib.Path, actual: pathlib.Path, workers: int) -> list[str]:
        return [tool, "compare", str(expected), str(actual), "--jobs", str(workers), "--progress", "none"]

    magick = shutil.which("compare-im6.q16") or "compare"
    pixelmatch = str(pathlib.Path(sys.executable).parent / "pixelmatch")
    return [
        Comparator("safelight compare", said(tool, "--version"), safelight, {1}),
        Comparator("idiff", said("dpkg-query", "-Wf", "${Version}", "openimageio-tools"), each("idiff", "EXPECTED", "ACTUAL"), {123}),
        Comparator(
            "ImageMagick compare",
            said(magick, "-version").split(" https")[0].removeprefix("Version: "),
            each("env", "OMP_NUM_THREADS=1", magick, "-metric", "AE", "EXPECTED", "ACTUAL", "null:"),
            {123},
        ),
        Comparator("pixelmatch", said(pixelmatch, "--version"), each(pixelmatch, "EXPECTED", "ACTUAL"), {0, 123}, True),
    ]


def differing(source: pathlib.Path, target: pathlib.Path) -> None:
    """Copies the frames with a step up or down in every 64th sample."""
    for path in source.glob("*.png"):
        picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
        samples = picture.reshape(-1)
        samples[::64] = numpy.where(samples[::64] < 255, samples[::64] + 1, samples[::64] - 1)
        cv2.imwrite(str(target / path.name), picture)


def milliseconds(one: Comparator, expected: pathlib.Path, actual: pathlib.Path, workers: int, equal: bool) -> float:
    codes = {0} if equal else one.differing
    test = " || ".join(f"[ $code -eq {code} ]" for code in sorted(codes))
    command = one.command(expected, actual, workers)
    checked = ["sh", "-c", f'"$@"; code=$?; {test} || exit 99', "sh", *command]
    return measured(checked).seconds * 1e3


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="compare-comparators", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds that count; one more warms up (default: 5)")
    parser.add_argument("--count", type=int, default=30, help="pairs of the sequence (default: 30)")
    parser.add_argument("--workers", type=int, default=2, help="workers of each program (default: 2)")
    parser.add_argument("tool", nargs="?", default=str(ROOT / ".build/release/safelight"), help="the program safelight")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.workers])
    programs = comparators(arguments.tool)
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="compare-comparators-") as folder:
        scratch = pathlib.Path(folder)
        cases: list[tuple[str, pathlib.Path, pathlib.Path, bool]] = []
        for count in (1, arguments.count):
            expected, same, other = (emptied(scratch / f"{name}-{count}") for name in ("expected", "same", "other"))
            real_frames.make(expected, count)
            for path in expected.glob("*.png"):
                shutil.copy(path, same / path.name)
            differing(expected, other)
            noun = "one pair" if count == 1 else f"{count} pairs"
            cases += [(f"{noun}, equal", expected, same, True), (f"{noun}, differing", expected, other, False)]
        times: dict[tuple[str, str], list[float]] = {}
        for turn in range(arguments.rounds + 1):
            for case, expected, actual, equal in cases:
                for place in range(len(programs)):
                    # Who is first changes with the round.
                    one = programs[(place + turn) % len(programs)]
                    time = milliseconds(one, expected, actual, arguments.workers, equal)
                    print(f"compare-comparators: round {turn}: {case}: {one.name} {time:.0f} ms", file=sys.stderr)
                    if turn > 0:
                        times.setdefault((case, one.name), []).append(time)
    print(f"1920x1080, {arguments.workers} workers, medians of {arguments.rounds} rounds in turn, ms for the whole command and how many")
    print(f"times as fast ours is; {datetime.date.today().isoformat()}, {processor()}, load {load:.1f} before.\n")
    print("| program | " + " | ".join(case for case, *_ in cases) + " |")
    print("| --- " * (len(cases) + 1) + "|")
    for one in programs:
        cells = []
        for case, *_ in cases:
            mine, ours = times[case, one.name], times[case, programs[0].name]
            ratio = statistics.median(b / a for a, b in zip(ours, mine))
            cells.append(f"{statistics.median(mine):.0f}" + (f" ({ratio:.1f}×)" if one is not programs[0] else ""))
        print(f"| {one.name} | " + " | ".join(cells) + " |")
    print("\nVersions: " + "; ".join(f"{one.name} {one.version}" for one in programs) + ".")
    if any(one.is_perceptual for one in programs):
        print("pixelmatch overlooks steps that an eye does not see, and may call differing pairs equal.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
