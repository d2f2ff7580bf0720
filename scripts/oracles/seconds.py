"""Filters with second pictures of other sizes, in grids and mixed, from their definitions, in integers of 64 bits."""

from collections.abc import Callable
from pathlib import Path

import numpy

import blending
import rendering
import resizing
import samples
from rendering import rounded
from samples import Picture

Maker = Callable[[Picture], Picture | None]
Step = Callable[[numpy.ndarray, list[numpy.ndarray], int], numpy.ndarray]


def promoted(second: Picture, frame: Picture) -> Picture | None:
    """The second picture in the frame's depth, with colors or alpha if one of both has them; nothing where the frame
    cannot hold it."""
    is_grey, has_alpha = frame.color_channels == 1, frame.channels in (2, 4)
    if second.bits > frame.bits:
        return None
    if is_grey and (second.color_channels == 3 or second.channels == 2 and not has_alpha):
        return None
    pixels = rendering.four_channels(second) * (frame.maximum // second.maximum)
    colors = [0] if is_grey else [0, 1, 2]
    channels = colors + ([3] if has_alpha or second.channels in (2, 4) else [])
    return Picture(pixels[:, :, channels].astype(numpy.uint64), frame.bits, frame.bits, False)


def fitted(
    second: Picture, width: int, height: int, fit: str, sides: tuple[float, float], color: int | None
) -> Picture:
    """Scaled by areas where no side grows, else linearly."""
    old_height, old_width = second.samples.shape[:2]
    if (old_width, old_height) == (width, height):
        return second
    made = (width, height)
    if fit != "stretch":
        made = (width, max(1, (2 * old_height * width + old_width) // (2 * old_width)))
        if (old_width * height > old_height * width) != (fit == "contain"):
            made = (max(1, (2 * old_width * height + old_height) // (2 * old_height)), height)
    grows = made[0] > old_width or made[1] > old_height
    return resizing.resize(width, height, "linear" if grows else "area", fit, sides, color=color)(second)


def filtered(
    paths: list[Path], step: Step, fit: str | None = None, sides: tuple[float, float] = (0.5, 0.5),
    color: int | None = None, any_size: bool = False, shows: bool = False, multiplied: bool = False,
) -> Maker:
    """What `step` makes of four channels of the frame, of those of the second pictures, and of the maximum. A filter
    that `shows` second pictures has no place for alpha that the frame lacks."""
    seconds = [samples.read(path) for path in paths]

    def make(frame: Picture) -> Picture | None:
        height, width = frame.samples.shape[:2]
        others = []
        for second in seconds:
            other = promoted(second, frame)
            if other is None or shows and second.channels in (2, 4) and frame.channels not in (2, 4):
                return None
            if fit is not None:
                other = fitted(other, width, height, fit, sides, color)
            if other.samples.shape[:2] != (height, width) and not any_size:
                return None
            others.append(rendering.four_channels(other))
        back = rendering.four_channels(frame)
        if multiplied:
            back, *others = (rendering.multiplied(pixels, frame.maximum) for pixels in [back, *others])
        made = step(back, others, frame.maximum)
        return None if made is None else rendering.in_channels(made, frame)

    return make


def over(x: int, y: int, opacity: float = 1, sides: tuple[float, float] = (0, 0)) -> Step:
    """Source-over, where the second picture lies in the frame, with its alpha times `opacity`; `sides` are 0 for the
    left or upper edge, 0.5 for the middle, 1 for the right or lower one."""

    def first(side: float, offset: int, own: int, whole: int) -> int:
        return {0: offset, 0.5: (whole - own) // 2 + offset, 1: whole - own - offset}[side]

    def make(back: numpy.ndarray, others: list[numpy.ndarray], maximum: int) -> numpy.ndarray | None:
        front, made = others[0], back.copy()
        left = first(sides[0], x, front.shape[1], back.shape[1])
        top = first(sides[1], y, front.shape[0], back.shape[0])
        rows = slice(max(top, 0), min(top + front.shape[0], back.shape[0]))
        columns = slice(max(left, 0), min(left + front.shape[1], back.shape[1]))
        if rows.start >= rows.stop or columns.start >= columns.stop:
            return None
        seen = front[rows.start - top:rows.stop - top, columns.start - left:columns.stop - left]
        faded = seen.copy()
        faded[..., 3] = (seen[..., 3] * round(opacity * 65536) + 32768) >> 16
        made[rows, columns] = rendering.over(faded, back[rows, columns], maximum)
        return made

    return make


def blend(mode: str) -> Step:
    return lambda back, others, maximum: blending.blended(others[0], back, mode, 1, maximum)


def add(back: numpy.ndarray, others: list[numpy.ndarray], maximum: int) -> numpy.ndarray:
    colors = blending.combined(back[..., :3], others[0][..., :3], "add", maximum)
    return numpy.concatenate([colors, back[..., 3:]], axis=2)


def crossfade(part: int, whole: int, multiplied: bool = False) -> Step:
    """The second picture's share is part / whole; straight colors count by their alpha. A share of one is it alone."""

    def make(back: numpy.ndarray, others: list[numpy.ndarray], maximum: int) -> numpy.ndarray:
        front = others[0]
        if part == whole:
            return front
        if multiplied:
            return rounded(back * (whole - part) + front * part, whole)
        rest, own = back[..., 3:] * (whole - part), front[..., 3:] * part
        total = rest + own
        colors = rounded(back[..., :3] * rest + front[..., :3] * own, numpy.maximum(total, 1))
        made = numpy.concatenate([colors, rounded(total, whole)], axis=2)
        return numpy.where(total == 0, back, made)

    return make


def grid(columns: int, gap: int, color: int | None) -> Step:
    """Rows of pictures; a gray, or nothing, between them."""

    def make(back: numpy.ndarray, others: list[numpy.ndarray], maximum: int) -> numpy.ndarray:
        pictures = [back, *others]
        height, width = back.shape[:2]
        across = min(columns, len(pictures))
        down = -(-len(pictures) // across)
        made = numpy.zeros((down * (height + gap) - gap, across * (width + gap) - gap, 4), dtype=numpy.int64)
        if color is not None:
            made[:] = [value * (maximum // 255) for value in (color, color, color, 255)]
        for number, pixels in enumerate(pictures):
            y, x = (number // across) * (height + gap), (number % across) * (width + gap)
            made[y:y + height, x:x + width] = pixels
        return made

    return make


def chains(fixtures: Path) -> dict[str, tuple[Maker, bool]]:
    """What each chain makes, and whether it takes grey pictures."""
    result = {}

    def add_row(chain: str, names: list[str], step: Step, takes_grey: bool = True, **how) -> None:
        named = ":".join(f"with=FIXTURES/made/{name}.png" for name in names)
        result[f"{chain}{':' if '=' in chain.split(',')[-1] else '='}{named}"] = (
            filtered([fixtures / f"made/{name}.png" for name in names], step, **how), takes_grey)

    for name in ["rgba8-noise", "rgb16-noise", "greya8-sprite", "grey8-every-value", "size-17x31"]:
        add_row("over=x=3:y=-2", [name], over(3, -2), any_size=True)
        add_row("over=x=2:y=1:opacity=0.4", [name], over(2, 1, 0.4), any_size=True)
        add_row("over=x=2:y=-3:gravity=southeast", [name], over(2, -3, sides=(1, 1)), any_size=True)
        add_row("over=x=-4:y=5:gravity=north", [name], over(-4, 5, sides=(0.5, 0)), any_size=True)
        add_row("over=y=1:fit=cover", [name], over(0, 1), any_size=True, fit="cover")
    for name in ["rgba8-sprite", "rgba16-noise", "grey8-every-value", "size-17x31"]:
        add_row("add=fit=stretch", [name], add, fit="stretch")
        add_row("blend=multiply:fit=contain", [name], blend("multiply"), fit="contain")
        add_row("blend=screen:fit=contain:gravity=southwest:color=gray", [name], blend("screen"), fit="contain",
                sides=(0, 1), color=128)
        add_row("blend=normal:fit=cover:gravity=east", [name], blend("normal"), fit="cover", sides=(1, 0.5))
    for length in (5, 9999):
        for name in ["rgba8-noise", "rgb8-noise", "rgba16-noise", "grey16-every-value", "rgba8-invisible"]:
            step = crossfade(length // 2, length)
            add_row(f"crossfade=length={length}:fit=stretch", [name], step, fit="stretch", shows=True)
    add_row("premultiply,crossfade=length=7:fit=stretch", ["rgba8-sprite"], crossfade(3, 7, True), False,
            fit="stretch", shows=True, multiplied=True)
    add_row("crossfade=length=1", ["rgba8-noise"], crossfade(1, 1), shows=True)
    add_row("montage=columns=2:gap=3:color=gray:fit=contain", ["rgb8-noise", "grey8-every-value"], grid(2, 3, 128),
            fit="contain", color=128, shows=True)
    add_row("montage=fit=cover", ["rgba8-noise", "rgba8-sprite", "size-17x31", "greya8-noise"], grid(3, 0, None),
            fit="cover", shows=True)
    add_row("side-by-side=gap=2:color=white:fit=stretch", ["rgb16-noise"], grid(9, 2, 255), fit="stretch", shows=True)
    add_row("side-by-side=direction=column:fit=stretch", ["rgba8-noise", "grey8-every-value"], grid(1, 0, None),
            fit="stretch", shows=True)
    return result
