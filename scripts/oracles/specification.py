"""Histogram specification, the nearest of the normalised sums, from its definition, in integers.

    lut(i) = value(j), j of the entries that the reference has, with |D(j) / M - S(i) / N| least, of two the lower
    value(j) = nearest(j * maximum / (entries - 1))

S and D are the inclusive sums of the picture and of the reference, N and M their numbers of pixels. Both are counted with an
entry for every value of the picture; a reference of another depth by entry(v) = v * entries // maximum of its own, at most
the last. Alpha passes through untouched. Pixels of alpha 0 are not counted, in neither picture, unless `which` is "all"; if
either picture has no others, nothing changes.
"""

import numpy

import equalization
from samples import Picture


def counts(values: numpy.ndarray, maximum: int, entries: int) -> numpy.ndarray:
    """How many samples, from 0 to `maximum`, lie in each entry."""
    found = values.reshape(-1).astype(numpy.int64)
    if entries != maximum + 1:
        found = numpy.minimum(found * entries // maximum, entries - 1)
    return numpy.bincount(found, minlength=entries)


def lookup_table(picture: numpy.ndarray, reference: numpy.ndarray) -> numpy.ndarray:
    """The table that gives counts like `picture` those of `reference`; products of sums stay below 2**63."""
    if not picture.any() or not reference.any():
        return numpy.arange(len(picture))
    sums = numpy.cumsum(picture, dtype=numpy.int64)
    entries = numpy.flatnonzero(reference)
    reached = numpy.cumsum(reference, dtype=numpy.int64)[entries]
    wanted = sums * reached[-1]
    offered = reached * sums[-1]
    upper = numpy.minimum(numpy.searchsorted(offered, wanted, side="left"), len(entries) - 1)
    lower = numpy.maximum(upper - 1, 0)
    is_lower = numpy.abs(wanted - offered[lower]) <= numpy.abs(offered[upper] - wanted)
    return entries[numpy.where(is_lower, lower, upper)]


def match(picture: Picture, reference: Picture, channels: str = "each", which: str = "visible") -> Picture:
    """`picture` with the distribution of `reference`: each colour channel by itself, or all by the change of luma."""
    entries = picture.maximum + 1

    def matched(values: numpy.ndarray, wanted: numpy.ndarray) -> numpy.ndarray:
        seen, offered = (equalization.counted(one, which) for one in (picture, reference))
        table = lookup_table(
            counts(values[seen], picture.maximum, entries), counts(wanted[offered], reference.maximum, entries))
        return table[values.astype(numpy.intp)].astype(numpy.uint64)

    def luma(of: Picture) -> numpy.ndarray:
        return equalization.luma(of) if of.color_channels == 3 else of.samples[:, :, 0]

    result = picture.samples.copy()
    if channels == "luma" and picture.color_channels == 3:
        old = luma(picture)
        result[:, :, :3] = equalization.with_luma(picture, old, matched(old, luma(reference)))
        return picture.with_samples(result)
    for channel in range(picture.color_channels):
        wanted = luma(reference) if channels == "luma" else reference.samples[:, :, min(channel, reference.color_channels - 1)]
        result[:, :, channel] = matched(picture.samples[:, :, channel], wanted)
    return picture.with_samples(result)
