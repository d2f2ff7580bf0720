"""Y'CbCr by ITU-T H.273 in floats of 64 bits, and by zscale; written without a look at Safelight."""

import subprocess

import numpy

MATRICES = {
    "bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722), "bt2020": (0.2627, 0.0593), "fcc": (0.30, 0.11),
    "smpte240m": (0.212, 0.087), "ycgco": None,
}
ZSCALE = {
    "bt601": "170m", "bt709": "709", "bt2020": "2020_ncl", "fcc": "fcc", "smpte240m": "smpte2400m", "ycgco": "ycgco",
}
RANGES = ("full", "limited")
SITINGS = ("left", "center", "topLeft")
STEPS = {"420": (2, 2), "422": (2, 1), "444": (1, 1)}


def _levels(bits: int, full: bool, matrix: str) -> tuple[float, float, float, float]:
    """Zero and reach of luma, middle and reach of chroma."""
    unit = 1 << (bits - 8)
    if full:
        return 0, (1 << bits) - 1, 128 * unit, (1 << bits) - 1
    # H.273 has YCgCo mix red, green and blue that are limited already.
    return 16 * unit, 219 * unit, 128 * unit, (219 if matrix == "ycgco" else 224) * unit


def _rounded(values: numpy.ndarray, largest: int) -> numpy.ndarray:
    return numpy.clip(numpy.floor(values + 0.5), 0, largest).astype(int)


def _places(siting: str, step: tuple[int, int]) -> tuple[float, float]:
    """Where the first chroma sample lies, in pixels from the first."""
    x = 0.5 if siting == "center" else 0.0
    y = 0.0 if siting == "topLeft" else 0.5
    return (x if step[0] == 2 else 0.0), (y if step[1] == 2 else 0.0)


