"""Times kernels on the CPU and the same functions of OpenCV, in turn, and prints a table."""

import argparse
import functools
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import cv2
import numpy
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
DESCRIPTION = """\
Times filters of Safelight on the CPU (safelight bench) and the functions of OpenCV that do the same, with two threads
each, in turn, on pictures in memory of red, green and blue with 8 and 16 bits. Safelight's pictures have a fourth
sample a pixel. OpenCV lays no picture over another: over is Pillow's, of 8 bits, with one thread. A ratio is the
other's time by Safelight's, the median of the rounds: above 1 Safelight is faster."""


def sobel(picture: numpy.ndarray) -> numpy.ndarray:
    """The length of luma's gradient; OpenCV has no single function for it."""
    deep = cv2.CV_16S if picture.dtype == numpy.uint8 else cv2.CV_32F
    luma = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    across, down = (cv2.Sobel(luma, deep, *order).astype(numpy.float32) for order in ((1, 0), (0, 1)))
    return cv2.merge([cv2.min(cv2.magnitude(across, down), numpy.iinfo(picture.dtype).max).astype(picture.dtype)] * 3)


def bilateral(picture: numpy.ndarray) -> numpy.ndarray:
    """OpenCV takes 8 bits and floats."""
    if picture.dtype == numpy.uint8:
        return cv2.bilateralFilter(picture, 9, 25, 9)
    return cv2.bilateralFilter(picture.astype(numpy.float32), 9, 25 * 257, 9).astype(numpy.uint16)


def multiply(picture: numpy.ndarray) -> numpy.ndarray:
    """By the picture itself, as bench does where no second one is named."""
    return cv2.multiply(picture, picture, scale=1 / numpy.iinfo(picture.dtype).max)


@functools.cache
def layers(height: int, width: int) -> tuple[Image.Image, Image.Image]:
    """A frame and a half transparent picture."""
    return tuple(Image.new("RGBA", (width, height), color) for color in ((90, 60, 30, 255), (200, 100, 50, 128)))


def over(picture: numpy.ndarray) -> Image.Image:
    return Image.alpha_composite(*layers(*picture.shape[:2]))


def scaled(factor: float, rule: int) -> Callable[[numpy.ndarray], numpy.ndarray]:
    return lambda picture: cv2.resize(picture, None, fx=factor, fy=factor, interpolation=rule)


MATRIX = "0.95 -0.2 120.5 0.2 0.95 -90.25"
CORNERS = "120/80 1790/130 1700/1010 90/960"


def affine(picture: numpy.ndarray, rule: int) -> numpy.ndarray:
    matrix = numpy.array(MATRIX.split(), dtype=numpy.float64).reshape(2, 3)
    return cv2.warpAffine(picture, matrix, picture.shape[1::-1], flags=rule)


def perspective(picture: numpy.ndarray) -> numpy.ndarray:
    height, width = picture.shape[:2]
    source = numpy.array([point.split("/") for point in CORNERS.split()], dtype=numpy.float32)
    corners = numpy.array([(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)], dtype=numpy.float32)
    return cv2.warpPerspective(picture, cv2.getPerspectiveTransform(source, corners), (width, height))


def undistort(picture: numpy.ndarray) -> numpy.ndarray:
    height, width = picture.shape[:2]
    camera = numpy.array([[1400, 0, (width - 1) / 2], [0, 1400, (height - 1) / 2], [0, 0, 1]])
    return cv2.undistort(picture, camera, numpy.array([-0.2, 0.05, 0.0, 0.0]))


