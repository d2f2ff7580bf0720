"""Writes what pictures scaled by a transform must be, computed outside Safelight."""
# Packages: programs.txt

import hashlib
import json
import sys
from pathlib import Path

import numpy
from PIL import Image

import command
import rendering
import resizing
import samples
import warping

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CASES = FIXTURES / "golden" / "scaling" / "cases.json"

DESCRIPTION = """\
Writes fixtures/golden/scaling/cases.json: pictures of the fixtures scaled into others, all of them or by a
transform, in all pixels or in a rectangle, and the hash of the pixels that must come of it. Lanczos is
Pillow's resize of a box where the box lies in the picture, and NumPy beyond its edges and in 16 bits;
bilinear is NumPy by the rules of resize and of warps.

The hash is SHA-256 over the samples, little-endian, gray or red, green, blue and alpha. Pixels that are not
written keep what every byte of the destination held before."""

#: Every byte of a destination before something is written.
BEFORE = 0x4D

#: Sizes of destinations with scaleX, scaleY, translateX and translateY, of sources of 53 × 37; all are exact in floats.
TRANSFORMS = [
    ([53, 37], None), ([106, 20], None), ([20, 74], None), ([26, 5], None),
    # Parts of the picture, larger and smaller, at halves and quarters of a pixel.
    ([40, 30], [2.0, 2.0, -5.0, -3.0]), ([30, 24], [0.75, 1.5, -3.0, -4.5]), ([16, 8], [0.5, 0.25, -4.0, -1.0]),
    ([53, 37], [1.0, 1.0, 0.0, 0.0]), ([48, 37], [1.0, 1.0, -0.5, 0.0]), ([40, 30], [1.0, 1.0, -7.0, -5.0]),
    ([24, 7], [0.5, 0.25, -1.25, -0.5]), ([60, 8], [1.25, 0.25, -2.5, -0.25]),
    # Beyond the edges: at the left and above, at the right and below, all around, and nothing else.
    ([40, 30], [1.5, 2.0, 9.0, 6.5]), ([50, 40], [0.5, 0.5, 10.0, -4.0]), ([70, 60], [1.0, 1.0, 8.5, 11.25]),
    ([30, 20], [0.25, 0.125, 7.0, 6.0]), ([9, 8], [1.0, 2.0, -60.0, 30.0]),
]

#: Rectangles that are written: in the middle, cut off at two edges, one pixel.
CLIPS = [[3, 2, 11, 5], [-4, 3, 12, 400], [5, 4, 1, 1]]

PICTURES = [
    f"made/{kind}{bits}-noise.png" for bits in (8, 16) for kind in ("grey", "rgb", "rgba")]


def cases() -> list[dict]:
    """Every case without its hash."""
    made = []
    for place, source in enumerate(PICTURES):
        for filter in ("bilinear", "lanczos"):
            for number, (size, transform) in enumerate(TRANSFORMS):
                case = {"source": source, "filter": filter, "size": size, "transform": transform, "clip": None}
                made.append(case)
                if (number + place) % 4 == 0:
                    made.append(case | {"clip": CLIPS[(number // 4) % 3]})
    haze = {"source": "haze/haze.png", "filter": "lanczos", "clip": None}
    return made + [
        haze | {"size": [100, 90], "transform": [0.5, 0.5, -50.5, -25.25]},
        haze | {"size": [300, 5], "transform": [1.0, 0.015625, -100.0, 0.0]},
        haze | {"filter": "bilinear", "size": [200, 180], "transform": [0.625, 0.75, -50.5, -25.25]},
    ]


def scaled(pixels: numpy.ndarray, maximum: int, filter: str, size: list[int], transform: list[float] | None):
    width, height = size
    if filter == "bilinear":
        if transform is None:
            return rendering.scaled(pixels, width, height, "linear", maximum)
        positions = warping.scaling(tuple(transform[:2]), tuple(transform[2:]))
        found = positions(pixels.shape[1::-1], (width, height), False)
        return warping.warped(pixels, found, "bilinear", "clamp", numpy.zeros(pixels.shape[2]), maximum)
    boxes = None
    if transform is not None:
        boxes = tuple((-transform[axis + 2] / transform[axis], size[axis] / transform[axis]) for axis in (0, 1))
    made = resizing.resampled(pixels, width, height, "lanczos", maximum, has_alpha=False, boxes=boxes)
    check_with_pillow(pixels, maximum, (width, height), boxes, made)
    return made


def check_with_pillow(pixels, maximum: int, size: tuple[int, int], boxes, made: numpy.ndarray) -> None:
    """Pillow must make the same of each channel of 8 bits, and of 16, in floating point, what lies within two."""
    sides = pixels.shape[1::-1]
    box = (0, 0, *sides)
    if boxes is not None:
        (left, width), (top, height) = boxes
        box = (left, top, left + width, top + height)
    if min(box[:2]) < 0 or box[2] > sides[0] or box[3] > sides[1]:
        return
    for channel in range(pixels.shape[2]):
        image = Image.fromarray(pixels[..., channel].astype(numpy.uint8 if maximum == 255 else numpy.uint16))
        theirs = numpy.asarray(image.resize(size, Image.Resampling.LANCZOS, box=box)).astype(numpy.int64)
        difference = abs(theirs - made[..., channel]).max()
        assert difference <= (0 if maximum == 255 else 2), f"Pillow makes something else of {box} in {size}"


def digest(case: dict) -> str:
    """The hash of what a case leaves in its destination."""
    source = samples.read(FIXTURES / case["source"])
    pixels = source.samples.astype(numpy.int64) if source.channels == 1 else rendering.four_channels(source)
    (width, height), clip = case["size"], case["clip"]
    made = scaled(pixels, source.maximum, case["filter"], case["size"], case["transform"])
    if clip is not None:
        x, y, columns, rows = clip
        seen = numpy.zeros((height, width, 1), dtype=bool)
        seen[max(y, 0) : max(y + rows, 0), max(x, 0) : max(x + columns, 0)] = True
        made = numpy.where(seen, made, BEFORE * (source.maximum // 255))
    return hashlib.sha256(made.astype("u1" if source.bits == 8 else "<u2").tobytes()).hexdigest()


def main() -> int:
    arguments = command.freezing(DESCRIPTION).parse_args()
    lines = [json.dumps(case | {"hash": digest(case)}) for case in cases()]
    text = "[\n" + ",\n".join(lines) + "\n]\n"
    return command.freeze(CASES, text, len(lines), check=arguments.check, what="scaled pictures")


if __name__ == "__main__":
    sys.exit(main())
