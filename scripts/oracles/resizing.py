"""Pictures at another size by the rules of Pillow's bicubic and Lanczos filters, in integers, of 8 and of 16 bits."""

import math
from collections.abc import Callable

import numpy
from PIL import Image

import rendering
import tone
from samples import Picture

# The first column or row, and how many.
Box = tuple[float, float]
FILTERS = {"bicubic": (2.0, Image.Resampling.BICUBIC), "lanczos": (3.0, Image.Resampling.LANCZOS)}


def _cubic(x: float) -> float:
    a, x = -0.5, abs(x)
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


def _sinc(x: float) -> float:
    return math.sin(x * math.pi) / (x * math.pi) if x else 1.0


def _lanczos(x: float) -> float:
    return _sinc(x) * _sinc(x / 3) if -3 <= x < 3 else 0.0


def _weights(old: int, new: int, mode: str, maximum: int, box: Box | None = None) -> numpy.ndarray:
    """In 1/2^22, a row for each new sample: `precompute_coeffs` of Pillow's Resample.c. In 16 bits the first of the
    greatest takes what rounding left over. Centers of a box beyond the edges become the edges."""
    function = _cubic if mode == "bicubic" else _lanczos
    first, extent = box or (0.0, float(old))
    scale = extent / new
    spread = max(scale, 1.0)
    support = FILTERS[mode][0] * spread
    weights = numpy.zeros((new, old), dtype=numpy.int64)
    for index in range(new):
        center = min(max(first + (index + 0.5) * scale, 0.0), float(old))
        begin, end = max(int(center - support + 0.5), 0), min(int(center + support + 0.5), old)
        values = [function((place - center + 0.5) * (1 / spread)) for place in range(begin, end)]
        total = 0.0
        for value in values:
            total += value
        for place, value in enumerate(values, begin):
            part = value / total * (1 << 22)
            weights[index, place] = int(part - 0.5 if part < 0 else part + 0.5)
        if maximum == 65535:
            weights[index, weights[index].argmax()] += (1 << 22) - weights[index].sum()
    return weights


def _rows(pixels: numpy.ndarray, height: int, mode: str, maximum: int, box: Box | None = None) -> numpy.ndarray:
    """Scaled down the columns."""
    if height == pixels.shape[0] and box in (None, (0.0, float(height))):
        return pixels
    sums = numpy.einsum("yv,vxc->yxc", _weights(pixels.shape[0], height, mode, maximum, box), pixels)
    return numpy.clip((sums + (1 << 21)) >> 22, 0, maximum)


