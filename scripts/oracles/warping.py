"""Pictures whose pixels come from positions in others, in integers: affine, perspective, rotate, undistort, remap.

A map says, for the columns and rows of pixels that are made, where they come from: integers of 2^-40 pixels, exact
quotients of integers, or the words NOWHERE. Each map is held against OpenCV's or Pillow's in real numbers."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy

import resizing

ONE = 1 << 40
FAR = 1 << 22
TAPS = {"nearest": 1, "bilinear": 2, "bicubic": 4, "lanczos": 6}
Size = tuple[int, int]


@dataclass
class Positions:
    """Columns and rows in 256ths of pixels, or in pixels for nearest, and which pixels come from somewhere."""

    columns: numpy.ndarray
    rows: numpy.ndarray
    seen: numpy.ndarray


# Positions for the size of the picture and that of the result, and whether they are whole pixels; None for a picture
# that is refused.
Map = Callable[[Size, Size, bool], Positions | None]


def _rounded(value: float, scale: float = ONE) -> int:
    """To the nearest, halves away from 0, as Swift's `rounded()` does."""
    value *= scale
    if abs(value) >= 1 << 52:
        return int(value)
    return int(math.floor(abs(value) + 0.5)) * (1 if value >= 0 else -1)


def _grid(made: Size) -> tuple[numpy.ndarray, numpy.ndarray]:
    rows, columns = numpy.indices((made[1], made[0]), dtype=object)
    return columns, rows


def _whole(values: numpy.ndarray, is_nearest: bool) -> numpy.ndarray:
    shift = 40 if is_nearest else 32
    return ((values + (1 << (shift - 1))) >> shift).astype(numpy.int64)


def _planes(across: list[int], down: list[int], made: Size, is_nearest: bool) -> Positions:
    columns, rows = _grid(made)
    values = [numbers[0] * columns + numbers[1] * rows + numbers[2] for numbers in (across, down)]
    return Positions(*(_whole(value, is_nearest) for value in values), numpy.ones(columns.shape, dtype=bool))


def _check(
    positions: Positions, theirs: tuple[numpy.ndarray, numpy.ndarray], is_nearest: bool, name: str
) -> Positions:
    """Positions must be within half a 256th of a pixel, and 1/32768, of those in real numbers."""
    if is_nearest:
        return positions
    for ours, real in zip((positions.columns, positions.rows), theirs):
        near = positions.seen & (abs(real) < 1 << 15)
        difference = abs(ours - real * 256)[near]
        assert difference.size == 0 or difference.max() <= 0.5 + 256 / 32768, f"{name}: off by {difference.max()} 256ths"
    return positions


def affine(numbers: list[float]) -> Map:
    """The map of cv2.warpAffine."""
    a, b, c, d, e, f = numbers
    determinant = a * e - b * d
    inverse = [e, -b, b * f - e * c, -d, a, d * c - a * f]
    inverse = [value / determinant for value in inverse]

    def positions(size: Size, made: Size, is_nearest: bool) -> Positions:
        found = _planes([_rounded(v) for v in inverse[:3]], [_rounded(v) for v in inverse[3:]], made, is_nearest)
        theirs = cv2.invertAffineTransform(numpy.array(numbers).reshape(2, 3))
        rows, columns = numpy.indices((made[1], made[0]), dtype=numpy.float64)
        real = [row[0] * columns + row[1] * rows + row[2] for row in theirs]
        return _check(found, real, is_nearest, "affine")

    return positions


def scaling(scale: tuple[float, float], translation: tuple[float, float]) -> Map:
    """A picture that is scaled, then moved, both from its upper left corner."""

    def positions(size: Size, made: Size, is_nearest: bool) -> Positions:
        steps = [_rounded(1 / by) for by in scale]
        firsts = [_rounded((0.5 - shift) / by - 0.5) for by, shift in zip(scale, translation)]
        found = _planes([steps[0], 0, firsts[0]], [0, steps[1], firsts[1]], made, is_nearest)
        rows, columns = numpy.indices((made[1], made[0]), dtype=numpy.float64)
        # OpenCV's matrix moves the middles of pixels.
        moved = [(factor - 1) / 2 + distance for factor, distance in zip(scale, translation)]
        matrix = [[scale[0], 0, moved[0]], [0, scale[1], moved[1]]]
        inverse = cv2.invertAffineTransform(numpy.array(matrix))
        real = [row[0] * columns + row[1] * rows + row[2] for row in inverse]
        return _check(found, real, is_nearest, "scaling")

    return positions


