"""Pictures turned, scaled and laid over others by the rules of ImageRenderer, from their definitions, in integers.

Arrays are (height, width, 4) int64: red, green, blue and straight alpha. A side of n samples becomes m: sample i
of m has its centre at (2 i + 1) n / 2 m in samples of n, whose own centres lie at k + 1/2.
"""

from collections.abc import Callable

import numpy

from samples import Picture


def four_channels(picture: Picture) -> numpy.ndarray:
    """Grey becomes red, green and blue; what has no alpha is opaque."""
    samples = picture.samples.astype(numpy.int64)
    colors = samples[:, :, : picture.color_channels]
    if picture.color_channels == 1:
        colors = numpy.repeat(colors, 3, axis=2)
    if picture.channels in (2, 4):
        alpha = samples[:, :, -1:]
    else:
        alpha = numpy.full_like(samples[:, :, :1], picture.maximum)
    return numpy.concatenate([colors, alpha], axis=2)


def upright(pixels: numpy.ndarray, orientation: int) -> numpy.ndarray:
    """Turned as Exif 2.32, tag 274, asks for."""
    return {
        1: lambda: pixels,
        2: lambda: numpy.fliplr(pixels),
        3: lambda: numpy.rot90(pixels, 2),
        4: lambda: numpy.flipud(pixels),
        5: lambda: numpy.swapaxes(pixels, 0, 1),
        6: lambda: numpy.rot90(pixels, -1),
        7: lambda: numpy.rot90(pixels.swapaxes(0, 1), 2),
        8: lambda: numpy.rot90(pixels, 1),
    }[orientation]()


