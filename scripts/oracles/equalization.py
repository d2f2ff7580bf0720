"""Histogram equalization by the rule `normalized-sum`, from its definition, in integers.

    lut(i) = floor((2 * max * C(i) + N) / (2 * N))

C(i) counts the samples of value i or less, N is the number of pixels, max is 255 or 65535. Alpha passes
through untouched. Pixels of alpha 0 are not counted unless `counts` is "all"; if none is, nothing changes.
"""

import numpy

from samples import Picture

#: The weights of luma in 65536ths; their sum is 65536.
LUMA_WEIGHTS = (19595, 38470, 7471)


def lookup_table(values: numpy.ndarray, maximum: int) -> numpy.ndarray:
    """The table that equalizes `values`, one entry for each value from 0 to `maximum`."""
    counts = numpy.bincount(values.reshape(-1).astype(numpy.intp), minlength=maximum + 1)
    # uint64 holds 2 * 65535 * C for every picture of fewer than 2**46 pixels
    cumulative = numpy.cumsum(counts, dtype=numpy.uint64)
    if values.size == 0:
        return numpy.arange(maximum + 1, dtype=numpy.uint64)
    pixels = numpy.uint64(values.size)
    two = numpy.uint64(2)
    return (two * numpy.uint64(maximum) * cumulative + pixels) // (two * pixels)


def counted(picture: Picture, counts: str) -> numpy.ndarray:
    """Which pixels are counted, as (height, width)."""
    return picture.all if counts == "all" else picture.counted


def equalize(picture: Picture, channels: str = "each", counts: str = "visible") -> Picture:
    """Equalizes each colour channel by itself (`each`), or all by the change of luma (`luma`)."""
    result = picture.samples.copy()
    seen = counted(picture, counts)
    if channels == "luma" and picture.color_channels == 3:
        values = luma(picture)
        result[:, :, :3] = with_luma(picture, values, lookup_table(values[seen], picture.maximum)[values])
    else:
        for channel in range(picture.color_channels):
            values = picture.samples[:, :, channel]
            result[:, :, channel] = lookup_table(values[seen], picture.maximum)[values.astype(numpy.intp)]
    return picture.with_samples(result)


def luma(picture: Picture) -> numpy.ndarray:
    """The luma of each pixel."""
    colors = picture.samples[:, :, :3].astype(numpy.int64)
    return (colors @ numpy.array(LUMA_WEIGHTS, dtype=numpy.int64) + 32768) >> 16


def with_luma(picture: Picture, old: numpy.ndarray, new: numpy.ndarray) -> numpy.ndarray:
    """The colours with their chroma kept while luma goes from `old` to `new`."""
    change = new.astype(numpy.int64) - old
    colors = picture.samples[:, :, :3].astype(numpy.int64)
    return numpy.clip(colors + change[:, :, None], 0, picture.maximum).astype(numpy.uint64)
