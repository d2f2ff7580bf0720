"""Look-up tables of `.cube` files, read by a few lines of Python and applied in integers or decimals."""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path

import numpy

import tone
from samples import Picture


@dataclass(frozen=True)
class Table:
    """Entries as lists of three decimals, and the colors of the first and the last."""

    entries: list[list[Decimal]]
    least: list[Decimal]
    greatest: list[Decimal]


@dataclass(frozen=True)
class CubeFile:
    """A table of one dimension, a cube of `size`, or a table whose outputs are looked up in the cube."""

    line: Table | None
    cube: Table | None
    size: int | None
    takes_video: bool = False
    makes_video: bool = False


def read(path: Path) -> CubeFile:
    entries: list[list[Decimal]] = []
    sizes: dict[str, int] = {}
    words_alone: set[str] = set()
    # what a program reads are doubles
    ranges = {name: ([Decimal(0)] * 3, [Decimal(1)] * 3) for name in ("1D", "3D")}
    for line in path.read_text(encoding="utf-8-sig").splitlines():
        words = line.split("#")[0].split()
        if not words or words[0] == "TITLE":
            continue
        numbers = [Decimal(float(word)) for word in words[1:]]
        match words[0]:
            case "LUT_1D_SIZE" | "LUT_3D_SIZE":
                sizes[words[0][4:6]] = int(words[1])
            case "DOMAIN_MIN":
                ranges = {name: (numbers, greatest) for name, (_, greatest) in ranges.items()}
            case "DOMAIN_MAX":
                ranges = {name: (least, numbers) for name, (least, _) in ranges.items()}
            case "LUT_1D_INPUT_RANGE" | "LUT_3D_INPUT_RANGE":
                ranges[words[0][4:6]] = ([numbers[0]] * 3, [numbers[1]] * 3)
            case "LUT_IN_VIDEO_RANGE" | "LUT_OUT_VIDEO_RANGE":
                words_alone.add(words[0])
            case _:
                entries.append([Decimal(float(word)) for word in words])
    first = sizes.get("1D", 0)
    return CubeFile(
        Table(entries[:first], *ranges["1D"]) if first else None,
        Table(entries[first:], *ranges["3D"]) if "3D" in sizes else None,
        sizes.get("3D"),
        "LUT_IN_VIDEO_RANGE" in words_alone,
        "LUT_OUT_VIDEO_RANGE" in words_alone,
    )


def video(color: Decimal) -> Decimal:
    """Full range to video range: "64 - 940 in 10-bit scale", Developer/LUT/README.txt of DaVinci Resolve."""
    return (64 + 876 * color) / 1023


def full(color: Decimal) -> Decimal:
    return (1023 * color - 64) / 876


def apply(picture: Picture, file: CubeFile) -> Picture:
    return cubed(picture, file) if file.cube else tone.looked_up(picture, channels(picture, file))


def line(table: Table, channel: int) -> tone.Function:
    """Straight lines between the entries."""
    last = len(table.entries) - 1
    least, greatest = table.least[channel], table.greatest[channel]

    def output(x: Decimal) -> Decimal:
        place = min(max((x - least) / (greatest - least), Decimal(0)), Decimal(1)) * last
        entry = min(int(place), last - 1)
        first, second = table.entries[entry][channel], table.entries[entry + 1][channel]
        return first + (second - first) * (place - entry)

    return output


def channels(picture: Picture, file: CubeFile) -> list[numpy.ndarray]:
    def output(channel: int) -> tone.Function:
        function = line(file.line, channel)

        def ranged(x: Decimal) -> Decimal:
            y = function(video(x) if file.takes_video else x)
            return full(y) if file.makes_video else y

        return ranged

    return [tone.table(output(channel), picture.maximum) for channel in range(3)]


def cubed(picture: Picture, file: CubeFile) -> Picture:
    """Tetrahedral interpolation by the integers of the documentation, with numpy's sorting for the order of the axes."""
    maximum, size, cube = picture.maximum, file.size, file.cube
    colors_of_entries = [[full(entry) if file.makes_video else entry for entry in colors] for colors in cube.entries]
    entries = numpy.array([[_rounded(entry, 65535) for entry in colors] for colors in colors_of_entries], dtype=numpy.int64)
    has_domain = bool(file.line) or file.takes_video or cube.least != [0] * 3 or cube.greatest != [1] * 3
    scale = 65535 if maximum == 65535 else 65280 if has_domain else 255
    colors = picture.samples[:, :, :3].reshape(-1, 3).astype(numpy.int64)
    if has_domain:
        for channel in range(3):
            least, greatest = cube.least[channel], cube.greatest[channel]
            shape = line(file.line, channel) if file.line else lambda x: x

            def place(v: int) -> Decimal:
                x = Decimal(v) / maximum
                return (shape(video(x) if file.takes_video else x) - least) / (greatest - least)

            places = [_rounded(place(v), scale) for v in range(maximum + 1)]
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