FUNCTIONS = {
    "blur=2": lambda picture: cv2.GaussianBlur(picture, (0, 0), 2, borderType=cv2.BORDER_REPLICATE),
    "blur=10": lambda picture: cv2.GaussianBlur(picture, (0, 0), 10, borderType=cv2.BORDER_REPLICATE),
    "box=15": lambda picture: cv2.blur(picture, (15, 15), borderType=cv2.BORDER_REPLICATE),
    "box=101": lambda picture: cv2.blur(picture, (101, 101), borderType=cv2.BORDER_REPLICATE),
    "sobel": sobel,
    "bilateral=9": bilateral,
    "flip=horizontal": lambda picture: cv2.flip(picture, 1),
    "blend=multiply": multiply,
    "multiply": multiply,
    "add": lambda picture: cv2.add(picture, picture),
    "subtract": lambda picture: cv2.subtract(picture, picture),
    "divide": lambda picture: cv2.divide(picture, picture, scale=numpy.iinfo(picture.dtype).max),
    "difference": lambda picture: cv2.absdiff(picture, picture),
    "minimum": lambda picture: cv2.min(picture, picture),
    "median=3": lambda picture: cv2.medianBlur(picture, 3),
    "median=5": lambda picture: cv2.medianBlur(picture, 5),
    "resize=percent=50:mode=bilinear": scaled(0.5, cv2.INTER_LINEAR_EXACT),
    "resize=percent=200:mode=bilinear": scaled(2, cv2.INTER_LINEAR_EXACT),
    "resize=percent=50:mode=bicubic": scaled(0.5, cv2.INTER_CUBIC),
    "resize=percent=200:mode=bicubic": scaled(2, cv2.INTER_CUBIC),
    "resize=percent=50:mode=lanczos": scaled(0.5, cv2.INTER_LANCZOS4),
    "resize=percent=200:mode=lanczos": scaled(2, cv2.INTER_LANCZOS4),
    f"affine='{MATRIX}'": lambda picture: affine(picture, cv2.INTER_LINEAR),
    f"affine='{MATRIX}':mode=bicubic": lambda picture: affine(picture, cv2.INTER_CUBIC),
    f"affine='{MATRIX}':mode=lanczos": lambda picture: affine(picture, cv2.INTER_LANCZOS4),
    f"perspective=from='{CORNERS}'": perspective,
    "undistort=k1=-0.2:k2=0.05:fx=1400": undistort,
    "rotate=90": lambda picture: cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE),
    "over=x=0": over,
}
# All others take both depths.
DEPTHS = {"over=x=0": [8]}


def picture(width: int, height: int) -> numpy.ndarray:
    """A soft picture under grain, of 16 bits."""
    random = numpy.random.default_rng(1)
    soft = cv2.resize(random.random((height // 40, width // 40, 3), numpy.float32), (width, height))
    grain = random.random((height, width, 1), numpy.float32) / 16
    return ((soft * 15 / 16 + grain) * 65535).astype(numpy.uint16)


def ours(tool: str, calls: list[str], size: str) -> dict[tuple[str, int], float]:
    command = [tool, "bench", *calls, "--size", size, "--rounds", "3", "--device", "cpu", "--format", "json"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["kernels"]
    return {(row["kernel"], row["depth"]): row["twin"]["milliseconds"] for row in rows}


def theirs(calls: list[str], pictures: dict[int, numpy.ndarray]) -> dict[tuple[str, int], float]:
    def once(call: str, depth: int) -> float:
        start = time.perf_counter()
        FUNCTIONS[call](pictures[depth])
        return (time.perf_counter() - start) * 1e3

    return {
        (call, depth): statistics.median(once(call, depth) for _ in range(4))
        for call in calls
        for depth in DEPTHS.get(call, pictures)
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="compare-peers kernels", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("calls", nargs="*", default=list(FUNCTIONS), help=f"of {', '.join(FUNCTIONS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds that count; one more warms up (default: 5)")
    parser.add_argument("--sizes", nargs="+", default=["1920x1080", "7680x4320"], metavar="SIZE")
    parser.add_argument("--tool", default=str(ROOT / ".build/release/safelight"), help="the program safelight")
    arguments = parser.parse_args()
    unknown = [call for call in arguments.calls if call not in FUNCTIONS]
    if unknown:
        parser.error(f"no counterpart of {unknown[0]} is known")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    cv2.setNumThreads(2)
    print(f"OpenCV {cv2.__version__}, load {os.getloadavg()[0]:.1f} before.\n")
    print("| filter | size | bits | Safelight, ms | other, ms | ratio |\n| --- | --- | --- | --- | --- | --- |")
    ratios = []
    for size in arguments.sizes:
        deep = picture(*map(int, size.split("x")))
        pictures = {8: (deep >> 8).astype(numpy.uint8), 16: deep}
        rounds = []
        for turn in range(arguments.rounds + 1):
            print(f"compare-peers: {size}, {f'round {turn}' if turn else 'warming up'}", file=sys.stderr)
            rounds.append((ours(arguments.tool, arguments.calls, size), theirs(arguments.calls, pictures)))
        for call in arguments.calls:
            for depth in DEPTHS.get(call, pictures):
                times = [(one[call, depth], other[call, depth]) for one, other in rounds[1:]]
                ratios.append(statistics.median(other / one for one, other in times))
                one, other = (statistics.median(column) for column in zip(*times))
                print(f"| `{call}` | {size} | {depth} | {one:.1f} | {other:.1f} | {ratios[-1]:.2f} |")
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    print(f"\nGeometric mean {mean:.2f}, least {min(ratios):.2f}.")


if __name__ == "__main__":
    main()
