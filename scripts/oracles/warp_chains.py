"""Chains of affine, perspective, rotate, undistort and remap, and what warping.py makes of them."""

from collections.abc import Callable

import numpy

import rendering
import samples
import warping
from freeze_equalization import FIXTURES
from samples import Picture

Maker = Callable[[Picture], Picture | None]


def warped(
    positions: warping.Map, mode: str = "bilinear", edge: str = "color", color: tuple[int, ...] | None = None,
    alpha: str = "weighted", size: Callable[[warping.Size], warping.Size] = lambda size: size,
) -> Maker:
    """`color` has bytes, and is one for pictures that can hold it."""

    def made(picture: Picture) -> Picture | None:
        given = color or ((0, 0, 0, 0) if picture.channels in (2, 4) else (0, 0, 0, 255))
        if picture.color_channels == 1 and not given[0] == given[1] == given[2]:
            return None
        if picture.channels in (1, 3) and given[3] < 255:
            return None
        own = {1: given[:1], 2: (given[0], given[3]), 3: given[:3], 4: given}[picture.channels]
        whole = (picture.samples.shape[1], picture.samples.shape[0])
        found = positions(whole, size(whole), mode == "nearest")
        if found is None:
            return None

        def make(samples: numpy.ndarray) -> numpy.ndarray:
            maximum = 255 if samples.dtype == numpy.uint8 else 65535
            outside = numpy.array(own, dtype=numpy.int64) * (maximum // 255)
            if maximum > picture.maximum or alpha == "weighted" and picture.channels in (2, 4) and mode != "nearest":
                outside[:-1] = rendering.rounded(outside[:-1] * outside[-1], maximum)
            return warping.warped(samples, found, mode, edge, outside, maximum)

        if alpha == "weighted" and mode != "nearest":
            return rendering.weighted(make)(picture)
        samples = picture.samples.astype(numpy.uint8 if picture.maximum == 255 else numpy.uint16)
        return picture.with_samples(make(samples).astype(picture.samples.dtype))

    return made


def remapped(name: str, steps: int, **arguments: object) -> Maker:
    coordinates = samples.read(FIXTURES / name).samples
    return warped(
        warping.picture_map(coordinates, steps), size=lambda _: (coordinates.shape[1], coordinates.shape[0]),
        **arguments)


def chains() -> dict[str, tuple[Maker, bool]]:
    """Chains of affine, perspective, rotate, undistort and remap."""
    result: dict[str, tuple[Maker, bool]] = {}
    for matrix, own, size in [
        ("0.9 0.3 -2.4 -0.2 1.1 3.6", {}, None), ("0.9 0.3 -2.4 -0.2 1.1 3.6", {"mode": "nearest"}, None),
        ("1.4 -0.3 2 0.25 0.8 1", {"mode": "bicubic", "edge": "clamp"}, None),
        ("0.7 0.6 1 -0.5 0.9 4", {"mode": "lanczos", "edge": "mirror"}, None),
        ("0.4 0.1 3 0.2 0.3 2", {"edge": "mirror", "alpha": "as-is"}, (29, 31)),
        ("1 0 3 0 1 -2", {"mode": "lanczos", "color": "#4080c0"}, None), ("1 0 0.5 0 1 0.5", {"color": "gray"}, None),
        ("1 0.1 0.5 -0.1 1 0.5", {"color": "#ff800040"}, None),
        ("0.8 0 1 0 0.8 1", {"color": "#ff800040", "alpha": "as-is"}, None),
        ("0.8 0.1 1 0 0.8 1", {"color": "#ff800040", "mode": "nearest"}, None),
        ("-1 0.001 30 0 -0.003 9", {"mode": "bicubic", "edge": "mirror"}, (40, 23)),
        ("0.01 0 5 0 0.013 5", {"mode": "nearest", "edge": "mirror"}, (2100, 3)),
    ]:
        call = f"affine='{matrix}'" + (f":width={size[0]}:height={size[1]}" if size else "")
        numbers = warping.affine([float(word) for word in matrix.split()])
        result[_call(call, own)] = (_warped(numbers, own, size), True)
    quarter = "1/2 14/0.5 12.25/15 -2/11"
    for source, shown, own, size in [
        (quarter, None, {}, None), (quarter, None, {"mode": "nearest", "edge": "mirror"}, None),
        (None, "3/1 40/9 36/25 1/30", {"mode": "bicubic", "color": "gray"}, None),
        (None, "2/9 30/8 60/40 -20/40", {"mode": "lanczos", "edge": "mirror"}, (33, 30)),
        ("2/1 9/2 14/14 1/9", "12/0 20/3 23/30 4/20", {"edge": "clamp", "alpha": "as-is"}, None),
        # The horizon crosses the result; nearly parallel; mirrored.
        (None, "10/12 14/12 40/30 -20/30", {"mode": "nearest", "color": "white"}, (31, 33)),
        (None, "10/12 14/12 40/30 -20/30", {"mode": "lanczos", "edge": "clamp", "color": "white"}, (31, 33)),
        ("0/0 16/0 16/30 0.25/30", None, {}, None), ("16/0 0/0 0/30 16/30", None, {"mode": "bicubic"}, (17, 31)),
    ]:
        parts = [f"{name}='{text}'" for name, text in (("from", source), ("to", shown)) if text]
        call = "perspective=" + ":".join(parts) + (f":width={size[0]}:height={size[1]}" if size else "")
        points = [[tuple(map(float, p.split("/"))) for p in text.split()] if text else None for text in (source, shown)]
        result[_call(call, own)] = (_warped(warping.perspective(*points), own, size), True)
    for degrees, extent, own in [
        (30, "fit", {}), (-12.5, "keep", {"mode": "nearest", "color": "gray"}),
        (200, "fit", {"mode": "bicubic", "edge": "mirror"}),
        (45, "keep", {"mode": "lanczos", "alpha": "as-is"}), (90, "keep", {}), (0.25, "fit", {"edge": "clamp"}),
        (359.75, "keep", {"mode": "lanczos", "edge": "mirror"}),
    ]:
        size = (lambda whole, d=degrees: warping.turned_size(whole, d)) if extent == "fit" else None
        call = f"rotate={degrees}" + (":size=keep" if extent == "keep" else "")
        result[_call(call, own)] = (_warped(warping.rotation(degrees), own, size), True)
    for lens, own in [
        ({"k1": -0.3, "k2": 0.1, "p1": 0.01, "p2": -0.02, "k3": 0.05, "fx": 20}, {}),
        ({"k1": 0.4, "fx": 15, "fy": 25, "cx": 7, "cy": 3.5}, {"mode": "nearest", "edge": "clamp"}),
        ({"k1": -0.2, "k2": 0.05, "p1": 0.1, "fx": 30}, {"mode": "bicubic", "color": "gray"}),
        ({"k1": -0.5, "p2": 0.05, "fx": 18}, {"mode": "lanczos", "edge": "mirror"}),
        ({"k1": 3, "k2": -2, "k3": 1, "fx": 40}, {"edge": "mirror", "alpha": "as-is"}),
        ({"k1": -0.05, "fx": 1400.5}, {"mode": "lanczos"}), ({"fx": 50}, {}),
    ]:
        call = "undistort=" + ":".join(f"{name}={value}" for name, value in lens.items())
        result[_call(call, own)] = (_warped(warping.undistortion(**lens), own, None), True)
    for name, steps, own in [
        ("rgb16-noise", 0, {}), ("rgb16-noise", 1024, {"mode": "nearest", "edge": "mirror"}),
        ("rgba16-noise", 0, {"mode": "lanczos", "edge": "mirror"}),
        ("rgb16-dark", 16, {"mode": "bicubic", "color": "white"}),
    ]:
        call = f"remap=map=FIXTURES/made/{name}.png" + (f":steps={steps}" if steps else "")
        result[_call(call, own)] = (remapped(f"made/{name}.png", steps, **_arguments(own)), True)
    return result


def _call(call: str, own: dict[str, str]) -> str:
    return ":".join([call] + [f"{name}={value}" for name, value in own.items()])


def _arguments(own: dict[str, str]) -> dict[str, object]:
    colors = {
        "gray": (128, 128, 128, 255), "white": (255, 255, 255, 255),
        "#4080c0": (64, 128, 192, 255), "#ff800040": (255, 128, 0, 64),
    }
    return {name: colors[value] if name == "color" else value for name, value in own.items()}


def _warped(positions: warping.Map, own: dict[str, str], size: object) -> Maker:
    made = (lambda whole: whole) if size is None else size if callable(size) else (lambda _: size)
    return warped(positions, size=made, **_arguments(own))