def turned_size(size: Size, degrees: float) -> Size:
    cosine, sine = (abs(_rounded(f(math.radians(degrees)))) for f in (math.cos, math.sin))
    side = lambda width, height: (size[0] * width + size[1] * height + (0xFFF << 28)) >> 40
    return side(cosine, sine), side(sine, cosine)


def rotation(degrees: float) -> Map:
    """Clockwise, around the middle: cv2.getRotationMatrix2D with another middle."""
    angle = degrees * math.pi / 180
    cosine, sine = _rounded(math.cos(angle)), _rounded(math.sin(angle))

    def positions(size: Size, made: Size, is_nearest: bool) -> Positions:
        first = lambda side, across, down: ((side - 1) * ONE - across * (made[0] - 1) - down * (made[1] - 1)) >> 1
        across = [cosine, sine, first(size[0], cosine, sine)]
        down = [-sine, cosine, first(size[1], -sine, cosine)]
        found = _planes(across, down, made, is_nearest)
        matrix = cv2.getRotationMatrix2D(((size[0] - 1) / 2, (size[1] - 1) / 2), -degrees, 1)
        matrix[:, 2] += [(made[0] - size[0]) / 2, (made[1] - size[1]) / 2]
        rows, columns = numpy.indices((made[1], made[0]), dtype=numpy.float64)
        real = [row[0] * columns + row[1] * rows + row[2] for row in cv2.invertAffineTransform(matrix)]
        return _check(found, real, is_nearest, "rotate")

    return positions


def _corners(size: Size) -> list[tuple[float, float]]:
    right, bottom = max(size[0], 2) - 1, max(size[1], 2) - 1
    return [(0, 0), (right, 0), (right, bottom), (0, bottom)]


def _exponent(value: float) -> int:
    return math.frexp(value)[1] - 1


