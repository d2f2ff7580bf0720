"""Tests the rules of rendering.py against Pillow, which knows nothing of them."""

from itertools import product

import numpy
from PIL import Image, ImageOps

import command
import rendering

SIZES = [(1, 1), (1, 7), (5, 3), (17, 31), (40, 24), (64, 64)]


def run() -> int:
    """Runs every test; prints what fails, and a count."""
    return command.self_test({name: test for name, test in globals().items() if name.startswith("test_")})


def test_turns_are_those_of_exif() -> None:
    for orientation in range(1, 9):
        pixels = made(5, 3)
        picture = image(pixels)
        picture.getexif()[0x0112] = orientation
        expected = numpy.asarray(ImageOps.exif_transpose(picture))
        actual = rendering.upright(pixels, orientation)
        assert actual.shape == expected.shape and (actual == expected).all(), f"orientation {orientation}"


def test_nearest_is_pillows() -> None:
    # where a centre falls on an edge, Pillow's floating point takes either side
    compare(
        "nearest", Image.Resampling.NEAREST, 0,
        lambda old, new: old % new == 0 or all((2 * i + 1) * old % (2 * new) for i in range(new)),
    )


def test_linear_is_pillows_where_it_enlarges() -> None:
    # smaller, Pillow widens the filter; a weight in 1/256 may be off by 1/512 along each axis
    compare("linear", Image.Resampling.BILINEAR, 1.5, lambda old, new: new >= old)


def test_area_is_pillows_box_by_whole_factors() -> None:
    # by other factors Pillow's box takes a pixel of the source or leaves it, where ours divides it
    compare("area", Image.Resampling.BOX, 1, lambda old, new: old % new == 0)


def test_area_keeps_the_mean() -> None:
    for (width, height), (new_width, new_height) in product(SIZES, SIZES):
        pixels = made(width, height)
        scaled = rendering.scaled(pixels, new_width, new_height, "area", 255)
        difference = abs(scaled.mean(axis=(0, 1)) - pixels.mean(axis=(0, 1))).max()
        assert difference <= 0.51, f"{width}x{height} to {new_width}x{new_height}: the mean changes by {difference}"


def test_over_is_pillows() -> None:
    alphas = numpy.arange(256)
    front, back = made(256, 256, seed=1), made(256, 256, seed=2)
    front[:, :, 3] = alphas[None, :]
    back[:, :, 3] = alphas[:, None]
    actual = rendering.over(front, back, 255)
    expected = numpy.asarray(Image.alpha_composite(image(back), image(front))).astype(numpy.int64)
    difference = abs(actual[:, :, 3] - expected[:, :, 3]).max()
    assert difference <= 1, f"alphas differ by {difference}"
    # where there is little alpha, its rounding moves colours, but not what is seen of them
    seen = abs(actual[:, :, :3] * actual[:, :, 3:] - expected[:, :, :3] * expected[:, :, 3:]).max() / 255
    assert seen <= 2, f"premultiplied colours differ by {seen}"


def compare(filter: str, resampling: Image.Resampling, most: float, applies) -> None:
    compared = 0
    for (width, height), (new_width, new_height) in product(SIZES, SIZES):
        if not (applies(width, new_width) and applies(height, new_height)):
            continue
        # opaque, since Pillow multiplies colours by alpha before it scales
        pixels = made(width, height)
        pixels[:, :, 3] = 255
        expected = numpy.asarray(image(pixels).resize((new_width, new_height), resampling)).astype(numpy.int64)
        difference = abs(rendering.scaled(pixels, new_width, new_height, filter, 255) - expected).max()
        assert difference <= most, f"{width}x{height} to {new_width}x{new_height}: differs by {difference}"
        compared += 1
    assert compared > len(SIZES), "too little was compared"


def made(width: int, height: int, seed: int = 0) -> numpy.ndarray:
    return numpy.random.default_rng(seed).integers(0, 256, (height, width, 4))


def image(pixels: numpy.ndarray) -> Image.Image:
    return Image.fromarray(pixels.astype(numpy.uint8), "RGBA")
