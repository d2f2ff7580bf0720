"""Tests the rules of blending.py against the specification's formulas in real numbers, and against OpenCV."""

import numpy

import blending
import command
from blending import SEPARABLE, WHOLE


def run() -> int:
    """Runs every test; prints what fails, and a count."""
    return command.self_test({name: test for name, test in globals().items() if name.startswith("test_")})


def test_separable_modes_are_within_a_sample_of_real_numbers() -> None:
    for maximum, step in ((255, 1), (65535, 97)):
        values = numpy.append(numpy.arange(0, maximum, step), maximum)
        f, s = (each[..., None] for each in numpy.meshgrid(values, values))
        for mode in SEPARABLE:
            _compare(mode, f, s, maximum)


def test_modes_of_whole_colors_are_within_a_sample_of_real_numbers() -> None:
    random = numpy.random.default_rng(1)
    for maximum in (255, 65535):
        for least, most in ((0, maximum), (0, maximum // 6), (maximum * 5 // 6, maximum), (0, 3)):
            f = random.integers(least, most + 1, (40000, 3))
            for s in (random.integers(0, maximum + 1, f.shape), random.integers(least, most + 1, f.shape)):
                for mode in WHOLE:
                    _compare(mode, f, s, maximum)
                    _compare(mode, s, f, maximum)


def _compare(mode: str, f: numpy.ndarray, s: numpy.ndarray, maximum: int) -> None:
    made = blending.mixture(s, f, mode, maximum)
    assert made.min() >= 0 and made.max() <= maximum, f"{mode} leaves the range"
    expected = numpy.floor(real(f / maximum, s / maximum, mode) * maximum + 0.5)
    assert abs(made - expected).max() <= 1, f"{mode} of {maximum} is off by {abs(made - expected).max()}"


def test_opencv_makes_the_same() -> None:
    for maximum in (255, 65535):
        values = numpy.append(numpy.arange(0, maximum, (maximum + 1) // 256), maximum)
        f, s = numpy.meshgrid(values, values)
        for operation in ("add", "subtract", "multiply", "difference", "minimum", "maximum"):
            blending.combined(f, s, operation, maximum)


def real(f: numpy.ndarray, s: numpy.ndarray, mode: str) -> numpy.ndarray:
    """The formula of the specification in real numbers, from 0 to 1."""
    def hard(b, s):
        return numpy.where(s <= 0.5, 2 * b * s, b + (2 * s - 1) - b * (2 * s - 1))

    def dodge(b, s):
        return numpy.where(b == 0, 0, numpy.where(s == 1, 1, numpy.minimum(1, b / numpy.where(s == 1, 1, 1 - s))))

    def burn(b, s):
        return numpy.where(b == 1, 1, numpy.where(s == 0, 0, 1 - numpy.minimum(1, (1 - b) / numpy.where(s == 0, 1, s))))

    def soft(b, s):
        curve = numpy.where(b <= 0.25, ((16 * b - 12) * b + 4) * b, numpy.sqrt(b))
        return numpy.where(s <= 0.5, b - (1 - 2 * s) * b * (1 - b), b + (2 * s - 1) * (curve - b))

    def lum(c):
        return 0.3 * c[..., :1] + 0.59 * c[..., 1:2] + 0.11 * c[..., 2:]

    def sat(c):
        return c.max(axis=-1, keepdims=True) - c.min(axis=-1, keepdims=True)

    def clip_color(c):
        l, n, x = lum(c), c.min(axis=-1, keepdims=True), c.max(axis=-1, keepdims=True)
        c = numpy.where(n < 0, l + (c - l) * l / numpy.where(n < 0, l - n, 1), c)
        return numpy.where(x > 1, l + (c - l) * (1 - l) / numpy.where(x > 1, x - l, 1), c)

    def set_lum(c, l):
        return clip_color(c + l - lum(c))

    def set_sat(c, s):
        return (c - c.min(axis=-1, keepdims=True)) * s / numpy.where(sat(c) > 0, sat(c), 1)

    return {
        "normal": lambda: s, "multiply": lambda: f * s, "screen": lambda: f + s - f * s, "overlay": lambda: hard(s, f),
        "darken": lambda: numpy.minimum(f, s), "lighten": lambda: numpy.maximum(f, s),
        "color-dodge": lambda: dodge(f, s), "color-burn": lambda: burn(f, s), "hard-light": lambda: hard(f, s),
        "soft-light": lambda: soft(f, s), "difference": lambda: abs(f - s), "exclusion": lambda: f + s - 2 * f * s,
        "hue": lambda: set_lum(set_sat(s, sat(f)), lum(f)), "saturation": lambda: set_lum(set_sat(f, sat(s)), lum(f)),
        "color": lambda: set_lum(s, lum(f)), "luminosity": lambda: set_lum(f, lum(s)),
    }[mode]()
