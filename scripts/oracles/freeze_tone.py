"""Writes the pixel hashes that fixtures must have after filters of tone, size and surroundings, computed outside Safelight."""
# Packages: programs.txt

import json
import sys
from collections.abc import Callable

import cv2
import numpy

import blending
import color_tables
import command
import drawing
import rendering
import resizing
import samples
import seconds
import tone
import warp_chains
import windows
import words
from freeze_equalization import FIXTURES
from samples import Picture

HASHES = FIXTURES / "golden" / "tone" / "hashes.json"

DESCRIPTION = """\
Writes fixtures/golden/tone/hashes.json: for each of some chains of one filter and some pictures of the
fixtures, the hash of the pixels that come out. Functions are worked out in decimals of 50 digits, all else in
integers by NumPy; thresholds of grey pictures of 8 bits are those of cv2.threshold, which must agree with the
integers, and so must medians, blurs and gradients of cv2 (windows.py), and sums and products (blending.py).
Rectangles and lines are drawn by drawing.py.
Sizes are scaled by rendering.py and resizing.py: bilinear must be that of cv2.resize, areas within one of its,
bicubic and Lanczos those of Pillow. Warps are made by warping.py, whose positions must be those of cv2's maps but for
their rounding; second pictures come in by seconds.py, the words that every filter takes by words.py. Safelight has no
part in it. A chain with no hash for a picture must refuse it: it would color gray. The hash is that of
freeze-equalization; FIXTURES stands for the folder of the fixtures."""

PICTURES = [
    f"made/{name}.png"
    for name in (
        "grey8-every-value grey16-every-value greya8-noise greya16-noise rgb8-noise rgb16-noise rgb16-dark rgba8-noise "
        "rgba16-noise rgba8-every-alpha rgb8-flat grey16-tail size-1x1-rgba16 size-1x7 size-17x31 size-31x17-rgb16 palette8 "
        "rgba8-sprite rgba16-sprite greya8-sprite rgba8-invisible"
    ).split()
]
TABLES = FIXTURES / "tables"

# Nothing is made of pictures that a chain refuses.
Maker = Callable[[Picture], Picture | None]


def function(output: tone.Function, channels: str = "all") -> Maker:
    """A function for all channels, or for one, the others staying."""

    def make(picture: Picture) -> Picture:
        table = tone.table(output, picture.maximum)
        if channels == "all":
            return tone.looked_up(picture, [table])
        stays = numpy.arange(picture.maximum + 1, dtype=numpy.uint64)
        return tone.looked_up(picture, [table if channels == name else stays for name in ("red", "green", "blue")])

    return make


def curves(own: list[tone.Function], after: tone.Function) -> Maker:
    chained = [(lambda x, first=first: after(tone._clamped(first(x)))) for first in own]
    return lambda picture: tone.looked_up(picture, [tone.table(one, picture.maximum) for one in chained])


def threshold(operation: str, value: float, high: float) -> Maker:
    kinds = dict(zip(OPERATIONS, (cv2.THRESH_BINARY, cv2.THRESH_BINARY_INV, cv2.THRESH_TRUNC, cv2.THRESH_TOZERO, cv2.THRESH_TOZERO_INV)))

    def make(picture: Picture) -> Picture:
        maximum = picture.maximum
        made = tone.threshold(picture, operation, int(value * maximum + 2**-20), int(high * maximum + 0.5))
        if picture.kind == "grey8":
            plane = picture.samples[:, :, 0].astype(numpy.uint8)
            _, theirs = cv2.threshold(plane, value * 255 + 2**-20, int(high * 255 + 0.5), kinds[operation])
            assert (theirs == made.samples[:, :, 0]).all(), f"cv2.threshold makes something else of {operation}"
        return made

    return make


def window(make: Callable[..., numpy.ndarray], *arguments: object) -> Maker:
    """A function of the samples around each, channel by channel."""

    def made(picture: Picture) -> Picture:
        deep = picture.samples.astype(numpy.uint8 if picture.maximum == 255 else numpy.uint16)
        result = windows.each_plane(deep, lambda plane: make(plane, *arguments))
        return picture.with_samples(result.astype(picture.samples.dtype))

    return made


