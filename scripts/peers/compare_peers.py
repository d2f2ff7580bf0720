"""Times histogram equalization, PNG to PNG, with Safelight and with its peers, in turn, and prints a table."""

import argparse
import contextlib
import dataclasses
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import cv2
import numpy
import real_frames
from contenders import Contender, contenders, safelight
from measurement import Cost, emptied, measured, seconds_to_first_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
DESCRIPTION = """\
Equalizes the histogram of each channel of a sequence of 1920x1080 frames, PNG to PNG, with Safelight, OpenCV, ffmpeg,
libvips, GraphicsMagick and ImageMagick: whole commands with the same number of workers, each alone on the machine and
all in turn, with the files in memory already. A frame is a window that pans over a wall of photographs. Safelight
uses the rule of OpenCV, and the pictures of both are compared; the others' rules differ. Medians over the rounds; a
ratio is that of two commands of one round, so that a machine whose speed drifts gives honest ones. Then the time of
`safelight --version` and that to the first frame. compare-peers sets does the same for frames of many kinds,
compare-peers kernels times single filters (see their --help)."""


@dataclasses.dataclass
class Row:
    """A contender with what its rounds cost."""

    contender: Contender
    costs: list[Cost] = dataclasses.field(default_factory=list)
    bytes_written: int = 0

    def median(self, value: str) -> float:
        return statistics.median(getattr(cost, value) for cost in self.costs)

    def speed_against(self, other: "Row") -> float:
        """How many times as fast this one is, the median of the rounds."""
        return statistics.median(b.seconds / a.seconds for a, b in zip(self.costs, other.costs))

    def summary(self, frames: int, workers: int, ours: list["Row"]) -> dict:
        return {
            "name": self.contender.name,
            "version": self.contender.version,
            "framesPerSecond": frames / self.median("seconds"),
            "cpuMillisecondsPerFrame": self.median("cpu_seconds") / frames * 1e3,
            "peakMiB": self.median("peak_bytes") * self.contender.processes(workers) / 2**20,
            "megabytesWritten": self.bytes_written / 1e6,
            "speedOfOurs": {one.contender.name: one.speed_against(self) for one in ours},
            "rounds": [dataclasses.asdict(cost) for cost in self.costs],
        }


def compare_pictures(source: pathlib.Path, outputs: dict[str, pathlib.Path], is_copied: bool = False) -> int:
    """How many frames were compared; raises where two programs differ, or the first copied, or did not as it should."""
    (first, expected), *others = outputs.items()
    compared = 0
    for path in sorted(source.glob("*.png")):
        original, wanted = (cv2.imread(str(folder / path.name), cv2.IMREAD_UNCHANGED) for folder in (source, expected))
        if numpy.array_equal(original, wanted) != is_copied:
            raise ValueError(f"{first} {'changed' if is_copied else 'did not change'} {path.name}")
        for name, folder in others:
            if not numpy.array_equal(cv2.imread(str(folder / path.name), cv2.IMREAD_UNCHANGED), wanted):
                raise ValueError(f"{name} differs from {first} in {path.name}")
            compared += 1
    return compared


def timed(
    rows: list[Row], source: pathlib.Path, scratch: pathlib.Path, rounds: int, workers: int, is_copied: bool = False
) -> int:
    """Lets the contenders take turns; how many of their pictures were compared."""
    frames = len(list(source.glob("*.png")))
    outputs: dict[str, pathlib.Path] = {}
    for turn in range(rounds + 1):
        for place in range(len(rows)):
            # Who is first changes with the round.
            row = rows[(place + turn) % len(rows)]
            folder = emptied(scratch / f"out-{rows.index(row)}")
            cost = measured(row.contender.command(source, folder, workers), {"SAFELIGHT_CACHE": str(scratch / "cache")})
            written = [path.stat().st_size for path in folder.glob("*.png")]
            if len(written) != frames:
                raise ValueError(f"{row.contender.name} wrote {len(written)} of {frames} frames")
            when = f"round {turn}" if turn else "warming up"
            rate = f"{frames / cost.seconds:.1f} frames/s"
            print(f"compare-peers: {when}: {row.contender.name} {rate}", file=sys.stderr)
            if turn > 0:
                row.costs.append(cost)
            row.bytes_written = sum(written)
            if row.contender.is_opencv:
                outputs[row.contender.name] = folder
        if turn == 0:
            compared = compare_pictures(source, outputs, is_copied)
    return compared


def start_times(tool: str, source: pathlib.Path, scratch: pathlib.Path, rounds: int, workers: int) -> dict:
    """Milliseconds, medians."""
    version = statistics.median(measured([tool, "--version"]).seconds for _ in range(4 * rounds + 1))
    first = {}
    for device in ("cpu", "software"):
        times = []
        for _ in range(rounds):
            folder = emptied(scratch / "first")
            command = safelight(tool, device)(source, folder, workers)
            times.append(seconds_to_first_file(command, folder, {"SAFELIGHT_CACHE": str(scratch / "cache")}))
        first[device] = statistics.median(times) * 1e3
    return {"versionMilliseconds": version * 1e3, "firstFrameMilliseconds": first}


