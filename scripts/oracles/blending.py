"""Two pictures mixed by blend modes, and by arithmetic, from their definitions, in integers of 64 bits.

The modes are those of W3C Compositing and Blending Level 1, 10.1 and 10.2. Colors are arrays (height, width, 3) int64:
f of the frame, s of the second picture.
"""

import math
from fractions import Fraction

import cv2
import numpy

from rendering import rounded

SEPARABLE = (
    "normal multiply screen overlay darken lighten color-dodge color-burn hard-light soft-light difference exclusion"
).split()
WHOLE = ["hue", "saturation", "color", "luminosity"]
WEIGHTS = numpy.array([30, 59, 11])


def mixture(s: numpy.ndarray, f: numpy.ndarray, mode: str, maximum: int) -> numpy.ndarray:
    """The mixture of opaque colors."""
    whole = maximum

    def hard(one: numpy.ndarray, other: numpy.ndarray) -> numpy.ndarray:
        lit = 2 * one - whole
        return numpy.where(lit < 0, rounded(2 * one * other, whole), lit + other - rounded(lit * other, whole))

    def dodge(f: numpy.ndarray, s: numpy.ndarray) -> numpy.ndarray:
        quotient = rounded(f * whole, numpy.maximum(whole - s, 1))
        return numpy.where(f == 0, 0, numpy.where(s == whole, whole, numpy.minimum(quotient, whole)))

    def spread(c: numpy.ndarray) -> numpy.ndarray:
        return c.max(axis=-1) - c.min(axis=-1)

    makers = {
        "normal": lambda: s,
        "multiply": lambda: rounded(f * s, whole),
        "screen": lambda: f + s - rounded(f * s, whole),
        "overlay": lambda: hard(f, s),
        "darken": lambda: numpy.minimum(f, s),
        "lighten": lambda: numpy.maximum(f, s),
        "color-dodge": lambda: dodge(f, s),
        "color-burn": lambda: whole - dodge(whole - f, whole - s),
        "hard-light": lambda: hard(s, f),
        "soft-light": lambda: _soft(f, s, whole),
        "difference": lambda: abs(f - s),
        "exclusion": lambda: rounded(f * (whole - s) + s * (whole - f), whole),
        "hue": lambda: _lit(s, spread(f), f @ WEIGHTS, whole),
        "saturation": lambda: _lit(f, spread(s), f @ WEIGHTS, whole),
        "color": lambda: _lit(s, spread(s), f @ WEIGHTS, whole),
        "luminosity": lambda: _lit(f, spread(f), s @ WEIGHTS, whole),
    }
    return makers[mode]()