def scaled(
    pixels: numpy.ndarray, width: int, height: int, filter: str, maximum: int, weighted: bool = False
) -> numpy.ndarray:
    """Scaled by one of the filters `nearest`, `linear` and `area`; if `weighted`, colors count by their alpha, which is
    the last channel."""
    old_height, old_width = pixels.shape[:2]
    if filter == "nearest":
        rows, columns = _centers(old_height, height), _centers(old_width, width)
        return pixels[rows][:, columns]
    if filter == "linear":
        whole = 256 if maximum == 255 else 65536
        if weighted:
            # In 8 bits no product is rounded.
            pixels = _by_alpha(pixels, 1 if maximum == 255 else maximum)
        rows = numpy.einsum("vuc,xu->vxc", pixels, _linear(old_width, width, whole))
        sums = numpy.einsum("yv,vxc->yxc", _linear(old_height, height, whole), rows)
        if weighted and maximum == 255:
            return _without_alpha(sums, 1, maximum, whole * whole)
        mean = rounded(sums, whole * whole)
        return _without_alpha(mean, maximum, maximum, 1) if weighted else mean
    spread = 65536 // (maximum + 1)
    pixels = pixels * spread if not weighted else _by_alpha(
        numpy.concatenate([pixels[..., :-1], pixels[..., -1:] * spread], axis=2), maximum)
    rows = rounded(numpy.einsum("vuc,xu->vxc", pixels, _area(old_width, width)), old_width)
    mean = rounded(numpy.einsum("yv,vxc->yxc", _area(old_height, height), rows), old_height)
    return _without_alpha(mean, maximum, maximum, spread) if weighted else (mean + spread // 2) // spread


def _by_alpha(pixels: numpy.ndarray, divisor: int) -> numpy.ndarray:
    """Colors times alpha, divided and rounded."""
    return numpy.concatenate([rounded(pixels[..., :-1] * pixels[..., -1:], divisor), pixels[..., -1:]], axis=2)


def _without_alpha(pixels: numpy.ndarray, factor: int, maximum: int, spread: int) -> numpy.ndarray:
    """Colors times a factor and divided by alpha, 0 where that is 0; alpha is `spread` times as large as a sample."""
    alpha = pixels[..., -1:]
    # Half of an odd alpha is rounded down.
    colors = (pixels[..., :-1] * factor + alpha // 2) // numpy.maximum(alpha, 1)
    made = numpy.concatenate([numpy.minimum(colors, maximum), (alpha + spread // 2) // spread], axis=2)
    return numpy.where(alpha == 0, 0, made)


def rounded(values: numpy.ndarray, divisor: int) -> numpy.ndarray:
    """Divided, halves upward."""
    return (2 * values + divisor) // (2 * divisor)


def _centers(old: int, new: int) -> numpy.ndarray:
    return (2 * numpy.arange(new) + 1) * old // (2 * new)


def _linear(old: int, new: int, whole: int) -> numpy.ndarray:
    """Weights in 1/whole, a row for each new sample."""
    weights = numpy.zeros((new, old), dtype=numpy.int64)
    for index in range(new):
        # the centre's distance from that of the first old sample, in 1 / (2 new)
        distance = min(max((2 * index + 1) * old - new, 0), 2 * new * (old - 1))
        low, rest = divmod(distance, 2 * new)
        second, rest = divmod(whole * rest, 2 * new)
        # Halves to even.
        second += rest + second % 2 > new
        weights[index, low] += whole - second
        weights[index, min(low + 1, old - 1)] += second
    return weights


def _area(old: int, new: int) -> numpy.ndarray:
    """What each new sample has in common with each old one, in 1/new of an old one: rows have the sum `old`."""
    begin = numpy.arange(new)[:, None] * old
    place = numpy.arange(old)[None, :] * new
    return numpy.clip(numpy.minimum(begin + old, place + new) - numpy.maximum(begin, place), 0, None)


def over(front: numpy.ndarray, back: numpy.ndarray, maximum: int) -> numpy.ndarray:
    """Source-over with straight alpha; the backdrop's share is a whole sample."""
    share = rounded(back[:, :, 3:] * (maximum - front[:, :, 3:]), maximum)
    alpha = front[:, :, 3:] + share
    divisor = numpy.maximum(alpha, 1)
    colors = rounded(front[:, :, 3:] * front[:, :, :3] + share * back[:, :, :3], divisor)
    return numpy.where(alpha == 0, back, numpy.concatenate([colors, alpha], axis=2))


def paint(
    destination: numpy.ndarray, source: numpy.ndarray, maximum: int, *, bounds: list[int], orientation: int,
    filter: str, blend: str,
) -> None:
    """Paints `source` into its bounds (x, y, width, height) and leaves out what lies outside."""
    x, y, width, height = bounds
    picture = scaled(upright(source, orientation), width, height, filter, maximum)
    rows = slice(max(y, 0), max(min(y + height, destination.shape[0]), 0))
    columns = slice(max(x, 0), max(min(x + width, destination.shape[1]), 0))
    seen = picture[rows.start - y : rows.stop - y, columns.start - x : columns.stop - x]
    back = destination[rows, columns]
    destination[rows, columns] = seen if blend == "copy" else over(seen, back, maximum)


def multiplied(pixels: numpy.ndarray, maximum: int) -> numpy.ndarray:
    """Colors multiplied by alpha."""
    return numpy.concatenate([rounded(pixels[..., :3] * pixels[..., 3:], maximum), pixels[..., 3:]], axis=2)


def in_channels(pixels: numpy.ndarray, like: Picture) -> Picture:
    """The picture with the channels that `like` has."""
    channels = {1: [0], 2: [0, 3], 3: [0, 1, 2], 4: [0, 1, 2, 3]}[like.channels]
    return like.with_samples(pixels[:, :, channels].astype(numpy.uint64))


def weighted(make: Callable[..., numpy.ndarray], *arguments: object) -> Callable[[Picture], Picture]:
    """What `make` makes of all channels, of colors multiplied by alpha, in 16 bits, which are divided by its alpha."""

    def made(picture: Picture) -> Picture:
        maximum = picture.maximum
        if picture.channels not in (2, 4):
            deep = picture.samples.astype(numpy.uint8 if maximum == 255 else numpy.uint16)
            return picture.with_samples(make(deep, *arguments).astype(picture.samples.dtype))
        unit = 65535 // maximum
        colors, alpha = numpy.split(picture.samples.astype(numpy.int64), [-1], axis=2)
        deep = numpy.concatenate([rounded(colors * alpha * unit, maximum), alpha * unit], axis=2)
        colors, alpha = numpy.split(make(deep.astype(numpy.uint16), *arguments).astype(numpy.int64), [-1], axis=2)
        colors = numpy.minimum(colors, alpha)
        colors = numpy.where(alpha > 0, rounded(colors * maximum, numpy.maximum(alpha, 1)), 0)
        result = numpy.concatenate([colors, rounded(alpha, unit)], axis=2)
        return picture.with_samples(result.astype(picture.samples.dtype))

    return made
