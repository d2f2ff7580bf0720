"""Tests check-equalization: against the rule spelled out in plain Python, and with planted faults."""

import contextlib
import io
from itertools import product
from pathlib import Path

import numpy
import png

import check_equalization
import command
import equalization
import samples
from samples import Picture


def run() -> int:
    """Runs every test; prints what fails, and a count."""
    return command.self_test({name: test for name, test in globals().items() if name.startswith("test_")})


def test_agrees_with_plain_python(folder: Path) -> None:
    shapes = [(1, 1), (1, 7), (5, 3), (9, 8)]
    for (height, width), channels, bits, mode in product(shapes, [1, 2, 3, 4], [8, 16], ["each", "luma"]):
        for spread in [1, 7, (1 << bits) - 1]:
            picture = made(height, width, channels, bits, spread)
            expected = equalized_in_plain_python(picture.samples.tolist(), bits, mode)
            actual = equalization.equalize(picture, mode).samples.tolist()
            assert actual == expected, f"{width}x{height} {picture.kind} {mode}, values up to {spread}"


def test_known_table(folder: Path) -> None:
    # Four pixels of values 1 1 2 9: C = 2 of 4, 3 of 4, 4 of 4, so 127.5 -> 128, 191.25 -> 191, 255.
    table = equalization.lookup_table(numpy.array([[1, 1, 2, 9]], dtype=numpy.uint64), 255)
    assert [int(table[i]) for i in (0, 1, 2, 8, 9, 255)] == [0, 128, 191, 191, 255, 255], "8 bits"
    table = equalization.lookup_table(numpy.array([[0, 65535]], dtype=numpy.uint64), 65535)
    assert [int(table[i]) for i in (0, 65534, 65535)] == [32768, 32768, 65535], "16 bits"


def test_reads_every_kind(folder: Path) -> None:
    path = folder / "a.png"

    write(path, [[0, 1, 1, 0]], greyscale=True, bitdepth=1)
    expect(samples.read(path), "grey8", [[[0], [255], [255], [0]]])
    write(path, [[0, 1, 2, 3]], greyscale=True, bitdepth=2)
    expect(samples.read(path), "grey8", [[[0], [85], [170], [255]]])
    write(path, [[0, 9, 15]], greyscale=True, bitdepth=4, transparent=9)
    expect(samples.read(path), "grey+alpha8", [[[0, 255], [153, 0], [255, 255]]])
    write(path, [[1, 258, 65535]], greyscale=True, bitdepth=16, transparent=258)
    expect(samples.read(path), "grey+alpha16", [[[1, 65535], [258, 0], [65535, 65535]]])
    write(path, [[1, 2, 3, 1, 2, 4]], greyscale=False, bitdepth=8, transparent=(1, 2, 3))
    expect(samples.read(path), "rgba8", [[[1, 2, 3, 0], [1, 2, 4, 255]]])
    write(path, [[300, 2, 65535]], greyscale=False, bitdepth=16)
    expect(samples.read(path), "rgb16", [[[300, 2, 65535]]])
    write(path, [[2, 0, 1]], palette=[(1, 2, 3), (4, 5, 6), (7, 8, 9)], bitdepth=2)
    expect(samples.read(path), "rgb8", [[[7, 8, 9], [1, 2, 3], [4, 5, 6]]])
    write(path, [[1, 0]], palette=[(1, 2, 3, 128), (4, 5, 6)], bitdepth=1)
    expect(samples.read(path), "rgba8", [[[4, 5, 6, 255], [1, 2, 3, 128]]])


def test_finds_one_planted_sample(folder: Path) -> None:
    for channels, bits, mode in product([1, 2, 3, 4], [8, 16], ["each", "luma"]):
        source, output = folder / "in.png", folder / "out.png"
        picture = made(6, 5, channels, bits, 90)
        right = equalization.equalize(picture, mode)
        write_picture(source, picture)
        write_picture(output, right)
        assert status(source, output, mode) == (0, "1 files, 0 differing samples"), f"{right.kind} {mode} as it is"
        for channel in range(channels):
            wrong = right.samples.copy()
            wrong[4, 3, channel] ^= numpy.uint64(1)
            write_picture(output, right.with_samples(wrong))
            assert status(source, output, mode) == (1, "1 files, 1 differing samples"), f"{right.kind} {mode} planted"


def test_tells_the_modes_apart(folder: Path) -> None:
    source, output = folder / "in.png", folder / "out.png"
    picture = made(6, 5, 3, 8, 90)
    write_picture(source, picture)
    write_picture(output, equalization.equalize(picture, "luma"))
    assert status(source, output, "each")[0] == 1, "luma passed for each"