def _soft(f: numpy.ndarray, s: numpy.ndarray, whole: int) -> numpy.ndarray:
    darker = f - rounded((whole - 2 * s) * rounded(f * (whole - f), whole), whole)
    square = rounded(16 * f * f, whole)
    curve = 4 * f - rounded(3 * square - rounded(square * 4 * f, whole), 4)
    # the nearest root r of x has (2r - 1)^2 < 4x < (2r + 1)^2
    roots = numpy.array([(math.isqrt(4 * sample * whole) + 1) // 2 for sample in range(whole + 1)])
    lighter = numpy.where(4 * f <= whole, curve, roots[f])
    return numpy.where(2 * s <= whole, darker, f + rounded((2 * s - whole) * (lighter - f), whole))


def _lit(c: numpy.ndarray, spread: numpy.ndarray, light: numpy.ndarray, whole: int) -> numpy.ndarray:
    """The color c with a luminosity in hundredths, and a saturation as far as there is room."""
    least, most = c.min(axis=-1, keepdims=True), c.max(axis=-1, keepdims=True)
    spread, light = spread[..., None], light[..., None]
    own, mean = most - least, (c @ WEIGHTS)[..., None]
    even = rounded((c - least) * spread, numpy.maximum(own, 1))
    dark = 100 * whole - light
    low = rounded(light * (c - least), numpy.maximum(mean - 100 * least, 1))
    high = whole - rounded(dark * (most - c), numpy.maximum(100 * most - mean, 1))
    made = rounded(light + 100 * even - (even @ WEIGHTS)[..., None], 100)
    made = numpy.where(light * own < spread * (mean - 100 * least), low, made)
    return numpy.where(dark * own < spread * (100 * most - mean), high, made)


def _faded(samples: numpy.ndarray, opacity: float) -> numpy.ndarray:
    return rounded(samples * round(opacity * 65536), 65536)


def blended(front: numpy.ndarray, back: numpy.ndarray, mode: str, opacity: float, maximum: int) -> numpy.ndarray:
    """The front over the back, straight alpha; each product and quotient is rounded once."""
    f, s, back_alpha = back[..., :3], front[..., :3], back[..., 3:]
    front_alpha = _faded(front[..., 3:], opacity)
    kept = rounded(back_alpha * (maximum - front_alpha), maximum)
    alpha = front_alpha + kept
    mixed = rounded((maximum - back_alpha) * s + back_alpha * mixture(s, f, mode, maximum), maximum)
    made = rounded(front_alpha * mixed + kept * f, numpy.maximum(alpha, 1))
    return numpy.where(alpha == 0, back, numpy.concatenate([made, alpha], axis=2))


def blended_multiplied(
    front: numpy.ndarray, back: numpy.ndarray, mode: str, opacity: float, maximum: int
) -> numpy.ndarray:
    """The front over the back, colors multiplied by alpha; each result is rounded once."""
    front = _faded(front, opacity)
    f, s, back_alpha, front_alpha = back[..., :3], front[..., :3], back[..., 3:], front[..., 3:]
    made = {
        "normal": s + rounded(f * (maximum - front_alpha), maximum),
        "multiply": rounded(s * (maximum - back_alpha) + f * (maximum - front_alpha) + s * f, maximum),
        "screen": f + s - rounded(f * s, maximum),
    }[mode]
    alpha = front_alpha + rounded(back_alpha * (maximum - front_alpha), maximum)
    return numpy.concatenate([numpy.minimum(made, maximum), alpha], axis=2)


def combined(
    f: numpy.ndarray, s: numpy.ndarray, operation: str, maximum: int, scale: str = "1", with_scale: str = "1",
    bias: str = "0",
) -> numpy.ndarray:
    """What arithmetic makes of samples; factors are decimals."""
    one, other = Fraction(scale), Fraction(with_scale)
    offset = math.floor(abs(Fraction(bias)) * maximum + Fraction(1, 2)) * (-1 if Fraction(bias) < 0 else 1)

    def fixed(factor: Fraction) -> int:
        """In 65536ths, halves away from 0."""
        nearest = math.floor(abs(factor) * 65536 + Fraction(1, 2))
        return -nearest if factor < 0 else nearest

    makers = {
        "add": lambda: rounded(fixed(one) * f + fixed(other) * s, 65536),
        "subtract": lambda: rounded(fixed(one) * f - fixed(other) * s, 65536),
        "multiply": lambda: rounded(fixed(one * other) * f * s, 65536 * maximum),
        "divide": lambda: numpy.where(
            s == 0, 0, rounded(fixed(one / other) * f * maximum, 65536 * numpy.maximum(s, 1))),
        "difference": lambda: abs(f - s),
        "minimum": lambda: numpy.minimum(f, s),
        "maximum": lambda: numpy.maximum(f, s),
        "average": lambda: (f + s + 1) // 2,
    }
    made = numpy.clip(makers[operation]() + offset, 0, maximum)
    if scale == with_scale == "1" and bias == "0":
        theirs = _opencvs(f, s, operation, maximum)
        assert theirs is None or (theirs == made).all(), f"OpenCV makes something else of {operation}"
    return made


def _opencvs(f: numpy.ndarray, s: numpy.ndarray, operation: str, maximum: int) -> numpy.ndarray | None:
    """What OpenCV makes of the same samples; nothing where it rounds otherwise, as it does products of 16 bits."""
    if operation in ("divide", "average") or operation == "multiply" and maximum > 255:
        return None
    one, other = (samples.astype(numpy.uint8 if maximum == 255 else numpy.uint16) for samples in (f, s))
    function = {
        "add": cv2.add, "subtract": cv2.subtract, "difference": cv2.absdiff, "minimum": cv2.min, "maximum": cv2.max,
        "multiply": lambda one, other: cv2.multiply(one, other, scale=1 / maximum),
    }[operation]
    return function(one, other).astype(numpy.int64).reshape(f.shape)