def perspective(source: list | None, shown: list | None) -> Map:
    """The map of cv2.getPerspectiveTransform, by Heckbert's formula, in the order of operations of Safelight."""

    def square_to(p: list) -> numpy.ndarray:
        p = [numpy.array(point, dtype=numpy.float64) for point in p]
        one, two, total = p[1] - p[2], p[3] - p[2], p[0] - p[1] + p[2] - p[3]
        determinant = one[0] * two[1] - two[0] * one[1]
        g = (total[0] * two[1] - two[0] * total[1]) / determinant
        h = (one[0] * total[1] - total[0] * one[1]) / determinant
        right, below = p[1] - p[0] + g * p[1], p[3] - p[0] + h * p[3]
        return numpy.array([[right[0], below[0], p[0][0]], [right[1], below[1], p[0][1]], [g, h, 1.0]])

    def cross(a: numpy.ndarray, b: numpy.ndarray) -> numpy.ndarray:
        return numpy.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])

    def positions(size: Size, made: Size, is_nearest: bool) -> Positions:
        seen, at = source or _corners(size), shown or _corners(made)
        first, second = square_to(at), square_to(seen)
        columns = [cross(first[1], first[2]), cross(first[2], first[0]), cross(first[0], first[1])]
        inverse = numpy.array([[column[row] for column in columns] for row in range(3)])
        rows = [row[0] * inverse[0] + row[1] * inverse[1] + row[2] * inverse[2] for row in second]
        middle = numpy.array([0.0, 0.0])
        for point in at:
            middle = middle + numpy.array(point, dtype=numpy.float64)
        middle = middle / 4
        if rows[2][0] * middle[0] + rows[2][1] * middle[1] + rows[2][2] < 0:
            rows = [-row for row in rows]
        right, bottom = made[0] - 1, made[1] - 1

        def greatest(row: numpy.ndarray) -> float:
            values = [row[0] * x + row[1] * y + row[2] for x, y in [(0, 0), (right, 0), (right, bottom), (0, bottom)]]
            return max(abs(value) for value in values + list(row))

        exponent = min(43 - _exponent(greatest(rows[2])), 59 - _exponent(max(greatest(rows[0]), greatest(rows[1]))))
        planes = [[_rounded(value, 2.0**exponent) for value in row] for row in rows]
        x, y = _grid(made)
        across, down, divisor = (plane[0] * x + plane[1] * y + plane[2] for plane in planes)
        columns, rows = (numpy.zeros(x.shape, dtype=numpy.int64) for _ in range(2))
        found = Positions(columns, rows, (divisor > 0).astype(bool))
        for values, target in ((across, found.columns), (down, found.rows)):
            for place in zip(*numpy.nonzero(found.seen)):
                number, by = int(values[place]), int(divisor[place])
                half = by >> 1
                whole = (number + half if is_nearest else number) // by
                if not -FAR <= whole < FAR:
                    target[place] = (1 if whole > 0 else -1) * (FAR if is_nearest else FAR << 8)
                else:
                    target[place] = whole if is_nearest else 256 * whole + ((number - whole * by) * 256 + half) // by
        theirs = cv2.getPerspectiveTransform(
            numpy.array(at, dtype=numpy.float32), numpy.array(seen, dtype=numpy.float32), cv2.DECOMP_SVD)
        if numpy.allclose(numpy.array(at, dtype=numpy.float32), at) and numpy.allclose(numpy.float32(seen), seen):
            y, x = numpy.indices((made[1], made[0]), dtype=numpy.float64)
            with numpy.errstate(all="ignore"):
                below = theirs[2][0] * x + theirs[2][1] * y + theirs[2][2]
                real = [(row[0] * x + row[1] * y + row[2]) / below for row in theirs[:2]]
            # Near the horizon OpenCV's own doubles are off by more.
            far = numpy.maximum(abs(real[0]), abs(real[1])) > 1000
            kept = Positions(found.columns, found.rows, found.seen & ~far)
            _check(kept, real, is_nearest, "perspective")
        return found

    return positions


def undistortion(
    k1: float = 0, k2: float = 0, p1: float = 0, p2: float = 0, k3: float = 0, fx: float = 0, fy: float = 0,
    cx: float = -1, cy: float = -1
) -> Map:
    """The map of cv2.initUndistortRectifyMap."""
    fy = fy or fx

    def even(value: float) -> int:
        return int(numpy.rint(value))

    def positions(size: Size, made: Size, is_nearest: bool) -> Positions | None:
        center = (cx if cx != -1 else (size[0] - 1) / 2, cy if cy != -1 else (size[1] - 1) / 2)
        distances = []
        for x, y in [(0, 0), (size[0] - 1, 0), (0, size[1] - 1), (size[0] - 1, size[1] - 1)]:
            across, down = (x - center[0]) / fx, (y - center[1]) / fy
            distances.append(math.sqrt(across * across + down * down))
        unit = 1 / 1024
        while unit < max(distances) * 1.0001 or unit * min(fx, fy) < 1:
            unit *= 2
        square = unit * unit
        radial = [k1 * square, k2 * square * square, k3 * square * square * square]
        tangents = [p1 * unit, p2 * unit]
        total = sum(abs(value) for value in radial) + 3 * sum(abs(value) for value in tangents)
        spare = next((bits for bits in range(1, 13) if total < (1 << bits) / 2), None)
        if spare is None:
            return None
        scale = 1 << (30 - spare)
        radial = [even(value * scale) for value in radial]
        tangents = [even(value * scale) for value in tangents]
        pixels = [fx * unit, fy * unit]
        radius = [even(value * (1 << (10 + spare))) for value in pixels]
        x, y = _grid(made)
        fine = 1 << 56
        across = (_rounded(1 / pixels[0], fine) * x + _rounded(-center[0] / pixels[0], fine) + (1 << 25)) >> 26
        down = (_rounded(1 / pixels[1], fine) * y + _rounded(-center[1] / pixels[1], fine) + (1 << 25)) >> 26
        product = lambda a, b: (a * b + (1 << 29)) >> 30
        xx, yy, xy = product(across, across), product(down, down), product(across, down)
        rr = xx + yy
        bend = product(radial[0] + product(radial[1] + product(radial[2], rr), rr), rr)
        one, two = tangents
        moved = [
            product(bend, across) + 2 * product(one, xy) + product(two, rr) + 2 * product(two, xx),
            product(bend, down) + 2 * product(two, xy) + product(one, rr) + 2 * product(one, yy),
        ]
        values = [(place << 40) + by * part for place, by, part in zip((x, y), radius, moved)]
        found = Positions(*(_whole(value, is_nearest) for value in values), numpy.ones(x.shape, dtype=bool))
        camera = numpy.array([[fx, 0, center[0]], [0, fy, center[1]], [0, 0, 1]])
        real = cv2.initUndistortRectifyMap(
            camera, numpy.array([k1, k2, p1, p2, k3]), None, camera, made, cv2.CV_32FC1)
        # Their map has 24 bits.
        if max(abs(plane).max() for plane in real) < 256:
            _check(found, tuple(plane.astype(numpy.float64) for plane in real), is_nearest, "undistort")
        return found

    return positions


