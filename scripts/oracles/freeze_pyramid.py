"""Writes the hashes of pictures at several sizes and of their differences, computed outside Safelight."""
# Packages: programs.txt

import hashlib
import json
import sys

import cv2
import numpy

import command
import rendering
import samples
from freeze_equalization import FIXTURES

HASHES = FIXTURES / "golden" / "pyramid" / "hashes.json"

DESCRIPTION = """\
Writes fixtures/golden/pyramid/hashes.json: for some pictures of the fixtures the SHA-256 of the samples of four smaller
pictures, by cv2.pyrDown with repeated edges, and of the differences between neighbors, by NumPy: little-endian, gray or
red, green, blue and alpha, differences plus half of their range in integers of twice the width. NumPy must agree with
OpenCV, and the picture must come of the smallest one and the differences again."""

PICTURES = [
    f"made/{name}.png"
    for name in (
        "grey8-every-value grey16-every-value grey16-tail greya8-noise rgb8-noise rgb16-noise rgba8-noise rgba16-noise "
        "size-1x1-rgba16 size-1x7 size-17x31 size-31x17-rgb16"
    ).split()
]
LEVELS = 4


def halved(samples: numpy.ndarray) -> numpy.ndarray:
    """That of cv2.pyrDown, with which sums of integers must agree."""
    around = numpy.pad(samples.astype(numpy.int64), ((2, 3), (2, 3), (0, 0)), mode="edge")
    height, width = samples.shape[:2]
    rows = sum(weight * around[i : i + height : 2] for i, weight in enumerate([1, 4, 6, 4, 1]))
    sums = sum(weight * rows[:, i : i + width : 2] for i, weight in enumerate([1, 4, 6, 4, 1]))
    made = ((sums + 128) >> 8).astype(samples.dtype)
    theirs = cv2.pyrDown(numpy.ascontiguousarray(samples), borderType=cv2.BORDER_REPLICATE).reshape(made.shape)
    assert (theirs == made).all(), "cv2.pyrDown makes something else"
    return made


def doubled(samples: numpy.ndarray, height: int, width: int) -> numpy.ndarray:
    def along(values: numpy.ndarray, count: int) -> numpy.ndarray:
        around = numpy.concatenate([values[:1], values, values[-1:]])
        here = around[1:-1]
        made = numpy.empty((2 * len(values), *values.shape[1:]), dtype=numpy.int64)
        made[0::2] = around[:-2] + 6 * here + around[2:]
        made[1::2] = 4 * (here + around[2:])
        return made[:count]

    rows = along(samples.astype(numpy.int64), height)
    return (along(rows.swapaxes(0, 1), width).swapaxes(0, 1) + 32) >> 6


def digest(samples: numpy.ndarray) -> str:
    return hashlib.sha256(numpy.ascontiguousarray(samples, dtype=samples.dtype.newbyteorder("<")).tobytes()).hexdigest()


def pyramid(name: str) -> dict[str, list[str]]:
    picture = samples.read(FIXTURES / name)
    pixels = picture.samples if picture.channels == 1 else rendering.four_channels(picture)
    narrow, wide = (numpy.uint8, numpy.uint16) if picture.bits == 8 else (numpy.uint16, numpy.uint32)
    levels, differences = [pixels.astype(narrow)], []
    for _ in range(LEVELS):
        levels.append(halved(levels[-1]))
        differences.append(levels[-2].astype(numpy.int64) - doubled(levels[-1], *levels[-2].shape[:2]))
    again = levels[-1]
    for difference in reversed(differences):
        again = doubled(again, *difference.shape[:2]) + difference
    assert (again == levels[0]).all(), f"{name} does not come of its differences"
    middle = 1 << (8 * numpy.dtype(wide).itemsize - 1)
    return {
        "levels": [digest(level) for level in levels[1:]],
        "differences": [digest((difference + middle).astype(wide)) for difference in differences],
    }


def main() -> int:
    arguments = command.freezing(DESCRIPTION).parse_args()
    text = json.dumps({name: pyramid(name) for name in PICTURES}, indent=2) + "\n"
    return command.freeze(HASHES, text, len(PICTURES), check=arguments.check)


if __name__ == "__main__":
    sys.exit(main())