def test_kind_and_depth_are_kept(folder: Path) -> None:
    source, output = folder / "in.png", folder / "out.png"

    # Black and white in equal parts stays in two of the 8-bit levels, but 128 does not fit into 1 bit.
    write(source, [[0, 1]], greyscale=True, bitdepth=1)
    write(output, [[128, 255]], greyscale=True, bitdepth=8)
    assert status(source, output)[0] == 0, "1 bit to 8 bits"
    write(output, [[8, 15]], greyscale=True, bitdepth=4)
    assert status(source, output)[0] == 1, "1 bit to 4 bits"
    write(source, [[1, 1]], greyscale=True, bitdepth=1)
    write(output, [[1, 1]], greyscale=True, bitdepth=1)
    assert status(source, output)[0] == 0, "1 bit kept, all levels fit"
    write(output, [[255] * 3 * 2], greyscale=False, bitdepth=8)
    assert status(source, output)[0] == 1, "grey became RGB"

    palette = [(0, 0, 0), (255, 255, 255)]
    write(source, [[1, 1]], palette=palette, bitdepth=1)
    write(output, [[1, 1]], palette=palette, bitdepth=1)
    assert status(source, output)[0] == 1, "the palette stayed"
    write(output, [[255] * 3 * 2], greyscale=False, bitdepth=8)
    assert status(source, output)[0] == 0, "palette to RGB"
    write(source, [[1, 1]], palette=[(0, 0, 0, 7), (255, 255, 255)], bitdepth=1)
    assert status(source, output)[0] == 1, "transparency was lost"

    write(source, [[65535, 65535]], greyscale=True, bitdepth=16)
    write(output, [[255, 255]], greyscale=True, bitdepth=8)
    assert status(source, output)[0] == 1, "16 bits became 8"


def test_nothing_to_compare(folder: Path) -> None:
    source, output = folder / "in", folder / "out"
    source.mkdir()
    output.mkdir()
    assert status(source, output)[0] == 2, "empty folders"
    write(source / "a.png", [[1]], greyscale=True, bitdepth=8)
    assert status(source, output)[0] == 2, "an output is missing"
    write(output / "a.png", [[255]], greyscale=True, bitdepth=8)
    assert status(source, output) == (0, "1 files, 0 differing samples"), "one pair"
    write(output / "b.png", [[255]], greyscale=True, bitdepth=8)
    assert status(source, output)[0] == 2, "an output without input"
    assert status(source / "a.png", output)[0] == 2, "a file and a folder"
    assert status(folder / "no.png", output / "a.png")[0] == 2, "no such input"
    (output / "b.png").write_bytes(b"no picture")
    assert status(source / "a.png", output / "b.png")[0] == 2, "an unreadable output"


def equalized_in_plain_python(rows: list, bits: int, mode: str) -> list:
    """The rule once more, pixel by pixel, sharing no code with the one under test."""
    maximum = 2**bits - 1
    pixels = [pixel for row in rows for pixel in row if len(pixel) % 2 or pixel[-1] > 0]
    n = len(pixels)
    if n == 0:
        return rows

    def lut(value: int, values: list) -> int:
        return (2 * maximum * sum(1 for other in values if other <= value) + n) // (2 * n)

    def luma(pixel: list) -> int:
        return (19595 * pixel[0] + 38470 * pixel[1] + 7471 * pixel[2] + 32768) >> 16

    def mapped(pixel: list) -> list:
        colors = 3 if len(pixel) >= 3 else 1
        if mode == "luma" and colors == 3:
            y = luma(pixel)
            change = lut(y, [luma(other) for other in pixels]) - y
            return [min(max(value + change, 0), maximum) for value in pixel[:3]] + pixel[3:]
        return [lut(pixel[c], [other[c] for other in pixels]) for c in range(colors)] + pixel[colors:]

    return [[mapped(pixel) for pixel in row] for row in rows]


def made(height: int, width: int, channels: int, bits: int, spread: int) -> Picture:
    """Noise from integers, values 0 to `spread`."""
    count = height * width * channels
    values = [(((i + 1) * 2654435761 ^ (i * 73856093)) >> 7) % (spread + 1) for i in range(count)]
    return Picture(numpy.array(values, dtype=numpy.uint64).reshape(height, width, channels), bits, bits, False)


def expect(picture: Picture, kind: str, values: list) -> None:
    assert picture.kind == kind, f"read as {picture.kind}, expected {kind}"
    assert picture.samples.tolist() == values, f"{kind} read as {picture.samples.tolist()}, expected {values}"


def write_picture(path: Path, picture: Picture) -> None:
    height, width, channels = picture.samples.shape
    rows = picture.samples.reshape(height, width * channels).tolist()
    write(path, rows, greyscale=channels < 3, alpha=channels in (2, 4), bitdepth=picture.bits)


def write(path: Path, rows: list, **kind: object) -> None:
    planes = 1 if "palette" in kind or kind.get("greyscale") else 3
    planes += bool(kind.get("alpha"))
    with path.open("wb") as file:
        png.Writer(len(rows[0]) // planes, len(rows), **kind).write(file, rows)


def status(source: Path, output: Path, mode: str = "each") -> tuple[int, str]:
    """The exit status of the check and the last line it prints."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(io.StringIO()):
        code = check_equalization.check([source, output], mode)
    return code, (text.getvalue().splitlines() or [""])[-1]