def resampled(
    pixels: numpy.ndarray, width: int, height: int, mode: str, maximum: int, has_alpha: bool,
    boxes: tuple[Box, Box] | None = None,
) -> numpy.ndarray:
    """Scaled by `bicubic` or `lanczos`, with alpha, if it counts, as the last channel; of a box of columns and one of
    rows, if given."""
    old_height, old_width = pixels.shape[:2]
    if (width, height) == (old_width, old_height) and boxes is None:
        return pixels
    columns, rows = boxes or (None, None)
    if has_alpha:
        colors = rendering.rounded(pixels[..., :-1] * pixels[..., -1:], maximum)
        pixels = numpy.concatenate([colors, pixels[..., -1:]], axis=2)

    def down(pixels: numpy.ndarray) -> numpy.ndarray:
        return _rows(pixels, height, mode, maximum, rows)

    def along(pixels: numpy.ndarray) -> numpy.ndarray:
        return _rows(pixels.swapaxes(0, 1), width, mode, maximum, columns).swapaxes(0, 1)

    down_first = 0 < old_height - height > 2 * (old_width - width)
    made = along(down(pixels)) if down_first else down(along(pixels))
    if has_alpha:
        alpha, colors = made[..., -1:], made[..., :-1]
        divided = numpy.minimum(colors * maximum // numpy.maximum(alpha, 1), maximum)
        made = numpy.concatenate([numpy.where(alpha == 0, colors, divided), alpha], axis=2)
    return made


def _check(picture: Picture, width: int, height: int, mode: str, made: numpy.ndarray) -> None:
    """Pillow must make the same of 8 bits, and of gray of 16, in floating point, what lies within two."""
    if picture.maximum == 65535:
        if picture.channels == 1:
            image = Image.fromarray(picture.samples[..., 0].astype(numpy.uint16))
            theirs = numpy.asarray(image.resize((width, height), FILTERS[mode][1])).astype(numpy.int64)
            assert abs(theirs - made[..., 0]).max() <= 2, f"Pillow makes something else at {width}x{height}"
        return
    kind = ["L", "LA", "RGB", "RGBA"][picture.channels - 1]
    stored = picture.samples.astype(numpy.uint8)
    image = Image.fromarray(stored[..., 0] if picture.channels == 1 else stored, kind)
    theirs = numpy.asarray(image.resize((width, height), FILTERS[mode][1])).reshape(made.shape)
    assert (theirs == made).all(), f"Pillow makes something else of {picture.kind} at {width}x{height}"


def _lit(pixels: numpy.ndarray, maximum: int, has_alpha: bool, back: bool = False) -> numpy.ndarray:
    """Light of 16 bits of samples of sRGB, or samples of light."""
    from_maximum, to_maximum = (65535, maximum) if back else (maximum, 65535)
    made = tone.table(tone.encoded if back else tone.light, from_maximum, to_maximum).astype(numpy.int64)[pixels]
    if has_alpha:
        made[..., -1] = rendering.rounded(pixels[..., -1] * to_maximum, from_maximum)
    return made


def resize(
    width: int, height: int, mode: str, fit: str = "stretch", sides: tuple[float, float] = (0.5, 0.5),
    weighted: bool = True, light: bool = False, color: int | None = None,
) -> Callable[[Picture], Picture]:
    """Scaled; `sides` are the parts of what is left over that lie to the left and above."""

    def make(picture: Picture) -> Picture:
        pixels, maximum = picture.samples.astype(numpy.int64), picture.maximum
        has_alpha = picture.channels in (2, 4)
        old_height, old_width = pixels.shape[:2]
        new_width, new_height = width, height
        if fit != "stretch":
            if (old_width * height > old_height * width) == (fit == "contain"):
                new_height = max(1, (2 * old_height * width + old_width) // (2 * old_width))
            else:
                new_width = max(1, (2 * old_width * height + old_height) // (2 * old_height))
        made = pixels
        if (new_width, new_height) != (old_width, old_height):
            if light:
                made = _lit(made, maximum, has_alpha)
            scaled = resampled if mode in FILTERS else rendering.scaled
            made = scaled(made, new_width, new_height, mode, 65535 if light else maximum, has_alpha and weighted)
            if light:
                made = _lit(made, maximum, has_alpha, back=True)
            elif mode in FILTERS and (weighted or not has_alpha):
                _check(picture, new_width, new_height, mode, made)
        if fit == "stretch":
            return picture.with_samples(made.astype(picture.samples.dtype))
        around = numpy.zeros((height, width, pixels.shape[2]), dtype=numpy.int64)
        if color is not None:
            around[...] = color * (maximum // 255)
            if has_alpha:
                around[..., -1] = maximum
        left, top = (
            math.floor(abs(whole - new) * part) * (1 if whole >= new else -1)
            for whole, new, part in zip((width, height), (new_width, new_height), sides))
        rows, columns = slice(max(top, 0), top + new_height), slice(max(left, 0), left + new_width)
        seen = made[max(-top, 0) :, max(-left, 0) :][:height, :width]
        around[rows, columns] = seen
        return picture.with_samples(around.astype(picture.samples.dtype))

    return make


def percent(parts: float, mode: str, multiple: int = 1) -> Callable[[Picture], Picture]:
    """Scaled by so many hundredths, to multiples."""

    def make(picture: Picture) -> Picture:
        old_height, old_width = picture.samples.shape[:2]
        width, height = (
            max(1, math.floor(side * parts / 100 / multiple + 0.5)) * multiple for side in (old_width, old_height))
        return resize(width, height, mode)(picture)

    return make