def picture_map(coordinates: numpy.ndarray, steps: int) -> Map:
    """The map of cv2.remap, whose coordinates are samples of red and green."""
    pairs = coordinates[..., :2].astype(object)

    def positions(size: Size, made: Size, is_nearest: bool) -> Positions:
        if steps:
            values = [pairs[..., axis] * (ONE // steps) for axis in (0, 1)]
        else:
            values = [pairs[..., axis] * ((size[axis] << 40) // 65535) - ONE // 2 for axis in (0, 1)]
        return Positions(*(_whole(value, is_nearest) for value in values), numpy.ones(pairs.shape[:2], dtype=bool))

    return positions


def _weights(part: int, mode: str) -> list[int]:
    """In 1024ths; the first of the greatest takes what rounding left over."""
    function = resizing._cubic if mode == "bicubic" else resizing._lanczos
    taps = TAPS[mode]
    values = [function(place + 1 - taps // 2 - part / 256) for place in range(taps)]
    total = 0.0
    for value in values:
        total += value
    weights = [_rounded(value / total, 1024) for value in values]
    weights[weights.index(max(weights))] += 1024 - sum(weights)
    return weights


def _seen(places: numpy.ndarray, count: int, edge: str) -> numpy.ndarray:
    if edge in ("color", "clamp"):
        return numpy.clip(places, 0, count - 1)
    period = max(2 * count - 2, 1)
    rest = places % period
    return numpy.minimum(rest, period - rest)


def warped(
    samples: numpy.ndarray, positions: Positions, mode: str, edge: str, color: numpy.ndarray, maximum: int
) -> numpy.ndarray:
    height, width = samples.shape[:2]
    samples = samples.astype(numpy.int64)
    color = numpy.asarray(color, dtype=numpy.int64)

    def at(columns: numpy.ndarray, rows: numpy.ndarray) -> numpy.ndarray:
        pixels = samples[_seen(rows, height, edge), _seen(columns, width, edge)]
        if edge == "color":
            inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
            pixels = numpy.where(inside[..., None], pixels, color)
        return pixels

    columns, rows = positions.columns, positions.rows
    if mode == "nearest":
        result = at(columns, rows)
    else:
        taps = TAPS[mode]
        if mode == "bilinear":
            table, bits = numpy.array([[256 - part, part] for part in range(256)], dtype=numpy.int64), 16
        else:
            table, bits = numpy.array([_weights(part, mode) for part in range(256)], dtype=numpy.int64), 20
        total = numpy.zeros(columns.shape + samples.shape[2:], dtype=numpy.int64)
        for down in range(taps):
            for across in range(taps):
                weight = table[columns & 255, across] * table[rows & 255, down]
                pixels = at((columns >> 8) + across + 1 - max(taps // 2, 1), (rows >> 8) + down + 1 - max(taps // 2, 1))
                total += weight[..., None] * pixels
        result = numpy.clip((total + (1 << (bits - 1))) >> bits, 0, maximum)
    return numpy.where(positions.seen[..., None], result, color)
