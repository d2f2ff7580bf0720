"""Compares the filter `clahe` with OpenCV itself, sample by sample, on sizes that grids divide and do not divide."""
# Packages: programs.txt

import subprocess
import sys
from pathlib import Path

import numpy

import check_equalization_rules
import command
import programs
import samples

DESCRIPTION = """\
Makes pictures in sizes from 1x1 on, divided by the grid or not, lets cv2.createCLAHE equalize them, and compares every
sample with what `safelight process --filter clahe=…` writes."""

SIZES = [(1, 1), (1, 9), (5, 3), (17, 31), (64, 64), (65, 63), (359, 640)]
#: Clip limit, columns and rows.
SETTINGS = [(40, 8, 8), (2, 8, 8), (0, 1, 1), (0.5, 2, 2), (0, 7, 5), (3.7, 16, 4), (65536, 4, 1)]


def make(folder: Path) -> None:
    random = numpy.random.default_rng(30)
    for bits in (8, 16):
        (folder / str(bits)).mkdir()
        for height, width in SIZES:
            for channels in (1, 3):
                for name in ("ramp", "flat", "noise", "narrow", "heavy-tail"):
                    made = check_equalization_rules.planes(name, (height, width, channels), (1 << bits) - 1, random)
                    path = folder / str(bits) / f"{name}-{width}x{height}-{channels}.png"
                    check_equalization_rules.write(path, made, bits)


def check(tool: str, device: str, folder: Path) -> int:
    make(folder)
    compared = unequal = 0
    for limit, columns, rows in SETTINGS:
        for channels in ("each", "luma"):
            for bits in (8, 16):
                call = f"clahe=clip={limit}:columns={columns}:rows={rows}:channels={channels}"
                to = folder / "out"
                options = ["--filter", call, "--device", device, "--progress", "none"]
                subprocess.run([tool, "process", folder / str(bits), "-o", to, *options], check=True)
                for path in sorted((folder / str(bits)).glob("*.png")):
                    expected = programs.clahe(samples.read(path), limit, columns, rows, channels).samples
                    differing = int((samples.read(to / path.name).samples != expected).sum())
                    compared += 1
                    if differing:
                        unequal += 1
                        print(f"{call} {bits} bits {path.stem}: {differing} of {expected.size} samples differ")
    print(f"{compared} pictures, {unequal} differ; {programs.VERSIONS['opencv']}")
    return 1 if unequal or not compared else 0


if __name__ == "__main__":
    sys.exit(command.check_tool(DESCRIPTION, check))
