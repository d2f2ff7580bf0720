"""The stored samples of ffmpeg's RGB and gray pixel formats (libavutil/pixfmt.h), widened by repeating bits."""

import re
from dataclasses import dataclass

import numpy


@dataclass(frozen=True)
class Fields:
    """Samples in the bits of one word: the word's bytes, whether the high one comes first, and a shift and the bits of
    each component, in the order of red, green, blue and alpha."""

    size: int
    is_big: bool
    shifts: tuple[int, ...]
    bits: tuple[int, ...]


@dataclass(frozen=True)
class Samples:
    """Whole bytes or words: where each component is within a pixel, or its plane."""

    bits: int
    is_big: bool
    order: tuple[int, ...]
    stride: int
    is_planar: bool


_WORDS = {
    "565": (2, (11, 5, 0), (5, 6, 5)),
    "555": (2, (10, 5, 0), (5, 5, 5)),
    "444": (2, (8, 4, 0), (4, 4, 4)),
}
_BYTES = {  # red, green and blue from the highest bit down
    "rgb8": (1, (5, 2, 0), (3, 3, 2)),
    "bgr8": (1, (0, 3, 6), (3, 3, 2)),
    "rgb4_byte": (1, (3, 1, 0), (1, 2, 1)),
    "bgr4_byte": (1, (0, 1, 3), (1, 2, 1)),
}


def layout(name: str) -> Fields | Samples | None:
    """The layout of a pixel format; None for those of luma and chroma, floats, single bits and indices."""
    base, is_big = re.sub("(le|be)$", "", name), name.endswith("be")
    if name in _BYTES:
        size, shifts, bits = _BYTES[name]
        return Fields(size, False, shifts, bits)
    if match := re.fullmatch("(rgb|bgr)(565|555|444)", base):
        size, shifts, bits = _WORDS[match[2]]
        return Fields(size, is_big, shifts if match[1] == "rgb" else shifts[::-1], bits)
    if match := re.fullmatch("x2(rgb|bgr)10", base):
        shifts = (20, 10, 0)
        return Fields(4, is_big, shifts if match[1] == "rgb" else shifts[::-1], (10, 10, 10))
    if match := re.fullmatch(r"gray(\d*)", base):
        return Samples(int(match[1] or 8), is_big, (0,), 1, False)
    if match := re.fullmatch(r"ya(8|16)", base):
        return Samples(int(match[1]), is_big, (0, 1), 2, False)
    if match := re.fullmatch(r"gbr(a?)p(\d*)", base):
        return Samples(int(match[2] or 8), is_big, (2, 0, 1, 3) if match[1] else (2, 0, 1), 1, True)
    if match := re.fullmatch(r"([rgba0]{3,4})(24|48|64)?", base):
        letters = match[1]
        if sorted(letters.replace("a", "").replace("0", "")) != list("bgr"):
            return None
        bits = 8 if match[2] in (None, "24") else 16
        order = tuple(letters.index(letter) for letter in "rgba" if letter in letters)
        return Samples(bits, is_big, order, len(letters), False)
    return None


def bits(layout: Fields | Samples) -> tuple[int, ...]:
    """The bits of each component."""
    return layout.bits if isinstance(layout, Fields) else (layout.bits,) * len(layout.order)


def byte_count(layout: Fields | Samples, width: int, height: int) -> int:
    if isinstance(layout, Fields):
        return width * height * layout.size
    samples = len(layout.order) if layout.is_planar else layout.stride
    return width * height * samples * (1 if layout.bits == 8 else 2)


def stored(layout: Fields | Samples, picture: numpy.ndarray) -> bytes:
    """The bytes of a picture of (height, width, components)."""
    height, width, count = picture.shape
    if isinstance(layout, Fields):
        words = numpy.zeros((height, width), "u4")
        for index in range(count):
            words |= picture[..., index].astype("u4") << layout.shifts[index]
        return words.astype(_kind(layout.size, layout.is_big)).tobytes()
    kind = _kind(1 if layout.bits == 8 else 2, layout.is_big)
    if layout.is_planar:
        planes = numpy.zeros((count, height, width), kind)
        for index, place in enumerate(layout.order):
            planes[place] = picture[..., index]
        return planes.tobytes()
    pixels = numpy.zeros((height, width, layout.stride), kind)
    for index, place in enumerate(layout.order):
        pixels[..., place] = picture[..., index]
    return pixels.tobytes()


def picture(layout: Fields | Samples, data: bytes, width: int, height: int) -> numpy.ndarray:
    """The picture that `stored` made bytes of."""
    if isinstance(layout, Fields):
        words = numpy.frombuffer(data, _kind(layout.size, layout.is_big)).reshape(height, width)
        fields = [words >> shift & (1 << count) - 1 for shift, count in zip(layout.shifts, layout.bits)]
        return numpy.stack(fields, axis=2).astype(int)
    samples = numpy.frombuffer(data, _kind(1 if layout.bits == 8 else 2, layout.is_big))
    if layout.is_planar:
        planes = samples.reshape(-1, height, width)
        return numpy.stack([planes[place] for place in layout.order], axis=2).astype(int)
    return samples.reshape(height, width, -1)[..., list(layout.order)].astype(int)


def widened(picture: numpy.ndarray, bits: tuple[int, ...], target: int) -> numpy.ndarray:
    """Samples of `target` bits, whose upper bits are the sample and whose lower ones repeat it from the top."""
    result = numpy.zeros_like(picture)
    for index, count in enumerate(bits):
        shift = target - count
        while shift > -count:
            result[..., index] |= picture[..., index] << shift if shift >= 0 else picture[..., index] >> -shift
            shift -= count
    return result


def _kind(size: int, is_big: bool) -> str:
    return f"{'>' if is_big else '<'}u{size}"
