"""The words that every filter takes, from their definitions, in integers: a result is mixed with its picture."""

from collections.abc import Callable
from pathlib import Path

import numpy

import samples
from samples import Picture

Maker = Callable[[Picture], Picture | None]
Region = tuple[int, int, int, int]

LUMA = (13933, 46871, 4732)


def mask_of(picture: Picture) -> numpy.ndarray:
    """The luma of the colors, multiplied by alpha where there is one."""
    colors = picture.samples[:, :, : picture.color_channels].astype(numpy.uint64)
    value = colors[:, :, 0]
    if picture.color_channels == 3:
        value = (sum(colors[:, :, channel] * weight for channel, weight in enumerate(LUMA)) + 32768) >> 16
    if picture.channels in (2, 4):
        value = (value * picture.samples[:, :, -1] + picture.maximum // 2) // picture.maximum
    return value


def applied(
    make: Maker, region: Region | None = None, mask: Path | None = None, opacity: float = 1, counts: bool = False
) -> Maker:
    """The result of `make` in a region (columns, rows, column, row), by a mask and by `opacity`; a filter that `counts`
    sees the region alone."""
    weights = None if mask is None else samples.read(mask)

    def made(frame: Picture) -> Picture | None:
        height, width = frame.samples.shape[:2]
        columns, rows, x, y = region or (width, height, 0, 0)
        left, top, right, bottom = max(x, 0), max(y, 0), min(x + columns, width), min(y + rows, height)
        if right <= left or bottom <= top:
            return None
        part = (slice(top, bottom), slice(left, right))
        if weights is not None and (weights.samples.shape[:2] != (height, width) or weights.bits > frame.bits):
            return None
        result = make(frame.with_samples(frame.samples[part]) if counts else frame)
        if result is None:
            return None
        new = (result.samples if counts else result.samples[part]).astype(numpy.uint64)
        old = frame.samples[part].astype(numpy.uint64)
        share = numpy.uint64(round(opacity * 65536))
        if weights is None:
            mixed = (new * share + old * (65536 - share) + 32768) >> 16
        else:
            own = mask_of(weights)[part] * (65535 // weights.maximum)
            own = ((own * share + 32768) >> 16)[:, :, None]
            mixed = (new * own + old * (65535 - own) + 32767) // 65535
        out = frame.samples.copy()
        out[part] = mixed
        return frame.with_samples(out)

    return made


def chains(fixtures: Path, makers: dict[str, tuple[Maker, bool]]) -> dict[str, tuple[Maker, bool]]:
    """Chains with words, of `makers` by their chains, and whether they take gray."""
    result: dict[str, tuple[Maker, bool]] = {}
    masks = ["grey8-noise", "rgba8-noise", "greya16-noise", "size-17x31"]
    for chain, counts in [("invert", False), ("blur=2", False), ("stretch=low=0.2:high=0.7:channels=luma", True)]:
        make, takes_grey = makers[chain]
        separator = ":" if "=" in chain else "="

        def add(words: str, **arguments: object) -> None:
            result[f"{chain}{separator}{words}"] = (applied(make, counts=counts, **arguments), takes_grey)

        add("region=9x12+3+2", region=(9, 12, 3, 2))
        add("region=40x300-5-7", region=(40, 300, -5, -7))
        add("region=5x5+100+2", region=(5, 5, 100, 2))
        if counts:
            continue
        for opacity in [0, 0.3, 0.5, 0.99999]:
            add(f"opacity={opacity}", opacity=opacity)
        add("region=13x8+1+5:opacity=0.7", region=(13, 8, 1, 5), opacity=0.7)
        for name in masks:
            mask = fixtures / "made" / f"{name}.png"
            add(f"mask=FIXTURES/made/{name}.png", mask=mask)
            add(f"mask=FIXTURES/made/{name}.png:opacity=0.6:region=20x9+0+3",
                region=(20, 9, 0, 3), mask=mask, opacity=0.6)
    return result
