"""What filters of surroundings make, in integers by NumPy, with OpenCV as a witness."""

import math

import cv2
import numpy

Plane = numpy.ndarray

BORDERS = {"clamp": (cv2.BORDER_REPLICATE, {"mode": "edge"}), "zero": (cv2.BORDER_CONSTANT, {"mode": "constant"})}


def each_plane(samples: numpy.ndarray, make) -> numpy.ndarray:
    """Makes each channel by itself."""
    return numpy.stack([make(numpy.ascontiguousarray(samples[:, :, c])) for c in range(samples.shape[2])], axis=2)


def median(plane: Plane, diameter: int) -> Plane:
    """That of cv2.medianBlur, which has diameters above 5 for 8 bits alone; sorting must agree."""
    around = numpy.pad(plane, diameter // 2, mode="edge")
    windows = numpy.lib.stride_tricks.sliding_window_view(around, (diameter, diameter))
    made = numpy.sort(windows.reshape(*plane.shape, -1), axis=-1)[..., diameter * diameter // 2]
    if diameter <= 5 or plane.dtype == numpy.uint8:
        assert (cv2.medianBlur(plane, diameter) == made).all(), f"cv2.medianBlur makes something else of {diameter}"
    return made


def gaussian_weights(sigma: float, bits: int) -> list[int]:
    """The weights of OpenCV (modules/imgproc/src/smooth.dispatch.cpp), from the end to the middle and back."""
    count = round(sigma * (6 if bits == 8 else 8) + 1) | 1
    far = [numpy.exp(x * x * (-0.125 / (sigma * sigma))) for x in range(1 - count, 0, 2)]
    unit = 1 / (2 * sum(far) + 1)
    made, rest = [], 0.0
    for value in far:
        exact = value * unit * 2**bits + rest
        made.append(round(exact))
        rest = exact - round(exact)
    return made + [2**bits - 2 * sum(made)] + made[::-1]


def blur(plane: Plane, sigma: float, edge: str = "clamp", rule: str = "opencv") -> Plane:
    """That of cv2.GaussianBlur, where the rule is its own; sums of integers must agree."""
    bits = 8 if plane.dtype == numpy.uint8 and rule == "opencv" else 16
    weights = gaussian_weights(sigma, bits)
    border, padding = BORDERS[edge]
    sums = numpy.pad(plane.astype(object if bits == 16 and plane.dtype == numpy.uint16 else numpy.int64), len(weights) // 2, **padding)
    sums = sum(sums[y : y + plane.shape[0]] * weight for y, weight in enumerate(weights))
    sums = sum(sums[:, x : x + plane.shape[1]] * weight for x, weight in enumerate(weights))
    made = ((sums + (1 << (2 * bits - 1))) >> (2 * bits)).astype(plane.dtype)
    if rule == "opencv" or plane.dtype == numpy.uint16:
        theirs = cv2.GaussianBlur(plane, (0, 0), sigma, borderType=border)
        assert (theirs == made).all(), f"cv2.GaussianBlur makes something else of {sigma}"
    return made


def sobel(pixels: numpy.ndarray, edge: str = "clamp") -> Plane:
    """The floor of the root of cv2.Sobel's squares, at most the greatest sample; sums of shifted planes must agree."""
    maximum = 255 if pixels.dtype == numpy.uint8 else 65535
    deep = pixels.astype(numpy.int64)
    luma = deep[..., 0] if deep.shape[2] < 3 else (deep[..., :3] @ numpy.array([19595, 38470, 7471]) + 32768) >> 16
    border, padding = BORDERS[edge]
    around = numpy.pad(luma, 1, **padding)
    rows, columns = luma.shape
    part = lambda y, x: around[y : y + rows, x : x + columns]
    across = part(0, 2) - part(0, 0) + 2 * (part(1, 2) - part(1, 0)) + part(2, 2) - part(2, 0)
    down = part(2, 0) - part(0, 0) + 2 * (part(2, 1) - part(0, 1)) + part(2, 2) - part(0, 2)
    for made, order in (across, (1, 0)), (down, (0, 1)):
        theirs = cv2.Sobel(luma.astype(pixels.dtype), cv2.CV_64F, *order, ksize=3, borderType=border)
        assert (theirs == made).all(), "cv2.Sobel makes something else"
    squares = across**2 + down**2
    root = numpy.sqrt(squares.astype(numpy.float64)).astype(numpy.int64)
    assert ((root**2 <= squares) & ((root + 1) ** 2 > squares)).all()
    return numpy.minimum(root, maximum)


def box(plane: Plane, diameter: int, edge: str = "clamp") -> Plane:
    """The mean by sums of integers. cv2.blur divides in single precision, and must agree where that is enough."""
    border, padding = BORDERS[edge]
    radius, area = diameter // 2, diameter * diameter
    sums = numpy.pad(plane.astype(numpy.int64), radius, **padding)
    for axis in (0, 1):
        sums = numpy.insert(numpy.cumsum(sums, axis=axis), 0, 0, axis=axis)
        upper, lower = [slice(None)] * 2, [slice(None)] * 2
        upper[axis], lower[axis] = slice(diameter, None), slice(None, -diameter)
        sums = sums[tuple(upper)] - sums[tuple(lower)]
    made = ((sums + area // 2) // area).astype(plane.dtype)
    # It sums samples of 16 bits in 32, signed.
    if plane.dtype == numpy.uint8 or diameter <= 181:
        theirs = cv2.blur(plane, (diameter, diameter), borderType=border).astype(int)
        most = 0 if diameter <= (181 if plane.dtype == numpy.uint8 else 13) else 1
        assert numpy.abs(theirs - made).max() <= most, f"cv2.blur makes something else of {diameter}"
    return made


def bilateral(
    samples: numpy.ndarray, diameter: int, color: float = 25, distance: float = 9, edge: str = "clamp"
) -> numpy.ndarray:
    """Means by the distance of places and colors, in integers. cv2.bilateralFilter, in floats, must be at most 1 off."""
    is_gray = samples.shape[2] < 3
    deep = samples.dtype == numpy.uint16
    radius = diameter // 2
    near = [round(65535 * math.exp(-square / (2 * distance**2))) for square in range(radius**2 + 1)]
    like = numpy.array([round(65535 * math.exp(-((value / color) ** 2) / 2)) for value in range(766)], numpy.int64)
    border, padding = BORDERS[edge]
    around = numpy.pad(samples.astype(numpy.int64), ((radius, radius), (radius, radius), (0, 0)), **padding)
    rows, columns = samples.shape[:2]
    own = samples.astype(numpy.int64)
    sums, whole = numpy.zeros_like(own), numpy.zeros((rows, columns, 1), numpy.int64)
    for y in range(-radius, radius + 1):
        for x in range(-radius, radius + 1):
            if x * x + y * y > radius * radius:
                continue
            other = around[radius + y : radius + y + rows, radius + x : radius + x + columns]
            apart = numpy.abs(other - own)
            difference = 3 * apart[..., 0] if is_gray else apart[..., :3].sum(axis=2)
            if deep:
                difference = (difference + 128) // 257
            weight = ((like[difference] * near[x * x + y * y] + 32768) >> 16)[..., None]
            sums += other * weight
            whole += weight
    made = (sums + whole // 2) // whole
    colors = slice(0, 1 if is_gray else 3)
    if not deep:
        planes = numpy.ascontiguousarray(numpy.repeat(samples[..., :1], 3, axis=2) if is_gray else samples[..., colors])
        theirs = cv2.bilateralFilter(planes, diameter, color, distance, borderType=border)[..., colors].astype(int)
        assert numpy.abs(theirs - made[..., colors]).max() <= 1, "cv2.bilateralFilter makes something else"
    return made.astype(samples.dtype)


# The turns that make upright what a picture's number in Exif says.
UPRIGHT = {
    1: lambda pixels: pixels,
    2: lambda pixels: pixels[:, ::-1],
    3: lambda pixels: numpy.rot90(pixels, 2),
    4: lambda pixels: pixels[::-1],
    5: lambda pixels: pixels.swapaxes(0, 1),
    6: lambda pixels: numpy.rot90(pixels, -1),
    7: lambda pixels: numpy.rot90(pixels, 2).swapaxes(0, 1),
    8: lambda pixels: numpy.rot90(pixels),
}
