"""Compares `analyze`, `merge` and `equalize=table=` with NumPy on a film of two scenes, counted in several parts."""
# Packages: programs.txt

import subprocess
import sys
from pathlib import Path

import numpy

import check_equalization_rules
import command
import samples

DESCRIPTION = """\
Makes two scenes with a still background, counts them in several parts, merges the parts into one table, into one for
each shot and into one for the frames around each, and compares every sample of what
`safelight process --filter equalize=table=…` writes with the formula in NumPy. Says how far the mean of the background
moves from frame to frame at most, equalized alone and by each kind of table."""

FRAMES = (14, 10)
PARTS = 5
AROUND = 6


def scenes(bits: int) -> list[numpy.ndarray]:
    """Two still backgrounds, through each of which a bright square comes and goes."""
    random = numpy.random.default_rng(23)
    maximum = (1 << bits) - 1
    frames = []
    for count, low, high in ((FRAMES[0], 0.02, 0.3), (FRAMES[1], 0.5, 0.75)):
        still = random.uniform(low, high, (48, 64, 3))
        for number in range(count):
            frame = still.copy()
            frame[24:40, max(0, 8 * number - 32) : 8 * number] = 0.95
            frames.append(numpy.rint(numpy.clip(frame, 0, 1) * maximum).astype(numpy.int64))
    return frames


def luma(frame: numpy.ndarray) -> numpy.ndarray:
    return (19595 * frame[..., 0] + 38470 * frame[..., 1] + 7471 * frame[..., 2] + 32768) >> 16


def equalized(frame: numpy.ndarray, group: list[numpy.ndarray], maximum: int) -> numpy.ndarray:
    """The frame by the table of the histograms of `group`: normalized-sum on luma."""
    counts = sum(numpy.bincount(luma(other).ravel(), minlength=maximum + 1) for other in group)
    total = int(counts.sum())
    table = (2 * maximum * numpy.cumsum(counts) + total) // (2 * total)
    shift = table[luma(frame)] - luma(frame)
    return numpy.clip(frame + shift[..., None], 0, maximum)


def groups(frames: list) -> dict[str, list[list]]:
    """The frames of which each frame's table is made, for each way to merge."""
    shots = [(0, FRAMES[0]), (FRAMES[0], len(frames))]
    shot = [shots[0] if place < FRAMES[0] else shots[1] for place in range(len(frames))]
    return {
        "": [frames for _ in frames],
        "--per shot": [frames[first:last] for first, last in shot],
        f"--smooth {AROUND}": [
            frames[max(first, place - (AROUND - 1) // 2) : min(last, place + AROUND // 2 + 1)]
            for place, (first, last) in enumerate(shot)
        ],
    }


def flicker(frames: list[numpy.ndarray]) -> float:
    """The greatest step of the background's mean from frame to frame, within a scene."""
    means = [frame[:20].mean() for frame in frames]
    return max(abs(b - a) for place, (a, b) in enumerate(zip(means, means[1:])) if place + 1 != FRAMES[0])


def check(tool: str, device: str, folder: Path) -> int:
    compared = unequal = 0
    quiet = ["--device", device, "--progress", "none"]
    for bits in (8, 16):
        maximum = (1 << bits) - 1
        frames = scenes(bits)
        inputs = folder / str(bits)
        inputs.mkdir()
        for number, frame in enumerate(frames):
            check_equalization_rules.write(inputs / f"f{number + 1:02}.png", frame, bits)
        parts = [folder / f"{bits}-{part}.counts" for part in range(PARTS)]
        for part, path in enumerate(parts):
            subprocess.run([tool, "analyze", inputs, "--shard", f"{part}/{PARTS}", "-o", path, *quiet], check=True)
        alone = [equalized(frame, [frame], maximum) for frame in frames]
        print(f"{bits} bits, step of a still background: {flicker(alone):.2f} alone", end="")
        for scope, members in groups(frames).items():
            tables, out = folder / "film.tables", folder / "out"
            subprocess.run([tool, "merge", *parts, "-o", tables, "-q", *scope.split()], check=True)
            subprocess.run(
                [tool, "process", inputs, "-o", out, "--filter", f"equalize=table='{tables}'", *quiet], check=True)
            made = [samples.read(path).samples.astype(numpy.int64) for path in sorted(out.glob("*.png"))]
            for frame, group, result in zip(frames, members, made, strict=True):
                compared += 1
                unequal += not numpy.array_equal(result, equalized(frame, group, maximum))
            print(f"; {flicker(made):.2f} {scope or '--per sequence'}", end="")
        print()
    print(f"{compared} frames, {unequal} differ")
    return 1 if unequal or not compared else 0


if __name__ == "__main__":
    sys.exit(command.check_tool(DESCRIPTION, check))
