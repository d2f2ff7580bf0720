"""Times equalization on the Swift twins beside OpenCV's, in pairs, and prints the ratio."""
# Packages: programs.txt

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import cv2
import numpy

DESCRIPTION = """\
Equalizes a 1920x1080 RGB frame of 8 bits, a ramp of one pace a channel, with OpenCV (split, equalizeHist of each
plane, merge) and with Safelight's CPU backend (`safelight bench equalize=rule=opencv --device cpu`, from texture
to texture), in turn, and prints the medians and the ratio; CLAHE likewise (clip 2, 8x8 tiles). A ratio above 1
says that Safelight is the faster one. Machines drift: look at the ratio, and at a quiet moment."""

SIZE = (1080, 1920)


def ramp() -> numpy.ndarray:
    """As `safelight bench` paints it."""
    height, width = SIZE
    columns = numpy.arange(width, dtype=numpy.uint64) * 255 // (width - 1)
    planes = [numpy.minimum(columns * (channel + 2) // 4, 255).astype(numpy.uint8) for channel in range(3)]
    return numpy.ascontiguousarray(numpy.dstack([numpy.tile(plane, (height, 1)) for plane in planes]))


def equalize(frame: numpy.ndarray) -> numpy.ndarray:
    return cv2.merge([cv2.equalizeHist(plane) for plane in cv2.split(frame)])


def clahe(frame: numpy.ndarray) -> numpy.ndarray:
    kernel = cv2.createCLAHE(2, (8, 8))
    return cv2.merge([kernel.apply(plane) for plane in cv2.split(frame)])


def opencv(work: Callable[[numpy.ndarray], numpy.ndarray], frame: numpy.ndarray, rounds: int) -> float:
    """Milliseconds, the median."""
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        work(frame)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[1:])


def safelight(tool: str, call: str, rounds: int) -> float:
    command = [tool, "bench", call, "--device", "cpu", "--rounds", str(rounds), "--format", "json"]
    ended = subprocess.run(command, check=True, capture_output=True)
    rows = json.loads(ended.stdout)["kernels"]
    return next(row["twin"]["milliseconds"] for row in rows if row["depth"] == 8)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="compare-speed", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=2, help="OpenCV's threads (default: 2)")
    parser.add_argument("--pairs", type=int, default=7, help="how often both take their turn (default: 7)")
    parser.add_argument("--rounds", type=int, default=15, help="frames in a turn (default: 15)")
    parser.add_argument("tool", nargs="?", default=".build/release/safelight", help="the program safelight")
    arguments = parser.parse_args()
    cv2.setNumThreads(arguments.threads)
    frame = ramp()
    try:
        for name, work, call in [
            ("equalize", equalize, "equalize=rule=opencv"),
            ("clahe", clahe, "clahe=clip=2:columns=8:rows=8"),
        ]:
            pairs = [
                (opencv(work, frame, arguments.rounds), safelight(arguments.tool, call, arguments.rounds))
                for _ in range(arguments.pairs)
            ]
            theirs, ours = (statistics.median(times) for times in zip(*pairs))
            ratio = statistics.median(a / b for a, b in pairs)
            low, high = min(a / b for a, b in pairs), max(a / b for a, b in pairs)
            least = [min(times) for times in zip(*pairs)]
            print(
                f"{name}: OpenCV {cv2.__version__} on {arguments.threads} threads {theirs:.2f} ms, Safelight {ours:.2f} ms, "
                f"ratio {ratio:.2f} ({low:.2f} to {high:.2f}); at best {least[0]:.2f} and {least[1]:.2f} ms"
            )
    except (OSError, subprocess.CalledProcessError, StopIteration) as problem:
        print(f"compare-speed: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