def sobel(edge: str = "clamp") -> Maker:
    """Red, green and blue are the same; alpha stays."""

    def make(picture: Picture) -> Picture:
        deep = picture.samples.astype(numpy.uint8 if picture.maximum == 255 else numpy.uint16)
        made = picture.samples.copy()
        made[..., : picture.color_channels] = windows.sobel(deep, edge)[..., None]
        return picture.with_samples(made)

    return make


def planes(make: Callable[..., numpy.ndarray]) -> Callable[..., numpy.ndarray]:
    """The same for all channels, each by itself."""
    return lambda samples, *arguments: windows.each_plane(samples, lambda plane: make(plane, *arguments))


def bilateral(*arguments: object) -> Maker:
    """The distance of colors decides, so channels are made together."""

    def make(picture: Picture) -> Picture:
        deep = picture.samples.astype(numpy.uint8 if picture.maximum == 255 else numpy.uint16)
        return picture.with_samples(windows.bilateral(deep, *arguments).astype(picture.samples.dtype))

    return make


def oriented(number: int) -> Maker:
    return lambda picture: picture.with_samples(numpy.ascontiguousarray(windows.UPRIGHT[number](picture.samples)))


def cropped(width: int, height: int, x: int, y: int, gravity: str) -> Maker:
    """The rectangle at the edges that `gravity` names."""

    def make(picture: Picture) -> Picture | None:
        rows, columns = picture.samples.shape[:2]
        left = x if "west" in gravity else columns - width - x if "east" in gravity else (columns - width) // 2 + x
        top = y if "north" in gravity else rows - height - y if "south" in gravity else (rows - height) // 2 + y
        if min(left, top) < 0 or left + width > columns or top + height > rows:
            return None
        return picture.with_samples(picture.samples[top:top + height, left:left + width])

    return make


