"""Rectangles, lines and what makes rectangles unreadable, in integers of any size, by the rules on the filters' cards."""

import math

import numpy

import rendering
import windows
from samples import Picture

Color = tuple[int, int, int, int]


def _region(picture: Picture, width: int, height: int, x: int, y: int) -> tuple[slice, slice] | None:
    """The rows and columns of a rectangle that lie in the picture; None if none do."""
    rows, columns = picture.samples.shape[:2]
    inside = slice(max(y, 0), min(y + height, rows)), slice(max(x, 0), min(x + width, columns))
    return inside if all(side.start < side.stop for side in inside) else None


def _laid(picture: Picture, color: Color, coverage: numpy.ndarray) -> Picture | None:
    """`color` over a picture where `coverage`, in 4096ths, is above 0; grey pictures take grey colors alone."""
    if picture.color_channels == 1 and len(set(color[:3])) > 1:
        return None
    back = rendering.four_channels(picture)
    front = numpy.empty_like(back)
    front[...] = numpy.array(color, dtype=back.dtype) * (picture.maximum // 255)
    front[..., 3] = (front[..., 3] * coverage + 2048) >> 12
    return rendering.in_channels(rendering.over(front, back, picture.maximum), picture)


def rectangle(picture: Picture, box: tuple[int, int, int, int], color: Color, thickness: int | None) -> Picture | None:
    """The edges of `box`, its width, height, x and y, or all of it."""
    inside = _region(picture, *box)
    if inside is None:
        return None
    coverage = numpy.zeros(picture.samples.shape[:2], dtype=numpy.int64)
    coverage[inside] = 4096
    width, height, x, y = box
    if thickness is not None and min(width, height) > 2 * thickness:
        hole = _region(picture, width - 2 * thickness, height - 2 * thickness, x + thickness, y + thickness)
        if hole is not None:
            coverage[hole] = 0
    return _laid(picture, color, coverage)


def border(picture: Picture, size: int, color: Color) -> Picture | None:
    rows, columns = picture.samples.shape[:2]
    return rectangle(picture, (columns, rows, 0, 0), color, size)


def corners(start: tuple[int, int], end: tuple[int, int], thickness: int) -> list[tuple[int, int]]:
    """The corners of a line, in 256ths of a pixel."""
    if (start[1], start[0]) > (end[1], end[0]):
        start, end = end, start
    way = [last - first for first, last in zip(start, end)]
    length = math.isqrt(sum(part * part for part in way) << 20)
    along = [128 * thickness, 0]
    if length:
        along = [(2 * (128 * thickness * part << 10) + length) // (2 * length) for part in way]
    across = [-along[1], along[0]]
    middles = [[256 * place + 128 for place in point] for point in (start, end)]
    ends = [[a - b for a, b in zip(middles[0], along)], [a + b for a, b in zip(middles[1], along)]]
    return [
        (ends[number][0] + sign * across[0], ends[number][1] + sign * across[1])
        for number, sign in [(0, 1), (1, 1), (1, -1), (0, -1)]
    ]


def line(
    picture: Picture, start: tuple[int, int], end: tuple[int, int], color: Color, thickness: int = 1
) -> Picture | None:
    rows, columns = picture.samples.shape[:2]
    around = corners(start, end, thickness)
    low = [min(point[axis] for point in around) >> 8 for axis in (0, 1)]
    high = [max(point[axis] for point in around) >> 8 for axis in (0, 1)]
    if _region(picture, high[0] - low[0] + 1, high[1] - low[1] + 1, *low) is None:
        return None
    left = 256 * numpy.arange(columns, dtype=numpy.int64)
    coverage = numpy.zeros((rows, columns), dtype=numpy.int64)
    for row in range(rows):
        for height in range(256 * row + 8, 256 * row + 256, 16):
            crossings = []
            for one, other in zip(around, around[1:] + around[:1]):
                (x, top), (far, bottom) = sorted((one, other), key=lambda point: point[1])
                if top <= height < bottom:
                    crossings.append(x + (height - top) * (far - x) // (bottom - top))
            if crossings:
                first, last = min(crossings), max(crossings)
                coverage[row] += numpy.clip(numpy.minimum(last, left + 256) - numpy.maximum(first, left), 0, None)
    return _laid(picture, color, coverage)


def pixelated(picture: Picture, box: tuple[int, int, int, int], block: int) -> Picture | None:
    inside = _region(picture, *box)
    if inside is None:
        return None
    made = picture.samples.copy()
    rows, columns = inside
    for y in range(rows.start, rows.stop, block):
        for x in range(columns.start, columns.stop, block):
            square = made[y:min(y + block, rows.stop), x:min(x + block, columns.stop)]
            count = square.shape[0] * square.shape[1]
            square[...] = (square.astype(numpy.uint64).sum(axis=(0, 1)) + count // 2) // count
    return picture.with_samples(made)


def blurred(picture: Picture, box: tuple[int, int, int, int], sigma: float) -> Picture | None:
    inside = _region(picture, *box)
    if inside is None:
        return None
    deep = picture.samples.astype(numpy.uint8 if picture.maximum == 255 else numpy.uint16)
    made = picture.samples.copy()
    made[inside] = windows.each_plane(deep, lambda plane: windows.blur(plane, sigma))[inside]
    return picture.with_samples(made)
