"""CLAHE from its definition on the page Equalization, where only some of a picture's pixels may count.

Floats are of 32 bits and rounded after each step, as OpenCV's are. Where all pixels count the bytes must be those of
cv2.createCLAHE, which freeze-clahe asserts. A tile that counts `m` of its `n` pixels has `m` in place of `n` in its table and
`max(1, floor(greatest * m / n))` in place of the greatest count; one that counts none changes nothing.
"""

import numpy

import equalization
from samples import Picture

F = numpy.float32


def equalize(picture: Picture, clip: float, columns: int, rows: int, channels: str, counted: numpy.ndarray) -> Picture:
    """The picture with its colors equalized by those of its pixels that are `counted`."""
    result = picture.samples.copy()
    if channels == "luma" and picture.color_channels == 3:
        old = equalization.luma(picture)
        made = plane(old, picture.maximum, clip, columns, rows, counted)
        result[:, :, :3] = equalization.with_luma(picture, old, made)
    else:
        for channel in range(picture.color_channels):
            values = picture.samples[:, :, channel].astype(numpy.int64)
            result[:, :, channel] = plane(values, picture.maximum, clip, columns, rows, counted)
    return picture.with_samples(result)


def plane(values: numpy.ndarray, maximum: int, clip: float, columns: int, rows: int, counted: numpy.ndarray) -> numpy.ndarray:
    height, width = values.shape
    wide, high = width, height
    if width % columns or height % rows:
        wide, high = width + columns - width % columns, height + rows - height % rows
    # As far as needed: c b a b c b …
    xs, ys = _reflected(width, wide), _reflected(height, high)
    padded, seen = values[ys][:, xs], counted[ys][:, xs]
    across, down = wide // columns, high // rows
    tables = numpy.empty((rows, columns, maximum + 1), dtype=F)
    for row in range(rows):
        for column in range(columns):
            place = numpy.s_[row * down : (row + 1) * down, column * across : (column + 1) * across]
            tables[row, column] = table(padded[place][seen[place]], across * down, maximum, clip)
    x0, x1, wx, vx = _weights(width, across, columns)
    y0, y1, wy, vy = (part[:, None] for part in _weights(height, down, rows))
    above = tables[y0, x0, values] * wx + tables[y0, x1, values] * vx
    below = tables[y1, x0, values] * wx + tables[y1, x1, values] * vx
    return numpy.clip(numpy.rint(above * wy + below * vy), 0, maximum).astype(numpy.int64)


def table(values: numpy.ndarray, area: int, maximum: int, clip: float) -> numpy.ndarray:
    entries, count = maximum + 1, values.size
    if count == 0:
        return numpy.arange(entries, dtype=F)
    counts = numpy.bincount(values, minlength=entries)
    if clip > 0:
        greatest = max(1, max(1, int(clip * area / entries)) * count // area)
        excess = int(numpy.maximum(counts - greatest, 0).sum())
        counts = numpy.minimum(counts, greatest) + excess // entries
        rest = excess % entries
        if rest:
            counts[numpy.arange(rest) * (entries // rest)] += 1
    scaled = numpy.cumsum(counts).astype(F) * (F(maximum) / F(count))
    return numpy.minimum(numpy.rint(scaled), F(maximum))


def _reflected(length: int, needed: int) -> numpy.ndarray:
    place = numpy.arange(needed) % max(1, 2 * (length - 1))
    return numpy.minimum(place, 2 * (length - 1) - place) if length > 1 else numpy.zeros(needed, dtype=int)


def _weights(length: int, tile: int, tiles: int) -> tuple[numpy.ndarray, ...]:
    place = numpy.arange(length).astype(F) * (F(1) / F(tile)) - F(0.5)
    first = numpy.floor(place)
    after = place - first
    first = first.astype(int)
    return numpy.maximum(first, 0), numpy.minimum(first + 1, tiles - 1), F(1) - after, after