def _shared(samples: numpy.ndarray, step: int, place: float, axis: int) -> numpy.ndarray:
    """The mean of the pixels that share a sample: 1 : 2 : 1 about one, 1 : 1 about two."""
    if step == 1:
        return samples
    count = samples.shape[axis]
    first = numpy.arange((count + 1) // 2) * 2
    at = lambda index: numpy.take(samples, numpy.clip(index, 0, count - 1), axis)
    if place == 0:
        return (at(first - 1) + 2 * at(first) + at(first + 1)) / 4
    return (at(first) + at(first + 1)) / 2


def _between(samples: numpy.ndarray, count: int, step: int, place: float, axis: int) -> numpy.ndarray:
    """A straight line between the two nearest samples."""
    if step == 1:
        return samples
    position = (numpy.arange(count) - place) / 2
    first = numpy.floor(position).astype(int)
    part = (position - first).reshape([-1 if index == axis else 1 for index in range(samples.ndim)])
    at = lambda index: numpy.take(samples, numpy.clip(index, 0, samples.shape[axis] - 1), axis)
    return (1 - part) * at(first) + part * at(first + 1)


def planes(rgb, rgb_bits, matrix, full, chroma, siting, bits):
    """The planes of rgb, (height, width, 3)."""
    zero, luma_reach, middle, chroma_reach = _levels(bits, full, matrix)
    light = rgb / ((1 << rgb_bits) - 1)
    step = STEPS[chroma]
    place = _places(siting, step)
    shared = _shared(_shared(light, step[0], place[0], 1), step[1], place[1], 0)
    if matrix == "ycgco":
        r, g, b = numpy.moveaxis(shared, 2, 0)
        luma = (light[..., 0] + light[..., 2]) / 4 + light[..., 1] / 2
        first, second = g / 2 - (r + b) / 4, (r - b) / 2
    else:
        red, blue = MATRICES[matrix]
        weights = numpy.array([red, 1 - red - blue, blue])
        luma, mean = light @ weights, shared @ weights
        first, second = (shared[..., 2] - mean) / (2 * (1 - blue)), (shared[..., 0] - mean) / (2 * (1 - red))
    largest = (1 << bits) - 1
    return [
        _rounded(luma * luma_reach + zero, largest), _rounded(first * chroma_reach + middle, largest),
        _rounded(second * chroma_reach + middle, largest),
    ]


def _interpolated(planes, chroma, siting) -> list[numpy.ndarray]:
    """Both kinds of chroma at each pixel."""
    step = STEPS[chroma]
    place = _places(siting, step)
    height, width = planes[0].shape
    return [
        _between(_between(plane.astype(float), width, step[0], place[0], 1), height, step[1], place[1], 0)
        for plane in planes[1:]
    ]


def _colors(luma, first, second, matrix) -> numpy.ndarray:
    if matrix == "ycgco":
        return numpy.stack([luma - first + second, luma + first, luma - first - second], axis=-1)
    red, blue = MATRICES[matrix]
    r = luma + 2 * (1 - red) * second
    b = luma + 2 * (1 - blue) * first
    return numpy.stack([r, (luma - red * r - blue * b) / (1 - red - blue), b], axis=-1)


def picture(planes, rgb_bits, matrix, full, chroma, siting, bits):
    """Red, green and blue of planes."""
    zero, luma_reach, middle, chroma_reach = _levels(bits, full, matrix)
    luma = (planes[0] - zero) / luma_reach
    first, second = ((plane - middle) / chroma_reach for plane in _interpolated(planes, chroma, siting))
    maximum = (1 << rgb_bits) - 1
    return _rounded(_colors(luma, first, second, matrix) * maximum, maximum)


def exact_picture(planes, matrix, full, chroma, siting, bits):
    """Red, green and blue of planes to the last bit, by the formula of YCbCr.md: 8 bits from 8, 16 from all others."""
    left = 0 if bits == 8 else 16 - bits
    maximum = 255 if bits == 8 else 65535
    zero, luma_reach, middle, chroma_reach = _levels(bits, full, matrix)
    # Each row of the identity is one of luma and chroma alone, so its colors are the coefficients.
    reach = numpy.array([luma_reach, chroma_reach, chroma_reach]) * (1 << left)
    shares = _colors(*numpy.eye(3), matrix) * (maximum / reach)[:, None]
    coefficients = numpy.floor(shares * 2**19 + 0.5).astype(int)
    levels = [zero, middle, middle]
    above = [
        (16 * plane).astype(int) - 16 * level << left
        for plane, level in zip([planes[0]] + _interpolated(planes, chroma, siting), levels)
    ]
    return numpy.clip(numpy.stack(above, axis=-1) @ coefficients + 2**22 >> 23, 0, maximum)


# zscale works out 4:4:4 alone here: its filters for chroma that pixels share are others.


def _names(rgb_bits: int, bits: int) -> tuple[str, str]:
    return ("gbrp" if rgb_bits == 8 else "gbrp16le"), ("yuv444p" if bits == 8 else f"yuv444p{bits}le")


def _ffmpeg(source, source_format, target_format, options, bits):
    height, width = source[0].shape
    kind = "<u1" if bits[0] == 8 else "<u2"
    run = subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", source_format, "-s", f"{width}x{height}", "-i", "-"]
        + ["-vf", f"zscale={options}:dither=none,format={target_format}", "-f", "rawvideo", "-"],
        input=b"".join(plane.astype(kind).tobytes() for plane in source), stdout=subprocess.PIPE, check=True,
    )
    made = numpy.frombuffer(run.stdout, "<u1" if bits[1] == 8 else "<u2")
    return list(made.reshape(3, height, width).astype(int))


def zscale_planes(rgb, rgb_bits, matrix, full, bits):
    """The planes of rgb as zscale makes them."""
    source = [rgb[..., 1], rgb[..., 2], rgb[..., 0]]
    rgb_format, format = _names(rgb_bits, bits)
    options = f"matrixin=gbr:rangein=full:matrix={ZSCALE[matrix]}:range={'full' if full else 'limited'}"
    return _ffmpeg(source, rgb_format, format, options, (rgb_bits, bits))


def zscale_picture(planes, rgb_bits, matrix, full, bits):
    """Red, green and blue of planes as zscale makes them."""
    rgb_format, format = _names(rgb_bits, bits)
    options = f"matrixin={ZSCALE[matrix]}:rangein={'full' if full else 'limited'}:matrix=gbr:range=full"
    g, b, r = _ffmpeg(planes, format, rgb_format, options, (bits, rgb_bits))
    return numpy.stack([r, g, b], axis=2)