def padded(columns: tuple[int, int], rows: tuple[int, int], edge: str, color: tuple[int, ...] | None = None) -> Maker:
    """`edge` is the word of numpy.pad; a color, of bytes, is for pictures that can hold it."""

    def make(picture: Picture) -> Picture | None:
        made = numpy.pad(picture.samples, (rows, columns, (0, 0)), mode=edge)
        if color is not None:
            gray = (color[0], color[3]) if color[0] == color[1] == color[2] else None
            given = {1: gray and gray[:1], 2: gray, 3: color[:3], 4: color}[picture.channels]
            if given is None or (picture.channels in (1, 3) and color[3] < 255):
                return None
            height, width = picture.samples.shape[:2]
            inside = numpy.zeros(made.shape[:2], dtype=bool)
            inside[rows[0]:rows[0] + height, columns[0]:columns[0] + width] = True
            made[~inside] = numpy.array(given, dtype=made.dtype) * (picture.maximum // 255)
        return picture.with_samples(made)

    return make


def cropped_beyond(
    part: Callable[[int, int], tuple[int, int, int, int]], edge: str, color: tuple[int, ...] | None = None
) -> Maker:
    """`part` says the rectangle, of left, top, width and height, for a picture's width and height."""

    def make(picture: Picture) -> Picture | None:
        rows, columns = picture.samples.shape[:2]
        left, top, width, height = part(columns, rows)
        beside = (max(-left, 0), max(left + width - columns, 0))
        above = (max(-top, 0), max(top + height - rows, 0))
        made = padded(beside, above, edge, color)(picture)
        if made is None:
            return None
        x, y = left + beside[0], top + above[0]
        return made.with_samples(made.samples[y:y + height, x:x + width])

    return make


def percent(side: int, hundredths: float) -> int:
    return max(1, int(side * hundredths / 100 + 0.5))


def means(width: int, height: int) -> Maker:
    """Means of areas are those of cv2.INTER_AREA but for roundings."""
    make = resizing.resize(width, height, "area", weighted=False)

    def checked(picture: Picture) -> Picture:
        made = make(picture)
        if width <= picture.samples.shape[1] and height <= picture.samples.shape[0]:
            theirs = cv2.resize(picture.samples.astype(numpy.float64), (width, height), interpolation=cv2.INTER_AREA)
            theirs = theirs.reshape(made.samples.shape)
            assert (abs(theirs - made.samples) < 1).all(), f"cv2.resize makes something else of {picture.kind}"
        return made

    return checked


def bilinear(width: int, height: int) -> Maker:
    """cv2.INTER_LINEAR_EXACT must make the same."""
    make = resizing.resize(width, height, "linear", weighted=False)

    def checked(picture: Picture) -> Picture:
        made = make(picture)
        theirs = cv2.resize(
            picture.samples.astype(numpy.uint8 if picture.bits == 8 else numpy.uint16), (width, height),
            interpolation=cv2.INTER_LINEAR_EXACT)
        theirs = theirs.reshape(made.samples.shape)
        assert (theirs == made.samples).all(), f"cv2.resize makes something else of {picture.kind}"
        return made

    return checked


def over(name: str, x: int, y: int) -> Maker:
    """A picture of 8 bits over another one."""
    front = samples.read(FIXTURES / name)

    def make(picture: Picture) -> Picture:
        back = rendering.four_channels(picture)
        laid = rendering.four_channels(front)[-y:, -x:][: back.shape[0], : back.shape[1]] * (picture.maximum // 255)
        back[: laid.shape[0], : laid.shape[1]] = rendering.over(laid, back[: laid.shape[0], : laid.shape[1]], picture.maximum)
        return rendering.in_channels(back, picture)

    return make


def with_second(name: str, make: Callable[[numpy.ndarray, numpy.ndarray, int], numpy.ndarray]) -> Maker:
    """What `make` makes of four channels of a picture of the same size, of those of the frame, and of the maximum."""
    second = samples.read(FIXTURES / name)

    def made(picture: Picture) -> Picture | None:
        is_grey, has_alpha = picture.color_channels == 1, picture.channels in (2, 4)
        if second.samples.shape[:2] != picture.samples.shape[:2] or second.bits > picture.bits:
            return None
        if is_grey and (second.color_channels == 3 or second.channels == 2 and not has_alpha):
            return None
        front, back = rendering.four_channels(second), rendering.four_channels(picture)
        front *= picture.maximum // second.maximum
        return rendering.in_channels(make(front, back, picture.maximum), picture)

    return made


def blend(mode: str, name: str, opacity: float = 1, multiplied: bool = False) -> Maker:
    """A picture over one of the same size."""

    def make(front: numpy.ndarray, back: numpy.ndarray, maximum: int) -> numpy.ndarray:
        if multiplied:
            front, back = (rendering.multiplied(pixels, maximum) for pixels in (front, back))
            return blending.blended_multiplied(front, back, mode, opacity, maximum)
        return blending.blended(front, back, mode, opacity, maximum)

    return with_second(name, make)


def arithmetic(operation: str, name: str, factors: str = "") -> Maker:
    """Two pictures' colors; `factors` as in the chain."""
    given = {word.replace("-", "_"): value for word, value in (part.split("=") for part in factors.split(":") if part)}

    def make(front: numpy.ndarray, back: numpy.ndarray, maximum: int) -> numpy.ndarray:
        made = blending.combined(back[..., :3], front[..., :3], operation, maximum, **given)
        return numpy.concatenate([made, back[..., 3:]], axis=2)

    return with_second(name, make)


def drawn(make: Callable[..., Picture | None], *arguments: object) -> Maker:
    return lambda picture: make(picture, *arguments)


OPERATIONS = ["binary", "binary-inverse", "truncate", "to-zero", "to-zero-inverse"]
STRAIGHT = tone.points("0/0 1/1")
INVERTED: Maker = lambda picture: tone.looked_up(picture, [numpy.arange(picture.maximum, -1, -1).astype(numpy.uint64)])


def chains() -> dict[str, tuple[Maker, bool]]:
    """What each chain makes, and whether it takes grey pictures."""
    bent = "0/0 0.25/0.15 0.75/0.9 1/1"
    swing = "0.1/0 0.2/0.8 0.3/0.8 0.5/0.1 0.9/1"
    film = tone.photoshop(TABLES / "film.acv")
    result = {
        "levels=black=0.1:white=0.9:gamma=1.2": (function(tone.levels(0.1, 0.9, 1.2)), True),
        "levels=output-black=0.91:output-white=0.23:channels=green": (
            function(tone.levels(output_black=0.91, output_white=0.23), "green"), False),
        "levels=gamma=0.45:channels=red": (function(tone.levels(gamma=0.45), "red"), False),
        "gamma=2.2": (function(tone.levels(gamma=2.2)), True),
        "gamma=0.5:channels=blue": (function(tone.levels(gamma=0.5), "blue"), False),
        "exposure=1": (function(tone.exposure(1)), True),
        "exposure=-1.5": (function(tone.exposure(-1.5)), True),
        "brightness-contrast=0.1:contrast=1.3": (function(tone.brightness_contrast(0.1, 1.3)), True),
        "brightness-contrast=-0.2:contrast=0.5:channels=red": (function(tone.brightness_contrast(-0.2, 0.5), "red"), False),
        f"curves={bent}": (curves([tone.points(bent)], STRAIGHT), True),
        f"curves={swing}": (curves([tone.points(swing)], STRAIGHT), True),
        "curves=red=0/0.07 1/0.93:blue=0/0 0.5/0.4 0.6/0.8 1/1:points=0/0 0.3/0.5 1/1": (
            curves([tone.points("0/0.07 1/0.93"), STRAIGHT, tone.points("0/0 0.5/0.4 0.6/0.8 1/1")], tone.points("0/0 0.3/0.5 1/1")),
            False),
        "curves=file=FIXTURES/tables/film.acv": (curves(film[1:], film[0]), False),
        "posterize=2": (lambda picture: tone.posterized(picture, 2), True),
        "posterize=7": (lambda picture: tone.posterized(picture, 7), True),
        "invert": (INVERTED, True),
        "crop=height=1": (lambda picture: picture.with_samples(picture.samples[:1]), True),
        "median=3": (window(windows.median, 3), True),
        "median=5": (window(windows.median, 5), True),
        "median=7": (window(windows.median, 7), True),
        "blur=2": (window(windows.blur, 2), True),
        "blur=0.1": (window(windows.blur, 0.1), True),
        "blur=0.7:edge=zero": (window(windows.blur, 0.7, "zero"), True),
        "blur=7.3": (window(windows.blur, 7.3), True),
        "blur=20:rule=fine": (window(windows.blur, 20, "clamp", "fine"), True),
        "blur=3:edge=zero:rule=fine": (window(windows.blur, 3, "zero", "fine"), True),
        "blur=2:alpha=weighted": (rendering.weighted(planes(windows.blur), 2), True),
        "blur=1:edge=zero:alpha=weighted": (rendering.weighted(planes(windows.blur), 1, "zero"), True),
        "sobel": (sobel(), True),
        "sobel=edge=zero": (sobel("zero"), True),
        "box=3": (window(windows.box, 3), True),
        "box=5:edge=zero": (window(windows.box, 5, "zero"), True),
        "box=101": (window(windows.box, 101), True),
        "box=257": (window(windows.box, 257), True),
        "box=1001": (window(windows.box, 1001), True),
        "box=301:edge=zero": (window(windows.box, 301, "zero"), True),
        "box=5:alpha=weighted": (rendering.weighted(planes(windows.box), 5), True),
        "box=301:edge=zero:alpha=weighted": (rendering.weighted(planes(windows.box), 301, "zero"), True),
        "bilateral=9": (bilateral(9), True),
        "bilateral=3:color=100:distance=1": (bilateral(3, 100, 1), True),
        "bilateral=19:color=10:distance=50": (bilateral(19, 10, 50), True),
        "bilateral=5:color=500:edge=zero": (bilateral(5, 500, 9, "zero"), True),
        "bilateral=5:color=60:alpha=weighted": (rendering.weighted(windows.bilateral, 5, 60), True),
        "bilateral=19:color=10:edge=zero:alpha=weighted": (rendering.weighted(windows.bilateral, 19, 10, 9, "zero"), True),
        "flip=horizontal": (oriented(2), True),
        "flip=vertical": (oriented(4), True),
        "rotate=90": (oriented(6), True),
        "rotate=-180": (oriented(3), True),
        "rotate=270": (oriented(8), True),
        "transpose": (oriented(5), True),
        "pad=left=3:top=5:right=7:bottom=9": (padded((3, 7), (5, 9), "constant"), True),
        "pad=left=2:bottom=1:color=gray": (padded((2, 0), (0, 1), "constant", (128, 128, 128, 255)), True),
        "pad=right=4:top=2:color=#ff800040": (padded((0, 4), (2, 0), "constant", (255, 128, 0, 64)), True),
        "pad=left=40:top=1:right=70:bottom=90:edge=clamp": (padded((40, 70), (1, 90), "edge"), True),
        "pad=left=90:top=130:right=1:bottom=2:edge=mirror": (padded((90, 1), (130, 2), "reflect"), True),
        "pad=left=1:top=2:right=120:bottom=70:edge=wrap": (padded((1, 120), (2, 70), "wrap"), True),
        "crop=width=30:height=40:x=-3:y=5:pad=color:color=gray": (
            cropped_beyond(lambda w, h: (-3, 5, 30, 40), "constant", (128, 128, 128, 255)), True),
        "crop=width=9:x=-30:y=-2:pad=clamp:gravity=north": (
            cropped_beyond(lambda w, h: ((w - 9) // 2 - 30, -2, 9, h + 2), "edge"), True),
        "crop=percent=150:gravity=center:pad=mirror": (
            cropped_beyond(
                lambda w, h: (
                    (w - percent(w, 150)) // 2, (h - percent(h, 150)) // 2, percent(w, 150), percent(h, 150)), "reflect"),
            True),
        "crop=percent=62.5:gravity=southeast:pad=wrap": (
            cropped_beyond(
                lambda w, h: (w - percent(w, 62.5), h - percent(h, 62.5), percent(w, 62.5), percent(h, 62.5)), "wrap"),
            True),
        "resize=width=40:height=70:mode=nearest": (resizing.resize(40, 70, "nearest", weighted=False), True),
        "resize=width=20:height=50:fit=contain:mode=area": (resizing.resize(20, 50, "area", "contain"), True),
        "resize=width=50:height=20:fit=contain:gravity=northwest:color=gray:mode=lanczos": (
            resizing.resize(50, 20, "lanczos", "contain", (0, 0), color=128), True),
        "resize=width=31:height=8:fit=cover:gravity=south:mode=bilinear": (
            resizing.resize(31, 8, "linear", "cover", (0.5, 1)), True),
        "resize=width=9:height=40:fit=cover:mode=bicubic": (resizing.resize(9, 40, "bicubic", "cover"), True),
        "resize=percent=50:mode=lanczos": (resizing.percent(50, "lanczos"), True),
        "resize=percent=137.5:mode=bicubic:multiple=4": (resizing.percent(137.5, "bicubic", 4), True),
        "resize=width=22:height=13:mode=area:light=linear": (resizing.resize(22, 13, "area", light=True), True),
        "resize=width=40:height=31:mode=bilinear:light=linear": (resizing.resize(40, 31, "linear", light=True), True),
        "resize=width=40:height=13:mode=lanczos:light=linear": (resizing.resize(40, 13, "lanczos", light=True), True),
        "over=image=FIXTURES/made/rgba8-every-alpha.png:x=-3:y=-2": (over("made/rgba8-every-alpha.png", -3, -2), False),
    }
    result |= warp_chains.chains()
    white, black, orange, clear = (255, 255, 255, 255), (0, 0, 0, 255), (255, 128, 0, 112), (128, 128, 128, 0)
    result |= {
        "rectangle=9x12+3+2": (drawn(drawing.rectangle, (9, 12, 3, 2), white, 1), True),
        "rectangle=40x30-5-7:color=#ff800070:thickness=6": (
            drawn(drawing.rectangle, (40, 30, -5, -7), orange, 6), True),
        "rectangle=13x8+1+5:color=#80808000:thickness=fill": (
            drawn(drawing.rectangle, (13, 8, 1, 5), clear, None), True),
        "rectangle=1000x3+0-1:color=black:thickness=2": (
            drawn(drawing.rectangle, (1000, 3, 0, -1), black, 2), True),
        "border=2": (drawn(drawing.border, 2, black), True),
        "border=9:color=#ff800070": (drawn(drawing.border, 9, orange), True),
        "line=from=1+2:to=14+9:thickness=3": (drawn(drawing.line, (1, 2), (14, 9), white, 3), True),
        "line=from=70-3:to=-4+40:color=#ff800070": (drawn(drawing.line, (70, -3), (-4, 40), orange), True),
        "line=from=12+20:to=2+20:color=black": (drawn(drawing.line, (12, 20), (2, 20), black), True),
        "line=from=6+1:to=6+90:thickness=2": (drawn(drawing.line, (6, 1), (6, 90), white, 2), True),
        "line=from=8+8:to=8+8:color=black:thickness=5": (drawn(drawing.line, (8, 8), (8, 8), black, 5), True),
        "line=from=-131072-131072:to=131072+130000:thickness=4096:color=#80808080": (
            drawn(drawing.line, (-131072, -131072), (131072, 130000), (128, 128, 128, 128), 4096), True),
        "redact=pixelate:region=13x11+2+1:block=4": (drawn(drawing.pixelated, (13, 11, 2, 1), 4), True),
        "redact=pixelate:region=200x90-3-2": (drawn(drawing.pixelated, (200, 90, -3, -2), 16), True),
        "redact=pixelate:region=256x256+0+0:block=128": (drawn(drawing.pixelated, (256, 256, 0, 0), 128), True),
        "redact=blur:region=9x7+3+2:sigma=1.5": (drawn(drawing.blurred, (9, 7, 3, 2), 1.5), True),
        "redact=blur:region=40x70-2+9": (drawn(drawing.blurred, (40, 70, -2, 9), 12), True),
        "redact=black:region=7x9-2+4": (drawn(drawing.rectangle, (7, 9, -2, 4), black, None), True),
    }
    # Cut alone, and not scaled, at least where a side is the same.
    for mode, filter in [("lanczos", "lanczos"), ("area", "area")]:
        result[f"resize=width=17:height=9:fit=cover:mode={mode}"] = (resizing.resize(17, 9, filter, "cover"), True)
    # Weights between two 65536ths, and many weights.
    result["resize=width=65536:height=2:mode=bilinear:alpha=as-is"] = (bilinear(65536, 2), True)
    result["resize=width=1:height=1:mode=lanczos"] = (resizing.resize(1, 1, "lanczos"), True)
    for width, height in [(40, 70), (7, 90), (29, 33), (64, 3), (256, 3)]:
        for filter, mode in [("linear", "bilinear"), ("area", "area"), ("bicubic", "bicubic"), ("lanczos", "lanczos")]:
            size = f"resize=width={width}:height={height}:mode={mode}"
            as_is = resizing.resize(width, height, filter, weighted=False)
            checked = {"linear": bilinear, "area": means}.get(filter)
            result[size] = (resizing.resize(width, height, filter), True)
            result[f"{size}:alpha=as-is"] = (checked(width, height) if checked else as_is, True)
    for mode in ["normal", "multiply", "screen"]:
        for name in ["rgba8-noise", "rgb16-noise", "greya8-noise", "rgba16-sprite", "grey8-every-value", "grey16-tail"]:
            result[f"blend={mode}:with=FIXTURES/made/{name}.png"] = (blend(mode, f"made/{name}.png"), True)
        for name, opacity in [("rgba16-noise", 0.3), ("rgb8-noise", 0.7), ("grey16-every-value", 0.999)]:
            result[f"blend={mode}:opacity={opacity}:with=FIXTURES/made/{name}.png"] = (
                blend(mode, f"made/{name}.png", opacity), True)
        for name, opacity in [("rgba8-noise", 1), ("rgba16-noise", 0.4), ("rgba8-sprite", 0.9)]:
            result[f"premultiply,blend={mode}:opacity={opacity}:alpha=premultiplied:with=FIXTURES/made/{name}.png"] = (
                blend(mode, f"made/{name}.png", opacity, True), False)
    for mode in blending.SEPARABLE[3:] + blending.WHOLE:
        for name in ["rgba8-noise", "rgb16-noise", "grey8-every-value"]:
            result[f"blend={mode}:with=FIXTURES/made/{name}.png"] = (blend(mode, f"made/{name}.png"), True)
        for name, opacity in [("rgba16-noise", 0.3), ("rgb8-noise", 0.7)]:
            result[f"blend={mode}:opacity={opacity}:with=FIXTURES/made/{name}.png"] = (
                blend(mode, f"made/{name}.png", opacity), True)
    for operation in "add subtract multiply divide difference minimum maximum average".split():
        for name in ["rgba8-noise", "rgb16-noise", "grey16-every-value"]:
            result[f"{operation}=with=FIXTURES/made/{name}.png"] = (arithmetic(operation, f"made/{name}.png"), True)
    for operation, factors in [
        ("add", "scale=0.75:with-scale=-0.4:bias=0.25"), ("add", "scale=-3.7:with-scale=16"), ("add", "bias=-0.3"),
        ("subtract", "scale=0.5:with-scale=0.5:bias=0.5"), ("subtract", "scale=-1:with-scale=-1"),
        ("multiply", "scale=3:with-scale=1.3:bias=-0.2"), ("multiply", "scale=-1.7:bias=0.9"),
        ("multiply", "scale=16:with-scale=16"), ("divide", "scale=0.3:bias=0.1"), ("divide", "bias=-1"),
        ("divide", "scale=7:with-scale=-9:bias=1"), ("divide", "scale=16:with-scale=0.0625"),
    ]:
        for name in ["rgba8-noise", "rgba16-noise"]:
            result[f"{operation}={factors}:with=FIXTURES/made/{name}.png"] = (
                arithmetic(operation, f"made/{name}.png", factors), True)
    result |= seconds.chains(FIXTURES)
    for low, high, channels in [(0.01, 0.99, "each"), (0, 1, "linked"), (0.2, 0.7, "luma"), (0.05, 0.9, "linked")]:
        result[f"stretch=low={low}:high={high}:channels={channels}"] = (
            lambda picture, a=low, b=high, c=channels: tone.stretched(picture, a, b, c), True)
    result["stretch=low=0.05:high=0.9:channels=each:counts=all"] = (
        lambda picture: tone.stretched(picture, 0.05, 0.9, "each", "all"), True)
    for gravity in "northwest north northeast west center east southwest south southeast".split():
        for width, height, x, y in [(1, 1, 0, 0), (5, 6, 3, 2)]:
            chain = f"crop=width={width}:height={height}:x={x}:y={y}:gravity={gravity}"
            result[chain] = (cropped(width, height, x, y, gravity), True)
    for number in windows.UPRIGHT:
        result[f"orient={number}"] = (oriented(number), True)
    for operation in OPERATIONS:
        for value, high in [(0.5, 1.0), (0.3, 0.8), (0.49803922, 1.0)]:
            result[f"threshold={value}:operation={operation}:high={high}"] = (threshold(operation, value, high), True)
    cubes = ["look-17", "domain-5", "range-3", "shaper-9-4", "video-5", "video-in-shaper"]
    for name in cubes + ["channels-65", "video-out-9", "grey-3"]:
        file = color_tables.read(TABLES / f"{name}.cube")
        result[f"lut=file=FIXTURES/tables/{name}.cube"] = (
            lambda picture, file=file: color_tables.apply(picture, file), name == "grey-3")
    return result | words.chains(FIXTURES, result)


def hashes() -> str:
    """The text of hashes.json."""
    pictures = {name: samples.read(FIXTURES / name) for name in PICTURES}
    return json.dumps(
        {
            chain: {
                name: made.digest()
                for name, picture in pictures.items()
                if (takes_grey or picture.color_channels == 3) and (made := make(picture)) is not None
            }
            for chain, (make, takes_grey) in chains().items()
        },
        indent=2,
    ) + "\n"


def main() -> int:
    parser = command.freezing(DESCRIPTION)
    parser.add_argument("--self-test", action="store_true", help="compare blending.py with real numbers and OpenCV")
    arguments = parser.parse_args()
    if arguments.self_test:
        import blending_self_test

        return blending_self_test.run()
    text = hashes()
    count = sum(map(len, json.loads(text).values()))
    return command.freeze(HASHES, text, count, check=arguments.check)


if __name__ == "__main__":
    sys.exit(main())
