"""Tone filters from their definitions: functions of 0 to 1 in decimals of 50 digits, everything else in integers."""

import struct
from collections.abc import Callable
from decimal import ROUND_FLOOR, Decimal, getcontext
from functools import cache
from pathlib import Path

import numpy

from equalization import counted, luma
from samples import Picture

getcontext().prec = 50

Function = Callable[[Decimal], Decimal]
ONE = Decimal(1)


# Functions of 0 to 1. Settings are the doubles that a program has for them.


def levels(black=0.0, white=1.0, gamma=1.0, output_black=0.0, output_white=1.0) -> Function:
    black, white, gamma, low, high = (Decimal(n) for n in (black, white, gamma, output_black, output_white))

    def output(x: Decimal) -> Decimal:
        position = _clamped((x - black) / (white - black))
        return low + (high - low) * (position ** (1 / gamma) if position else position)

    return output


def light(x: Decimal) -> Decimal:
    """The light of a sample of sRGB, IEC 61966-2-1."""
    bent = ((x + Decimal("0.055")) / Decimal("1.055")) ** Decimal("2.4")
    return x / Decimal("12.92") if x <= Decimal("0.04045") else bent


def encoded(light: Decimal) -> Decimal:
    """The sample of a light."""
    if light <= Decimal("0.0031308"):
        return light * Decimal("12.92")
    return Decimal("1.055") * light ** (1 / Decimal("2.4")) - Decimal("0.055")


def exposure(stops: float) -> Function:
    gain = Decimal(2) ** Decimal(stops)
    return lambda x: encoded(min(light(x) * gain, ONE))


def brightness_contrast(brightness=0.0, contrast=1.0) -> Function:
    brightness, contrast, half = Decimal(brightness), Decimal(contrast), Decimal("0.5")
    return lambda x: (x - half) * contrast + half + brightness


def curve(points: list[tuple[Decimal, Decimal]]) -> Function:
    """Fritsch and Carlson's monotone cubic, from their paper."""
    xs, ys = [Decimal(x) for x, _ in points], [Decimal(y) for _, y in points]
    pieces = [(y1 - y0) / (x1 - x0) for x0, x1, y0, y1 in zip(xs, xs[1:], ys, ys[1:])]
    slopes = [pieces[0], *((a + b) / 2 if a * b > 0 else Decimal(0) for a, b in zip(pieces, pieces[1:])), pieces[-1]]
    for i, piece in enumerate(pieces):
        if piece == 0:
            slopes[i] = slopes[i + 1] = Decimal(0)
            continue
        alpha, beta = slopes[i] / piece, slopes[i + 1] / piece
        if alpha**2 + beta**2 > 9:
            tau = 3 / (alpha**2 + beta**2).sqrt()
            slopes[i], slopes[i + 1] = tau * alpha * piece, tau * beta * piece

    def output(x: Decimal) -> Decimal:
        if x <= xs[0]:
            return ys[0]
        if x >= xs[-1]:
            return ys[-1]
        i = max(k for k, start in enumerate(xs) if start <= x)
        h = xs[i + 1] - xs[i]
        t = (x - xs[i]) / h
        # the same cubic in the form of a polynomial
        c2 = (3 * pieces[i] - 2 * slopes[i] - slopes[i + 1]) / h
        c3 = (slopes[i] + slopes[i + 1] - 2 * pieces[i]) / h**2
        d = t * h
        return ys[i] + slopes[i] * d + c2 * d**2 + c3 * d**3

    return output


def points(text: str) -> Function:
    return curve([tuple(Decimal(float(n)) for n in word.split("/")) for word in text.split()])


def photoshop(path: Path) -> list[Function]:
    """The curves of all, red, green and blue."""
    words = [word for (word,) in struct.iter_unpack(">H", path.read_bytes())]
    place, functions = 2, []
    for _ in range(words[1]):
        count = words[place]
        pairs = words[place + 1 : place + 1 + 2 * count]
        functions.append(curve([(Decimal(x) / 255, Decimal(y) / 255) for y, x in zip(pairs[::2], pairs[1::2])]))
        place += 1 + 2 * count
    return functions[:4]


def _clamped(value: Decimal) -> Decimal:
    return min(max(value, Decimal(0)), ONE)


@cache
def table(function: Function, maximum: int, greatest: int | None = None) -> numpy.ndarray:
    """What becomes of every value, at most `greatest`, by default that of the values; halves upward."""

    def output(value: int) -> int:
        exact = _clamped(function(Decimal(value) / maximum)) * (greatest or maximum) + Decimal("0.5")
        return int(exact.to_integral_value(ROUND_FLOOR))

    return numpy.array([output(value) for value in range(maximum + 1)], dtype=numpy.uint64)


# What is made of pictures; alpha stays everywhere.


def looked_up(picture: Picture, tables: list[numpy.ndarray]) -> Picture:
    """Each colour channel in its table; one table serves all."""
    result = picture.samples.copy()
    for channel in range(picture.color_channels):
        result[:, :, channel] = tables[channel % len(tables)][picture.samples[:, :, channel].astype(numpy.intp)]
    return picture.with_samples(result)


def posterized(picture: Picture, count: int) -> Picture:
    maximum = picture.maximum
    level = numpy.arange(maximum + 1, dtype=numpy.int64) * count // (maximum + 1)
    return looked_up(picture, [((2 * level * maximum + count - 1) // (2 * (count - 1))).astype(numpy.uint64)])


def stretched(picture: Picture, low: float, high: float, channels: str, counts: str = "visible") -> Picture:
    """Percentiles by sorting: value number floor(N * low) from the least, and number floor(N * (1 - high)) from the greatest."""
    seen = counted(picture, counts)
    if not seen.any():
        return picture
    planes = [picture.samples[:, :, channel] for channel in range(picture.color_channels)]
    grey = [luma(picture)] if len(planes) == 3 else planes
    below, above = round(low * 65536), 65536 - round(high * 65536)
    ranges = []
    for plane in grey if channels == "luma" else planes:
        ordered = numpy.sort(plane[seen])
        size = ordered.size
        ranges.append((int(ordered[size * below // 65536]), int(ordered[size - 1 - size * above // 65536])))
    if channels != "each":
        ranges = [(min(black for black, _ in ranges), max(white for _, white in ranges))]
    values = numpy.arange(picture.maximum + 1, dtype=numpy.int64)
    tables = []
    for black, white in ranges:
        distance = numpy.clip(values - black, 0, white - black)
        double = 2 * max(white - black, 1)
        output = (2 * distance * picture.maximum + white - black) // double if black < white else values
        tables.append(output.astype(numpy.uint64))
    return looked_up(picture, tables)


def threshold(picture: Picture, operation: str, level: int, high: int) -> Picture:
    grey = luma(picture) if picture.color_channels == 3 else picture.samples[:, :, 0].astype(numpy.int64)
    above = grey > level
    made = {
        "binary": numpy.where(above, high, 0),
        "binary-inverse": numpy.where(above, 0, high),
        "truncate": numpy.where(above, level, grey),
        "to-zero": numpy.where(above, grey, 0),
        "to-zero-inverse": numpy.where(above, 0, grey),
    }[operation]
    result = picture.samples.copy()
    result[:, :, : picture.color_channels] = made[:, :, None].astype(numpy.uint64)
    return picture.with_samples(result)
