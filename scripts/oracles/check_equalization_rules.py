"""Compares `safelight equalize --rule` with the programs themselves, on pictures made for what they might round differently."""
# Packages: programs.txt

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy
import png

import command
import programs
import samples
from samples import Picture

DESCRIPTION = """\
Makes ramps, flat pictures, noise, two values, hot pixels and heavy tails in sizes from 1x1 to more pixels than a
float counts, lets OpenCV, Pillow and libvips equalize them, and compares every sample with what
`safelight equalize --rule RULE` writes."""

SIZES = [(1, 1), (1, 9), (17, 31), (65, 63), (640, 359), (1023, 769)]


def planes(name: str, shape: tuple[int, int, int], top: int, random: numpy.random.Generator) -> numpy.ndarray:
    """The samples of the picture called `name`, from 0 to `top`."""
    height, width, channels = shape
    if name == "ramp":
        steps = numpy.arange(height * width, dtype=numpy.uint64) * numpy.uint64(top) // numpy.uint64(height * width)
        return numpy.dstack([numpy.roll(steps, i * 7).reshape(height, width) // numpy.uint64(i + 1) for i in range(channels)])
    if name == "flat":
        return numpy.full(shape, top // 3)
    if name == "two-values":
        return numpy.where(random.random(shape) < 0.3, top // 5, top // 2)
    if name == "hot-pixel":
        result = numpy.zeros(shape)
        result[height // 2, width // 2] = top
        return result
    if name == "heavy-tail":
        return numpy.minimum(random.pareto(0.7, shape), top)
    if name == "narrow":
        return random.integers(top // 4, top // 3, shape, endpoint=True)
    return random.integers(0, top, shape, endpoint=True)


NAMES = ["ramp", "flat", "noise", "narrow", "two-values", "hot-pixel", "heavy-tail"]


def pictures() -> Iterator[tuple[str, numpy.ndarray, int]]:
    """Names, samples and depths, the same each time."""
    random = numpy.random.default_rng(20)
    for bits in (8, 16):
        for height, width in SIZES:
            for channels in (1, 3):
                for name in NAMES:
                    made = planes(name, (height, width, channels), (1 << bits) - 1, random)
                    yield f"{name}-{width}x{height}-{channels}x{bits}", made, bits
    # more pixels than 24 bits count
    yield "above-2-24", planes("heavy-tail", (4099, 4099, 1), 255, random), 8


def write(path: Path, made: numpy.ndarray, bits: int) -> None:
    height, width, channels = made.shape
    rows = made.astype(numpy.uint16 if bits == 16 else numpy.uint8).reshape(height, width * channels)
    with path.open("wb") as file:
        png.Writer(width, height, greyscale=channels == 1, bitdepth=bits, compression=1).write(file, rows)


def check(tool: str, device: str, folder: Path) -> int:
    for name, made, bits in pictures():
        (folder / str(bits)).mkdir(exist_ok=True)
        write(folder / str(bits) / f"{name}.png", made, bits)
    unequal = compared = 0
    for rule, (_, depths) in programs.RULES.items():
        for channels in ("each", "luma"):
            for bits in sorted(depths):
                to = folder / f"{rule}-{channels}-{bits}"
                options = ["--rule", rule, "--channels", channels, "--device", device, "--progress", "none"]
                subprocess.run([tool, "equalize", folder / str(bits), "-o", to, *options], check=True)
                for path in sorted((folder / str(bits)).glob("*.png")):
                    expected = programs.equalize(rule, samples.read(path), channels).samples
                    differing = int((samples.read(to / path.name).samples != expected).sum())
                    compared += 1
                    if differing:
                        unequal += 1
                        print(f"{rule} {channels} {path.stem}: {differing} of {expected.size} samples differ")
    print(f"{compared} pictures, {unequal} differ; {', '.join(programs.VERSIONS.values())}")
    return 1 if unequal or not compared else 0


if __name__ == "__main__":
    sys.exit(command.check_tool(DESCRIPTION, check))