@contextlib.contextmanager
def failures_told() -> Iterator[None]:
    """Says why a command or a file failed, and ends with 2."""
    try:
        yield
    except subprocess.CalledProcessError as problem:
        print(f"compare-peers: {problem}\n{(problem.stderr or b'').decode(errors='replace')}", file=sys.stderr)
        sys.exit(2)
    except (OSError, ValueError) as problem:
        print(f"compare-peers: {problem}", file=sys.stderr)
        sys.exit(2)


def processor() -> str:
    names = [
        line.split(":")[1].strip()
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return f"{len(os.sched_getaffinity(0))} CPUs of {names[0] if names else platform.machine()}"


def text(report: dict) -> str:
    ours = list(report["programs"][0]["speedOfOurs"])
    head = [
        "program",
        "frames/s",
        "CPU ms a frame",
        "peak MiB",
        "MB written",
        *(f"{name.split()[-1]} is as fast, times" for name in ours),
    ]
    lines = [head]
    for row in report["programs"]:
        figures = [row["framesPerSecond"], row["cpuMillisecondsPerFrame"], row["peakMiB"], row["megabytesWritten"]]
        digits = [1, 0, 0, 1]
        ratios = [f"{ratio:.2f}" for ratio in row["speedOfOurs"].values()]
        lines.append([row["name"], *(f"{figure:.{places}f}" for figure, places in zip(figures, digits)), *ratios])
    table = "\n".join("| " + " | ".join(line) + " |" for line in [lines[0], ["---"] * len(head), *lines[1:]])
    versions = sorted({row["version"] for row in report["programs"]})
    start = report["start"]
    first = ", ".join(
        f"{milliseconds:.0f} ms with --device {device}"
        for device, milliseconds in start["firstFrameMilliseconds"].items()
    )
    return "\n".join(
        [
            f"{report['frames']} frames of 1920x1080, {report['workers']} workers, medians of {report['rounds']}",
            f"rounds in turn; {report['date']}, {report['machine']}, load {report['load']:.1f} before.",
            "",
            table,
            "",
            f"{report['compared']} pictures of Safelight and OpenCV compared, all equal.",
            f"safelight --version: {start['versionMilliseconds']:.1f} ms. First frame after: {first}.",
            "Versions: " + "; ".join(versions) + ".",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="compare-peers", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds that count; one more warms up (default: 5)")
    parser.add_argument("--count", type=int, default=30, help="frames (default: 30)")
    parser.add_argument("--workers", type=int, default=2, help="workers of each program (default: 2)")
    parser.add_argument("--frames", type=pathlib.Path, help="a folder of your own frames, 0001.png and so on")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="WORD",
        help="only ours and programs whose name has WORD; may be repeated",
    )
    parser.add_argument(
        "--long", action="store_true", help="peak memory at 100 and 5000 frames too (scripts/check-memory --long)"
    )
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all of it there, every round")
    parser.add_argument("tool", nargs="?", default=str(ROOT / ".build/release/safelight"), help="the program safelight")
    arguments = parser.parse_args()
    # All commands inherit it: some programs cannot be told how many threads to use.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.workers])
    with failures_told():
        all_of_them = contenders(arguments.tool)
        chosen = [
            one
            for one in all_of_them
            if one in all_of_them[:2] or not arguments.only or any(word in one.name for word in arguments.only)
        ]
        with tempfile.TemporaryDirectory(prefix="compare-peers-") as folder:
            scratch = pathlib.Path(folder)
            source = arguments.frames or emptied(scratch / "in")
            if not arguments.frames:
                print("compare-peers: making the frames", file=sys.stderr)
                real_frames.make(source, arguments.count)
            count = len(list(source.glob("*.png")))
            load = os.getloadavg()[0]
            rows = [Row(one) for one in chosen]
            compared = timed(rows, source, scratch, arguments.rounds, arguments.workers)
            report = {
                "date": datetime.date.today().isoformat(),
                "machine": processor(),
                "load": load,
                "frames": count,
                "workers": arguments.workers,
                "rounds": arguments.rounds,
                "compared": compared,
                "programs": [row.summary(count, arguments.workers, rows[:2]) for row in rows],
                "start": start_times(arguments.tool, source, scratch, arguments.rounds, arguments.workers),
            }
        print(text(report))
        if arguments.long:
            for device in ("cpu", "software"):
                subprocess.run([str(ROOT / "scripts/check-memory"), "--long", "--device", device], check=True)
        if arguments.json:
            arguments.json.write_text(json.dumps(report, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
