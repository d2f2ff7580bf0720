"""Look-up tables of `.cube` files, read by a few lines of Python and applied in integers or decimals."""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path

import numpy

import tone
from samples import Picture


@dataclass(frozen=True)
class CubeFile:
    """Entries as (count, 3) decimals, the size of an axis where there are three, and the domain."""

    entries: list[list[Decimal]]
    size: int | None
    least: list[Decimal]
    greatest: list[Decimal]


def read(path: Path) -> CubeFile:
    entries, size = [], None
    # what a program reads are doubles
    least, greatest = [Decimal(0)] * 3, [Decimal(1)] * 3
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if not words or words[0] == "TITLE":
            continue
        numbers = [Decimal(float(word)) for word in words[1:]]
        match words[0]:
            case "LUT_1D_SIZE":
                pass
            case "LUT_3D_SIZE":
                size = int(words[1])
            case "DOMAIN_MIN":
                least = numbers
            case "DOMAIN_MAX":
                greatest = numbers
            case "LUT_3D_INPUT_RANGE":
                least, greatest = [numbers[0]] * 3, [numbers[1]] * 3
            case _:
                entries.append([Decimal(float(word)) for word in words])
    return CubeFile(entries, size, least, greatest)


def apply(picture: Picture, file: CubeFile) -> Picture:
    return cubed(picture, file) if file.size else tone.looked_up(picture, channels(picture, file))


def channels(picture: Picture, file: CubeFile) -> list[numpy.ndarray]:
    def line(channel: int) -> tone.Function:
        last = len(file.entries) - 1
        least, greatest = file.least[channel], file.greatest[channel]

        def output(x: Decimal) -> Decimal:
            place = min(max((x - least) / (greatest - least), Decimal(0)), Decimal(1)) * last
            entry = min(int(place), last - 1)
            first, second = file.entries[entry][channel], file.entries[entry + 1][channel]
            return first + (second - first) * (place - entry)

        return output

    return [tone.table(line(channel), picture.maximum) for channel in range(3)]


def cubed(picture: Picture, file: CubeFile) -> Picture:
    """Tetrahedral interpolation by the integers of the documentation, with numpy's sorting for the order of the axes."""
    maximum, size = picture.maximum, file.size
    entries = numpy.array([[_rounded(entry, 65535) for entry in line] for line in file.entries], dtype=numpy.int64)
    has_domain = file.least != [0] * 3 or file.greatest != [1] * 3
    scale = 65535 if maximum == 65535 else 65280 if has_domain else 255
    colors = picture.samples[:, :, :3].reshape(-1, 3).astype(numpy.int64)
    if has_domain:
        for channel in range(3):
            least, greatest = file.least[channel], file.greatest[channel]
            places = [_rounded((Decimal(v) / maximum - least) / (greatest - least), scale) for v in range(maximum + 1)]
            colors[:, channel] = numpy.array(places)[colors[:, channel]]
    cells, parts = numpy.divmod(colors * (size - 1), scale)
    order = numpy.argsort(-parts, axis=1, kind="stable")
    falling = numpy.take_along_axis(parts, order, axis=1)
    weights = numpy.concatenate(
        [scale - falling[:, :1], falling[:, :1] - falling[:, 1:2], falling[:, 1:2] - falling[:, 2:], falling[:, 2:]], axis=1
    )
    corner = cells.copy()
    total = numpy.zeros_like(colors)
    for step in range(4):
        if step:
            corner[numpy.arange(len(corner)), order[:, step - 1]] += 1
        # a corner behind the last has the weight 0
        inside = numpy.minimum(corner, size - 1)
        number = inside[:, 0] + size * (inside[:, 1] + size * inside[:, 2])
        total += weights[:, step : step + 1] * entries[number]
    divisor = scale * 65535 // maximum
    made = (2 * total + divisor) // (2 * divisor)
    result = picture.samples.copy()
    result[:, :, :3] = made.reshape(*picture.samples.shape[:2], 3).astype(numpy.uint64)
    return picture.with_samples(result)


def _rounded(value: Decimal, scale: int) -> int:
    clamped = min(max(value, Decimal(0)), Decimal(1))
    return int((clamped * scale + Decimal("0.5")).to_integral_value(ROUND_FLOOR))
